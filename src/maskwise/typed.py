"""The ordered types an interval attribute may have: numbers, dates, times.

Each value has a number behind it (for sorting, splitting and comparing) and an
ISO label in front of it (for people). Texts of a csv become typed here; which
column is typed how is decided in `profile`.
"""

from __future__ import annotations

import datetime as dt
import math
import re
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, Any

import numpy as np

from maskwise.arrow import as_numpy, from_numpy
from maskwise.errors import PolicyError

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    import pyarrow as pa
    from numpy.typing import NDArray


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


CODE = r"^0[0-9]+$"
"""A number that is a name, such as a zip code with leading zeros."""
_EPOCH_DAY = dt.date(1970, 1, 1).toordinal()
_EPOCH = dt.datetime(1970, 1, 1)  # noqa: DTZ001 - timestamps are kept as written, or in UTC
_MICROSECOND = dt.timedelta(microseconds=1)
_EXACT = 2**53
"""Above this a float no longer tells neighbouring integers apart."""


def label(value: float, scale: Scale) -> str:
    """Write a value as people read it.

    >>> label(37, Scale.INTEGER), label(2.50, Scale.REAL), label(44.0, Scale.REAL)
    ('37', '2.5', '44')
    >>> label(19000, Scale.DATE)
    '2022-01-08'
    """
    match scale:
        case Scale.DATE:
            return dt.date.fromordinal(int(value) + _EPOCH_DAY).isoformat()
        case Scale.TIMESTAMP:
            return (_EPOCH + int(value) * _MICROSECOND).isoformat()
        case Scale.TIME:
            return (_EPOCH + int(value) * _MICROSECOND).time().isoformat()
        case Scale.INTEGER:
            return str(int(value))
        case Scale.REAL:
            whole = math.isfinite(value) and value == int(value) and abs(value) < _EXACT
            return str(int(value)) if whole else repr(float(value))


def interval_label(low: float, high: float, scale: Scale, *, closed: bool) -> str:
    """Write an interval: closed at the attribute's upper end, half open elsewhere.

    >>> interval_label(1, 37, Scale.INTEGER, closed=False)
    '[1, 37)'
    """
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
            fits = (moment.replace(tzinfo=None) - _EPOCH) // _MICROSECOND
        case Scale.TIME if isinstance(value, dt.time):
            fits = (dt.datetime.combine(_EPOCH, value) - _EPOCH) // _MICROSECOND
        case _:
            fits = None
    if fits is None:
        raise PolicyError([f"The range has `{text}`, but the column holds {scale.noun}s."])
    return fits


@dataclass(frozen=True, slots=True)
class Parsed:
    """What a column's distinct keys are as ordered values."""

    scale: Scale
    """The order found."""
    numbers: NDArray[Any]  # (n_keys,) int64 or float64
    """The number behind each key; meaningless where `known` is False."""
    known: NDArray[np.bool_]  # (n_keys,)
    """False where the key is no value of this scale (text, or not finite)."""


def parse_keys(keys: pa.Array) -> Parsed | None:  # noqa: PLR0911 - one for each kind of type
    """Read distinct keys as ordered values; None if the column's type has no order of that kind.

    A text column is read as the narrowest scale that takes most of its keys, so
    that the few that do not fit can be named.
    """
    import pyarrow as pa  # noqa: PLC0415 - heavy

    kind = keys.type
    if pa.types.is_dictionary(kind):
        keys, kind = keys.cast(kind.value_type), kind.value_type
    if pa.types.is_null(kind) or pa.types.is_boolean(kind):
        return None
    if pa.types.is_string(kind) or pa.types.is_large_string(kind) or pa.types.is_string_view(kind):
        return _parse_texts(keys.cast(pa.string()))
    if pa.types.is_signed_integer(kind) or kind in {pa.uint8(), pa.uint16(), pa.uint32()}:
        return _whole(Scale.INTEGER, keys.cast(pa.int64()))
    if pa.types.is_integer(kind) or pa.types.is_floating(kind) or pa.types.is_decimal(kind):
        numbers = as_numpy(keys.cast(pa.float64()))
        return Parsed(Scale.REAL, numbers, np.isfinite(numbers))
    if pa.types.is_date(kind):
        return _whole(Scale.DATE, keys.cast(pa.date32()).cast(pa.int32()).cast(pa.int64()))
    if pa.types.is_timestamp(kind):
        return _whole(Scale.TIMESTAMP, keys.cast(pa.timestamp("us", kind.tz), safe=False).cast(pa.int64()))
    if pa.types.is_time(kind):
        return _whole(Scale.TIME, keys.cast(pa.time64("us"), safe=False).cast(pa.int64()))
    return None


def _whole(scale: Scale, numbers: pa.Array) -> Parsed:
    values = as_numpy(numbers)
    return Parsed(scale, values, np.ones(len(values), np.bool_))


_PATTERNS = {
    Scale.INTEGER: r"^[+-]?[0-9]{1,18}$",
    Scale.REAL: r"^[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]{1,3})?$",
    Scale.DATE: r"^[0-9]{4}-(0[1-9]|1[0-2])-(0[1-9]|[12][0-9]|3[01])$",
    Scale.TIMESTAMP: r"^[0-9]{4}-[0-9]{2}-[0-9]{2}([ T][0-9]{2}:[0-9]{2}(:[0-9]{2}(\.[0-9]{1,6})?)?)?$",
    Scale.TIME: r"^[0-9]{2}:[0-9]{2}(:[0-9]{2}(\.[0-9]{1,6})?)?$",
}


def patterns() -> dict[Scale, str]:
    """What the texts of each scale look like, with blanks around them, for an engine to search by."""
    return {scale: rf"^\s*{pattern[1:-1]}\s*$" for scale, pattern in _PATTERNS.items()}


def _parse_texts(keys: pa.Array) -> Parsed:
    import pyarrow.compute as pc  # noqa: PLC0415 - heavy

    texts = pc.ascii_trim_whitespace(keys)
    best: tuple[int, Scale, NDArray[np.bool_]] | None = None
    for scale, pattern in _PATTERNS.items():
        known = as_numpy(pc.match_substring_regex(texts, pattern))
        if known.all():
            return _numbers_of(texts, scale, known)
        if best is None or int(known.sum()) > best[0]:
            best = (int(known.sum()), scale, known)
    assert best is not None  # noqa: S101 - the patterns are never empty
    return _numbers_of(texts, best[1], best[2])


def _numbers_of(texts: pa.Array, scale: Scale, known: NDArray[np.bool_]) -> Parsed:
    """Convert the texts that match; one that matches but is no calendar day turns out unknown."""
    import pyarrow as pa  # noqa: PLC0415 - heavy
    import pyarrow.compute as pc  # noqa: PLC0415 - heavy

    floats = scale is Scale.REAL
    numbers = np.zeros(len(texts), np.float64 if floats else np.int64)
    known = known.copy()
    if scale in {Scale.INTEGER, Scale.REAL}:
        bare = pc.utf8_ltrim(texts.filter(from_numpy(known)), "+")
        numbers[known] = as_numpy(bare.cast(pa.float64() if floats else pa.int64()))
        if floats:
            known &= np.isfinite(numbers)
        return Parsed(scale, numbers, known)
    for i in np.flatnonzero(known):
        try:
            numbers[i] = bound(texts[int(i)].as_py(), scale)
        except PolicyError:
            known[i] = False
    return Parsed(scale, numbers, known)


def looks_like_code(keys: pa.Array) -> bool:
    """Say whether a text column's numbers are names, such as zip codes with leading zeros."""
    import pyarrow as pa  # noqa: PLC0415 - heavy
    import pyarrow.compute as pc  # noqa: PLC0415 - heavy

    if not pa.types.is_string(keys.type):
        return False
    return bool(pc.any(pc.match_substring_regex(keys, CODE)).as_py())


_ELSEWHERE = {
    r"^[+-]?[0-9]{1,3}(\.?[0-9]{3})*,[0-9]+$": "numbers with a decimal comma; with a point, as 29076.91,",
    r"^[0-9]{1,2}[./][0-9]{1,2}[./][0-9]{4}$": "dates; written 2024-04-06",
}
"""How texts are spelled in some countries that are numbers or dates to a person."""


def foreign_spelling(keys: pa.Array) -> str:
    """Say that all texts look like numbers or dates in a spelling that is not read; nothing if they do not.

    >>> import pyarrow as pa
    >>> foreign_spelling(pa.array(["1.204,50", "7,25"]))
    ' They look like numbers with a decimal comma; with a point, as 29076.91, they would be an interval attribute.'
    >>> foreign_spelling(pa.array(["north", "7,25"]))
    ''
    """
    import pyarrow as pa  # noqa: PLC0415 - heavy
    import pyarrow.compute as pc  # noqa: PLC0415 - heavy

    if not pa.types.is_string(keys.type) or not len(keys):
        return ""
    for pattern, what in _ELSEWHERE.items():
        if pc.all(pc.match_substring_regex(keys, pattern)).as_py():
            return f" They look like {what} they would be an interval attribute."
    return ""


def value_order(texts: Sequence[str]) -> Callable[[str], Any]:
    """How to sort values: numbers by size if all are numbers, anything else by its characters.

    >>> sorted(["10", "9"], key=value_order(["10", "9"])), sorted(["b10", "b9"], key=value_order(["b10", "b9"]))
    (['9', '10'], ['b10', 'b9'])
    """
    if all(re.fullmatch(_PATTERNS[Scale.REAL], text) for text in texts):
        return lambda text: (float(text), text)
    return lambda text: text


def text_of(key: object) -> str:
    """Spell a key of a categorical column as taxonomies and outputs spell it.

    >>> text_of("Private"), text_of(3.0), text_of(True)
    ('Private', '3', 'true')
    """
    if isinstance(key, bool):
        return "true" if key else "false"
    if isinstance(key, float):
        return label(key, Scale.REAL)
    if isinstance(key, dt.date | dt.time):
        return key.isoformat()
    return str(key)


def is_spelled(key: object, value: str) -> bool:
    """Say whether a cell is the value that a policy names; numbers are equal however they are written.

    >>> is_spelled(1.0, "1"), is_spelled("1.0", "1"), is_spelled("HIV", "hiv")
    (True, True, False)
    """
    text = text_of(key)
    return text == value or one_spelling(text) == one_spelling(value)


def one_spelling(text: str) -> str:
    """The same text for all spellings of a value: a number, however it is written.

    >>> one_spelling("1.0"), one_spelling("1e0"), one_spelling("HIV")
    ('1.0', '1.0', 'HIV')
    """
    return repr(float(text) + 0.0) if re.fullmatch(_PATTERNS[Scale.REAL], text) else text


def has_order(texts: Sequence[str]) -> bool:
    """Say whether values have an order of their own: all numbers, or all ISO dates or times.

    >>> has_order(["9", "10"]), has_order(["2024-01-31"]), has_order(["low", "high"])
    (True, True, False)
    """
    scales = (Scale.REAL, Scale.DATE, Scale.TIMESTAMP, Scale.TIME)
    # Times are sorted by their characters, so a blank and a T between day and hour would not mix.
    is_mixed = any(" " in text for text in texts) and any("T" in text for text in texts)
    return not is_mixed and any(all(re.fullmatch(_PATTERNS[scale], text) for text in texts) for scale in scales)
