"""How far counts of independent draws may be from their chances, by a bound that holds for any number of draws."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

FALSE_ALARM = 1e-9
"""How likely it is at most that one right count is taken for a wrong one; a test compares fewer than a hundred."""


def divergence(share: float, chance: float) -> float:
    """How many nats a share of heads tells against a coin with this chance."""

    def part(a: float, b: float) -> float:
        if a == 0:
            return 0.0
        return math.inf if b == 0 else a * math.log(a / b)

    return part(share, chance) + part(1 - share, 1 - chance)


def is_plausible(counted: int, chance: float, n: int) -> bool:
    """Whether so many of n draws may have come out, by Chernoff's bound: exp(-n * divergence) on each side."""
    return n * divergence(counted / n, chance) <= math.log(2 / FALSE_ALARM)


def agree(counted: Mapping[int, int], chances: Sequence[float], n: int) -> bool:
    """Whether the counts of all results are plausible."""
    return all(is_plausible(counted.get(i, 0), chance, n) for i, chance in enumerate(chances))
