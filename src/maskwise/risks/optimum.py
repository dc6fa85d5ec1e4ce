"""Where a function of two numbers is largest, and where one of a number is zero: without derivatives or a library.

`maximize` is the simplex of Nelder and Mead, `find_root` bisects.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

_MOST_STEPS = 2_000
_FAR = 40.0
"""Parameters are logarithms: further out lies no maximum but the edge of the model."""
_NEAR = 1e-9


def maximize(function: Callable[[Floats], float], starts: Sequence[tuple[float, float]]) -> Floats | None:
    """Find where a function is largest; None if it grows towards the edge, or no start converges.

    Args:
        function: The function; where it cannot be computed it counts as lowest.
        starts: Where to begin; the best end of all counts.

    >>> maximize(lambda x: -((x[0] - 1) ** 2) - (x[1] + 2) ** 2, [(0.0, 0.0)]).round(6).tolist()
    [1.0, -2.0]
    >>> maximize(lambda x: float(x[0] - x[1] ** 2), [(0.0, 0.0)]) is None
    True
    """

    def cost(point: Floats) -> float:
        if np.abs(point).max() > _FAR:
            return math.inf
        try:
            found = function(point)
        except (ValueError, OverflowError, ZeroDivisionError):
            return math.inf
        return -found if math.isfinite(found) else math.inf

    with np.errstate(all="ignore"):
        ends = [end for start in starts if (end := _descend(cost, np.array(start))) is not None]
    if not ends:
        return None
    _, best = min(ends, key=lambda end: end[0])
    return None if np.abs(best).max() > _FAR - 1 else best


def _descend(cost: Callable[[Floats], float], start: Floats) -> tuple[float, Floats] | None:
    """Move the worst of three points, until they are together; None if they do not come together."""
    points = [start, start + np.array([0.5, 0.0]), start + np.array([0.0, 0.5])]
    found = sorted(((cost(point), tuple(point)) for point in points), key=lambda pair: pair[0])
    if not math.isfinite(found[0][0]):
        return None
    for _ in range(_MOST_STEPS):
        (low, best), (middle, second), (high, worst) = found
        spread = max(abs(a - b) for point in (second, worst) for a, b in zip(point, best, strict=True))
        if spread < _NEAR and high - low <= _NEAR * max(abs(low), 1.0):
            return low, np.array(best)
        center = (np.array(best) + np.array(second)) / 2
        away = center - np.array(worst)
        reflected = _at(cost, center + away)
        if reflected[0] < low:
            further = _at(cost, center + 2 * away)
            found[2] = min(reflected, further, key=lambda pair: pair[0])
        elif reflected[0] < middle:
            found[2] = reflected
        else:
            toward = center + away / 2 if reflected[0] < high else center - away / 2
            closer = _at(cost, toward)
            if closer[0] < min(reflected[0], high):
                found[2] = closer
            else:
                found[1:] = [_at(cost, (np.array(point) + np.array(best)) / 2) for point in (second, worst)]
        found.sort(key=lambda pair: pair[0])
    return None


def _at(cost: Callable[[Floats], float], point: Floats) -> tuple[float, tuple[float, ...]]:
    return cost(point), tuple(point.tolist())


def find_root(function: Callable[[float], float | None], low: float, high: float, n_parts: int = 300) -> float | None:
    """Find the first number at which a function changes its sign; None if there is none.

    Args:
        function: The function; None where it has no value.
        low: Where to begin.
        high: Where to end.
        n_parts: In how many parts to look.

    >>> round(find_root(lambda x: x**2 - 2, 0.0, 5.0), 9)
    1.414213562
    """
    places = np.linspace(low, high, n_parts + 1).tolist()
    values = [function(place) for place in places]
    for left, right, before, after in zip(places, places[1:], values, values[1:], strict=False):
        if before is not None and after is not None and (before <= 0) != (after <= 0):
            return _bisect(function, left, right, is_rising=before <= 0)
    return None


def _bisect(function: Callable[[float], float | None], left: float, right: float, *, is_rising: bool) -> float:
    while right - left > _NEAR * 1e-3:
        middle = (left + right) / 2
        if middle in (left, right):
            break
        value = function(middle)
        is_left = value is not None and (value <= 0) == is_rising
        left, right = (middle, right) if is_left else (left, middle)
    return (left + right) / 2
