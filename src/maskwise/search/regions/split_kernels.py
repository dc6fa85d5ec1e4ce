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
    stops[: n_parts + 2] = 0
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
    rows.order[start:stop] = rows.scratch[start:stop]


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
    below, level = 0.0, 0
    enter(rows, domains, scratch, 0, start, stop, a, at)
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
        scratch.shown[level + 1] = scratch.shown[level]
        if p < n_parts:
            scratch.shown[level + 1, split] = scratch.nodes[level, p]
        weigh_splits(rows, domains, terms, scratch, level + 1, begin, end)
        b = np.argmax(scratch.gain[level + 1])
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
    scratch.shown[0] = shown
    weigh_splits(rows, domains, terms, scratch, 0, start, stop)
    gains, places = scratch.gain[0].copy(), scratch.at[0].copy()
    chosen, most = -1, 0.0
    if terms.depth == 0 or stop - start > terms.ahead:
        a = np.argmax(gains)
        if gains[a] > 0.0:
            return int(a), places[a], gains[a], gains[a]
        return -1, -2, 0.0, 0.0
    ranked = np.argsort(-gains, kind="mergesort")
    has_blocks = len(rows.person) > 0 or len(rows.block) > 0
    order = rows.order[start:stop].copy() if has_blocks else rows.order[:0]
    for i in range(min(terms.breadth, len(ranked))):
        a = ranked[i]
        if gains[a] <= 0.0:
            break
        total = gains[a] + gain_below(rows, domains, terms, scratch, start, stop, a, places[a])
        if has_blocks:
            rows.order[start:stop] = order
        if total > most:
            chosen, most = a, total
    if chosen < 0:
        return -1, -2, 0.0, 0.0
    return chosen, places[chosen], gains[chosen], most
