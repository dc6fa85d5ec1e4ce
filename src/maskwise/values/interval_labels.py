"""Reading the ends of an interval off its label."""

from __future__ import annotations

import re

from maskwise.errors import PolicyError
from maskwise.values.scales import Scale, bound

_INTERVALS = (
    re.compile(r"[\[\](]?\s*(\S.*?)\s*(?:,|;|\.\.)\s*(\S.*?)\s*[\])\[]?"),
    re.compile(r"(\S*[0-9])\s*-\s*(\S+)"),
)
"""An interval as maskwise and other tools spell it: `[1, 37)`, `[1, 37[`, `1-36`."""


ORDERED = (Scale.REAL, Scale.TIMESTAMP, Scale.TIME)
"""What the ends of an interval may be; a date is a timestamp, since labels of one attribute may have both."""


def interval_ends(label: str) -> tuple[float, float] | None:
    """The ends of a number or an interval; twice the same where it has only one; None if it is neither.

    >>> interval_ends("[1, 37)"), interval_ends("≥ 50"), interval_ends("42"), interval_ends("Any")
    ((1, 37), (50, 50), (42, 42), None)
    >>> interval_ends("[1970-01-01, 1970-01-02)") == interval_ends("[1970-01-01T00:00:00, 1970-01-02T00:00:00)")
    True
    """
    bare = label.removesuffix(" or outside").removeprefix("≥ ").removeprefix("< ")
    for scale in ORDERED:
        try:
            return ends_on_scale(bare, scale)
        except PolicyError:
            continue
    return None


def ends_on_scale(label: str, scale: Scale) -> tuple[float, float]:
    """The ends of a number or an interval of one scale; see `interval_ends`.

    Raises:
        PolicyError: It is neither.
    """
    try:
        return (bound(label, scale),) * 2
    except PolicyError:
        interval = next((match for form in _INTERVALS if (match := form.fullmatch(label))), None)
        if interval is None:
            raise
        return bound(interval[1], scale), bound(interval[2], scale)
