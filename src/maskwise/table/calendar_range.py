"""Dates and times that the calendar of ISO 8601 can spell: of the years 1 to 9999."""

from __future__ import annotations

import datetime as dt
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from maskwise.errors import InputError, quote

if TYPE_CHECKING:
    from collections.abc import Iterable

    from maskwise.table.table import Table

_EPOCH = dt.date(1970, 1, 1)
_DAYS = ((dt.date.min - _EPOCH).days, (dt.date.max - _EPOCH).days)
"""The first day and the last one, counted from 1970."""
_A_DAY = {"s": 86_400, "ms": 86_400_000, "us": 86_400_000_000, "ns": 86_400_000_000_000}


def refuse_other_dates(table: Table, names: Iterable[str]) -> None:
    """Refuse columns with a date before the year 1 or after 9999, or an infinite one: such cells have no spelling.

    Args:
        table: The records.
        names: The columns that will be masked or counted.
    """
    kinds = {name: table.expr[table.key(name)].type() for name in names}
    dated = [name for name, kind in kinds.items() if kind.is_date() or kind.is_timestamp()]
    if not dated:
        return
    ends: dict[str, Any] = {}
    for i, name in enumerate(dated):
        value = table.expr[table.key(name)]
        ends |= {f"low{i}": value.min(), f"high{i}": value.max()}
    found = table.engine.fetch(table.expr.aggregate(**ends))
    outside = [
        name
        for i, name in enumerate(dated)
        if not all(_is_spelled(found.column(f"{end}{i}")) for end in ("low", "high"))
    ]
    if outside:
        msg = (
            f"{quote(outside)} has dates before the year 1 or after 9999, or infinite ones, which cannot be masked or "
            "counted. Make them missing, or text."
        )
        raise InputError(msg)


def _is_spelled(cell: pa.ChunkedArray) -> bool:
    """Whether the one cell of a column is missing, or a day that the calendar has; Python could not hold another."""
    kind = cell.type
    n = cell.cast(pa.int32() if pa.types.is_date32(kind) else pa.int64())[0].as_py()
    if n is None:
        return True
    days = n if pa.types.is_date32(kind) else n // _A_DAY[getattr(kind, "unit", "ms")]
    return bool(_DAYS[0] <= days <= _DAYS[1])
