"""Count the groups of records on columns of small numbers, compiled."""

from __future__ import annotations

from typing import Any

import numpy as np

from maskwise.values.compiled import kernel

_ROWS_OF_BLOCK = 1 << 12
"""So many rows are looked at together: their cells stay in a processor's own memory."""


@kernel
def count_cells(key: Any, columns: Any, last: Any, sizes: Any, counts: Any, cells: Any) -> None:
    """Add up the counts of the rows of each cell: of each key with what some columns hold.

    Args:
        key: IN (n_rows,) a number for what a row has on other columns.
        columns: IN (n_columns, n_rows) small numbers.
        last: IN which of the columns are counted.
        sizes: IN how many different numbers each of these has.
        counts: IN (n_rows, n_counts)
        cells: INOUT (n_cells, n_counts) a cell has the number (key * sizes[0] + columns[last[0]]) * sizes[1] + ...
    """
    n = key.shape[0]
    block = np.empty(_ROWS_OF_BLOCK, np.int64)
    for start in range(0, n, _ROWS_OF_BLOCK):
        stop = min(start + _ROWS_OF_BLOCK, n)
        for i in range(stop - start):
            block[i] = key[start + i]
        for c in range(last.shape[0]):
            size, column = sizes[c], columns[last[c], start:stop]
            for i in range(stop - start):
                block[i] = block[i] * size + np.int64(column[i])
        for i in range(stop - start):
            for j in range(counts.shape[1]):
                cells[block[i], j] += counts[start + i, j]
