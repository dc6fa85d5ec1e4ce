"""How Mondrian splits a region on one attribute.

An axis codes the cells of its attribute and finds the split of a region with
the highest information gain. A region's extent on an axis is its place: an
interval, a label or a value. `mondrian` chooses the attribute to split.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from experiments.rivals.coded_table import n_values
from maskwise.policy.attributes import Kind
from maskwise.search.score import disclosure_gain, entropy
from maskwise.search.ties import largest
from maskwise.solution.cut import HIDDEN

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from experiments.rivals.coded_table import CodedColumn
    from maskwise.policy.taxonomy import Taxonomy
    from maskwise.profile.columns import Column

    Ints = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class ThresholdRoute:
    """Codes below a border are in the first part, others in the second; missing cells are in a part of choice."""

    border: int
    """The lowest code of the second part."""
    n_codes: int
    """The code of a missing cell."""
    missing_part: int
    """The part of missing cells."""

    def part_of(self, codes: Ints) -> Ints:
        """The part of each code."""
        return np.where(codes == self.n_codes, self.missing_part, codes >= self.border)


@dataclass(frozen=True, slots=True)
class TableRoute:
    """A table has the part of each code."""

    parts: Ints  # (n_codes + 1,)
    """The part of each code; the last entry is that of an unknown cell, whose code is -1."""

    def part_of(self, codes: Ints) -> Ints:
        """The part of each code."""
        return self.parts[codes]


@dataclass(frozen=True, slots=True)
class AxisSplit:
    """How a region is split on one attribute."""

    gain: float
    """The information gain about the class, in bits for each record."""
    places: tuple[Any, ...]
    """The place of each part on the axis."""
    route: ThresholdRoute | TableRoute
    """The part of each code."""


class Axis(Protocol):
    """One attribute."""

    name: str
    """The attribute."""
    root: Any
    """The place of a region that has all values."""

    def code(self, column: CodedColumn) -> Ints:
        """Code the cells; an unknown one has -1."""

    def label(self, place: Any) -> str | None:
        """The label of a region at this place; None is a missing cell."""

    def best_split(self, place: Any, codes: Ints, classes: Ints, n_classes: int, k: int) -> AxisSplit | None:
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
    """The labels on the path from the root to each label, by depth; -1 below the label.

    The last row is the missing value, a leaf directly under the root.

    >>> from maskwise.policy.taxonomy import Taxonomy
    >>> paths(Taxonomy.from_nested({"Any": {"A": ["a"], "b": None}})).tolist()
    [[0, -1, -1], [0, 1, -1], [0, 1, 2], [0, 3, -1], [0, 4, -1]]
    """
    from_root: list[list[int]] = []
    for i, parent in enumerate(tree.parents):
        from_root.append([*(from_root[parent] if parent >= 0 else []), i])
    from_root.append([0, len(tree.labels)])
    longest = max(len(path) for path in from_root)
    return np.array([path + [-1] * (longest - len(path)) for path in from_root], np.int64)


class IntervalAxis:
    """Numbers, split at a threshold; missing cells become a part of their own in the first split."""

    def __init__(self, column: Column) -> None:
        self.name = column.name
        self._column = column
        self._n = len(column.numbers)
        self.root: Any = (*column.range, True)

    def code(self, column: CodedColumn) -> Ints:
        """The index of the largest training number that is not larger; the number of training numbers if missing."""
        index = np.searchsorted(self._column.numbers, column.values, side="right") - 1
        return np.where(column.missing, self._n, np.maximum(index, 0))

    def label(self, place: Any) -> str | None:
        """The interval."""
        if place is None:
            return None
        low, high, closed = place
        return self._column.interval_label(low, high, closed=closed)

    def best_split(self, place: Any, codes: Ints, classes: Ints, n_classes: int, k: int) -> AxisSplit | None:
        """Try every threshold between two numbers of the region."""
        present, counts = _histogram(codes, classes, self._n + 1, n_classes)
        missing = counts[present == self._n].sum(axis=0)
        n_missing = int(missing.sum())
        if n_missing:
            present, counts = present[:-1], counts[:-1]
        if 0 < n_missing < k or not len(present):
            return None
        total = counts.sum(axis=0)
        left = np.cumsum(counts, axis=0)[:-1]
        n_left = left.sum(axis=1)
        allowed = np.flatnonzero((n_left >= k) & (int(total.sum()) - n_left >= k))
        before = _total_entropy(total + missing) - _total_entropy(missing)
        low, high, closed = place
        if not len(allowed):
            n_numbers = int(total.sum())
            if not n_missing or n_numbers < k:
                return None
            gain = float(before - _total_entropy(total)) / len(codes)
            return AxisSplit(gain, (place, None), ThresholdRoute(self._n, self._n, 1))
        gains = (before - _total_entropy(left[allowed]) - _total_entropy(total - left[allowed])) / len(codes)
        first = int(largest(gains)[0])
        border_code = int(present[allowed[first] + 1])
        border = self._column.numbers[border_code].item()
        n_first = int(n_left[allowed[first]])
        missing_part = 2 if n_missing else int(total.sum() - n_first > n_first)
        parts = ((low, border, False), (border, high, closed), *([None] if n_missing else []))
        return AxisSplit(float(gains[first]), parts, ThresholdRoute(border_code, self._n, missing_part))


class TaxonomyAxis:
    """The labels of a tree, split into the children of the lowest label above all records of the region."""

    def __init__(self, column: Column) -> None:
        assert column.taxonomy is not None  # noqa: S101 - every taxonomy column has a tree
        self.name = column.name
        self.root: Any = 0
        self._labels: tuple[str | None, ...] = (*column.taxonomy.labels, None)
        self._paths = paths(column.taxonomy)
        self._depths = (self._paths >= 0).sum(axis=1) - 1

    def code(self, column: CodedColumn) -> Ints:
        """The code of the label."""
        return np.asarray(column.values, np.int64)

    def label(self, place: Any) -> str | None:
        """The label itself."""
        return self._labels[int(place)]

    def best_split(self, place: Any, codes: Ints, classes: Ints, n_classes: int, k: int) -> AxisSplit | None:
        """AxisSplit into children; those without records in the region are no parts."""
        present, counts = _histogram(codes, classes, len(self._labels), n_classes)
        from_root = self._paths[present]
        depth = int(self._depths[place]) + 1
        while (
            depth < from_root.shape[1]
            and from_root[0, depth] >= 0
            and (from_root[:, depth] == from_root[0, depth]).all()
        ):
            depth += 1
        if depth == from_root.shape[1] or from_root[0, depth] < 0:
            return None
        children, child_of = np.unique(from_root[:, depth], return_inverse=True)
        by_child = np.zeros((len(children), n_classes), np.int64)
        np.add.at(by_child, child_of, counts)
        sizes = by_child.sum(axis=1)
        if sizes.min() < k:
            return None
        gain = float(_total_entropy(by_child.sum(axis=0)) - _total_entropy(by_child).sum()) / len(codes)
        parts = np.full(len(self._labels) + 1, np.argmax(sizes))
        for p, child in enumerate(children):
            parts[:-1][self._paths[:, depth] == child] = p
        return AxisSplit(gain, tuple(children.tolist()), TableRoute(parts))


class SuppressAxis:
    """Values without a tree: a split shows one of them and leaves the others hidden."""

    def __init__(self, column: Column) -> None:
        self.name = column.name
        self.root: Any = HIDDEN
        self._n = n_values(column)
        self._labels: tuple[str | None, ...] = (*column.texts, None)
        self._can_be_shown = np.array([text != HIDDEN for text in self._labels], np.bool_)

    def code(self, column: CodedColumn) -> Ints:
        """The code of the value."""
        return np.asarray(column.values, np.int64)

    def label(self, place: Any) -> str | None:
        """The value, or `*`."""
        return HIDDEN if place == HIDDEN else self._labels[int(place)]

    def best_split(self, place: Any, codes: Ints, classes: Ints, n_classes: int, k: int) -> AxisSplit | None:
        """Try to show each value of the region."""
        del place  # a region with a single value has no allowed split
        present, counts = _histogram(codes, classes, self._n + 1, n_classes)
        sizes = counts.sum(axis=1)
        allowed = np.flatnonzero((sizes >= k) & (len(codes) - sizes >= k) & self._can_be_shown[present])
        if not len(allowed):
            return None
        gains = disclosure_gain(counts.sum(axis=0), counts[allowed])
        first = int(largest(gains)[0])
        shown = int(present[allowed[first]])
        parts = np.ones(self._n + 2, np.int64)
        parts[shown] = 0
        return AxisSplit(float(gains[first]), (shown, HIDDEN), TableRoute(parts))


def _histogram(codes: Ints, classes: Ints, n_codes: int, n_classes: int) -> tuple[Ints, Ints]:
    """The codes that occur, ascending, and their records by class."""
    if n_codes > 4 * len(codes):
        present, codes = np.unique(codes, return_inverse=True)
        n_codes = len(present)
    else:
        present = np.arange(n_codes)
    counts = np.bincount(codes * n_classes + classes, minlength=n_codes * n_classes).reshape(n_codes, n_classes)
    occurs = counts.any(axis=1)
    return present[occurs], counts[occurs]


def _total_entropy(counts: Ints) -> NDArray[np.float64]:
    """The entropy of each row of class counts, times its records."""
    total: NDArray[np.float64] = entropy(counts) * counts.sum(axis=-1)
    return total
