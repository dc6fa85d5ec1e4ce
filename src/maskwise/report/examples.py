"""Made-up people before and after masking.

They are put together from the policy's trees and the shown ranges, column by
column, so that no row is that of a person in the table.
"""

from __future__ import annotations

import math
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from maskwise.policy.attributes import Kind
from maskwise.solution.cut import HIDDEN
from maskwise.solution.reasons import MISSING
from maskwise.solution.region_codes import Codes
from maskwise.solution.region_rows import find_regions
from maskwise.values.scales import Scale, label

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from maskwise.solution.cut import Cut
    from maskwise.solution.regions import Regions

_MADE_UP = 5
_UNTOLD = "(a hidden value)"
"""What stands before `*`: its values come from the table, so that even the owner's report tells none as a row's."""


def made_up_rows(
    cuts: Sequence[Cut], n: int = _MADE_UP, regions: Regions | None = None
) -> tuple[tuple[tuple[str, str], ...], ...]:
    """Rows of nobody: for each attribute a value that could stand in the table, and what it is shown as.

    Each attribute goes through its shown values at a pace of its own, so that the rows differ in all of them.

    Args:
        cuts: What each attribute shows.
        n: How many rows.
        regions: Where regions have cuts of their own, their splits: a row shows what its region shows.

    >>> from maskwise.solution.cut import Cut
    >>> from maskwise.values.scales import Scale
    >>> made_up_rows([Cut("Age", Kind.INTERVAL, "[0, 80]", scale=Scale.INTEGER, breaks=(0, 20, 80))], 2)
    ((('10', '[0, 20)'),), (('50', '[20, 80]'),))
    """
    if regions is not None:
        return _by_region(cuts, n, regions)
    columns = [[_cell(choices, row * (1 + at % 3) + at, row) for row in range(n)] for at, choices in _each(cuts)]
    return tuple(zip(*columns, strict=True))


def _each(cuts: Sequence[Cut]) -> Iterator[tuple[int, list[tuple[str, tuple[str, ...]]]]]:
    """The place of each attribute, and of each value that it shows the values that are shown so."""
    for at, cut in enumerate(cuts):
        if cut.kind is Kind.SUPPRESS:
            yield at, [(shown, (_UNTOLD if shown == HIDDEN else shown,)) for shown in cut.labels]
        elif cut.is_made:
            yield at, [(shown, (shown,)) for shown in cut.labels]
        elif cut.taxonomy is not None:
            if cut.rule is not None:
                yield at, [(shown, (_any_of(cut, shown),)) for shown in cut.shown]
                continue
            below: dict[str, list[str]] = {}
            for leaf, shown in cut.taxonomy.shown_as(cut.shown).items():
                below.setdefault(shown, []).append(leaf)
            yield at, [(shown, tuple(leaves)) for shown, leaves in below.items()]
        else:
            assert cut.scale is not None  # noqa: S101 - every interval cut has a scale
            middles = [_middle(low, high, cut.scale) for low, high in pairwise(cut.breaks)]
            yield at, [(cut.show_number(number), (label(number, cut.scale),)) for number in middles]


def _by_region(cuts: Sequence[Cut], n: int, regions: Regions) -> tuple[tuple[tuple[str, str], ...], ...]:
    """Rows of nobody, each walked through the splits as a later row is."""
    codes = [Codes.of(cut) for cut in cuts]
    each = [_values(one) for one in codes]
    places = [[(row * (1 + at % 3) + at) % len(values) for row in range(n)] for at, values in enumerate(each)]
    rows = np.array([[values[i][1] for i in of_row] for values, of_row in zip(each, places, strict=True)], np.int64).T
    labels = regions.labels(cuts)
    shown = [labels[region] for region in find_regions(regions, codes, rows)]
    return tuple(
        tuple((each[at][places[at][row]][0], MISSING if text is None else text) for at, text in enumerate(texts))
        for row, texts in enumerate(shown)
    )


def _values(codes: Codes) -> list[tuple[str, int]]:
    """Values that could stand in the table, with their numbers."""
    cut = codes.cut
    if cut.kind is Kind.SUPPRESS:
        return [*((text, codes.of_text[text]) for text in cut.shown), (_UNTOLD, 0)]
    if cut.is_made:
        return [(text, codes.of_text.get(text, 0)) for text in cut.labels]
    if cut.taxonomy is not None:
        return [(_any_of(cut, leaf), codes.of_text.get(leaf, 0)) for leaf in cut.taxonomy.leaves()]
    assert cut.scale is not None  # noqa: S101 - every interval cut has a scale
    middles = [_middle(low, high, cut.scale) for low, high in pairwise(cut.breaks)]
    return [(label(number, cut.scale), i) for i, number in enumerate(middles)]


def _any_of(cut: Cut, label: str) -> str:
    """A value that a label stands for; of a rule's label none is listed, as its values come from the table."""
    return label if cut.rule is None or cut.rule.is_value(label) else f"(any of {label})"


def _middle(low: float, high: float, scale: Scale) -> float:
    """A round value inside an interval."""
    middle = (low + high) / 2
    return middle if scale is Scale.REAL else math.floor(middle)


def _cell(choices: Sequence[tuple[str, tuple[str, ...]]], at: int, row: int) -> tuple[str, str]:
    """A value and what it is shown as; a missing cell where the column has no value."""
    if not choices:
        return "", ""
    shown, values = choices[at % len(choices)]
    return values[row % len(values)], shown
