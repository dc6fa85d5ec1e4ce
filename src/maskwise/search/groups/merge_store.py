"""Where groups are kept while values are generalized, compiled.

A group is found by a hash of the values it shows, the groups that show a value
by a linked list, and the worst group by a heap. A merged group gets a number
of its own: what is known of a number never changes, and one that is no longer
alive is skipped wherever it is met. `merge_kernels` merges the groups. Arguments are
tagged IN, OUT or INOUT.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from maskwise.search.rule_kernels import Rules, weigh
from maskwise.values.kernel import kernel

NONE = -1
"""Instead of a group: there is none."""


class GroupStore(NamedTuple):
    """The groups of one quasi-identifier; `most` is twice the distinct rows."""

    shown: Any  # (most, n_attributes) the value each group shows
    counts: Any  # (most, n_counts)
    key: Any  # (most,) sum of the shown values' random numbers
    alive: Any  # (most,)
    following: Any  # (n_attributes, most) the next group that shows the same value
    head: Any  # (n_nodes,) the first group that shows a value
    buckets: Any  # (n_buckets,) the first group of each hash bucket
    chained: Any  # (most,) the next one in its bucket
    bad: Any  # (n_rules, most) how bad each group is by each rule
    heap: Any  # (n_rules, most) groups, the worst first
    n_heap: Any  # (n_rules,)
    stamp: Any  # (most,) the last trial that touched a group
    stack: Any  # (most,) a buffer to walk a heap
    number: Any  # (n_nodes,) a random number for each value
    tally: Any  # (2,) how many groups were ever made, how many trials


@kernel
def bucket(store: GroupStore, key: int) -> Any:
    """The bucket of a key.

    Args:
        store: IN the groups.
        key: IN the key.
    """
    mixed = key ^ (key >> np.uint64(29))
    return np.int64((mixed * np.uint64(0x9E3779B97F4A7C15)) >> np.uint64(20)) & (store.buckets.shape[0] - 1)


@kernel
def add_to_hash(store: GroupStore, g: int) -> None:
    """Enter a group into the hash.

    Args:
        store: INOUT the groups.
        g: IN the group.
    """
    b = bucket(store, store.key[g])
    store.chained[g] = store.buckets[b]
    store.buckets[b] = g


@kernel
def remove_from_hash(store: GroupStore, g: int) -> None:
    """Take a group out of the hash.

    Args:
        store: INOUT the groups.
        g: IN the group.
    """
    b = bucket(store, store.key[g])
    if store.buckets[b] == g:
        store.buckets[b] = store.chained[g]
        return
    before = store.buckets[b]
    while store.chained[before] != g:
        before = store.chained[before]
    store.chained[before] = store.chained[g]


@kernel
def is_alike(store: GroupStore, g: int, h: int, j: int) -> bool:
    """Whether two groups show the same on all attributes but `j`.

    Args:
        store: IN the groups.
        g: IN one of them.
        h: IN the other.
        j: IN the attribute.
    """
    for a in range(store.shown.shape[1]):  # noqa: SIM110 - compiled
        if a != j and store.shown[h, a] != store.shown[g, a]:
            return False
    return True


@kernel
def find(store: GroupStore, g: int, j: int, value: int) -> Any:
    """The group that shows what `g` shows, but `value` on attribute `j`; NONE if there is none.

    Args:
        store: IN the groups.
        g: IN the group.
        j: IN the attribute.
        value: IN what is shown there instead.
    """
    key = store.key[g] - store.number[store.shown[g, j]] + store.number[value]
    h = store.buckets[bucket(store, key)]
    while h >= 0:
        if store.key[h] == key and store.shown[h, j] == value and is_alike(store, g, h, j):
            return h
        h = store.chained[h]
    return NONE


@kernel
def _push(store: GroupStore, r: int, g: int) -> None:
    heap, bad = store.heap[r], store.bad[r]
    i = store.n_heap[r]
    store.n_heap[r] += 1
    while i > 0 and bad[heap[(i - 1) // 2]] < bad[g]:
        heap[i] = heap[(i - 1) // 2]
        i = (i - 1) // 2
    heap[i] = g


@kernel
def _sink(store: GroupStore, r: int, i: int) -> None:
    heap, bad, n = store.heap[r], store.bad[r], store.n_heap[r]
    g = heap[i]
    while 2 * i + 1 < n:
        c = 2 * i + 1
        if c + 1 < n and bad[heap[c + 1]] > bad[heap[c]]:
            c += 1
        if bad[heap[c]] <= bad[g]:
            break
        heap[i] = heap[c]
        i = c
    heap[i] = g


@kernel
def clean_heaps(store: GroupStore, n_alive: int) -> None:
    """Remove merged groups from the top of each heap, and rebuild a heap that is mostly dead.

    Args:
        store: INOUT its heaps.
        n_alive: IN how many groups there are.
    """
    for r in range(store.heap.shape[0]):
        heap = store.heap[r]
        if store.n_heap[r] > 2 * n_alive + 16:
            n = 0
            for i in range(store.n_heap[r]):
                if store.alive[heap[i]]:
                    heap[n] = heap[i]
                    n += 1
            store.n_heap[r] = n
            for i in range(n // 2 - 1, -1, -1):
                _sink(store, r, i)
        while store.n_heap[r] > 0 and not store.alive[heap[0]]:
            store.n_heap[r] -= 1
            heap[0] = heap[store.n_heap[r]]
            if store.n_heap[r] > 0:
                _sink(store, r, 0)


@kernel
def finite_badness(rules: Rules, r: int, counts: Any) -> Any:
    """How bad a group is; a quotient without bound is above all others and above its limit, but has a value.

    Args:
        rules: IN the rules.
        r: IN which of them.
        counts: IN (n_counts,) the group's counters.
    """
    return min(weigh(rules, r, counts, counts, np.int64(0))[0], max(rules.whole[0], rules.limit[r]) + 1.0)


@kernel
def weigh_group(store: GroupStore, rules: Rules, g: int) -> None:
    """Weigh a new group by each rule and enter it into the heaps.

    Args:
        store: INOUT the groups.
        rules: IN the rules.
        g: IN the group.
    """
    for r in range(store.bad.shape[0]):
        store.bad[r, g] = finite_badness(rules, r, store.counts[g])
        _push(store, r, g)


@kernel
def start(store: GroupStore, rules: Rules, n_groups: int) -> None:
    """Enter the first groups into hash, lists and heaps.

    Args:
        store: INOUT the groups.
        rules: IN the rules.
        n_groups: IN how many groups there are.
    """
    store.tally[0] = n_groups
    for g in range(n_groups):
        key = np.uint64(0)
        for a in range(store.shown.shape[1]):
            value = store.shown[g, a]
            key += store.number[value]
            store.following[a, g] = store.head[value]
            store.head[value] = g
        store.key[g] = key
        store.alive[g] = True
        add_to_hash(store, g)
        weigh_group(store, rules, g)


@kernel
def broken_records(store: GroupStore, rules: Rules) -> int:
    """The records in groups that break a rule.

    Args:
        store: IN the groups.
        rules: IN the rules.
    """
    n = 0
    for g in range(store.tally[0]):
        if not store.alive[g]:
            continue
        for r in range(rules.kind.shape[0]):
            if weigh(rules, r, store.counts[g], store.counts[g], np.int64(0))[1]:
                n += store.counts[g, 0]
                break
    return n
