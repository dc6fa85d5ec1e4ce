"""The fixed levels of an attribute, as full-domain generalization knows them.

A level shows every value of the attribute at one depth; the next level is
coarser everywhere. Which level each attribute gets is the concern of
`fulldomain`.
"""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

from maskwise.errors import InputError, PolicyError
from maskwise.policy.attributes import Kind
from maskwise.rivals.mondrian_axes import paths
from maskwise.solution.cut import HIDDEN
from maskwise.values.scales import Scale, bound, interval_label

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from maskwise.profile.columns import Column
    from maskwise.rivals.coded_table import Cells

    Ints = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Levels:
    """What one attribute can show."""

    name: str
    """The attribute."""
    labels: tuple[tuple[str | None, ...], ...]
    """For each level, finest first, what each code shows; None is a missing cell. The last entry is for code -1."""
    borders: Any = None  # (n_borders,)
    """Where the ranges of an interval attribute begin, but for the first."""

    def code(self, cells: Cells) -> Ints:
        """Number the cells: by range, by tree label or by value; a missing cell comes after these, -1 is unknown."""
        if self.borders is None:
            return np.asarray(cells.values, np.int64)
        ranges = np.searchsorted(self.borders, cells.values, side="right")
        return np.where(cells.missing, len(self.borders) + 1, ranges)

    def numbered(self, level: int) -> tuple[Ints, tuple[str | None, ...]]:
        """Number what a level shows: the number for each code, and the labels."""
        labels = tuple(dict.fromkeys(self.labels[level]))
        at = {label: i for i, label in enumerate(labels)}
        return np.array([at[label] for label in self.labels[level]], np.int64), labels


def make_levels(column: Column, n_ranges: int, given: Sequence[Sequence[object]] | None) -> Levels:
    """The levels of a masked attribute.

    A tree has as many levels as its deepest leaf has labels above it; a leaf
    nearer to the root stays itself until the level reaches it. A suppressed
    attribute is shown or hidden as a whole. A missing cell is shown as such on
    all levels but the last.

    Args:
        column: The attribute.
        n_ranges: How many ranges of equal width the finest level of an interval attribute has; each further level
            joins two and two.
        given: The borders between an interval attribute's ranges instead, for each level, finest first.
    """
    if given is not None and column.kind is not Kind.INTERVAL:
        msg = f"`borders` has `{column.name}`, but only interval attributes have borders. Leave it out."
        raise InputError(msg)
    match column.kind:
        case Kind.INTERVAL:
            borders = _equal_borders(column, n_ranges) if given is None else _given_borders(column, given)
            return _interval_levels(column, borders)
        case Kind.TAXONOMY:
            return _tree_levels(column)
        case Kind.SUPPRESS:
            missing = None if column.missing.any() else HIDDEN
            shown = (*column.texts, missing, HIDDEN)
            return Levels(column.name, (shown, (HIDDEN,) * len(shown)))


def _tree_levels(column: Column) -> Levels:
    tree = column.taxonomy
    assert tree is not None  # noqa: S101 - every taxonomy column has a tree
    ways = paths(tree)
    depths = (ways >= 0).sum(axis=1) - 1
    names = (*tree.labels, None if column.missing.any() else tree.root)
    levels = []
    for top in range(ways.shape[1] - 1, -1, -1):
        at = ways[np.arange(len(ways)), np.minimum(depths, top)]
        levels.append((*(names[i] for i in at), tree.root))
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
        at = [bisect_right(inner, start) for start in (low, *finest)]
        missing = None if inner and column.missing.any() else root
        levels.append((*(texts[i] for i in at), missing, root))
    return Levels(column.name, tuple(levels), np.array(finest, np.float64 if column.scale is Scale.REAL else np.int64))


def _equal_borders(column: Column, n_ranges: int) -> list[list[Any]]:
    """Ranges of equal width, two and two joined from level to level; whole numbers have whole borders."""
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


def _given_borders(column: Column, given: Sequence[Sequence[object]]) -> list[list[Any]]:
    assert column.scale is not None  # noqa: S101 - every interval column has a scale
    try:
        levels = [[bound(str(border), column.scale) for border in level] for level in given]
    except PolicyError as error:
        msg = f"The borders of `{column.name}` do not fit it. {error}"
        raise InputError(msg) from None
    low, high = column.range
    for i, level in enumerate(levels):
        is_whole = column.scale is Scale.REAL or all(isinstance(border, int) for border in level)
        if level != sorted(set(level)) or not all(low < border <= high for border in level) or not is_whole:
            msg = (
                f"The borders of `{column.name}` are {column.scale} values that rise inside its range; "
                f"found {list(given[i])}. Change them."
            )
            raise InputError(msg)
        if i and not set(level) <= set(levels[i - 1]):
            msg = f"A level of `{column.name}` has borders that the level below does not have: {list(given[i])}."
            raise InputError(msg + " Every level joins ranges of the one below.")
    return [*levels, []] if not levels or levels[-1] else levels
