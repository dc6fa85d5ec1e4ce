"""The records in memory: distinct rows of leaves and class, standing together by the cell they are in."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from maskwise.private.gain_kernels import order_by_value

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Ints = NDArray[np.int64]

Codes: TypeAlias = "NDArray[Any]"
"""Leaves or classes as small numbers."""
CODE = np.uint16
"""What leaves and classes are stored as: a million rows of fourteen attributes are moved at every step."""


@dataclass(frozen=True, slots=True)
class CodedRows:
    """The distinct rows of leaves and class, each with its records."""

    leaves: tuple[Codes, ...]  # each (n_rows,)
    """For each attribute the leaf of every row."""
    classes: Codes  # (n_rows,)
    """The class of every row."""
    counts: Ints  # (n_rows,)
    """Its records."""


@dataclass(slots=True)
class SortedRows:
    """Rows that stand together by cell."""

    leaves: list[Codes]
    """As in `CodedRows`."""
    classes: Codes
    """As in `CodedRows`."""
    counts: Ints
    """As in `CodedRows`."""
    starts: Ints  # (n_cells + 1,)
    """Where the rows of each cell begin."""

    @classmethod
    def in_one_cell(cls, rows: CodedRows) -> SortedRows:
        """All rows in one cell."""
        leaves = [one.astype(CODE, copy=False) for one in rows.leaves]
        starts = np.array([0, len(rows.counts)] if len(rows.counts) else [0], np.int64)
        return cls(leaves, rows.classes.astype(CODE, copy=False), rows.counts, starts)

    def split(self, attribute: int, value_of_leaf: Ints) -> None:
        """Split every cell by the values that an attribute shows now.

        Args:
            attribute: The attribute.
            value_of_leaf: Which value shows each of its leaves.
        """
        values = value_of_leaf[self.leaves[attribute]]
        order, starts = order_by_value(self.starts, values, int(value_of_leaf.max()) + 1)
        self.leaves = [leaves[order] for leaves in self.leaves]
        self.classes, self.counts, self.starts = self.classes[order], self.counts[order], starts
