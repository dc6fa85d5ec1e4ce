"""What the search by the conditional criterion starts from: its trees, and what has to be counted by class."""

from __future__ import annotations

from typing import TYPE_CHECKING

from maskwise.policy.attributes import Kind
from maskwise.search.conditional.growing_tree import start_tree
from maskwise.search.grow_trees import grow_tree
from maskwise.search.preferences import preferences_of
from maskwise.search.suppression.found import spare_records

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy as np
    from numpy.typing import NDArray

    from maskwise.search.conditional.growing_tree import GrowingTree
    from maskwise.search.interface import Problem
    from maskwise.search.value_trees import AnyTree

    Ints = NDArray[np.int64]


def plant_trees(problem: Problem) -> tuple[AnyTree, ...]:
    """The trees of taxonomy and suppress attributes, and for intervals the root of one that a search grows."""
    floors, spare = problem.policy.floors(), spare_records(problem)
    levels = preferences_of(problem.policy).levels
    return tuple(
        start_tree(column, floors[column.name])
        if column.kind is Kind.INTERVAL
        else grow_tree(column, floors[column.name], level, spare=spare, has_class=True)
        for column, level in zip(problem.profile.columns, levels, strict=True)
    )


def start_trees(problem: Problem, trees: Sequence[AnyTree]) -> tuple[tuple[AnyTree, ...], dict[int, GrowingTree]]:
    """The trees with fresh ones for intervals, and these by attribute."""
    floors = problem.policy.floors()
    growing = {
        i: start_tree(column, floors[column.name])
        for i, column in enumerate(problem.profile.columns)
        if column.kind is Kind.INTERVAL
    }
    return tuple(growing.get(i, tree) for i, tree in enumerate(trees)), growing
