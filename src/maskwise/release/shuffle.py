"""Random order of the released records."""

from __future__ import annotations

import secrets
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from maskwise.engines.base import ROW, Feature
from maskwise.errors import InputError
from maskwise.values.arrow import as_numpy

if TYPE_CHECKING:
    from maskwise.table.table import Table


def shuffled(table: Table, seed: int | None) -> Table:
    """Put the records in random order, so that their place tells nothing.

    Args:
        table: The records.
        seed: Makes the order repeatable; None draws a secret one.
    """
    import ibis  # noqa: PLC0415 - heavy
    import pyarrow as pa  # noqa: PLC0415 - heavy

    if not table.engine.can(Feature.RECORD_ORDER):
        if seed is not None:
            raise InputError("The records of a database have no order of their own, so no seed repeats a shuffle.")
        return replace(table, expr=table.expr.order_by(table.engine.dialect.random_order()), is_shuffled=True)
    expr = table.expr if ROW in table.expr.columns else table.expr.mutate(**{ROW: ibis.row_number()})
    rows = np.sort(as_numpy(table.engine.fetch(expr.select(ROW)).column(0)))
    rng = np.random.default_rng(secrets.randbits(128) if seed is None else seed)
    places = table.engine.register(pa.table({"old_place": rows, "new_place": rng.permutation(len(rows))}))
    joined = expr.join(places, expr[ROW] == places["old_place"]).order_by("new_place")
    return replace(table, expr=joined.drop("old_place", "new_place"), is_shuffled=True)
