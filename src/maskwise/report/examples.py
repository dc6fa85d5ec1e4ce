"""Made-up people before and after masking.

They are put together from the policy's trees and the shown ranges, column by
column, so that no row is that of a person in the table.
"""

from __future__ import annotations

import math
from itertools import pairwise
from typing import TYPE_CHECKING

from maskwise.policy.attributes import Kind
from maskwise.solution.cut import HIDDEN
from maskwise.values.scales import Scale, label

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from maskwise.solution.cut import Cut

_MADE_UP = 5
_UNTOLD = "(a hidden value)"
"""What stands before `*`: its values come from the table, so that even the owner's report tells none as a row's."""


def made_up_rows(cuts: Sequence[Cut], n: int = _MADE_UP) -> tuple[tuple[tuple[str, str], ...], ...]:
    """Rows of nobody: for each attribute a value that could stand in the table, and what it is shown as.

    Each attribute goes through its shown values at a pace of its own, so that the rows differ in all of them.

    Args:
        cuts: What each attribute shows.
        n: How many rows.

    >>> from maskwise.solution.cut import Cut
    >>> from maskwise.values.scales import Scale
    >>> made_up_rows([Cut("Age", Kind.INTERVAL, "[0, 80]", scale=Scale.INTEGER, breaks=(0, 20, 80))], 2)
    ((('10', '[0, 20)'),), (('50', '[20, 80]'),))
    """
    columns = [[_cell(choices, row * (1 + at % 3) + at, row) for row in range(n)] for at, choices in _each(cuts)]
    return tuple(zip(*columns, strict=True))


def _each(cuts: Sequence[Cut]) -> Iterator[tuple[int, list[tuple[str, tuple[str, ...]]]]]:
    """The place of each attribute, and of each value that it shows the values that are shown so."""
    for at, cut in enumerate(cuts):
        if cut.kind is Kind.SUPPRESS:
            yield at, [(shown, (_UNTOLD if shown == HIDDEN else shown,)) for shown in cut.labels]
        elif cut.taxonomy is not None:
            below: dict[str, list[str]] = {}
            for leaf, shown in cut.taxonomy.shown_as(cut.shown).items():
                below.setdefault(shown, []).append(leaf)
            yield at, [(shown, tuple(leaves)) for shown, leaves in below.items()]
        else:
            assert cut.scale is not None  # noqa: S101 - every interval cut has a scale
            middles = [_middle(low, high, cut.scale) for low, high in pairwise(cut.breaks)]
            yield at, [(cut.show_number(number), (label(number, cut.scale),)) for number in middles]


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
