"""Entropy, gains, losses and the score: pure arithmetic on counts.

The formulas are the papers' (TKDE 2007, III.B). Without a class the gain is
the distortion taken away, as `docs/reference.md` explains.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Counts = NDArray[np.int64]
    Floats = NDArray[np.float64]


def entropy(counts: Counts) -> Floats:
    """Entropy in bits of each row of class counts; 0 for no records.

    >>> entropy(np.array([[5, 11], [4, 0]])).round(4).tolist()
    [0.896, 0.0]
    """
    total = counts.sum(axis=-1, keepdims=True)
    share = counts / np.maximum(total, 1)
    logs = np.log2(share, out=np.zeros_like(share), where=share > 0)
    bits: Floats = np.maximum(-(share * logs).sum(axis=-1), 0.0)
    return bits


def disclosure_gain(hidden: Counts, values: Counts) -> Floats:
    """InfoGain of disclosing each of several values that `*` still hides.

    Args:
        hidden: (n_classes,) records that show `*`, by class.
        values: (n_values, n_classes) those of them that hold each value.
    """
    total = max(int(hidden.sum()), 1)
    rest = hidden - values
    parts = (values.sum(axis=1) * entropy(values) + rest.sum(axis=1) * entropy(rest)) / total
    gain: Floats = np.maximum(float(entropy(hidden)) - parts, 0.0)
    return gain


def score(gain: Floats, loss: Floats) -> Floats:
    """Score(v) = gain / (loss + 1)."""
    return gain / (loss + 1.0)
