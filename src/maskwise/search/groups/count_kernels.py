"""Count the rows of a group by each child of the values it shows, and what refining a value would make of it: compiled.

`split_kernels` calls these loops while it splits groups, and says what their arrays are.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from maskwise.search.rule_kernels import weigh
from maskwise.values.kernel import kernel

if TYPE_CHECKING:
    from maskwise.search.groups.split_kernels import Groups, SplitCut
    from maskwise.search.rule_kernels import Rules


@kernel
def count_rows(
    codes: Any, words: Any, slot: Any, base: Any, lo: int, hi: int, live: Any, n_live: int, hist: Any
) -> None:
    """Add rows `lo` to `hi` to the counters of the live attributes.

    Rows are the outer loop: a row's codes lie side by side, so each cache line
    is fetched once (attribute by attribute was some six times slower).

    Args:
        codes: IN as in `Groups`.
        words: IN as in `Groups`.
        slot: IN as in `SplitCut`.
        base: IN as in `SplitCut`.
        lo: IN first row.
        hi: IN one past the last.
        live: IN the attributes to count.
        n_live: IN how many they are.
        hist: INOUT (n_slots, n_counts) the counters.
    """
    for i in range(lo, hi):
        n = words[i, 0]
        for p in range(n_live):
            a = live[p]
            hist[base[a] + slot[a, codes[i, a]], 0] += n
        # Protected values are rare, so most rows have none.
        for w in range(1, words.shape[1]):
            s = words[i, w]
            if s != 0:
                for p in range(n_live):
                    a = live[p]
                    hist[base[a] + slot[a, codes[i, a]], w] += s


@kernel
def update_candidates(groups: Groups, cut: SplitCut, rules: Rules, g: int, a: int, hist: Any) -> None:
    """Update the worst figure of each candidate that would split a group, from the group's counters.

    Args:
        groups: IN the group.
        cut: INOUT its worsts rise, its dead candidates are marked.
        rules: IN the rules.
        g: IN which group.
        a: IN the attribute.
        hist: IN (n_slots, n_counts) the group's counters.
    """
    at, value = cut.base[a], np.int64(groups.shown[a, g])
    total = groups.total[g]
    for s in range(cut.n_children[value]):
        candidate = cut.first_child[value] + s if cut.hides[a] else value
        if hist[at + s, 0] == 0 or (cut.hides[a] and not cut.alive[candidate]):
            continue
        part = hist[at + s]
        # A disclosed value leaves a rest, too, unless it has all records.
        for is_rest in range(2 if cut.hides[a] and total[0] > part[0] else 1):
            for r in range(rules.kind.shape[0]):
                badness, is_broken = weigh(rules, r, part, total, is_rest)
                cut.worst[r, candidate] = max(cut.worst[r, candidate], badness)
                if is_broken:
                    cut.alive[candidate] = False
