"""Pseudonyms: a random text in the place of whom a record is about, the same in all records of a person."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import ibis

from maskwise.engines.base import ROW, Feature

if TYPE_CHECKING:
    import ibis.expr.types as ir

    from maskwise.engines.sql import Engine
    from maskwise.policy.person import Person
    from maskwise.table.table import Table


_LEAST_DIGITS = 6
"""Pseudonyms have so many digits, or more where there are more persons."""


def pseudonymize(table: Table, person: Person | None) -> Table:
    """Write a pseudonym for each person, if the release is to have them; else change nothing.

    Claim: a pseudonym tells nothing of the cell that it stands for. It is the
    place of the person in a random order, drawn anew for every release.

    Args:
        table: The records.
        person: The column that names persons, and what the release shows of it.
    """
    if person is None or not person.is_released or person.column not in table.names:
        return table
    cells = table.normalized([person.column])
    expr = _draw_texts(table.engine, cells, table.key(person.column))
    return replace(table, expr=expr, rewritten=(*table.rewritten, person.column))


def _draw_texts(engine: Engine, table: ir.Table, name: str) -> ir.Table:
    """Replace each distinct cell of a column by a random text of its own, keeping the order of rows."""
    # In two steps, each kept as a table: what is drawn must stay, however often it is looked at.
    cells = table.select(cell=table[name]).distinct()
    drawn = engine.materialize(cells.mutate(place=engine.dialect.random_order()))
    n_cells = int(engine.fetch(drawn.aggregate(n=drawn.count())).column(0)[0].as_py())
    number = ibis.row_number().over(order_by=drawn["place"]) + 1
    text = number.cast("string").lpad(max(_LEAST_DIGITS, len(str(n_cells))), "0")
    small = engine.materialize(drawn.select(lookup_key=drawn["cell"], lookup_text=ibis.literal("p") + text))
    if engine.can(Feature.RECORD_ORDER) and ROW not in table.columns:
        table = table.mutate(**{ROW: ibis.row_number()})
    joined = table.left_join(small, table[name] == small["lookup_key"])
    shown = joined.mutate(**{name: joined["lookup_text"]}).drop("lookup_key", "lookup_text")
    return shown.order_by(ROW) if ROW in shown.columns else shown
