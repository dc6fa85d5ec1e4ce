"""How bad a group is by each rule, compiled.

Every rule gives a group a badness from its counters alone, and the largest
badness of a group's parts is never below the group's: that is all the search
knows of a privacy model. Whether a rule is broken is decided by counts where
counts can decide it.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from maskwise.policy.requirements.rule import Arithmetic
from maskwise.values.kernel import kernel

K, SHARE, DISTINCT, ENTROPY, RECURSIVE, EQUAL, ORDERED = (int(kind) for kind in Arithmetic)
"""Kinds of rules as compiled code knows them: plain numbers; see `weigh`."""
NEAR = 1e-12
"""Entropies and distances that exceed their limit by less meet it: they are sums of rounded logarithms or shares."""


class Rules(NamedTuple):
    """What the groups of one quasi-identifier must satisfy."""

    kind: Any  # (n_rules,)
    first: Any  # (n_rules,) the first counter a rule is about
    stop: Any  # (n_rules,) one past the last
    level: Any  # (n_rules,) the l of RECURSIVE
    over: Any  # (n_rules,) numerator of the bound
    under: Any  # (n_rules,) its denominator
    limit: Any  # (n_rules,) the largest badness allowed
    is_enforced: Any  # (n_rules,) False for a rule that another one implies
    whole: Any  # (n_counts,) the counters of the whole table


@kernel
def tail_of(counts: Any, total: Any, is_rest: int, first: int, stop: int, level: int) -> tuple[int, int]:
    """The records of the most frequent value, and those of the `level`-th and rarer ones.

    Args:
        counts: IN as in `weigh`.
        total: IN as in `weigh`.
        is_rest: IN as in `weigh`.
        first: IN the first counter.
        stop: IN one past the last.
        level: IN from which place on.
    """
    largest, above, n_above, tail = 0, -1, 0, 0
    for c in range(first, stop):
        tail += total[c] - counts[c] if is_rest else counts[c]
    while n_above < level - 1:
        next_one, n_equal = -1, 0
        for c in range(first, stop):
            n = total[c] - counts[c] if is_rest else counts[c]
            if above >= 0 and n >= above:
                continue
            if n > next_one:
                next_one, n_equal = n, 1
            elif n == next_one:
                n_equal += 1
        if next_one <= 0:
            break
        if n_above == 0:
            largest = next_one
        tail -= next_one * min(n_equal, level - 1 - n_above)
        n_above += n_equal
        above = next_one
    return largest, tail


@kernel
def sum_of(counts: Any, total: Any, is_rest: int, first: int, stop: int) -> int:
    """All that some counters of a group have together: its records, or its persons, each once for each of its values.

    Args:
        counts: IN as in `weigh`.
        total: IN as in `weigh`.
        is_rest: IN as in `weigh`.
        first: IN the first counter.
        stop: IN one past the last.
    """
    n = 0
    for c in range(first, stop):
        n += total[c] - counts[c] if is_rest else counts[c]
    return n


@kernel
def largest_of(counts: Any, total: Any, is_rest: int, first: int, stop: int) -> int:
    """The records of the most frequent value.

    Args:
        counts: IN as in `weigh`.
        total: IN as in `weigh`.
        is_rest: IN as in `weigh`.
        first: IN the first counter.
        stop: IN one past the last.
    """
    largest = 0
    for c in range(first, stop):
        largest = max(largest, total[c] - counts[c] if is_rest else counts[c])
    return largest


@kernel
def weigh(  # noqa: PLR0912 - one branch for each kind
    rules: Rules, r: int, counts: Any, total: Any, is_rest: int
) -> tuple[float, bool]:
    """How bad a group is by one rule, and whether it breaks it.

    K: the records, negated. SHARE: the share of a sensitive value. DISTINCT:
    the number of values, negated. ENTROPY: their entropy in bits, negated.
    RECURSIVE: the most frequent value over the tail. EQUAL, ORDERED: the
    distance from the whole table. Where a record, or person, may have several
    values, no group is more diverse than it could be with one value each and
    the most frequent one as frequent: what everybody has is known.

    Args:
        rules: IN the rules.
        r: IN which of them.
        counts: IN (n_counts,) the group's counters.
        total: IN (n_counts,) the counters of the group it would be split from.
        is_rest: IN 1 if the group is what remains of `total` without `counts`, else 0.
    """
    kind, first, stop = rules.kind[r], rules.first[r], rules.stop[r]
    n = total[0] - counts[0] if is_rest else counts[0]
    badness, is_broken = 0.0, False
    if kind == K:
        badness = -float(n)
        is_broken = n < rules.over[r]
    elif kind == SHARE:
        s = total[first] - counts[first] if is_rest else counts[first]
        badness = s / n
        is_broken = s * rules.under[r] > rules.over[r] * n
    elif kind == DISTINCT:
        for c in range(first, stop):
            if (total[c] - counts[c] if is_rest else counts[c]) > 0:
                badness -= 1.0
        badness = max(badness, -1.0 - (n - largest_of(counts, total, is_rest, first, stop)))
        is_broken = -badness < rules.over[r]
    elif kind == ENTROPY:
        n_pairs = sum_of(counts, total, is_rest, first, stop)
        for c in range(first, stop):
            s = total[c] - counts[c] if is_rest else counts[c]
            if s > 0:
                badness += s / n_pairs * math.log2(s / n_pairs)
        if n_pairs > n:
            s = largest_of(counts, total, is_rest, first, stop)
            least = s / n * math.log2(s / n)
            if s < n:
                least += (n - s) / n * math.log2((n - s) / n / max(stop - first - 1, 1))
            badness = max(badness, least)
        is_broken = badness > rules.limit[r] + NEAR
    elif kind == RECURSIVE:
        largest, tail = tail_of(counts, total, is_rest, first, stop, rules.level[r])
        tail = min(tail, n - largest)
        badness = largest / tail if tail > 0 else np.inf
        is_broken = largest * rules.under[r] >= rules.over[r] * tail
    else:
        moved = 0.0
        n = sum_of(counts, total, is_rest, first, stop)
        n_whole = 0
        for c in range(first, stop):
            n_whole += rules.whole[c]
        for c in range(first, stop):
            s = total[c] - counts[c] if is_rest else counts[c]
            apart = s / n - rules.whole[c] / n_whole
            if kind == EQUAL:
                badness += abs(apart) / 2
            else:
                moved += apart
                badness += abs(moved) / max(stop - first - 1, 1)
        is_broken = badness > rules.limit[r] + NEAR
    return badness, is_broken and rules.is_enforced[r]


@kernel
def weigh_group(rules: Rules, r: int, counts: Any) -> tuple[float, bool]:
    """How bad a group is by one rule, and whether it breaks it, for Python.

    Args:
        rules: IN the rules.
        r: IN which of them.
        counts: IN (n_counts,) the group's counters.
    """
    weighed: tuple[float, bool] = weigh(rules, r, counts, counts, np.int64(0))
    return weighed


@kernel
def weigh_part(rules: Rules, part: Any, bad: Any) -> bool:
    """Update how bad the worst part is by each rule; say whether no rule breaks. An empty part changes nothing.

    Args:
        rules: IN the rules.
        part: IN (n_counts,) the part's counters.
        bad: INOUT (n_rules,)
    """
    is_good = True
    for r in range(rules.kind.shape[0]):
        if part[0] > 0:
            badness, is_broken = weigh(rules, r, part, part, np.int64(0))
            bad[r] = max(bad[r], badness)
            is_good = is_good and not is_broken
    return is_good


@kernel
def weigh_groups(rules: Rules, counts: Any, badness: Any, is_broken: Any) -> None:
    """How bad each of many groups is by each rule, and whether it breaks it.

    Args:
        rules: IN the rules.
        counts: IN (n_groups, n_counts) the counters of each group, none of them empty.
        badness: OUT (n_rules, n_groups)
        is_broken: OUT (n_rules, n_groups)
    """
    for r in range(rules.kind.shape[0]):
        for g in range(counts.shape[0]):
            badness[r, g], is_broken[r, g] = weigh(rules, r, counts[g], counts[g], np.int64(0))
