"""A rule as an attribute has it: with its root, a listed tree above its labels, and a place for other values."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

from maskwise.errors import PolicyError, did_you_mean, quote
from maskwise.policy.rules.base import ROOT, PathTree

if TYPE_CHECKING:
    from collections.abc import Iterable

    from maskwise.policy.rules.base import ValueRule
    from maskwise.policy.taxonomy import Taxonomy


@dataclass(frozen=True)
class RuleTree:
    """A tree that covers every value, also one that nobody has seen yet.

    Example:
        >>> from maskwise.policy.rules.affixes import Prefix
        >>> tree = RuleTree(Prefix((3, 1)), other="unknown")
        >>> tree.path("02139"), tree.path("")
        (('0****', '021**'), ('unknown',))
    """

    rule: ValueRule
    """What names the labels above a value."""
    over: Taxonomy | None = None
    """A listed tree whose leaves are the coarsest labels of the rule."""
    other: str | None = None
    """What a value that the rule cannot read is shown as, right below the root; None has no place for one."""
    root: str = ROOT
    """The label of the root."""

    def __post_init__(self) -> None:
        """Refuse labels that would mean two things."""
        if self.over is not None and self.over.root != self.root:
            raise PolicyError([f"The root of a rule with a taxonomy is the taxonomy's, `{self.over.root}`."])
        if not self.root:
            raise PolicyError(["The root of a rule is a text that is not empty."])
        if self.other is not None and self.other in {"", self.root, *(self.over.labels if self.over else ())}:
            msg = (
                f"Other values cannot go under `{self.other}`: that label stands in the tree already. "
                "Give them one of their own, such as `other: under other values`."
            )
            raise PolicyError([msg])

    @cached_property
    def _named(self) -> frozenset[str]:
        return frozenset(self.labels)

    @cached_property
    def _above(self) -> dict[str, tuple[str, ...]]:
        """For each leaf of the listed tree the labels from below the root down to it."""
        if self.over is None:
            return {}
        paths: list[tuple[str, ...]] = []
        for label, parent in zip(self.over.labels, self.over.parents, strict=True):
            paths.append((*paths[parent], label) if parent >= 0 else ())
        leaves = set(self.over.leaves())
        return {label: path for label, path in zip(self.over.labels, paths, strict=True) if label in leaves}

    @property
    def labels(self) -> tuple[str, ...]:
        """The labels that the policy itself names, the root first."""
        listed = (self.root,) if self.over is None else self.over.labels
        return listed if self.other is None else (*listed, self.other)

    @property
    def height(self) -> int:
        """How many levels there are below the root, at most."""
        return len(self.rule.levels) + (0 if self.over is None else self.over.height - 1)

    def path(self, text: str) -> tuple[str, ...] | None:
        """The labels of a value, the coarsest first and without the root; None if there is no place for it.

        Claim: a label has one meaning. A value that is written like a label that the policy names, or has one below
        its first label, is as one that the rule cannot read.
        """
        found = None if text in self._named else self.rule.path(text)
        if found is not None and self.over is not None:
            above = self._above.get(found[0])
            found = None if above is None or not self._named.isdisjoint(found[1:]) else (*above, *found[1:])
        elif found is not None and not self._named.isdisjoint(found):
            found = None
        return (self.other,) if found is None and self.other is not None else found

    def is_value(self, label: str) -> bool:
        """Whether a label is a value of its own, with nothing hidden.

        >>> from maskwise.policy.rules.affixes import Prefix
        >>> tree = RuleTree(Prefix((5, 3)))
        >>> tree.is_value("02139"), tree.is_value("021**")
        (True, False)
        """
        path = self.path(label)
        return path is not None and path[-1] == label

    def tree_with(self, values: Iterable[str]) -> Taxonomy:
        """The tree of the values at hand, each as it is written below its labels; what has no place is left out."""
        tree = PathTree(self.root)
        for value in dict.fromkeys(values):
            path = self.path(value)
            if path is not None:
                tree.place(path if value in path else (*path, value))
        tree.refuse_ambiguous(self.rule.key)
        return tree.taxonomy()

    def depth_of(self, level: str) -> int:
        """How far below the root a level stands, by its name or as a number."""
        if level.isdecimal():
            return int(level)
        names = self.rule.levels
        if level not in names:
            msg = f"`{level}` is no level of `{self.rule.key}`.{did_you_mean(level, names)} Known: {quote(names)}."
            raise PolicyError([msg])
        return self.height - len(names) + names.index(level) + 1

    def to_data(self) -> dict[str, Any]:
        """What an entry of a policy says of it."""
        said: dict[str, Any] = {self.rule.key: self.rule.to_data()}
        if self.over is not None:
            said["taxonomy"] = self.over.to_nested()
        elif self.root != ROOT:
            said["root"] = self.root
        return said if self.other is None else said | {"other": f"under {self.other}"}

    def public_data(self) -> dict[str, Any]:
        """The rule alone, which names no value of the table."""
        return {self.rule.key: self.rule.to_data()}
