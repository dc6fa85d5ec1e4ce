"""Count the groups of records on columns of small numbers, compiled."""

from __future__ import annotations

from typing import Any

from maskwise.values.compiled import kernel


@kernel
def count_cells(key: Any, columns: Any, sizes: Any, counts: Any, cells: Any) -> None:
    """Add up the counts of the rows of each cell: of each key with what some columns hold.

    Args:
        key: IN (n_rows,) a number for what a row has on other columns.
        columns: IN (n_columns, n_rows) small numbers.
        sizes: IN (n_columns,) how many different ones each column has.
        counts: IN (n_rows, n_counts)
        cells: INOUT (n_cells, n_counts) a cell has the number (key * sizes[0] + columns[0]) * sizes[1] + ...
    """
    for i in range(key.shape[0]):
        at = key[i]
        for c in range(columns.shape[0]):
            at = at * sizes[c] + columns[c, i]
        for n in range(counts.shape[1]):
            cells[at, n] += counts[i, n]
