"""Return a masked table as the kind of table that was given: pandas, Polars, Arrow, Ibis or Spark."""

from __future__ import annotations

from operator import or_
from typing import TYPE_CHECKING, Any

import narwhals.stable.v1 as nw
import pyarrow as pa

from maskwise.engines.base import ROW
from maskwise.values.input_kind import InputKind, input_kind

if TYPE_CHECKING:
    from collections.abc import Mapping

    from maskwise.table.table import Table

_IS_THERE = "is there"
"""A column for a moment."""


def as_frame(table: Table, *, keep_index: bool = False) -> Any:
    """Return a masked table as the kind of table that was given; an Arrow table if a file was.

    Columns that pass through keep their cells and types. A table of a database
    becomes a temporary table in it.

    Args:
        table: The masked records.
        keep_index: Keep a pandas index, which is neither masked nor recounted.
    """
    named = table.expr.select([table.expr[table.key(name)].name(name) for name in table.names])
    if table.frame is None:
        return table.engine.fetch(named)
    if input_kind(table.frame).is_database_table:
        return table.engine.as_native(named)
    fresh = table.engine.fetch(table.expr.select(*(table.key(name) for name in table.names), ROW))
    if not table.is_shuffled:
        fresh = fresh.sort_by(ROW)
    frame = nw.from_native(table.frame, eager_only=True)
    rows = fresh.column(ROW).to_pylist()
    if rows != list(range(len(frame))):
        frame = frame[rows]
    if not keep_index:
        frame = nw.maybe_reset_index(frame)
    # Under plain names: `*` and `^a.*$` would mean other columns to Polars.
    plain = {name: f"p{i}" for i, name in enumerate(frame.columns)}
    frame = frame.rename(plain).select(*(plain[name] for name in table.names if name in plain))
    plain |= {name: f"n{i}" for i, name in enumerate(table.names) if name not in plain}
    frame = _with_blanks(frame, table, fresh, plain)
    masked = [
        nw.new_series(
            plain[name],
            fresh.column(table.key(name)).to_pylist(),
            _type_of(fresh.column(table.key(name))),
            backend=frame.implementation,
        )
        for name in table.rewritten
        if name in table.names
    ]
    frame = _without_unused_categories(frame.with_columns(*masked)).select(*(plain[name] for name in table.names))
    released = _without_notes(frame.rename({plain[name]: name for name in table.names}).to_native())
    return released.lazy() if table.is_lazy else released


def _type_of(column: pa.ChunkedArray) -> Any:
    """What a rewritten column holds: texts, or numbers and dates in their place."""
    if pa.types.is_floating(column.type):
        return nw.Float64
    if pa.types.is_date(column.type):
        return nw.Date
    return nw.Datetime if pa.types.is_timestamp(column.type) else nw.String


def _without_notes(frame: Any) -> Any:
    """The frame without what its maker noted beside its cells: it was not looked at."""
    match input_kind(frame):
        case InputKind.ARROW:
            return frame.cast(pa.schema([field.remove_metadata() for field in frame.schema]))
        case InputKind.PANDAS:
            frame.attrs = {}
    return frame


def _with_blanks(frame: Any, table: Table, fresh: pa.Table, plain: Mapping[str, str]) -> Any:
    """Empty the cells of the given table that were taken for missing.

    Args:
        frame: The table that was given, with the records of `fresh`.
        table: The masked records.
        fresh: Their cells.
        plain: What each column is called in the frame.
    """
    for name in table.blanked:
        if name in table.rewritten or name not in table.names:
            continue
        there = fresh.column(table.key(name)).is_valid().to_pylist()
        was_missing = frame.get_column(plain[name]).is_null().to_list()
        if not all(map(or_, there, was_missing)):
            is_there = nw.new_series(_IS_THERE, there, nw.Boolean, backend=frame.implementation)
            cells = nw.when(nw.col(_IS_THERE)).then(nw.col(plain[name])).alias(plain[name])
            frame = frame.with_columns(is_there).with_columns(cells).drop(_IS_THERE)
    return frame


def _without_unused_categories(frame: Any) -> Any:
    """Remove categories that no released record has: values of dropped records, or of an earlier table."""
    for name, kind in frame.schema.items():
        if kind not in {nw.Categorical, nw.Enum}:
            continue
        column = frame.get_column(name)
        if set(column.cat.get_categories().to_list()) == set(column.drop_nulls().cast(nw.String).unique().to_list()):
            continue
        if frame.implementation.is_pandas_like():
            native = column.to_native().cat.remove_unused_categories()
            frame = frame.with_columns(nw.from_native(native, series_only=True))
        elif frame.implementation.is_pyarrow():
            plain = column.to_native().cast(column.to_native().type.value_type).dictionary_encode()
            frame = frame.with_columns(nw.from_native(plain, series_only=True).alias(name))
        else:
            frame = frame.with_columns(column.cast(nw.String))
    return frame
