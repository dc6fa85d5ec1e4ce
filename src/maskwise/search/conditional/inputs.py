"""What the search by the conditional criterion starts from: its trees, and what has to be counted by class."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from maskwise.compress.request import ClassRequest, RecordGroups
from maskwise.policy.attributes import Kind
from maskwise.search.conditional.growing_tree import start_tree
from maskwise.search.grow_trees import grow_tree
from maskwise.search.preferences import preferences_of
from maskwise.search.suppression.found import spare_records
from maskwise.values.background import Background

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy as np
    import pyarrow as pa
    from numpy.typing import NDArray

    from maskwise.search.conditional.growing_tree import GrowingTree
    from maskwise.search.interface import Problem
    from maskwise.search.value_trees import AnyTree

    Ints = NDArray[np.int64]


def request_classes(problem: Problem, class_name: str) -> ClassRequest:
    """What has to be counted by class.

    Args:
        problem: What is to be solved.
        class_name: The class.
    """
    if problem.background is Background.NONE:
        return ClassRequest(class_name, n_attributes=problem.policy.n_cuts)
    by_records = GroupByUnmasked(problem.options.seed or 0)
    group_records = by_records if problem.background is Background.BOOSTING else None
    return ClassRequest(class_name, problem.unmasked, group_records, problem.policy.n_cuts)


@dataclass(frozen=True, slots=True)
class GroupByUnmasked:
    """Groups the records by what their unmasked columns tell of the class; compared by what it does."""

    seed: int
    """Makes the folds repeatable."""

    def __call__(self, columns: Sequence[pa.ChunkedArray], classes: Ints) -> list[RecordGroups]:
        """Group the records; see `GroupRecords`."""
        from maskwise.search.conditional.unmasked_columns import bin_records  # noqa: PLC0415 - as above

        bins = bin_records(columns, classes, self.seed)
        return [] if bins is None else [RecordGroups(bins)]


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
