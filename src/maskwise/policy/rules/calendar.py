"""Dates and timestamps by the calendar: hours, days, months, years."""

from __future__ import annotations

import datetime as dt
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Self

from maskwise.errors import PolicyError
from maskwise.policy.rules.level_names import read_names
from maskwise.policy.rules.moments import read_moment, shift_of

if TYPE_CHECKING:
    from collections.abc import Callable

_OF_DAY: dict[str, Callable[[dt.date], str]] = {
    "day": dt.date.isoformat,
    "week": lambda day: "{}-W{:02}".format(*day.isocalendar()),
    "month": lambda day: f"{day.year:04}-{day.month:02}",
    "quarter": lambda day: f"{day.year:04}-Q{(day.month + 2) // 3}",
    "year": lambda day: f"{day.year:04}",
    "decade": lambda day: f"{day.year // 10 * 10:04}s",
}
"""How each level writes a day, the finest first."""
LEVELS = ("hour", "shift", *_OF_DAY)
"""All levels, the finest first."""


@dataclass(frozen=True, slots=True)
class Calendar:
    """Dates and timestamps, from the hour or the day up to the decade.

    >>> Calendar(("decade", "year", "quarter", "month", "day")).path("1987-03-14")
    ('1980s', '1987', '1987-Q1', '1987-03', '1987-03-14')
    >>> Calendar(("day", "shift", "hour")).path("2024-03-14T23:15:00")
    ('2024-03-14', '2024-03-14 night', '2024-03-14 23h')
    """

    levels: tuple[str, ...]
    """The chosen levels, the coarsest first."""

    @property
    def key(self) -> str:
        """The word in a policy."""
        return "calendar"

    @classmethod
    def from_data(cls, data: object) -> Self:
        """Read the levels, the finest first."""
        levels = read_names("calendar", data, LEVELS)
        if "week" in levels[1:]:
            msg = (
                "A week lies in two months or years now and then, so `week` is the coarsest level of its calendar: "
                "calendar: [day, week]."
            )
            raise PolicyError([msg])
        return cls(levels)

    def path(self, text: str) -> tuple[str, ...] | None:
        """The labels of a date or timestamp; None of what is none, or has no hour where a level needs one."""
        found = read_moment(text)
        if found is None or found.day is None:
            return None
        labels = _labels(found.day, self.levels)
        if len(labels) == len(self.levels):
            return labels
        if found.hour is None:
            return None
        of_hour = {
            "shift": f"{found.day.isoformat()} {shift_of(found.hour)}",
            "hour": f"{found.day.isoformat()} {found.hour:02}h",
        }
        return labels + tuple([of_hour[level] for level in self.levels[len(labels) :]])

    def to_data(self) -> list[str]:
        """What a policy says."""
        return list(reversed(self.levels))


@lru_cache(maxsize=1 << 16)
def _labels(day: dt.date, levels: tuple[str, ...]) -> tuple[str, ...]:
    """The labels of a day, without those that need an hour."""
    return tuple(_OF_DAY[level](day) for level in levels if level in _OF_DAY)
