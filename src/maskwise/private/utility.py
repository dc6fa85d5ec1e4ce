"""How much a refinement is worth, and how much one record can change that.

Claims about sensitivity are argued in docs/claims.md and checked by brute force
over all neighbours of random tables.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from maskwise.policy.private_release import PrivateUtility
from maskwise.private.gain_kernels import GINI, MAJORITY, UNIT

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Ints = NDArray[np.int64]

PRIOR = 8
"""So many records of each class every cell is taken to have besides its own, so that small cells tell little."""
BITS = 1 << 20
"""One bit in the fixed-point numbers of the information gain."""


@dataclass(frozen=True, slots=True)
class Utility:
    """By what refinements are compared."""

    kind: PrivateUtility
    """Which one."""
    n_classes: int
    """How many classes are declared."""

    @property
    def sensitivity(self) -> int:
        """How much one record changes the score of a candidate at most.

        Claim: the Gini impurity of all cells changes by at most 2, the records
        outside the majority of their cells by at most 1, and the information
        gain of a value lies between 0 and log2 of the number of classes.
        """
        match self.kind:
            case PrivateUtility.GINI:
                return 2 * UNIT
            case PrivateUtility.MAX:
                return UNIT
            case PrivateUtility.INFOGAIN:
                return math.floor(math.log2(self.n_classes) * BITS)

    @property
    def is_monotone(self) -> bool:
        """Whether one record more changes all scores in the same direction.

        Claim: a record more never lowers the impurity of a cell, and scores are
        impurities of all cells, less the same one for every candidate.
        """
        return self.kind is not PrivateUtility.INFOGAIN

    @property
    def impurity_kind(self) -> int:
        """Which impurity the compiled loops compute."""
        return MAJORITY if self.kind is PrivateUtility.MAX else GINI

    @property
    def prior(self) -> Ints:
        """The records of each class that every cell is taken to have besides."""
        return np.full(self.n_classes, PRIOR, np.int64)


def info_gain(parts: Ints) -> int:
    """The information gain of splitting a value into parts, in fixed-point bits, rounded down.

    Args:
        parts: (n_parts, n_classes) the records of each part by class.

    >>> info_gain(np.array([[4, 0], [0, 4]])) == BITS
    True
    """
    whole = parts.sum(axis=0)
    n = int(whole.sum())
    if not n:
        return 0
    inside = sum(int(part.sum()) * _entropy(part) for part in parts)
    gain = math.floor((_entropy(whole) - inside / n) * BITS)
    return min(max(gain, 0), math.floor(math.log2(parts.shape[1]) * BITS))


def _entropy(counts: Ints) -> float:
    shares = counts[counts > 0] / max(int(counts.sum()), 1)
    return float(-(shares * np.log2(shares)).sum())
