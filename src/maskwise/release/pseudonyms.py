"""Pseudonyms: a random text in the place of whom a record is about, the same in all records of a person."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from maskwise.policy.person import Person
    from maskwise.table.table import Table


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
    expr = table.engine.pseudonymize(cells, table.key(person.column))
    return replace(table, expr=expr, rewritten=(*table.rewritten, person.column))
