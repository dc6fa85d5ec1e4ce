"""PostgreSQL's types as Arrow's and Ibis's, and tables as the csv that COPY reads and writes."""

from __future__ import annotations

import codecs
import io
import secrets
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import ibis
import ibis.expr.datatypes as dt
import pyarrow as pa
import pyarrow.csv as pc
from psycopg import sql

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


def _convert_to(text: str, encoding: str) -> bytes:
    """PostgreSQL's function of this name, so that Ibis can call it."""
    return text.encode(encoding)


bytes_of: Any = ibis.udf.scalar.builtin(_convert_to, name="convert_to")
"""A text as bytes, which sort the same under every collation."""


def secret_order() -> Any:
    """What to sort records by, so that nobody can predict their order.

    A random number is hashed twice, each time with a secret of this call: whoever knows where some records went would
    have to guess 128 bits and the state of the server's generator, from nothing but an order. In seconds for a million
    records: 0.1, where a cryptographic hash took 0.5 and a random identifier 3.9; and whole numbers are sorted faster.
    """
    of_number = ibis.udf.scalar.builtin(_hash_number, name="hashfloat8extended")
    of_hash = ibis.udf.scalar.builtin(_hash_hash, name="hashint8extended")
    first, second = (secrets.randbits(64) - (1 << 63) for _ in range(2))
    return of_hash(of_number(ibis.random(), first), second)


def _hash_number(_number: float, _seed: int) -> int:
    raise NotImplementedError  # the server's own


def _hash_hash(_hash: int, _seed: int) -> int:
    raise NotImplementedError  # as above


def has_arrow_type(column: psycopg.Column) -> bool:
    """Whether a column can be fetched as it is; the others are cast to text first."""
    return column.type_code in _ARROW_TYPES or column.type_code == _NUMERIC


def is_text(column: psycopg.Column) -> bool:
    """Whether a column is text and no type of its own, such as citext."""
    return bool(_ARROW_TYPES.get(column.type_code) == pa.string())


def arrow_type(column: psycopg.Column) -> pa.DataType:
    """The Arrow type of a column that was fetched."""
    if column.type_code == _NUMERIC and column.precision is not None and column.precision <= _MOST_DIGITS:
        return pa.decimal128(column.precision, column.scale or 0)
    return _ARROW_TYPES.get(column.type_code, pa.string())


def ibis_type(column: psycopg.Column) -> Any:
    """The Ibis type of a column as it stands in its table."""
    if column.type_code == _NUMERIC:
        return dt.Decimal(column.precision, column.scale)
    return dt.DataType.from_pyarrow(_ARROW_TYPES[column.type_code]) if column.type_code in _ARROW_TYPES else dt.unknown


def arrow_schema(columns: Sequence[psycopg.Column]) -> pa.Schema:
    """The Arrow schema of a result."""
    return pa.schema([(column.name, arrow_type(column)) for column in columns])


def sql_type(kind: pa.DataType) -> str:
    """PostgreSQL's name of an Arrow type; whole numbers without a sign need the next larger one."""
    if pa.types.is_integer(kind):
        kind = pa.int16() if kind.bit_width < 16 else pa.int32() if kind.bit_width < 32 else pa.int64()  # noqa: PLR2004
    return _NAMES.get(kind, "text")


def as_csv(table: pa.Table) -> bytes:
    """A small table as COPY reads it: a missing cell is bare, everything else quoted."""
    sink = io.BytesIO()
    pc.write_csv(table, sink, pc.WriteOptions(include_header=False, quoting_style="all_valid"))
    return sink.getvalue()


def as_values(table: pa.Table) -> str:
    """A very small table as a query that lists its rows."""
    kinds = [sql_type(kind) for kind in table.schema.types]
    rows = [
        ", ".join(f"CAST({_literal(cell)} AS {kind})" for cell, kind in zip(row.values(), kinds, strict=True))
        for row in table.to_pylist()
    ]
    names = sql.SQL(", ").join(map(sql.Identifier, table.schema.names)).as_string()
    return f"SELECT * FROM (VALUES ({'), ('.join(rows)})) AS listed ({names})"  # noqa: S608


def _literal(cell: Any) -> str:
    return "NULL" if cell is None else sql.Literal(str(cell)).as_string()


def batches(blocks: Iterator[Any], schema: pa.Schema) -> pa.RecordBatchReader:
    """Read what COPY writes, block by block."""
    source = _Blocks(blocks)
    if source.is_empty():
        return pa.RecordBatchReader.from_batches(schema, [])
    return pc.open_csv(
        pa.PythonFile(source, "r"),
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


@contextmanager
def refuse_unreadable_cells() -> Iterator[None]:
    """Refuse cells that only PostgreSQL knows, such as the date `infinity`, without quoting them."""
    try:
        yield
    except pa.ArrowInvalid:
        raise InputError(
            "A column holds dates, times or numbers that only PostgreSQL knows, such as infinity. Clean them."
        ) from None


class _Blocks(io.RawIOBase):
    """Blocks of bytes as a file."""

    def __init__(self, blocks: Iterator[Any]) -> None:
        super().__init__()
        self._blocks = blocks
        self._rest = b""

    def is_empty(self) -> bool:
        """Whether nothing comes at all; else begin with a mark of our own, or Arrow would take a cell's for one."""
        self._fill(1)
        if not self._rest:
            return True
        self._rest = codecs.BOM_UTF8 + self._rest
        return False

    def _fill(self, size: int) -> None:
        parts, have = [self._rest], len(self._rest)
        while have < size and (block := next(self._blocks, None)) is not None:
            parts.append(bytes(block))
            have += len(block)
        self._rest = b"".join(parts)

    def read(self, size: int = -1) -> bytes:
        """Some bytes; none at the end."""
        self._fill(size if size >= 0 else 1 << 62)
        taken, self._rest = (self._rest, b"") if size < 0 else (self._rest[:size], self._rest[size:])
        return taken

    def readable(self) -> bool:
        """Yes."""
        return True
