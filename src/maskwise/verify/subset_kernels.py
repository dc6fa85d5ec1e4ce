"""Count the groups of records on columns of small numbers, compiled."""

from __future__ import annotations

from typing import Any

import numpy as np

from maskwise.values.kernel import kernel


@kernel
def count_cells(columns: Any, sizes: Any, counts: Any, cells: Any) -> None:
    """Add up the counts of the rows of each cell: of each combination of what some columns hold.

    Args:
        columns: IN (n_columns, n_rows) small numbers.
        sizes: IN how many different numbers each of these has.
        counts: IN (n_rows, n_counts)
        cells: INOUT (n_cells, n_counts) a cell has the number (columns[0] * sizes[1] + columns[1]) * sizes[2] + ...
    """
    n_columns, n = columns.shape
    # Numbers without a sign: an index that may be negative takes three times as long.
    if n_columns == 2 and counts.shape[1] == 1:  # noqa: PLR2004 - a pair
        size = np.uintp(sizes[1])
        for i in range(n):
            cells[np.uintp(columns[0, i]) * size + np.uintp(columns[1, i]), 0] += counts[i, 0]
        return
    if n_columns == 3 and counts.shape[1] == 1:  # noqa: PLR2004 - a triple
        second, third = np.uintp(sizes[1]), np.uintp(sizes[2])
        for i in range(n):
            pair = np.uintp(columns[0, i]) * second + np.uintp(columns[1, i])
            cells[pair * third + np.uintp(columns[2, i]), 0] += counts[i, 0]
        return
    for i in range(n):
        cell = np.uintp(0)
        for c in range(n_columns):
            cell = cell * np.uintp(sizes[c]) + np.uintp(columns[c, i])
        for j in range(counts.shape[1]):
            cells[cell, j] += counts[i, j]
