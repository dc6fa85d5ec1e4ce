"""The measure of closeness: how far a group's sensitive values are from those of the whole table."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from maskwise.policy.requirements.closeness import Distance
from maskwise.verify.measures.spectrum import TOLERANCE, Measured

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from maskwise.policy.requirements.closeness import Closeness
    from maskwise.verify.counted_values import Values
    from maskwise.verify.measures.spectrum import Spectrum


def measure_distance(part: Closeness, groups: Spectrum, values: tuple[Values, ...]) -> Measured:
    """Measure the distance of every group from the whole table.

    Args:
        part: What is asked.
        groups: The groups of its QID.
        values: The values of its sensitive column, in their order.
    """
    counts = groups.counts_of(part.sensitive, values)
    shares = counts / counts.sum(axis=1, keepdims=True)
    whole = groups.whole_of(part.sensitive, values)
    apart = shares - whole / whole.sum()
    if part.distance is Distance.EQUAL:
        distance: NDArray[np.float64] = np.abs(apart).sum(axis=1) / 2
    else:
        distance = np.abs(np.cumsum(apart, axis=1)).sum(axis=1) / max(counts.shape[1] - 1, 1)
    return Measured(distance, distance > float(part.bound) + TOLERANCE, is_low_bad=False)
