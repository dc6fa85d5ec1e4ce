"""What refining each candidate would do to the groups of each QID, before anything is taken away: compiled loops."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from maskwise.search.rule_kernels import weigh
from maskwise.search.suppression.settle_kernels import Checks, RowGroups  # noqa: TC001 - numba looks at them
from maskwise.values.kernel import kernel


class ShownValues(NamedTuple):
    """What the loops know of the value trees and of where the cut runs; attributes are those of the rows."""

    node: Any  # (n_attributes, most_codes) the value that a code is shown as
    slot: Any  # (n_attributes, most_codes) the child of that value that a code falls under
    base: Any  # (n_attributes,) where each attribute's counters start
    hides: Any  # (n_attributes,) whether values are disclosed one by one
    first_child: Any  # (n_nodes,)
    n_children: Any  # (n_nodes,)
    alive: Any  # (n_nodes,) candidates that may still be refined


@kernel
def count_candidates(  # noqa: PLR0912 - one pass over a group
    groups: RowGroups, shown: ShownValues, checks: Checks, hist: Any, worst: Any, direct: Any
) -> None:
    """Find for each candidate the records in the broken groups that it would create, and how bad the worst group is.

    Args:
        groups: IN the groups.
        shown: IN the cut.
        checks: IN the rules.
        hist: OUT (n_slots, n_counts) a buffer.
        worst: OUT (n_rules, n_nodes) the largest badness of a group that it would create, broken or not.
        direct: OUT (n_qids, n_nodes) the records in broken groups, QID by QID.
    """
    worst[:] = -np.inf
    direct[:] = 0
    n_attributes, n_counts = groups.codes.shape[1], groups.counts.shape[1]
    live = np.empty(n_attributes, np.int64)
    rest = np.empty(n_counts, np.int64)
    for q in range(groups.member.shape[0]):
        for g in range(groups.n_groups[q]):
            if groups.total[q, g, 0] == 0:
                continue
            start, size = groups.start[q, g], groups.size[q, g]
            one = groups.order[q, start]
            n_live = 0
            for a in range(n_attributes):
                value = shown.node[a, groups.codes[one, a]]
                if groups.member[q, a] and shown.alive[value]:
                    live[n_live] = a
                    n_live += 1
                    hist[shown.base[a] : shown.base[a] + shown.n_children[value] + shown.hides[a]] = 0
            if n_live == 0:
                continue
            for at in range(start, start + size):
                row = groups.order[q, at]
                for p in range(n_live):
                    a = live[p]
                    s = shown.base[a] + shown.slot[a, groups.codes[row, a]]
                    for c in range(n_counts):
                        hist[s, c] += groups.counts[row, c]
            for p in range(n_live):
                a = live[p]
                value = shown.node[a, groups.codes[one, a]]
                for s in range(shown.n_children[value]):
                    part = hist[shown.base[a] + s]
                    candidate = shown.first_child[value] + s if shown.hides[a] else value
                    if part[0] == 0 or not shown.alive[candidate]:
                        continue
                    weigh_part(checks, q, part, candidate, worst, direct)
                    if shown.hides[a] and groups.total[q, g, 0] > part[0]:
                        for c in range(n_counts):
                            rest[c] = groups.total[q, g, c] - part[c]
                        weigh_part(checks, q, rest, candidate, worst, direct)


@kernel
def weigh_part(checks: Checks, q: int, counts: Any, candidate: int, worst: Any, direct: Any) -> None:
    """Update a candidate with one of the groups that its refinement would create.

    Args:
        checks: IN the rules.
        q: IN the QID.
        counts: IN (n_counts,) the group's counters.
        candidate: IN the candidate.
        worst: INOUT as in `count_candidates`.
        direct: INOUT as in `count_candidates`.
    """
    is_bad = False
    for r in range(checks.first[q], checks.first[q + 1]):
        badness, is_broken = weigh(checks.rules, r, counts, counts, np.int64(0))
        worst[r, candidate] = max(worst[r, candidate], badness)
        is_bad = is_bad or is_broken
    if is_bad:
        direct[q, candidate] += counts[0]


@kernel
def count_splits(
    groups: RowGroups, shown: Any, checks: Checks, a: int, value: int, low: int, high: int, worst: Any, direct: Any
) -> None:
    """Find for each split of an interval the records in the broken groups it would create, and how bad the worst is.

    Args:
        groups: IN the groups.
        shown: IN (n_codes,) the value that each code of the attribute is shown as.
        checks: IN the rules.
        a: IN the attribute.
        value: IN the interval.
        low: IN its first code.
        high: IN one past its last; a code outside is a missing value, which splits off as well.
        worst: OUT (n_rules, high - low) the first of each is meaningless.
        direct: OUT (n_qids, high - low) likewise.
    """
    worst[:] = -np.inf
    direct[:] = 0
    n_counts = groups.counts.shape[1]
    hist = np.zeros((high - low + 1, n_counts), np.int64)
    left = np.zeros(n_counts, np.int64)
    right = np.zeros(n_counts, np.int64)
    for q in range(groups.member.shape[0]):
        if not groups.member[q, a]:
            continue
        for g in range(groups.n_groups[q]):
            if groups.total[q, g, 0] == 0:
                continue
            start, size = groups.start[q, g], groups.size[q, g]
            if shown[groups.codes[groups.order[q, start], a]] != value:
                continue
            hist[:] = 0
            for at in range(start, start + size):
                row = groups.order[q, at]
                code = groups.codes[row, a]
                s = code - low if low <= code < high else high - low
                for c in range(n_counts):
                    hist[s, c] += groups.counts[row, c]
            left[:] = 0
            right[:] = groups.total[q, g] - hist[high - low]
            for b in range(1, high - low):
                left += hist[b - 1]
                right -= hist[b - 1]
                if left[0] > 0:
                    weigh_part(checks, q, left, b, worst, direct)
                if right[0] > 0:
                    weigh_part(checks, q, right, b, worst, direct)
                if hist[high - low, 0] > 0:
                    weigh_part(checks, q, hist[high - low], b, worst, direct)
