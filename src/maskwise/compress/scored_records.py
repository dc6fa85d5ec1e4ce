"""Records grouped by what their unmasked columns tell of the class, inside the engine: only counts travel."""

from __future__ import annotations

from dataclasses import dataclass, replace
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


@dataclass(frozen=True, slots=True)
class _WeighedColumns:
    """What is known of the unmasked columns, once it has been counted."""

    columns: tuple[NumberedColumn, ...]
    """The columns."""
    weights: Weights
    """The log odds of their values."""
    bins: Lookup
    """The bin of each score."""


def score_by_odds(table: Table, unmasked: Sequence[str], class_name: str) -> tuple[Table, Lookup] | None:
    """The records with a column `SCORE`, and how it is put into bins; None if the columns tell nothing.

    The score adds up the log odds of the values of all unmasked columns.

    Args:
        table: The records.
        unmasked: The columns.
        class_name: The class.
    """
    key = ("odds", table.expr.op(), table.column(class_name).op(), tuple(unmasked))
    weighed = table.kept.get(key, lambda: _weigh_columns(table, unmasked, class_name))
    if weighed is None:
        return None
    return _score(table, weighed.columns, weighed.weights), weighed.bins


def _weigh_columns(table: Table, unmasked: Sequence[str], class_name: str) -> _WeighedColumns | None:
    columns = tuple(count_unmasked(table, unmasked, class_name))
    if not columns or np.count_nonzero(columns[0].counts.sum(axis=0)) < 2:  # noqa: PLR2004 - nothing to tell apart
        return None
    weights = weigh([column.counts for column in columns])
    scored = _score(table, columns, weights)
    lows = bin_lows(*count_scores(table.engine, scored.expr), weights)
    return _WeighedColumns(columns, weights, Lookup(from_numpy(lows), None)) if len(lows) > 1 else None


def _score(table: Table, columns: Sequence[NumberedColumn], weights: Weights) -> Table:
    """The records with their scores."""
    cells = {f"u{i}": cell_of(table, column.name) for i, column in enumerate(columns)}
    lookups = {name: column.lookup for name, column in zip(cells, columns, strict=True)}
    scores = dict(zip(cells, weights.scores, strict=True))
    expr = score_records(table.engine, table.expr.mutate(**cells), lookups, scores, weights.start, weights.step)
    return replace(table, expr=expr)
