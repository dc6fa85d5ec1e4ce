"""PostgreSQL's cells as Arrow's: its types, the csv that COPY sends, and small tables as queries that list them."""

from __future__ import annotations

import codecs
import io
from contextlib import contextmanager
from itertools import chain
from typing import TYPE_CHECKING, Any

import ibis.expr.datatypes as dt
import pyarrow as pa
import pyarrow.csv as pc
from psycopg import sql as pg

from maskwise.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    import psycopg

_BLOCK = 1 << 24
_TYPES = (
    (16, pa.bool_(), "boolean"),
    (20, pa.int64(), "bigint"),
    (21, pa.int16(), "smallint"),
    (23, pa.int32(), "integer"),
    (25, pa.string(), "text"),
    (700, pa.float32(), "real"),
    (701, pa.float64(), "double precision"),
    (1043, pa.string(), "text"),
    (1082, pa.date32(), "date"),
    (1083, pa.time64("us"), "time"),
    (1114, pa.timestamp("us"), "timestamp"),
    (1184, pa.timestamp("us", "UTC"), "timestamptz"),
)
"""The types that COPY and Arrow spell alike: PostgreSQL's number, Arrow's type, PostgreSQL's name."""
_ARROW_TYPES = {code: kind for code, kind, _ in _TYPES}
_NAMES = {kind: name for _, kind, name in _TYPES}
_NUMERIC = 1700
_MOST_DIGITS = 38


def has_arrow_type(column: psycopg.Column) -> bool:
    """Whether a column can be fetched as it is; the others are cast to text first."""
    return column.type_code in _ARROW_TYPES or column.type_code == _NUMERIC


def is_text(column: psycopg.Column) -> bool:
    """Whether a column is text and no type of its own, such as citext."""
    return bool(_ARROW_TYPES.get(column.type_code) == pa.string())


def ibis_type(column: psycopg.Column) -> Any:
    """The Ibis type of a column as it stands in its table."""
    if column.type_code == _NUMERIC:
        return dt.Decimal(column.precision, column.scale)
    return dt.DataType.from_pyarrow(_ARROW_TYPES[column.type_code]) if column.type_code in _ARROW_TYPES else dt.unknown


def arrow_schema(columns: Sequence[psycopg.Column]) -> pa.Schema:
    """The Arrow schema of a result."""
    return pa.schema([(column.name, _arrow_type(column)) for column in columns])


def _arrow_type(column: psycopg.Column) -> pa.DataType:
    if column.type_code == _NUMERIC and column.precision is not None and column.precision <= _MOST_DIGITS:
        return pa.decimal128(column.precision, column.scale or 0)
    return _ARROW_TYPES.get(column.type_code, pa.string())


def sql_type(kind: pa.DataType) -> str:
    """PostgreSQL's name of an Arrow type; whole numbers without a sign need the next larger one."""
    if pa.types.is_integer(kind):
        kind = pa.int16() if kind.bit_width < 16 else pa.int32() if kind.bit_width < 32 else pa.int64()  # noqa: PLR2004
    return _NAMES.get(kind, "text")


def listed_sql(table: pa.Table) -> pg.Composed:
    """A table as a query that lists its rows."""
    cells = [[None if cell is None else str(cell) for cell in column.to_pylist()] for column in table.columns]
    kinds = [pg.SQL(sql_type(kind)) for kind in table.schema.types]
    columns = [pg.SQL("CAST({} AS {}[])").format(column, kind) for column, kind in zip(cells, kinds, strict=True)]
    names = map(pg.Identifier, table.schema.names)
    listed = pg.SQL("SELECT * FROM unnest({}) AS listed ({})")
    return listed.format(pg.SQL(", ").join(columns), pg.SQL(", ").join(names))


@contextmanager
def read_csv(blocks: Iterator[Any], schema: pa.Schema) -> Iterator[pa.RecordBatchReader]:
    r"""Read what COPY sends as csv with `\N` for a missing cell, block by block."""
    first = next(blocks, None)
    if first is None:
        yield pa.RecordBatchReader.from_batches(schema, [])
        return
    # After a mark of our own, or Arrow would take the first letter of a cell for one.
    file = io.BufferedReader(_Blocks(chain([codecs.BOM_UTF8, first], blocks)), _BLOCK)
    try:
        yield pc.open_csv(
            pa.PythonFile(file, "r"),
            pc.ReadOptions(column_names=schema.names, block_size=_BLOCK, use_threads=False),
            pc.ParseOptions(newlines_in_values=True, ignore_empty_lines=False),
            pc.ConvertOptions(
                column_types=schema,
                null_values=["\\N"],
                true_values=["t"],
                false_values=["f"],
                strings_can_be_null=True,
                quoted_strings_can_be_null=False,
            ),
        )
    except pa.ArrowInvalid:
        raise InputError(
            "A column holds dates, times or numbers that only PostgreSQL knows, such as infinity. Clean them."
        ) from None


class _Blocks(io.RawIOBase):
    """Blocks of bytes as a file."""

    def __init__(self, blocks: Iterator[Any]) -> None:
        super().__init__()
        self._blocks = blocks
        self._rest = memoryview(b"")

    def readinto(self, buffer: Any) -> int:
        """Give what is left of the last block, or the next one; nothing at the end."""
        if not self._rest:
            self._rest = memoryview(next(self._blocks, b""))
        n = min(len(buffer), len(self._rest))
        buffer[:n], self._rest = self._rest[:n], self._rest[n:]
        return n

    def readable(self) -> bool:
        """Yes."""
        return True
