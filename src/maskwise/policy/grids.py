"""Grids on which the boundaries of intervals may lie: from minutes to years, or multiples of a number."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from typing import TYPE_CHECKING, Any

import numpy as np

from maskwise.errors import PolicyError, quote
from maskwise.values.scales import DAY, Scale

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Ints = NDArray[np.int64]

_ROUNDER = {
    "minute": (1440, 60, 15, 1),
    "hour": (24, 6, 1),
    "day": (1,),
    "week": (1,),
    "month": (120, 12, 3, 1),
    "quarter": (40, 4, 1),
    "year": (10, 1),
}
"""For each unit of the calendar which of its beginnings are rounder than others; counting starts with 1970."""
_OF_CLOCK = {"minute": 60_000_000, "hour": 3_600_000_000}
"""The microseconds of the units that are no days."""
_MONDAY = 3
"""The days from the Monday of its week to the first day of 1970."""
_POWERS = tuple(10**power for power in range(15, -1, -1))
_DECIMALS = 9


@dataclass(frozen=True, slots=True)
class Grid:
    """Where intervals may begin.

    >>> Grid.read("month").text, Grid.read("0.50").step
    ('month', Decimal('0.50'))
    """

    text: str
    """How the policy says it."""
    step: Decimal | None = None
    """The number whose multiples are allowed; None goes by the calendar."""

    @classmethod
    def read(cls, text: str) -> Grid:
        """Read a unit of the calendar, or a number above 0."""
        if text in _ROUNDER:
            return cls(text)
        try:
            step = Decimal(text)
        except InvalidOperation:
            step = Decimal(0)
        if not (step.is_finite() and step > 0):
            raise PolicyError([f"`on` is one of {quote(_ROUNDER)}, or a number above 0; found `{text}`."])
        return cls(text, step)

    def misfit(self, scale: Scale) -> str | None:
        """What is wrong with it for values of some order; None if nothing."""
        fitting = _units(scale)
        if self.text not in fitting if self.step is None else fitting:
            instead = quote(fitting) if fitting else "a number"
            return f"`on: {self.text}` is not for {scale.noun}s. Use {instead}."
        if scale is Scale.INTEGER and self.step is not None and self.step % 1:
            return f"`on: {self.text}` has decimals, but the column holds whole numbers. Use a whole number."
        return None

    def round_outward(self, low: float, high: float, scale: Scale) -> tuple[Any, Any]:
        """The narrowest range on the grid around two values.

        >>> Grid.read("5").round_outward(18, 63, Scale.INTEGER)
        (15, 65)
        """
        ends = np.array([low, high])
        first, last = self._places(ends, scale).tolist()
        start = self._starts(np.array([first, last, last + 1]), scale, ends.dtype).tolist()
        end = high if start[1] == high else start[2]
        return start[0], min(end, DAY - 1) if scale is Scale.TIME else end

    def points(self, low: float, high: float, scale: Scale) -> NDArray[Any]:
        """Every point in (low, high], ascending.

        >>> Grid.read("5").points(18, 30, Scale.INTEGER).tolist()
        [20, 25, 30]
        """
        ends = np.array([low, high])
        first, last = self._places(ends, scale).tolist()
        found = self._starts(np.arange(first, last + 1), scale, ends.dtype)
        return found[(found > low) & (found <= high)]

    def n_points(self, low: float, high: float, scale: Scale) -> float:
        """How many points there are about, to refuse far too many before they are listed."""
        if self.step is not None:
            return (high - low) / float(self.step)
        first, last = self._places(np.array([low, high]), scale).tolist()
        return float(last - first)

    def between(self, left: NDArray[Any], right: NDArray[Any], scale: Scale) -> tuple[NDArray[np.bool_], NDArray[Any]]:
        """For each pair whether the grid has a point in (left, right], and the roundest one.

        >>> found, points = Grid.read("10").between(np.array([18, 21, 36]), np.array([21, 29, 190]), Scale.INTEGER)
        >>> found.tolist(), points[found].tolist()
        ([True, False, True], [20, 100])
        """
        first, last = self._places(left, scale), self._places(right, scale)
        chosen, is_open = last.copy(), np.ones(len(last), np.bool_)
        for unit in _POWERS if self.step is not None else _ROUNDER[self.text]:
            # Of the finest kind one in the middle: the largest would tell the right value.
            candidate = last // unit * unit if unit > 1 else first + (last - first + 1) // 2
            fits = is_open & (candidate > first) & (candidate <= last)
            chosen[fits] = candidate[fits]
            is_open &= ~fits
        points = self._starts(chosen, scale, right.dtype)
        return ~is_open & (points > left) & (points <= right), points

    def _places(self, numbers: NDArray[Any], scale: Scale) -> Ints:
        """The number of the last point at or before each value."""
        if self.step is not None:
            if numbers.dtype == np.int64 and not self.step % 1:
                whole: Ints = numbers // int(self.step)
                return whole
            return np.floor(np.round(numbers / float(self.step), _DECIMALS)).astype(np.int64)
        if self.text in _OF_CLOCK:
            units: Ints = numbers // _OF_CLOCK[self.text]
            return units
        days = np.asarray(numbers // DAY if scale is Scale.TIMESTAMP else numbers, np.int64)
        if self.text == "day":
            return days
        if self.text == "week":
            weeks: Ints = (days + _MONDAY) // 7
            return weeks
        months = days.astype("datetime64[D]").astype("datetime64[M]").astype(np.int64)
        found: Ints = months // {"month": 1, "quarter": 3, "year": 12}[self.text]
        return found

    def _starts(self, places: Ints, scale: Scale, dtype: Any) -> NDArray[Any]:
        """The points as numbers."""
        if self.step is not None:
            if dtype == np.int64 and not self.step % 1:
                return places * int(self.step)
            digits = max(0, -int(self.step.as_tuple().exponent))
            return np.round(places * float(self.step), digits)
        if self.text in _OF_CLOCK:
            return places * _OF_CLOCK[self.text]
        if self.text == "day":
            days = places
        elif self.text == "week":
            days = places * 7 - _MONDAY
        else:
            months = places * {"month": 1, "quarter": 3, "year": 12}[self.text]
            days = months.astype("datetime64[M]").astype("datetime64[D]").astype(np.int64)
        return days * DAY if scale is Scale.TIMESTAMP else days


def _units(scale: Scale) -> tuple[str, ...]:
    """The units of the calendar and the clock that values of some order have."""
    match scale:
        case Scale.DATE:
            return tuple(unit for unit in _ROUNDER if unit not in _OF_CLOCK)
        case Scale.TIMESTAMP:
            return tuple(_ROUNDER)
        case Scale.TIME:
            return tuple(_OF_CLOCK)
    return ()
