"""Read the distinct cells of a column as numbers, dates or times."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from maskwise.errors import PolicyError
from maskwise.values.arrow import as_numpy, from_numpy

if TYPE_CHECKING:
    from numpy.typing import NDArray
from maskwise.values.scales import Scale, bound

CODE = r"^0[0-9]+$"
"""A number that is a name, such as a zip code with leading zeros."""


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

_OFFSET = r"(Z|[+-](0[0-9]|1[0-4])(:?[0-5][0-9])?)"
MOMENT = (
    rf"^([0-9]{{4}}-[0-9]{{2}}-[0-9]{{2}}([ T][0-9]{{2}}:[0-9]{{2}}(:[0-9]{{2}}([.,][0-9]{{1,9}})?)?{_OFFSET}?)?"
    rf"|[0-9]{{8}}T[0-9]{{4}}([0-9]{{2}}([.,][0-9]{{1,9}})?)?{_OFFSET}?)$"
)
"""A moment in any form of ISO 8601, also with an offset from UTC; engines read those of `patterns` alike, not all of
these."""
_MOMENT = re.compile(MOMENT)


def has_offset(text: str) -> bool:
    """Say whether a moment is written with its offset from UTC.

    >>> [has_offset(text) for text in ("2024-03-09T13:02:00Z", "20240309T1302+0200", "2024-03-09 13:02", "2024-03-09")]
    [True, True, False, False]
    """
    found = _MOMENT.match(text.strip())
    return found is not None and bool(found[5] or found[10])


def needs_python(keys: pa.Array, scale: Scale) -> bool:
    """Say whether some texts are moments in a form that engines read differently, or not at all."""
    if scale is not Scale.TIMESTAMP or not pa.types.is_string(keys.type):
        return False
    return not pc.all(pc.match_substring_regex(pc.ascii_trim_whitespace(keys), _PATTERNS[scale])).as_py()


def patterns() -> dict[Scale, str]:
    """What the texts of each scale look like, with blanks around them, for an engine to search by."""
    return {scale: rf"^\s*{pattern[1:-1]}\s*$" for scale, pattern in _PATTERNS.items()}


def _parse_texts(keys: pa.Array) -> Parsed:
    texts = pc.ascii_trim_whitespace(keys)
    best: tuple[int, Scale, NDArray[np.bool_]] | None = None
    for scale, pattern in {**_PATTERNS, Scale.TIMESTAMP: MOMENT}.items():
        known = as_numpy(pc.match_substring_regex(texts, pattern))
        if known.all():
            return _numbers_of(texts, scale, known)
        if best is None or int(known.sum()) > best[0]:
            best = (int(known.sum()), scale, known)
    assert best is not None  # noqa: S101 - the patterns are never empty
    return _numbers_of(texts, best[1], best[2])


def _numbers_of(texts: pa.Array, scale: Scale, known: NDArray[np.bool_]) -> Parsed:
    """Convert the texts that match; one that matches but is no calendar day turns out unknown."""
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
    if not pa.types.is_string(keys.type):
        return False
    return bool(pc.any(pc.match_substring_regex(keys, CODE)).as_py())
