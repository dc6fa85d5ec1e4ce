"""What every rule answers, and the tree that a rule makes of the values at hand."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

from maskwise.errors import PolicyError, quote
from maskwise.policy.taxonomy import Taxonomy

if TYPE_CHECKING:
    from collections.abc import Iterable

ROOT = "*"
"""What the tree of a rule shows for every value, unless the policy names another label."""
_SHOWN = 5
"""How many labels a message lists."""


class Rule(Protocol):
    """A way to generalize a value that follows from the value itself.

    Rules are frozen and compared by what they say, so that the same entry of a policy is the same rule.
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
        A label has one parent: two values that share a label share all labels before it.
        """

    def to_data(self) -> Any:
        """What stands beside the key in a policy and in a solution."""


def tree_of(rule: Rule, values: Iterable[str], root: str = ROOT) -> Taxonomy:
    """The tree of the values at hand; its leaves are what the rule shows of them at its finest level.

    Args:
        rule: What names the labels above a value.
        values: The values; each must be readable by the rule.
        root: The label of the root.
    """
    below: dict[str, Any] = {}
    parent_of: dict[str, str] = {}
    mistakes: dict[str, None] = {}
    for value in values:
        path = rule.path(value)
        if path is None:
            msg = "A tree is made of values that its rule can read."
            raise ValueError(msg)
        node, above = below, root
        for label in path:
            if label == above:
                continue
            if label == root or parent_of.setdefault(label, above) != above:
                mistakes[label] = None
            node, above = node.setdefault(label, {}), label
    if mistakes:
        msg = (
            f"The rule `{rule.key}` gives {quote(list(mistakes)[:_SHOWN])} more than one meaning, so a reader could "
            "not tell them apart. Choose other levels, or list the values in a taxonomy."
        )
        raise PolicyError([msg])
    return Taxonomy.from_nested({root: below})
