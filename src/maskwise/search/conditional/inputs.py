"""What all searches by the conditional criterion start from, and what has to be counted for it.

Everything is counted once: the compressed table of each QID, the class by the
rows of all masked attributes together, and what unmasked columns tell.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from maskwise.compress.request import ClassRequest, RecordGroups
from maskwise.policy.attributes import Kind
from maskwise.search.conditional.growing_tree import start_tree
from maskwise.search.grow_trees import grow_tree
from maskwise.search.preferences import preferences_of
from maskwise.search.suppression.found import spare_records, start_groups
from maskwise.values.background import Background

if TYPE_CHECKING:
    from collections.abc import Sequence

    import pyarrow as pa
    from numpy.typing import NDArray

    from maskwise.compress.compressed_table import ClassTable, Compact
    from maskwise.compress.request import TableRequest
    from maskwise.search.bounds import Bound
    from maskwise.search.conditional.cross_validation import CrossValidation
    from maskwise.search.conditional.growing_tree import GrowingTree
    from maskwise.search.interface import Problem
    from maskwise.search.suppression.row_groups import SuppressibleGroups
    from maskwise.search.value_trees import AnyTree

    Ints = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class ConditionalInputs:
    """What all searches start from."""

    problem: Problem
    """What is to be solved."""
    trees: tuple[AnyTree, ...]
    """The trees of all attributes; those of intervals are grown anew by each search."""
    bounds: tuple[Bound, ...]
    """The rules of all requirements."""
    tables: Sequence[Compact]
    """The compressed table of each distinct QID."""
    classes: ClassTable
    """The rows of all masked attributes by class, grouped by the bins of what unmasked columns tell, if they do."""
    unmasked: ClassTable | None = None
    """The same rows grouped by the rows of the unmasked columns (its description is `UnmaskedRows`), to compare by."""
    requests: tuple[TableRequest, ...] = ()
    """What was counted on each distinct QID."""

    def suppressible(self, trees: Sequence[AnyTree]) -> tuple[SuppressibleGroups | None, Sequence[Bound]]:
        """The groups of the most masked table where records may be suppressed, and the rules as they count there.

        Args:
            trees: The trees that a search starts from.
        """
        if self.problem.policy.suppress is None:
            return None, self.bounds
        return start_groups(self.problem, trees, self.requests, self.tables)

    @property
    def is_number(self) -> list[bool]:
        """For each attribute that has a cut whether its codes are ordered."""
        return [tree.kind is Kind.INTERVAL for tree in self.trees[: self.problem.policy.n_cuts]]

    def cross_validation(self, seed: int) -> CrossValidation:
        """Compares by the masked attributes, and by the bins of what unmasked columns tell."""
        from maskwise.search.conditional.cross_validation import CrossValidation  # noqa: PLC0415 - one search needs none
        from maskwise.search.conditional.unmasked_columns import UnmaskedRows  # noqa: PLC0415 - as above

        bins, unmasked = self.classes.group_of_row, None
        if bins is not None:
            unmasked = UnmaskedRows(np.arange(int(bins.max()) + 1, dtype=np.int32)[None], (True,))
        return CrossValidation(self.classes.rows, self.is_number, seed, unmasked, bins)

    def detailed_cross_validation(self, seed: int) -> CrossValidation | None:
        """Compares by masked and unmasked columns, as a recipient sees them; takes longer."""
        if self.unmasked is None:
            return None
        from maskwise.search.conditional import cross_validation as by  # noqa: PLC0415 - as above

        return by.CrossValidation(
            self.unmasked.rows,
            self.is_number,
            seed,
            self.unmasked.description,
            self.unmasked.group_of_row,
            by.N_DETAILED_FOLDS,
            by.MAX_DETAILED_RECORDS,
        )


def request_classes(problem: Problem, class_name: str, *, in_detail: bool) -> ClassRequest:
    """What has to be counted by class.

    Args:
        problem: What is to be solved.
        class_name: The class.
        in_detail: Whether the rows are also counted by the unmasked columns themselves, to compare variants by.
    """
    if problem.background is Background.NONE:
        return ClassRequest(class_name, n_attributes=problem.policy.n_cuts)
    by_records = GroupByUnmasked(problem.options.seed or 0, in_detail)
    group_records = by_records if problem.background is Background.BOOSTING else None
    return ClassRequest(class_name, problem.unmasked, group_records, problem.policy.n_cuts)


@dataclass(frozen=True, slots=True)
class GroupByUnmasked:
    """Groups the records by what their unmasked columns tell of the class; compared by what it does."""

    seed: int
    """Makes the folds repeatable."""
    in_detail: bool
    """Whether they are also grouped by these columns themselves."""

    def __call__(self, columns: Sequence[pa.ChunkedArray], classes: Ints) -> list[RecordGroups]:
        """Group the records; see `GroupRecords`."""
        from maskwise.search.conditional.cross_validation import MAX_DETAILED_RECORDS  # noqa: PLC0415 - as above
        from maskwise.search.conditional.unmasked_columns import bin_records, number_rows  # noqa: PLC0415 - as above

        bins = bin_records(columns, classes, self.seed)
        if bins is None:
            return []
        groups = [RecordGroups(bins)]
        if self.in_detail and (numbered := number_rows(columns, MAX_DETAILED_RECORDS)):
            rows, of_record = numbered
            groups.append(RecordGroups(of_record, rows))
        return groups


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
