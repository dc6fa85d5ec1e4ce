"""The measure of diversity: how many values, how much entropy, how large a tail."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from maskwise.policy.requirements.diversity import Measure
from maskwise.verify.measures.spectrum import TOLERANCE, Measured

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from maskwise.policy.requirements.diversity import Diversity
    from maskwise.verify.counted_values import Values
    from maskwise.verify.measures.spectrum import Spectrum

    Floats = NDArray[np.float64]


def measure_diversity(part: Diversity, groups: Spectrum, values: tuple[Values, ...]) -> Measured:
    """Measure how diverse the sensitive column is in every group; numbers of values and tails are whole numbers.

    Args:
        part: What is asked.
        groups: The groups of its QID.
        values: The values of its sensitive column.
    """
    counts = groups.counts_of(part.sensitive, values)
    # A cell, or a person, may have several values. Then what most have is known of them, whatever else there is.
    n_others = groups.n_records - counts.max(axis=1)
    match part.measure:
        case Measure.DISTINCT:
            n_values = np.minimum((counts > 0).sum(axis=1), n_others + 1)
            return Measured(n_values, n_values < int(part.l), is_low_bad=True)
        case Measure.ENTROPY:
            shares = counts / counts.sum(axis=1, keepdims=True)
            bits = np.minimum(_bits(shares), _most_bits(n_others / groups.n_records, counts.shape[1]))
            return Measured(2**bits, bits < np.log2(float(part.l)) - TOLERANCE, is_low_bad=True)
        case Measure.RECURSIVE:
            falling = -np.sort(-counts, axis=1)
            most, tail = falling[:, 0], np.minimum(falling[:, int(part.l) - 1 :].sum(axis=1), n_others)
            numerator, denominator = part.c.as_integer_ratio()
            ratio = np.divide(most, tail, where=tail > 0, out=np.full(len(most), np.inf))
            return Measured(ratio, most * denominator >= tail * numerator, is_low_bad=False)


def _bits(shares: Floats) -> Floats:
    """The entropy of the shares in each row."""
    terms = shares * np.log2(shares, where=shares > 0, out=np.zeros_like(shares))
    found: Floats = -terms.sum(axis=1)
    return found


def _most_bits(others: Floats, n_values: int) -> Floats:
    """The largest entropy of so many values where the most frequent one leaves so much to the others."""
    both = _bits(np.stack([others, 1 - others], axis=1))
    found: Floats = both + others * np.log2(max(n_values - 1, 1))
    return found
