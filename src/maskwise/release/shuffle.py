"""Random order of the released records."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from maskwise.engines.base import ROW, Feature
from maskwise.errors import InputError
from maskwise.values.arrow import as_numpy

if TYPE_CHECKING:
    from maskwise.table.table import Table


def shuffle_records(table: Table, seed: int | None) -> Table:
    """Put the records in random order, so that their position reveals nothing.

    Args:
        table: The records.
        seed: Makes the order repeatable; None draws a secret one inside the engine.
    """
    import ibis  # noqa: PLC0415 - heavy
    import pyarrow as pa  # noqa: PLC0415 - heavy

    if seed is None:
        return replace(table, expr=table.expr.order_by(table.engine.dialect.random_order()), is_shuffled=True)
    if not table.engine.can(Feature.RECORD_ORDER):
        raise InputError("The records of a database have no order of their own, so no seed repeats a random one.")
    expr = table.expr if ROW in table.expr.columns else table.expr.mutate(**{ROW: ibis.row_number()})
    rows = np.sort(as_numpy(table.engine.fetch(expr.select(ROW)).column(0)))
    rng = np.random.default_rng(seed)
    positions = table.engine.register(pa.table({"old_position": rows, "new_position": rng.permutation(len(rows))}))
    joined = expr.join(positions, expr[ROW] == positions["old_position"]).order_by("new_position")
    return replace(table, expr=joined.drop("old_position", "new_position"), is_shuffled=True)


def shuffles(*, keep_order: bool, shuffle: bool) -> bool:
    """Whether records are released in random order."""
    if keep_order and shuffle:
        raise InputError("Records are shuffled or keep their order, not both. Leave out one of them.")
    return not keep_order


def check_seed(seed: int | None, *, is_used: bool) -> None:
    """Refuse a seed that nothing uses, and one that is none."""
    if seed is not None and not is_used:
        raise InputError(
            "A seed makes a random order, restarts or the variants of `conditional` repeatable, but none is asked for. "
            "Leave it out."
        )
    if seed is not None and seed < 0:
        raise InputError("A seed is a whole number that is at least 0.")
