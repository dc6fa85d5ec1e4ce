"""Which of several candidates are equally good: gains and scores of any size, compared in one way.

Two figures are equal if they are less than 1e-12 apart, or, where they are
larger than 1, less than 1e-12 of the larger one. Gains about a class are bits
and stay small; without a class they are numbers of records, where 1e-12 alone
would be lost in rounding.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

TOLERANCE = 1e-12
"""Gains and scores of at most 1 that are closer than this are equal."""


def tolerance_at(figure: float) -> float:
    """How far another figure may be from this one and still be equal.

    >>> tolerance_at(0.5), tolerance_at(1e6)
    (1e-12, 1e-06)
    """
    return TOLERANCE * max(1.0, abs(figure))


def is_less(figure: float, other: float) -> bool:
    """Say whether a figure is less than another, and not equal to it.

    >>> is_less(1.0, 1.0 + 1e-13), is_less(1e6, 1e6 + 1)
    (False, True)
    """
    return figure < other - tolerance_at(other)


def largest(figures: NDArray[np.float64]) -> NDArray[np.intp]:
    """The places of the largest figure and of those equal to it, ascending.

    >>> largest(np.array([1e6, 3e6, 3e6 + 1e-7])).tolist()
    [1, 2]
    """
    top = float(figures.max())
    return np.flatnonzero(figures > top - tolerance_at(top))


def smallest(figures: NDArray[np.float64]) -> NDArray[np.intp]:
    """The places of the smallest figure and of those equal to it, ascending."""
    return largest(-figures)
