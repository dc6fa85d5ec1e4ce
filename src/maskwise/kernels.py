"""The loops over rows and over split points, compiled.

No names and no objects: arrays in, arrays out. Each kernel has a plain twin in
`tests/reference/`. Arguments are tagged IN, OUT or INOUT. Compiled code is
cached beside this file, so only the first run after an install compiles.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numba import njit

TOLERANCE = 1e-12
"""Gains and scores closer than this are equal."""
NO_GROUP = np.iinfo(np.int64).max
"""The smallest of no groups at all."""


class Groups(NamedTuple):
    """The groups of one quasi-identifier, rows of a group side by side."""

    codes: Any  # (n_rows, n_attributes) finest reachable code of each value
    counts: Any  # (n_rows,) records behind each row
    spare_codes: Any  # as codes: room to reorder in
    spare_counts: Any  # as counts
    start: Any  # (most_groups,) first row of each group
    size: Any  # (most_groups,) its rows
    total: Any  # (most_groups,) its records
    shown: Any  # (n_attributes, most_groups) the values it shows
    kept: Any  # (most_groups,) the row of hists with its counters, or -1
    hists: Any  # (n_kept, n_slots) counters: by attribute, by child of the shown value
    scratch: Any  # (n_slots,) counters for groups that keep none, zero between uses
    free: Any  # rows of hists in no use
    tally: Any  # (2,) how many groups there are, how many free rows


class Cut(NamedTuple):
    """What the kernels know of the value trees and of where the cut runs."""

    slot: Any  # (n_attributes, most_codes) child of the shown value that a code falls under
    base: Any  # (n_attributes,) where each attribute's counters start
    hides: Any  # (n_attributes,) whether values are disclosed one by one
    first_child: Any  # (n_nodes,)
    n_children: Any  # (n_nodes,)
    alive: Any  # (n_nodes,) candidates that may still be refined
    smallest: Any  # (n_nodes,) smallest group that refining a candidate would create


@njit(cache=True, nogil=True)
def best_split(counts: Any, start: int, stop: int) -> int:
    """Find where to cut an interval in two so that the class is told best.

    Args:
        counts: IN (n_values, n_classes) records by ordered value and class.
        start: IN first value of the interval.
        stop: IN one past its last value.

    Returns:
        The first value of the right part; of equal splits the lowest.
    """
    n_classes = counts.shape[1]
    left = np.zeros(n_classes, np.int64)
    total = np.zeros(n_classes, np.int64)
    for i in range(start, stop):
        for c in range(n_classes):
            total[c] += counts[i, c]
    # n * entropy of both parts, less what all splits share: the smallest is the best.
    mixed = np.empty(stop - start, np.float64)
    least = np.inf
    for i in range(start + 1, stop):
        n_left = 0.0
        n_right = 0.0
        inner = 0.0
        for c in range(n_classes):
            left[c] += counts[i - 1, c]
            a = float(left[c])
            b = float(total[c] - left[c])
            n_left += a
            n_right += b
            if a > 0:
                inner -= a * np.log2(a)
            if b > 0:
                inner -= b * np.log2(b)
        if n_left > 0:
            inner += n_left * np.log2(n_left)
        if n_right > 0:
            inner += n_right * np.log2(n_right)
        mixed[i - start] = inner / (n_left + n_right)
        least = min(least, mixed[i - start])
    for i in range(start + 1, stop):
        if mixed[i - start] < least + TOLERANCE:
            return i
    return stop


def warm_up() -> None:
    """Load the compiler and the first kernel; half a second that can pass while an engine reads."""
    best_split(np.ones((2, 1), np.int64), 0, 2)


@njit(cache=True, nogil=True)
def count_rows(groups: Groups, cut: Cut, lo: int, hi: int, live: Any, n_live: int, hist: Any) -> None:
    """Add rows `lo` to `hi` to the counters of the live attributes.

    Rows are the outer loop: a row's codes lie side by side, so each cache line
    is fetched once (attribute by attribute was some six times slower).

    Args:
        groups: IN the rows.
        cut: IN the slots.
        lo: IN first row.
        hi: IN one past the last.
        live: IN the attributes to count.
        n_live: IN how many they are.
        hist: INOUT (n_slots,) the counters.
    """
    codes, counts, slot, base = groups.codes, groups.counts, cut.slot, cut.base
    for i in range(lo, hi):
        n = counts[i]
        for p in range(n_live):
            a = live[p]
            hist[base[a] + slot[a, codes[i, a]]] += n


@njit(cache=True, nogil=True)
def lower_minima(cut: Cut, a: int, value: int, hist: Any, n_records: int, k: int) -> None:
    """Lower the running minimum of each candidate that a group's counters speak for.

    Args:
        cut: INOUT its minima fall, its dead candidates are marked.
        a: IN the attribute.
        value: IN the value the group shows there.
        hist: IN (n_slots,) the group's counters.
        n_records: IN the group's records.
        k: IN a candidate whose minimum falls below is dead.
    """
    at = cut.base[a]
    if cut.hides[a]:
        for s in range(cut.n_children[value]):
            v = cut.first_child[value] + s
            n = hist[at + s]
            if n > 0 and cut.alive[v]:
                rest = n_records - n
                least = min(n, rest) if rest > 0 else n
                if least < cut.smallest[v]:
                    cut.smallest[v] = least
                    if least < k:
                        cut.alive[v] = False
        return
    least = cut.smallest[value]
    for s in range(cut.n_children[value]):
        n = hist[at + s]
        if n > 0 and n < least:
            least = n
    cut.smallest[value] = least
    if least < k:
        cut.alive[value] = False


@njit(cache=True, nogil=True)
def part_rows(groups: Groups, g: int, j: int, branch: Any, n_rows_of: Any, largest: int) -> None:
    """Reorder a group's rows: the largest part first, then the others part by part.

    Only rows of the smaller parts, and as many of the largest, are moved.

    Args:
        groups: INOUT the rows.
        g: IN the group.
        j: IN the refined attribute.
        branch: IN (n_codes,) the part each code goes to.
        n_rows_of: IN (n_branches,) rows of each part.
        largest: IN the largest part.
    """
    codes, counts = groups.codes, groups.counts
    n_attributes = codes.shape[1]
    lo, hi = groups.start[g], groups.start[g] + groups.size[g]
    border = lo + n_rows_of[largest]
    back = border
    for i in range(lo, border):
        if branch[codes[i, j]] == largest:
            continue
        while branch[codes[back, j]] != largest:
            back += 1
        for a in range(n_attributes):
            codes[i, a], codes[back, a] = codes[back, a], codes[i, a]
        counts[i], counts[back] = counts[back], counts[i]
        back += 1
    n_branches = n_rows_of.shape[0]
    next_row = np.zeros(n_branches, np.int64)
    at = 0
    n_others = 0
    for b in range(n_branches):
        if b != largest and n_rows_of[b] > 0:
            next_row[b] = at
            at += n_rows_of[b]
            n_others += 1
    if n_others <= 1:
        return
    for i in range(border, hi):
        b = branch[codes[i, j]]
        to = next_row[b]
        next_row[b] += 1
        for a in range(n_attributes):
            groups.spare_codes[to, a] = codes[i, a]
        groups.spare_counts[to] = counts[i]
    for i in range(hi - border):
        for a in range(n_attributes):
            codes[border + i, a] = groups.spare_codes[i, a]
        counts[border + i] = groups.spare_counts[i]


@njit(cache=True, nogil=True)
def take_stock(groups: Groups, cut: Cut, g: int, live: Any, k: int) -> None:
    """Count a group's rows from scratch and lower the minima; keep the counters if that pays.

    Args:
        groups: INOUT the counters.
        cut: INOUT as in `lower_minima`.
        g: IN the group.
        live: OUT room for the live attributes.
        k: IN as in `lower_minima`.
    """
    n_attributes = groups.codes.shape[1]
    n_live = 0
    for a in range(n_attributes):
        if cut.alive[groups.shown[a, g]]:
            live[n_live] = a
            n_live += 1
    keep = groups.size[g] >= groups.scratch.shape[0]
    hist = groups.scratch
    groups.kept[g] = -1
    if keep:
        groups.tally[1] -= 1
        groups.kept[g] = groups.free[groups.tally[1]]
        hist = groups.hists[groups.kept[g]]
        hist[:] = 0
    count_rows(groups, cut, groups.start[g], groups.start[g] + groups.size[g], live, n_live, hist)
    for p in range(n_live):
        a = live[p]
        value = groups.shown[a, g]
        lower_minima(cut, a, value, hist, groups.total[g], k)
        if not keep:
            at = cut.base[a]
            hist[at : at + cut.n_children[value] + cut.hides[a]] = 0


@njit(cache=True, nogil=True)
def take_from(groups: Groups, cut: Cut, g: int, part: int, j: int, only: Any) -> None:
    """Take the counters of a part that left group `g` from those `g` keeps.

    Args:
        groups: INOUT the counters.
        cut: IN the slots.
        g: IN the group, which keeps counters.
        part: IN the group that left it.
        j: IN the refined attribute, whose counters are made anew elsewhere.
        only: OUT room for one attribute.
    """
    hist = groups.hists[groups.kept[g]]
    n_attributes = groups.codes.shape[1]
    if groups.kept[part] >= 0:
        away = groups.hists[groups.kept[part]]
        for a in range(n_attributes):
            value = groups.shown[a, g]
            if a != j and cut.alive[value]:
                at = cut.base[a]
                for s in range(at, at + cut.n_children[value] + cut.hides[a]):
                    hist[s] -= away[s]
        return
    n_live = 0
    for a in range(n_attributes):
        if a != j and cut.alive[groups.shown[a, g]]:
            only[n_live] = a
            n_live += 1
    for i in range(groups.start[part], groups.start[part] + groups.size[part]):
        n = groups.counts[i]
        for p in range(n_live):
            a = only[p]
            hist[cut.base[a] + cut.slot[a, groups.codes[i, a]]] -= n


@njit(cache=True, nogil=True)
def split_groups(  # noqa: PLR0912, PLR0915 - one pass over a group
    groups: Groups, cut: Cut, j: int, x: int, branch: Any, branch_node: Any, k: int
) -> None:
    """Split every group that shows `x` on attribute `j`, and update the minima.

    A split counts the rows of all parts but the largest; the largest part's
    counters are the group's own less those.

    Args:
        groups: INOUT split.
        cut: INOUT its slots already of the refined cut; its minima fall.
        j: IN the refined attribute.
        x: IN the value that is refined.
        branch: IN (n_codes,) the part each code of `j` goes to.
        branch_node: IN (n_branches,) the value each part shows.
        k: IN as in `lower_minima`.
    """
    n_attributes = groups.codes.shape[1]
    n_branches = branch_node.shape[0]
    n_rows_of = np.zeros(n_branches, np.int64)
    n_records_of = np.zeros(n_branches, np.int64)
    live = np.empty(n_attributes, np.int64)
    for g in range(groups.tally[0]):
        if groups.shown[j, g] != x:
            continue
        lo, n_rows = groups.start[g], groups.size[g]
        n_rows_of[:] = 0
        n_records_of[:] = 0
        for i in range(lo, lo + n_rows):
            b = branch[groups.codes[i, j]]
            n_rows_of[b] += 1
            n_records_of[b] += groups.counts[i]
        largest = np.argmax(n_rows_of)
        alone = n_rows_of[largest] == n_rows
        if alone and branch_node[largest] == x:
            continue
        if not alone:
            part_rows(groups, g, j, branch, n_rows_of, largest)
        groups.size[g] = n_rows_of[largest]
        groups.total[g] = n_records_of[largest]
        at = lo + n_rows_of[largest]
        for b in range(n_branches):
            if b == largest or n_rows_of[b] == 0:
                continue
            part = groups.tally[0]
            groups.tally[0] += 1
            groups.start[part] = at
            groups.size[part] = n_rows_of[b]
            groups.total[part] = n_records_of[b]
            groups.shown[:, part] = groups.shown[:, g]
            groups.shown[j, part] = branch_node[b]
            at += n_rows_of[b]
            take_stock(groups, cut, part, live, k)
            if groups.kept[g] >= 0:
                take_from(groups, cut, g, part, j, live)
        groups.shown[j, g] = branch_node[largest]
        if groups.kept[g] < 0:
            take_stock(groups, cut, g, live, k)
            continue
        hist = groups.hists[groups.kept[g]]
        at = cut.base[j]
        value = groups.shown[j, g]
        if cut.alive[value]:
            # The refined attribute now has other children, or `*` hides one value less.
            hist[at : at + cut.n_children[value] + cut.hides[j]] = 0
            live[0] = j
            count_rows(groups, cut, lo, lo + groups.size[g], live, 1, hist)
        for a in range(n_attributes):
            if cut.alive[groups.shown[a, g]] and (a == j or not alone):
                lower_minima(cut, a, groups.shown[a, g], hist, groups.total[g], k)
        if groups.size[g] < groups.scratch.shape[0]:
            groups.free[groups.tally[1]] = groups.kept[g]
            groups.tally[1] += 1
            groups.kept[g] = -1
