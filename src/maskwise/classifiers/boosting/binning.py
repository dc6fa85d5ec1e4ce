"""From columns of small whole numbers to bins. `tree` sees bins only.

A column has at most 255 bins. One more bin, after the last, holds the missing cells.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

MAX_BINS = 255
"""With the bin of the missing cells, a bin's number fits into a byte."""


@dataclass(frozen=True, slots=True)
class Binning:
    """How the cells of one column become bins."""

    is_category: bool
    borders: Floats
    """Categories: those with a bin of their own, ascending. Numbers: the upper border of each bin but the last."""

    @property
    def n_bins(self) -> int:
        """How many bins the known values have; this is also the number of the bin of missing cells."""
        return len(self.borders) + (not self.is_category)


def learn_binning(column: Floats, *, is_category: bool) -> Binning:
    """Choose the bins of a column.

    Numbers: a bin for each distinct value, or of more than 255 values bins of nearly
    equal size. Two neighbours meet half-way between their values. Categories: a bin for
    each of the 255 most frequent, of equally frequent ones the smaller; the others count
    as missing.

    Args:
        column: (n_records,) numbers of values or categories; NaN is missing.
        is_category: The numbers only name categories.
    """
    distinct, sizes = np.unique(column[~np.isnan(column)], return_counts=True)
    if is_category:
        most_frequent = np.argsort(-sizes, kind="stable")[:MAX_BINS]
        return Binning(is_category=True, borders=np.sort(distinct[most_frequent]))
    last = np.arange(len(distinct) - 1)
    if len(distinct) > MAX_BINS:
        ends = np.arange(1, MAX_BINS) * int(sizes.sum()) / MAX_BINS
        last = np.unique(np.searchsorted(np.cumsum(sizes), ends))
        last = last[last < len(distinct) - 1]
    return Binning(is_category=False, borders=(distinct[last] + distinct[last + 1]) / 2)


def bin_values(values: Floats, binnings: tuple[Binning, ...]) -> NDArray[np.uint8]:
    """The bin of each cell, (n_records, n_columns); a category without a bin counts as missing."""
    bins = np.empty(values.shape, np.uint8)
    for c, binning in enumerate(binnings):
        places = np.searchsorted(binning.borders, values[:, c])
        is_missing = np.isnan(values[:, c])
        if binning.is_category and binning.n_bins:
            is_missing |= binning.borders[np.minimum(places, binning.n_bins - 1)] != values[:, c]
        bins[:, c] = np.where(is_missing, binning.n_bins, places)
    return bins
