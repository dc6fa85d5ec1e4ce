"""What every rule answers, and the tree that the labels of values make."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Protocol

from maskwise.errors import PolicyError, plural
from maskwise.policy.taxonomy import Taxonomy

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Sequence

ROOT = "*"
"""What the tree of a rule shows for every value, unless the policy names another label."""
_INTERVAL = re.compile(r"\[(-?[0-9]+(?:\.[0-9]+)?), ")
_NUMBER = re.compile(r"([0-9]{1,400})")


class ValueRule(Protocol):
    """A way to generalize a value that follows from the value itself.

    Rules are frozen and compared by what they say, so that the same entry of a policy is the same rule.
    Each class has a class method `from_data`, which reads what stands beside the key in a policy.
    """

    @property
    def key(self) -> str:
        """The word that names the kind of rule in a policy, such as `prefix`."""

    @property
    def levels(self) -> tuple[str, ...]:
        """What each level below the root is called, the coarsest first."""

    def path(self, text: str) -> tuple[str, ...] | None:
        """The labels of a value, the coarsest first and without the root; None if the rule cannot read it.

        The last one is what is shown where nothing is hidden: the value itself, or what the finest level makes of it.
        A label has one parent: two values that share a label share all labels before it. What is the last label of
        one value stands above no other.
        """

    def to_data(self) -> Any:
        """What stands beside the key in a policy and in a solution."""


class PathTree:
    """A tree that grows by one path of labels after the other; labels are numbered, the root is 0.

    >>> tree = PathTree("*")
    >>> tree.place(("0**", "02*")), tree.place(("0**", "03*"))
    (2, 3)
    >>> tree.taxonomy().to_nested()
    {'*': {'0**': {'02*': {}, '03*': {}}}}
    """

    def __init__(self, root: str) -> None:
        self.labels = [root]
        """Every label, by its number."""
        self.parents = [-1]
        """For each label the number of the one above it, which is smaller; -1 for the root."""
        self._numbers = {root: 0}
        self._mistakes: dict[str, None] = {}

    def place(self, path: Sequence[str]) -> int:
        """Add the labels of a value; return the number of the last one."""
        numbers, parents = self._numbers, self.parents
        above = 0
        for label in path:
            at = numbers.get(label)
            if at is None:
                at = numbers[label] = len(parents)
                self.labels.append(label)
                parents.append(above)
            elif at == above and at:
                continue
            elif parents[at] != above:
                self._mistakes[label] = None
            above = at
        return above

    def refuse_ambiguous(self, key: str, placed: Iterable[int] = ()) -> None:
        """Refuse a rule by which a label has two meanings.

        Args:
            key: What the rule is called.
            placed: The numbers that `place` returned: a value's own label stands above no other.
        """
        inner = set(self.parents)
        n = len(self._mistakes | dict.fromkeys(self.labels[at] for at in placed if at in inner))
        if n:
            # None of them is quoted: a label may be a cell of somebody.
            msg = (
                f"The rule `{key}` gives {plural(n, 'label')} more than one meaning, so a reader could not tell them "
                "apart. Choose other levels, or list the values in a taxonomy."
            )
            raise PolicyError([msg])

    def taxonomy(self, kept: Collection[int] | None = None) -> Taxonomy:
        """The tree, with siblings in an order that follows from their labels alone.

        Args:
            kept: The numbers of the labels to keep, with all that stand above them; None keeps all.
        """
        below: dict[int, list[int]] = {}
        for at in range(1, len(self.labels)):
            if kept is None or at in kept:
                below.setdefault(self.parents[at], []).append(at)
        labels: list[str] = []
        parents: list[int] = []
        stack = [(0, -1)]
        while stack:
            at, parent = stack.pop()
            own = len(labels)
            labels.append(self.labels[at])
            parents.append(parent)
            children = sorted(below.get(at, ()), key=lambda child: label_order(self.labels[child]), reverse=True)
            stack += [(child, own) for child in children]
        return Taxonomy(tuple(labels), tuple(parents))


def label_order(label: str) -> tuple[Any, ...]:
    """How to sort labels: intervals by where they begin, others by their characters, with numbers by size.

    It rests on nothing but the label, so that the order of labels tells nothing of what they hide.

    >>> sorted(["[100, 105)", "[-5, 0)", "[20, 25)"], key=label_order)
    ['[-5, 0)', '[20, 25)', '[100, 105)']
    >>> sorted(["10.1.0.0/16", "9.0.0.0/16"], key=label_order)
    ['9.0.0.0/16', '10.1.0.0/16']
    """
    if found := _INTERVAL.match(label):
        return (0, float(found[1]), label)
    parts = _NUMBER.split(label)
    return (1, [int(part) if i % 2 else part for i, part in enumerate(parts)], label)
