"""Random order of the released records."""

from __future__ import annotations

import secrets
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from maskwise.engines.base import ROW
from maskwise.errors import InputError
from maskwise.values.arrow import as_numpy

if TYPE_CHECKING:
    from maskwise.table.table import Table


def shuffle_records(table: Table, seed: int | None) -> Table:
    """Put the records in random order, so that their position reveals nothing.

    Args:
        table: The records.
        seed: Makes the order repeatable; None draws a secret one.
    """
    import ibis  # noqa: PLC0415 - heavy
    import pyarrow as pa  # noqa: PLC0415 - heavy

    if not table.engine.keeps_order:
        if seed is not None:
            raise InputError("The records of a database have no order of their own, so no seed repeats a shuffle.")
        return replace(table, expr=table.expr.order_by(table.engine.by_chance()), is_shuffled=True)
    expr = table.expr if ROW in table.expr.columns else table.expr.mutate(**{ROW: ibis.row_number()})
    rows = np.sort(as_numpy(table.engine.fetch(expr.select(ROW)).column(0)))
    rng = np.random.default_rng(secrets.randbits(128) if seed is None else seed)
    positions = table.engine.lookup(pa.table({"old_position": rows, "new_position": rng.permutation(len(rows))}))
    joined = expr.join(positions, expr[ROW] == positions["old_position"]).order_by("new_position")
    return replace(table, expr=joined.drop("old_position", "new_position"), is_shuffled=True)
