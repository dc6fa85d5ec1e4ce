"""Tables that hold their distinct rows, each with the number of its records.

What is asked of a release are counts. Whoever counts records in a table asks
here, so that it does not matter whether a row stands for one record or for many.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from maskwise.engines.base import RECORDS

if TYPE_CHECKING:
    import ibis.expr.datatypes as dt
    import ibis.expr.types as ir

    from maskwise.engines.sql import Engine


_LOOKED_AT = 1 << 17
"""Whether rows repeat is seen on so many records."""
_LEAST_REPEATED = 4
"""So many records a row has to stand for, or they are not counted by rows."""


def rows_repeat(engine: Engine, table: ir.Table) -> bool:
    """Whether the first records that come have few distinct rows."""
    some = table.limit(_LOOKED_AT)
    counts = [rows.aggregate(n=rows.count()) for rows in (some, some.distinct())]
    n_some, n_different = (int(engine.fetch(count).column(0)[0].as_py()) for count in counts)
    return n_different * _LEAST_REPEATED <= n_some


def n_records(table: ir.Table) -> ir.Value:
    """The number of records, to be computed for a whole table or for each group of it."""
    if RECORDS not in table.columns:
        return table.count()
    # Sums are wider than Ibis thinks, so that it would leave out a cast to their supposed type alone.
    return table[RECORDS].sum().coalesce(0).cast("decimal(38, 0)").cast("int64")


def n_marked(table: ir.Table, mark: ir.Value) -> ir.Value:
    """The number of records that have a mark.

    Args:
        table: The table.
        mark: A column of it, of ones and zeros.
    """
    return marked_of_row(table, mark).sum()


def marked_of_row(table: ir.Table, mark: ir.Value) -> ir.Value:
    """How many of the records that each row stands for have a mark; `mark` as in `n_marked`."""
    return mark * table[RECORDS] if RECORDS in table.columns else mark


def records_of_row(table: ir.Table) -> dict[str, ir.Value]:
    """The column of a table that must stay beside others, so that its records can still be counted; none in most."""
    return {RECORDS: table[RECORDS]} if RECORDS in table.columns else {}


def is_told_apart(kind: dt.DataType) -> bool:
    """Whether cells of a type are equal only if they are spelled alike, so that a GROUP BY merges no two of them."""
    tests = (kind.is_string, kind.is_integer, kind.is_boolean, kind.is_date, kind.is_time, kind.is_timestamp)
    return any(test() for test in tests)
