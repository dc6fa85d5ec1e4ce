"""The choice of a region's split, and the split itself, compiled.

Before a split is chosen, the best one of each attribute is tried: what greedy
splitting would gain below it counts too. A trial reorders the rows of the region,
which changes nothing unless they stand in blocks; then their order is put back.
Arguments are tagged IN, OUT or INOUT.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from maskwise.search.regions.gain_kernels import weigh_splits
from maskwise.search.regions.region_arrays import ALL, HIGH, INTERVAL, LOW, MISSING, NODE
from maskwise.values.kernel import kernel

if TYPE_CHECKING:
    from maskwise.search.regions.region_arrays import Domains, Rows, Scratch, Terms


@kernel
def list_parts(  # noqa: PLR0912 - intervals, one child, all children
    rows: Rows, domains: Domains, shown: Any, a: int, at: int, start: int, stop: int, parts: Any, nodes: Any
) -> int:
    """List the codes of each part of a split, those without rows left out.

    Args:
        rows: IN
        domains: IN
        shown: IN (n_attributes, 3) what the region shows.
        a: IN the attribute.
        at: IN the split: a border, a child, or ALL.
        start: IN the region's first place in the order of rows.
        stop: IN one past its last.
        parts: OUT (most_parts, 2) the codes of each part
        nodes: OUT (most_parts, 3) what each part shows of the attribute

    Returns:
        How many parts there are; what is in none of them is the rest.
    """
    n_parts = 0
    if domains.kind[a] == INTERVAL:
        missing = domains.n_bins[a]
        low, high = shown[a, LOW], shown[a, HIGH]
        has_missing = False
        if shown[a, MISSING]:
            for i in range(start, stop):
                if rows.codes[rows.order[i], a] == missing:
                    has_missing = True
                    break
        if at > low:
            parts[0, 0], parts[0, 1] = low, at
            parts[1, 0], parts[1, 1] = at, high
            n_parts = 2
        else:
            parts[0, 0], parts[0, 1] = low, high
            n_parts = 1
        for p in range(n_parts):
            nodes[p, LOW], nodes[p, HIGH], nodes[p, MISSING] = parts[p, 0], parts[p, 1], 0
        if has_missing:
            parts[n_parts, 0], parts[n_parts, 1] = missing, missing + 1
            nodes[n_parts, LOW], nodes[n_parts, HIGH], nodes[n_parts, MISSING] = missing, missing, 1
            n_parts += 1
        return n_parts
    if at != ALL:
        parts[0, 0], parts[0, 1] = domains.first[at], domains.stop[at]
        nodes[0, NODE], nodes[0, 1], nodes[0, 2] = at, 0, 0
        return 1
    # The deepest node below which all rows are: its children with rows are the parts.
    low, high = rows.codes[rows.order[start], a], rows.codes[rows.order[start], a]
    for i in range(start, stop):
        code = rows.codes[rows.order[i], a]
        low, high = min(low, code), max(high, code)
    node, is_inside = shown[a, NODE], True
    while is_inside:
        is_inside = False
        for child in range(domains.first_child[node], domains.first_child[node] + domains.n_children[node]):
            if domains.first[child] <= low and high < domains.stop[child]:
                node, is_inside = child, True
                break
    for child in range(domains.first_child[node], domains.first_child[node] + domains.n_children[node]):
        for i in range(start, stop):
            code = rows.codes[rows.order[i], a]
            if domains.first[child] <= code < domains.stop[child]:
                parts[n_parts, 0], parts[n_parts, 1] = domains.first[child], domains.stop[child]
                nodes[n_parts, NODE], nodes[n_parts, 1], nodes[n_parts, 2] = child, 0, 0
                n_parts += 1
                break
    return n_parts


@kernel
def _part_of(code: int, parts: Any, n_parts: int) -> int:
    """The part that a code is in; one past the last for the rest."""
    for p in range(n_parts):
        if parts[p, 0] <= code < parts[p, 1]:
            return p
    return n_parts


@kernel
def part_rows(rows: Rows, a: int, start: int, stop: int, parts: Any, n_parts: int, stops: Any) -> None:
    """Sort the rows of a region by the part they are in; those in none come last.

    Args:
        rows: INOUT `order`
        a: IN the attribute.
        start: IN the region's first place in the order of rows.
        stop: IN one past its last.
        parts: IN (most_parts, 2) the codes of each part.
        n_parts: IN how many there are.
        stops: OUT (most_parts + 2,) the first place of each part, then of the rest; one past their last
    """
    for p in range(n_parts + 2):
        stops[p] = 0
    for i in range(start, stop):
        stops[_part_of(rows.codes[rows.order[i], a], parts, n_parts) + 1] += 1
    stops[0] = start
    for p in range(n_parts + 1):
        stops[p + 1] += stops[p]
    for i in range(start, stop):
        p = _part_of(rows.codes[rows.order[i], a], parts, n_parts)
        rows.scratch[stops[p]] = rows.order[i]
        stops[p] += 1
    # Each is where the next part begins now.
    for p in range(n_parts + 1, 0, -1):
        stops[p] = stops[p - 1]
    stops[0] = start
    for i in range(start, stop):
        rows.order[i] = rows.scratch[i]


@kernel
def enter(rows: Rows, domains: Domains, scratch: Scratch, level: int, start: int, stop: int, a: int, at: int) -> None:
    """Part the rows of a region in a trial.

    Args:
        rows: INOUT `order`
        domains: IN
        scratch: INOUT the parts at this level
        level: IN the region's level.
        start: IN its first place in the order of rows.
        stop: IN one past its last.
        a: IN the attribute.
        at: IN the split.
    """
    n_parts = list_parts(
        rows, domains, scratch.shown[level], a, at, start, stop, scratch.parts[level], scratch.nodes[level]
    )
    part_rows(rows, a, start, stop, scratch.parts[level], n_parts, scratch.stops[level])
    scratch.n_parts[level], scratch.next_part[level], scratch.split_on[level] = n_parts, 0, a


@kernel
def _best_of(gains: Any) -> int:
    """The attribute with the highest gain, the first one of equal ones."""
    best = 0
    for a in range(1, gains.shape[0]):
        if gains[a] > gains[best]:
            best = a
    return best


@kernel
def gain_below(
    rows: Rows, domains: Domains, terms: Terms, scratch: Scratch, start: int, stop: int, a: int, at: int
) -> float:
    """What greedy splitting gains in the parts of a split, as many levels deep as the terms say.

    Args:
        rows: INOUT the rows of the region may be reordered
        domains: IN
        terms: IN
        scratch: INOUT what the region shows stands at level 0; a part is one level below what it is a part of
        start: IN the region's first place in the order of rows.
        stop: IN one past its last.
        a: IN the attribute.
        at: IN the split.
    """
    below, level = 0.0, np.int64(0)
    enter(rows, domains, scratch, level, start, stop, a, at)
    while level >= 0:
        p, n_parts = scratch.next_part[level], scratch.n_parts[level]
        if p > n_parts:
            level -= 1
            continue
        scratch.next_part[level] = p + 1
        begin, end = scratch.stops[level, p], scratch.stops[level, p + 1]
        if begin == end:
            continue
        split = scratch.split_on[level]
        for b in range(rows.codes.shape[1]):
            for i in range(3):
                is_split = b == split and p < n_parts
                scratch.shown[level + 1, b, i] = scratch.nodes[level, p, i] if is_split else scratch.shown[level, b, i]
        weigh_splits(rows, domains, terms, scratch, level + 1, begin, end)
        b = _best_of(scratch.gain[level + 1])
        if scratch.gain[level + 1, b] > 0.0:
            below += scratch.gain[level + 1, b]
            if level + 1 < terms.depth:
                level += 1
                enter(rows, domains, scratch, level, begin, end, b, scratch.at[level, b])
    return below


@kernel
def choose_split(
    rows: Rows, domains: Domains, terms: Terms, scratch: Scratch, start: int, stop: int, shown: Any
) -> tuple[int, int, float, float]:
    """Choose how to split a region: the attribute, the border or child, what it gains, and with what is below it.

    Args:
        rows: INOUT the rows of the region may be reordered
        domains: IN
        terms: IN
        scratch: INOUT
        start: IN the region's first place in the order of rows.
        stop: IN one past its last.
        shown: IN (n_attributes, 3) what the region shows.

    Returns:
        The attribute is -1 if there is no valid split that gains anything.
    """
    n_attributes = rows.codes.shape[1]
    for a in range(n_attributes):
        for i in range(3):
            scratch.shown[0, a, i] = shown[a, i]
    weigh_splits(rows, domains, terms, scratch, np.int64(0), start, stop)
    # A trial writes its own gains at all levels but this one.
    gains, places = scratch.gain[0], scratch.at[0]
    a = _best_of(gains)
    if gains[a] <= 0.0:
        return -1, -2, 0.0, 0.0
    if terms.depth == 0 or stop - start > terms.ahead:
        return a, places[a], gains[a], gains[a]
    has_blocks = len(rows.person) > 0 or len(rows.block) > 0
    n_kept = stop - start if has_blocks else 0
    order = np.empty(n_kept, np.int64)
    for i in range(n_kept):
        order[i] = rows.order[start + i]
    chosen, gain, most = -1, 0.0, 0.0
    for _ in range(terms.breadth):
        own = gains[a]
        if own <= 0.0:
            break
        total = own + gain_below(rows, domains, terms, scratch, start, stop, a, places[a])
        for i in range(n_kept):
            rows.order[start + i] = order[i]
        if total > most:
            chosen, gain, most = a, own, total
        # Tried: the next one is the best of the others.
        gains[a] = 0.0
        a = _best_of(gains)
    if chosen < 0:
        return -1, -2, 0.0, 0.0
    return chosen, places[chosen], gain, most
