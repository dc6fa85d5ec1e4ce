"""How epsilon is split between sizing, choosing and counting, and the account of what was spent."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from fractions import Fraction

SIZING = Fraction(1, 50)
"""The share of epsilon for the noisy number of records, by which `steps: auto` goes."""
CHOOSING = Fraction(3, 5)
"""The share of epsilon for choosing refinements; what they do not use, and the rest, is for counting."""
BOUNDARY = Fraction(3, 10)
"""The share of a step for choosing the boundary, or the value to disclose, once it is known what is refined."""
_USUAL_STEPS, _USUAL_SIGNAL, _STEPS_PER_DOUBLING = 8, 30_000, 1.3
"""With epsilon times records of 30,000 there are 8 steps; twice that allows 1.3 more, half of it 1.3 fewer."""
_FEWEST_STEPS, _MOST_STEPS = 2, 40


@dataclass(frozen=True, slots=True)
class EpsilonShares:
    """One line of the account."""

    what: str
    """What it was spent on."""
    epsilon: Fraction
    """How much."""


@dataclass(slots=True)
class Account:
    """What was spent of a budget, in exact numbers.

    Claim: the sum of what is spent never exceeds the budget. Every spending is
    entered before anything is drawn with it, and one that is too large is a bug.

    Example:
        >>> account = Account(Fraction(1))
        >>> account.spend("counts", Fraction(1, 4))
        Fraction(1, 4)
        >>> account.left
        Fraction(3, 4)
    """

    total: Fraction
    """The budget."""
    lines: list[EpsilonShares] = field(default_factory=list)
    """What was spent, in order."""

    @property
    def left(self) -> Fraction:
        """What is left."""
        return self.total - sum((line.epsilon for line in self.lines), start=Fraction(0))

    def spend(self, what: str, epsilon: Fraction) -> Fraction:
        """Enter a spending and return it.

        Args:
            what: What it is for.
            epsilon: How much.
        """
        if not 0 < epsilon <= self.left:
            msg = f"{what} would spend {epsilon} of {self.left}"
            raise AssertionError(msg)
        self.lines.append(EpsilonShares(what, epsilon))
        return epsilon


def usual_steps(epsilon: Fraction, n_records: int) -> int:
    """How many refinements are tried, by what they can tell from noise.

    The gain of a refinement grows with the records and the noise of a choice
    with 1 / epsilon, so their product says how many refinements can be told
    apart from chance.

    Args:
        epsilon: The budget for one record.
        n_records: The noisy number of records.

    >>> usual_steps(Fraction(1), 30_000), usual_steps(Fraction(1, 10), 30_000)
    (8, 4)
    """
    signal = float(epsilon) * max(n_records, 1) / _USUAL_SIGNAL
    steps = round(_USUAL_STEPS + _STEPS_PER_DOUBLING * math.log2(signal))
    return min(max(steps, _FEWEST_STEPS), _MOST_STEPS)
