"""Rows of their own for subsets on which many rows of all attributes are alike; compiled.

Two columns of a hundred values each have at most ten thousand different rows,
however many records there are. Such a subset is counted once, and what a
refinement moves is then looked up among its own rows. `bundle_kernels` counts them;
the other subsets are counted from the rows of all attributes whenever something is refined.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from maskwise.search.groups.subset_kernels import count_subsets
from maskwise.search.groups.subset_splits import worst_of_splits
from maskwise.values.kernel import kernel

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from maskwise.compress.spill import Workspace
    from maskwise.search.groups.subset_cells import Buffers
    from maskwise.search.groups.subset_kernels import Dimensions, Subsets, Worsts
    from maskwise.search.rule_kernels import Rules

    Ints = NDArray[np.int64]

_FEWER = 8
"""A subset has rows of its own if they are so many times fewer than those of all attributes."""
_MOST_ROWS = 1 << 17
"""More rows of its own do not stay in a processor's own memory."""
_MOST_BYTES = 1 << 29
"""All such rows take no more than this, or than a part of it that fits the memory given."""


class SubsetTables(NamedTuple):
    """The distinct rows of some subsets."""

    start: Any  # (n_subsets,) where the rows of each start; -1 if it has none of its own
    n_rows: Any  # (n_subsets,)
    codes: Any  # (n_all, size)
    words: Any  # (n_all, n_counts) the counters of each row


class MovedRows(NamedTuple):
    """Room for the rows of a subset that a refinement moves, for one thread."""

    places: Any  # (n_attributes + 1, most_rows) as in `Dimensions`
    words: Any  # (most_rows, n_counts)
    bins: Any  # (most_rows,)


def plan_tables(members: Ints, n_codes: Ints, n_rows: int, n_counts: int, workspace: Workspace) -> SubsetTables:
    """Choose the subsets that get rows of their own, those with the fewest first, and make room for these.

    Args:
        members: (n_subsets, size) the attributes of each subset.
        n_codes: How many codes each attribute has.
        n_rows: How many rows all attributes have together.
        n_counts: How many words of counters a row has.
        workspace: Where the rows are kept.
    """
    dtype = np.min_scalar_type(max(int(n_codes.max(initial=1)) - 1, 0))
    most = np.multiply.reduce(n_codes[members].astype(np.float64), axis=1)
    order = np.argsort(most, kind="stable")
    order = order[most[order] <= min(n_rows // _FEWER, _MOST_ROWS)]
    room = _MOST_BYTES
    while room > 1 and not workspace.fits(room):
        room //= 2
    stop = np.cumsum(most[order]).astype(np.int64)
    n_chosen = int(np.searchsorted(stop, room // (members.shape[1] * dtype.itemsize + 8 * n_counts), side="right"))
    order, stop = order[:n_chosen], stop[:n_chosen]
    n_all = int(stop[-1]) if n_chosen else 0
    start = np.full(len(members), -1)
    start[order] = stop - most[order].astype(np.int64)
    return SubsetTables(
        start,
        np.zeros(len(members), np.int64),
        workspace.zeros((n_all, members.shape[1]), dtype),
        workspace.zeros((n_all, n_counts), np.int64),
    )


def make_moved_rows(tables: SubsetTables, n_attributes: int, n_cells: int, dtype: Any) -> MovedRows:
    """Make room for the rows of any of the subsets, or for so many cells."""
    n = max(int(tables.n_rows.max(initial=0)), n_cells)
    return MovedRows(
        np.zeros((n_attributes + 1, n), dtype), np.zeros((n, tables.words.shape[1]), np.int64), np.zeros(n, np.int64)
    )


@kernel
def _take_rows(
    tables: SubsetTables,
    subsets: Subsets,
    s: int,
    a: int,
    place_of_code: Any,
    refined: Any,
    moved: Any,
    scratch: MovedRows,
) -> Any:
    """Put the rows of a subset that show a value into the scratch; return how many they are.

    Args:
        tables: IN the rows.
        subsets: IN the subsets.
        s: IN which of them.
        a: IN the attribute of the value.
        place_of_code: IN (n_attributes, most_codes)
        refined: IN (most_codes,) the places of the attribute, which are put last; or the bins.
        moved: IN (most_codes,) whether a code of the attribute shows the value.
        scratch: OUT the rows.
    """
    own, size, last = 0, subsets.members.shape[1], scratch.places.shape[0] - 1
    while subsets.members[s, own] != a:
        own += 1
    n = np.int64(0)
    for x in range(tables.start[s], tables.start[s] + tables.n_rows[s]):
        code = tables.codes[x, own]
        if not moved[code]:
            continue
        for m in range(size):
            d = subsets.members[s, m]
            scratch.places[d, n] = place_of_code[d, tables.codes[x, m]]
        scratch.places[last, n] = refined[code]
        scratch.bins[n] = refined[code]
        for w in range(tables.words.shape[1]):
            scratch.words[n, w] = tables.words[x, w]
        n += 1
    return n


@kernel
def count_tabled(
    dims: Dimensions,
    tables: SubsetTables,
    subsets: Subsets,
    own: Any,
    a: int,
    place_of_code: Any,
    refined: Any,
    moved: Any,
    rules: Rules,
    worsts: Worsts,
    buffers: Buffers,
    scratch: MovedRows,
) -> None:
    """Count the moved rows of each of some subsets, and update the worst figures of candidates.

    Args:
        dims: IN what candidates would tell apart; its places are those of the scratch.
        tables: IN the rows of the subsets.
        subsets: IN the subsets.
        own: IN those that are counted, which have the refined attribute and rows of their own.
        a: IN the refined attribute.
        place_of_code: IN (n_attributes, most_codes)
        refined: IN (most_codes,) the places of the refined attribute.
        moved: IN (most_codes,) whether a code of it shows the refined value.
        rules: IN the rules, all of them enforced.
        worsts: INOUT rise.
        buffers: OUT what is counted in.
        scratch: OUT the moved rows.
    """
    for q in range(own.shape[0]):
        n = _take_rows(tables, subsets, own[q], a, place_of_code, refined, moved, scratch)
        if n:
            count_subsets(dims, subsets, own[q : q + 1], a, scratch.words[:n], rules, worsts, buffers)


@kernel
def worst_of_tabled_splits(
    dims: Dimensions,
    tables: SubsetTables,
    subsets: Subsets,
    own: Any,
    at: Any,
    a: int,
    place_of_code: Any,
    bins: Any,
    n_bins: int,
    moved: Any,
    rules: Rules,
    buffers: Buffers,
    scratch: MovedRows,
    worst: Any,
    is_valid: Any,
) -> None:
    """How bad the worst group of each subset would be after each split of an interval; as `worst_of_splits`.

    Args:
        dims: IN what is shown; its places are those of the scratch.
        tables: IN the rows of the subsets.
        subsets: IN the subsets.
        own: IN those with the attribute and rows of their own.
        at: IN the place of each in `worst`.
        a: IN the attribute.
        place_of_code: IN (n_attributes, most_codes)
        bins: IN (most_codes,) the bin of each code; `n_bins` is no part of either side.
        n_bins: IN how many bins there are.
        moved: IN (most_codes,) whether a code shows the interval.
        rules: IN the rules, all of them enforced.
        buffers: OUT what is counted in.
        scratch: OUT the rows that show the interval.
        worst: OUT (n_own, n_rules, n_bins)
        is_valid: INOUT (n_bins,) False where a rule breaks.
    """
    for q in range(own.shape[0]):
        n = _take_rows(tables, subsets, own[q], a, place_of_code, bins, moved, scratch)
        worst_of_splits(
            dims,
            subsets,
            own[q : q + 1],
            a,
            scratch.bins[:n],
            n_bins,
            scratch.words[:n],
            rules,
            buffers,
            worst[at[q] : at[q] + 1],
            is_valid,
        )
