"""Where to cut an interval in two, compiled.

The whole tree of an interval attribute follows from one-dimensional counts, so
this runs before any record is looked at again. `grow_trees` grows the trees.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from maskwise.search.ties import TOLERANCE
from maskwise.values.kernel import kernel


def best_split(counts: Any, start: int, stop: int) -> int:
    """Find where to cut an interval in two so that the class is told best.

    Args:
        counts: (n_values, n_classes) records by ordered value and class.
        start: First value of the interval.
        stop: One past its last value.

    Returns:
        The first value of the right part; of equal splits the lowest.
    """
    n_classes = counts.shape[1]
    # Made here: allocating is slow to compile.
    buffers = np.zeros(n_classes, np.int64), np.zeros(n_classes, np.int64), np.empty(stop - start, np.float64)
    return int(compare_splits(counts, start, stop, *buffers))


@kernel
def compare_splits(counts: Any, start: int, stop: int, left: Any, total: Any, mixed: Any) -> int:
    """Compare all places to cut an interval in two.

    Args:
        counts: IN as in `best_split`.
        start: IN as in `best_split`.
        stop: IN as in `best_split`.
        left: INOUT (n_classes,) zeros.
        total: INOUT (n_classes,) zeros.
        mixed: OUT (stop - start,) a buffer.
    """
    n_classes = counts.shape[1]
    for i in range(start, stop):
        for c in range(n_classes):
            total[c] += counts[i, c]
    # n * entropy of both parts, less what all splits share: the smallest is the best.
    least = np.inf
    for i in range(start + 1, stop):
        n_left = 0.0
        n_right = 0.0
        inner = 0.0
        for c in range(n_classes):
            left[c] += counts[i - 1, c]
            a = float(left[c])
            b = float(total[c] - left[c])
            n_left += a
            n_right += b
            if a > 0:
                inner -= a * np.log2(a)
            if b > 0:
                inner -= b * np.log2(b)
        if n_left > 0:
            inner += n_left * np.log2(n_left)
        if n_right > 0:
            inner += n_right * np.log2(n_right)
        mixed[i - start] = inner / (n_left + n_right)
        least = min(least, mixed[i - start])
    for i in range(start + 1, stop):
        if mixed[i - start] < least + TOLERANCE:
            return i
    return stop
