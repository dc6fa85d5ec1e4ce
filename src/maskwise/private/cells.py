"""The records in memory: distinct rows of leaves and class, standing together by the cell they are in."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Ints = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class CodedRows:
    """The distinct rows of leaves and class, each with its records."""

    leaves: tuple[Ints, ...]  # each (n_rows,)
    """For each attribute the leaf of every row."""
    classes: Ints  # (n_rows,)
    """The class of every row."""
    counts: Ints  # (n_rows,)
    """Its records."""


@dataclass(slots=True)
class SortedRows:
    """Rows that stand together by cell."""

    leaves: list[Ints]
    """As in `CodedRows`."""
    classes: Ints
    """As in `CodedRows`."""
    counts: Ints
    """As in `CodedRows`."""
    starts: Ints  # (n_cells + 1,)
    """Where the rows of each cell begin."""

    @classmethod
    def in_one_cell(cls, rows: CodedRows) -> SortedRows:
        """All rows in one cell."""
        return cls(list(rows.leaves), rows.classes, rows.counts, np.array([0, len(rows.counts)], np.int64))

    def split(self, attribute: int, value_of_leaf: Ints) -> None:
        """Split every cell by the values that an attribute shows now.

        Args:
            attribute: The attribute.
            value_of_leaf: Which value shows each of its leaves.
        """
        cell = np.repeat(np.arange(len(self.starts) - 1), np.diff(self.starts))
        values = value_of_leaf[self.leaves[attribute]]
        key = cell * (int(value_of_leaf.max()) + 1) + values
        order = np.argsort(key, kind="stable")
        key = key[order]
        self.leaves = [leaves[order] for leaves in self.leaves]
        self.classes, self.counts = self.classes[order], self.counts[order]
        inner = np.flatnonzero(np.diff(key)) + 1
        self.starts = np.concatenate([[0], inner, [len(key)]]).astype(np.int64)
