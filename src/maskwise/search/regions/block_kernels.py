"""Which splits of a region are allowed where its counters alone do not say, compiled.

Persons with several rows may be in several parts of a split, so persons of parts
do not add up. And rows that differ in what earlier releases show of them are
different groups, though they are one region. Such rows are a block. The rows of
a region stand block by block, those of a block person by person; each part of
each block must satisfy every rule. Arguments are tagged IN, OUT or INOUT.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from maskwise.search.regions.region_arrays import HIGH, LOW
from maskwise.search.rule_kernels import weigh
from maskwise.values.kernel import kernel

if TYPE_CHECKING:
    from maskwise.search.regions.region_arrays import Domains, Rows, Scratch, Terms

PART, REST, OWN = 0, 1, 2
"""What is allowed of a node: to be told, to be left out of what stays; and to leave what is below no child of it."""


@kernel
def is_good(terms: Terms, counts: Any) -> bool:
    """Whether a part of a block is empty or satisfies every rule.

    Args:
        terms: IN
        counts: IN (n_counts,) its counters.
    """
    if counts[0] == 0:
        return True
    if counts[0] < terms.least_block:
        return False
    if not terms.is_by_size:
        for r in range(terms.rules.kind.shape[0]):
            if weigh(terms.rules, r, counts, counts, np.int64(0))[1]:
                return False
    return True


@kernel
def add(counts: Any, others: Any, times: int) -> None:
    """Add counters to others, so many times; with arrays as a whole numba compiles several times as long.

    Args:
        counts: INOUT (n_counts,)
        others: IN (n_counts,)
        times: IN 1, or -1 to subtract them.
    """
    for c in range(counts.shape[0]):
        counts[c] += times * others[c]


@kernel
def end_of_block(rows: Rows, begin: int, stop: int) -> int:
    """One past the last row of the block that begins at a place.

    Args:
        rows: IN
        begin: IN the place in the order of rows.
        stop: IN one past the region's last.
    """
    if len(rows.block) == 0:
        return stop
    end = begin + 1
    while end < stop and rows.block[rows.order[end]] == rows.block[rows.order[begin]]:
        end += 1
    return end


@kernel
def end_of_person(rows: Rows, begin: int, end: int) -> int:
    """One past the last row of the person whose rows begin at a place; a row by itself where rows add up.

    Args:
        rows: IN
        begin: IN the place in the order of rows.
        end: IN one past the block's last.
    """
    stop = begin + 1
    if len(rows.person) > 0:
        while stop < end and rows.person[rows.order[stop]] == rows.person[rows.order[begin]]:
            stop += 1
    return stop


@kernel
def count_slots(rows: Rows, a: int, slots: Any, base: int, begin: int, end: int, low: Any, high: Any) -> None:
    """Count a block by the lowest and by the highest slot of each person, or of each row where rows add up.

    Args:
        rows: IN
        a: IN the attribute.
        slots: IN (n_codes,) the slot of each code from `base` on; negative for one that is not counted.
        base: IN the first code.
        begin: IN the block's first place in the order of rows.
        end: IN one past its last.
        low: INOUT (n_slots, n_counts) zero before
        high: INOUT (n_slots, n_counts) zero before
    """
    i = begin
    while i < end:
        stop = end_of_person(rows, i, end)
        for c in range(low.shape[1]):
            first, last, n = -1, -1, 0
            for p in range(i, stop):
                row = rows.order[p]
                slot = slots[rows.codes[row, a] - base]
                if slot >= 0 and rows.counts[row, c] > 0:
                    n = rows.counts[row, c]
                    first = slot if first < 0 else min(first, slot)
                    last = max(last, slot)
            if first >= 0:
                low[first, c] += n
                high[last, c] += n
        i = stop


@kernel
def allow_borders(
    rows: Rows, domains: Domains, terms: Terms, scratch: Scratch, level: int, a: int, start: int, stop: int
) -> None:
    """Say which borders of an interval attribute leave every part of every block valid.

    A person is left of a border if its lowest bin is, and right of it if its
    highest bin is not.

    Args:
        rows: IN
        domains: IN
        terms: IN
        scratch: INOUT `is_allowed`: by bin for a border before it, at the first for none, and for missing cells apart
        level: IN the level of the trial.
        a: IN the attribute.
        start: IN the region's first place in the order of rows.
        stop: IN one past its last.

    Claim: a border is allowed only if every part of every block is empty or satisfies every rule.
    """
    low, high, n_bins = scratch.shown[level, a, LOW], scratch.shown[level, a, HIGH], domains.n_bins[a]
    n_slots, n_counts = high - low, rows.counts.shape[1]
    allowed = scratch.is_allowed[domains.offset[a] : domains.offset[a + 1]]
    allowed[low:high] = True
    allowed[n_bins] = True
    # Bins are slots of one kind of parts, missing cells are the only slot of another.
    bins, missing = np.full(n_bins + 1, -1, np.int64), np.full(n_bins + 1, -1, np.int64)
    for slot in range(n_slots):
        bins[low + slot] = slot
    missing[n_bins] = 0
    begins, ends = np.zeros((n_slots, n_counts), np.int64), np.zeros((n_slots, n_counts), np.int64)
    apart, there = np.zeros((1, n_counts), np.int64), np.zeros(n_counts, np.int64)
    left, spare = np.zeros(n_counts, np.int64), np.zeros((1, n_counts), np.int64)
    begin = start
    while begin < stop:
        end = end_of_block(rows, begin, stop)
        for counted in (begins, ends, apart):
            counted[:] = 0
        left[:] = 0
        there[:] = 0
        count_slots(rows, a, bins, np.int64(0), begin, end, begins, ends)
        count_slots(rows, a, missing, np.int64(0), begin, end, apart, spare)
        for slot in range(n_slots):
            add(there, ends[slot], np.int64(1))
        if not is_good(terms, apart[0]):
            allowed[n_bins] = False
        if not is_good(terms, there):
            allowed[low:high] = False
        for slot in range(n_slots - 1):
            add(left, begins[slot], np.int64(1))
            add(there, ends[slot], np.int64(-1))
            if allowed[low + slot + 1] and not (is_good(terms, left) and is_good(terms, there)):
                allowed[low + slot + 1] = False
        begin = end


@kernel
def count_children(
    rows: Rows, a: int, slots: Any, base: int, begin: int, end: int, inside: Any, only: Any, total: Any
) -> None:
    """Count a block by the children of a node that its rows are below.

    Args:
        rows: IN
        a: IN the attribute.
        slots: IN (n_codes,) the child of each code from `base` on; one past the last for none.
        base: IN the first code.
        begin: IN the block's first place in the order of rows.
        end: IN one past its last.
        inside: OUT (n_children + 1, n_counts) who is below a child, or below none
        only: OUT (n_children + 1, n_counts) who is nowhere else
        total: OUT (n_counts,) the block's counters
    """
    inside[:] = 0
    only[:] = 0
    total[:] = 0
    n_counts = len(total)
    # A person's first place is its stamp, by which a second row below the same child is known.
    last = np.full(len(inside), -1, np.int64)
    i = begin
    while i < end:
        after = end_of_person(rows, i, end)
        for c in range(n_counts):
            n_slots, slot, n = 0, -1, 0
            for p in range(i, after):
                row = rows.order[p]
                if rows.counts[row, c] > 0:
                    slot, n = slots[rows.codes[row, a] - base], rows.counts[row, c]
                    if last[slot] != i * n_counts + c:
                        n_slots += 1
                        inside[slot, c] += n
                    last[slot] = i * n_counts + c
            if n_slots == 1:
                only[slot, c] += n
            total[c] += n
        i = after


@kernel
def allow_children(
    rows: Rows, domains: Domains, terms: Terms, scratch: Scratch, a: int, node: int, start: int, stop: int
) -> None:
    """Say which children of a node leave every part of every block valid.

    Args:
        rows: IN
        domains: IN
        terms: IN
        scratch: INOUT `allowed_nodes` of the children: as a part, and what is left without it; of the node: what is
            below none of its children.
        a: IN the attribute.
        node: IN the node; all rows of the region are below it.
        start: IN the region's first place in the order of rows.
        stop: IN one past its last.

    Claim: a child is allowed only if every part of every block is empty or satisfies every rule.
    """
    first_child, n_children, n_counts = domains.first_child[node], domains.n_children[node], rows.counts.shape[1]
    allowed = scratch.allowed_nodes
    allowed[node, OWN] = True
    allowed[first_child : first_child + n_children] = True
    base = domains.first[node]
    slots = np.full(domains.stop[node] - base, n_children, np.int64)
    for s in range(n_children):
        slots[domains.first[first_child + s] - base : domains.stop[first_child + s] - base] = s
    inside = np.zeros((n_children + 1, n_counts), np.int64)
    only = np.zeros((n_children + 1, n_counts), np.int64)
    total = np.zeros(n_counts, np.int64)
    begin = start
    while begin < stop:
        end = end_of_block(rows, begin, stop)
        count_children(rows, a, slots, base, begin, end, inside, only, total)
        is_whole = is_good(terms, total)
        for s in range(n_children):
            if is_whole and inside[s, 0] == 0:
                continue
            if not is_good(terms, inside[s]):
                allowed[first_child + s, PART] = False
            add(total, only[s], np.int64(-1))
            if not is_whole or not is_good(terms, total):
                allowed[first_child + s, REST] = False
            add(total, only[s], np.int64(1))
        if not is_good(terms, inside[n_children]):
            allowed[node, OWN] = False
        begin = end


@kernel
def count_persons(rows: Rows, starts: Any, stops: Any, last: Any, stamp: int) -> int:
    """Count the persons of some regions, each once.

    Args:
        rows: IN
        starts: IN (n_regions,) the first place of each region in the order of rows.
        stops: IN (n_regions,) one past its last.
        last: INOUT (n_persons,) the stamp of the last count in which a person was met
        stamp: IN that of this count.
    """
    n = 0
    for r in range(len(starts)):
        for i in range(starts[r], stops[r]):
            who = rows.person[rows.order[i]]
            n += last[who] != stamp
            last[who] = stamp
    return n
