"""How a cell becomes its label inside an engine: comparisons for ordered columns, lists for others."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from maskwise.values.scales import Scale

if TYPE_CHECKING:
    import ibis.expr.types as ir

    from maskwise.engines.base import Relabel

_SAME = object()
_CASTS = {Scale.INTEGER: "int64", Scale.REAL: "float64", Scale.DATE: "date", Scale.TIMESTAMP: "timestamp"}


def by_steps(column: ir.Value, relabel: Relabel) -> ir.Value:
    """Compare each cell with the ends of the intervals, from the lowest up."""
    import ibis  # noqa: PLC0415 - heavy

    if relabel.scale is not None and column.type().is_string():
        column = column.cast(_CASTS[relabel.scale])
    branches = [(column.isnull(), ibis.literal(relabel.missing, "string"))] if relabel.has_missing else []
    branches += [(column < end, ibis.literal(text)) for end, text in relabel.steps[:-1]]
    return ibis.cases(*branches, else_=ibis.literal(relabel.steps[-1][1]))


def by_cases(column: ir.Value, relabel: Relabel) -> ir.Value:
    """Look each key up in a list; a key that is shown as itself needs no text.

    What is in no list is never shown as it is: it gets the root, or where all
    keys are listed the text that replaces most, whose list is so never searched.
    """
    import ibis  # noqa: PLC0415 - heavy

    keys_of: dict[Any, list[Any]] = {}
    for key, text in zip(relabel.keys.to_pylist(), relabel.shown, strict=True):
        keys_of.setdefault(_SAME if key == text else text, []).append(key)
    texts = [text for text in keys_of if text is not _SAME]
    most = max(texts, key=lambda text: len(keys_of[text]), default=relabel.root)
    rest = relabel.root if relabel.has_others else most
    branches = [(column.isnull(), ibis.literal(relabel.missing, "string"))] if relabel.has_missing else []
    branches += [
        (column.isin(keys), column if text is _SAME else ibis.literal(text, "string"))
        for text, keys in keys_of.items()
        if text is _SAME or text != rest
    ]
    other = ibis.literal(rest, "string")
    return ibis.cases(*branches, else_=other) if branches else other
