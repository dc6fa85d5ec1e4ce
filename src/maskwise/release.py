"""The last touches on a masked table: its order, its spelling, the kind it comes back as."""

from __future__ import annotations

import re
import secrets
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from maskwise.arrow import as_numpy
from maskwise.engines import ROW
from maskwise.errors import InputError

if TYPE_CHECKING:
    from maskwise.read import Table

_RUNS = r"^'*[=+\-@\t\r]"
"""How a cell begins that a spreadsheet would run; quotes before it count, so that `=x` and `'=x` stay two values."""
_NUMBER = r"^[+\-]?[0-9.]+([eE][+\-]?[0-9]+)?$"


def shuffled(table: Table, seed: int | None) -> Table:
    """Put the records in random order, so that their place tells nothing.

    Args:
        table: The records.
        seed: Makes the order repeatable; None draws a secret one.
    """
    import ibis  # noqa: PLC0415 - heavy
    import pyarrow as pa  # noqa: PLC0415 - heavy

    if not table.engine.keeps_order:
        if seed is not None:
            raise InputError("The records of a database have no order of their own, so no seed repeats a shuffle.")
        return replace(table, expr=table.expr.order_by(table.engine.by_chance()), is_shuffled=True)
    expr = table.expr if ROW in table.expr.columns else table.expr.mutate(**{ROW: ibis.row_number()})
    rows = np.sort(as_numpy(table.engine.fetch(expr.select(ROW)).column(0)))
    rng = np.random.default_rng(secrets.randbits(128) if seed is None else seed)
    places = table.engine.lookup(pa.table({"old_place": rows, "new_place": rng.permutation(len(rows))}))
    joined = expr.join(places, expr[ROW] == places["old_place"]).order_by("new_place")
    return replace(table, expr=joined.drop("old_place", "new_place"), is_shuffled=True)


def spreadsheet_safe(table: Table) -> Table:
    """Put a quote before texts that a spreadsheet would run as a formula; numbers stay.

    Claim: different texts stay different. A text that would run once its
    leading quotes are gone gets one more; no other text is changed, and none
    looks like one that was.
    """
    import ibis  # noqa: PLC0415 - heavy

    safe, touched = {}, set(table.rewritten)
    for name in table.names:
        cell = table.expr[table.key(name)]
        if cell.type().is_string():
            runs = cell.re_search(_RUNS) & ~cell.re_search(_NUMBER)
            touched.add(name)
            safe[table.key(name)] = ibis.ifelse(runs, ibis.literal("'") + cell, cell)
    expr = table.expr.mutate(**safe) if safe else table.expr
    return replace(table, expr=expr, rewritten=tuple(name for name in table.names if name in touched))


def safe_name(name: str) -> str:
    """A column name that a spreadsheet does not run.

    >>> safe_name("=cmd()"), safe_name("Age")
    ("'=cmd()", 'Age')
    """
    return f"'{name}" if re.match(_RUNS, name) else name


def safe_text(text: str) -> str:
    """A cell as `spreadsheet_safe` writes it.

    >>> safe_text("=1+1"), safe_text("'=1+1"), safe_text("-5"), safe_text("'s-Gravenhage")
    ("'=1+1", "''=1+1", '-5', "'s-Gravenhage")
    """
    return f"'{text}" if re.match(_RUNS, text) and not re.match(_NUMBER, text) else text


def as_frame(table: Table, *, keep_index: bool = False) -> Any:
    """Hand out a masked table as the kind of table that came in.

    Columns that pass through are the owner's own, with their types. A table of
    a database becomes a temporary table beside it.

    Args:
        table: The masked records.
        keep_index: Keep a pandas index, which is neither masked nor recounted.
    """
    plain = table.expr.select([table.expr[table.key(name)].name(name) for name in table.names])
    if table.frame is None:
        return table.engine.fetch(plain)
    if type(table.frame).__module__.startswith(("ibis", "pyspark")):
        return table.engine.hand_over(plain)
    import narwhals.stable.v1 as nw  # noqa: PLC0415 - heavy

    fresh = table.engine.fetch(table.expr.select(*(table.key(name) for name in table.names), ROW))
    if not table.is_shuffled:
        fresh = fresh.sort_by(ROW)
    frame = nw.from_native(table.frame, eager_only=True)
    rows = fresh.column(ROW).to_pylist()
    if rows != list(range(len(frame))):
        frame = frame[rows]
    if not keep_index:
        frame = nw.maybe_reset_index(frame)
    masked = [
        nw.new_series(name, fresh.column(table.key(name)).to_pylist(), nw.String, backend=frame.implementation)
        for name in table.rewritten
        if name in table.names
    ]
    return _without_unused(frame.select(*table.names).with_columns(*masked)).to_native()


def _without_unused(frame: Any) -> Any:
    """Let categories forget values that no released record has: those of dropped records, or of an earlier table."""
    import narwhals.stable.v1 as nw  # noqa: PLC0415 - heavy

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
            frame = frame.with_columns(nw.col(name).cast(nw.String))
    return frame
