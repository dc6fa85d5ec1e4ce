"""Many rows of whole numbers as one row, with all numbers of a column in one string of bytes.

To take a million rows off a connection one by one, each with a message of its own, takes a second. The server puts the
numbers of a column together in less time than it needs to send the rows.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa

from maskwise.engines.base import BATCH
from maskwise.values.arrow import from_numpy

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray

LEAST_ROWS = 1 << 13
"""Fewer rows are sent one by one."""
MOST_ROWS = 1 << 22
"""More would take too much memory at once."""


def together_sql(query: str, schema: pa.Schema) -> str:
    """All rows of a query as one: how many they are, and of each column its numbers and how many are not missing.

    Args:
        query: The query.
        schema: Its columns, all of them whole numbers.
    """
    parts = ["count(*)"]
    for name, kind in zip(schema.names, schema.types, strict=True):
        size, cell = kind.bit_width // 8, _quote(name)
        # A missing number would be left out, and the others move up.
        filled = f"coalesce({cell}, CAST({_marker(size)} AS int{size}))"
        parts += [f"string_agg(int{size}send({filled}), '')", f"count({cell})"]
    return f"SELECT {', '.join(parts)} FROM ({query}) q"  # noqa: S608


def read_together(row: Sequence[Any], schema: pa.Schema) -> list[pa.RecordBatch] | None:
    """Read what `together_sql` gave.

    Args:
        row: The row, its strings as bytes.
        schema: As there.

    Returns:
        The rows in batches; None if a column has missing numbers and also the one that stands for them.
    """
    n_rows, *found = row
    columns = []
    for i, kind in enumerate(schema.types):
        size, data, n_there = kind.bit_width // 8, found[2 * i], found[2 * i + 1]
        numbers = np.frombuffer(data or b"", f">i{size}").astype(f"i{size}")
        is_missing = numbers == _marker(size) if n_there < n_rows else np.zeros(n_rows, np.bool_)
        if np.count_nonzero(is_missing) != n_rows - n_there:
            return None
        columns.append(_as_arrow(numbers, is_missing))
    return list(_batches(columns, schema, n_rows))


def _as_arrow(numbers: NDArray[Any], is_missing: NDArray[np.bool_]) -> pa.Array:
    return pa.array(numbers, mask=is_missing) if is_missing.any() else from_numpy(numbers)


def _batches(columns: Sequence[pa.Array], schema: pa.Schema, n_rows: int) -> Iterator[pa.RecordBatch]:
    for at in range(0, n_rows, BATCH):
        yield pa.RecordBatch.from_arrays([column.slice(at, BATCH) for column in columns], schema=schema)


def _marker(size: int) -> int:
    """The smallest number of so many bytes, which hardly any column has."""
    return int(np.iinfo(f"i{size}").min)


def _quote(name: str) -> str:
    doubled = name.replace('"', '""')
    return f'"{doubled}"'
