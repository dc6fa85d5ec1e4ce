"""Splits by class: the two parts tell as much about the class as two parts can."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from maskwise.profile.growing.by_frequency import split_by_frequency

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Ints = NDArray[np.int64]
    Floats = NDArray[np.float64]

_TWO = 2
_EQUAL = 1e-12
"""Entropies that differ by a smaller share are equal."""


def split_by_classes(members: Ints, counts: Ints) -> tuple[Ints, Ints]:
    """Order units by class and split them where the entropy of the class is least.

    Of two classes the order is the share of one of them, and no other split has
    less entropy (Breiman et al. 1984, theorem 4.5). Of more, units are ordered along the first
    principal component of their shares (Coppersmith, Hong and Hosking 1999), which is good but not
    always best. Of equal splits the most balanced one is taken; where no split tells anything, the one by frequency.

    Args:
        members: At least two units.
        counts: The records of every unit, by class.
    """
    own = counts[members]
    order = np.argsort(_positions(own), kind="stable")
    below = np.cumsum(own[order], axis=0)[:-1]
    whole = own.sum(axis=0)
    left = entropy_bits(below) + entropy_bits(whole - below)
    least = left.min()
    if least >= entropy_bits(whole[None, :])[0] * (1 - _EQUAL):
        return split_by_frequency(members, counts)
    balance = np.abs(2 * below.sum(axis=1) - whole.sum())
    is_best = left <= least + _EQUAL * whole.sum()
    at = int(np.argmin(np.where(is_best, balance, balance.max() + 1))) + 1
    return members[order[:at]], members[order[at:]]


def entropy_bits(counts: Ints) -> Floats:  # (n_groups, n_classes) -> (n_groups,)
    """The records of each group times the entropy of its class, in bits."""
    n = counts.sum(axis=1)
    both = np.concatenate([n[:, None], counts], axis=1).astype(np.float64)
    logs = both * np.log2(np.where(both > 0, both, 1))
    bits: Floats = logs[:, 0] - logs[:, 1:].sum(axis=1)
    return bits


def _positions(counts: Ints) -> Floats:
    """Where each unit stands in the order."""
    n = counts.sum(axis=1)
    shares: Floats = counts / np.maximum(n, 1)[:, None]
    if counts.shape[1] <= _TWO:
        return shares[:, -1]
    centred = shares - counts.sum(axis=0) / max(int(n.sum()), 1)
    direction = np.linalg.eigh(centred.T @ (centred * n[:, None]))[1][:, -1]
    # The sign of a direction is arbitrary; rounding keeps equal shares equal.
    direction = direction * np.sign(direction[np.argmax(np.abs(direction))])
    positions: Floats = np.round(centred @ direction, 12)
    return positions
