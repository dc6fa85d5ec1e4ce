"""The levels of an attribute for full-domain generalization.

A level shows every value of the attribute at one depth; the next level is
coarser everywhere. `full_domain` chooses the level of each attribute.
"""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

from experiments.rivals.mondrian_axes import paths
from maskwise.errors import InputError, PolicyError
from maskwise.policy.attributes import Kind
from maskwise.solution.cut import HIDDEN
from maskwise.values.scales import Scale, bound, interval_label

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from experiments.rivals.coded_table import CodedColumn
    from maskwise.profile.columns import Column

    Ints = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Levels:
    """The labels of one attribute, level by level."""

    name: str
    """The attribute."""
    labels: tuple[tuple[str | None, ...], ...]
    """For each level, finest first, the label of each code; None is a missing cell. The last entry is for code -1."""
    borders: Any = None  # (n_borders,)
    """The lower ends of the ranges of an interval attribute, without the first."""

    def code(self, column: CodedColumn) -> Ints:
        """Code the cells by range, by tree label or by value; a missing cell has the next code, an unknown one -1."""
        if self.borders is None:
            return np.asarray(column.values, np.int64)
        ranges = np.searchsorted(self.borders, column.values, side="right")
        return np.where(column.missing, len(self.borders) + 1, ranges)

    def codes_by_level(self, column: CodedColumn) -> list[Ints]:
        """For each level a number for each cell; cells with the same label have the same number."""
        codes = self.code(column)
        by_level = []
        for labels in self.labels:
            index = {label: i for i, label in enumerate(dict.fromkeys(labels))}
            by_level.append(np.array([index[label] for label in labels], np.int64)[codes])
        return by_level


def make_levels(column: Column, n_ranges: int, borders: Sequence[Sequence[object]] | None) -> Levels:
    """The levels of a masked attribute.

    A tree has a level for each depth. A leaf nearer to the root is shown as
    itself until a level is above it. A suppressed
    attribute is shown or hidden as a whole. A missing cell is shown as such on
    all levels but the last.

    Args:
        column: The attribute.
        n_ranges: The number of ranges of equal width on the finest level of an interval attribute; each further
            level joins them in pairs.
        borders: The borders between an interval attribute's ranges instead, for each level, finest first.
    """
    if borders is not None and column.kind is not Kind.INTERVAL:
        msg = f"`borders` has `{column.name}`, but only interval attributes have borders. Leave it out."
        raise InputError(msg)
    match column.kind:
        case Kind.INTERVAL:
            if borders is None:
                return _interval_levels(column, _equal_borders(column, n_ranges))
            return _interval_levels(column, _check_borders(column, borders))
        case Kind.TAXONOMY:
            return _tree_levels(column)
        case Kind.SUPPRESS:
            missing = None if column.missing.any() else HIDDEN
            labels = (*column.texts, missing, HIDDEN)
            return Levels(column.name, (labels, (HIDDEN,) * len(labels)))


def _tree_levels(column: Column) -> Levels:
    tree = column.taxonomy
    assert tree is not None  # noqa: S101 - every taxonomy column has a tree
    from_root = paths(tree)
    depths = (from_root >= 0).sum(axis=1) - 1
    names = (*tree.labels, None if column.missing.any() else tree.root)
    levels = []
    for depth in range(from_root.shape[1] - 1, -1, -1):
        label_of = from_root[np.arange(len(from_root)), np.minimum(depths, depth)]
        levels.append((*(names[i] for i in label_of), tree.root))
    return Levels(column.name, tuple(levels))


def _interval_levels(column: Column, borders: Sequence[Sequence[Any]]) -> Levels:
    low, high = column.range
    assert column.scale is not None  # noqa: S101 - every interval column has a scale
    finest = list(borders[0])
    root = interval_label(low, high, column.scale, closed=True)
    levels = []
    for inner in borders:
        ends = list(pairwise([low, *inner, high]))
        texts = [interval_label(a, b, column.scale, closed=i == len(ends) - 1) for i, (a, b) in enumerate(ends)]
        range_of = [bisect_right(inner, start) for start in (low, *finest)]
        missing = None if inner and column.missing.any() else root
        levels.append((*(texts[i] for i in range_of), missing, root))
    return Levels(column.name, tuple(levels), np.array(finest, np.float64 if column.scale is Scale.REAL else np.int64))


def _equal_borders(column: Column, n_ranges: int) -> list[list[Any]]:
    """Ranges of equal width, joined in pairs from level to level; whole numbers have whole borders."""
    low, high = column.range
    steps = range(1, n_ranges)
    if column.scale is Scale.REAL:
        width = float(high) / n_ranges - float(low) / n_ranges
        inner = [float(low) + width * i for i in steps]
    else:
        inner = [low - (low - high) * i // n_ranges for i in steps]
    levels = []
    step = 1
    while step <= n_ranges:
        chosen = inner[step - 1 :: step] if step < n_ranges else []
        levels.append([border for border in dict.fromkeys(chosen) if low < border <= high])
        step *= 2
    return levels


def _check_borders(column: Column, borders: Sequence[Sequence[object]]) -> list[list[Any]]:
    assert column.scale is not None  # noqa: S101 - every interval column has a scale
    try:
        levels = [[bound(str(border), column.scale) for border in level] for level in borders]
    except PolicyError as error:
        msg = f"The borders of `{column.name}` do not fit it. {error}"
        raise InputError(msg) from None
    low, high = column.range
    for i, level in enumerate(levels):
        is_whole = column.scale is Scale.REAL or all(isinstance(border, int) for border in level)
        if level != sorted(set(level)) or not all(low < border <= high for border in level) or not is_whole:
            msg = (
                f"The borders of `{column.name}` are {column.scale} values that rise inside its range; "
                f"found {list(borders[i])}. Change them."
            )
            raise InputError(msg)
        if i and not set(level) <= set(levels[i - 1]):
            msg = f"A level of `{column.name}` has borders that the level below does not have: {list(borders[i])}."
            raise InputError(msg + " Every level joins ranges of the one below.")
    return [*levels, []] if not levels or levels[-1] else levels
