"""Ibis's spelling of expressions for ClickHouse, where it would estimate, count bytes or read dates wrongly."""

from __future__ import annotations

import datetime as dt
from string import whitespace
from typing import Any, ClassVar

import ibis.expr.datatypes as types
import ibis.expr.operations as ops
import sqlglot.expressions as sge
from ibis.backends.sql.compilers.clickhouse import ClickHouseCompiler
from ibis.backends.sql.datatypes import ClickHouseType

_MICROSECONDS = 6
_EXACT_DIGITS = 15
"""A float holds so many digits."""
_HALF = 500
"""Half a microsecond, in nanoseconds."""


class WideDateTypes(ClickHouseType):  # type: ignore[misc]
    """Dates of all years, and moments with microseconds, unless a type says otherwise."""

    @classmethod
    def _from_ibis_Date(cls, _dtype: types.Date) -> sge.DataType:  # noqa: N802 - Ibis's names
        return sge.DataType(this=sge.DataType.Type.DATE32)

    @classmethod
    def _from_ibis_Timestamp(cls, dtype: types.Timestamp) -> Any:  # noqa: N802 - as above
        scaled = dtype if dtype.scale is not None else dtype.copy(scale=_MICROSECONDS)
        return super()._from_ibis_Timestamp(scaled)


class ExactCompiler(ClickHouseCompiler):  # type: ignore[misc]
    """The same figures, texts and dates as in the other databases."""

    __slots__ = ()
    type_mapper = WideDateTypes
    SIMPLE_OPS: ClassVar[dict[Any, str]] = {
        ops.CountDistinct: "uniqExact",
        ops.Date: "toDate32",
        ops.StringLength: "lengthUTF8",
        ops.StrRight: "rightUTF8",
    }

    def visit_Cast(self, op: Any, *, arg: Any, to: Any) -> Any:  # noqa: N802 - Ibis's names
        """Read and write texts as the other databases do; a text that cannot be read ends the query."""
        kind = op.arg.dtype
        if kind.is_string() and (to.is_numeric() or to.is_date() or to.is_timestamp()) and not to.is_boolean():
            read = self._read(arg, to)
            is_odd = self.f.toUInt8(self.f["and"](self.f.isNotNull(arg), self.f.isNull(read)))
            return self.if_(self.f.throwIf(is_odd).eq(0), read, None)
        if kind.is_decimal() and to.is_floating() and kind.precision > _EXACT_DIGITS:
            # By itself ClickHouse divides, and is off by a bit.
            return super().visit_Cast(op, arg=self.f.toString(arg), to=to)
        if kind.is_timestamp() and kind.scale != 0 and to.is_string():
            # Without the zeros at the end of the part of a second.
            return self.f.replaceRegexpOne(self.f.toString(arg), r"(\.[0-9]*[1-9])?\.?0*$", r"\1")
        if kind.is_timestamp() and to.is_timestamp() and (kind.scale or 0) > (to.scale or 0):
            return super().visit_Cast(op, arg=self.f.addNanoseconds(arg, _HALF), to=to)
        return super().visit_Cast(op, arg=arg, to=to)

    def visit_TryCast(self, op: Any, *, arg: Any, to: Any) -> Any:  # noqa: N802 - as above
        """Read texts; one that cannot be read is missing."""
        return self._read(arg, to) if op.arg.dtype.is_string() else super().visit_TryCast(op, arg=arg, to=to)

    def _read(self, text: Any, to: Any) -> Any:
        """Read texts; ClickHouse takes February 30th for a day in March, so what it read is spelled back."""
        bare = sge.Trim(this=text, position="BOTH", expression=sge.Literal.string(whitespace))
        read = self.f.accurateCastOrNull(bare, self.type_mapper.to_string(to.copy(nullable=False)))
        if to.is_date():
            return self.if_(self.f.toString(read).eq(bare), read, None)
        if to.is_timestamp():
            spelled = self.f.replaceOne(bare, "T", " ")
            return self.if_(self.f.startsWith(self.f.toString(read), spelled), read, None)
        return read

    def visit_NonNullLiteral(self, op: Any, *, value: Any, dtype: Any) -> Any:  # noqa: N802 - as above
        """Dates and moments of all years."""
        if dtype.is_timestamp():
            zone = () if dtype.timezone is None else ("UTC",)
            moment = value.astimezone(dt.UTC).replace(tzinfo=None) if value.tzinfo is not None else value
            return self.f.toDateTime64(moment.isoformat(sep=" "), _MICROSECONDS, *zone)
        if dtype.is_date():
            return self.f.toDate32(value.isoformat())
        return super().visit_NonNullLiteral(op, value=value, dtype=dtype)

    def visit_RegexSearch(self, op: Any, *, arg: Any, pattern: Any) -> Any:  # noqa: N802 - as above
        """A dot is no line end."""
        del op
        return self.f.anon.match(arg, self.f.concat("(?-s)", pattern))

    def visit_RegexExtract(self, op: Any, *, arg: Any, pattern: Any, index: Any) -> Any:  # noqa: N802 - as above
        """A group of a pattern, also of cells that may be missing."""
        del op
        return self.f.anon.regexpExtract(arg, self.f.concat("(?-s)", pattern), 0 if index is None else index)


compiler = ExactCompiler()
