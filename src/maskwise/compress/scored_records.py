"""Records grouped by what their unmasked columns tell of the class, inside the engine: only counts travel."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from maskwise.compress.unmasked_counts import cell_of, count_unmasked
from maskwise.compress.value_odds import bin_lows, weigh
from maskwise.engines.base import Lookup
from maskwise.engines.value_scores import count_scores, score_records
from maskwise.values.arrow import from_numpy

if TYPE_CHECKING:
    from collections.abc import Sequence

    from maskwise.compress.unmasked_counts import NumberedColumn
    from maskwise.compress.value_odds import Weights
    from maskwise.table.table import Table


def score_by_odds(
    table: Table, unmasked: Sequence[str], class_name: str, needed: Sequence[str]
) -> tuple[Table, Lookup] | None:
    """The records with a column `SCORE`, and how it is put into bins; None if the columns tell nothing.

    The score adds up the log odds of the values of all unmasked columns. The
    records are a temporary table, as they are looked at twice; where a table is
    asked again, it is kept.

    Args:
        table: The records.
        unmasked: The columns.
        class_name: The class.
        needed: The columns that are kept beside the score.
    """
    key = ("odds", table.expr.op(), table.column(class_name).op(), tuple(unmasked), tuple(needed))
    return table.kept.get(key, lambda: _score_records(table, unmasked, class_name, needed))


def _score_records(
    table: Table, unmasked: Sequence[str], class_name: str, needed: Sequence[str]
) -> tuple[Table, Lookup] | None:
    columns, weights = _weigh_columns(table, unmasked, class_name)
    if weights is None:
        return None
    cells = {f"u{i}": cell_of(table, column.name) for i, column in enumerate(columns)}
    lookups = {name: column.lookup for name, column in zip(cells, columns, strict=True)}
    scores = dict(zip(cells, weights.scores, strict=True))
    kept = {table.key(name): table.expr[table.key(name)] for name in needed}
    records = table.expr.select(**kept, **cells)
    scored = score_records(table.engine, records, lookups, scores, weights.start, weights.step)
    lows = bin_lows(*count_scores(table.engine, scored), weights)
    return (replace(table, expr=scored), Lookup(from_numpy(lows), None)) if len(lows) > 1 else None


def _weigh_columns(
    table: Table, unmasked: Sequence[str], class_name: str
) -> tuple[Sequence[NumberedColumn], Weights | None]:
    columns = count_unmasked(table, unmasked, class_name)
    if not columns or np.count_nonzero(columns[0].counts.sum(axis=0)) < 2:  # noqa: PLR2004 - nothing to tell apart
        return (), None
    return columns, weigh([column.counts for column in columns])
