"""The distinct rows of records that this process holds as small codes, counted by compiled loops.

A database groups rows of any kind by hashes of each column. Codes of a row are a
few bytes: they are put into words side by side, and compared as such. With that, to compress a million
records of 14 columns takes half of the processor time.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from maskwise.engines.row_kernels import WORD, count_distinct, lay_rows
from maskwise.values.arrow import as_numpy
from maskwise.values.processors import for_each, n_processors

if TYPE_CHECKING:
    from collections.abc import Sequence

    import pyarrow as pa
    from numpy.typing import NDArray

    Bytes = NDArray[np.uint8]
    Ints = NDArray[np.int64]

_LEAST_RECORDS = 100_000
"""Fewer are counted by the database: it takes as long."""
_MOST_BYTES = 64
"""Longer rows are left to the database."""


@dataclass(frozen=True, slots=True)
class CountedRows:
    """Distinct rows of codes."""

    codes: NDArray[np.unsignedinteger]  # (n_rows, n_columns)
    """The codes of each row."""
    counts: Ints  # (n_rows, 1 + n_sums)
    """Its records, and their sums."""


def count_coded(table: pa.Table, columns: Sequence[str], sums: Sequence[str]) -> list[CountedRows] | None:
    """Count the distinct rows of some columns and add up others; None leaves it to the database.

    Claim: every record is counted in exactly one row, that of its codes.

    Args:
        table: The records.
        columns: Columns of codes.
        sums: Columns of ones and zeros.

    Returns:
        The rows in parts; none is in two of them.
    """
    parts = [_bytes_of(table, name) for name in columns]
    marks = [_bytes_of(table, name) for name in sums]
    n_bytes = sum(map(len, parts))
    if not (_LEAST_RECORDS <= table.num_rows < np.iinfo(np.int32).max and 0 < n_bytes <= _MOST_BYTES):
        return None
    if any(len(one) != 1 for one in marks) or not all(parts) or sys.byteorder != "little":
        return None
    counted = _count(_stacked(parts, table.num_rows), _stacked(marks, table.num_rows))
    widths = [len(one) for one in parts]
    return [CountedRows(_codes(rows, widths), counts) for rows, counts in counted]


def _bytes_of(table: pa.Table, name: str) -> list[Bytes]:
    """The bytes of a column of whole numbers from 0 on, the lowest first; none if it is no such column."""
    column = table.column(name)
    if column.null_count or str(column.type) not in {"uint8", "uint16", "uint32"}:
        return []
    codes = as_numpy(column)
    return [codes.view(np.uint8)[i :: codes.itemsize] for i in range(codes.itemsize)]


def _stacked(parts: Sequence[Sequence[Bytes]], n_records: int) -> Bytes:
    stacked = np.empty((sum(map(len, parts)), n_records), np.uint8)
    for i, one in enumerate(byte for part in parts for byte in part):
        stacked[i] = one
    return stacked


def _count(columns: Bytes, marks: Bytes) -> list[tuple[NDArray[np.uint64], Ints]]:
    """The distinct rows of bytes, as words, and their records by mark, in parts."""
    n_bytes, n_records = columns.shape
    n_parts = 2 if n_processors() > 1 else 1
    rows = np.empty((n_records, -(-n_bytes // WORD)), np.uint64)
    hashes = np.empty(n_records, np.uint64)
    borders = [n_records * i // n_parts for i in range(n_parts + 1)]
    for_each(lambda i: lay_rows(columns, borders[i], borders[i + 1], rows, hashes), range(n_parts))

    def count(part: int) -> tuple[NDArray[np.uint64], Ints]:
        n_own = int(np.count_nonzero(hashes & np.uint64(n_parts - 1) == part))
        slots = np.zeros(1 << (2 * n_own).bit_length(), np.int32)
        distinct, counts = np.empty((n_own, rows.shape[1]), np.uint64), np.empty((n_own, 1 + len(marks)), np.int64)
        n_distinct = count_distinct(rows, hashes, marks, part, n_parts, slots, distinct, counts)
        return distinct[:n_distinct], counts[:n_distinct]

    return for_each(count, range(n_parts))


def _codes(rows: NDArray[np.uint64], widths: Sequence[int]) -> NDArray[np.unsignedinteger]:
    """Rows of words as rows of codes, each of so many bytes."""
    found = rows.view(np.uint8)
    if max(widths) == 1:
        return found[:, : len(widths)]
    codes = np.zeros((len(rows), len(widths)), np.uint32)
    at = 0
    for c, width in enumerate(widths):
        for i in range(width):
            codes[:, c] |= found[:, at + i].astype(np.uint32) << np.uint32(8 * i)
        at += width
    return codes
