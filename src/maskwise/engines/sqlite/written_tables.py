"""Tables of SQLite, written from a query of DuckDB."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from maskwise.engines.sqlite.column_types import MOST_DIGITS, UTC, Storage
from maskwise.engines.sqlite.connection import quoted
from maskwise.errors import WriteError

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Iterable, Sequence

    from maskwise.engines.duckdb import DuckDB
    from maskwise.values.location import TableName

_WHOLE = {"TINYINT", "SMALLINT", "INTEGER", "BIGINT", "UTINYINT", "USMALLINT", "UINTEGER"}
_DECIMAL = re.compile(r"DECIMAL\((\d+),\s*(\d+)\)")
_REPEATED = 4
"""Where a text occurs so often, on average, each is made once for all of its cells."""


def write_rows(work: DuckDB, query: str, connection: sqlite3.Connection, place: TableName, *, temporary: bool) -> None:
    """Make a table of a query's result.

    Args:
        work: Where the query runs.
        query: What to write.
        connection: Where it goes.
        place: What the table is called; there is none of this name.
        temporary: Whether the table goes with the connection.
    """
    described = work.connection.execute(f"DESCRIBE {query}").fetchall()
    columns = [(str(name), *_written_as(str(kind), quoted(str(name)))) for name, kind, *_ in described]
    cells = ", ".join(cell for _, _, cell in columns)
    declared = ", ".join(f"{quoted(name)} {kind}".strip() for name, kind, _ in columns)
    is_mixed = [kind == "" for _, kind, _ in columns]
    connection.execute(f"CREATE {'TEMP ' * temporary}TABLE {quoted(place.name if temporary else place)} ({declared})")
    insert = f"INSERT INTO {quoted(place)} VALUES ({', '.join('?' * len(columns))})"  # noqa: S608
    with work.stream(f"SELECT {cells} FROM ({query}) q") as batches:  # noqa: S608
        for batch in batches:
            lists = [
                _mixed_cells(name, column) if mixed else _cells(column)
                for (name, _, _), column, mixed in zip(columns, batch.columns, is_mixed, strict=True)
            ]
            connection.executemany(insert, zip(*lists, strict=True))


def as_plain_columns(work: DuckDB, query: str) -> str:
    """A query whose cells of several kinds are spelled as texts, for files, which have no such columns."""
    described = work.connection.execute(f"DESCRIBE {query}").fetchall()
    mixed = [str(name) for name, kind, *_ in described if kind == Storage.MIXED.value]
    if not mixed:
        return query
    unreadable = " OR ".join(f"{quoted(name)}.unreadable IS NOT NULL" for name in mixed)
    if work.connection.execute(f"SELECT 1 FROM ({query}) q WHERE {unreadable} LIMIT 1").fetchone():  # noqa: S608
        raise _not_utf8(mixed)
    fields = (
        'CAST({0}."integer" AS VARCHAR)',
        'CAST({0}."real" AS VARCHAR)',
        '{0}."text"',
        "CAST({0}.blob AS VARCHAR)",
    )
    cells = ", ".join(
        f"coalesce({', '.join(field.format(quoted(name)) for field in fields)}) AS {quoted(name)}" for name in mixed
    )
    return f"SELECT * REPLACE ({cells}) FROM ({query}) q"  # noqa: S608


def _written_as(kind: str, cell: str) -> tuple[str, str]:  # noqa: PLR0911 - a table
    """The declared type of a column, and its cells in SQL, from DuckDB's type.

    >>> _written_as("BOOLEAN", '"paid"')
    ('BOOLEAN', 'CAST("paid" AS INTEGER)')
    """
    as_text = f"CAST({cell} AS VARCHAR)"
    decimal = _DECIMAL.fullmatch(kind)
    if kind in _WHOLE:
        return "INTEGER", cell
    if kind == "DOUBLE":
        return "REAL", cell
    if kind == "FLOAT":
        # Widened bit by bit, 0.1 would no longer be 0.1.
        return "REAL", f"CAST({as_text} AS DOUBLE)"
    if decimal is not None and int(decimal[1]) <= MOST_DIGITS:
        return kind, f"CAST({cell} AS DOUBLE)"
    if kind == "BOOLEAN":
        return kind, f"CAST({cell} AS INTEGER)"
    if kind in {"DATE", "TIME"}:
        return kind, as_text
    if kind.startswith("TIMESTAMP") and "ZONE" not in kind:
        return "TIMESTAMP", as_text
    if kind.startswith("TIMESTAMP"):
        return "TIMESTAMP", f"CAST(timezone('UTC', {cell}) AS VARCHAR) || '{UTC}'"
    if kind == "BLOB":
        return kind, cell
    # A column without a declared type keeps every cell as it is.
    return ("", cell) if kind == Storage.MIXED.value else ("TEXT", as_text)


def _cells(column: pa.Array) -> Iterable[Any]:
    """Cells as Python has them; of a text that occurs often all cells are one object."""
    if not pa.types.is_string(column.type) or len(column) < _REPEATED:
        return column.to_pylist()  # type: ignore[no-any-return]
    encoded = column.dictionary_encode()
    if len(encoded.dictionary) * _REPEATED > len(column):
        return column.to_pylist()  # type: ignore[no-any-return]
    texts: list[str | None] = encoded.dictionary.to_pylist()
    # A missing cell has the number behind the last text.
    numbers = encoded.indices.fill_null(len(texts)).to_numpy().tolist()
    return map([*texts, None].__getitem__, numbers)


def _mixed_cells(name: str, column: pa.Array) -> Sequence[Any]:
    """Cells of several kinds, each as what it was."""
    cells = []
    for cell in column.to_pylist():
        filled = {} if cell is None else {kind: value for kind, value in cell.items() if value is not None}
        if "unreadable" in filled:
            raise _not_utf8([name])
        cells.append(next(iter(filled.values()), None))
    return cells


def _not_utf8(names: Sequence[str]) -> WriteError:
    listed = ", ".join(f"`{name}`" for name in names)
    return WriteError(
        f"{listed}: some cells are texts that are not UTF-8, and cannot be released as they are. Nothing was released. "
        "Drop the column in the policy, or repair its texts."
    )
