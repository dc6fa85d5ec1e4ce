"""SQLite: tables of a database file, or of the owner's connection.

A table is copied once into a DuckDB of this process, in one snapshot, and not
locked any longer than that. The release is written in one transaction, which the
recount is a part of; whatever ends the run early, SQLite takes back all of it.
"""

from __future__ import annotations

import secrets
import sqlite3
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Any, ClassVar

from maskwise.engines import defaults
from maskwise.engines.duckdb import DuckDB
from maskwise.engines.error_messages import missing_table, refuse_input_as_target
from maskwise.engines.sqlite.connection import (
    connect,
    find,
    plain_rows,
    quoted,
    run_when_free,
    table_names,
    tables_read,
)
from maskwise.engines.sqlite.error_messages import code_of, is_busy, translate_errors
from maskwise.engines.sqlite.rows import SourceColumn, copy_rows
from maskwise.engines.sqlite.written_tables import as_plain_columns, write_rows
from maskwise.errors import InputError, WriteError
from maskwise.values.input_kind import InputKind, input_kind
from maskwise.values.location import TableName, database_file

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from contextlib import AbstractContextManager
    from pathlib import Path

    import ibis.expr.types as ir
    import pyarrow as pa

    from maskwise.engines.base import DataFiles, Dialect, Feature, Gap
    from maskwise.values.csv_form import CsvForm
    from maskwise.values.location import Folder

_HIDDEN = 1
"""What SQLite says of a column of a virtual table that `SELECT *` does not give."""


class SQLite:
    """A connection of our own to a file, or the owner's through Ibis, and the DuckDB that counts."""

    name: ClassVar[str] = "SQLite"
    gaps: ClassVar[Mapping[Feature, Gap]] = {}

    packs_codes: ClassVar[bool] = DuckDB.packs_codes
    most_held = 0
    fence: ClassVar[str] = DuckDB.fence

    code_cell = defaults.no_expression
    values_sql = defaults.values_sql
    pairs_sql = defaults.pairs_sql
    try_cast = defaults.try_cast
    stops_at_unreadable = defaults.no
    byte_order = defaults.unchanged
    random_order = defaults.random_order
    source_files = defaults.no_files
    in_random_order = defaults.in_random_order
    n_smaller_sql = defaults.n_smaller_sql
    repeats_rows = defaults.supposed_distinct

    def __init__(self, source: Any, *, writes: bool = False, memory: int | None = None) -> None:
        """Open the database.

        Args:
            source: An address such as `sqlite:///people.db`, or an Ibis backend of the owner's.
            writes: A table of the file will be written; else it is opened for reading only.
            memory: How many bytes a run may use; DuckDB spills to disk above its share of them.
        """
        self._owner = None if isinstance(source, str) else source
        self._connection: sqlite3.Connection
        if self._owner is None:
            file = database_file(source)
            if file is None:
                raise InputError("The address of a SQLite database is written as sqlite:///people.db.")
            self._connection = connect(file, writes=writes, memory=memory)
            self._called = f"database `{file}`"
        else:
            self._connection = self._owner.con
            self._called = "database"
        self._work = DuckDB(None, memory=memory)
        self._copies: list[str] = []
        self._given: set[str] = set()
        self._is_stopped = False

    @property
    def backend(self) -> Any:
        """The Ibis backend of the DuckDB that counts."""
        return self._work.backend

    def version(self) -> str:
        """SQLite's own."""
        return sqlite3.sqlite_version

    def table(self, source: Any) -> ir.Table:
        """Open a table or view of the database, or an Ibis table, by copying it; or a table that was made here."""
        if isinstance(source, str):
            return self._work.table(source)
        with self._translated():
            return run_when_free(lambda: self._open(source), self._called)

    def _open(self, source: Any) -> ir.Table:
        if not isinstance(source, TableName):
            columns = [SourceColumn(name, _declared(kind)) for name, kind in source.schema().items()]
            return self._copy(f"({self._owner.compile(source)})", columns, "")  # type: ignore[union-attr]
        found = self._find(source)
        if found is None or found.kind not in {"table", "view"}:
            raise missing_table(source, table_names(self._connection))
        columns = self._columns(found.place)
        order = self._order(found.place, columns) if found.kind == "table" else ""
        return self._copy(quoted(found.place), columns, order)

    def _find(self, name: TableName) -> Any:
        try:
            return find(self._connection, name)
        except sqlite3.OperationalError as error:
            if code_of(error) == sqlite3.SQLITE_ERROR and name.schema is not None:
                return None
            raise

    def _columns(self, place: TableName) -> list[SourceColumn]:
        """The columns of a table, those that are generated among them."""
        asked = "SELECT +name, +type FROM pragma_table_xinfo(?, ?) WHERE hidden <> ?"
        return [SourceColumn(*row) for row in self._connection.execute(asked, [place.name, place.schema, _HIDDEN])]

    def _order(self, place: TableName, columns: Sequence[SourceColumn]) -> str:
        """In what order the records of a table stand: in a scan of an index it would be another."""
        taken = {column.name.lower() for column in columns}
        for name in {"rowid", "oid", "_rowid_"} - taken:
            try:
                self._connection.execute(f"SELECT t.{name} FROM {quoted(place)} t LIMIT 0").close()  # noqa: S608
            except sqlite3.OperationalError as error:
                if code_of(error) != sqlite3.SQLITE_ERROR:
                    raise
                # A table without row numbers has the order of its key.
                return ""
            return f" ORDER BY t.{name}"
        return ""

    def _copy(self, records: str, columns: Sequence[SourceColumn], order: str) -> ir.Table:
        name = f"maskwise_copy_{secrets.token_hex(4)}"
        # A name without its table could be taken for a text; the sign leaves cells as they are, and types of their
        # owner's behind.
        cells = ", ".join(f"+t.{quoted(column.name)}" for column in columns)
        query = f"SELECT {cells} FROM {records} t{order}"  # noqa: S608
        copy_rows(self._connection, query, columns, self._work, name)
        self._copies.append(name)
        copied = self._work.table(name)
        return copied.select([copied[f"c{i}"].name(column.name) for i, column in enumerate(columns)])

    @contextmanager
    def _translated(self, target: TableName | None = None) -> Iterator[None]:
        """Errors without a cell, and rows as Python has them; a query that another thread ended is no Ctrl-C."""
        self._is_stopped = False
        try:
            with translate_errors(target), plain_rows(self._connection):
                yield
        except KeyboardInterrupt:
            if not self._is_stopped:
                raise
            raise InputError("Reading the database was ended before it was done.") from None

    def open_files(self, name: str, files: DataFiles) -> ir.Table:
        """Open files in DuckDB."""
        return self._work.open_files(name, files)

    def stream(self, sql: str) -> AbstractContextManager[pa.RecordBatchReader]:
        """Run a query on what was copied."""
        return self._work.stream(sql)

    def register(self, name: str, table: pa.Table) -> None:
        """Show DuckDB an Arrow table."""
        self._work.register(name, table)

    def create(self, name: str, sql: str, *, view: bool) -> None:
        """Create a temporary table or view in DuckDB."""
        self._work.create(name, sql, view=view)

    def drop(self, name: str) -> None:
        """Drop what was made in DuckDB, and a table that was given to the user."""
        if name in self._given:
            self._given.discard(name)
            with self._translated():
                self._connection.execute(f"DROP TABLE IF EXISTS temp.{quoted(name)}")
        self._work.drop(name)

    def as_native(self, name: str) -> Any:
        """Make a temporary table of the owner's connection."""
        assert self._owner is not None  # noqa: S101 - only an Ibis table comes back as one
        place = TableName(name, "temp")
        with self._translated(place), self._transaction("BEGIN"):
            write_rows(self._work, f"SELECT * FROM {name}", self._connection, place, temporary=True)  # noqa: S608
        self._given.add(name)
        self._work.drop(name)
        return self._owner.table(name, database="temp")

    def range_number(self, cell: str, lows: pa.Array, registered: str) -> tuple[str, str]:
        """As DuckDB does."""
        return self._work.range_number(cell, lows, registered)

    def hash_input(self, cell: ir.Value) -> ir.Value:
        """As DuckDB does."""
        return self._work.hash_input(cell)

    def cell_hash(self, cell: str, number: int) -> str:
        """As DuckDB does."""
        return self._work.cell_hash(cell, number)

    def exclusive_or(self, first: str, second: str) -> str:
        """As DuckDB does."""
        return self._work.exclusive_or(first, second)

    def write(self, sql: str, target: Path | Folder, form: CsvForm) -> None:
        """Write one file, by DuckDB."""
        self._work.write(as_plain_columns(self._work, sql), target, form)

    def check_target(self, target: TableName, source: Any) -> None:
        """Refuse a table that cannot be written, is the source, or is read by it; or a name that is taken."""
        with self._translated(target):
            run_when_free(lambda: self._check(target, source), self._called)

    def _check(self, target: TableName, source: Any) -> None:
        place = _in_main(target)
        try:
            found = find(self._connection, place)
        except sqlite3.OperationalError as error:
            if code_of(error) != sqlite3.SQLITE_ERROR:
                raise
            msg = f"There is no database `{place.schema}` to write `{target.name}` to. Attach it first."
            raise WriteError(msg) from None
        if target.name.lower().startswith("sqlite_"):
            msg = f"`{target}` is a name that SQLite keeps for itself. Name another table."
            raise WriteError(msg)
        if found is not None and (found.kind != "table" or found.sql.upper().startswith("CREATE VIRTUAL")):
            msg = f"`{target}` is no plain table, so it cannot be replaced. Name another table."
            raise WriteError(msg)
        self._require_writable(place)
        query = self._query_of(source)
        reads = set() if query is None else tables_read(self._connection, query)
        if ((place.schema or "main").lower(), target.name.lower()) in reads:
            refuse_input_as_target(target)

    def _require_writable(self, target: TableName) -> None:
        """Fail if the file, or its folder, may not be written to, by making a table and taking it back."""
        tried = TableName(f"maskwise_{secrets.token_hex(4)}", target.schema)
        begin, _, back = _transaction_steps(is_inner=self._connection.in_transaction)
        try:
            self._connection.execute(begin)
            try:
                self._connection.execute(f"CREATE TABLE {quoted(tried)} (x)")
            finally:
                for step in back:
                    self._connection.execute(step)
        except sqlite3.OperationalError as error:
            # Another program that has it just now is waited for when the release is written.
            if not is_busy(error):
                raise

    def _query_of(self, source: Any) -> str | None:
        """The query that reads a source of this database; None for anything else."""
        if isinstance(source, TableName):
            found = self._find(source)
            # Where there is no such source, that is said where it is opened.
            return None if found is None else f"SELECT * FROM {quoted(found.place)}"  # noqa: S608
        is_ibis = self._owner is not None and input_kind(source) is InputKind.IBIS_TABLE
        return str(self._owner.compile(source)) if is_ibis else None  # type: ignore[union-attr]

    @contextmanager
    def draft_table(self, sql: str, target: TableName, draft: str) -> Iterator[ir.Table]:
        """Make a table inside a transaction, read it again, and rename and commit it only at the end."""
        place, drafted = _in_main(target), TableName(draft, _in_main(target).schema)
        with self._translated(target), self._settings(), self._transaction():
            write_rows(self._work, sql, self._connection, drafted, temporary=False)
            yield self.table(drafted)
            self._work.drop(self._copies.pop())
            self._connection.execute(f"DROP TABLE IF EXISTS {quoted(place)}")
            self._connection.execute(f"ALTER TABLE {quoted(drafted)} RENAME TO {quoted(place.name)}")
        if self._owner is None:
            # What was replaced would stay in the file until the log of changes is put into it.
            with suppress(sqlite3.OperationalError):
                self._connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").close()

    @contextmanager
    def _settings(self) -> Iterator[None]:
        """Let deleted cells be written over with zeros, and a table be renamed beside views that miss it."""
        wanted = {"secure_delete": 1, "legacy_alter_table": 1}
        before = {name: self._connection.execute(f"PRAGMA {name}").fetchone()[0] for name in wanted}
        for name, value in wanted.items():
            self._connection.execute(f"PRAGMA {name} = {value}").close()
        try:
            yield
        finally:
            for name, value in before.items():
                self._connection.execute(f"PRAGMA {name} = {value}").close()

    @contextmanager
    def _transaction(self, outer: str = "BEGIN IMMEDIATE") -> Iterator[None]:
        """Begin, and commit if the block ends well; inside a transaction of the owner's, as a part of it."""
        begin, commit, back = _transaction_steps(outer, is_inner=self._connection.in_transaction)
        run_when_free(lambda: self._connection.execute(begin), self._called)
        try:
            yield
            run_when_free(lambda: self._connection.execute(commit), self._called)
        except BaseException:
            # After some errors, such as a full disk, SQLite has taken all back already.
            if self._connection.in_transaction:
                for step in back:
                    self._connection.execute(step)
            raise

    def beside(self) -> Dialect | None:
        """A second connection to the DuckDB that counts."""
        return self._work.beside()

    def interrupt(self) -> None:
        """End what runs now, in SQLite or in DuckDB."""
        self._is_stopped = True
        self._connection.interrupt()
        self._work.interrupt()

    def close(self) -> None:
        """Drop the copies and end a connection of our own; what was not committed is gone."""
        for name in self._copies:
            self._work.drop(name)
        self._copies.clear()
        if self._owner is None:
            self._connection.close()


def _transaction_steps(outer: str = "BEGIN IMMEDIATE", *, is_inner: bool) -> tuple[str, str, tuple[str, ...]]:
    """How a transaction begins, how it is kept and how it is taken back.

    Args:
        outer: How it begins.
        is_inner: Whether it is a part of another one, which goes on.
    """
    if is_inner:
        return "SAVEPOINT maskwise", "RELEASE maskwise", ("ROLLBACK TO maskwise", "RELEASE maskwise")
    return outer, "COMMIT", ("ROLLBACK",)


def _in_main(target: TableName) -> TableName:
    """A target with its database: a new table is made in the main one, whatever temporary one has its name."""
    return target if target.schema is not None else TableName(target.name, "main")


def _declared(kind: Any) -> str:
    """The type of an Ibis column, as SQLite would declare it."""
    if kind.is_decimal():
        return f"DECIMAL({kind.precision or 0}, {kind.scale or 0})"
    tests = {"DATE": kind.is_date, "TIME": kind.is_time, "TIMESTAMP": kind.is_timestamp, "BOOLEAN": kind.is_boolean}
    tests |= {"INTEGER": kind.is_integer, "REAL": kind.is_floating, "TEXT": kind.is_string, "BLOB": kind.is_binary}
    return next((name for name, test in tests.items() if test()), "")
