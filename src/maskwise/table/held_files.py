"""Files that are read into memory: texts that repeat as dictionaries, so that each distinct cell is looked at once.

An engine that can put tables on disk reads what is too large. What is read here
is read as the engine would read it: of a csv only one that is regular, as
`csv_records` finds from its bytes.
"""

from __future__ import annotations

import io
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.parquet as pq
from pyarrow import csv

from maskwise.engines.held_columns import one_array
from maskwise.table.csv_dictionaries import number_csv
from maskwise.values.processors import for_each

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from maskwise.engines.base import DataFiles

_READ_BYTES = 1 << 23
"""A csv is read in blocks of this size. Each has dictionaries of its own, which are put together."""
_TRIED_BYTES = 1 << 18
"""So much of a file is looked at to see which columns repeat their texts."""
_MOST_DIFFERENT = 0.5
"""A column is a dictionary if at most this share of its texts differ; of a csv, of the first ones."""
_WORD = 8
"""The bytes that a cell may take."""


def load_numbered(files: DataFiles, most_bytes: int) -> pa.Table | None:
    """Read csv files whose cells repeat and that every parser reads alike into memory; None leaves them to others.

    Args:
        files: The files.
        most_bytes: How large they may be.
    """
    if not _is_held(files, most_bytes):
        return None
    try:
        numbered = number_csv(files)
    except (OSError, EOFError, MemoryError):
        # The engine says what is wrong with it, or takes less memory.
        return None
    return None if numbered is None else _all_in_one(numbered)


def load_csv(files: DataFiles, most_bytes: int) -> pa.Table | None:
    """Read regular csv files into memory; None leaves them to the engine.

    Whether they are regular is for the caller to find out: others are read here as well, perhaps not as they are.

    Args:
        files: The files.
        most_bytes: How large they may be.
    """
    if not _is_held(files, most_bytes):
        return None
    try:
        if any(_ends_open(path, str(files.delimiter)) for path in files.paths):
            return None
        return _all_in_one(_read(files))
    except (pa.ArrowException, OSError):
        # The engine says what is wrong with it.
        return None


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
    return _all_in_one(whole)


def _unpacked(metadata: Any) -> int:
    """About how many bytes a parquet file takes in memory."""
    n_bytes = sum(metadata.row_group(i).total_byte_size for i in range(metadata.num_row_groups))
    return int(max(n_bytes, _WORD * metadata.num_columns * metadata.num_rows))


def _is_held(files: DataFiles, most_bytes: int) -> bool:
    """Whether csv files may be held by this process."""
    # Of packed files nobody knows how large they are, and an empty line is a record of a lone column.
    is_packed = any(path.suffix.lower() == ".gz" for path in files.paths)
    if files.is_counted or files.n_columns == 1 or is_packed:
        return False
    return sum(path.stat().st_size for path in files.paths) <= most_bytes


def _read(files: DataFiles) -> pa.Table:
    names = [f"c{i}" for i in range(files.n_columns)]
    begin = csv.ReadOptions(column_names=names, skip_rows=1, block_size=_READ_BYTES)
    how = csv.ParseOptions(delimiter=files.delimiter, ignore_empty_lines=True)
    texts = dict.fromkeys(names, pa.string())
    with files.paths[0].open("rb") as file:
        # Without the last line, of which a part may be missing.
        start = file.read(_TRIED_BYTES).rpartition(b"\n")[0]
    first = csv.read_csv(io.BytesIO(start), begin, how, _as_texts(texts))
    repeats = [name for name in names if len(first.column(name).unique()) <= _MOST_DIFFERENT * first.num_rows]
    kinds = texts | dict.fromkeys(repeats, pa.dictionary(pa.int32(), pa.string()))
    return pa.concat_tables([csv.read_csv(path, begin, how, _as_texts(kinds)) for path in files.paths])


def _ends_open(path: Path, delimiter: str) -> bool:
    """Whether the last cell of a csv is missing, and its line has no end: Arrow takes it for a quoted one."""
    with path.open("rb") as file:
        file.seek(-min(len(delimiter.encode()), path.stat().st_size), io.SEEK_END)
        return file.read() == delimiter.encode()


def _as_texts(kinds: dict[str, pa.DataType]) -> Any:
    return csv.ConvertOptions(
        column_types=kinds, null_values=[""], strings_can_be_null=True, quoted_strings_can_be_null=False
    )


def _all_in_one(table: pa.Table) -> pa.Table:
    """A table with one dictionary for each column that has some."""
    return pa.table(for_each(_in_one, table.columns), names=[f"c{i}" for i in range(table.num_columns)])


def _in_one(column: pa.ChunkedArray) -> pa.ChunkedArray | pa.Array:
    """A column of dictionaries as one array, or as texts if these hardly repeat; another as it is."""
    if not pa.types.is_dictionary(column.type):
        return column
    whole = one_array(column)
    return whole if len(whole.dictionary) <= _MOST_DIFFERENT * len(whole) else whole.dictionary_decode()
