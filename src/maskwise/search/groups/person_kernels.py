"""Count and split groups in which a person may have several rows: the loops over rows, compiled.

The counterpart of `split_kernels` for tables whose rows do not add up. A
group's rows are ordered by person, and splitting keeps that order. So a person
was counted before if and only if it was the last one counted there. Loops stand
in the place of slices, and arrays are made outside: see `split_kernels`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from maskwise.search.rule_kernels import Rules, weigh, weigh_part
from maskwise.values.kernel import kernel

if TYPE_CHECKING:
    from maskwise.compress.spill import Workspace
    from maskwise.search.groups.split_kernels import SplitCut

BITS = 63
"""The counters of a word; the sign stays out of it."""
NOWHERE = -1
"""No row of the person was looked at yet."""
SEVERAL = -2
"""The person has rows under several children."""


class PersonRows(NamedTuple):
    """The groups of one quasi-identifier, rows of a group side by side and ordered by person.

    A row has a bit for each counter: the first for the person, which it always
    has, then one for each protected sensitive value that the person has in it.
    """

    codes: Any  # (n_rows, n_attributes) finest reachable code of each value
    person: Any  # (n_rows,) its number
    words: Any  # (n_rows, n_words) the bits of each row
    spare_codes: Any  # as codes: a buffer to reorder in
    spare_person: Any  # as person
    spare_words: Any  # as words
    start: Any  # (most_groups,) first row of each group
    size: Any  # (most_groups,) its rows
    total: Any  # (most_groups, n_counts) its persons, and those with each protected value
    shown: Any  # (n_attributes, most_groups) the values it shows
    hist: Any  # (n_slots, n_counts) by attribute, by child of the shown value: the persons with a row there
    only: Any  # (n_slots, n_counts) those of them with rows nowhere else; of attributes that hide values
    last: Any  # (n_slots, n_counts) the person that was counted last
    seen: Any  # (n_attributes, n_counts) under which child the present person has rows, NOWHERE or SEVERAL
    rest: Any  # (n_counts,) a buffer
    live: Any  # (n_attributes,) a buffer for the live attributes
    tally: Any  # (1,) how many groups there are


def start_persons(
    workspace: Workspace, codes: Any, person: Any, words: Any, n_counts: int, most_groups: int, n_slots: int
) -> PersonRows:
    """Allocate the groups that rows will be split into; the first one has them all, and is not counted yet.

    Args:
        workspace: Where large arrays are kept.
        codes: IN the rows, ordered by person, which will be moved.
        person: IN their persons, likewise.
        words: IN their bits, likewise.
        n_counts: IN how many counters a group has.
        most_groups: IN how many groups there may come to be.
        n_slots: IN how many children all shown values of a group have together, at most.
    """
    n_rows, n_attributes = codes.shape
    groups = PersonRows(
        codes=codes,
        person=person,
        words=words,
        spare_codes=workspace.zeros(codes.shape, codes.dtype),
        spare_person=workspace.zeros(person.shape, np.int64),
        spare_words=workspace.zeros(words.shape, np.int64),
        start=workspace.zeros(most_groups, np.int64),
        size=workspace.zeros(most_groups, np.int64),
        total=workspace.zeros((most_groups, n_counts), np.int64),
        shown=workspace.zeros((n_attributes, most_groups), np.int32),
        hist=np.zeros((n_slots, n_counts), np.int64),
        only=np.zeros((n_slots, n_counts), np.int64),
        last=np.zeros((n_slots, n_counts), np.int64),
        seen=np.zeros((n_attributes, n_counts), np.int64),
        rest=np.zeros(n_counts, np.int64),
        live=np.zeros(n_attributes, np.int64),
        tally=np.ones(1, np.int64),
    )
    groups.size[0] = n_rows
    return groups


@kernel
def update_candidate(worst: Any, alive: Any, rules: Rules, candidate: int, counts: Any) -> None:
    """Update a candidate's worst figure with one of the groups that its refinement would create.

    Args:
        worst: INOUT as in `SplitCut`; the candidate's rises.
        alive: INOUT as in `SplitCut`; the candidate dies if a rule breaks.
        rules: IN the rules.
        candidate: IN the candidate.
        counts: IN (n_counts,) the group's counters.
    """
    for r in range(rules.kind.shape[0]):
        badness, is_broken = weigh(rules, r, counts, counts, np.int64(0))
        worst[r, candidate] = max(worst[r, candidate], badness)
        if is_broken:
            alive[candidate] = False


@kernel
def count_total(groups: PersonRows, g: int) -> None:
    """Count the persons of a group, and those with each protected value.

    Args:
        groups: INOUT the group's total.
        g: IN which group.
    """
    total, last = groups.total[g], groups.rest
    for c in range(total.shape[0]):
        total[c] = 0
        last[c] = NOWHERE
    for i in range(groups.start[g], groups.start[g] + groups.size[g]):
        who = groups.person[i]
        for w in range(groups.words.shape[1]):
            bits, c = groups.words[i, w], w * BITS
            while bits:
                if bits & 1 and last[c] != who:
                    last[c] = who
                    total[c] += 1
                bits >>= 1
                c += 1


@kernel
def _count_row(groups: PersonRows, i: int, a: int, s: int, hides: int) -> None:
    """Count a row's person under a child of what the group shows on one attribute, unless it was counted there."""
    who, hist, last, seen = groups.person[i], groups.hist, groups.last, groups.seen
    for w in range(groups.words.shape[1]):
        bits, c = groups.words[i, w], w * BITS
        while bits:
            if bits & 1:
                if last[s, c] != who:
                    last[s, c] = who
                    hist[s, c] += 1
                if hides and seen[a, c] != s:
                    seen[a, c] = s if seen[a, c] == NOWHERE else SEVERAL
            bits >>= 1
            c += 1


@kernel
def _finish_person(groups: PersonRows, cut: SplitCut, n_live: int) -> None:
    """Count the person whose rows end here where all of them were under one child."""
    for p in range(n_live):
        a = groups.live[p]
        if cut.hides[a]:
            for c in range(groups.seen.shape[1]):
                if groups.seen[a, c] >= 0:
                    groups.only[groups.seen[a, c], c] += 1
                groups.seen[a, c] = NOWHERE


@kernel
def count_group(groups: PersonRows, cut: SplitCut, rules: Rules, g: int) -> None:
    """Count a group's persons under each child of what it shows, and update the candidates that would split it.

    Args:
        groups: INOUT the counters.
        cut: INOUT its worsts rise, its dead candidates are marked.
        rules: IN the rules.
        g: IN the group.
    """
    live, n_live, n_counts = groups.live, np.int64(0), groups.rest.shape[0]
    for a in range(groups.codes.shape[1]):
        value = groups.shown[a, g]
        if cut.alive[value]:
            live[n_live] = a
            n_live += 1
            at = cut.base[a]
            for c in range(n_counts):
                groups.seen[a, c] = NOWHERE
                for s in range(at, at + cut.n_children[value] + cut.hides[a]):
                    groups.hist[s, c] = 0
                    groups.only[s, c] = 0
                    groups.last[s, c] = NOWHERE
    lo, hi = groups.start[g], groups.start[g] + groups.size[g]
    for i in range(lo, hi):
        if i > lo and groups.person[i] != groups.person[i - 1]:
            _finish_person(groups, cut, n_live)
        for p in range(n_live):
            a = live[p]
            _count_row(groups, i, a, cut.base[a] + cut.slot[a, groups.codes[i, a]], cut.hides[a])
    _finish_person(groups, cut, n_live)
    for p in range(n_live):
        _update_candidates(groups, cut, rules, g, live[p])


@kernel
def _update_candidates(groups: PersonRows, cut: SplitCut, rules: Rules, g: int, a: int) -> None:
    """Update the worst figure of each candidate on one attribute that would split a group, from its counters."""
    at, value = cut.base[a], groups.shown[a, g]
    for s in range(cut.n_children[value]):
        part = groups.hist[at + s]
        if part[0] == 0:
            continue
        if not cut.hides[a]:
            update_candidate(cut.worst, cut.alive, rules, np.int64(value), part)
            continue
        v = cut.first_child[value] + s
        if cut.alive[v]:
            update_candidate(cut.worst, cut.alive, rules, v, part)
            for c in range(groups.rest.shape[0]):
                groups.rest[c] = groups.total[g, c] - groups.only[at + s, c]
            if groups.rest[0] > 0:
                update_candidate(cut.worst, cut.alive, rules, v, groups.rest)


@kernel
def _reorder_rows(groups: PersonRows, g: int, j: int, branch: Any, n_rows_of: Any, next_row: Any) -> None:
    """Put a group's rows in the order of their parts; within a part they stay ordered by person."""
    at = np.int64(0)
    for b in range(n_rows_of.shape[0]):
        next_row[b] = at
        at += n_rows_of[b]
    lo, n_rows = groups.start[g], groups.size[g]
    for i in range(lo, lo + n_rows):
        b = branch[groups.codes[i, j]]
        to = next_row[b]
        next_row[b] += 1
        groups.spare_person[to] = groups.person[i]
        for a in range(groups.codes.shape[1]):
            groups.spare_codes[to, a] = groups.codes[i, a]
        for w in range(groups.words.shape[1]):
            groups.spare_words[to, w] = groups.words[i, w]
    for i in range(n_rows):
        groups.person[lo + i] = groups.spare_person[i]
        for a in range(groups.codes.shape[1]):
            groups.codes[lo + i, a] = groups.spare_codes[i, a]
        for w in range(groups.words.shape[1]):
            groups.words[lo + i, w] = groups.spare_words[i, w]


@kernel
def split_groups(  # noqa: PLR0912 - loops in the place of slices
    groups: PersonRows,
    cut: SplitCut,
    rules: Rules,
    j: int,
    x: int,
    branch: Any,
    branch_node: Any,
    now: Any,
    is_final: int,
    n_rows_of: Any,
    next_row: Any,
) -> None:
    """Split every group that shows `x` on attribute `j`, and weigh all groups.

    Args:
        groups: INOUT split.
        cut: INOUT its slots already of the refined cut; its worsts rise.
        rules: IN the rules.
        j: IN the refined attribute.
        x: IN the value that is refined.
        branch: IN (n_codes,) the part each code of `j` goes to.
        branch_node: IN (n_branches,) the value each part shows.
        now: OUT (n_rules,) how bad the worst group is by each rule.
        is_final: IN whether a worst figure never gets better, so that only new groups are counted.
        n_rows_of: OUT (n_branches,) a buffer.
        next_row: OUT (n_branches,) a buffer.
    """
    n_branches = branch_node.shape[0]
    for g in range(groups.tally[0]):
        if groups.shown[j, g] != x:
            continue
        lo, n_rows = groups.start[g], groups.size[g]
        for b in range(n_branches):
            n_rows_of[b] = 0
        for i in range(lo, lo + n_rows):
            n_rows_of[branch[groups.codes[i, j]]] += 1
        largest: Any = np.int64(0)
        for b in range(n_branches):
            largest = max(largest, n_rows_of[b])
        if largest < n_rows:
            _reorder_rows(groups, g, j, branch, n_rows_of, next_row)
        at, part = lo, g
        for b in range(n_branches):
            if n_rows_of[b] == 0:
                continue
            if at > lo:
                part = groups.tally[0]
                groups.tally[0] += 1
                for a in range(groups.codes.shape[1]):
                    groups.shown[a, part] = groups.shown[a, g]
            groups.start[part] = at
            groups.size[part] = n_rows_of[b]
            groups.shown[j, part] = branch_node[b]
            at += n_rows_of[b]
            count_total(groups, part)
            if is_final:
                count_group(groups, cut, rules, part)
    if not is_final:
        for r in range(cut.worst.shape[0]):
            for v in range(cut.worst.shape[1]):
                cut.worst[r, v] = -np.inf
        for g in range(groups.tally[0]):
            count_group(groups, cut, rules, g)
    for r in range(rules.kind.shape[0]):
        now[r] = -np.inf
        for g in range(groups.tally[0]):
            badness, _ = weigh(rules, r, groups.total[g], groups.total[g], np.int64(0))
            now[r] = max(now[r], badness)


@kernel
def worst_of_splits(  # noqa: PLR0912 - one pass over the rows, one over the splits
    groups: PersonRows, rules: Rules, j: int, value: int, low: int, high: int, worst: Any, is_valid: Any
) -> None:
    """How bad the worst group would be after splitting an interval before each of its codes.

    A person is left of a split if its lowest code is, and right of it if its
    highest code is not.

    Args:
        groups: IN the groups.
        rules: IN the rules.
        j: IN the attribute.
        value: IN the interval.
        low: IN its first code.
        high: IN one past its last; a code outside is a missing value, which splits off as well.
        worst: OUT (n_rules, high - low) the first of each is meaningless.
        is_valid: OUT (high - low,) whether no rule breaks; where one does, `worst` says nothing.
    """
    n_counts, n_bins = groups.total.shape[1], high - low
    begins = np.zeros((n_bins, n_counts), np.int64)
    ends = np.zeros((n_bins, n_counts), np.int64)
    left, right, apart = np.zeros(n_counts, np.int64), np.zeros(n_counts, np.int64), np.zeros(n_counts, np.int64)
    first, final, last_apart = groups.rest, np.zeros(n_counts, np.int64), np.zeros(n_counts, np.int64)
    bad = np.zeros(rules.kind.shape[0])
    worst[:] = -np.inf
    is_valid[:] = True
    for g in range(groups.tally[0]):
        if groups.shown[j, g] != value:
            continue
        begins[:] = 0
        ends[:] = 0
        apart[:] = 0
        first[:] = NOWHERE
        last_apart[:] = NOWHERE
        lo, hi = groups.start[g], groups.start[g] + groups.size[g]
        for i in range(lo, hi):
            who, code = groups.person[i], groups.codes[i, j]
            for w in range(groups.words.shape[1]):
                bits, c = groups.words[i, w], w * BITS
                while bits:
                    if bits & 1:
                        if not low <= code < high:
                            apart[c] += last_apart[c] != who
                            last_apart[c] = who
                        elif first[c] == NOWHERE:
                            first[c] = final[c] = code - low
                        else:
                            first[c], final[c] = min(first[c], code - low), max(final[c], code - low)
                    bits >>= 1
                    c += 1
            if i + 1 == hi or groups.person[i + 1] != who:
                for c in range(n_counts):
                    if first[c] != NOWHERE:
                        begins[first[c], c] += 1
                        ends[final[c], c] += 1
                        first[c] = NOWHERE
        left[:] = 0
        right[:] = 0
        for b in range(n_bins):
            for c in range(n_counts):
                right[c] += ends[b, c]
        for b in range(1, n_bins):
            for c in range(n_counts):
                left[c] += begins[b - 1, c]
                right[c] -= ends[b - 1, c]
            bad[:] = -np.inf
            is_good = weigh_part(rules, left, bad)
            is_good = weigh_part(rules, right, bad) and is_good
            is_good = weigh_part(rules, apart, bad) and is_good
            is_valid[b] = is_valid[b] and is_good
            for r in range(len(bad)):
                worst[r, b] = max(worst[r, b], bad[r])
