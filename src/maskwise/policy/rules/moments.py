"""Dates and times as they stand in a table, for rules that speak of them."""

from __future__ import annotations

import datetime as dt
import re
from functools import lru_cache
from typing import NamedTuple

_MOMENT = re.compile(
    r"([0-9]{4}-[0-9]{2}-[0-9]{2})(?:[ T]([0-9]{2}):([0-9]{2})(?::([0-9]{2})(?:[.,][0-9]{1,9})?)?"
    r"(?:Z|[+-][0-9]{2}:?[0-9]{2})?)?",
    re.ASCII,
)
_TIME = re.compile(r"([0-9]{2}):([0-9]{2})(?::([0-9]{2})(?:[.,][0-9]{1,9})?)?", re.ASCII)
_HOURS, _SIXTY = 24, 60
SHIFTS = ("night", "early", "late")
"""The shifts of a day: from 22 to 6, from 6 to 14, from 14 to 22 o'clock."""


class Moment(NamedTuple):
    """A day, and the hour where the cell has one; the hour is as it is written, whatever the time zone."""

    day: dt.date | None
    hour: int | None


def read_moment(text: str) -> Moment | None:
    """Read an ISO date, timestamp or time of day; None of what is none.

    >>> read_moment("2024-03-14T17:30"), read_moment("07:05:00"), read_moment("2024-02-30")
    (Moment(day=datetime.date(2024, 3, 14), hour=17), Moment(day=None, hour=7), None)
    """
    text = text.strip()
    if found := _MOMENT.fullmatch(text):
        date, *clock = found.groups()
        day = _day(date)
        if day is None:
            return None
        return Moment(day, None) if clock[0] is None else _with_hour(day, clock)
    if found := _TIME.fullmatch(text):
        return _with_hour(None, list(found.groups()))
    return None


def _with_hour(day: dt.date | None, clock: list[str | None]) -> Moment | None:
    hour, minute, second = (int(part or 0) for part in clock)
    return Moment(day, hour) if hour < _HOURS and minute < _SIXTY and second < _SIXTY else None


@lru_cache(maxsize=1 << 16)
def _day(text: str) -> dt.date | None:
    try:
        return dt.date.fromisoformat(text)
    except ValueError:
        return None


def shift_of(hour: int) -> str:
    """The shift that an hour is in.

    >>> [shift_of(hour) for hour in (5, 6, 13, 14, 21, 22)]
    ['night', 'early', 'early', 'late', 'late', 'night']
    """
    return SHIFTS[(hour + 2) // 8 % 3]
