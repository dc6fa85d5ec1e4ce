"""Ask an expression over records of this process what it makes of each distinct cell.

An expression that looks at one column at a time makes the same of equal cells. So
the embedded database is asked for the cells of all columns side by side, and what a
cell means is the same as on every other engine.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
from ibis.expr import operations as ops

from maskwise.engines.coded_columns import CodedColumn, CodedColumns
from maskwise.values.processors import for_each

if TYPE_CHECKING:
    from collections.abc import Mapping

    import ibis.expr.types as ir

    from maskwise.engines.sql import Engine

_BATCH = 100_000
"""So many cells at most are one batch, which one thread reads: their answers come in the order of the cells."""
_ROWS_FOR_THREADS = 100_000
"""From so many records on it pays to look at several columns at once."""
_SAME = (pa.types.is_string, pa.types.is_signed_integer, pa.types.is_float64, pa.types.is_boolean, pa.types.is_date32)
"""Types that the database gives back as they are."""


@dataclass(frozen=True, slots=True)
class LocalRecords:
    """Records of this process, as an expression shows them."""

    columns: Mapping[str, CodedColumn]
    """The expression's columns."""
    n_rows: int
    """How many records there are."""

    @property
    def pays_threads(self) -> bool:
        """Whether several columns are worth looking at at once."""
        return self.n_rows >= _ROWS_FOR_THREADS


def local_records(engine: Engine, expr: ir.Table) -> LocalRecords | None:
    """Look at the records of an expression in this process; None if they are not here, or it looks at several columns.

    Claim: the columns are those of the expression. Equal cells of a column have
    equal answers, because the expression looks at nothing but them.

    Args:
        engine: Holds the records, and asks the database.
        expr: An expression over them.
    """
    sources = sources_of(expr.op()) if engine.held else None
    held = None if sources is None else engine.held.get(sources.table.name)
    if sources is None or held is None:
        return None
    used = [column for column in dict.fromkeys(sources.columns.values()) if column is not None]
    pays = held.n_rows >= _ROWS_FOR_THREADS
    found = dict(zip(used, for_each(held.column, used, pays=pays), strict=True))
    own = {name: None if source is None else found[source] for name, source in sources.columns.items()}
    changed = [
        name
        for name, column in own.items()
        if column is None or name not in sources.unchanged or not any(test(column.cells.type) for test in _SAME)
    ]
    answers = _ask(engine, expr, sources, held, {name: own[name] for name in changed})
    # Of a constant all records have the one answer.
    nothing = np.zeros(held.n_rows, np.int32)
    columns = {}
    for name, column in own.items():
        codes = nothing if column is None else column.codes
        columns[name] = CodedColumn(answers[name], codes) if name in answers else column
    return LocalRecords(columns, held.n_rows)  # type: ignore[arg-type]


def _ask(
    engine: Engine, expr: ir.Table, sources: Sources, held: CodedColumns, asked: Mapping[str, CodedColumn | None]
) -> dict[str, pa.Array]:
    """What the database says of each cell of some columns, in their order."""
    if not asked:
        return {}
    n_cells = {name: 1 if column is None else len(column.cells) for name, column in asked.items()}
    found: dict[str, list[pa.Array]] = {name: [] for name in asked}
    start = 0
    while names := [name for name, n in n_cells.items() if n > start or not start]:
        n_rows = min(max(n_cells[name] for name in names) - start, _BATCH)
        cells = {
            source: column.cells.slice(start, n_rows)
            for name in names
            if (column := asked[name]) is not None and (source := sources.columns[name]) is not None
        }
        small = engine.register(_side_by_side(held.table.schema, cells, max(n_rows, 1))).op()
        answers = engine.fetch(expr.op().replace({sources.table: small}).to_expr().select(names))
        for name in names:
            said = answers.column(name).combine_chunks()
            found[name].append(said.slice(0, min(n_cells[name] - start, n_rows)))
        start += _BATCH
    return {name: pa.concat_arrays(parts) for name, parts in found.items()}


def _side_by_side(schema: pa.Schema, cells: Mapping[str, pa.Array], n_rows: int) -> pa.Table:
    """Cells of some columns beside each other; other columns, and shorter ones behind their end, have missing cells."""
    columns = {}
    for field in schema:
        own, kind = cells.get(field.name), field.type
        kind = kind.value_type if pa.types.is_dictionary(kind) else kind
        columns[field.name] = (
            pa.nulls(n_rows, kind) if own is None else pa.concat_arrays([own, pa.nulls(n_rows - len(own), own.type)])
        )
    return pa.table(columns)


@dataclass(frozen=True, slots=True)
class Sources:
    """What an expression is made of."""

    table: Any
    """The operation of the table that it reads."""
    columns: Mapping[str, str | None]
    """For each column of the expression the one column of that table that it is made of; None for a constant."""
    unchanged: frozenset[str]
    """The columns of the expression that are columns of that table as they are."""


def sources_of(relation: Any) -> Sources | None:
    """Find the columns that an expression is made of, each of one other; None where it is not as simple.

    Args:
        relation: The expression's operation.
    """
    table = relation
    while isinstance(table, ops.Project | ops.DropColumns):
        table = table.parent
    if not isinstance(table, ops.DatabaseTable):
        return None
    sources: dict[str, str | None] = {}
    unchanged = []
    for name in relation.schema.names:
        found = _columns_of(relation, name)
        if found is None or len(found) > 1:
            return None
        sources[name] = next(iter(found), None)
        unchanged += [name] * _is_unchanged(relation, name)
    return Sources(table, sources, frozenset(unchanged))


def _is_unchanged(relation: Any, name: str) -> bool:
    """Whether a column is one of the table at the bottom."""
    if isinstance(relation, ops.DropColumns):
        return _is_unchanged(relation.parent, name)
    if not isinstance(relation, ops.Project):
        return True
    value = relation.values[name]
    return isinstance(value, ops.Field) and _is_unchanged(value.rel, value.name)


def _columns_of(relation: Any, name: str) -> set[str] | None:
    """The columns of the table at the bottom that a column is made of; None if it is more than a function of them."""
    if isinstance(relation, ops.DropColumns):
        return _columns_of(relation.parent, name)
    return _fields_of(relation.values[name]) if isinstance(relation, ops.Project) else {name}


def _fields_of(value: Any) -> set[str] | None:
    if isinstance(value, ops.Field):
        return _columns_of(value.rel, value.name)
    others = (ops.Impure, ops.Analytic, ops.Reduction, ops.WindowFunction, ops.Subquery, ops.Relation)
    if isinstance(value, others):
        return None
    found: set[str] = set()
    for part in value.__children__:
        of_part = _fields_of(part)
        if of_part is None:
            return None
        found |= of_part
    return found
