"""How many records of a population are unique, estimated from the group sizes of a sample of it.

Three models: Zayatz (1991), Pitman's sampling formula (Pitman 1996; Hoshino
2001) and the slide negative binomial model (Chen and Keller-McNulty 1998). Which
of them is believed is decided by the rule of Dankar, El Emam and others (2012).
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from maskwise.risks.optimum import find_root, maximize
from maskwise.risks.risk import UniqueEstimate

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from maskwise.risks.group_sizes import GroupSizes

    Floats = NDArray[np.float64]

SMALL_SAMPLE = 0.1
"""Up to this part of the population Pitman's model is believed."""
_PAIR = 2
_FAR = 15.0
"""The logarithm of a parameter that is so far out is no solution."""


def estimate_uniques(sizes: GroupSizes, columns: Sequence[str], n_population: int) -> UniqueEstimate:
    """Estimate the share of a population that is unique on some columns, by each model and by Dankar's rule.

    Args:
        sizes: The group sizes of the sample on these columns.
        columns: The columns.
        n_population: The size of the population; at least that of the sample.
    """
    of = tuple(columns)
    if not sizes.n_records:
        note = "There is no record, so nothing can be estimated."
        return UniqueEstimate(of, n_population, None, None, None, "none", None, note)
    zayatz, pitman, snb = (
        by_zayatz(sizes, n_population),
        by_pitman(sizes, n_population),
        by_snb(sizes, n_population),
    )
    fraction = sizes.n_records / n_population
    if sizes.n_records == n_population:
        return UniqueEstimate(of, n_population, zayatz, pitman, snb, "counted", sizes.unique, "This is a count.")
    if fraction <= SMALL_SAMPLE:
        note = "" if pitman is not None else f"Pitman's model has no solution: {_why_not(sizes)}."
        return UniqueEstimate(of, n_population, zayatz, pitman, snb, "pitman", pitman, note)
    if snb is None:
        note = f"The slide negative binomial model has no solution: {_why_not(sizes)}. Zayatz' stands alone."
        return UniqueEstimate(of, n_population, zayatz, pitman, snb, "zayatz", zayatz, note)
    model, estimate = ("zayatz", zayatz) if zayatz < snb else ("snb", snb)
    return UniqueEstimate(of, n_population, zayatz, pitman, snb, model, estimate)


def _why_not(sizes: GroupSizes) -> str:
    """Why a model has no solution."""
    if not sizes.n_unique:
        return "no record is alone in its group, so none of them is unique in the population"
    if sizes.n_unique == sizes.n_records:
        return "every record is alone in its group, so nothing tells how many others are like it"
    return "these group sizes do not fit it"


def by_zayatz(sizes: GroupSizes, n_population: int) -> float:
    """Estimate by Bayes: how likely a record that is unique in the sample is unique in the population.

    The sizes of the population's groups are taken to be distributed as those of
    the sample; a group of F records gives one record to a sample of n out of N
    with the hypergeometric probability F C(N-F, n-1) / C(N, n).

    Args:
        sizes: The group sizes of the sample.
        n_population: The size of the population.
    """
    n, fraction = sizes.n_records, sizes.n_records / n_population
    likely = np.array([_one_drawn(size, n, n_population) for size in sizes.sizes.tolist()])
    of_unique = fraction * sizes.n_unique
    total = float(np.sum(sizes.n_groups * likely))
    # Of the population's uniques the sample has its fraction.
    return sizes.n_unique * (of_unique / total) / fraction / n_population if sizes.n_unique else 0.0


def _one_drawn(size: int, n: int, n_population: int) -> float:
    """The probability that a sample has exactly one record of a group."""
    others = n_population - size
    if n - 1 > others:
        return 0.0
    log = math.log(size) + _log_choose(others, n - 1) - _log_choose(n_population, n)
    return math.exp(log)


def _log_choose(n: int, k: int) -> float:
    return math.lgamma(n + 1) - math.lgamma(k + 1) - math.lgamma(n - k + 1)


def by_pitman(sizes: GroupSizes, n_population: int) -> float | None:
    """Estimate by Pitman's sampling formula, its two parameters by maximum likelihood.

    The likelihood is prod_(i<u) (theta + i alpha) / prod_(i<n) (theta + i) *
    prod_i prod_(j<i) (j - alpha)^(s_i), for 0 < alpha < 1 and theta > -alpha. A
    population of N then has about Gamma(theta + 1) / Gamma(theta + alpha) N^alpha
    uniques.

    Args:
        sizes: The group sizes of the sample.
        n_population: The size of the population.
    """
    if sizes.n_unique in (0, sizes.n_records):
        # Without a unique, or with nothing else, the likelihood has its maximum at the edge.
        return None
    largest = int(sizes.sizes[-1])
    # How many groups have more than j records, for j = 1, 2, ...: each gives a factor (j - alpha).
    above = sizes.n_groups.sum() - np.cumsum(_by_size(sizes, largest))[: largest - 1]

    def log_likelihood(point: Floats) -> float:
        alpha, theta = _pitman_parameters(point)
        found = _log_sum(theta, alpha, int(sizes.n_groups.sum())) - _log_sum(theta, 1.0, sizes.n_records)
        return found + float(np.sum(above * np.log(np.arange(1, largest) - alpha)))

    best = maximize(log_likelihood, _starts())
    if best is None:
        return None
    alpha, theta = _pitman_parameters(best)
    log = math.lgamma(theta + 1) - math.lgamma(theta + alpha) + alpha * math.log(n_population)
    return min(math.exp(log) / n_population, 1.0)


def _pitman_parameters(point: Floats) -> tuple[float, float]:
    """Alpha between 0 and 1, and theta above -alpha, of a point of the plane."""
    alpha = 1 / (1 + math.exp(-point[0]))
    return alpha, math.exp(point[1]) - alpha


def _starts() -> list[tuple[float, float]]:
    return [(0.0, 5.0), (0.0, 1.0), (-2.0, 8.0), (2.0, 3.0)]


def _log_sum(start: float, step: float, n: int) -> float:
    """The sum of log(start + i step) for i from 1 to n - 1.

    >>> round(_log_sum(1.0, 2.0, 3), 6) == round(math.log(3) + math.log(5), 6)
    True
    """
    # A quotient of Gamma functions; the sum itself would take longer the more records there are.
    shift = start / step
    return (n - 1) * math.log(step) + math.lgamma(shift + n) - math.lgamma(shift + 1)


def _by_size(sizes: GroupSizes, largest: int) -> NDArray[np.int64]:
    """The groups of each size from 1 to the largest."""
    found = np.zeros(largest, np.int64)
    found[sizes.sizes - 1] = sizes.n_groups
    return found


def by_snb(sizes: GroupSizes, n_population: int) -> float | None:
    """Estimate by the slide negative binomial model, its parameters by the groups of one, of two, and of all.

    The population has K groups; the size of each, less one, is negative binomial:
    P(F = j) = C(a + j - 2, j - 1) p^a q^(j - 1) with q = 1 - p. Of each group the
    sample has a binomial part with the sampling fraction f. So a group has i
    records in the sample with probability
    c_i = A ((1 - f) b_i + f b_(i-1)),  b_i = C(a + i - 1, i) r^i,
    A = (p / (1 - q (1 - f)))^a,  r = q f / (1 - q (1 - f)).
    What is expected is set equal to what is seen: K (1 - c_0) groups in all, K c_1
    of one record and K c_2 of two. Then K p^a groups of the population are unique.

    Args:
        sizes: The group sizes of the sample.
        n_population: The size of the population.
    """
    f = sizes.n_records / n_population
    n_groups, n_one = int(sizes.n_groups.sum()), sizes.n_unique
    n_two = int(sizes.n_groups[sizes.sizes == _PAIR].sum())
    if not n_one or not n_two:
        return None
    ratio = n_two / n_one

    def parameters(a: float) -> tuple[float, float] | None:
        """The r and p that give the ratio of pairs to uniques; None if no p does."""
        # c_2 / c_1 = ratio is a quadratic equation in r with one positive root.
        square, linear = (1 - f) * a * (a + 1) / 2, f * a - ratio * (1 - f) * a
        r = 2 * ratio * f / (linear + math.sqrt(linear**2 + 4 * square * ratio * f))
        return None if r >= 1 else (r, 1 - r / (f + r * (1 - f)))

    def unseen(a: float, p: float) -> float:
        return float((1 - f) * (p / (1 - (1 - p) * (1 - f))) ** a)

    def excess(log_a: float) -> float | None:
        """How far the share of uniques among the groups seen is above what is seen."""
        a = math.exp(log_a)
        found = parameters(a)
        if found is None:
            return None
        r, p = found
        not_seen = unseen(a, p)
        of_one = not_seen * a * r + f * not_seen / (1 - f) if f < 1 else p**a
        return float(of_one / (1 - not_seen) - n_one / n_groups)

    log_a = find_root(excess, -_FAR, _FAR)
    found = None if log_a is None else parameters(math.exp(log_a))
    if log_a is None or found is None:
        return None
    a, p = math.exp(log_a), found[1]
    return float(min(n_groups / (1 - unseen(a, p)) * p**a / n_population, 1.0))
