"""Files, written by DuckDB or Arrow whatever the engine: the same records give the same bytes."""

from __future__ import annotations

import gzip
import re
import shutil
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import duckdb
import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from maskwise.values.csv_form import PLAIN, put_mark
from maskwise.values.location import Folder, suffix_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from maskwise.values.csv_form import CsvForm

_PART = "part-0.parquet"
"""The one file of a folder that is written by this process."""
_FLOATS = ("FLOAT", "DOUBLE")
_MOST_CELLS = 1 << 24
"""A row group of a parquet file has so many cells at most: DuckDB holds a whole one while it writes."""
_ROWS = 2048
"""The rows of a row group are a multiple of it."""
_USUAL_ROWS = 60 * _ROWS
_OFFLINE = {"autoinstall_known_extensions": False, "autoload_known_extensions": False}


def connect(path: str = ":memory:", *, read_only: bool = False, **config: Any) -> Any:
    """Start DuckDB: it fetches nothing from anywhere, and prints nothing.

    Args:
        path: A database file.
        read_only: Whether it is only read.
        config: More settings.
    """
    return quiet(duckdb.connect(path, read_only=read_only, config={**_OFFLINE, **config}))


def quiet(connection: Any) -> Any:
    """Let a connection print nothing: by default a query of two seconds draws a bar into the standard output."""
    connection.execute("SET enable_progress_bar = false")
    return connection


def file_of(target: Path | Folder) -> Path:
    """The file that is written: the target, or the one part of a folder.

    >>> from pathlib import Path
    >>> file_of(Folder(Path("released"))).name
    'part-0.parquet'
    """
    return target.path / _PART if isinstance(target, Folder) else target


def copy_query(database: Any, query: str, path: Path, form: CsvForm = PLAIN) -> None:
    """Write a DuckDB query's result; the suffix of the path gives the format.

    Args:
        database: A DuckDB connection.
        query: What to write.
        path: Where.
        form: How a csv is written.
    """
    suffix = suffix_of(path)
    if suffix.startswith(".arrow"):
        write_arrow(database.sql(query).to_arrow_table(), path, packed=suffix.endswith(".gz"))
        return
    if suffix == ".parquet.gz":
        inner = path.with_suffix("")
        try:
            # Nobody may read it who cannot read the file that it becomes.
            inner.touch(path.stat().st_mode & 0o777 if path.exists() else 0o666)
            copy_query(database, query, inner)
            # No name and no time in it: the same table gives the same bytes.
            with (
                inner.open("rb") as plain,
                path.open("wb") as file,
                gzip.GzipFile("", "wb", fileobj=file, mtime=0) as packed,
            ):
                # If it cannot go now, the end tries again, and nothing is released.
                inner.unlink()
                shutil.copyfileobj(plain, packed)
        finally:
            inner.unlink(missing_ok=True)
        return
    options = {
        ".csv": _csv_options(form),
        ".tsv": "FORMAT csv, HEADER, DELIMITER '\t'",
        ".parquet": "FORMAT parquet",
    }[suffix.removesuffix(".gz")]
    packing = ", COMPRESSION gzip" if suffix.endswith(".gz") else ""
    target = str(path).replace("'", "''")
    if suffix.startswith((".csv", ".tsv")):
        query = _csv_cells(database, query)
    n_rows = _rows_of_group(database, query) if suffix == ".parquet" else _USUAL_ROWS
    # Into the file that is there, if one is: another in its place could be read by others until it gets its name.
    if n_rows == _USUAL_ROWS:
        database.execute(f"COPY ({query}) TO '{target}' ({options}{packing}, USE_TMP_FILE false)")
    else:
        with _one_thread(database):
            database.execute(f"COPY ({query}) TO '{target}' ({options}, ROW_GROUP_SIZE {n_rows}, USE_TMP_FILE false)")
    if form.has_mark and suffix == ".csv":
        put_mark(path)


def _rows_of_group(database: Any, query: str) -> int:
    """How many rows a row group of a parquet file has: fewer if there are many columns."""
    n_columns = len(database.execute(f"DESCRIBE {query}").fetchall())
    return int(np.clip(_MOST_CELLS // n_columns // _ROWS, 1, _USUAL_ROWS // _ROWS)) * _ROWS


@contextmanager
def _one_thread(database: Any) -> Iterator[None]:
    """Let a connection work with one thread: two took twice the processor time and memory over 1,000 columns."""
    (n_threads,) = database.execute("SELECT current_setting('threads')").fetchone()
    database.execute("SET threads = 1")
    try:
        yield
    finally:
        database.execute(f"SET threads = {n_threads}")


def _csv_options(form: CsvForm) -> str:
    line_end = "" if form.line_end == PLAIN.line_end else ", NEW_LINE '\\r\\n'"
    return f"FORMAT csv, HEADER, DELIMITER '{form.delimiter}'{line_end}"


def _csv_cells(database: Any, query: str) -> str:
    """A query whose cells a csv can hold.

    A float that is not a number is missing, as it is to every count; a csv would
    spell it as text. A missing cell that is alone in its line would be a blank
    line, which most readers pass over, so it is written as a quoted one.
    """
    described = [(name, str(kind)) for name, kind, *_ in database.execute(f"DESCRIBE {query}").fetchall()]
    cells = []
    for name, kind in described:
        own = '"' + name.replace('"', '""') + '"'
        cell = f"CASE WHEN {own} - {own} = 0 OR abs({own}) = 'inf'::DOUBLE THEN {own} END" if kind in _FLOATS else own
        if len(described) == 1:
            cell = f"coalesce(CAST({cell} AS VARCHAR), '')"
        cells.append(cell if cell == own else f"{cell} AS {own}")
    is_plain = len(described) > 1 and not any(kind in _FLOATS for _, kind in described)
    return query if is_plain else f"SELECT {', '.join(cells)} FROM ({query})"  # noqa: S608


def write_batches(batches: pa.RecordBatchReader, path: Path, form: CsvForm = PLAIN) -> None:
    """Write batches as they come from another engine, never all at once; `form` as in `copy_query`."""
    suffix = suffix_of(path)
    if suffix.startswith(".arrow"):
        kind = "gzip" if suffix.endswith(".gz") else None
        schema = _plain_schema(batches.schema)
        with pa.output_stream(str(path), compression=kind) as sink, pa.ipc.new_file(sink, schema) as writer:
            for batch in batches:
                writer.write_batch(_rebuilt(batch))
        return
    with connect() as writer:
        # One thread, this one: a second one that waits for the next batch would not be ended by Ctrl-C.
        writer.execute("SET threads = 1")
        writer.register("batches", batches)
        copy_query(writer, "SELECT * FROM batches", path, form)


def merge_parquet(parts: Sequence[Path], path: Path, form: CsvForm = PLAIN) -> None:
    """Join parquet files, in their order, into one file of any format; `form` as in `copy_query`."""
    query = f"SELECT * FROM read_parquet({path_list(parts)}, hive_partitioning = false)"  # noqa: S608
    with connect() as writer:
        copy_query(writer, query, path, form)


def write_arrow(table: pa.Table, path: Path, *, packed: bool) -> None:
    """Write an Arrow file."""
    with (
        pa.output_stream(str(path), compression="gzip" if packed else None) as sink,
        pa.ipc.new_file(sink, _plain_schema(table.schema)) as writer,
    ):
        for batch in table.to_batches():
            writer.write_batch(_rebuilt(batch))


def _plain_schema(schema: pa.Schema) -> pa.Schema:
    """The columns without dictionaries, which may list values that no record has, and without notes of their makers."""
    kinds = [field.type.value_type if pa.types.is_dictionary(field.type) else field.type for field in schema]
    return pa.schema([pa.field(field.name, kind) for field, kind in zip(schema, kinds, strict=True)])


def _rebuilt(batch: pa.RecordBatch) -> pa.RecordBatch:
    """The same cells in buffers that hold nothing else: engines leave other cells where one is missing."""
    schema = _plain_schema(batch.schema)
    rows = pa.array(range(batch.num_rows), pa.int64())
    columns = []
    for column, field in zip(batch.columns, schema, strict=True):
        cells = column.cast(field.type) if pa.types.is_dictionary(column.type) else column
        if pa.types.is_nested(field.type):
            cells = pc.if_else(cells.is_valid(), cells, pa.scalar(None, field.type))
        columns.append(cells.take(rows))
    return pa.record_batch(columns, schema=schema)


def path_list(paths: Sequence[Path]) -> str:
    """Paths as an SQL list of texts that mean these files and no pattern.

    >>> from pathlib import Path
    >>> path_list([Path("it's [1].csv")])
    "['it''s [[]1].csv']"
    """
    plain = [re.sub(r"([\[*?])", r"[\1]", str(path)).replace("'", "''") for path in paths]
    return "[" + ", ".join(f"'{text}'" for text in plain) + "]"
