"""Splits by frequency: halves with as equal numbers of records as can be, rare values on one side."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Ints = NDArray[np.int64]


def split_by_frequency(members: Ints, counts: Ints) -> tuple[Ints, Ints]:
    """Order units by their records and split them where the halves differ least; of equal splits, the first.

    Args:
        members: At least two units.
        counts: The records of every unit, by class.
    """
    n = counts[members].sum(axis=1)
    order = np.argsort(n, kind="stable")
    below = np.cumsum(n[order])[:-1]
    at = int(np.argmin(np.abs(2 * below - n.sum()))) + 1
    return members[order[:at]], members[order[at:]]
