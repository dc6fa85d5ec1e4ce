"""Suppress records of a masked table: find them by their labels, then remove them or show them as roots.

Both steps run inside the engine. Which records are meant is told by a small
table of combinations of labels, so that later rows are suppressed alike.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import ibis
import pyarrow as pa

from maskwise.engines.base import ROW, Feature
from maskwise.engines.lookup_keys import look_up
from maskwise.policy.budget import Suppressed

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    import ibis.expr.types as ir

    from maskwise.solution.solution import Solution
    from maskwise.solution.suppression import SuppressedCombinations
    from maskwise.table.table import Table

FLAG = "suppressed"
"""The column that says whether a record is suppressed: 1 or 0."""
_MOST_CASES = 256
"""More labels than this are joined, not compared one by one."""


@dataclass(frozen=True, slots=True)
class SuppressedTable:
    """A masked table, and how many of its records were suppressed."""

    table: Table
    """The records that are left; where suppressed ones are shown as roots, all of them."""
    marked: Table
    """The masked records as they were, with `FLAG` beside their columns."""
    n_suppressed: int
    """How many records were suppressed."""


def suppress(masked: Table, solution: Solution) -> SuppressedTable | None:
    """Suppress the records of a masked table that a solution says; None where it suppresses none.

    Args:
        masked: The masked records, with all masked attributes.
        solution: What to suppress, and what becomes of it.
    """
    said = solution.suppression
    if said is None or not said.combinations:
        return None
    marked = mark_suppressed(masked, said.combinations)
    n = int(marked.engine.fetch(marked.expr.aggregate(n=marked.expr[FLAG].sum())).column(0)[0].as_py() or 0)
    roots = {cut.attribute: cut.root for cut in solution.cuts}
    return SuppressedTable(take_away(marked, said.shown_as, roots), marked, n)


def mark_suppressed(masked: Table, combinations: Sequence[SuppressedCombinations]) -> Table:
    """Add the column `FLAG` to a masked table: 1 for records with one of the combinations of labels.

    Args:
        masked: The masked records.
        combinations: Labels on one or several sets of columns; any of them is enough.
    """
    expr = masked.expr
    if masked.engine.can(Feature.RECORD_ORDER) and ROW not in expr.columns:
        # Joins may change the order of the records.
        expr = expr.mutate(**{ROW: ibis.row_number().cast("int64")})
    beside = [*expr.columns]
    found = []
    for q, one in enumerate(combinations):
        places = []
        for p, name in enumerate(one.qid):
            labels = list(dict.fromkeys(labels[p] for labels in one.labels))
            expr = _number_labels(masked, expr, f"place_{q}_{p}", name, labels)
            places.append({label: str(at) for at, label in enumerate(labels)})
        keys = [",".join(place[label] for place, label in zip(places, row, strict=True)) for row in one.labels]
        text = expr[f"place_{q}_0"].cast("string")
        for p in range(1, len(one.qid)):
            text = text + ibis.literal(",") + expr[f"place_{q}_{p}"].cast("string")
        expr = look_up(masked.engine, expr, f"found_{q}", text, pa.array(keys, pa.string()), [1] * len(keys))
        found.append(f"found_{q}")
    is_found = expr[found[0]].notnull()
    for name in found[1:]:
        is_found = is_found | expr[name].notnull()
    flagged = expr.select(*beside, **{FLAG: is_found.ifelse(1, 0).cast("int64")})
    return replace(masked, expr=flagged.order_by(ROW) if ROW in beside else flagged)


def _number_labels(masked: Table, expr: ir.Table, key: str, name: str, labels: Sequence[str | None]) -> ir.Table:
    """Add a column with the place of each cell among some labels, -1 if it is none of them."""
    cell = expr[masked.key(name)]
    named = [(at, label) for at, label in enumerate(labels) if label is not None]
    missing = labels.index(None) if None in labels else -1
    if len(named) <= _MOST_CASES:
        branches = [(cell.isnull(), ibis.literal(missing)), *((cell == text, ibis.literal(at)) for at, text in named)]
        return expr.mutate(**{key: ibis.cases(*branches, else_=ibis.literal(-1)).cast("int32")})
    texts, codes = pa.array([text for _, text in named], pa.string()), [at for at, _ in named]
    expr = look_up(masked.engine, expr, key, cell, texts, codes)
    place = expr[key].fill_null(-1)
    return expr.mutate(**{key: expr[masked.key(name)].isnull().ifelse(missing, place).cast("int32")})


def take_away(marked: Table, shown_as: Suppressed, roots: Mapping[str, str]) -> Table:
    """Remove the records that are marked, or show them as the root on every masked attribute.

    Args:
        marked: Masked records with the column `FLAG`.
        shown_as: Which of both.
        roots: The root of each masked attribute.
    """
    expr = marked.expr
    if shown_as is Suppressed.REMOVED:
        return replace(marked, expr=expr.filter(expr[FLAG] == 0).drop(FLAG))
    shown = {
        marked.key(name): ibis.cases(
            (expr[FLAG] == 1, ibis.literal(root, "string")), else_=expr[marked.key(name)].cast("string")
        )
        for name, root in roots.items()
    }
    return replace(marked, expr=expr.mutate(**shown).drop(FLAG))
