"""Noisy counts of all cells, and what is done with them afterwards.

The threshold follows from the number of cells and the noise, never from the
counts. Everything after the noise is arithmetic on what is released anyway.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from decimal import Context, localcontext
from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np

from maskwise.private.empty_cells import draw_empty_cells, tail
from maskwise.private.mechanisms import noise_scale

if TYPE_CHECKING:
    from collections.abc import Sequence
    from fractions import Fraction

    from numpy.typing import NDArray

    from maskwise.private.growth import PrivateGrowth
    from maskwise.private.mechanisms import Mechanisms

    Ints = NDArray[np.int64]

FALSE_CELLS = 20
"""The threshold lets so many cells without records through, on average."""
_DIGITS = 50
"""The decimal digits that it is computed to."""


@dataclass(frozen=True, slots=True)
class NoisyCells:
    """The cells that are released, in the order of their labels in the cuts."""

    labels: tuple[tuple[str, ...], ...]
    """For each attribute its labels."""
    codes: Ints  # (n_released, n_attributes)
    """Which label each cell shows of each attribute."""
    classes: Ints  # (n_released,)
    """The class of each."""
    counts: Ints  # (n_released,)
    """Its noisy count, at least the threshold."""
    n_cells: int
    """How many cells there are, released or not."""
    threshold: int
    """The smallest count that is released."""
    scale: float
    """The scale of the noise."""


@lru_cache(maxsize=256)
def threshold_for(n_cells: int, scale: float) -> int:
    """The smallest threshold, from 1, that few enough empty cells reach by chance.

    >>> threshold_for(1000, 1.0)
    4
    """
    with localcontext(Context(prec=_DIGITS)):
        n_expected = float(n_cells * tail(1, scale))
        least = 1 if n_expected <= FALSE_CELLS else 1 + math.ceil(scale * math.log(n_expected / FALSE_CELLS))
        # The estimate is off by at most one where floats round.
        while least > 1 and n_cells * tail(least - 1, scale) <= FALSE_CELLS:
            least -= 1
        while n_cells * tail(least, scale) > FALSE_CELLS:
            least += 1
        return least


def count_cells(growth: PrivateGrowth, epsilon: Fraction, mechanisms: Mechanisms) -> NoisyCells:
    """Count the records of every cell and class with noise, and keep what reaches the threshold.

    Claim: this is epsilon-differentially private. One record is in one cell, so
    one count changes by 1; every cell of the cut gets the same noise, empty or
    not, and the threshold looks at nothing but the cut and epsilon.

    Args:
        growth: The cut, with the records by cell.
        epsilon: What is spent.
        mechanisms: Draws.
    """
    labels, place = _labels(growth)
    sizes = [*(len(texts) for texts in labels), growth.n_classes]
    n_cells, scale = math.prod(sizes), noise_scale(epsilon)
    threshold = threshold_for(n_cells, scale)
    numbers, counts = _occupied(growth, place, sizes)
    noisy = mechanisms.add_noise(counts, epsilon)
    is_shown = noisy >= threshold
    drawn = draw_empty_cells(n_cells, set(numbers.tolist()), threshold, scale, mechanisms)
    numbers = np.concatenate([numbers[is_shown], np.array([at for at, _ in drawn], np.int64)])
    noisy = np.concatenate([noisy[is_shown], np.array([n for _, n in drawn], np.int64)])
    order = np.argsort(numbers)
    codes = np.stack(np.unravel_index(numbers[order], sizes), axis=1).astype(np.int64)
    return NoisyCells(labels, codes[:, :-1], codes[:, -1], noisy[order], n_cells, threshold, scale)


def _labels(growth: PrivateGrowth) -> tuple[tuple[tuple[str, ...], ...], list[dict[int, int]]]:
    """The labels of each attribute in a fixed order, and the place of each value among them."""
    labels, places = [], []
    for shown in growth.shown:
        values = sorted(shown.labels)
        labels.append(tuple(shown.labels[value] for value in values))
        places.append({value: i for i, value in enumerate(values)})
    return tuple(labels), places


def _occupied(growth: PrivateGrowth, places: Sequence[dict[int, int]], sizes: Sequence[int]) -> tuple[Ints, Ints]:
    """The number of each cell with records, ascending, and its records."""
    rows, first = growth.rows, growth.rows.starts[:-1]
    n_classes = sizes[-1]
    if not len(rows.counts):
        return np.zeros(0, np.int64), np.zeros(0, np.int64)
    coded = []
    for a, (shown, place) in enumerate(zip(growth.shown, places, strict=True)):
        place_of_leaf = np.array([place[int(value)] for value in shown.value_of_leaf], np.int64)
        coded.append(place_of_leaf[rows.leaves[a][first]])
    cell = np.repeat(np.arange(len(first)), np.diff(rows.starts))
    by_class = np.zeros(len(first) * n_classes, np.int64)
    np.add.at(by_class, cell * n_classes + rows.classes.astype(np.int64), rows.counts)
    at = np.flatnonzero(by_class)
    numbers = np.ravel_multi_index([*(codes[at // n_classes] for codes in coded), at % n_classes], sizes)
    order = np.argsort(numbers)
    return numbers[order].astype(np.int64), by_class[at][order]
