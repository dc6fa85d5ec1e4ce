"""How a cell becomes its label inside an engine: comparisons for ordered columns, lists for others.

What is too long for an expression is joined to a lookup table, in `sql`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import ibis

if TYPE_CHECKING:
    import ibis.expr.types as ir

    from maskwise.engines.base import Relabel

MOST_CASES = 512
"""Above so many distinct values a lookup table is faster than a CASE expression."""
_SAME = object()


def is_expression(relabel: Relabel) -> bool:
    """Whether a column is rewritten by an expression; else its labels are joined from a lookup table."""
    is_short = bool(relabel.intervals) or (len(relabel.keys) <= MOST_CASES and not relabel.is_ranged)
    return is_short or bool(_only_label(relabel))


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
