"""What the labels of an attribute in two releases have to do with each other: which contain which, which overlap.

A label stands for a set of raw values: an interval for its numbers, a value of
a taxonomy for the leaves below it, `*` for all values that its release does not
show. Whether one set is inside another follows from the labels, without a
record and without knowing how a release was masked. It is assumed that a release
shows a value in one way in all its records (global recoding).
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from enum import Enum
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from maskwise.errors import PolicyError
from maskwise.policy.rules.rule_tree import RuleTree
from maskwise.solution.cut import HIDDEN
from maskwise.values.scales import Scale, bound, scale_of_bound

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

    from maskwise.policy.taxonomy import Taxonomy

    Ints = NDArray[np.int64]
    Bools = NDArray[np.bool_]

_MOST_PAIRS = 2_000_000
"""More pairs of labels are not compared: two releases that show so many different ones have masked next to nothing."""
_INTERVAL = re.compile(r"\[(?P<low>[^,]+), (?P<high>[^,]+)(?P<end>[\])])")
_ABOVE, _BELOW = re.compile(r"≥ (?P<low>.+)"), re.compile(r"< (?P<high>.+)")


class WholeSet(Enum):
    """Sets that no list of values describes."""

    EVERYTHING = "everything"
    """The only label of its release, so it stands for every value."""
    REST = "rest"
    """All values that its release does not show."""
    MISSING = "missing"
    """A missing cell."""
    UNREADABLE = "unreadable"
    """A label that is neither an interval nor a value of the taxonomy: it may stand for any values."""


@dataclass(frozen=True, slots=True)
class LabelRange:
    """The numbers, dates or times of an interval label."""

    low: float
    """Its lower end, which belongs to it."""
    high: float
    """Its upper end."""
    has_high: bool
    """Whether that belongs to it."""
    scale: Scale
    """What the ends are: numbers are real, dates timestamps."""

    def contains(self, other: LabelRange) -> bool:
        """Whether all of another range lies inside this one."""
        upper = other.high < self.high or (other.high == self.high and (self.has_high or not other.has_high))
        return self.scale is other.scale and self.low <= other.low and upper

    def overlaps(self, other: LabelRange) -> bool:
        """Whether a value may lie in both."""
        first, second = (self, other) if self.low <= other.low else (other, self)
        return self.scale is not other.scale or second.low < first.high or (second.low == first.high and first.has_high)


LabelSet: TypeAlias = "LabelRange | frozenset[str] | WholeSet"
"""The raw values that a label stands for."""


@dataclass(frozen=True, slots=True)
class LabelPairs:
    """The labels of one attribute in two releases, pair by pair."""

    overlaps: Bools  # (n_first, n_second)
    """Whether a person may show both."""
    of_second: Ints | None  # (n_second,)
    """For each label of the second release the one of the first that contains it; None if one has none."""
    of_first: Ints | None  # (n_first,)
    """The same with the releases exchanged."""


def compare_labels(
    first: Sequence[str | None], second: Sequence[str | None], tree: Taxonomy | RuleTree | None = None
) -> LabelPairs:
    """Compare what two releases show of an attribute.

    Args:
        first: The distinct labels in one release; None is a missing cell.
        second: Those in the other.
        tree: The attribute's taxonomy, or its rule.

    Claim: where every label of one release is inside one label of the other and
    overlaps no other, the second label follows from the first, so both together
    tell no more than the first.

    Example:
        >>> compare_labels(["[1, 99]"], ["[1, 37)", "[37, 99]"]).of_second
        array([0, 0])
        >>> pairs = compare_labels(["[1, 40)", "[40, 99]"], ["[1, 37)", "[37, 99]"])
        >>> pairs.of_first is None, pairs.of_second is None
        (True, True)
    """
    if set(first) == set(second):
        # Also where a label cannot be read: it is taken to mean the same in both.
        same = np.array([second.index(label) for label in first], np.int64)
        overlaps = np.zeros((len(first), len(second)), np.bool_)
        overlaps[np.arange(len(first)), same] = True
        return LabelPairs(overlaps, np.argsort(same), same)
    if len(first) * len(second) > _MOST_PAIRS:
        return LabelPairs(np.ones((len(first), len(second)), np.bool_), None, None)
    read = _reader(tree, [*first, *second])
    ours, theirs = _sets_of(first, read), _sets_of(second, read)
    overlaps = np.array([[_overlap(a, b, ours, theirs) for b in theirs] for a in ours], np.bool_)
    contains = np.array([[_contains(a, b) for b in theirs] for a in ours], np.bool_)
    inside = np.array([[_contains(b, a) for b in theirs] for a in ours], np.bool_)
    return LabelPairs(overlaps, _only_container(overlaps, contains), _only_container(overlaps.T, inside.T))


def _only_container(overlaps: Bools, contains: Bools) -> Ints | None:
    """For each label of a column the row that contains it and is the only one that overlaps it."""
    is_only = (overlaps.sum(axis=0) == 1) & (overlaps & contains).any(axis=0)
    return overlaps.argmax(axis=0).astype(np.int64) if is_only.all() else None


def _reader(tree: Taxonomy | RuleTree | None, labels: Sequence[str | None]) -> Callable[[str], LabelSet]:
    """How the labels of an attribute are read: as values of its taxonomy, as intervals, or as they are."""
    if isinstance(tree, RuleTree):
        # From two labels that a rule made alone it cannot be told whether they share a value.
        return lambda _: WholeSet.UNREADABLE
    if tree is not None:
        leaves = set(tree.leaves())
        below = {label: frozenset(leaves.intersection(tree.at_or_below(label))) for label in tree.labels}
        return lambda text: below.get(text, WholeSet.REST if text == HIDDEN else WholeSet.UNREADABLE)
    is_ordered = any(label is not None and _is_interval(label) for label in labels)

    def read(text: str) -> LabelSet:
        if text == HIDDEN:
            return WholeSet.REST
        if is_ordered:
            return _range_of(text) or WholeSet.UNREADABLE
        return frozenset((text,))

    return read


def _sets_of(labels: Sequence[str | None], read: Callable[[str], LabelSet]) -> list[LabelSet]:
    if len(labels) == 1:
        return [WholeSet.EVERYTHING]
    return [WholeSet.MISSING if label is None else read(label) for label in labels]


def _is_interval(text: str) -> bool:
    return any(form.fullmatch(text) is not None for form in (_INTERVAL, _ABOVE, _BELOW)) and _range_of(text) is not None


def _range_of(text: str) -> LabelRange | None:
    """An interval, an open end, or a single value as a range.

    >>> _range_of("[1, 37)"), _range_of("or outside")
    (LabelRange(low=1, high=37, has_high=False, scale=<Scale.REAL: 'real'>), None)
    """
    try:
        if found := _INTERVAL.fullmatch(text):
            (low, scale), (high, other) = _end(found["low"]), _end(found["high"])
            return LabelRange(low, high, found["end"] == "]", scale) if scale is other else None
        if found := _ABOVE.fullmatch(text):
            low, scale = _end(found["low"])
            return LabelRange(low, math.inf, True, scale)  # noqa: FBT003 - a field
        if found := _BELOW.fullmatch(text):
            high, scale = _end(found["high"])
            return LabelRange(-math.inf, high, False, scale)  # noqa: FBT003 - a field
        value, scale = _end(text)
    except PolicyError:
        return None
    return LabelRange(value, value, True, scale)  # noqa: FBT003 - a field


def _end(text: str) -> tuple[float, Scale]:
    """An end of an interval as a number; whole numbers compare with others, dates with timestamps."""
    scale = scale_of_bound(text)
    wider = {Scale.INTEGER: Scale.REAL, Scale.DATE: Scale.TIMESTAMP}.get(scale, scale)
    return bound(text, wider), wider


def _contains(one: LabelSet, other: LabelSet) -> bool:
    """Whether a set contains another one that overlaps none of its neighbours."""
    if one is WholeSet.EVERYTHING:
        return True
    if one is WholeSet.REST:
        return other is not WholeSet.EVERYTHING and other is not WholeSet.UNREADABLE
    if isinstance(one, LabelRange) and isinstance(other, LabelRange):
        return one.contains(other)
    if isinstance(one, frozenset) and isinstance(other, frozenset):
        return other <= one
    return one is WholeSet.MISSING and other is WholeSet.MISSING


def _overlap(one: LabelSet, other: LabelSet, ours: Sequence[LabelSet], theirs: Sequence[LabelSet]) -> bool:
    """Whether two sets may share a value; if in doubt, they do.

    Args:
        one: A set of the first release.
        other: A set of the second.
        ours: All of the first.
        theirs: All of the second.
    """
    if one is WholeSet.REST and other is not WholeSet.REST:
        return not any(_is_inside(other, shown) for shown in ours)
    if other is WholeSet.REST and one is not WholeSet.REST:
        return not any(_is_inside(one, shown) for shown in theirs)
    if isinstance(one, LabelRange) and isinstance(other, LabelRange):
        return one.overlaps(other)
    if isinstance(one, frozenset) and isinstance(other, frozenset):
        return bool(one & other)
    if (one is WholeSet.MISSING) != (other is WholeSet.MISSING):
        return WholeSet.EVERYTHING in (one, other) or WholeSet.UNREADABLE in (one, other)
    return True


def _is_inside(inner: LabelSet, shown: LabelSet) -> bool:
    """Whether a set lies inside one that its release shows beside `*`."""
    return shown not in (WholeSet.REST, WholeSet.EVERYTHING) and _contains(shown, inner)
