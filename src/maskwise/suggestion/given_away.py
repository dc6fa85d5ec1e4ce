"""Columns that are filled only where the class has one value, such as a cause of death: whoever sees them knows it.

They are known after the class, so a recipient who is to predict it does not have them.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from maskwise.suggestion.roles import Judgement, Role
from maskwise.suggestion.wording import percent

if TYPE_CHECKING:
    from collections.abc import Mapping

    from maskwise.suggestion.evidence import TableEvidence
    from maskwise.table.table import Table

_BY_CHANCE = 1e-6
"""Chance would fill the cells so less often than this."""


def find_given_away(table: Table, evidence: TableEvidence, judged: Mapping[str, Judgement]) -> dict[str, Judgement]:
    """The columns that are filled only where the class has one value; no value is told.

    Args:
        table: The records.
        evidence: What was counted.
        judged: The roles so far.
    """
    name = next((name for name, judgement in judged.items() if judgement.role is Role.CLASS), None)
    columns = [
        column
        for column in evidence.columns
        if column.n_missing and column.n_cells and judged[column.name].role in {Role.QUASI_IDENTIFIER, Role.SENSITIVE}
    ]
    if name is None or not columns:
        return {}
    class_cell = table.column(name)
    filled = {f"f{i}": table.column(column.name).notnull().ifelse(1, 0) for i, column in enumerate(columns)}
    records = table.expr.select(of_class=class_cell, **filled)
    rows = table.engine.fetch(
        records.group_by("of_class").agg(n=records.count(), **{key: records[key].sum() for key in filled})
    ).to_pylist()
    found = {}
    for i, column in enumerate(columns):
        having = [int(row["n"]) for row in rows if row[f"f{i}"]]
        if len(having) != 1 or having[0] == evidence.n_records:
            continue
        if column.n_cells * math.log(having[0] / evidence.n_records) <= math.log(_BY_CHANCE):
            found[column.name] = Judgement(
                Role.GIVEN_AWAY,
                f"it is filled in {percent(column.n_cells / evidence.n_records)} of the records, and only where "
                f"`{name}` has one of its values, so it tells the class and is known after it; recipients who are to "
                "predict the class do not have it",
            )
    return found
