"""Reading the ends of an interval off its label."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from maskwise.errors import PolicyError
from maskwise.values.scales import ABOVE, Scale, bound

if TYPE_CHECKING:
    from collections.abc import Sequence

_INTERVALS = (
    re.compile(r"[\[\](]?\s*(\S.*?)\s*(?:,|;|\.\.)\s*(\S.*?)\s*[\])\[]?"),
    re.compile(r"(\S*[0-9])\s*-\s*(\S+)"),
)
"""An interval as maskwise and other tools spell it: `[1, 37)`, `[1, 37[`, `1-36`."""


ORDERED = (Scale.REAL, Scale.DATE, Scale.TIMESTAMP, Scale.TIME)
"""What the ends of an interval may be."""


def interval_ends(label: str) -> tuple[float, float] | None:
    """The ends of a number or an interval; twice the same where it has only one; None if it is neither.

    >>> interval_ends("[1, 37)"), interval_ends("≥ 50"), interval_ends("42"), interval_ends("Any")
    ((1, 37), (50, 50), (42, 42), None)
    """
    return ends_of_labels([label])[0]


def ends_of_labels(labels: Sequence[str]) -> list[tuple[float, float] | None]:
    """The ends of each label of one attribute, as `interval_ends`, in the same unit: days, unless some have hours.

    >>> ends_of_labels(["[1970-01-01, 1970-01-02)", "≥ 1970-01-02T12:00:00", "Any"])
    [(0, 86400000000), (129600000000, 129600000000), None]
    """
    bare = [label.removesuffix(" or outside").removeprefix(ABOVE).removeprefix("< ") for label in labels]
    found = [_read(text, ORDERED) for text in bare]
    if {Scale.DATE, Scale.TIMESTAMP} <= {one[0] for one in found if one is not None}:
        found = [_read(text, [scale for scale in ORDERED if scale is not Scale.DATE]) for text in bare]
    return [None if one is None else one[1] for one in found]


def _read(text: str, scales: Sequence[Scale]) -> tuple[Scale, tuple[float, float]] | None:
    """The first of some scales that a label is on, and its ends."""
    for scale in scales:
        try:
            return scale, ends_on_scale(text, scale)
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
