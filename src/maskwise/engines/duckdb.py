"""DuckDB: files and data frames on this machine, and tables of a database file."""

from __future__ import annotations

import shutil
import tempfile
import weakref
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from maskwise.engines.base import BATCH
from maskwise.engines.files import connect, copy, literals
from maskwise.engines.messages import csv_complaint, discreet, missing_table, refuse_out_of_memory, system_reason
from maskwise.errors import InputError, WriteError
from maskwise.values.location import TableName
from maskwise.values.memory import for_engine, memory_of_run

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from pathlib import Path

    import ibis.expr.types as ir
    import pyarrow as pa


class DuckDB:
    """An in-memory DuckDB, one in a file, or the owner's own connection."""

    keeps_order = True
    merges_texts = True
    reads_files = True

    def __init__(
        self, backend: Any = None, *, file: Path | None = None, writes: bool = False, memory: int | None = None
    ) -> None:
        """Start DuckDB, or work in the owner's connection.

        Args:
            backend: An Ibis DuckDB backend of the owner's; None starts one.
            file: A database file; None works in memory.
            writes: A table of the file will be written; else it is opened for reading only.
            memory: How many bytes of memory a run may use; DuckDB spills to disk above its share of it.
        """
        self._backend = backend
        self._database: Any = _start(self, file, memory, writes=writes) if backend is None else backend.con
        self._is_lent_file = file is not None
        self._in_transaction = file is not None and writes
        self._lent: set[str] = set()
        self._views: set[str] = set()
        if self._in_transaction:
            # One transaction for the whole run: whatever happens, nothing half done is left in the file.
            self._database.execute("BEGIN TRANSACTION")

    @property
    def connection(self) -> Any:
        """The Ibis backend; Ibis is imported only here, so that a csv can load meanwhile."""
        if self._backend is None:
            import ibis  # noqa: PLC0415 - heavy

            self._backend = ibis.duckdb.from_connection(self._database)
        return self._backend

    def table(self, name: Any) -> ir.Table:
        """A table or view by its name."""
        if isinstance(name, TableName):
            self._require(name)
            return self.connection.table(name.name, database=name.schema)
        return self.connection.table(name) if isinstance(name, str) else name

    def _require(self, name: TableName) -> None:
        schema = "current_schema()" if name.schema is None else "?"
        of = [] if name.schema is None else [name.schema]
        found = self._database.execute(
            f"SELECT table_name FROM information_schema.tables WHERE table_schema = {schema}",  # noqa: S608
            of,
        ).fetchall()
        if name.name not in (known := [row[0] for row in found]):
            raise InputError(missing_table(name, known))

    def open_csv(self, name: str, paths: Sequence[Path], delimiter: str, n_columns: int, *, load: bool) -> ir.Table:
        """Open csv files as text, without a guess at what they hold."""
        columns = ", ".join(f"'c{i}': 'VARCHAR'" for i in range(n_columns))
        packing = "gzip" if paths[0].suffix.lower() == ".gz" else "none"
        try:
            self._database.execute(
                f"CREATE TEMP {'TABLE' if load else 'VIEW'} {name} AS SELECT * FROM read_csv({literals(paths)}, "  # noqa: S608
                f"delim = '{delimiter}', quote = '\"', escape = '\"', header = true, auto_detect = false, "
                f"columns = {{{columns}}}, nullstr = '', allow_quoted_nulls = false, strict_mode = true, "
                f"hive_partitioning = false, compression = '{packing}')"
            )
        except Exception as error:  # noqa: BLE001 - the database's own types
            refuse_out_of_memory(error)
            raise InputError(csv_complaint(paths, str(error))) from None
        return self.connection.table(name)

    def open_parquet(self, name: str, paths: Sequence[Path]) -> ir.Table:
        """Open parquet files where they lie."""
        # A folder called `Age=30` must not become the column Age, so partitions are not looked for.
        self._database.execute(
            f"CREATE TEMP VIEW {name} AS SELECT * FROM read_parquet({literals(paths)}, hive_partitioning = false)"  # noqa: S608
        )
        return self.connection.table(name)

    def query(self, sql: str) -> pa.Table:
        """Ask DuckDB directly: Ibis would import pandas for it, a fifth of a second."""
        with discreet():
            return self._database.sql(sql).to_arrow_table()

    @contextmanager
    def stream(self, sql: str) -> Iterator[Iterable[pa.RecordBatch]]:
        """Fetch a result batch by batch; until it is closed DuckDB answers nothing else."""
        with discreet():
            reader = self._database.sql(sql).to_arrow_reader(BATCH)
        try:
            yield _discreetly(reader)
        finally:
            reader.close()

    def lend(self, name: str, table: pa.Table) -> None:
        """Show DuckDB an Arrow table; nothing is copied."""
        self._database.register(name, table)
        self._lent.add(name)

    def make(self, name: str, sql: str, *, view: bool) -> None:
        """Make a temporary table or view."""
        with discreet():
            self._database.execute(f"CREATE TEMP {'VIEW' if view else 'TABLE'} {name} AS {sql}")
        if view:
            self._views.add(name)

    def remove(self, name: str) -> None:
        """Remove a lent or temporary table."""
        if name in self._lent:
            self._lent.discard(name)
            self._database.unregister(name)
            return
        self._database.execute(f"DROP {'VIEW' if name in self._views else 'TABLE'} IF EXISTS {name}")

    def native(self, name: str) -> Any:
        """A kept table as Ibis knows it."""
        return self.connection.table(name)

    def try_cast(self, text: ir.Value, kind: str) -> ir.Value:
        """Read texts as another type; one that cannot be read is missing."""
        return text.try_cast(kind)

    def range_of(self, cell: str, lows: pa.Array, lent: str) -> tuple[str, str]:
        """Join to the last range that begins at or below the cell; a CASE of 2,000 ranges took seven times as long."""
        del lows
        return f"ASOF LEFT JOIN {lent} ON {cell} >= {lent}.low", f"{lent}.code"

    def by_bytes(self, value: ir.Value) -> ir.Value:
        """DuckDB sorts by bytes."""
        return value

    def by_chance(self) -> ir.Value:
        """Draw a number for each record."""
        import ibis  # noqa: PLC0415 - heavy

        return ibis.uuid()

    def write(self, sql: str, path: Path, suffix: str) -> None:
        """Write a file."""
        copy(self._database, sql, path, suffix)

    def write_folder(self, sql: str, folder: Path) -> None:
        """Write one parquet file into a folder."""
        copy(self._database, sql, folder / "part-0.parquet", ".parquet")

    def check_target(self, target: TableName, source: Any) -> None:
        """Refuse a table that is the source, or a name that is taken by something else."""
        if not self._in_transaction:
            msg = f"`{target}` is no file. Name one, or a database with --engine duckdb:///people.db."
            raise WriteError(msg)
        if isinstance(source, TableName):
            here = str(self._database.execute("SELECT current_schema()").fetchone()[0])
            schemas = {(name.schema or here).casefold() for name in (source, target)}
            if len(schemas) == 1 and source.name.casefold() == target.name.casefold():
                msg = f"`{target}` is the input. Write the release to another table."
                raise InputError(msg)

    @contextmanager
    def appearing(self, sql: str, target: TableName, draft: str) -> Iterator[ir.Table]:
        """Make a table inside the transaction, and rename and commit it only at the end."""
        place = _quoted(target)
        try:
            schema = "" if target.schema is None else f"{_quoted(TableName(target.schema))}."
            self._database.execute(f"CREATE TABLE {schema}{draft} AS {sql}")
            yield self.connection.table(draft, database=target.schema)
            self._database.execute(f"DROP TABLE IF EXISTS {place}")
            self._database.execute(f"ALTER TABLE {schema}{draft} RENAME TO {_quoted(TableName(target.name))}")
            self._database.execute("COMMIT")
            self._in_transaction = False
        except Exception as error:
            if not type(error).__module__.startswith(("duckdb", "_duckdb")):
                raise
            refuse_out_of_memory(error)
            reason = system_reason(error) or type(error).__name__
            msg = f"The table `{target}` could not be written: {reason}. Nothing was released."
            raise WriteError(msg) from None

    def close(self) -> None:
        """Let go of a database file; what was not committed is gone."""
        if self._is_lent_file:
            self._database.close()


def _discreetly(reader: pa.RecordBatchReader) -> Iterator[pa.RecordBatch]:
    """Batches as they come; only what the database complains about is told in other words."""
    while True:
        with discreet():
            try:
                batch = reader.read_next_batch()
            except StopIteration:
                return
        yield batch


def _quoted(name: TableName) -> str:
    parts = [part.replace('"', '""') for part in (name.schema, name.name) if part is not None]
    return ".".join(f'"{part}"' for part in parts)


def _start(owner: DuckDB, file: Path | None, memory: int | None, *, writes: bool) -> Any:
    """Start DuckDB: what it spills stays in a private folder, and it fetches nothing from anywhere."""
    import duckdb  # noqa: PLC0415 - heavy

    spill = tempfile.mkdtemp(prefix="maskwise-")
    weakref.finalize(owner, shutil.rmtree, spill, ignore_errors=True)
    config: dict[str, Any] = {"temp_directory": spill, "memory_limit": f"{for_engine(memory_of_run(memory)) >> 10}KiB"}
    if file is None:
        return connect(**config)
    if not file.exists():
        msg = f"There is no database `{file}`."
        raise InputError(msg)
    try:
        return connect(str(file), read_only=not writes, **config)
    except duckdb.Error as error:
        is_busy = "lock" in str(error).lower()
        reason = "another process is using it" if is_busy else "it is no DuckDB database of this version"
        msg = f"The database `{file}` cannot be opened: {reason}."
        raise InputError(msg) from None
