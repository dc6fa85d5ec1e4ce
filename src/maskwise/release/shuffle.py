"""The order of the released records: random, or the one that they have."""

from __future__ import annotations

import secrets
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

import ibis
import numpy as np
import pyarrow as pa
from ibis.expr import operations as ops

from maskwise.engines.base import ROW, Feature
from maskwise.engines.wide_records import is_wide, order_wide
from maskwise.errors import InputError
from maskwise.release.label_codes import sort_by_numbers
from maskwise.values.arrow import as_numpy

if TYPE_CHECKING:
    import ibis.expr.types as ir
    from numpy.typing import NDArray

    from maskwise.engines.sql import Engine
    from maskwise.table.table import Table


def shuffle_records(table: Table, seed: int | None) -> Table:
    """Put the records in random order, so that their position reveals nothing.

    Args:
        table: The records.
        seed: Makes the order repeatable; None draws a secret one inside the engine.
    """
    constants, engine = _constants(table.expr), table.engine
    records = table.expr.drop(*constants)
    shuffled = engine.order(records, draw := partial(_draw_order, seed))
    if shuffled is None:
        shuffled = order_wide(engine, records, draw)
    if shuffled is None:
        sort = partial(_in_random_order, engine, seed=seed)
        # Where the records are in this process, which has to hold them; elsewhere it was not measured.
        shuffled = sort_by_numbers(records, sort) if engine.can(Feature.LOCAL_RECORDS) else sort(records)
    expr = shuffled.mutate(**constants).select(*table.expr.columns)
    return replace(table, expr=expr, is_shuffled=True)


def with_places(table: Table, *, are_kept: bool) -> Table:
    """The records, each with its place, where that has to be known when their cells have been changed.

    DuckDB keeps the order of records in most queries, but not where a long list of values becomes a join.

    Args:
        table: The records.
        are_kept: Whether the order of the release follows from the places; wide records get them in any case.
    """
    if ROW in table.expr.columns or not table.engine.can(Feature.RECORD_ORDER):
        return table
    if not are_kept and not is_wide(table.engine, table.expr):
        return table
    return replace(table, expr=table.expr.mutate(**{ROW: ibis.row_number()}))


def in_their_order(table: Table) -> Table:
    """The records in the order that they had before their cells were changed; see `with_places`."""
    ordered = table.engine.order(table.expr, np.arange)
    if ordered is None:
        ordered = order_wide(table.engine, table.expr, np.arange)
    if ordered is None and ROW in table.expr.columns:
        ordered = table.expr.order_by(ROW)
    return table if ordered is None else replace(table, expr=ordered)


def _draw_order(seed: int | None, n_records: int) -> NDArray[np.int64]:
    """For each place the record that comes there."""
    if seed is None:
        # An order that nobody knows comes from the system's randomness.
        return np.random.default_rng(secrets.randbits(256)).permutation(n_records)
    order = np.empty(n_records, np.int64)
    order[np.random.default_rng(seed).permutation(n_records)] = np.arange(n_records)
    return order


def _in_random_order(engine: Engine, records: ir.Table, seed: int | None) -> ir.Table:
    """The same records in random order."""
    if seed is None:
        return records.order_by(engine.dialect.random_order())
    if not engine.can(Feature.RECORD_ORDER):
        raise InputError("The records of a database have no order of their own, so no seed repeats a random one.")
    placed = records if ROW in records.columns else records.mutate(**{ROW: ibis.row_number()})
    rows = np.sort(as_numpy(engine.fetch(placed.select(ROW)).column(0)))
    order = _draw_order(seed, len(rows))
    positions = engine.register(pa.table({"old_position": rows[order], "new_position": np.arange(len(rows))}))
    joined = placed.join(positions, placed[ROW] == positions["old_position"]).order_by("new_position")
    return joined.select(*records.columns)


def _constants(table: ir.Table) -> dict[str, ir.Value]:
    """The columns that hold the same in every record, which need not be sorted; at least one column is left.

    Half of the columns of a masked table often show their root: sorting a million
    records without these took two thirds of the time.
    """
    found = {name: value for name in table.columns if (value := _constant(table.op(), name)) is not None}
    return found if len(found) < len(table.columns) else {}


def _constant(relation: Any, name: str) -> ir.Value | None:
    """What a column holds in every record, if its expression says so."""
    while True:
        if isinstance(relation, ops.Filter | ops.Sort | ops.DropColumns):
            relation = relation.parent
            continue
        value = relation.values.get(name) if isinstance(relation, ops.Project) else None
        if not isinstance(value, ops.Field):
            return value.to_expr() if isinstance(value, ops.Literal) else None
        relation, name = value.rel, value.name


def shuffles(*, keep_order: bool, shuffle: bool) -> bool:
    """Whether records are released in random order."""
    if keep_order and shuffle:
        raise InputError("Records are shuffled or keep their order, not both. Leave out one of them.")
    return not keep_order


def check_seed(seed: int | None, *, is_used: bool) -> None:
    """Refuse a seed that nothing uses, and one that is none."""
    if seed is not None and not is_used:
        raise InputError(
            "A seed repeats what is drawn at random, and here nothing is: the records keep their order, and "
            "every run gives the same release. Leave out the seed, or let the order be random."
        )
    if seed is not None and seed < 0:
        raise InputError("A seed is a whole number that is at least 0.")
