"""Single records before and after masking, for the owner to look at."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from maskwise.engines.base import ROW
from maskwise.errors import InputError
from maskwise.release import mask as masking
from maskwise.table.data_frames import free_name
from maskwise.table.read import read
from maskwise.values.spelling import text_of

if TYPE_CHECKING:
    from maskwise.solution.solution import Solution
    from maskwise.table.table import Table

MOST_ROWS = 1000
"""So many records are given at once."""


@dataclass(frozen=True, slots=True)
class RowPair:
    """A record before and after masking."""

    before: tuple[str | None, ...]
    """Its cells; None is a missing one."""
    after: tuple[str | None, ...] | None
    """The cells that are released; None if the record is left out."""


@dataclass(frozen=True, slots=True)
class RowPairs:
    """Some records before and after masking. For the owner alone."""

    names: tuple[str, ...]
    """The columns of the table."""
    released: tuple[str, ...]
    """The columns of the release."""
    start: int
    """How many records come before these."""
    rows: tuple[RowPair, ...]
    """The records, in the order of the table."""


def pair_rows(table: Table, solution: Solution, start: int, n: int) -> RowPairs:
    """Take some records and mask them.

    Args:
        table: The records that the solution was found on.
        solution: What is shown.
        start: How many records are passed over.
        n: How many are given.
    """
    if start < 0 or not 0 <= n <= MOST_ROWS:
        msg = f"Rows are asked for from 0 on, up to {MOST_ROWS:,} at once; found {n:,} from {start:,} on."
        raise InputError(msg)
    raw = _fetch(table, start, n)
    number = free_name("number", table.names)
    released = tuple(name for name in table.names if name in solution.columns)
    before = [tuple(map(_text, row)) for row in zip(*(column.to_pylist() for column in raw.columns), strict=True)]
    if not before:
        return RowPairs(table.names, released, start, ())
    # As the records are read; cells that are taken for missing are missing already.
    small = replace(read(raw.append_column(number, pa.array(range(len(before)), pa.int64()))), forms=table.forms)
    after = _mask(small, solution, number, released)
    small.engine.close()
    rows = tuple(RowPair(one, after.get(i)) for i, one in enumerate(before))
    return RowPairs(table.names, released, start, rows)


def _fetch(table: Table, start: int, n: int) -> Any:
    """Some records as an Arrow table under the owner's names."""
    expr = table.expr.order_by(ROW) if ROW in table.expr.columns else table.expr
    keys = [table.key(name) for name in table.names]
    return table.engine.fetch(expr.limit(n, offset=start).select(*keys)).rename_columns(list(table.names))


def _mask(small: Table, solution: Solution, number: str, released: tuple[str, ...]) -> dict[int, tuple[Any, ...]]:
    """What is released of each record that is left, by its number."""
    kept = replace(solution, columns=(*solution.columns, number))
    shown = masking.apply(small, kept).table
    keys = [shown.key(name) for name in (number, *released)]
    fetched = shown.engine.fetch(shown.expr.select(*keys))
    columns = [column.to_pylist() for column in fetched.columns]
    return {row[0]: tuple(map(_text, row[1:])) for row in zip(*columns, strict=True)}


def _text(cell: Any) -> str | None:
    return None if cell is None else text_of(cell)
