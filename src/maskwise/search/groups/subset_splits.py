"""How bad the worst group of each of many subsets would be after each split of an interval: compiled."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from maskwise.search.groups.subset_cells import Buffers, number_keys
from maskwise.search.rule_kernels import weigh
from maskwise.values.kernel import kernel

if TYPE_CHECKING:
    from maskwise.search.groups.subset_kernels import Dimensions, Subsets
    from maskwise.search.rule_kernels import Rules


@kernel
def _weigh_part(rules: Rules, is_enforced: Any, part: Any, bad: Any) -> bool:
    """Update how bad the worst part is by each rule; say whether no rule breaks. An empty part changes nothing."""
    is_good = True
    for r in range(rules.kind.shape[0]):
        if part[0] > 0:
            badness, is_broken = weigh(rules, r, part, part, np.int64(0))
            bad[r] = max(bad[r], badness)
            is_good = is_good and not (is_broken and is_enforced[r])
    return is_good


@kernel
def _number_groups(dims: Dimensions, subsets: Subsets, s: int, a: int, n: int, buffers: Buffers) -> Any:
    """Number the groups of the rows on all attributes of a subset but one; return how many there may be."""
    n_groups = np.int64(1)
    for i in range(n):
        buffers.cell[i] = 0
    for m in range(subsets.members.shape[1]):
        d = subsets.members[s, m]
        if d == a:
            continue
        n_shown, offset = dims.n_shown[d], dims.offset[d]
        if n_groups * n_shown > buffers.counted.shape[0]:
            n_groups = number_keys(buffers.cell, n, buffers.table)
        n_groups *= n_shown
        for i in range(n):
            buffers.cell[i] = buffers.cell[i] * n_shown + dims.shown[offset + np.int64(dims.places[d, i])]
    if n_groups > buffers.counted.shape[0]:
        n_groups = number_keys(buffers.cell, n, buffers.table)
    return n_groups


@kernel
def worst_of_splits(  # noqa: PLR0912 - one pass over the groups
    dims: Dimensions,
    subsets: Subsets,
    own: Any,
    a: int,
    bins: Any,
    n_bins: int,
    words: Any,
    rules: Rules,
    buffers: Buffers,
    worst: Any,
    is_valid: Any,
) -> None:
    """How bad the worst group of each subset would be after splitting an interval before each of its bins.

    Args:
        dims: IN what the rows that show the interval show of the other attributes.
        subsets: IN the subsets.
        own: IN those with its attribute.
        a: IN the attribute.
        bins: IN (n_rows,) the bin of each row; `n_bins` is no part of either side.
        n_bins: IN how many bins there are.
        words: IN (n_rows, n_counts) the counters of the rows.
        rules: IN the rules, all of them enforced.
        buffers: OUT what is counted in.
        worst: OUT (n_own, n_rules, n_bins) of each the first is meaningless.
        is_valid: INOUT (n_bins,) False where a rule breaks; there `worst` says nothing.
    """
    n, n_counts, n_rules = words.shape[0], words.shape[1], rules.kind.shape[0]
    left, right = np.zeros(n_counts, np.int64), np.zeros(n_counts, np.int64)
    bad, apart = np.zeros(n_rules), np.zeros(n_rules)
    n_slots = n_bins + 1
    most = max(buffers.counted.shape[0] // n_slots, 1)
    hist = buffers.counted if buffers.counted.shape[0] >= n_slots else np.empty((n_slots, n_counts), np.int64)
    for q in range(own.shape[0]):
        s = own[q]
        for r in range(n_rules):
            for b in range(n_bins):
                worst[q, r, b] = -np.inf
        n_groups = _number_groups(dims, subsets, s, a, n, buffers)
        # As many groups at a time as there is room for; nearly always all of them.
        for start in range(0, n_groups, most):
            stop = min(start + most, n_groups)
            for x in range((stop - start) * n_slots):
                for w in range(n_counts):
                    hist[x, w] = 0
            for i in range(n):
                g = buffers.cell[i]
                if start <= g < stop:
                    for w in range(n_counts):
                        hist[(g - start) * n_slots + bins[i], w] += words[i, w]
            for g in range(stop - start):
                at = g * n_slots
                for c in range(n_counts):
                    left[c] = 0
                    right[c] = 0
                for b in range(n_bins):
                    if hist[at + b, 0] > 0:
                        for c in range(n_counts):
                            right[c] += hist[at + b, c]
                for r in range(n_rules):
                    apart[r] = -np.inf
                is_apart = _weigh_part(rules, subsets.is_enforced[s], hist[at + n_bins], apart)
                is_good = True
                for b in range(1, n_bins):
                    if hist[at + b - 1, 0] > 0:
                        for c in range(n_counts):
                            left[c] += hist[at + b - 1, c]
                            right[c] -= hist[at + b - 1, c]
                    if hist[at + b - 1, 0] > 0 or b == 1:
                        for r in range(n_rules):
                            bad[r] = apart[r]
                        is_good = _weigh_part(rules, subsets.is_enforced[s], left, bad)
                        is_good = _weigh_part(rules, subsets.is_enforced[s], right, bad) and is_good
                    if not (is_good and is_apart):
                        is_valid[b] = False
                    for r in range(n_rules):
                        worst[q, r, b] = max(worst[q, r, b], bad[r])
