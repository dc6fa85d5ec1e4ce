"""A connection to a SQLite file: opened without making one, locked with patience, ended by Ctrl-C."""

from __future__ import annotations

import sqlite3
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

from maskwise.engines.sqlite.error_messages import is_busy, translate_errors
from maskwise.errors import InputError
from maskwise.values.location import TableName
from maskwise.values.locks import wait_for_lock
from maskwise.values.memory import for_engine
from maskwise.values.paths import is_there

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

_Answer = TypeVar("_Answer")
_PATIENCE = 60.0
"""So many seconds a lock is waited for."""
_STEPS = 1 << 18
"""After so many of its steps, some milliseconds, SQLite lets Python look whether Ctrl-C was pressed."""
_CACHE_SHARE = 16
"""One of so many bytes of the engine's memory is for pages of the file; DuckDB has the others."""


class StoredTable(NamedTuple):
    """What has a name in a database, as its schema has it."""

    place: TableName
    """Its own spelling of its name, and the database that it is in."""
    kind: str
    """`table`, `view` or `index`; triggers have names of their own."""
    sql: str
    """What made it."""


def connect(file: Path, *, writes: bool, memory: int | None) -> sqlite3.Connection:
    """Open a database file; one that is not there is not made.

    Args:
        file: Where it is.
        writes: Whether a table of it will be written.
        memory: How many bytes a run may use; None leaves SQLite's own settings.
    """
    if not is_there(file):
        msg = f"There is no database `{file}`."
        raise InputError(msg)
    address = f"{file.absolute().as_uri()}?mode={'rw' if writes else 'ro'}"
    with translate_errors():
        # Statements begin no transaction of their own, and a lock is waited for by ourselves.
        opened = sqlite3.connect(address, uri=True, isolation_level=None, timeout=0, check_same_thread=False)
        try:
            opened.set_progress_handler(lambda: 0, _STEPS)
            opened.execute("PRAGMA temp_store = FILE")
            if memory is not None:
                opened.execute(f"PRAGMA cache_size = -{(for_engine(memory) // _CACHE_SHARE) >> 10}")
            # The first look at the file tells whether it is a database.
            run_when_free(lambda: opened.execute("SELECT count(*) FROM sqlite_master").fetchone(), f"database `{file}`")
        except BaseException:
            opened.close()
            raise
    return opened


def run_when_free(ask: Callable[[], _Answer], what: str) -> _Answer:
    """Run statements that need a lock as soon as no other program has it.

    Args:
        ask: Runs the statements, from the first on each time.
        what: What is locked, such as "database `people.db`".
    """
    answers: list[_Answer] = []

    def lock() -> None:
        try:
            answers.append(ask())
        except sqlite3.OperationalError as error:
            if is_busy(error):
                raise BlockingIOError from None
            raise

    wait_for_lock(lock, f"the {what}", _PATIENCE)
    return answers[-1]


@contextmanager
def plain_rows(connection: sqlite3.Connection, text: Any = str) -> Iterator[None]:
    """Let rows be tuples and texts be read in some way; an owner of the connection may read them in another.

    Args:
        connection: The connection.
        text: What makes a text of its bytes.
    """
    before = connection.row_factory, connection.text_factory
    connection.row_factory, connection.text_factory = None, text
    try:
        yield
    finally:
        connection.row_factory, connection.text_factory = before


def quoted(place: TableName | str) -> str:
    """A name in SQL, letter by letter.

    >>> quoted(TableName('the "best" people', "main"))
    '"main"."the ""best"" people"'
    """
    parts = [place] if isinstance(place, str) else [part for part in (place.schema, place.name) if part is not None]
    return ".".join('"' + part.replace('"', '""') + '"' for part in parts)


def databases(connection: sqlite3.Connection) -> list[str]:
    """The databases of a connection, in the order in which SQLite looks a name up: temp, main, attached ones."""
    found = [str(row[1]) for row in connection.execute("PRAGMA database_list")]
    return sorted(found, key=lambda name: name != "temp")


def find(connection: sqlite3.Connection, name: TableName) -> StoredTable | None:
    """Find what has a name in a database; SQLite does not tell large from small letters in it."""
    # The sign takes a column's declared type away, for which an owner may have a converter.
    for database in databases(connection) if name.schema is None else [name.schema]:
        asked = (
            f"SELECT +name, +type, +sql FROM {quoted(database)}.sqlite_master "  # noqa: S608
            "WHERE name = ? COLLATE NOCASE AND type <> 'trigger'"
        )
        for own, kind, sql in connection.execute(asked, [name.name]):
            return StoredTable(TableName(own, database), kind, sql or "")
    return None


def table_names(connection: sqlite3.Connection) -> list[str]:
    """The tables and views of all databases of a connection."""
    return [
        str(row[0])
        for database in databases(connection)
        for row in connection.execute(
            f"SELECT +name FROM {quoted(database)}.sqlite_master WHERE type IN ('table', 'view')"  # noqa: S608
        )
    ]


def tables_read(connection: sqlite3.Connection, query: str) -> set[tuple[str, str]]:
    """The databases and names of the tables and views that a query reads, in small letters."""
    found: set[tuple[str, str]] = set()

    def note(action: int, table: str | None, column: str | None, database: str | None, inside: str | None) -> int:
        del column, inside
        if action == sqlite3.SQLITE_READ and table is not None:
            found.add(((database or "main").lower(), table.lower()))
        return sqlite3.SQLITE_OK

    connection.set_authorizer(note)
    try:
        connection.execute(f"EXPLAIN {query}").close()
    finally:
        connection.set_authorizer(None)
    return found
