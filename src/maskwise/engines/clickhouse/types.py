"""ClickHouse's types as Arrow's and Ibis's, and the owner's columns as types that all three have."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

import ibis.expr.datatypes as dt
import pyarrow as pa

from maskwise.engines.clickhouse.names import quote_name, quote_text
from maskwise.errors import InputError

_PLAIN = {
    "Int8": pa.int8(),
    "Int16": pa.int16(),
    "Int32": pa.int32(),
    "Int64": pa.int64(),
    "UInt8": pa.uint8(),
    "UInt16": pa.uint16(),
    "UInt32": pa.uint32(),
    "UInt64": pa.uint64(),
    "Float32": pa.float32(),
    "Float64": pa.float64(),
    "Bool": pa.bool_(),
    "String": pa.string(),
    "Date": pa.date32(),
    "Date32": pa.date32(),
}
_WRAPPED = re.compile(r"(LowCardinality|Nullable)\((.*)\)")
_DECIMAL = re.compile(r"Decimal\((\d+), (\d+)\)")
_TIME = re.compile(r"DateTime(?:64\((\d+)(?:, '([^']*)')?\)|\('([^']*)'\)|)")
_MOST_DIGITS = 38
_MICROSECONDS = 6
_UTC = frozenset({"UTC", "Etc/UTC"})


@dataclass(frozen=True, slots=True)
class ResultColumn:
    """A column of a table or of a result."""

    name: str
    """What it is called."""
    kind: str
    """ClickHouse's name of its type, without what is said in the next two fields."""
    is_nullable: bool
    """Whether a cell may be missing."""
    is_listed: bool
    """Whether its values are kept in a list of their own (`LowCardinality`)."""

    @classmethod
    def of(cls, name: str, kind: str) -> ResultColumn:
        """Read a type as ClickHouse spells it.

        >>> ResultColumn.of("job", "LowCardinality(Nullable(String))")
        ResultColumn(name='job', kind='String', is_nullable=True, is_listed=True)
        """
        around = set()
        while (found := _WRAPPED.fullmatch(kind)) is not None:
            around.add(found[1])
            kind = found[2]
        return cls(name, kind, "Nullable" in around, "LowCardinality" in around)

    @property
    def zone(self) -> str | None:
        """The time zone of its moments; None if they have none."""
        found = _TIME.fullmatch(self.kind)
        return None if found is None else found[2] or found[3] or None

    @property
    def is_wall_clock(self) -> bool:
        """Whether it holds moments without a time zone."""
        return _TIME.fullmatch(self.kind) is not None and self.zone is None

    def arrow_type(self) -> pa.DataType | None:
        """The Arrow type that it is sent as; None where there is none that all engines know.

        What may not be missing and has 64 bits without a sign is a count of ours, which is sent with a sign.
        """
        if (found := _DECIMAL.fullmatch(self.kind)) is not None and int(found[1]) <= _MOST_DIGITS:
            return pa.decimal128(int(found[1]), int(found[2]))
        if (found := _TIME.fullmatch(self.kind)) is not None:
            return pa.timestamp("ns" if int(found[1] or 0) > _MICROSECONDS else "us", self.zone)
        if self.kind == "UInt64" and not self.is_nullable:
            return pa.int64()
        return _PLAIN.get(self.kind)

    def ibis_type(self) -> Any:
        """The Ibis type that stands for it in expressions."""
        if (found := _TIME.fullmatch(self.kind)) is not None:
            return dt.Timestamp(timezone=self.zone, scale=int(found[1] or 0))
        kind = self.arrow_type()
        return dt.unknown if kind is None else dt.DataType.from_pyarrow(kind)

    def read_sql(self, server_zone: str) -> str:
        """The column of an owner's table as every engine has it, in SQL: no lists of values, wide dates, texts.

        Args:
            server_zone: The time zone in which the owner sees moments that have none; the session's own is UTC.
        """
        cell = quote_name(self.name)
        if (found := _TIME.fullmatch(self.kind)) is not None:
            zone = "" if self.zone is None else f", {quote_text(self.zone)}"
            moment = f"CAST({cell} AS DateTime64({max(int(found[1] or 0), _MICROSECONDS)}{zone}))"
            shifts = self.zone is None and server_zone not in _UTC
            return f"fromUTCTimestamp({moment}, {quote_text(server_zone)})" if shifts else moment
        if self.kind == "UInt64":
            return f"CAST({cell} AS Nullable(UInt64))"
        if self.kind == "Date":
            return f"CAST({cell} AS Date32)"
        if self.arrow_type() is None:
            return f"CAST({cell} AS String)"
        return f"CAST({cell} AS {self.kind})" if self.is_listed else cell

    def written_sql(self, server_zone: str) -> str:
        """The column of a release as its owner shall see it, in SQL; the way back from `read_sql`."""
        cell = quote_name(self.name)
        if self.is_wall_clock and server_zone not in _UTC:
            return f"toUTCTimestamp({cell}, {quote_text(server_zone)}) AS {cell}"
        return cell


def sql_type(kind: pa.DataType) -> str:
    """ClickHouse's name of an Arrow type; times of day and nested types are texts.

    >>> sql_type(pa.timestamp("us", "UTC")), sql_type(pa.string())
    ("Nullable(DateTime64(6, 'UTC'))", 'Nullable(String)')
    """
    if pa.types.is_decimal(kind):
        return f"Nullable(Decimal({kind.precision}, {kind.scale}))"
    if pa.types.is_timestamp(kind):
        scale = 9 if kind.unit == "ns" else _MICROSECONDS
        return f"Nullable(DateTime64({scale}{'' if kind.tz is None else f', {quote_text(kind.tz)}'}))"
    if pa.types.is_date(kind):
        return "Nullable(Date32)"
    named = {plain: name for name, plain in _PLAIN.items()}
    return f"Nullable({named.get(kind, 'String')})"


def known_types(table: pa.Table) -> pa.Table:
    """An Arrow table in types that ClickHouse takes."""
    columns = {}
    for field, column in zip(table.schema, table.columns, strict=True):
        kind = field.type.value_type if pa.types.is_dictionary(field.type) else field.type
        if pa.types.is_timestamp(kind):
            kind = pa.timestamp("ns" if kind.unit == "ns" else "us", kind.tz)
        elif pa.types.is_date(kind):
            kind = pa.date32()
        elif not pa.types.is_decimal(kind) and kind not in _PLAIN.values():
            kind = pa.string()
        columns[field.name] = column.cast(kind)
    return pa.table(columns)


def as_sent(batch: pa.RecordBatch, schema: pa.Schema) -> pa.RecordBatch:
    """A batch of a result in the types that it was announced with; ClickHouse sends some moments as numbers.

    Args:
        batch: What was sent.
        schema: The types.
    """
    columns = []
    for column, field in zip(batch.columns, schema, strict=True):
        if pa.types.is_timestamp(field.type) and pa.types.is_integer(column.type):
            column = column.cast(pa.int64()).cast(pa.timestamp("s", field.type.tz))  # noqa: PLW2901 - the same column
        columns.append(column if column.type == field.type else column.cast(field.type))
        if pa.types.is_string(field.type):
            _refuse_other_encodings(columns[-1])
    return pa.RecordBatch.from_arrays(columns, schema=schema)


def _refuse_other_encodings(texts: pa.Array) -> None:
    try:
        texts.validate(full=True)
    except pa.ArrowInvalid:
        raise InputError("A column holds texts that are not UTF-8. Convert them, or leave the column out.") from None
