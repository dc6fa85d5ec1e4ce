"""PostgreSQL's types as Arrow's and Ibis's, and tables as the csv that COPY speaks."""

from __future__ import annotations

import io
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import ibis
import pyarrow as pa
import pyarrow.csv as pc

from maskwise.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    import psycopg

_BLOCK = 1 << 24
_PLAIN = {
    16: pa.bool_(),
    20: pa.int64(),
    21: pa.int16(),
    23: pa.int32(),
    25: pa.string(),
    700: pa.float32(),
    701: pa.float64(),
    1043: pa.string(),
    1082: pa.date32(),
    1083: pa.time64("us"),
    1114: pa.timestamp("us"),
    1184: pa.timestamp("us", "UTC"),
}
"""The types that COPY and Arrow spell alike, by PostgreSQL's number."""
_NUMERIC = 1700
_MOST_DIGITS = 38


def _convert_to(text: str, encoding: str) -> bytes:
    """Stands for PostgreSQL's function of this name."""
    return text.encode(encoding)


bytes_of: Any = ibis.udf.scalar.builtin(_convert_to, name="convert_to")
"""A text as bytes, which sort the same under every collation."""


def is_plain(column: psycopg.Column) -> bool:
    """Whether a column needs no cast to text; decimals without a fixed scale do not fit Arrow's."""
    return column.type_code in _PLAIN or column.type_code == _NUMERIC


def is_text(column: psycopg.Column) -> bool:
    """Whether a column is text and no type of its own, such as citext."""
    return bool(_PLAIN.get(column.type_code) == pa.string())


def arrow_type(column: psycopg.Column) -> pa.DataType:
    """The Arrow type of a column that was fetched."""
    if column.type_code == _NUMERIC and column.precision is not None and column.precision <= _MOST_DIGITS:
        return pa.decimal128(column.precision, column.scale or 0)
    return _PLAIN.get(column.type_code, pa.string())


def ibis_type(column: psycopg.Column) -> Any:
    """The Ibis type of a column as it stands in its table."""
    import ibis.expr.datatypes as dt  # noqa: PLC0415 - beside its only use

    if column.type_code == _NUMERIC:
        return dt.Decimal(column.precision, column.scale)
    return dt.DataType.from_pyarrow(_PLAIN[column.type_code]) if column.type_code in _PLAIN else dt.unknown


def arrow_schema(columns: Sequence[psycopg.Column]) -> pa.Schema:
    """The Arrow schema of a result."""
    return pa.schema([(column.name, arrow_type(column)) for column in columns])


def sql_type(kind: pa.DataType) -> str:
    """The type of a lookup's column."""
    if pa.types.is_integer(kind):
        return "smallint" if kind.bit_width < 16 else "integer" if kind.bit_width < 32 else "bigint"  # noqa: PLR2004
    names = {
        pa.bool_(): "boolean",
        pa.float32(): "real",
        pa.float64(): "double precision",
        pa.date32(): "date",
        pa.time64("us"): "time",
        pa.timestamp("us"): "timestamp",
        pa.timestamp("us", "UTC"): "timestamptz",
    }
    return names.get(kind, "text")


def as_csv(table: pa.Table) -> bytes:
    """A small table as COPY reads it: a missing cell is bare, everything else quoted."""
    sink = io.BytesIO()
    pc.write_csv(table, sink, pc.WriteOptions(include_header=False, quoting_style="all_valid"))
    return sink.getvalue()


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
def readable() -> Iterator[None]:
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
        """Whether nothing comes at all."""
        self._fill(1)
        return not self._rest

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
