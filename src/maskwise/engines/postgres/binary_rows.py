"""Whole numbers as COPY sends them in binary: read by NumPy, without a text or a Python object for any of them."""

from __future__ import annotations

from itertools import chain, islice
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa

from maskwise.values.arrow import from_numpy

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

_HEADER = 19
"""Eleven bytes of a signature, flags, and the length of an extension, which is empty."""
_TRAILER = b"\xff\xff"
_ROWS = 1 << 17
"""So many rows are read at once."""


def is_readable(schema: pa.Schema) -> bool:
    """Whether all columns are whole numbers."""
    return all(pa.types.is_signed_integer(kind) for kind in schema.types)


def read_binary(rows: Iterator[Any], schema: pa.Schema) -> pa.RecordBatchReader:
    """Read what COPY sends, batch by batch.

    Args:
        rows: The bytes of one row after the other, as libpq gives them; the first begins with the header, and behind
            the last comes the trailer.
        schema: The columns, all of them whole numbers.
    """
    return pa.RecordBatchReader.from_batches(schema, _batches(rows, schema))


def _batches(rows: Iterator[Any], schema: pa.Schema) -> Iterator[pa.RecordBatch]:
    # What is left of the first row without its header is nothing if no row comes.
    cells = chain([bytes(next(rows))[_HEADER:]], map(bytes, rows))
    while chunk := list(islice(cells, _ROWS)):
        chunk = [row for row in chunk if row not in {b"", _TRAILER}]
        if chunk:
            yield _read(chunk, schema)


def _read(rows: list[bytes], schema: pa.Schema) -> pa.RecordBatch:
    """Read rows: the number of cells, and of each cell its length and its bytes; the length of a missing one is -1."""
    data = np.frombuffer(b"".join(rows), np.uint8)
    ends = np.cumsum(np.fromiter(map(len, rows), np.int64, len(rows)))
    at = np.concatenate([[0], ends[:-1]])
    _refuse_unless((_numbers(data, at, 2) == len(schema)).all())
    at = at + 2
    columns = []
    for kind in schema.types:
        length = _numbers(data, at, 4)
        size = kind.bit_width // 8
        is_there = length >= 0
        _refuse_unless((length[is_there] == size).all())
        at = at + 4
        if is_there.all():
            columns.append(from_numpy(_numbers(data, at, size)))
        else:
            numbers = np.zeros(len(at), f"i{size}")
            numbers[is_there] = _numbers(data, at[is_there], size)
            bits = pa.py_buffer(np.packbits(is_there, bitorder="little"))
            columns.append(pa.Array.from_buffers(kind, len(at), [bits, pa.py_buffer(numbers)]))
        at = at + np.where(is_there, size, 0)
    _refuse_unless((at == ends).all())
    return pa.RecordBatch.from_arrays(columns, schema=schema)


def _numbers(data: NDArray[np.uint8], at: NDArray[np.int64], size: int) -> NDArray[Any]:
    """The whole numbers of so many bytes that begin at some places, the largest byte first."""
    found = data[at[:, np.newaxis] + np.arange(size)]
    numbers: NDArray[Any] = found.view(f">i{size}")[:, 0].astype(f"i{size}")
    return numbers


def _refuse_unless(is_as_expected: bool) -> None:  # noqa: FBT001 - a condition
    """Stop at bytes that are no rows of these columns."""
    if not is_as_expected:
        raise pa.ArrowInvalid("The server sent other bytes than those of the columns that were asked for.")
