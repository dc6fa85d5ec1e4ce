"""Tables that hold their distinct rows, each with the number of its records.

What is asked of a release are counts. Whoever counts records in a table asks
here, so that it does not matter whether a row stands for one record or for many.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from maskwise.engines.base import RECORDS

if TYPE_CHECKING:
    import ibis.expr.types as ir


def n_records(table: ir.Table) -> ir.Value:
    """The number of records, to be computed for a whole table or for each group of it."""
    return table[RECORDS].sum().coalesce(0).cast("uint64").cast("int64") if RECORDS in table.columns else table.count()


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
