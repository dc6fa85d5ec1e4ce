"""Grow a cut: every refinement is chosen by a mechanism, and nothing else of the records is looked at.

A step has two choices. The first is between all values that can be refined, and
stopping; the score of a value is that of its best option. The second is between
the options of the chosen value, such as the boundaries of an interval.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING

from maskwise.private.budget import BOUNDARY, CHOOSING
from maskwise.private.cells import SortedRows
from maskwise.private.shown_values import shown_at_first
from maskwise.private.utility import SENSITIVITY, prior_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy as np
    from numpy.typing import NDArray

    from maskwise.private.budget import Account
    from maskwise.private.cells import CodedRows
    from maskwise.private.domain import DeclaredDomain
    from maskwise.private.mechanisms import Mechanisms
    from maskwise.private.shown_values import ShownAttribute

    Ints = NDArray[np.int64]

MOST_CELLS = 1 << 60
"""A refinement that would make more cells is not offered."""


@dataclass(frozen=True, slots=True)
class Chosen:
    """A refinement that a mechanism chose."""

    attribute: str
    """The refined attribute."""
    before: str
    """What it showed."""
    after: tuple[str, ...]
    """What it shows instead."""


@dataclass(frozen=True, slots=True)
class PrivateCandidate:
    """A value that can be refined, with what each option gains."""

    attribute: int
    """The number of its attribute."""
    value: int
    """The value."""
    options: Sequence[int]
    """The ways to refine it."""
    gains: Sequence[int]
    """What each gains."""


class PrivateGrowth:
    """A cut while it grows."""

    def __init__(self, domains: Sequence[DeclaredDomain], rows: CodedRows, n_classes: int) -> None:
        """Start at the most masked table.

        Args:
            domains: What is declared of each attribute.
            rows: The records.
            n_classes: How many classes are declared.
        """
        self.shown: list[ShownAttribute] = [shown_at_first(domain) for domain in domains]
        self.rows = SortedRows.in_one_cell(rows)
        self.n_classes = n_classes

    @property
    def n_cells(self) -> int:
        """How many combinations of shown values and classes there are, with records or without."""
        return math.prod(len(one.labels) for one in self.shown) * self.n_classes

    def candidates(self) -> list[PrivateCandidate]:
        """Every value that can be refined, in an order that no record changes."""
        found = []
        for a, shown in enumerate(self.shown):
            others = self.n_cells // len(shown.labels)
            options = {
                value: ways
                for value, ways in shown.options().items()
                if others * (len(shown.labels) + len(shown.parts(value, ways[0])) - 1) <= MOST_CELLS
            }
            gains = shown.gains(self.rows, a, prior_of(self.n_classes))
            found += [PrivateCandidate(a, value, ways, gains[value]) for value, ways in options.items()]
        return found

    def refine(self, candidate: PrivateCandidate, option: int) -> Chosen:
        """Refine a value in one way, and split the cells by it."""
        shown = self.shown[candidate.attribute]
        before, after = shown.refine(candidate.value, option)
        self.rows.split(candidate.attribute, shown.value_of_leaf)
        return Chosen(shown.domain.name, before, after)


def grow(growth: PrivateGrowth, steps: int, account: Account, mechanisms: Mechanisms) -> list[Chosen]:
    """Refine up to so many times.

    Claim: what is chosen is differentially private for what the account says.
    Each choice gets scores of a stated sensitivity, and what it may choose from
    follows from earlier choices.

    Args:
        growth: The cut.
        steps: The most refinements.
        account: Pays for the choices.
        mechanisms: Draws.
    """
    per_step = account.total * CHOOSING / max(steps, 1)
    for_value, for_option = per_step * (1 - BOUNDARY), per_step * BOUNDARY
    # Stopping is worth what a refinement gains by chance: one scale of the noise.
    stop = math.ceil(Fraction(SENSITIVITY) / for_value)
    chosen: list[Chosen] = []
    for number in range(1, steps + 1):
        candidates = growth.candidates()
        if not candidates:
            break
        scores = [max(candidate.gains) for candidate in candidates]
        account.spend(f"step {number}: what to refine", for_value)
        at = mechanisms.choose([*scores, stop], SENSITIVITY, for_value)
        if at == len(candidates):
            break
        candidate = candidates[at]
        option = 0
        if len(candidate.options) > 1:
            account.spend(f"step {number}: how to refine it", for_option)
            option = mechanisms.choose(candidate.gains, SENSITIVITY, for_option)
        chosen.append(growth.refine(candidate, candidate.options[option]))
    return chosen
