"""How Mondrian splits a region on one attribute.

An axis numbers the cells of its attribute, names the places where a region can
stand, and finds the split of a region that tells most about the class. Which
attribute is split is the concern of `mondrian`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from maskwise.policy.attributes import Kind
from maskwise.rivals.coded_table import n_values
from maskwise.search.interval_split import TOLERANCE
from maskwise.search.score import disclosure_gain, entropy
from maskwise.solution.cut import HIDDEN
from maskwise.values.scales import interval_label

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from maskwise.policy.taxonomy import Taxonomy
    from maskwise.profile.columns import Column
    from maskwise.rivals.coded_table import Cells

    Ints = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Threshold:
    """Send ordered codes to one of two parts, and missing cells where they belong."""

    border: int
    """The first code of the second part."""
    n_codes: int
    """The code of a missing cell."""
    missing_part: int
    """Where that goes."""

    def part_of(self, codes: Ints) -> Ints:
        """The part of each code."""
        return np.where(codes == self.n_codes, self.missing_part, codes >= self.border)


@dataclass(frozen=True, slots=True)
class Lookup:
    """Send each code to the part that is listed for it."""

    parts: Ints  # (n_codes + 1,)
    """The part of each code; the last entry is that of an unknown cell, whose code is -1."""

    def part_of(self, codes: Ints) -> Ints:
        """The part of each code."""
        return self.parts[codes]


@dataclass(frozen=True, slots=True)
class Split:
    """How a region is split on one attribute."""

    gain: float
    """The class entropy it takes away, in bits for each record."""
    places: tuple[Any, ...]
    """Where the parts stand."""
    route: Threshold | Lookup
    """Which codes go to which part."""


class Axis(Protocol):
    """One attribute."""

    name: str
    root: Any

    def code(self, cells: Cells) -> Ints:
        """Number the cells; -1 stands for one that is unknown."""

    def label(self, place: Any) -> str | None:
        """What a region at this place shows; None is a missing cell."""

    def best_split(self, place: Any, codes: Ints, classes: Ints, n_classes: int, k: int) -> Split | None:
        """The split with the highest gain whose parts are empty or have at least k records, if there is one."""


def make_axis(column: Column) -> Axis:
    """The axis of a masked attribute."""
    match column.kind:
        case Kind.INTERVAL:
            return IntervalAxis(column)
        case Kind.TAXONOMY:
            return TaxonomyAxis(column)
        case Kind.SUPPRESS:
            return SuppressAxis(column)


def paths(tree: Taxonomy) -> Ints:
    """The labels on the way from the root to each label, by depth; -1 below it.

    The last row is the missing value, a leaf directly under the root.

    >>> from maskwise.policy.taxonomy import Taxonomy
    >>> paths(Taxonomy.from_nested({"Any": {"A": ["a"], "b": None}})).tolist()
    [[0, -1, -1], [0, 1, -1], [0, 1, 2], [0, 3, -1], [0, 4, -1]]
    """
    ways: list[list[int]] = []
    for i, parent in enumerate(tree.parents):
        ways.append([*(ways[parent] if parent >= 0 else []), i])
    ways.append([0, len(tree.labels)])
    deepest = max(len(way) for way in ways)
    return np.array([way + [-1] * (deepest - len(way)) for way in ways], np.int64)


class IntervalAxis:
    """Numbers, split at a threshold; the missing ones are split off together with the first threshold."""

    def __init__(self, column: Column) -> None:
        self.name = column.name
        self._column = column
        self._n = len(column.numbers)
        self.root: Any = (*column.range, True)

    def code(self, cells: Cells) -> Ints:
        """The place among the training numbers of the largest that is not larger; one past the last if missing."""
        at = np.searchsorted(self._column.numbers, cells.values, side="right") - 1
        return np.where(cells.missing, self._n, np.maximum(at, 0))

    def label(self, place: Any) -> str | None:
        """The interval."""
        if place is None:
            return None
        low, high, closed = place
        assert self._column.scale is not None  # noqa: S101 - every interval column has a scale
        return interval_label(low, high, self._column.scale, closed=closed)

    def best_split(self, place: Any, codes: Ints, classes: Ints, n_classes: int, k: int) -> Split | None:
        """Try every threshold between two numbers of the region."""
        present, counts = _histogram(codes, classes, self._n + 1, n_classes)
        lost = counts[present == self._n].sum(axis=0)
        n_lost = int(lost.sum())
        if n_lost:
            present, counts = present[:-1], counts[:-1]
        if 0 < n_lost < k or not len(present):
            return None
        total = counts.sum(axis=0)
        left = np.cumsum(counts, axis=0)[:-1]
        n_left = left.sum(axis=1)
        allowed = np.flatnonzero((n_left >= k) & (int(total.sum()) - n_left >= k))
        before = _mixed(total + lost) - _mixed(lost)
        low, high, closed = place
        rest = (None,) if n_lost else ()
        if not len(allowed):
            n_numbers = int(total.sum())
            if not n_lost or n_numbers < k:
                return None
            gain = float(before - _mixed(total)) / len(codes)
            return Split(gain, (place, None), Threshold(self._n, self._n, 1))
        gains = (before - _mixed(left[allowed]) - _mixed(total - left[allowed])) / len(codes)
        first = int(np.flatnonzero(gains > gains.max() - TOLERANCE)[0])
        border_code = int(present[allowed[first] + 1])
        border = self._column.numbers[border_code].item()
        n_first = int(n_left[allowed[first]])
        missing_part = 2 if n_lost else int(total.sum() - n_first > n_first)
        parts = ((low, border, False), (border, high, closed), *rest)
        return Split(float(gains[first]), parts, Threshold(border_code, self._n, missing_part))


class TaxonomyAxis:
    """The labels of a tree, split into the children of the lowest label above all records of the region."""

    def __init__(self, column: Column) -> None:
        assert column.taxonomy is not None  # noqa: S101 - every taxonomy column has a tree
        self.name = column.name
        self.root: Any = 0
        self._labels: tuple[str | None, ...] = (*column.taxonomy.labels, None)
        self._paths = paths(column.taxonomy)
        self._depths = (self._paths >= 0).sum(axis=1) - 1

    def code(self, cells: Cells) -> Ints:
        """The number of the label, as coded."""
        return np.asarray(cells.values, np.int64)

    def label(self, place: Any) -> str | None:
        """The label itself."""
        return self._labels[int(place)]

    def best_split(self, place: Any, codes: Ints, classes: Ints, n_classes: int, k: int) -> Split | None:
        """Split into children; those without records in the region are no parts."""
        present, counts = _histogram(codes, classes, len(self._labels), n_classes)
        ways = self._paths[present]
        depth = int(self._depths[place]) + 1
        while depth < ways.shape[1] and ways[0, depth] >= 0 and (ways[:, depth] == ways[0, depth]).all():
            depth += 1
        if depth == ways.shape[1] or ways[0, depth] < 0:
            return None
        children, child_of = np.unique(ways[:, depth], return_inverse=True)
        by_child = np.zeros((len(children), n_classes), np.int64)
        np.add.at(by_child, child_of, counts)
        sizes = by_child.sum(axis=1)
        if sizes.min() < k:
            return None
        gain = float(_mixed(by_child.sum(axis=0)) - _mixed(by_child).sum()) / len(codes)
        parts = np.full(len(self._labels) + 1, np.argmax(sizes))
        for p, child in enumerate(children):
            parts[:-1][self._paths[:, depth] == child] = p
        return Split(gain, tuple(children.tolist()), Lookup(parts))


class SuppressAxis:
    """Values without a tree: one of them is told from the rest, which stays hidden."""

    def __init__(self, column: Column) -> None:
        self.name = column.name
        self.root: Any = HIDDEN
        self._n = n_values(column)
        self._labels: tuple[str | None, ...] = (*column.texts, None)
        self._may_be_told = np.array([text != HIDDEN for text in self._labels], np.bool_)

    def code(self, cells: Cells) -> Ints:
        """The number of the value, as coded."""
        return np.asarray(cells.values, np.int64)

    def label(self, place: Any) -> str | None:
        """The value, or `*`."""
        return HIDDEN if place == HIDDEN else self._labels[int(place)]

    def best_split(self, place: Any, codes: Ints, classes: Ints, n_classes: int, k: int) -> Split | None:
        """Try to tell every value of the region."""
        del place  # a region with one value left has nothing to tell
        present, counts = _histogram(codes, classes, self._n + 1, n_classes)
        sizes = counts.sum(axis=1)
        allowed = np.flatnonzero((sizes >= k) & (len(codes) - sizes >= k) & self._may_be_told[present])
        if not len(allowed):
            return None
        gains = disclosure_gain(counts.sum(axis=0), counts[allowed])
        first = int(np.flatnonzero(gains > gains.max() - TOLERANCE)[0])
        told = int(present[allowed[first]])
        parts = np.ones(self._n + 2, np.int64)
        parts[told] = 0
        return Split(float(gains[first]), (told, HIDDEN), Lookup(parts))


def _histogram(codes: Ints, classes: Ints, n_codes: int, n_classes: int) -> tuple[Ints, Ints]:
    """The codes that occur, ascending, and their records by class."""
    if n_codes > 4 * len(codes):
        present, codes = np.unique(codes, return_inverse=True)
        n_codes = len(present)
    else:
        present = np.arange(n_codes)
    counts = np.bincount(codes * n_classes + classes, minlength=n_codes * n_classes).reshape(n_codes, n_classes)
    there = counts.any(axis=1)
    return present[there], counts[there]


def _mixed(counts: Ints) -> NDArray[np.float64]:
    """Entropy times records of each row of class counts: what is left to tell."""
    left: NDArray[np.float64] = entropy(counts) * counts.sum(axis=-1)
    return left
