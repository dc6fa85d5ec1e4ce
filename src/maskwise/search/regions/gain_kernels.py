"""What each split of a region would gain, and whether it is valid, compiled.

For each attribute the rows of a region are added up by code, and every split that
leaves only valid parts is weighed: by what the parts know that the region does
not, or without a class by how much narrower they are. Sums are of whole numbers,
so neither the order of rows nor the machine changes a choice. Arguments are
tagged IN, OUT or INOUT.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from maskwise.search.regions.block_kernels import OWN, PART, REST, allow_borders, allow_children
from maskwise.search.regions.region_arrays import ALL, HIGH, INTERVAL, LOW, MIN_GAIN, MISSING, NODE, SCALE
from maskwise.search.rule_kernels import weigh
from maskwise.values.kernel import kernel

if TYPE_CHECKING:
    from maskwise.search.regions.region_arrays import Domains, Rows, Scratch, Terms


@kernel
def is_valid(terms: Terms, counts: Any, total: Any, is_rest: int) -> bool:
    """Whether a part, or what is left of `total` without it, satisfies every rule.

    Args:
        terms: IN
        counts: IN (n_counts,) the part's counters.
        total: IN (n_counts,) those of all parts.
        is_rest: IN 1 if the part is what is left.
    """
    n = total[0] - counts[0] if is_rest else counts[0]
    if n < terms.least:
        return False
    if not terms.is_by_size:
        for r in range(terms.rules.kind.shape[0]):
            if weigh(terms.rules, r, counts, total, is_rest)[1]:
                return False
    return True


@kernel
def worth(sums: Any, total: Any, is_rest: int, shrinkage: float) -> float:
    """What a part knows: the squared first order over the second, added up over the targets.

    Args:
        sums: IN (n_targets, 2) the part's sums.
        total: IN (n_targets, 2) those of all parts.
        is_rest: IN 1 if the part is what is left of `total` without `sums`.
        shrinkage: IN
    """
    known = 0.0
    for t in range(sums.shape[0]):
        first = float(total[t, 0] - sums[t, 0] if is_rest else sums[t, 0]) / SCALE
        second = float(total[t, 1] - sums[t, 1] if is_rest else sums[t, 1]) / SCALE
        known += first * first / (second + shrinkage)
    return known


@kernel
def add_regions(rows: Rows, starts: Any, stops: Any, a: int, counts: Any, sums: Any) -> None:
    """Add up the rows of several regions by their code on one attribute.

    Args:
        rows: IN
        starts: IN (n_regions,) the first place of each region in the order of rows.
        stops: IN (n_regions,) one past its last.
        a: IN the attribute.
        counts: INOUT (n_regions, n_codes, n_counts) zero before
        sums: INOUT (n_regions, n_codes, n_targets, 2) zero before
    """
    for r in range(len(starts)):
        for i in range(starts[r], stops[r]):
            row = rows.order[i]
            code = rows.codes[row, a]
            for c in range(rows.counts.shape[1]):
                counts[r, code, c] += rows.counts[row, c]
            for t in range(rows.sums.shape[1]):
                sums[r, code, t, 0] += rows.sums[row, t, 0]
                sums[r, code, t, 1] += rows.sums[row, t, 1]


@kernel
def clear(domains: Domains, shown: Any, scratch: Scratch) -> None:
    """Clear the counts of all codes that a region may have.

    Args:
        domains: IN
        shown: IN (n_attributes, 3) what the region shows.
        scratch: OUT `counts` and `sums`
    """
    for a in range(shown.shape[0]):
        first = domains.offset[a]
        if domains.kind[a] == INTERVAL:
            low, high = first + shown[a, LOW], first + shown[a, HIGH]
            if shown[a, MISSING]:
                high = domains.offset[a + 1]
        else:
            low, high = first + domains.first[shown[a, NODE]], first + domains.stop[shown[a, NODE]]
        scratch.counts[low:high] = 0
        scratch.sums[low:high] = 0


@kernel
def add_all(rows: Rows, domains: Domains, start: int, stop: int, scratch: Scratch) -> None:
    """Add up the rows of a region by their code on every attribute, in one pass over the rows.

    Args:
        rows: IN
        domains: IN
        start: IN the region's first place in the order of rows.
        stop: IN one past its last.
        scratch: INOUT `counts` and `sums`
    """
    n_attributes, n_counts, n_targets = rows.codes.shape[1], rows.counts.shape[1], rows.sums.shape[1]
    for i in range(start, stop):
        row = rows.order[i]
        for a in range(n_attributes):
            code = domains.offset[a] + rows.codes[row, a]
            for c in range(n_counts):
                scratch.counts[code, c] += rows.counts[row, c]
            for t in range(n_targets):
                scratch.sums[code, t, 0] += rows.sums[row, t, 0]
                scratch.sums[code, t, 1] += rows.sums[row, t, 1]


@kernel
def add_up(rows: Rows, start: int, stop: int, counts: Any, sums: Any) -> None:
    """Add up the rows of a region.

    Args:
        rows: IN
        start: IN the region's first place in the order of rows.
        stop: IN one past its last.
        counts: OUT (n_counts,)
        sums: OUT (n_targets, 2)
    """
    counts[:] = 0
    sums[:] = 0
    for i in range(start, stop):
        row = rows.order[i]
        for c in range(counts.shape[0]):
            counts[c] += rows.counts[row, c]
        for t in range(sums.shape[0]):
            sums[t, 0] += rows.sums[row, t, 0]
            sums[t, 1] += rows.sums[row, t, 1]


@kernel
def subtract(counts: Any, sums: Any, part: Any, taught: Any) -> None:
    """Subtract a part; with arrays as a whole numba compiles several times as long.

    Args:
        counts: INOUT (n_counts,)
        sums: INOUT (n_targets, 2)
        part: IN (n_counts,)
        taught: IN (n_targets, 2)
    """
    for c in range(counts.shape[0]):
        counts[c] -= part[c]
    for t in range(sums.shape[0]):
        sums[t, 0] -= taught[t, 0]
        sums[t, 1] -= taught[t, 1]


@kernel
def best_border(  # noqa: PLR0912 - with and without a class
    domains: Domains, terms: Terms, scratch: Scratch, level: int, a: int, counts: Any, sums: Any, before: float
) -> None:
    """Find the best border of an interval attribute; missing cells, if there are some, become a part of their own.

    Args:
        domains: IN
        terms: IN
        scratch: INOUT `counts` and `sums` by code; OUT `gain` and `at`. A border at the first bin splits off the
            missing cells alone.
        level: IN the level of the trial.
        a: IN the attribute.
        counts: IN (n_counts,) the region's counters.
        sums: IN (n_targets, 2) its sums.
        before: IN what the region is worth.
    """
    low, high = scratch.shown[level, a, LOW], scratch.shown[level, a, HIGH]
    first = domains.offset[a]
    missing = first + domains.n_bins[a]
    there, known = counts.copy(), sums.copy()
    apart = 0.0
    n_missing = 0
    if scratch.shown[level, a, MISSING]:
        n_missing = scratch.counts[missing, 0]
        if n_missing > 0:
            if not is_valid(terms, scratch.counts[missing], counts, 0) or not scratch.is_allowed[missing]:
                return
            subtract(there, known, scratch.counts[missing], scratch.sums[missing])
            apart = worth(scratch.sums[missing], known, 0, terms.shrinkage)
    wide = domains.place[a, high] - domains.place[a, low]
    whole = before if known.shape[0] else counts[0] * wide
    left, taught = np.zeros_like(counts), np.zeros_like(sums)
    best, at = MIN_GAIN, -1
    if n_missing > 0 and there[0] > 0 and is_valid(terms, there, there, 0) and scratch.is_allowed[first + low]:
        gain = apart + worth(known, known, 0, terms.shrinkage) - whole if known.shape[0] else n_missing * wide
        gain *= domains.weight[a]
        if gain > best:
            best, at = gain, low
    for border in range(low + 1, high):
        for c in range(left.shape[0]):
            left[c] += scratch.counts[first + border - 1, c]
        for t in range(taught.shape[0]):
            taught[t, 0] += scratch.sums[first + border - 1, t, 0]
            taught[t, 1] += scratch.sums[first + border - 1, t, 1]
        if left[0] < terms.least or scratch.counts[first + border, 0] == 0:
            # A border beyond which the next bin is empty parts the rows as a later one does.
            continue
        if there[0] - left[0] < terms.least:
            break
        if known.shape[0]:
            gain = apart - whole
            gain += worth(taught, known, 0, terms.shrinkage) + worth(taught, known, 1, terms.shrinkage)
        else:
            middle = domains.place[a, border]
            gain = whole - left[0] * (middle - domains.place[a, low])
            gain -= (there[0] - left[0]) * (domains.place[a, high] - middle)
        gain *= domains.weight[a]
        if gain > best and is_valid(terms, left, there, 0) and is_valid(terms, left, there, 1):
            if not scratch.is_allowed[first + border]:
                continue
            best, at = gain, border
    if at >= 0:
        scratch.gain[level, a], scratch.at[level, a] = best, at


@kernel
def add_child(domains: Domains, scratch: Scratch, a: int, child: int, counts: Any, sums: Any) -> None:
    """Add up the codes below a node.

    Args:
        domains: IN
        scratch: IN `counts` and `sums` by code.
        a: IN the attribute.
        child: IN the node.
        counts: OUT (n_counts,)
        sums: OUT (n_targets, 2)
    """
    counts[:] = 0
    sums[:] = 0
    for code in range(domains.offset[a] + domains.first[child], domains.offset[a] + domains.stop[child]):
        if scratch.counts[code, 0] > 0:
            for c in range(counts.shape[0]):
                counts[c] += scratch.counts[code, c]
            for t in range(sums.shape[0]):
                sums[t, 0] += scratch.sums[code, t, 0]
                sums[t, 1] += scratch.sums[code, t, 1]


@kernel
def narrowest_node(domains: Domains, scratch: Scratch, a: int, node: int, counts: Any) -> int:
    """The deepest node below which all rows of a region are.

    Args:
        domains: IN
        scratch: IN `counts` by code.
        a: IN the attribute.
        node: IN the node that the region shows.
        counts: IN (n_counts,) the region's counters.
    """
    while True:
        inside = -1
        for child in range(domains.first_child[node], domains.first_child[node] + domains.n_children[node]):
            n = 0
            for code in range(domains.first[child], domains.stop[child]):
                n += scratch.counts[domains.offset[a] + code, 0]
            if n == counts[0]:
                inside = child
                break
            if n > 0:
                return node
        if inside < 0:
            return node
        node = inside


@kernel
def best_child(
    domains: Domains, terms: Terms, scratch: Scratch, level: int, a: int, counts: Any, sums: Any, before: float
) -> None:
    """Find the best split of a tree attribute: all children at once, or one child told and the rest left.

    Args:
        domains: IN
        terms: IN
        scratch: INOUT `counts` and `sums` by code; OUT `gain` and `at`
        level: IN the level of the trial.
        a: IN the attribute.
        counts: IN (n_counts,) the region's counters.
        sums: IN (n_targets, 2) its sums.
        before: IN what the region is worth.
    """
    shown = scratch.shown[level, a, NODE]
    node = narrowest_node(domains, scratch, a, shown, counts)
    part, taught = np.zeros_like(counts), np.zeros_like(sums)
    rest, left = counts.copy(), sums.copy()
    wide = domains.spread[shown]
    is_taught = sums.shape[0] > 0
    best, at = MIN_GAIN, -2
    together, n_parts, are_valid = 0.0, 0, True
    for child in range(domains.first_child[node], domains.first_child[node] + domains.n_children[node]):
        add_child(domains, scratch, a, child, part, taught)
        if part[0] == 0:
            continue
        n_parts += 1
        subtract(rest, left, part, taught)
        is_good = is_valid(terms, part, counts, 0) and scratch.allowed_nodes[child, PART]
        are_valid = are_valid and is_good
        alone = worth(taught, sums, 0, terms.shrinkage) if is_taught else part[0] * (wide - domains.spread[child])
        together += alone
        if is_good and part[0] < counts[0]:
            gain = alone + worth(taught, sums, 1, terms.shrinkage) - before if is_taught else alone
            gain *= domains.weight[a]
            if gain > best and is_valid(terms, part, counts, 1) and scratch.allowed_nodes[child, REST]:
                best, at = gain, child
    are_valid = are_valid and n_parts > 0 and scratch.allowed_nodes[node, OWN]
    if are_valid and (rest[0] == 0 or is_valid(terms, rest, rest, 0)):
        n_parts += rest[0] > 0
        gain = together
        if is_taught:
            gain += (worth(left, left, 0, terms.shrinkage) if rest[0] > 0 else 0.0) - before
        gain *= domains.weight[a]
        # Where there are two parts it is the same split as telling one, with both told; so it comes first.
        if n_parts > 1 and gain > MIN_GAIN and (gain >= best or n_parts == 2):  # noqa: PLR2004 - two parts
            best, at = gain, ALL
    if at >= ALL:
        scratch.gain[level, a], scratch.at[level, a] = best, at


@kernel
def weigh_splits(
    rows: Rows, domains: Domains, terms: Terms, scratch: Scratch, level: int, start: int, stop: int
) -> None:
    """Find the best valid split of a region on each attribute.

    Args:
        rows: IN
        domains: IN
        terms: IN
        scratch: INOUT what the region shows stands at this level; OUT `gain` (0 where there is none) and `at`
        level: IN the level of the trial.
        start: IN the region's first place in the order of rows.
        stop: IN one past its last.
    """
    shown = scratch.shown[level]
    scratch.gain[level] = 0.0
    scratch.at[level] = -2
    counts = np.empty(rows.counts.shape[1], np.int64)
    sums = np.empty((rows.sums.shape[1], 2), np.int64)
    add_up(rows, start, stop, counts, sums)
    if counts[0] < 2 * terms.least:
        return
    before = worth(sums, sums, 0, terms.shrinkage)
    clear(domains, shown, scratch)
    add_all(rows, domains, start, stop, scratch)
    has_blocks = len(rows.person) > 0 or len(rows.block) > 0
    for a in range(rows.codes.shape[1]):
        if domains.kind[a] == INTERVAL:
            if shown[a, HIGH] - shown[a, LOW] > 1 or shown[a, MISSING]:
                if has_blocks:
                    allow_borders(rows, domains, terms, scratch, level, a, start, stop)
                best_border(domains, terms, scratch, level, a, counts, sums, before)
        elif domains.n_children[shown[a, NODE]] > 0:
            if has_blocks:
                node = narrowest_node(domains, scratch, a, shown[a, NODE], counts)
                allow_children(rows, domains, terms, scratch, a, node, start, stop)
            best_child(domains, terms, scratch, level, a, counts, sums, before)
