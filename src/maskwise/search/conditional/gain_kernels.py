"""What a refinement would tell, counted group by group, compiled.

The papers' gains look at one attribute at a time; these look at the class inside
the groups that are already shown. Each loop passes once over the groups that
show a value. Entropies are summed as n * H in bits. Arguments are tagged IN,
OUT or INOUT; groups are those of `split_kernels`. Buffers are made by the caller
and filled by loops: allocating, and arithmetic of whole arrays, take numba longer
to compile than all the rest.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from maskwise.search.rule_kernels import Rules, weigh_part
from maskwise.values.kernel import kernel

if TYPE_CHECKING:
    from maskwise.search.groups.split_kernels import Groups


@kernel
def bits(counts: Any) -> float:
    """Entropy of class counts times their sum, in bits.

    Args:
        counts: IN (n_classes,)
    """
    n = 0
    inner = 0.0
    for c in range(counts.shape[0]):
        if counts[c] > 0:
            n += counts[c]
            inner -= counts[c] * np.log2(counts[c])
    return inner + n * np.log2(n) if n > 0 else 0.0


@kernel
def gain_of_children(groups: Groups, j: int, value: int, slot: Any, hist: Any) -> float:
    """The bits of the class that replacing a value by its children tells, over all groups that show it.

    Args:
        groups: IN rows with class counts.
        j: IN the attribute.
        value: IN the value.
        slot: IN (n_codes,) the child that each code falls under.
        hist: OUT (n_children, n_classes) a buffer.
    """
    n_slots, n_classes = hist.shape
    gain = 0.0
    for g in range(groups.tally[0]):
        if groups.shown[j, g] != value:
            continue
        _clear(hist)
        for i in range(groups.start[g], groups.start[g] + groups.size[g]):
            s = slot[groups.codes[i, j]]
            for c in range(n_classes):
                hist[s, c] += groups.words[i, c]
        gain += bits(groups.total[g])
        for s in range(n_slots):
            gain -= bits(hist[s])
    return gain


@kernel
def gains_of_values(groups: Groups, j: int, root: int, gains: Any, hist: Any, rest: Any) -> None:
    """The bits that disclosing each hidden value tells, over all groups that hide values.

    Args:
        groups: IN rows with class counts.
        j: IN the attribute.
        root: IN the value that stands for hidden ones.
        gains: INOUT (n_codes,) zeros; code v is value v.
        hist: OUT (n_codes, n_classes) a buffer.
        rest: OUT (n_classes,) a buffer.
    """
    n_codes, n_classes = hist.shape
    for g in range(groups.tally[0]):
        if groups.shown[j, g] != root:
            continue
        _clear(hist)
        for i in range(groups.start[g], groups.start[g] + groups.size[g]):
            v = groups.codes[i, j]
            for c in range(n_classes):
                hist[v, c] += groups.words[i, c]
        whole = bits(groups.total[g])
        for v in range(n_codes):
            n = 0
            for c in range(n_classes):
                n += hist[v, c]
                rest[c] = groups.total[g, c] - hist[v, c]
            if n > 0:
                gains[v] += whole - bits(hist[v]) - bits(rest)


@kernel
def _clear(hist: Any) -> None:
    """Set counters to zero."""
    for i in range(hist.shape[0]):
        for c in range(hist.shape[1]):
            hist[i, c] = 0


@kernel
def _count_codes(groups: Groups, g: int, j: int, low: int, high: int, hist: Any) -> None:
    """Count a group's rows by their code within an interval; a code outside, a missing value, comes last."""
    _clear(hist)
    for i in range(groups.start[g], groups.start[g] + groups.size[g]):
        code = groups.codes[i, j]
        at = code - low if low <= code < high else high - low
        for c in range(hist.shape[1]):
            hist[at, c] += groups.words[i, c]


@kernel
def gains_of_splits(groups: Groups, j: int, value: int, low: int, high: int, gains: Any, hist: Any, sides: Any) -> None:
    """The bits that splitting an interval before each of its codes tells, over all groups that show it.

    Args:
        groups: IN rows with class counts.
        j: IN the attribute.
        value: IN the interval.
        low: IN its first code.
        high: IN one past its last; a code outside is a missing value, which splits off as well.
        gains: INOUT (high - low,) zeros; the first is meaningless.
        hist: OUT (high - low + 1, n_classes) a buffer.
        sides: OUT (2, n_classes) a buffer.
    """
    n_classes = groups.words.shape[1]
    left, right = sides[0], sides[1]
    for g in range(groups.tally[0]):
        if groups.shown[j, g] != value:
            continue
        _count_codes(groups, g, j, low, high, hist)
        whole = bits(groups.total[g]) - bits(hist[high - low])
        for c in range(n_classes):
            left[c] = 0
            right[c] = groups.total[g, c] - hist[high - low, c]
        gain = 0.0
        for b in range(1, high - low):
            is_moved = False
            for c in range(n_classes):
                n = hist[b - 1, c]
                if n > 0:
                    is_moved = True
                    left[c] += n
                    right[c] -= n
            if is_moved or b == 1:
                gain = whole - bits(left) - bits(right)
            gains[b] += gain


@kernel
def worst_of_splits(  # noqa: PLR0912 - one pass over the groups
    groups: Groups,
    rules: Rules,
    j: int,
    value: int,
    low: int,
    high: int,
    worst: Any,
    is_valid: Any,
    hist: Any,
    sides: Any,
    bads: Any,
) -> None:
    """How bad the worst group would be after splitting an interval before each of its codes.

    Args:
        groups: IN rows with the counters of the rules.
        rules: IN the rules.
        j: IN the attribute.
        value: IN the interval.
        low: IN its first code.
        high: IN as in `gains_of_splits`.
        worst: INOUT (n_rules, high - low) minus infinity; the first of each is meaningless.
        is_valid: INOUT (high - low,) true: whether no rule breaks; where one does, `worst` says nothing.
        hist: OUT (high - low + 1, n_counts) a buffer.
        sides: OUT (2, n_counts) a buffer.
        bads: OUT (2, n_rules) a buffer.
    """
    n_counts, n_rules = groups.total.shape[1], rules.kind.shape[0]
    left, right = sides[0], sides[1]
    bad, apart = bads[0], bads[1]
    n_valid = high - low - 1
    for g in range(groups.tally[0]):
        if groups.shown[j, g] != value:
            continue
        _count_codes(groups, g, j, low, high, hist)
        for r in range(n_rules):
            apart[r] = -np.inf
        part = hist[high - low]
        is_apart = weigh_part(rules, part, apart)
        for c in range(n_counts):
            left[c] = 0
            right[c] = groups.total[g, c] - part[c]
        is_good = True
        for b in range(1, high - low):
            if hist[b - 1, 0] > 0:
                part = hist[b - 1]
                for c in range(n_counts):
                    left[c] += part[c]
                    right[c] -= part[c]
            if hist[b - 1, 0] > 0 or b == 1:
                for r in range(n_rules):
                    bad[r] = apart[r]
                is_good = weigh_part(rules, left, bad)
                is_good = weigh_part(rules, right, bad) and is_good
            if not is_valid[b]:
                continue
            if not (is_good and is_apart):
                is_valid[b] = False
                n_valid -= 1
                continue
            for r in range(n_rules):
                worst[r, b] = max(worst[r, b], bad[r])
        if n_valid == 0:
            return
