"""The loops that merge groups as values are generalized, compiled.

This is what the paper does on its TEA index: a generalization, or a trial of
one, costs as much as the groups it changes. The groups are in a `GroupStore`.
Arguments are tagged IN, OUT or INOUT.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from maskwise.search.groups.merge_store import (
    NONE,
    GroupStore,
    add_to_hash,
    bucket,
    find,
    finite_badness,
    is_alike,
    remove_from_hash,
    weigh_group,
)
from maskwise.values.kernel import kernel

if TYPE_CHECKING:
    from maskwise.search.rule_kernels import Rules

ANY, UNSET = -2, -3
"""Instead of a candidate: every value that may be hidden, and not known yet."""
NEAR = 1e-12
"""Badness that differs by less is equal."""


class MergeCut(NamedTuple):
    """What the kernels know of the value trees and of where the cut runs."""

    parent: Any  # (n_nodes,) -1 for a root
    first_child: Any  # (n_nodes,)
    n_children: Any  # (n_nodes,)
    hides: Any  # (n_attributes,) whether values are hidden one by one
    is_open: Any  # (n_nodes,) values to which one may generalize now; of a suppress attribute, values one may hide


@kernel
def merge(store: GroupStore, rules: Rules, j: int, first: int, stop: int, target: int) -> int:
    """Replace the values `first` to `stop` of attribute `j` by `target` and merge groups that become equal.

    Args:
        store: INOUT the groups.
        rules: IN the rules.
        j: IN the attribute.
        first: IN the first value that is replaced.
        stop: IN one past the last.
        target: IN what is shown instead.

    Returns:
        By how many there are fewer groups.
    """
    n_before = store.tally[0]
    n_dead = 0
    for value in range(first, stop):
        g = store.head[value]
        store.head[value] = NONE
        while g >= 0:
            after = store.following[j, g]
            if store.alive[g]:
                same = find(store, g, j, target)
                remove_from_hash(store, g)
                if same < 0:
                    store.key[g] += store.number[target] - store.number[value]
                    store.shown[g, j] = target
                    add_to_hash(store, g)
                    store.following[j, g] = store.head[target]
                    store.head[target] = g
                else:
                    if same < n_before:
                        n = store.tally[0]
                        store.tally[0] += 1
                        store.shown[n] = store.shown[same]
                        store.counts[n] = store.counts[same]
                        store.key[n] = store.key[same]
                        store.alive[n] = True
                        remove_from_hash(store, same)
                        store.alive[same] = False
                        add_to_hash(store, n)
                        same = n
                    for c in range(store.counts.shape[1]):
                        store.counts[same, c] += store.counts[g, c]
                    store.alive[g] = False
                    n_dead += 1
            g = after
    for g in range(n_before, store.tally[0]):
        for a in range(store.shown.shape[1]):
            value = store.shown[g, a]
            store.following[a, g] = store.head[value]
            store.head[value] = g
        weigh_group(store, rules, g)
    return n_dead


@kernel
def _gather(store: GroupStore, j: int, first: int, stop: int, trial: int) -> int:
    """List the groups that show one of some values in `stack`, stamp them, and drop the dead from their lists."""
    n = 0
    for value in range(first, stop):
        before = NONE
        g = store.head[value]
        while g >= 0:
            after = store.following[j, g]
            if store.alive[g]:
                store.stamp[g] = trial
                store.stack[n] = g
                n += 1
                before = g
            elif before < 0:
                store.head[value] = after
            else:
                store.following[j, before] = after
            g = after
    return n


@kernel
def try_merge(store: GroupStore, rules: Rules, j: int, first: int, stop: int, target: int, worst: Any) -> None:
    """Find how bad the worst group would be by each rule after `merge`, without merging.

    Args:
        store: INOUT stamps; lists lose their dead.
        rules: IN the rules.
        j: IN as in `merge`.
        first: IN as in `merge`.
        stop: IN as in `merge`.
        target: IN as in `merge`.
        worst: OUT (n_rules,)
    """
    store.tally[1] += 1
    trial = store.tally[1]
    n = _gather(store, j, first, stop, trial)
    size = 2
    while size < 2 * n:
        size *= 2
    slots = np.full(size, NONE, np.int32)
    sums = np.empty((n, store.counts.shape[1]), np.int64)
    like = np.empty(n, np.int32)
    n_new = 0
    for i in range(n):
        g = store.stack[i]
        key = store.key[g] - store.number[store.shown[g, j]] + store.number[target]
        at = bucket(store, key) & (size - 1)
        while slots[at] >= 0:
            if is_alike(store, g, like[slots[at]], j):
                break
            at = (at + 1) & (size - 1)
        if slots[at] >= 0:
            sums[slots[at]] += store.counts[g]
            continue
        slots[at] = n_new
        like[n_new] = g
        sums[n_new] = store.counts[g]
        same = find(store, g, j, target)
        if same >= 0:
            store.stamp[same] = trial
            sums[n_new] += store.counts[same]
        n_new += 1
    for r in range(worst.shape[0]):
        worst[r] = _worst_untouched(store, r, trial)
        for i in range(n_new):
            worst[r] = max(worst[r], finite_badness(rules, r, sums[i]))


@kernel
def _worst_untouched(store: GroupStore, r: int, trial: int) -> float:
    """The largest badness of a group that a trial did not touch."""
    heap, bad, stack, n = store.heap[r], store.bad[r], store.stack, store.n_heap[r]
    best = -np.inf
    top = 0
    if n > 0:
        stack[0] = 0
        top = 1
    while top > 0:
        top -= 1
        i = stack[top]
        g = heap[i]
        if bad[g] <= best:
            continue
        if store.alive[g] and store.stamp[g] != trial:
            best = bad[g]
            continue
        for c in range(2 * i + 1, min(2 * i + 3, n)):
            stack[top] = c
            top += 1
    return best


@kernel
def find_critical(store: GroupStore, cut: MergeCut, r: int, critical: Any) -> None:  # noqa: PLR0912 - one pass over the worst
    """For each attribute the only generalization that could make the worst group better by rule `r`.

    Claim: a group that is not merged with another keeps its badness, so a
    generalization lowers the worst badness only if it merges every worst group
    with some other (Theorem 1 of the paper, for any rule). Each group shows one
    value of an attribute, so of each attribute at most one generalization does,
    except where a worst group shows `*`: any value may be hidden with it.

    Args:
        store: INOUT its buffers.
        cut: IN the trees and what is open.
        r: IN the rule.
        critical: OUT (n_attributes,) the value to generalize to, or to hide; NONE; or ANY.
    """
    heap, bad, stack, n = store.heap[r], store.bad[r], store.stack, store.n_heap[r]
    critical[:] = UNSET
    n_left = critical.shape[0]
    limit = bad[heap[0]] - NEAR
    stack[0] = 0
    top = 1
    while top > 0 and n_left > 0:
        top -= 1
        i = stack[top]
        g = heap[i]
        if bad[g] < limit:
            continue
        for c in range(2 * i + 1, min(2 * i + 3, n)):
            stack[top] = c
            top += 1
        if not store.alive[g]:
            continue
        for a in range(critical.shape[0]):
            if critical[a] == NONE:
                continue
            value = store.shown[g, a]
            above = cut.parent[value]
            if cut.hides[a]:
                if above < 0:
                    critical[a] = ANY if critical[a] == UNSET else critical[a]
                elif cut.is_open[value] and (critical[a] in (UNSET, ANY) or critical[a] == value):
                    critical[a] = value if find(store, g, a, above) >= 0 else NONE
                else:
                    critical[a] = NONE
            elif above < 0 or not cut.is_open[above] or (critical[a] not in (UNSET, above)):
                critical[a] = NONE
            else:
                critical[a] = NONE
                for c in range(cut.first_child[above], cut.first_child[above] + cut.n_children[above]):
                    if c != value and find(store, g, a, c) >= 0:
                        critical[a] = above
                        break
            n_left -= critical[a] == NONE


@kernel
def is_merged_with(store: GroupStore, r: int, j: int, value: int) -> Any:
    """Whether hiding `value` would merge the worst group, which shows `*`, with another.

    Args:
        store: IN the groups.
        r: IN by which rule it is the worst.
        j: IN the attribute.
        value: IN the value.
    """
    g = store.heap[r, 0]
    return find(store, g, j, value) >= 0
