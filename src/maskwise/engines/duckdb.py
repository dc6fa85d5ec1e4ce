"""DuckDB: files and data frames on this machine, and tables of a database file."""

from __future__ import annotations

import re
import shutil
import tempfile
import weakref
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, ClassVar

import duckdb
import pyarrow as pa
from ibis.backends.duckdb import Backend

from maskwise.engines.base import BATCH, RECORDS, Feature, Gap
from maskwise.engines.dialect import Dialect
from maskwise.engines.duckdb_sources import files_read
from maskwise.engines.error_messages import (
    csv_message,
    missing_table,
    raise_known_causes,
    refuse_input_as_target,
    system_reason,
    translate_errors,
)
from maskwise.engines.write_files import connect, copy_query, file_of, path_list, quiet
from maskwise.errors import InputError, WriteError
from maskwise.values.input_kind import InputKind, input_kind
from maskwise.values.location import TableName, database_file, is_there
from maskwise.values.memory import for_engine, for_held_files, memory_of_run

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from pathlib import Path

    import ibis.expr.types as ir

    from maskwise.engines.base import DataFiles
    from maskwise.values.csv_form import CsvForm
    from maskwise.values.location import Folder


_ENUM = re.compile(r"ENUM\((?:'(?:[^']|'')*'(?:, )?)*\)")


class DuckDB(Dialect):
    """An in-memory DuckDB, one in a file, or the owner's own connection."""

    name: ClassVar[str] = "DuckDB"
    gaps: Mapping[Feature, Gap] = {}

    def __init__(self, source: Any = None, *, writes: bool = False, memory: int | None = None) -> None:
        """Start DuckDB, or work in the owner's connection.

        Args:
            source: An Ibis DuckDB backend of the owner's, or an address such as `duckdb:///people.db`; `duckdb` or
                None works in memory; another `DuckDB` that does works in the same memory, with tables of its own.
            writes: A table of the database file will be written; else it is opened for reading only.
            memory: How many bytes a run may use; DuckDB spills to disk above its share of them.
        """
        is_started = source is None or isinstance(source, str)
        file = database_file(source or "duckdb") if is_started else None
        # The folder for what is spilled lives as long as the one who made it.
        self._first = source if isinstance(source, DuckDB) else None
        self._backend = None if is_started or self._first is not None else source
        self._connection: Any
        if self._first is not None:
            self._connection = quiet(self._first._connection.cursor())  # noqa: SLF001 - of the same class
        else:
            self._connection = _start(self, file, memory, writes=writes) if is_started else source.con
        self._has_file = file is not None
        self._is_in_memory = self._backend is None and not self._has_file
        self.most_held = for_held_files(memory_of_run(memory)) if self._is_in_memory else 0
        self._in_transaction = file is not None and writes
        self._registered: set[str] = set()
        self._views: set[str] = set()
        self._paths: list[Path] = []
        if self._in_transaction:
            # One transaction for the whole run: whatever happens, nothing half done is left in the file.
            self._connection.execute("BEGIN TRANSACTION")

    @property
    def backend(self) -> Any:
        """The Ibis backend."""
        if self._backend is None:
            self._backend = Backend.from_connection(self._connection)
        return self._backend

    @property
    def connection(self) -> Any:
        """DuckDB's own connection."""
        return self._connection

    def table(self, source: Any) -> ir.Table:
        """Open a table or view by its name; an Ibis table is taken as it is."""
        if isinstance(source, str):
            return self.backend.table(source)
        if isinstance(source, TableName):
            self._require(source)
            source = self.backend.table(source.name, database=source.schema)
        return self._with_texts(source)

    def _with_texts(self, table: ir.Table) -> ir.Table:
        """The table with texts that are compared by their letters, and instead of ENUMs.

        A collation such as `nocase` takes `hiv` and `HIV` for equal; which columns
        have one cannot be asked. An ENUM lists values that no record may have.
        """
        sql = self.backend.compile(table)
        described = self._connection.execute(f"DESCRIBE {sql}").fetchall()
        cells = {}
        for name, kind, *_ in described:
            cell = _quoted(TableName(name))
            if _ENUM.search(kind):
                cells[cell] = f"CAST({cell} AS {_ENUM.sub('VARCHAR', kind)})"
            elif kind == "VARCHAR":
                cells[cell] = f'{cell} COLLATE "binary"'
        if not cells:
            return table
        read = ", ".join(f"{cell} AS {name}" for name, cell in cells.items())
        query = f"SELECT * REPLACE ({read}) FROM ({sql})"  # noqa: S608
        return self.backend.sql(query, schema=table.schema(), dialect="duckdb")

    def _require(self, name: TableName) -> None:
        schema = "current_schema()" if name.schema is None else "?"
        of = [] if name.schema is None else [name.schema]
        found = self._connection.execute(
            f"SELECT table_name FROM information_schema.tables WHERE table_schema = {schema}",  # noqa: S608
            of,
        ).fetchall()
        if name.name not in (known := [row[0] for row in found]):
            raise missing_table(name, known)

    def open_files(self, name: str, files: DataFiles) -> ir.Table:
        """Open files where they lie; a csv as texts, without a guess at what they mean."""
        if files.delimiter is None:
            # They are read only when something is asked of them.
            self._paths += files.paths
            with translate_errors(self._paths):
                self._connection.execute(
                    f"CREATE TEMP VIEW {name} ({', '.join(f'c{i}' for i in range(files.n_columns))}) AS "  # noqa: S608
                    # A folder called `Age=30` must not become the column Age, so partitions are not looked for.
                    f"SELECT * FROM read_parquet({path_list(files.paths)}, hive_partitioning = false)"
                )
                return self.backend.table(name)
        kept = f"*, count(*) AS {RECORDS}" if files.is_counted else "*"
        grouped = " GROUP BY ALL" if files.is_counted else ""
        # Several threads guess where records begin, and may guess wrong in cells of several lines: then one reads them.
        for parallel in (True, False):
            try:
                cells = _csv_cells(files, parallel=parallel)
                self._connection.execute(f"CREATE TEMP TABLE {name} AS SELECT {kept} FROM {cells}{grouped}")  # noqa: S608
                break
            except Exception as error:  # noqa: BLE001 - the database's own types
                raise_known_causes(error)
                if not parallel:
                    raise InputError(csv_message(files.paths, str(error))) from None
        return self.backend.table(name)

    @contextmanager
    def stream(self, sql: str) -> Iterator[pa.RecordBatchReader]:
        """Run a query and read its result batch by batch.

        DuckDB is asked directly: Ibis would import pandas for it, a fifth of a second.
        """
        with translate_errors(self._paths):
            reader = self._connection.sql(sql).to_arrow_reader(BATCH)
        try:
            yield pa.RecordBatchReader.from_batches(reader.schema, _batches(reader, self._paths))
        finally:
            reader.close()

    def register(self, name: str, table: pa.Table) -> None:
        """Show DuckDB an Arrow table; nothing is copied."""
        self._connection.register(name, table)
        self._registered.add(name)

    def create(self, name: str, sql: str, *, view: bool) -> None:
        """Create a temporary table or view."""
        with translate_errors(self._paths):
            self._connection.execute(f"CREATE TEMP {'VIEW' if view else 'TABLE'} {name} AS {sql}")
        if view:
            self._views.add(name)

    def drop(self, name: str) -> None:
        """Drop a registered or temporary table."""
        if name in self._registered:
            self._registered.remove(name)
            self._connection.unregister(name)
            return
        self._connection.execute(f"DROP {'VIEW' if name in self._views else 'TABLE'} IF EXISTS {name}")

    def range_number(self, cell: str, lows: pa.Array, registered: str) -> tuple[str, str]:
        """Join to the last range that begins at or below the cell; a CASE of 2,000 ranges took seven times as long."""
        del lows
        return f"ASOF LEFT JOIN {registered} ON {cell} >= {registered}.low", f"{registered}.code"

    def cell_hash(self, cell: str, number: int) -> str:
        """Hash the text, and its hash together with the number: `hash(cell, number)` mixes the two too little."""
        # An odd number spreads the numbers over all bits.
        return f"hash(xor(hash({cell}), CAST({(number + 1) * 0x9E3779B97F4A7C15 % (1 << 64)} AS UBIGINT)))"

    def write(self, sql: str, target: Path | Folder, form: CsvForm) -> None:
        """Write one file."""
        copy_query(self._connection, sql, file_of(target), form)

    def check_target(self, target: TableName, source: Any) -> None:
        """Refuse a table that is the source, or a name that is taken by something else."""
        if not self._in_transaction:
            msg = f"`{target}` is no file. Name one, or a database with --engine duckdb:///people.db."
            raise WriteError(msg)
        query = self._query_of(source)
        if query is not None and self._reads(query, target):
            refuse_input_as_target(target)

    def source_files(self, source: Any) -> Sequence[Path]:
        """List the files that a table or view, or a query, reads."""
        query = self._query_of(source)
        return () if query is None else files_read(self._connection, query)

    def _query_of(self, source: Any) -> str | None:
        if isinstance(source, TableName):
            return f"SELECT * FROM {_quoted(source)}"  # noqa: S608
        return str(self.backend.compile(source)) if input_kind(source) is InputKind.IBIS_TABLE else None

    def _reads(self, query: str, target: TableName) -> bool:
        """Whether a query reads a table, also through views."""
        here = str(self._connection.execute("SELECT current_schema()").fetchone()[0])
        try:
            found = self._connection.get_table_names(query, qualified=True)
        except (duckdb.CatalogException, duckdb.BinderException, duckdb.IOException):
            # There is no such table, function or file, which is said where the source is opened.
            return False
        except duckdb.Error as error:
            raise_known_causes(error)
            msg = (
                f"DuckDB does not say what the source reads ({type(error).__name__}), so `{target}` might be a part of "
                "it. Write to another table, or make a view of the source."
            )
            raise InputError(msg) from None
        names = {name.replace('"', "").casefold() for name in found}
        schema, name = (target.schema or here).casefold(), target.name.replace('"', "").casefold()
        # A name without a schema is one of this schema.
        return f"{schema}.{name}" in names or (schema == here.casefold() and name in names)

    @contextmanager
    def draft_table(self, sql: str, target: TableName, draft: str) -> Iterator[ir.Table]:
        """Make a table inside the transaction, and rename and commit it only at the end."""
        place = _quoted(target)
        try:
            schema = "" if target.schema is None else f"{_quoted(TableName(target.schema))}."
            self._connection.execute(f"CREATE TABLE {schema}{draft} AS {sql}")
            yield self.backend.table(draft, database=target.schema)
            self._connection.execute(f"DROP TABLE IF EXISTS {place}")
            self._connection.execute(f"ALTER TABLE {schema}{draft} RENAME TO {_quoted(TableName(target.name))}")
            self._connection.execute("COMMIT")
            self._in_transaction = False
        except (duckdb.Error, RuntimeError) as error:
            raise_known_causes(error)
            if not isinstance(error, duckdb.Error):
                raise
            reason = system_reason(error) or type(error).__name__
            msg = f"The table `{target}` could not be written: {reason}. Nothing was released."
            raise WriteError(msg) from None

    def beside(self) -> DuckDB | None:
        """A second connection where the database is this run's own, in memory."""
        return DuckDB(self) if self._is_in_memory else None

    def interrupt(self) -> None:
        """End the query that runs now."""
        self._connection.interrupt()

    def close(self) -> None:
        """Close a database file; what was not committed is gone."""
        if self._has_file:
            self._connection.close()


def _batches(reader: pa.RecordBatchReader, paths: Sequence[Path]) -> Iterator[pa.RecordBatch]:
    """Read batch by batch; only the errors are translated."""
    while True:
        with translate_errors(paths):
            try:
                batch = reader.read_next_batch()
            except StopIteration:
                return
        yield batch


def _csv_cells(files: DataFiles, *, parallel: bool) -> str:
    """The records of csv files, as a table function; several threads guess where records begin."""
    columns = ", ".join(f"'c{i}': 'VARCHAR'" for i in range(files.n_columns))
    packing = "gzip" if files.paths[0].suffix.lower() == ".gz" else "none"
    # A missing cell that is alone in its line is a quoted one.
    return (
        f"read_csv({path_list(files.paths)}, delim = '{files.delimiter}', quote = '\"', escape = '\"', header = true, "
        f"auto_detect = false, nullstr = '', allow_quoted_nulls = {files.n_columns == 1}, strict_mode = true, "
        f"hive_partitioning = false, columns = {{{columns}}}, compression = '{packing}', parallel = {parallel})"
    )


def _quoted(name: TableName) -> str:
    parts = [part.replace('"', '""') for part in (name.schema, name.name) if part is not None]
    return ".".join(f'"{part}"' for part in parts)


def _start(owner: DuckDB, file: Path | None, memory: int | None, *, writes: bool) -> Any:
    """Start DuckDB: what it spills stays in a private folder, and it fetches nothing from anywhere."""
    spill = tempfile.mkdtemp(prefix="maskwise-")
    weakref.finalize(owner, shutil.rmtree, spill, ignore_errors=True)
    share = for_engine(memory_of_run(memory))
    config: dict[str, Any] = {"temp_directory": spill, "memory_limit": f"{share >> 10}KiB"}
    if file is None:
        return connect(**config)
    if not is_there(file):
        msg = f"There is no database `{file}`."
        raise InputError(msg)
    try:
        return connect(str(file), read_only=not writes, **config)
    except duckdb.Error as error:
        is_busy = "lock" in str(error).lower()
        reason = "another process is using it" if is_busy else "it is no DuckDB database of this version"
        msg = f"The database `{file}` cannot be opened: {reason}."
        raise InputError(msg) from None
