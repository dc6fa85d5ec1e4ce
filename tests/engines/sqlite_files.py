"""Tables in SQLite files, as people make them: with declared types, dates as texts, truth values as numbers."""

from __future__ import annotations

import datetime as dt
import sqlite3
from contextlib import closing
from decimal import Decimal
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

_TYPES = (
    (pa.types.is_boolean, "BOOLEAN"),
    (pa.types.is_integer, "INTEGER"),
    (pa.types.is_floating, "REAL"),
    (pa.types.is_date, "DATE"),
    (pa.types.is_timestamp, "TIMESTAMP"),
    (pa.types.is_time, "TIME"),
    (pa.types.is_binary, "BLOB"),
)


def declared_type(kind: pa.DataType) -> str:
    if pa.types.is_decimal(kind):
        return f"DECIMAL({kind.precision}, {kind.scale})"
    return next((name for test, name in _TYPES if test(kind)), "TEXT")


def cells(column: pa.ChunkedArray) -> list[Any]:
    kind = column.type
    if pa.types.is_float32(kind):
        # 0.1 as people write it.
        return pc.cast(pc.cast(column, pa.string()), pa.float64()).to_pylist()  # type: ignore[no-any-return]
    if pa.types.is_decimal(kind):
        return [None if cell is None else float(cell) for cell in column.to_pylist()]
    if pa.types.is_temporal(kind):
        return [None if cell is None else str(cell) for cell in column.to_pylist()]
    return column.to_pylist()  # type: ignore[no-any-return]


def without_odd_floats(table: pa.Table) -> pa.Table:
    """SQLite keeps a float that is not a number as a missing cell, and -0.0 as 0.0."""
    for i, field in enumerate(table.schema):
        if pa.types.is_float64(field.type):
            column = table.column(i)
            plain = pc.if_else(pc.equal(column, 0.0), 0.0, column)
            table = table.set_column(i, field, pc.if_else(pc.is_nan(plain), None, plain))
    return table


def quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def load_sqlite(file: Path, table: pa.Table, name: str) -> None:
    columns = ", ".join(f"{quoted(field.name)} {declared_type(field.type)}" for field in table.schema)
    with closing(sqlite3.connect(file)) as connection, connection:
        connection.execute(f"CREATE TABLE {quoted(name)} ({columns})")
        marks = ", ".join("?" * table.num_columns)
        insert = f"INSERT INTO {quoted(name)} VALUES ({marks})"  # noqa: S608
        connection.executemany(insert, zip(*(cells(column) for column in table.columns), strict=True))


def read_sqlite(file: Path, name: str) -> list[tuple[Any, ...]]:
    """The records of a table, with its cells as their declared types mean them."""
    kinds = [row[2] for row in run(file, f"PRAGMA table_info({quoted(name)})")]
    rows = run(file, f"SELECT * FROM {quoted(name)}")  # noqa: S608
    return [tuple(_meant(cell, kind) for cell, kind in zip(row, kinds, strict=True)) for row in rows]


def _meant(cell: Any, kind: str) -> Any:
    if cell is None:
        return None
    if kind.startswith("DECIMAL"):
        places = int(kind.rstrip(")").partition(",")[2])
        return Decimal(repr(cell)).quantize(Decimal(1).scaleb(-places))
    read = {"BOOLEAN": bool, "DATE": dt.date.fromisoformat, "TIMESTAMP": dt.datetime.fromisoformat}
    return read.get(kind, lambda same: same)(cell)


def run(file: Path, *statements: str) -> list[tuple[Any, ...]]:
    """Run statements; give the records of the last."""
    found: list[tuple[Any, ...]] = []
    with closing(sqlite3.connect(file)) as connection, connection:
        for statement in statements:
            found = connection.execute(statement).fetchall()
    return found
