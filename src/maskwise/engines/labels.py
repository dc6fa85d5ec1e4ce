"""How a cell becomes its label inside an engine: comparisons for ordered columns, lists for others.

What is too long for an expression is looked up in a table.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import ibis
import pyarrow as pa

from maskwise.engines import local_verbs
from maskwise.engines.base import ROW, Feature
from maskwise.engines.code_columns import range_number
from maskwise.engines.lookup_keys import as_keys, number_codes

if TYPE_CHECKING:
    from collections.abc import Mapping

    import ibis.expr.types as ir

    from maskwise.engines.base import Relabel
    from maskwise.engines.sql import Engine

MOST_CASES = 512
"""Above so many distinct values a lookup table is faster than a CASE expression."""
_SAME = object()


def is_expression(relabel: Relabel) -> bool:
    """Whether a column is rewritten by an expression; else its labels are joined from a lookup table."""
    is_short = bool(relabel.intervals) or (len(relabel.keys) <= MOST_CASES and not relabel.is_ranged)
    return is_short or bool(_only_label(relabel))


def label_columns(engine: Engine, table: ir.Table, columns: Mapping[str, Relabel]) -> ir.Table:
    """Rewrite columns as text, keeping the order of rows where there is one.

    Args:
        engine: Where the records are.
        table: The records.
        columns: For each column how it is rewritten.
    """
    direct = {name: relabel for name, relabel in columns.items() if is_expression(relabel)}
    looked_up = {name: relabel for name, relabel in columns.items() if name not in direct}
    if looked_up:
        table = _look_up_labels(engine, table, looked_up)
    return table.mutate(**{name: label_cell(table[name], relabel) for name, relabel in direct.items()})


def _look_up_labels(engine: Engine, table: ir.Table, columns: Mapping[str, Relabel]) -> ir.Table:
    """Rewrite columns by lookup tables: by arrays where the records are in this process, else by joins."""
    read = table.mutate(**{name: as_keys(table[name], relabel) for name, relabel in columns.items()})
    if (records := engine.local(read)) is not None:
        labels = {name: local_verbs.label(records.columns[name], relabel) for name, relabel in columns.items()}
        return engine.hold_columns({**records.columns, **labels})
    order = table.columns
    if engine.can(Feature.RECORD_ORDER) and ROW not in order:
        table = table.mutate(**{ROW: ibis.row_number()})
    for name, relabel in columns.items():
        table = (_by_range if relabel.is_ranged else _by_lookup)(engine, table, name, relabel)
    return (table.order_by(ROW) if ROW in table.columns else table).select(*order)


def _by_lookup(engine: Engine, table: ir.Table, name: str, relabel: Relabel) -> ir.Table:
    """Join a column to its labels."""
    texts = pa.array(relabel.shown, pa.string())
    small = engine.register(pa.table({"lookup_key": relabel.keys, "lookup_text": texts}))
    joined = table.left_join(small, table[name] == small["lookup_key"])
    text = label_by_join(joined[name], joined["lookup_text"], relabel)
    return joined.mutate(**{name: text}).drop("lookup_key", "lookup_text")


def _by_range(engine: Engine, table: ir.Table, name: str, relabel: Relabel) -> ir.Table:
    """Number the range that each cell falls into, and join the number to its label."""
    records = str(engine.dialect.backend.compile(table.mutate(range_cell=as_keys(table[name], relabel))))

    def register(small: pa.Table) -> str:
        return str(engine.register(small).get_name())

    join, number = range_number(engine.dialect, register, "t.range_cell", relabel.keys)
    found = engine.view(
        f"SELECT t.*, CASE WHEN t.range_cell IS NULL THEN NULL ELSE {number} END AS range_number "  # noqa: S608
        f"FROM ({records}) t {join}"
    )
    others = [column for column in table.columns if column != name]
    numbered = found.select(*others, **{name: found["range_number"]})
    return _by_lookup(engine, numbered, name, replace(relabel, keys=number_codes(len(relabel.keys))))


def label_cell(cell: ir.Value, relabel: Relabel) -> ir.Value:
    """Rewrite a cell by an expression, without a join."""
    for text in _only_label(relabel):
        # Nothing to look up, and a constant costs the writer almost nothing.
        return ibis.literal(text, "string")
    return label_by_interval(cell, relabel) if relabel.intervals else label_by_list(cell, relabel)


def label_by_interval(cell: ir.Value, relabel: Relabel) -> ir.Value:
    """Compare a cell with the ends of the intervals, from the lowest up."""
    if relabel.scale is not None and cell.type().is_string():
        cell = cell.cast(relabel.scale.engine_type)
    branches = [(cell < end, ibis.literal(text)) for end, text in relabel.intervals[:-1]]
    return _cases(cell, relabel, branches, ibis.literal(relabel.intervals[-1][1]))


def label_by_list(cell: ir.Value, relabel: Relabel) -> ir.Value:
    """Look a cell up in a list for each label; a key that is shown as itself needs no label.

    What is in no list is never shown as it is: it gets the root, or where all
    keys are listed the label that replaces most, whose list is so never searched.
    """
    keys_of: dict[Any, list[Any]] = {}
    for key, text in zip(relabel.keys.to_pylist(), relabel.shown, strict=True):
        keys_of.setdefault(_SAME if key == text else text, []).append(key)
    texts = [text for text in keys_of if text is not _SAME]
    most = max(texts, key=lambda text: len(keys_of[text]), default=relabel.root)
    rest = relabel.root if relabel.has_others else most
    branches = [
        (cell.isin(keys), cell if text is _SAME else ibis.literal(text, "string"))
        for text, keys in keys_of.items()
        if text is _SAME or text != rest
    ]
    return _cases(cell, relabel, branches, ibis.literal(rest, "string"))


def label_by_join(cell: ir.Value, found: ir.Value, relabel: Relabel) -> ir.Value:
    """Take the label that a lookup table had for a cell, or the root."""
    return _cases(cell, relabel, [], found.fill_null(relabel.root))


def _cases(cell: ir.Value, relabel: Relabel, branches: list[tuple[Any, Any]], rest: ir.Value) -> ir.Value:
    """Give a missing cell its own label, and another one that of the first branch it is in."""
    missing = [(cell.isnull(), ibis.literal(relabel.missing, "string"))] if relabel.has_missing else []
    return ibis.cases(*missing, *branches, else_=rest) if missing or branches else rest


def _only_label(relabel: Relabel) -> list[str | None]:
    """The one label of all cells, if there is only one."""
    texts: set[str | None] = {text for _, text in relabel.intervals} or set(relabel.shown)
    texts |= {relabel.root} if relabel.has_others else set()
    is_only = texts <= {relabel.missing} or (len(texts) == 1 and not relabel.has_missing)
    return [next(iter(texts), relabel.missing)] if is_only else []
