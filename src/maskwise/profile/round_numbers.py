"""The roundest value between two values: the shortest decimal, or the coarsest date.

A boundary that is shown should not be the value of one person. Between the
largest value on its left and the smallest on its right there is room for a
rounder one, which says less about both.
"""

from __future__ import annotations

import datetime as dt
from typing import TYPE_CHECKING, Any

import numpy as np

from maskwise.values.scales import DAY, EXACT, Scale, as_python

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from numpy.typing import NDArray

_MOST_DECIMALS = 22
"""Up to here a power of ten is exact as a float, so that a quotient by it is the decimal that was meant."""
_COARSE = (3_600_000_000, 60_000_000)
"""The microseconds of an hour and a minute."""
_FINE = (1_000_000, 1_000, 1)
"""Those of a second, a millisecond and a microsecond."""


def round_between(left: NDArray[Any], right: NDArray[Any], scale: Scale) -> NDArray[Any]:
    """For each pair the roundest value between them, which is neither of them if another one lies between.

    Args:
        left: The largest value on the left of each boundary.
        right: The smallest value on its right.
        scale: What the numbers are.

    Claim: each result lies in (left, right], so the boundary parts the same records as the right value does.

    >>> round_between(np.array([36, 36, 187, 483]), np.array([37, 44, 1204, 489]), Scale.INTEGER).tolist()
    [37, 40, 1000, 486]
    >>> round_between(np.array([0.123]), np.array([0.187]), Scale.REAL).tolist()
    [0.15]
    """
    if right.dtype == np.float64 and _are_whole(left) and _are_whole(right):
        # pandas makes floats of whole numbers as soon as a cell is missing.
        return round_between(left.astype(np.int64), right.astype(np.int64), Scale.INTEGER).astype(np.float64)
    chosen = np.array(right, copy=True)
    is_open = np.ones(len(chosen), np.bool_)
    for candidate in _candidates(left, right, scale):
        fits = is_open & (candidate > left) & (candidate < right)
        chosen[fits] = candidate[fits]
        is_open &= ~fits
        if not is_open.any():
            break
    return chosen


def _are_whole(numbers: NDArray[Any]) -> bool:
    return bool((np.abs(numbers) < EXACT).all() and (numbers == np.floor(numbers)).all())


def _candidates(left: NDArray[Any], right: NDArray[Any], scale: Scale) -> Iterator[NDArray[Any]]:
    """Round values, from the roundest kind on: of a coarse kind the largest below the right value.

    Of a fine kind, which the data may have itself, those around the middle: one
    unit below the right value would tell that value.
    """
    match scale:
        case Scale.DATE:
            yield from (_each(right - 1, scale, start) for start in (_start_of_year, _start_of_month))
            yield from _middle(left, right, 1)
        case Scale.TIMESTAMP:
            yield from (_each(right - 1, scale, start) for start in (_start_of_year, _start_of_month))
            yield from ((right - 1) // unit * unit for unit in (DAY, *_COARSE))
            for unit in _FINE:
                yield from _middle(left, right, unit)
        case Scale.TIME:
            yield from ((right - 1) // unit * unit for unit in _COARSE)
            for unit in _FINE:
                yield from _middle(left, right, unit)
        case _ if right.dtype == np.int64:
            yield from ((right - 1) // 10**power * 10**power for power in range(18, 0, -1))
            yield from _middle(left, right, 1)
        case _:
            yield from _decimals(left, right)


def _middle(left: NDArray[Any], right: NDArray[Any], unit: int) -> Iterator[NDArray[Any]]:
    """The multiples of a unit next to the middle, from below and from above."""
    below = (left + (right - left) // 2) // unit * unit
    yield below
    yield below + unit


def _decimals(left: NDArray[Any], right: NDArray[Any]) -> Iterator[NDArray[Any]]:
    """Floats cut off after fewer and fewer places before the point, then after more and more behind it."""
    with np.errstate(over="ignore", invalid="ignore"):
        largest = float(max(np.abs(left).max(initial=1.0), np.abs(right).max(initial=1.0)))
        # The first candidate is 0, or below everything.
        for power in range(min(int(np.log10(largest)) + 1, 308), 0, -1):
            step = 10.0**power
            whole = np.floor(right / step)
            # A multiple that is not below the right value gives way to the one before it.
            yield np.where(whole * step >= right, whole - 1, whole) * step
        middle = left / 2 + right / 2
        for n_decimals in range(_MOST_DECIMALS + 1):
            step = 10.0**n_decimals
            whole = np.floor(middle * step)
            yield whole / step
            yield (whole + 1) / step


def _each(
    right: NDArray[Any], scale: Scale, start_of: Callable[[dt.date | dt.datetime], dt.date | dt.datetime]
) -> NDArray[Any]:
    """Where the year or month of each value begins, as numbers."""
    epoch = as_python(0, scale)
    unit = dt.timedelta(days=1) if scale is Scale.DATE else dt.timedelta(microseconds=1)
    return np.array([(start_of(as_python(value, scale)) - epoch) // unit for value in right.tolist()], np.int64)  # type: ignore[arg-type,operator]


def _start_of_year(value: dt.date | dt.datetime) -> dt.date | dt.datetime:
    return _start_of_month(value).replace(month=1)


def _start_of_month(value: dt.date | dt.datetime) -> dt.date | dt.datetime:
    start = value.replace(day=1)
    return start.replace(hour=0, minute=0, second=0, microsecond=0) if isinstance(start, dt.datetime) else start
