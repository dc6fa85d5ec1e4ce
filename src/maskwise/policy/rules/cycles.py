"""What comes round again: days of the week, months and seasons, hours of the day."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Self

from maskwise.policy.rules.level_names import read_names
from maskwise.policy.rules.moments import read_moment, shift_of

_DAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
_SATURDAY = 5
_MONTHS = (
    "January",
    "February",
    "March",
    "April",
    "May",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December",
)
_SEASONS = ("winter", "spring", "summer", "autumn")


@dataclass(frozen=True, slots=True)
class Weekday:
    """The day of the week, and whether it is a working day or the weekend (Saturday and Sunday).

    >>> Weekday(("part", "day")).path("2024-03-16")
    ('weekend', 'Saturday')
    """

    levels: tuple[str, ...]
    """The chosen levels, the coarsest first."""

    @property
    def key(self) -> str:
        """The word in a policy."""
        return "weekday"

    @classmethod
    def from_data(cls, data: object) -> Self:
        """Read the levels, the finest first."""
        return cls(read_names("weekday", data, ("day", "part")))

    def path(self, text: str) -> tuple[str, ...] | None:
        """The labels of a date or timestamp; None of what is none."""
        found = read_moment(text)
        if found is None or found.day is None:
            return None
        at = found.day.weekday()
        labels = {"part": "weekend" if at >= _SATURDAY else "working day", "day": _DAYS[at]}
        return tuple(labels[level] for level in self.levels)

    def to_data(self) -> list[str]:
        """What a policy says."""
        return list(reversed(self.levels))


@dataclass(frozen=True, slots=True)
class Season:
    """The month, and the season of the northern half of the earth by whole months: spring begins in March.

    >>> Season(("season", "month")).path("2024-12-24")
    ('winter', 'December')
    """

    levels: tuple[str, ...]
    """The chosen levels, the coarsest first."""

    @property
    def key(self) -> str:
        """The word in a policy."""
        return "season"

    @classmethod
    def from_data(cls, data: object) -> Self:
        """Read the levels, the finest first."""
        return cls(read_names("season", data, ("month", "season")))

    def path(self, text: str) -> tuple[str, ...] | None:
        """The labels of a date or timestamp; None of what is none."""
        found = read_moment(text)
        if found is None or found.day is None:
            return None
        month = found.day.month
        labels = {"season": _SEASONS[month // 3 % 4], "month": _MONTHS[month - 1]}
        return tuple(labels[level] for level in self.levels)

    def to_data(self) -> list[str]:
        """What a policy says."""
        return list(reversed(self.levels))


@dataclass(frozen=True, slots=True)
class TimeOfDay:
    """The hour of a timestamp or time of day, and its shift: night (22 to 6), early (6 to 14), late (14 to 22).

    >>> TimeOfDay(("shift", "hour")).path("2024-03-14T23:15:00")
    ('night', '23h')
    """

    levels: tuple[str, ...]
    """The chosen levels, the coarsest first."""

    @property
    def key(self) -> str:
        """The word in a policy."""
        return "time_of_day"

    @classmethod
    def from_data(cls, data: object) -> Self:
        """Read the levels, the finest first."""
        return cls(read_names("time_of_day", data, ("hour", "shift")))

    def path(self, text: str) -> tuple[str, ...] | None:
        """The labels of a timestamp or time of day; None of what has no hour."""
        found = read_moment(text)
        if found is None or found.hour is None:
            return None
        labels = {"shift": shift_of(found.hour), "hour": f"{found.hour:02}h"}
        return tuple(labels[level] for level in self.levels)

    def to_data(self) -> list[str]:
        """What a policy says."""
        return list(reversed(self.levels))
