"""Cells: what rows have in common on some attributes, numbered and counted; compiled.

`subset_kernels` and `subset_splits` say what the cells are of.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from maskwise.values.kernel import kernel

_LEAST_CELLS = 1 << 12
"""So many cells can always be counted."""


class Buffers(NamedTuple):
    """What one thread counts in."""

    cell: Any  # (n_rows,) a number for what a row has on the attributes of a subset
    table: Any  # (2 ** n, 2) at least twice the rows: numbers that were met, and what they are replaced by
    counted: Any  # (most_cells, n_counts) the counters of each cell
    partial: Any  # (most_cells, n_counts) those added up on some attributes
    row_of: Any  # (most_cells,) a row of each cell, or -1
    cells: Any  # (n_rows, n_counts) the counters of the cells that have rows
    some_row: Any  # (n_rows,) a row of each of them
    n_cells: Any  # (1,) how many they are
    some_cell: Any  # (most_cells,) a cell that has rows for each group or part, or -1
    group: Any  # (n_rows,) the group of each cell that has rows
    part_of: Any  # (n_rows,) the part that it would be in
    wholes: Any  # (most_cells, n_counts) the counters of each group
    sums: Any  # (most_cells, n_counts) the counters of each part


def make_buffers(n_rows: int, n_counts: int) -> Buffers:
    """Make room for so many rows; pages that are never used take no memory."""
    most_cells = max(_LEAST_CELLS, 2 * n_rows)
    return Buffers(
        cell=np.empty(n_rows, np.int64),
        table=np.empty((1 << max(2 * n_rows, 2).bit_length(), 2), np.int64),
        counted=np.empty((most_cells, n_counts), np.int64),
        partial=np.empty((most_cells, n_counts), np.int64),
        row_of=np.empty(most_cells, np.int64),
        cells=np.empty((n_rows, n_counts), np.int64),
        some_row=np.empty(n_rows, np.int64),
        n_cells=np.zeros(1, np.int64),
        some_cell=np.empty(most_cells, np.int64),
        group=np.empty(n_rows, np.int64),
        part_of=np.empty(n_rows, np.int64),
        wholes=np.empty((most_cells, n_counts), np.int64),
        sums=np.empty((most_cells, n_counts), np.int64),
    )


@kernel
def number_keys(keys: Any, n: int, table: Any) -> Any:
    """Replace numbers by others from 0 without gaps, equal ones by the same; return how many these are.

    Args:
        keys: INOUT numbers, none negative.
        n: IN how many of them are looked at.
        table: OUT as in `Buffers`.
    """
    size = 2
    while size < 2 * n:
        size *= 2
    for place in range(size):
        table[place, 0] = -1
    n_found: Any = np.int64(0)
    for i in range(n):
        mixed = np.uint64(keys[i]) * np.uint64(0x9E3779B97F4A7C15)
        at: Any = np.int64(mixed >> np.uint64(24)) & (size - 1)
        while table[at, 0] >= 0 and table[at, 0] != keys[i]:
            at = (at + 1) & (size - 1)
        if table[at, 0] < 0:
            table[at, 0] = keys[i]
            table[at, 1] = n_found
            n_found += 1
        keys[i] = table[at, 1]
    return n_found


@kernel
def count_cells(cell: Any, n_cells: int, words: Any, buffers: Buffers) -> None:
    """Add up the counters of rows by cell, and list the cells that have rows with one row of each.

    Args:
        cell: IN (n_rows,) the cell of each row.
        n_cells: IN how many cells there may be.
        words: IN (n_rows, n_counts) the counters of the rows.
        buffers: INOUT cells are counted and listed.
    """
    n_counts, n_found = words.shape[1], np.int64(0)
    for x in range(n_cells):
        buffers.row_of[x] = -1
        for w in range(n_counts):
            buffers.counted[x, w] = 0
    for i in range(cell.shape[0]):
        at = np.uintp(cell[i])
        buffers.row_of[at] = i
        for w in range(n_counts):
            buffers.counted[at, w] += words[i, w]
    for x in range(n_cells):
        if buffers.row_of[x] >= 0:
            buffers.some_row[n_found] = buffers.row_of[x]
            for w in range(n_counts):
                buffers.cells[n_found, w] = buffers.counted[x, w]
            n_found += 1
    buffers.n_cells[0] = n_found
