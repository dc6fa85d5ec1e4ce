"""What an attacker believes of a group whose refinement was refused, compiled.

A group of n records, s of which have a sensitive value, would be parted into
children. The attacker knows who is in which child, not who has the value, and
takes every choice of the s records for equally likely. So the children's
records with the value are distributed hypergeometrically, which is the same as
independent binomials given their sum: the form that is computed here.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from maskwise.values.kernel import kernel

RARE = 1e-6
"""Below this chance of being broken, the children's chances are added up: they overlap by less than that part."""
NOTHING = 1e-20
"""Past the mean chances only fall, so from the first one on that is below this part of the largest, none counts."""
_NEGLIGIBLE = -math.log(NOTHING)
_WIDTH = 8.5
"""So many standard deviations around its mean a count is followed; what is left out has a chance below 1e-16."""
_MARGIN = 12.0
"""And so many counts more, for the skew of small groups."""


@kernel
def log_choose(n: int, x: int) -> Any:
    """The logarithm of a binomial coefficient."""
    return math.lgamma(n + 1.0) - math.lgamma(x + 1.0) - math.lgamma(n - x + 1.0)


@kernel
def log_chance_of(n: int, s: int, m: int, x: int) -> Any:
    """The logarithm of the chance that m of n records have x of the s that have the value."""
    return log_choose(m, x) + log_choose(n - m, s - x) - log_choose(n, s)


@kernel
def add_up_rare(sizes: Any, most: Any, n: int, s: int, expected: Any) -> float:
    """The logarithm of the chance that some child has more than allowed, as if no two children ever had.

    Args:
        sizes: IN (n_children,) the records of each child.
        most: IN (n_children,) how many of them may have the value.
        n: IN the records of the group.
        s: IN how many of them have the value.
        expected: OUT (n_children,) the records with the value that each child has on average, where some child has too
            many.
    """
    expected[:] = 0.0
    shift = -np.inf
    for c in range(len(sizes)):
        for x in range(max(most[c] + 1, s - n + sizes[c]), min(sizes[c], s) + 1):
            log_chance = log_chance_of(n, s, sizes[c], x)
            shift = max(shift, log_chance)
            if log_chance < shift - _NEGLIGIBLE and x > s * sizes[c] / n + 1:
                break
    if shift == -np.inf:
        return shift
    chance = 0.0
    for c in range(len(sizes)):
        own, first, rest = 0.0, 0.0, n - sizes[c]
        for x in range(max(most[c] + 1, s - rest), min(sizes[c], s) + 1):
            p = math.exp(log_chance_of(n, s, sizes[c], x) - shift)
            if p < NOTHING and x > s * sizes[c] / n + 1:
                break
            own += p
            first += p * x
        chance += own
        expected[c] += first
        for d in range(len(sizes)):
            if d != c:
                # The others share what the child leaves, in proportion to their records.
                expected[d] += (s * own - first) * sizes[d] / rest
    expected /= chance
    return shift + math.log(chance)


@kernel
def reach(mean: float, variance: float) -> tuple[int, int]:
    """The counts that are followed around a mean."""
    width = _WIDTH * math.sqrt(variance) + _MARGIN
    return max(int(mean - width), 0), int(mean + width) + 1


@kernel
def chain(sizes: Any, most: Any, s: int, share: float, step: int) -> Any:
    """The truncated binomials of the children before each one, or after it, convolved.

    Args:
        sizes: IN as in `add_up_rare`.
        most: IN as in `add_up_rare`.
        s: IN as in `add_up_rare`.
        share: IN the share of the value in the group.
        step: IN 1 for those before each child, -1 for those after it.
    """
    n_children = len(sizes)
    sums = np.zeros((n_children, s + 1))
    at = 0 if step > 0 else n_children - 1
    sums[at, 0] = 1.0
    low, high, n_before = 0, 0, 0
    for _ in range(n_children - 1):
        m = sizes[at]
        spread = share * (1.0 - share)
        x_low, x_high = reach(m * share, m * spread)
        x_high = min(x_high, most[at], s)
        after = at + step
        n_before += m
        new_low, new_high = reach(n_before * share, n_before * spread)
        new_low, new_high = max(new_low, low + x_low), min(new_high, high + x_high, s)
        for x in range(x_low, x_high + 1):
            p = math.exp(log_choose(m, x) + x * math.log(share) + (m - x) * math.log1p(-share))
            for total in range(max(low, new_low - x), min(high, new_high - x) + 1):
                sums[after, total + x] += sums[at, total] * p
        low, high, at = new_low, new_high, after
    return sums


@kernel
def weigh_refused(sizes: Any, most: Any, s: int, expected: Any) -> Any:
    """The logarithm of the chance, before anything was refused, that some child of a group has more than allowed.

    Args:
        sizes: IN (n_children,) the records of each child, none of them 0.
        most: IN (n_children,) how many of them may have the value.
        s: IN how many records of the group have the value.
        expected: OUT (n_children,) as in `add_up_rare`.
    """
    n = 0
    for m in sizes:
        n += m
    log_chance = add_up_rare(sizes, most, n, s, expected)
    if log_chance < math.log(RARE) or s == n:
        return min(log_chance, 0.0)
    share = s / n
    spread = share * (1.0 - share)
    before = chain(sizes, most, s, share, 1)
    after = chain(sizes, most, s, share, -1)
    whole = math.exp(log_choose(n, s) + s * math.log(share) + (n - s) * math.log1p(-share))
    kept, n_before = 0.0, 0
    for c in range(len(sizes)):
        m = sizes[c]
        low, high = reach(n_before * share, n_before * spread)
        n_before += m
        x_low, x_high = reach(m * share, m * spread)
        kept, first = 0.0, 0.0
        for x in range(x_low, min(x_high, most[c], s) + 1):
            p = math.exp(log_choose(m, x) + x * math.log(share) + (m - x) * math.log1p(-share)) / whole
            both = 0.0
            for total in range(low, min(high, s - x) + 1):
                both += before[c, total] * after[c, s - x - total]
            kept += p * both
            first += p * both * x
        expected[c] = s * m / n - first
    chance = min(1.0 - kept, 1.0)
    expected /= chance
    return math.log(chance)


@kernel
def weigh_groups(sizes: Any, n_with: Any, over: int, under: int, log_chance: Any, expected: Any) -> None:
    """`weigh_refused` for many groups that the same refinement would part.

    Args:
        sizes: IN (n_groups, n_children) the records of each child; 0 where there is none.
        n_with: IN (n_groups,) the records of each group with the sensitive value.
        over: IN the numerator of the largest share allowed.
        under: IN its denominator.
        log_chance: OUT (n_groups,) the logarithm of the chance that some child has more.
        expected: OUT (n_groups, n_children) as in `add_up_rare`.
    """
    n_children = sizes.shape[1]
    own = np.empty(n_children, np.int64)
    most = np.empty(n_children, np.int64)
    place = np.empty(n_children, np.int64)
    found = np.empty(n_children)
    for g in range(sizes.shape[0]):
        k = 0
        for c in range(n_children):
            if sizes[g, c] > 0:
                own[k], place[k] = sizes[g, c], c
                most[k] = over * sizes[g, c] // under
                k += 1
        log_chance[g] = -np.inf
        expected[g] = 0.0
        if k > 1 and n_with[g] > 0:
            log_chance[g] = weigh_refused(own[:k], most[:k], n_with[g], found[:k])
            for j in range(k):
                expected[g, place[j]] = found[j]
