"""A regular csv as dictionaries: its different cells by column, and for each record which of them it has.

Of a million records some thousands of cells differ. One compiled pass over the
bytes (`csv_kernels`) finds them, in several parts of a file at once. It takes only
what every parser reads alike; anything else is left to `held_files`.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa

from maskwise.table.csv_kernels import DONE, IRREGULAR, DistinctCells, number_cells
from maskwise.values.arrow import as_numpy, from_numpy
from maskwise.values.processors import for_each, n_processors

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from numpy.typing import NDArray

    from maskwise.engines.base import DataFiles

    Ints = NDArray[np.int64]
    Places = NDArray[np.int32]

(_LINE_END,) = b"\n"
_LEAST_BYTES = 1 << 22
"""Smaller files are read as fast by others."""
_BLOCK = 1 << 20
"""So many bytes are looked at at a time; they stay in the processor's cache. No line is longer."""
_SPARE = 16
"""So many bytes more are there behind them, because words are read."""
_MOST_CELLS = (1 << 16, 1 << 19)
"""So many different cells a column may have at first, and at most."""
_MOST_IN_ALL = 1 << 23
"""So many cells all columns may have together: room for each takes up to 40 bytes."""
_BYTES_OF_CELL = 1 << 8
"""So many bytes, times the cells that a column may have, those of all columns may have together."""
_MOST_DIFFERENT = 0.5
"""A column with more different cells than this share of its records is none for a dictionary."""
_MOST_PARTS = 4
"""More threads would wait for the same memory."""


def number_csv(files: DataFiles) -> pa.Table | None:
    """Read regular csv files as dictionaries; None if they are not regular, or some column hardly repeats its cells.

    Claim: every record is read, and its cells are those of any parser. Only lines
    of as many cells as there are columns are taken, whose quotes stand around
    whole cells, and they are counted in another way before.

    Args:
        files: The files, not packed, with more than one column each.
    """
    assert files.delimiter is not None  # noqa: S101 - every csv has one
    n_bytes = sum(path.stat().st_size for path in files.paths)
    if n_bytes < _LEAST_BYTES or sys.byteorder != "little":
        return None
    parts = [part for path in files.paths for part in _parts(path)]
    starts = np.cumsum([0, *for_each(_n_lines, parts)])
    places = np.empty((files.n_columns, starts[-1]), np.int32)

    def number(i: int) -> list[pa.Array] | None:
        return _number(parts[i], ord(files.delimiter or ","), places[:, starts[i] : starts[i + 1]])

    numbered = for_each(number, range(len(parts)))
    found = [cells for cells in numbered if cells is not None]
    if len(found) < len(parts):
        return None

    def join(c: int) -> pa.DictionaryArray:
        return _in_one([cells[c] for cells in found], places[c], starts)

    names = [f"c{i}" for i in range(files.n_columns)]
    return pa.table(for_each(join, range(files.n_columns)), names=names)


@dataclass(frozen=True, slots=True)
class _Part:
    """Some lines of a file."""

    path: Path
    """The file."""
    begin: int
    """Where they begin."""
    end: int
    """Where they end."""


def _parts(path: Path) -> list[_Part]:
    """The lines of a file without its header, in parts of about the same size.

    Raises:
        EOFError: A line is longer than a block, or that of the header may end before its last byte.
    """
    n_bytes, n_parts = path.stat().st_size, min(n_processors(), _MOST_PARTS)
    starts = []
    with path.open("rb") as file:
        for i in range(n_parts):
            file.seek(n_bytes * i // n_parts)
            line = file.readline(_BLOCK)
            # The header is read by Python, for which a line ends at either letter.
            if len(line) == _BLOCK or (i == 0 and b"\r" in line):
                raise EOFError
            starts.append(file.tell())
    return [_Part(path, begin, end) for begin, end in zip(starts, [*starts[1:], n_bytes], strict=True)]


def _blocks(part: _Part, lines: bytearray) -> Iterator[int]:
    """Read whole lines, some at a time, to the beginning of an array; give how many bytes they have.

    Raises:
        EOFError: A line is longer than a block, or the file was cut short meanwhile.
    """
    n_kept, left, view = 0, part.end - part.begin, memoryview(lines)
    with part.path.open("rb", buffering=0) as file:
        file.seek(part.begin)
        while left and (n_read := file.readinto(view[n_kept : n_kept + min(left, _BLOCK - n_kept)])):
            left -= n_read
            n_there = n_kept + n_read
            if not left and lines[n_there - 1] != _LINE_END:
                # The last line may go without its end.
                lines[n_there] = _LINE_END
                n_there += 1
            end = lines.rfind(b"\n", 0, n_there) + 1
            yield end
            n_kept = n_there - end
            view[:n_kept] = bytes(view[end:n_there])
    if left or n_kept:
        raise EOFError


def _n_lines(part: _Part) -> int:
    """Count the lines of a part by their ends."""
    lines = bytearray(_BLOCK + _SPARE)
    text = np.frombuffer(lines, np.uint8)
    return sum(int(np.count_nonzero(text[:end] == _LINE_END)) for end in _blocks(part, lines))


def _arguments(n_columns: int, most_cells: int = 1, n_bytes: int = 1) -> tuple[Any, ...]:
    """What the loop takes, before the first block."""
    n_cells = n_columns * most_cells
    # A power of 2, because places in it are cut off by a mask.
    n_slots = 1 << (2 * most_cells - 1).bit_length()
    cells = DistinctCells(
        slots=np.zeros((n_columns, n_slots), np.int32),
        cells=np.zeros((n_columns, most_cells), np.int32),
        n_of=np.zeros(n_columns, np.int64),
        starts=np.zeros((n_cells, 2), np.uint64),
        offsets=np.zeros(n_cells + 1, np.int32),
        pool=np.zeros(n_bytes, np.uint8),
    )
    text = np.zeros(_SPARE, np.uint8)
    return text, text.view(np.uint64), 0, 0, 0, cells, np.empty((n_columns, 1), np.int32), np.zeros(3, np.int64)


def _number(part: _Part, delimiter: int, places: Places) -> list[pa.Array] | None:
    """Number the cells of some lines; give the cells of each column, or None if it cannot be done.

    Args:
        part: The lines.
        delimiter: What separates their cells.
        places: OUT (n_columns, n_records) the number of each record's cell; -1 is a missing one.
    """
    for most_cells in _rooms(*places.shape):
        lines = bytearray(_BLOCK + _SPARE)
        text = np.frombuffer(lines, np.uint8)
        *_, cells, _, tally = _arguments(len(places), most_cells, most_cells * _BYTES_OF_CELL)
        for end in _blocks(part, lines):
            if lines.find(b"\r", 0, end) >= 0:
                return None
            number_cells(text, text.view(np.uint64), 0, end, delimiter, cells, places, tally)
            if tally[2] != DONE:
                break
        n_records = int(tally[0])
        if tally[2] == DONE:
            # They were counted in another way, so that a file that is read in part is never taken for the whole.
            return _texts(cells) if n_records == places.shape[1] else None
        if tally[2] == IRREGULAR or int(cells.n_of.max()) > _MOST_DIFFERENT * n_records:
            return None
    return None


def _rooms(n_columns: int, n_records: int) -> Iterator[int]:
    """How many cells each column may have, at first and then: never more than there are records.

    Of many columns each has less room, because memory is taken for all of it.
    """
    most = max(min(_MOST_IN_ALL // n_columns, n_records), 1)
    return iter(dict.fromkeys(min(room, most) for room in _MOST_CELLS))


def _texts(cells: DistinctCells) -> list[pa.Array] | None:
    """The cells of each column; None if some are no text."""
    n_all = int(cells.n_of.sum())
    buffers = [None, pa.py_buffer(cells.offsets[: n_all + 1]), pa.py_buffer(cells.pool)]
    texts = pa.Array.from_buffers(pa.string(), n_all, buffers)
    try:
        texts.validate(full=True)
    except pa.ArrowInvalid:
        return None
    return [texts.take(from_numpy(own[:n])) for own, n in zip(cells.cells, cells.n_of.tolist(), strict=True)]


def _in_one(cells: Sequence[pa.Array], places: Places, starts: Ints) -> pa.DictionaryArray:
    """A column as one dictionary.

    Args:
        cells: Its cells in each part.
        places: INOUT (n_records,) which of its part's cells each record has; -1 is a missing one.
        starts: Where the records of each part begin, and where those of the last end.
    """
    known, n_before = pa.concat_arrays(cells).dictionary_encode(), 0
    number = as_numpy(known.indices)
    for own, start, stop in zip(cells, starts, starts[1:], strict=False):
        # A missing cell is the last.
        of_cell = np.append(number[n_before : n_before + len(own)], np.int32(-1))
        n_before += len(own)
        if (of_cell[:-1] != np.arange(len(own))).any():
            places[start:stop] = of_cell[places[start:stop]]
    is_known = places >= 0
    valid = None if is_known.all() else pa.py_buffer(np.packbits(is_known, bitorder="little"))
    indices = pa.Array.from_buffers(pa.int32(), len(places), [valid, pa.py_buffer(places)])
    return pa.DictionaryArray.from_arrays(indices, known.dictionary)
