"""Files that are read into memory as dictionaries: for each column its different cells, for each record which it has.

Arrow reads them, whatever a csv looks like. What is too large for this process is
the engine's, which can put tables on disk; so is what Arrow cannot read, of which
the engine says what is wrong.
"""

from __future__ import annotations

import io
import zlib
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
from pyarrow import csv

from maskwise.engines.base import RECORDS
from maskwise.engines.coded_columns import one_array
from maskwise.errors import InputError
from maskwise.table.csv_records import opened
from maskwise.values.arrow import as_numpy, from_numpy
from maskwise.values.processors import for_each

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from maskwise.engines.base import DataFiles

_READ_BYTES = 1 << 23
"""A csv is read in blocks of this size, in whole megabytes as `csv_records` looks at it.

Each has dictionaries of its own, which are put together."""
_MOST_READ = (1 << 31) - 1
"""Arrow reads no larger blocks."""
_WIDEST = 3
"""So many bytes of UTF-8 may stand for a byte of other letters."""
_REPEATED_FROM = 8_000_000
"""Smaller csv files are parsed at once: it takes as long as to look for lines that repeat."""
_TRIED_BYTES = 1 << 21
"""The lines of so much of a file are looked at to see whether lines repeat."""
_MOST_DIFFERENT = 0.5
"""Up to this share of different lines among those it pays to parse each of them once."""
_NOWHERE = "\x01"
"""Separates nothing: a character that no line has. A file with one is parsed cell by cell."""
_WORD = 8
"""The bytes that a cell may take."""
_TEXTS = pa.dictionary(pa.int32(), pa.string())
_UNREADABLE = (pa.ArrowException, UnicodeDecodeError, OSError, EOFError, zlib.error)


def load_csv(files: DataFiles, most_bytes: int) -> pa.Table | None:
    """Read csv files into memory; None leaves them to the engine.

    Claim: the cells are those that are written. Whether all records were read is
    for the caller to find out, by another count.

    Args:
        files: The files.
        most_bytes: How large they may be.
    """
    try:
        sources = _sources(files, most_bytes)
        return None if sources is None else _as_one([_parse(source, files) for source in sources])
    except _UNREADABLE:
        # The engine says what is wrong with it.
        return None


def read_csv(files: DataFiles, encodings: Sequence[str]) -> pa.Table:
    """Read csv files that no engine would read as they are: line ends in the header, blanks beside quotes, letters.

    Args:
        files: The files.
        encodings: In which letters each is written.
    """
    parts = []
    for path, encoding in zip(files.paths, encodings, strict=True):
        try:
            with opened(path) as file:
                text = file.read()
            # In one block, since Arrow leaves out a byte of a line end in a cell where two blocks part it.
            parts.append(_parse(pa.BufferReader(text), files, encoding, min(_WIDEST * len(text) + 1, _MOST_READ)))
        except UnicodeDecodeError:
            msg = f"{path.name} cannot be read: it is not UTF-8 text; save the file as UTF-8."
            raise InputError(msg) from None
        except _UNREADABLE:
            msg = f"{path.name} cannot be read: it does not follow the csv format."
            raise InputError(msg) from None
    return _as_one(parts)


def count_lines(files: DataFiles, most_bytes: int) -> pa.Table | None:
    """Read csv files whose lines repeat: each different line once, with the number of its records as `RECORDS`.

    Claim: the rows and numbers are those that parsing every line gives. A line
    with an even number of quotes begins and ends outside of a quoted cell, so
    where all lines have one, each of them is a record.

    Args:
        files: The files.
        most_bytes: How large they may be.

    Returns:
        None if lines hardly repeat, or some are no records.
    """
    if files.n_columns == 1 or sum(path.stat().st_size for path in files.paths) < _REPEATED_FROM:
        return None
    try:
        sources = _sources(files, most_bytes)
        if sources is None or not _repeats_lines(files.paths[0]):
            return None
        lines = one_array(_as_one([_lines(source) for source in sources]).column(0))
        different = lines.dictionary
        if (as_numpy(pc.count_substring(different, '"')) & 1).any():
            return None
        # In the place of the header, as a first cell may begin with what is skipped as a mark of UTF-8 at the start.
        header = str(files.delimiter) * (files.n_columns - 1)
        text = "\n".join([header, *different.to_pylist()]).encode()
        rows = _parse(pa.BufferReader(text), files)
    except _UNREADABLE:
        return None
    if rows.num_rows != len(different):
        return None
    counts = np.bincount(as_numpy(lines.indices), minlength=len(different))
    return rows.append_column(RECORDS, from_numpy(counts))


def _repeats_lines(path: Path) -> bool:
    with opened(path) as file:
        lines = file.read(_TRIED_BYTES).splitlines()
    return len(set(lines)) <= _MOST_DIFFERENT * len(lines)


def _lines(source: Any) -> pa.Table:
    """The lines of a csv without its header."""
    begin = csv.ReadOptions(column_names=["line"], skip_rows=1, block_size=_READ_BYTES)
    how = csv.ParseOptions(delimiter=_NOWHERE, quote_char=False, ignore_empty_lines=True)
    return csv.read_csv(source, begin, how, csv.ConvertOptions(column_types={"line": _TEXTS}))


def _sources(files: DataFiles, most_bytes: int) -> list[Any] | None:
    """What csv files are read from; None if they are larger together than this process may hold.

    Arrow takes a missing cell at the end of a file without a line end for an empty text: it is left to the engine.
    """
    sources: list[Any] = []
    n_bytes, end = 0, str(files.delimiter).encode()
    for path in files.paths:
        if _is_packed(path):
            with opened(path) as packed:
                text = packed.read(max(most_bytes - n_bytes, 0) + 1)
            n_bytes, is_open = n_bytes + len(text), text.endswith(end)
            sources.append(pa.BufferReader(text))
        else:
            n_bytes += (n_own := path.stat().st_size)
            with path.open("rb") as file:
                file.seek(-min(len(end), n_own), io.SEEK_END)
                is_open = file.read() == end
            sources.append(path)
        if is_open or n_bytes > most_bytes:
            return None
    return sources


def _is_packed(path: Path) -> bool:
    return path.suffix.lower() == ".gz"


def _parse(source: Any, files: DataFiles, encoding: str = "utf-8", n_bytes: int = _READ_BYTES) -> pa.Table:
    """Parse a csv: an empty cell is missing, a quoted empty one is a text; alone in its line it is missing, too."""
    names = [f"c{i}" for i in range(files.n_columns)]
    is_alone = files.n_columns == 1
    return csv.read_csv(
        source,
        csv.ReadOptions(column_names=names, skip_rows_after_names=1, block_size=n_bytes, encoding=encoding),
        csv.ParseOptions(delimiter=str(files.delimiter), newlines_in_values=True, ignore_empty_lines=not is_alone),
        csv.ConvertOptions(
            column_types=dict.fromkeys(names, _TEXTS),
            null_values=[""],
            strings_can_be_null=True,
            quoted_strings_can_be_null=is_alone,
        ),
    )


def load_parquet(paths: Sequence[Path], schema: pa.Schema, most_bytes: int) -> pa.Table | None:
    """Read parquet files of plain texts, whole numbers, floats and dates into memory; None leaves them to the engine.

    Args:
        paths: The files.
        schema: Their columns.
        most_bytes: How large they may be, unpacked, with a word of 64 bits for each cell at least.
    """
    texts = [field.name for field in schema if pa.types.is_string(field.type) or pa.types.is_large_string(field.type)]
    others = (pa.types.is_signed_integer, pa.types.is_float64, pa.types.is_boolean, pa.types.is_date32)
    is_plain = all(field.name in texts or any(test(field.type) for test in others) for field in schema)
    try:
        if not is_plain or sum(_unpacked(pq.read_metadata(path)) for path in paths) > most_bytes:
            return None
        # Each by itself: folders on the way are no columns.
        parts = [pq.ParquetFile(path, read_dictionary=texts).read() for path in paths]
        whole = pa.concat_tables(parts).replace_schema_metadata()
        # By their places: two columns may have the same name.
        for i, field in enumerate(schema):
            if field.name in texts:
                whole.column(i).validate(full=True)
    except (pa.ArrowException, OSError):
        # The engine says what is wrong with them.
        return None
    return _as_one([whole])


def _unpacked(metadata: Any) -> int:
    """About how many bytes a parquet file takes in memory."""
    n_bytes = sum(metadata.row_group(i).total_byte_size for i in range(metadata.num_row_groups))
    return int(max(n_bytes, _WORD * metadata.num_columns * metadata.num_rows))


def _as_one(parts: Sequence[pa.Table]) -> pa.Table:
    """Tables as one, with one dictionary for each column that has some."""
    table = pa.concat_tables(parts)
    return pa.table(for_each(_in_one, table.columns), names=[f"c{i}" for i in range(table.num_columns)])


def _in_one(column: pa.ChunkedArray) -> pa.ChunkedArray | pa.Array:
    return one_array(column) if pa.types.is_dictionary(column.type) else column
