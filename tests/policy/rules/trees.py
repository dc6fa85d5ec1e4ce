"""The tree that a rule makes of some values, for comparing it with a listed one."""

from __future__ import annotations

from collections.abc import Iterable

from maskwise.policy.rules.base import PathTree, ValueRule
from maskwise.policy.taxonomy import Taxonomy


def tree_of(rule: ValueRule, values: Iterable[str]) -> Taxonomy:
    """The tree of values that the rule can read; its leaves are what the finest level shows of them."""
    tree = PathTree("*")
    paths = [rule.path(value) for value in values]
    placed = [tree.place(path) for path in paths if path is not None]
    assert len(placed) == len(paths)
    tree.refuse_ambiguous(rule.key, placed)
    return tree.taxonomy()
