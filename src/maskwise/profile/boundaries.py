"""Where an interval attribute may be split: between bins of enough records, at round numbers.

The best split by entropy never separates equal classes, and its boundary is a
value of the data. Where one person holds the value beside it, the boundary tells
that person's class. Safe boundaries lie between bins of at least k records, and
are the roundest numbers there. Top- and bottom-coding merges what is beyond its
ends. Both only merge the values of a `Column`; the search needs to know nothing.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from maskwise.errors import plural
from maskwise.policy.attributes import Boundaries, Kind
from maskwise.profile.round_numbers import round_between
from maskwise.values.arrow import from_numpy
from maskwise.values.message import note, private_note
from maskwise.values.parsing import has_offset, needs_python
from maskwise.values.scales import DAY, Scale, as_python, label

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from maskwise.profile.column_counts import ColumnCounts
    from maskwise.profile.columns import Column, Profile
    from maskwise.values.message import Message

    Ints = NDArray[np.int64]

_HOUR = DAY // 24
_KEPT = 0.5
"""Timestamps are split at midnights, or full hours, if that leaves more of the bins that there could be."""
_SHORT = 2
"""A number of so many digits looks like nobody's."""
_OWN = 100
"""A border that is the value of one record alone is worse than any long number."""
_LEAST = 2
"""A bin has at least so many records, where no k is asked for either."""


def limit_boundaries(
    profile: Profile, floors: Mapping[str, int], boundaries: Boundaries, persons: Mapping[str, Ints] | None = None
) -> Profile:
    """Merge the values of interval attributes between which no boundary may lie.

    Args:
        profile: The counts of every masked attribute.
        floors: For each attribute the largest k that any of its QIDs asks for.
        boundaries: Whether boundaries are safe, or any number of the data.
        persons: Where persons are counted, those of each value of an interval attribute; each at one value.
    """
    persons = persons or {}
    columns = tuple(
        _merge(column, max(floors[column.name], _LEAST), boundaries, persons.get(column.name))
        if column.kind is Kind.INTERVAL
        else column
        for column in profile.columns
    )
    return replace(profile, columns=columns)


def read_midnights_as_dates(profile: Profile) -> Profile:
    """Take timestamps that all lie at midnight, as pandas holds dates, for dates."""
    return replace(profile, columns=tuple(_as_dates(column) for column in profile.columns))


def _as_dates(column: Column) -> Column:
    if column.scale is not Scale.TIMESTAMP or not str(column.keys.type).startswith("timestamp"):
        return column
    ends = [end for end in (*column.range, *column.clamp) if end is not None]
    tops = np.zeros(0, np.int64) if column.tops is None else column.tops
    if (column.numbers % DAY).any() or (tops % DAY).any() or any(end % DAY for end in ends):
        return column
    low, high = (None if end is None else end // DAY for end in column.clamp)
    return replace(
        column,
        scale=Scale.DATE,
        numbers=column.numbers // DAY,
        tops=None if column.tops is None else column.tops // DAY,
        range=(column.range[0] // DAY, column.range[1] // DAY),
        clamp=(low, high),
    )


def _merge(column: Column, least: int, boundaries: Boundaries, persons: Ints | None = None) -> Column:
    """Merge the values of one interval attribute.

    Args:
        column: The attribute.
        least: How many records a bin has at least.
        boundaries: As in `limit_boundaries`.
        persons: The persons of each value; None counts records.

    Claim: no boundary neighbour is a single person. On both sides of a safe
    boundary lies a bin of at least `least` records, or persons, that no other boundary cuts.
    """
    is_safe = boundaries is Boundaries.SAFE
    if not is_safe and column.clamp == (None, None) and column.grid is None:
        return column
    numbers, tops = column.numbers, column.numbers if column.tops is None else column.tops
    may_start = np.ones(len(numbers), np.bool_)
    low, high = column.clamp
    if low is not None:
        may_start[1:] &= numbers[1:] > low
    if high is not None:
        may_start[1:] &= tops[:-1] < high
    assert column.scale is not None  # noqa: S101 - every interval column has a scale
    if column.grid is not None:
        left = tops[:-1] if low is None else np.maximum(tops[:-1], np.array(low).astype(tops.dtype))
        may_start[1:] &= column.grid.between(left, numbers[1:], column.scale)[0]
    firsts = np.flatnonzero(may_start)
    if is_safe:
        firsts = _safe_starts(column, firsts, column.counts.sum(axis=1) if persons is None else persons, least)
    left, right = tops[firsts[1:] - 1], numbers[firsts[1:]]
    if low is not None:
        # No boundary lies at or below the end of bottom-coding.
        left = np.maximum(left, np.array(low).astype(left.dtype))
    borders = _borders(column, left, right, is_safe=is_safe)
    if high is not None:
        # The end of top-coding is the owner's own number.
        borders[(left < high) & (high <= right)] = high
    return _binned(column, firsts, np.concatenate([numbers[:1], borders]))


def _borders(column: Column, left: NDArray[Any], right: NDArray[Any], *, is_safe: bool) -> NDArray[Any]:
    """Where bins begin, as it may be shown."""
    assert column.scale is not None  # noqa: S101 - every interval column has a scale
    if column.grid is not None:
        is_there, points = column.grid.between(left, right, column.scale)
        return np.where(is_there, points, right)
    return round_between(left, right, column.scale) if is_safe else right.copy()


def _safe_starts(column: Column, firsts: Ints, counted: Ints, least: int) -> Ints:
    """Where bins of enough records begin; of timestamps at midnights or full hours, where that costs few of them.

    Args:
        column: The attribute.
        firsts: Where a bin may begin.
        counted: The records, or persons, of each value.
        least: How many of them a bin has at least.
    """
    tops = column.numbers if column.tops is None else column.tops
    worth = None if column.grid is not None else _worth_avoiding(column, tops, firsts, counted)
    starts: Ints = firsts[_bin_starts(np.add.reduceat(counted, firsts), least, worth)]
    if column.scale is not Scale.TIMESTAMP or column.grid is not None:
        return starts
    for unit in (DAY, _HOUR):
        # A border is neither of the values beside it.
        is_parted = (column.numbers[firsts[1:]] - 1) // unit > tops[firsts[1:] - 1] // unit
        even = firsts[np.concatenate([[True], is_parted])]
        found: Ints = even[_bin_starts(np.add.reduceat(counted, even), least)]
        if len(found) > _KEPT * len(starts):
            return found
    return starts


def _worth_avoiding(column: Column, tops: NDArray[Any], firsts: Ints, counted: Ints) -> Ints:
    """How much a border before each of some values looks like somebody's: 0 if it is short, most if it is one's own."""
    assert column.scale is not None  # noqa: S101 - every interval column has a scale
    right = column.numbers[firsts[1:]]
    borders = round_between(tops[firsts[1:] - 1], right, column.scale)
    lengths = np.array([_length(border, column.scale) for border in borders.tolist()], np.int64)
    is_own = (borders == right) & (counted[firsts[1:]] == 1)
    return np.concatenate([[0], np.where(lengths <= _SHORT, 0, lengths) + is_own * _OWN])


def _length(border: float, scale: Scale) -> int:
    """The digits of a number without zeros at its ends; of a date or time how fine it is, as digits.

    >>> _length(2902.484, Scale.REAL), _length(1200, Scale.INTEGER), _length(0, Scale.DATE)
    (7, 2, 0)
    """
    if scale is Scale.DATE:
        return 0 if as_python(border, scale).day == 1 else _SHORT + 1  # type: ignore[union-attr]
    if scale in {Scale.TIMESTAMP, Scale.TIME}:
        return sum(_SHORT for unit in (DAY, _HOUR) if border % unit)
    return len(label(border, scale).partition("e")[0].replace(".", "").strip("-0"))


def _bin_starts(n_records: Ints, least: int, worth: Ints | None = None) -> Ints:
    """Where bins of at least so many records begin, from the left; what is left over belongs to the last one.

    Args:
        n_records: The records of each value.
        least: How many of them a bin has at least.
        worth: How much it is worth not to begin at a value; for less of it a bin may have half as many records more.
    """
    upto = np.cumsum(n_records)
    starts, taken = [0], 0
    while True:
        stop = int(np.searchsorted(upto, taken + least)) + 1
        if stop >= len(upto) or upto[-1] - upto[stop - 1] < least:
            return np.array(starts, np.int64)
        if worth is not None and worth[stop]:
            most = min(taken + least + least // 2, int(upto[-1]) - least)
            last = int(np.searchsorted(upto, most, side="right"))
            stop += int(worth[stop : max(last, stop) + 1].argmin())
        starts.append(stop)
        taken = int(upto[stop - 1])


def _binned(column: Column, firsts: Ints, numbers: NDArray[Any]) -> Column:
    """The column with a value for each bin.

    Args:
        column: The attribute.
        firsts: The first value of each bin.
        numbers: Where each bin begins, as it may be shown.
    """
    bin_of_value = np.repeat(np.arange(len(firsts)), np.diff(firsts, append=len(column.numbers)))
    binned = replace(
        column,
        counts=np.add.reduceat(column.counts, firsts, axis=0),
        numbers=numbers.astype(column.numbers.dtype),
        tops=None,
    )
    if column.is_ranged:
        return replace(binned, keys=column.keys.take(from_numpy(firsts)), value_of_key=np.arange(len(firsts)))
    return replace(
        binned,
        value_of_key=bin_of_value[column.value_of_key],
        cell_numbers=column.numbers,
        value_of_number=bin_of_value,
        cell_counts=column.counts.sum(axis=1),
    )


def notes_of_offsets(name: str, counted: ColumnCounts, scale: Scale) -> list[Message]:
    """Say by which clock intervals are shown, where some cells have an offset from UTC."""
    if not needs_python(counted.keys, scale):
        return []
    with_offset = np.array([has_offset(text) for text in counted.keys.to_pylist()], np.bool_)
    if not with_offset.any():
        return []
    found = [note(f"Times of `{name}` have an offset, so its intervals are in UTC.", name)]
    if n_without := int(counted.counts[~with_offset].sum()):
        found.append(private_note(f"{plural(n_without, 'time')} of `{name}` without an offset counted as UTC."))
    return found
