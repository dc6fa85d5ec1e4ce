"""From the class counts of single values to whole numbers that can be added up by record, and bins of the sums.

The log odds of a value say how much it speaks for a class. They are rounded to
whole numbers of 1 / SCALE, so that every engine finds the same sums. A value's
own records are among those it is weighed by, so values with few records would
tell their class; these are pooled, and the others drawn towards no evidence.
Nothing here knows an engine.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from maskwise.profile.growing.by_classes import entropy_bits

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    Ints = NDArray[np.int64]

SCALE = 256
"""Log odds are whole numbers of one part in so many."""
LEAST_RECORDS = 20
"""Values with fewer records are weighed together."""
MOST_RANGES = 32
"""Numbers with more distinct values are put into so many ranges of equal size."""
MOST_CATEGORIES = 200
"""So many values of a category are told apart at most: the most frequent ones."""
MOST_COLUMNS = 40
"""So many columns are added up at most: those that tell most of the class by themselves."""
N_BINS = 10
"""The bins of the sums of two classes."""
_MOST_NAMES = 0.5
"""Texts of which more than this share of the records differ name people, and tell nothing of others."""
_SMOOTHING = 10
"""So many records with the shares of the whole table are added to those of a value."""
_TWO = 2


@dataclass(frozen=True, slots=True)
class Weights:
    """What is added up for each record."""

    scores: tuple[Ints, ...]  # one (n_numbers, n_scores) for each column
    """For each column and number of a cell its log odds: those of the second of two classes, or of each class."""
    start: tuple[int, ...]  # (n_scores,)
    """What the sums begin with: nothing for two classes, else the logarithm of each class's share."""

    @property
    def step(self) -> int:
        """More than any two sums can differ by."""
        far = max(self.start) - min(self.start)
        return far + sum(int(own.max() - own.min()) for own in self.scores) + 1


def may_name_people(n_values: int, n_records: int) -> bool:
    """Whether so many values of a text column differ that they may name people.

    Args:
        n_values: Its distinct values.
        n_records: All records.
    """
    return n_values > max(_MOST_NAMES * n_records, 1)


def weigh(counts: Sequence[Ints]) -> Weights:
    """The log odds of every value of some columns.

    Args:
        counts: For each column the records of each numbered value, (n_numbers, n_classes); all columns together have
            the same totals.
    """
    totals = counts[0].sum(axis=0)
    shares = totals / totals.sum()
    if len(shares) == _TWO:
        logs = [_log_odds(own, shares) for own in counts]
        return Weights(tuple(_whole(one[:, 1:] - one[:, :1]) for one in logs), (0,))
    start = tuple(_whole(np.log(shares)).tolist())
    return Weights(tuple(_whole(_log_odds(own, shares)) for own in counts), start)


def _log_odds(counts: Ints, shares: NDArray[np.float64]) -> NDArray[np.float64]:
    """The logarithm of each value's share of a class, less that of the whole table; rare values have it in common."""
    counts = pool_rare(counts)
    sizes = counts.sum(axis=1, keepdims=True)
    told: NDArray[np.float64] = np.log((counts + _SMOOTHING * shares) / (sizes + _SMOOTHING)) - np.log(shares)
    return np.where(sizes < LEAST_RECORDS, 0.0, told)


def pool_rare(counts: Ints) -> Ints:
    """The records by class, those of rare values replaced by what these have together."""
    is_rare = counts.sum(axis=1) < LEAST_RECORDS
    return np.where(is_rare[:, None], counts[is_rare].sum(axis=0), counts)


def _whole(logs: NDArray[np.float64]) -> Ints:
    return np.rint(logs * SCALE).astype(np.int64)


def information(counts: Ints) -> float:
    """How much a column tells of the class by itself, in bits of all records; rare values are one."""
    is_rare = counts.sum(axis=1) < LEAST_RECORDS
    rows = np.vstack([counts[~is_rare], counts[is_rare].sum(axis=0)])
    return float(entropy_bits(rows.sum(axis=0, keepdims=True))[0] - entropy_bits(rows).sum())


def number_by_quantiles(numbers: NDArray[np.int64] | NDArray[np.float64], sizes: Ints, most: int) -> Ints:
    """The number of the range that each distinct number falls into: each number has its own, or there are `most`.

    A number falls into the range floor(m * most / n), where m of the n records
    have a smaller one, as engines count it (`ValueCounts.ranged`).

    Args:
        numbers: Distinct numbers, ascending.
        sizes: The records of each.
        most: How many ranges there are at most.
    """
    if len(numbers) <= most:
        return np.arange(len(numbers))
    ranges = (np.cumsum(sizes) - sizes) * most // sizes.sum()
    numbered: Ints = np.unique(ranges, return_inverse=True)[1].astype(np.int64)
    return numbered


def bin_lows(scores: Ints, counts: Ints, weights: Weights) -> Ints:
    """Where each bin of scores begins; the first one begins with the smallest score.

    Two classes have ten bins of equal size. More classes have three for each
    class that looks most likely, by how much more likely it is than the next.

    Args:
        scores: The distinct scores, ascending.
        counts: The records of each.
        weights: What was added up.
    """
    if len(weights.start) == 1:
        bins = _quantile_of(scores, counts, N_BINS)
    else:
        by_class, sure = np.divmod(scores, weights.step)
        distinct, of_score = np.unique(sure, return_inverse=True)
        sizes = np.bincount(of_score, counts).astype(np.int64)
        bins = 3 * by_class + _quantile_of(distinct, sizes, 3)[of_score]
    first = np.append(True, bins[1:] != bins[:-1])
    lows: Ints = scores[first]
    return lows


def _quantile_of(values: Ints, counts: Ints, n_parts: int) -> Ints:
    """In which of some parts of equal size each value lies; values that are equal lie in one."""
    reached, n = np.cumsum(counts), int(counts.sum())
    # The largest value of each part but the last: the first up to which so many records lie. Whole numbers only.
    ends = [int(np.flatnonzero(reached * n_parts >= part * n)[0]) for part in range(1, n_parts)]
    # With the indices: without them NumPy loads its masked arrays, to see that this is none.
    distinct = np.unique(ends, return_index=True)[0]
    return np.searchsorted(distinct, np.arange(len(values))).astype(np.int64)
