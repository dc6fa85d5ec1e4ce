"""A csv of records that repeat: each different one is written once, and its line as often as it occurs.

Of a million masked records some thousands differ. The lines are those that
`write_files` writes for the different records, so the bytes are the same.
"""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, TypeGuard

import numpy as np
import pyarrow as pa

from maskwise.values.arrow import from_numpy
from maskwise.values.location import Folder, suffix_of
from maskwise.values.row_numbers import number_few_rows

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from maskwise.engines.coded_columns import CodedColumn

_LEAST_REPEATED = 4
"""It pays if a record occurs so many times, on average."""
_LEAST_RECORDS = 100_000
"""Fewer are written at once: it takes as long as to look for the different ones."""
_MOST_BYTES = np.iinfo(np.int32).max
"""Arrow's offsets of lines reach as far."""
_CHUNK = 1 << 16
"""So many lines are put together at a time."""


def takes_lines(target: Path | Folder) -> TypeGuard[Path]:
    """Whether a target is a file of lines, and not packed."""
    return not isinstance(target, Folder) and suffix_of(target) in {".csv", ".tsv"}


def write_lines(
    columns: Mapping[str, CodedColumn], n_records: int, target: Path, write: Callable[[pa.Table, Path], None]
) -> bool:
    """Write a csv line by line, if records repeat; give whether it was written.

    Args:
        columns: The columns.
        n_records: How many records they have.
        target: Where to.
        write: Writes a table of the different records in the same form.
    """
    if n_records < _LEAST_RECORDS:
        return False
    codes = (column.codes for column in columns.values() if len(column.cells) > 1)
    number = number_few_rows(codes, n_records, n_records // _LEAST_REPEATED)
    if number is None:
        return False
    first = np.zeros(int(number.max()) + 1, np.int64)
    first[number] = np.arange(n_records)
    different = pa.table({name: column.take(first).spread() for name, column in columns.items()})
    header, lines = _as_lines(different, write, suffix_of(target))
    # Else a cell has several lines, or the lines are too long to be told apart by numbers of 32 bits.
    if lines is None or len(lines) != len(first):
        return False
    with target.open("wb") as file:
        file.write(header)
        for start in range(0, n_records, _CHUNK):
            chosen = lines.take(from_numpy(number[start : start + _CHUNK]))
            file.write(chosen.buffers()[2])
    return True


def _as_lines(rows: pa.Table, write: Callable[[pa.Table, Path], None], suffix: str) -> tuple[bytes, pa.Array | None]:
    """The header of a csv, and the line of each row, each with its end; None if they are too long together."""
    with tempfile.TemporaryDirectory(prefix="maskwise-") as folder:
        path = Path(folder) / f"rows{suffix}"
        # In their order: one batch is written by one thread.
        write(rows.combine_chunks(), path)
        if path.stat().st_size > _MOST_BYTES:
            return b"", None
        text = path.read_bytes()
    ends = np.flatnonzero(np.frombuffer(text, np.uint8) == ord("\n")) + 1
    offsets = from_numpy(ends.astype(np.int32))
    lines = pa.Array.from_buffers(pa.binary(), max(len(ends) - 1, 0), [None, offsets.buffers()[1], pa.py_buffer(text)])
    return text[: ends[0]] if len(ends) else b"", lines
