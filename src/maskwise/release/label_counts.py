"""How many records of a release show each label, where labels of one attribute overlap.

Whoever has the release can count the same.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from maskwise.release.escape import original_text
from maskwise.values.spelling import text_of

if TYPE_CHECKING:
    from maskwise.solution.solution import Solution
    from maskwise.table.table import Table


@dataclass(frozen=True, slots=True)
class LabelCounts:
    """The labels of one attribute, by their records."""

    attribute: str
    """The attribute."""
    records: tuple[tuple[str | None, int], ...]
    """Each label and how many records show it, the most frequent first; None is a missing cell."""
    n_root: int
    """How many records show the root, which tells nothing."""


@dataclass(frozen=True, slots=True)
class RegionCounts:
    """What the regions of a release show."""

    n_combinations: int
    """How many different combinations of labels there are."""
    attributes: tuple[LabelCounts, ...]
    """In policy order."""


def count_regions(table: Table, solution: Solution, *, escaped: bool) -> RegionCounts | None:
    """Count the labels of each masked attribute, and their combinations; None where one cut holds for the whole table.

    Args:
        table: What was written.
        solution: What it shows.
        escaped: Whether cells that a spreadsheet would run were quoted.
    """
    if solution.regions is None:
        return None
    found = []
    for cut in solution.cuts:
        distinct = table.distinct(cut.attribute)
        texts = [text_of(key) for key in distinct.keys.to_pylist()]
        labels: dict[str | None, int] = {
            original_text(text) if escaped else text: int(n) for text, n in zip(texts, distinct.counts, strict=True)
        }
        if distinct.n_missing:
            labels[None] = int(distinct.n_missing)
        ranked = sorted(labels.items(), key=lambda one: (-one[1], one[0] is None, one[0] or ""))
        found.append(LabelCounts(cut.attribute, tuple(ranked), labels.get(cut.root, 0)))
    keys = [table.key(cut.attribute) for cut in solution.cuts]
    rows = table.expr.select(*keys).distinct()
    n_rows = table.engine.fetch(rows.aggregate(n=rows.count())).column(0)[0].as_py()
    return RegionCounts(int(n_rows), tuple(found))
