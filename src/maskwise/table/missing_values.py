"""Cells that say in words or numbers that there is no value: `NA`, `?`, `-99`.

They become missing cells when a table is opened, so that everything after it
sees missing cells of one kind only.
"""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING

import ibis

if TYPE_CHECKING:
    from collections.abc import Sequence

    import ibis.expr.types as ir

    from maskwise.table.table import Table

_WHOLE = range(-(2**63), 2**63)
"""What a whole number of a database can be."""


def blank_values(table: Table, spellings: Sequence[str]) -> Table:
    """Make cells with one of these spellings missing: texts that are equal, and numbers of the same size.

    Args:
        table: The records.
        spellings: How a missing cell is spelled.
    """
    if not spellings:
        return table
    numbers = [number for number in map(_number, spellings) if number is not None]
    blanked = {}
    for name in table.names:
        cell = table.expr[table.key(name)]
        test = _is_one_of(table, name, spellings, numbers)
        if test is not None:
            blanked[name] = ibis.ifelse(test, ibis.null(cell.type()), cell)
    expr = table.expr.mutate(**{table.key(name): cell for name, cell in blanked.items()}) if blanked else table.expr
    return replace(table, expr=expr, blanked=tuple(blanked))


def _is_one_of(
    table: Table, name: str, spellings: Sequence[str], numbers: Sequence[int | float]
) -> ir.BooleanValue | None:
    """Whether a cell of a column is one of some values; None if no cell of its type can be."""
    cell = table.expr[table.key(name)]
    if cell.type().is_string():
        return cell.isin(list(spellings))
    if cell.type().is_integer() and not cell.type().is_uint64():
        whole = [int(number) for number in numbers if number == int(number) and int(number) in _WHOLE]
        return cell.isin(whole) if whole else None
    if cell.type().is_numeric() and not cell.type().is_boolean() and numbers:
        return table.column(name).isin([float(number) for number in numbers])
    return None


def _number(text: str) -> int | float | None:
    """The number that a text spells.

    >>> _number("-99"), _number("1e3"), _number("NA"), _number("inf")
    (-99, 1000.0, None, None)
    """
    try:
        return int(text)
    except ValueError:
        pass
    try:
        number = float(text)
    except ValueError:
        return None
    return number if math.isfinite(number) else None
