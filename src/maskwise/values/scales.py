"""The ordered types an interval attribute may have: numbers, dates, times.

Each value has a number behind it (for sorting, splitting and comparing) and an
ISO label in front of it (for people). `parsing` reads the
texts of a csv as one of these types; `profile` decides which type a column has.
"""

from __future__ import annotations

import datetime as dt
import math
from enum import StrEnum

from maskwise.errors import PolicyError


class Scale(StrEnum):
    """The order that an interval attribute's values have."""

    INTEGER = "integer"
    REAL = "real"
    DATE = "date"
    TIMESTAMP = "timestamp"
    TIME = "time"

    @property
    def noun(self) -> str:
        """What people call one of its values.

        >>> Scale.INTEGER.noun, Scale.DATE.noun
        ('number', 'ISO date')
        """
        return "number" if self in {Scale.INTEGER, Scale.REAL} else f"ISO {self}"

    @property
    def example(self) -> str:
        """How one of them is written."""
        return {
            Scale.DATE: "2024-04-06",
            Scale.TIMESTAMP: "2024-04-06T17:30:00",
            Scale.TIME: "17:30:00",
        }.get(self, "2.5")

    @property
    def engine_type(self) -> str | None:
        """The type that an engine reads its texts as and compares by itself, in Ibis's spelling.

        None where not every engine has one: times of day.

        >>> Scale.REAL.engine_type, Scale.TIME.engine_type
        ('float64', None)
        """
        return {
            Scale.INTEGER: "int64",
            Scale.REAL: "float64",
            Scale.DATE: "date",
            Scale.TIMESTAMP: "timestamp",
        }.get(self)


ABOVE = "≥ "
"""How the label of an interval without an upper end begins."""
DAY = 86_400_000_000
"""The microseconds of a day, which the number behind a timestamp counts."""
_EPOCH_DAY = dt.date(1970, 1, 1).toordinal()
_EPOCH = dt.datetime(1970, 1, 1)  # noqa: DTZ001 - timestamps are kept as written, or in UTC
_MICROSECOND = dt.timedelta(microseconds=1)
EXACT = 2**53
"""Above this a float no longer tells neighbouring integers apart."""


def as_python(value: float, scale: Scale) -> int | float | dt.date | dt.datetime | dt.time:
    """Turn the number behind a value back into the value, as Python and the engines have it.

    >>> as_python(19000, Scale.DATE), as_python(2.5, Scale.REAL)
    (datetime.date(2022, 1, 8), 2.5)
    """
    match scale:
        case Scale.DATE:
            return dt.date.fromordinal(int(value) + _EPOCH_DAY)
        case Scale.TIMESTAMP:
            return _EPOCH + int(value) * _MICROSECOND
        case Scale.TIME:
            return (_EPOCH + int(value) * _MICROSECOND).time()
    return value


def label(value: float, scale: Scale) -> str:
    """Write a value as people read it.

    >>> label(37, Scale.INTEGER), label(2.50, Scale.REAL), label(44.0, Scale.REAL)
    ('37', '2.5', '44')
    >>> label(19000, Scale.DATE)
    '2022-01-08'
    """
    given = as_python(value, scale)
    if isinstance(given, dt.date | dt.time):
        return given.isoformat()
    is_whole = scale is Scale.INTEGER or (math.isfinite(value) and value == int(value) and abs(value) < EXACT)
    return str(int(value)) if is_whole else repr(float(value))


def interval_label(
    low: float, high: float, scale: Scale, *, closed: bool, coded: tuple[bool, bool] = (False, False)
) -> str:
    """Write an interval: closed at the attribute's upper end, half open elsewhere.

    Args:
        low: Its lower end.
        high: Its upper end.
        scale: What the ends are.
        closed: Whether the upper end belongs to it.
        coded: Whether it is bottom-coded, so that its lower end is not shown, and whether it is top-coded.

    >>> interval_label(1, 37, Scale.INTEGER, closed=False)
    '[1, 37)'
    >>> interval_label(90, 120, Scale.INTEGER, closed=True, coded=(False, True))
    '≥ 90'
    >>> interval_label(bound("2023-02-01", Scale.TIMESTAMP), bound("2024-01-01", Scale.TIMESTAMP), Scale.TIMESTAMP,
    ...                closed=False)
    '[2023-02-01, 2024-01-01)'
    """
    ends = ([] if coded[0] and not coded[1] else [low]) + ([] if coded[1] else [high])
    if scale is Scale.TIMESTAMP and all(end % DAY == 0 for end in ends):
        # Between midnights an interval is one of days.
        low, high, scale = low // DAY, high // DAY, Scale.DATE
    if coded[1]:
        return f"{ABOVE}{label(low, scale)}"
    if coded[0]:
        return f"< {label(high, scale)}"
    return f"[{label(low, scale)}, {label(high, scale)}{']' if closed else ')'}"


def parse_bound(text: str) -> int | float | dt.date | dt.datetime | dt.time:
    """Read one end of a range as it stands in a policy.

    >>> parse_bound("99"), parse_bound("2024-01-31")
    (99, datetime.date(2024, 1, 31))
    """
    for read in (int, float, dt.date.fromisoformat, dt.datetime.fromisoformat, dt.time.fromisoformat):
        try:
            value = read(text.strip())
        except ValueError:
            continue
        if isinstance(value, float) and not math.isfinite(value):
            break
        return value
    raise PolicyError([f"`{text}` is neither a number nor an ISO date or time."])


def scale_of_bound(text: str) -> Scale:
    """What a range that ends so is of.

    >>> scale_of_bound("2024-01-31"), scale_of_bound("99")
    (<Scale.DATE: 'date'>, <Scale.INTEGER: 'integer'>)
    """
    value = parse_bound(text)
    kinds = ((dt.datetime, Scale.TIMESTAMP), (dt.date, Scale.DATE), (dt.time, Scale.TIME), (int, Scale.INTEGER))
    return next((scale for kind, scale in kinds if isinstance(value, kind)), Scale.REAL)


def bound(text: str, scale: Scale) -> int | float:
    """Turn an end of a range into the number behind it, for a column of this scale."""
    value = parse_bound(text)
    fits: int | float | None = None
    match scale:
        case Scale.INTEGER | Scale.REAL if isinstance(value, int | float):
            fits = value
        case Scale.DATE if type(value) is dt.date:
            fits = value.toordinal() - _EPOCH_DAY
        case Scale.TIMESTAMP if isinstance(value, dt.date):
            moment = value if isinstance(value, dt.datetime) else dt.datetime.combine(value, dt.time())
            # Only the instant counts, whatever the offset; without one it is taken for UTC.
            offset = moment.utcoffset() or dt.timedelta()
            fits = (moment.replace(tzinfo=None) - _EPOCH - offset) // _MICROSECOND
        case Scale.TIME if isinstance(value, dt.time):
            fits = (dt.datetime.combine(_EPOCH, value) - _EPOCH) // _MICROSECOND
        case _:
            fits = None
    if fits is None:
        raise PolicyError([f"The range has `{text}`, but the column holds {scale.noun}s."])
    return fits
