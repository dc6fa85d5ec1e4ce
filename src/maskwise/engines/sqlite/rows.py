"""Records of SQLite, copied into a table of DuckDB.

They are read once, some thousand at a time. A column is a column of whole
numbers until another cell comes; what was copied until then stays in a table of
its own, and is put together with the rest at the end.
"""

from __future__ import annotations

import sqlite3
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import count
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from maskwise.engines.error_messages import translate_errors as translate_duckdb_errors
from maskwise.engines.sqlite.column_types import (
    ARROW_TYPES,
    MOST_EXACT,
    Storage,
    UnreadableText,
    as_arrow,
    narrower_types,
    storage_of,
    type_of_nothing,
    widened_sql,
    widest,
)
from maskwise.engines.sqlite.connection import plain_rows

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from maskwise.engines.duckdb import DuckDB

_FETCHED = 1 << 11
"""So many records are fetched at once: their cells stay in the processor's cache, which saves a quarter of the time."""
_SMALL = 1 << 22
"""So many bytes are fetched at once, at most; fewer records where they take more."""
_COPIED = 1 << 25
"""So many bytes DuckDB takes at once."""


@dataclass(frozen=True, slots=True)
class SourceColumn:
    """A column of a SQLite table, view or query."""

    name: str
    """What it is called."""
    declared: str
    """The type that it was declared with; empty if with none."""


def copy_rows(
    connection: sqlite3.Connection, query: str, columns: Sequence[SourceColumn], work: DuckDB, name: str
) -> None:
    """Copy the result of a query into a temporary table of DuckDB, with the columns c0, c1, ...

    Args:
        connection: Where the records are.
        query: Gives the records; errors of SQLite are not translated here.
        columns: Its columns.
        work: Where they go.
        name: What the table is called.
    """
    with _copied_parts(work, name, len(columns)) as parts:
        try:
            _copy(connection, query, parts)
        except sqlite3.OperationalError as error:
            if getattr(error, "sqlite_errorcode", None) is not None:
                raise
            # Python's own complaint: a text is not UTF-8. To look at each of them takes twice as long.
            parts.forget()
            with plain_rows(connection, _decode):
                _copy(connection, query, parts)
        parts.finish(columns)


def _copy(connection: sqlite3.Connection, query: str, parts: _CopiedParts) -> None:
    cursor = connection.cursor()
    try:
        cursor.execute(query)
        size = _FETCHED
        while rows := cursor.fetchmany(size):
            n_bytes = parts.add(list(zip(*rows, strict=True)))
            # Of records with large cells fewer are held at once.
            size = min(size * 2, _FETCHED) if n_bytes < _SMALL else max(size // 2, 1)
    finally:
        cursor.close()


def _decode(text: bytes) -> str | UnreadableText:
    try:
        return text.decode()
    except UnicodeDecodeError:
        return UnreadableText(text)


class _CopiedParts:
    """What was copied so far: one table for each set of storages that the columns had."""

    def __init__(self, database: Any, name: str, n_columns: int) -> None:
        self._database = database
        self._name = name
        self._n_columns = n_columns
        self._numbers = count()
        self._tables: list[tuple[str, list[Storage]]] = []
        self._storages = [Storage.NOTHING] * n_columns
        self._waiting: list[pa.RecordBatch] = []
        self._n_bytes = 0

    def _run(self, sql: str) -> Any:
        with translate_duckdb_errors():
            return self._database.execute(sql)

    def forget(self) -> None:
        """Begin anew."""
        self.drop()
        self._storages = [Storage.NOTHING] * self._n_columns
        self._waiting, self._n_bytes = [], 0

    def drop(self) -> None:
        """Drop what was copied."""
        for table, _ in self._tables:
            self._run(f"DROP TABLE IF EXISTS {table}")
        self._tables = []

    def add(self, columns: list[tuple[Any, ...]]) -> int:
        """Take some records, column by column; give the bytes that they take."""
        storages = [widest(old, storage_of(cells)) for old, cells in zip(self._storages, columns, strict=True)]
        arrays = []
        for i, cells in enumerate(columns):
            try:
                arrays.append(as_arrow(cells, storages[i]))
            except pa.ArrowInvalid:
                # A whole number that is no float stands among floats.
                storages[i] = Storage.MIXED
                arrays.append(as_arrow(cells, storages[i]))
        if storages != self._storages:
            self._flush()
            self._storages = storages
        self._waiting.append(pa.RecordBatch.from_arrays(arrays, names=self._names()))
        n_bytes = int(self._waiting[-1].nbytes)
        self._n_bytes += n_bytes
        if self._n_bytes >= _COPIED:
            self._flush()
        return n_bytes

    def _names(self) -> list[str]:
        return [f"c{i}" for i in range(self._n_columns)]

    def _flush(self) -> None:
        """Hand to DuckDB what waits."""
        if not self._waiting:
            return
        if not self._tables or self._tables[-1][1] != self._storages:
            self._make_table(self._storages)
        schema = pa.schema([(name, ARROW_TYPES[s]) for name, s in zip(self._names(), self._storages, strict=True)])
        arrived = f"{self._name}_arrived"
        self._database.register(arrived, pa.Table.from_batches(self._waiting, schema))
        try:
            self._run(f"INSERT INTO {self._tables[-1][0]} SELECT * FROM {arrived}")  # noqa: S608
        finally:
            self._database.unregister(arrived)
        self._waiting, self._n_bytes = [], 0

    def _make_table(self, storages: list[Storage]) -> None:
        table = f"{self._name}_part{next(self._numbers)}"
        kinds = ", ".join(f"{name} {storage.value}" for name, storage in zip(self._names(), storages, strict=True))
        self._run(f"CREATE TEMP TABLE {table} ({kinds})")
        self._tables.append((table, list(storages)))

    def finish(self, columns: Sequence[SourceColumn]) -> None:
        """Make one table of all parts, with the types that the columns were declared with, where their cells fit."""
        self._flush()
        self._widen_large_numbers()
        if not self._tables or any(storages != self._storages for _, storages in self._tables):
            self._join_parts()
        (joined, _), *_ = self._tables
        kinds = self._narrowed(joined, columns)
        for i, (column, storage) in enumerate(zip(columns, self._storages, strict=True)):
            kind = type_of_nothing(column.declared) if storage is Storage.NOTHING else kinds.get(i)
            if kind is not None:
                cell = "NULL" if storage is Storage.NOTHING else f"c{i}"
                self._run(f"ALTER TABLE {joined} ALTER COLUMN c{i} SET DATA TYPE {kind} USING CAST({cell} AS {kind})")
        self._run(f"ALTER TABLE {joined} RENAME TO {self._name}")
        self._tables = []

    def _widen_large_numbers(self) -> None:
        """Read a column as one of several kinds if it has floats, and whole numbers that no float can hold."""
        for table, storages in self._tables[:-1]:
            became = enumerate(zip(storages, self._storages, strict=True))
            changed = [i for i, both in became if both == (Storage.INTEGER, Storage.REAL)]
            for i in changed:
                is_large = f"c{i} NOT BETWEEN -{MOST_EXACT} AND {MOST_EXACT}"
                if self._run(f"SELECT 1 FROM {table} WHERE {is_large} LIMIT 1").fetchone():  # noqa: S608
                    self._storages[i] = Storage.MIXED

    def _join_parts(self) -> None:
        """Put the parts together, in the order of their records."""
        parts = list(self._tables)
        self._make_table(self._storages)
        joined = self._tables.pop()
        for table, storages in parts:
            both = enumerate(zip(storages, self._storages, strict=True))
            cells = ", ".join(widened_sql(f"c{i}", storage, into) for i, (storage, into) in both)
            self._run(f"INSERT INTO {joined[0]} SELECT {cells} FROM {table}")  # noqa: S608
        self.drop()
        self._tables = [joined]

    def _narrowed(self, table: str, columns: Sequence[SourceColumn]) -> dict[int, str]:
        """The narrower types that the declared ones ask for, and all cells fit."""
        asked = [
            (i, wanted)
            for i, (column, storage) in enumerate(zip(columns, self._storages, strict=True))
            for wanted in narrower_types(column.declared, storage)
        ]
        if not asked:
            return {}
        fits = (f"bool_and(coalesce({one.fits.format(cell=f'c{i}')}, c{i} IS NULL))" for i, one in asked)
        found = self._run(f"SELECT {', '.join(fits)} FROM {table}").fetchone()  # noqa: S608
        kinds: dict[int, str] = {}
        for (i, one), is_fit in zip(asked, found, strict=True):
            if is_fit:
                kinds.setdefault(i, one.kind)
        return kinds


@contextmanager
def _copied_parts(work: DuckDB, name: str, n_columns: int) -> Iterator[_CopiedParts]:
    parts = _CopiedParts(work.connection, name, n_columns)
    try:
        yield parts
    finally:
        parts.drop()
