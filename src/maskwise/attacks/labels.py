"""Labels that hide little: a label whose raw values are nearly all the same hides nothing, whatever the group."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from maskwise.attacks.attack import Attack, AttackResult
from maskwise.attacks.searched import REGIONAL
from maskwise.policy.attributes import Kind
from maskwise.values.message import Audience

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray

    from maskwise.attacks.searched import Searched
    from maskwise.profile.columns import Column
    from maskwise.solution.cut import Cut

    Ints = NDArray[np.int64]

KNOWS = "the release, and how often each value of a masked attribute occurs in the table"
NEARLY_ALL = 0.95
"""A label tells its raw value if so many of its records have the same one."""
_MOST_LISTED = 20
"""So many labels are listed."""


@dataclass(frozen=True, slots=True)
class Label:
    """A shown value that hides some raw values."""

    attribute: str
    """The attribute."""
    label: str
    """What is shown."""
    n_records: int
    """The records that show it."""
    n_most: int
    """Those of them with the most frequent raw value."""


def labels_that_tell(searched: Searched) -> Attack:
    """Say which labels hide little: of how many hidden cells the raw value is told by the label itself.

    No requirement bounds this: a search may show a value, and such a label shows it as good as exactly.

    Args:
        searched: The cut, and the counts it was found from.
    """
    if searched.solution.regions is not None:
        return Attack("labels", KNOWS, AttackResult.NOT_RUN, REGIONAL, Audience.OWNER)
    labels = list(hiding_labels(searched))
    n_hidden = sum(label.n_records for label in labels)
    telling = sorted(
        (label for label in labels if label.n_most >= NEARLY_ALL * label.n_records), key=lambda one: -one.n_records
    )
    if not n_hidden:
        return Attack("labels", KNOWS, AttackResult.NOT_RUN, "No cell is hidden.", Audience.OWNER)
    share = sum(label.n_records for label in telling) / n_hidden
    text = f"Of {n_hidden:,} hidden cells, {share:.1%} are told at 95 % by their own label.".replace("%", " %", 1)
    if telling:
        first = f"`{telling[0].label}` of `{telling[0].attribute}`"
        text += f" The most frequent such label is {first}. Count these cells as shown; no requirement hides them."
    details = {"hidden_cells": n_hidden, "labels": _listed(telling)}
    return Attack("labels", KNOWS, AttackResult.MEASURED, text, Audience.OWNER, share, details=details)


def _listed(telling: Sequence[Label]) -> list[dict[str, Any]]:
    return [
        {"attribute": one.attribute, "label": one.label, "records": one.n_records, "share": one.n_most / one.n_records}
        for one in telling[:_MOST_LISTED]
    ]


def hiding_labels(searched: Searched) -> Iterator[Label]:
    """The shown values that stand for several raw values, or for numbers of a range."""
    for column, cut in zip(searched.profile.columns, searched.solution.cuts, strict=False):
        if column.is_ranged:
            # Its numbers were counted by ranges, so how often each occurs is not known.
            continue
        yield from _labels_of(column, cut)


def _numbers(column: Column) -> Iterator[tuple[float, int]]:
    """The distinct numbers of an interval attribute with their records."""
    binned = column.cell_counts is not None
    numbers = column.cell_numbers if binned else column.numbers
    counts = column.cell_counts if column.cell_counts is not None else column.counts.sum(axis=1)
    return zip(numbers.tolist(), counts.tolist(), strict=True)


def _labels_of(column: Column, cut: Cut) -> Iterator[Label]:
    """The labels of one attribute; where all records have the same value, everybody knows it."""
    raw: dict[str, list[int]] = {}
    if cut.kind is Kind.INTERVAL:
        for number, n in _numbers(column):
            raw.setdefault(cut.show_number(number), []).append(n)
    else:
        n_records = column.counts.sum(axis=1).tolist()
        for text, shown, n in zip(column.texts, column.labels_by(cut), n_records, strict=True):
            if shown != text:
                raw.setdefault(shown, []).append(n)
    if column.rest is not None:
        # Rare values that are not told apart: each is at most one of them, and none is the most frequent.
        raw.setdefault(cut.root, []).append(int(column.rest.sum()))
    if column.missing.any() and cut.missing_text is not None:
        raw.setdefault(cut.missing_text, []).append(int(column.missing.sum()))
    is_constant = sum(n > 0 for counts in raw.values() for n in counts) == 1 and set(raw) == {cut.root}
    for label, counts in () if is_constant else raw.items():
        found = np.array([n for n in counts if n > 0], np.int64)
        if len(found):
            yield Label(column.name, label, int(found.sum()), int(found.max()))
