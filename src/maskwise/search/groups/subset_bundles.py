"""Bundles: attributes of few places that are counted as one, so that many subsets are counted in one pass.

Two attributes of five places are one of twenty-five. Of sixty such attributes
fifteen bundles are made, and all 32,509 subsets of three follow from the counts on
the 455 combinations of three bundles: rows are looked at seventy times less often.
`bundle_kernels` counts.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Ints = NDArray[np.int64]

_MOST_NUMBERS = 128
"""So many combinations of places a bundle has at most: two of them stay in a processor's own memory."""
_MOST_OF_BUNDLE = 1 << 16
"""So many an attribute that is a bundle by itself may have."""
_MOST_CELLS = 1 << 18
"""So many cells are counted at a time."""
_LEAST_CELLS = 1 << 12
"""So many may always be, however few rows there are."""
_ROWS_OF_CELL = 4
"""Otherwise there must be so many rows for each: cells are looked at once more for each subset."""


class Bundles(NamedTuple):
    """Attributes that are counted as one."""

    members: Any  # (n_bundles, most) the dimensions of each bundle, or -1
    size: Any  # (n_bundles,) how many combinations of places each has
    place_of: Any  # (n_dimensions, most_numbers) the place on a dimension, by the number of the bundle's combination


class Combinations(NamedTuple):
    """Which bundles are counted together, and for which subsets."""

    bundles: Any  # (n_combinations, size) ascending; -1 before them where they are fewer
    start: Any  # (n_combinations + 1,) where the subsets of each start below
    subsets: Any  # (n_subsets,) subsets by their number
    dimension: Any  # (n_subsets, size) their dimensions, in the order of the bundles
    position: Any  # (n_subsets, size) at which place of the combination the bundle of each is


def most_cells(n_rows: int) -> int:
    """How many cells so many rows are counted in."""
    return min(max(n_rows // _ROWS_OF_CELL, _LEAST_CELLS), _MOST_CELLS)


def plan_passes(
    n_places: Ints, subsets: Ints, dimensions: Ints, first: int | None, n_rows: int
) -> tuple[list[tuple[Bundles, Combinations]], Ints]:
    """Say how to count some subsets: together, or one by one where there are many places, but few enough to count.

    Args:
        n_places: How many places each dimension has.
        subsets: The subsets by their number.
        dimensions: (n_subsets, size) the dimensions of each.
        first: One that all of them have, if there is one.
        n_rows: How many rows are counted.

    Returns:
        Bundles with combinations of them, and the subsets that have too many cells for that.
    """
    passes = []
    for most in (_MOST_NUMBERS, 1):
        bundles = _make_bundles(n_places, np.unique(dimensions), first, dimensions.shape[1], n_rows, most)
        combinations, is_left = _combine(bundles, subsets, dimensions, n_rows)
        if len(combinations.subsets):
            passes.append((bundles, combinations))
        subsets, dimensions = subsets[is_left], dimensions[is_left]
    return passes, subsets


def _make_bundles(
    n_places: Ints, dimensions: Ints, first: int | None, size: int, n_rows: int, most_numbers: int
) -> Bundles:
    """Put the dimensions with the fewest places together.

    Args:
        n_places: How many places each dimension has.
        dimensions: Those that are counted.
        first: One of them that is in every subset, and has a bundle of its own, the first.
        size: How many dimensions a subset has.
        n_rows: How many rows are counted.
        most_numbers: How many numbers a bundle of several dimensions may have.
    """
    room, n_free = float(most_cells(n_rows)), size
    if first is not None:
        room, n_free = room / n_places[first], size - 1
    most = min(most_numbers, max(room, 1.0) ** (1 / max(n_free, 1)))
    bundles: list[list[int]] = [] if first is None else [[first]]
    others = dimensions[dimensions != first]
    product = np.inf
    for d in others[np.argsort(n_places[others], kind="stable")].tolist():
        if product * n_places[d] > most:
            bundles.append([])
            product = 1
        bundles[-1].append(d)
        product *= n_places[d]
    sizes = np.array([int(np.prod(n_places[own])) for own in bundles], np.int64)
    members = np.full((len(bundles), max(map(len, bundles), default=0)), -1)
    place_of = np.zeros((len(n_places), int(sizes.max(initial=1))), np.int64)
    for b, own in enumerate(bundles):
        members[b, : len(own)] = own
        places = np.unravel_index(np.arange(sizes[b]), n_places[own])
        for d, place in zip(own, places, strict=True):
            place_of[d, : sizes[b]] = place
    return Bundles(members, sizes, place_of)


def _combine(bundles: Bundles, subsets: Ints, dimensions: Ints, n_rows: int) -> tuple[Combinations, NDArray[np.bool_]]:
    """List the combinations of bundles that some subsets are counted in.

    Args:
        bundles: The bundles.
        subsets: The subsets by their number.
        dimensions: (n_subsets, size) the dimensions of each.
        n_rows: How many rows are counted.

    Returns:
        The combinations, and which subsets would have too many cells.
    """
    bundle_of = np.zeros(len(bundles.place_of), np.int64)
    for b, own in enumerate(bundles.members):
        bundle_of[own[own >= 0]] = b
    order = np.argsort(bundle_of[dimensions], axis=1, kind="stable")
    dimensions = np.take_along_axis(dimensions, order, axis=1)
    used = bundle_of[dimensions]
    is_again = np.zeros(used.shape, np.bool_)
    is_again[:, 1:] = used[:, 1:] == used[:, :-1]
    n_cells = np.where(is_again, 1.0, bundles.size[used].astype(np.float64)).prod(axis=1)
    fits = (n_cells <= most_cells(n_rows)) & (bundles.size[used] <= _MOST_OF_BUNDLE).all(axis=1)
    subsets, dimensions, used, is_again = subsets[fits], dimensions[fits], used[fits], is_again[fits]
    distinct = np.sort(np.where(is_again, -1, used), axis=1)
    position = distinct.shape[1] - (~is_again).sum(axis=1)[:, None] + np.cumsum(~is_again, axis=1) - 1
    found, which = np.unique(distinct, axis=0, return_inverse=True)
    # Those with the same dimensions but for the last one follow each other.
    by = np.lexsort([*dimensions.T[::-1], which.ravel()])
    start = np.searchsorted(which.ravel()[by], np.arange(len(found) + 1))
    return Combinations(found, start, subsets[by], dimensions[by], position[by]), ~fits
