"""How likely groups could be parted and keep their k, compiled; see `downcoding`."""

from __future__ import annotations

import math
from typing import Any

from maskwise.attacks.posterior_kernels import log_choose, reach
from maskwise.values.kernel import kernel

NEVER = -60.0
"""From this logarithm of a chance on nothing changes any more: it is below 1e-26."""


@kernel
def chance_of_sizes(n: int, share: float, k: int) -> float:
    """The chance that of n records none, all, or at least k and at most n - k fall into a part.

    Args:
        n: IN the records of the group.
        share: IN the chance of each to fall into the part.
        k: IN the smallest group allowed.
    """
    if share <= 0.0 or share >= 1.0:
        return 1.0
    found = math.exp(n * math.log(share)) + math.exp(n * math.log1p(-share))
    low, high = reach(n * share, n * share * (1.0 - share))
    for x in range(max(low, k, 1), min(high, n - max(k, 1)) + 1):
        found += math.exp(log_choose(n, x) + x * math.log(share) + (n - x) * math.log1p(-share))
    return min(found, 1.0)


@kernel
def log_chance_valid(sizes: Any, shares: Any, k: int) -> float:
    """The logarithm of an upper bound on the chance that all groups keep their k when a value is refined.

    Parts of a group that are empty or have k records have none or at least k
    together, so each part against the rest bounds the chance of them all.

    Args:
        sizes: IN (n_groups,) the records of each group, the small ones first.
        shares: IN (n_parts,) the share of each part among the records that show the value.
        k: IN the smallest group allowed.
    """
    total = 0.0
    for n in sizes:
        least = 1.0
        for share in shares:
            least = min(least, chance_of_sizes(n, share, k))
        if least <= 0.0:
            return NEVER
        total += math.log(least)
        if total < NEVER:
            return NEVER
    return total
