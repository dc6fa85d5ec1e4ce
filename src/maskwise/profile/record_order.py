"""Masked columns that the order of the records tells.

A table that was sorted by age still is when the ages are masked: who keeps the
order of the records gives the ages away, nearly. Two figures show it: how an
ordered column rises or falls with the position, and how often neighbours have
the same cell.
"""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING

import ibis

from maskwise.engines.base import ROW, Feature
from maskwise.errors import quote
from maskwise.policy.attributes import Kind
from maskwise.table.random_part import MOST_RECORDS
from maskwise.table.table import one_or_zero
from maskwise.values.message import Audience, Level, Message
from maskwise.values.parsing import needs_python

if TYPE_CHECKING:
    from collections.abc import Sequence

    import ibis.expr.types as ir

    from maskwise.profile.columns import Column
    from maskwise.table.table import Table

_CORRELATED = 0.3
"""From such a correlation of position and number on, either way, a column is named."""
_NEIGHBOURS = 0.3
"""A column is named if neighbours agree in so many more of the cases in which chance lets them differ."""
_BLOCK = 1_000
"""Of a large table blocks of so many neighbours are looked at."""
_SURE = 5.0
"""A figure of few records must also be so many standard deviations from what chance gives."""


def order_tells(table: Table, columns: Sequence[Column]) -> tuple[str, ...]:
    """Name the masked attributes that the position of a record tells.

    Args:
        table: The records, unmasked, in the order in which they would be released.
        columns: The masked attributes, as `profile` found them.

    Returns:
        Their names; none on an engine whose records have no order.
    """
    if not table.engine.can(Feature.RECORD_ORDER):
        return ()
    placed = table.expr if ROW in table.expr.columns else table.expr.mutate(**{ROW: ibis.row_number()})
    every = math.ceil(columns[0].n_records / MOST_RECORDS)
    if every > 1:
        block = placed[ROW] - placed[ROW] % _BLOCK
        placed = placed.filter(block.cast("string").hash().abs() % every == 0)
    table = replace(table, expr=placed)
    numbers = {f"x{i}": number for i, column in enumerate(columns) if (number := _number(table, column)) is not None}
    cells = {f"c{i}": table.hashed(column.name) for i, column in enumerate(columns)}
    records = placed.select(position=placed[ROW].cast("float64"), **numbers, **cells)
    before = {f"p{i}": records[cell].lag().over(order_by=records["position"]) for i, cell in enumerate(cells)}
    beside = records.mutate(**before)
    asked: dict[str, ir.Value] = {"n": beside.count()}
    asked |= {name: beside[name].corr(beside["position"], how="pop") for name in numbers}
    asked |= {f"s{i}": one_or_zero(beside[f"p{i}"] == beside[cell]).sum() for i, cell in enumerate(cells)}
    (found,) = table.engine.fetch(beside.aggregate(**asked)).to_pylist()
    return tuple(
        column.name
        for i, column in enumerate(columns)
        if _is_correlated(found.get(f"x{i}"), found["n"]) or _agree(column, int(found[f"s{i}"] or 0), found["n"] - 1)
    )


def order_message(names: Sequence[str]) -> tuple[Message, ...]:
    """Warn the owner that the kept order of the records tells masked attributes.

    Args:
        names: What `order_tells` named.
    """
    if not names:
        return ()
    text = (
        f"The records are released in their order, and it tells about {quote(names)}: the table seems to be sorted or "
        "grouped by it. Release the records in random order."
    )
    return (Message(Level.WARNING, Audience.OWNER, text),)


def _number(table: Table, column: Column) -> ir.Value | None:
    """The cell of an interval attribute as a number; None of other attributes."""
    if column.kind is not Kind.INTERVAL or column.scale is None:
        return None
    cell = table.column(column.name)
    if cell.type().is_unknown():
        # Such as times of nanoseconds, which Ibis does not know.
        cell = cell.cast("string")
    if cell.type().is_string():
        if needs_python(column.keys, column.scale):
            return None
        cell = table.engine.dialect.try_cast(cell, column.scale.engine_type or "time")
    if cell.type().is_time():
        return (cell.hour() * 60 + cell.minute()) * 60 + cell.second()
    if cell.type().is_date():
        cell = cell.cast("timestamp")
    if cell.type().is_timestamp():
        cell = cell.epoch_seconds()
    return cell.cast("float64")


def _is_correlated(correlation: float | None, n_records: int) -> bool:
    """Whether a correlation is large, and larger than chance makes it: its deviation is 1 / sqrt(n)."""
    if correlation is None or math.isnan(correlation):
        return False
    return abs(correlation) >= max(_CORRELATED, _SURE / math.sqrt(n_records))


def _agree(column: Column, n_same: int, n_pairs: int) -> bool:
    """Whether neighbours have the same cell more often than two records taken at random.

    Args:
        column: The attribute.
        n_same: How many records have the cell of the record before them.
        n_pairs: How many were compared.
    """
    n_records = column.n_records
    counts = [*column.counts.sum(axis=1).tolist(), int(column.missing.sum())]
    # Values too rare to be told apart agree with nobody, nearly; neither do those of a range.
    by_chance = sum((n / n_records) ** 2 for n in counts)
    if n_pairs < 1 or by_chance == 1:
        return False
    excess = (n_same / n_pairs - by_chance) / (1 - by_chance)
    deviation = math.sqrt(by_chance / (1 - by_chance) / n_pairs)
    return bool(excess >= max(_NEIGHBOURS, _SURE * deviation))
