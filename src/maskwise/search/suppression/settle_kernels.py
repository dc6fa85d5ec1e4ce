"""Split the groups of several QIDs, take broken groups away until none is left, and undo it: compiled loops.

A *row* is a distinct row of all attributes together. It is in one group of each
QID, so taking it away changes a group of each of them. Groups are numbered from
0 in each QID; the parts of a split get the numbers behind them until the split is
kept or undone.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from maskwise.search.rule_kernels import Rules, weigh
from maskwise.values.kernel import kernel

OVER = -1
"""More would be lost than the budget allows."""


class RowGroups(NamedTuple):
    """The groups of all QIDs."""

    codes: Any  # (n_rows, n_attributes) finest reachable code of each value
    counts: Any  # (n_rows, n_counts) the records of each row, then those of each protected value
    by_code: Any  # (n_attributes, n_rows) the rows in the order of their codes on an attribute
    code_start: Any  # (n_attributes, most_codes + 1) where the rows of each code begin there
    member: Any  # (n_qids, n_attributes) whether a QID has an attribute
    taken_in: Any  # (n_rows,) the round in which a row was taken away, 0 if it is there
    because: Any  # (n_qids, n_rows) whether a row was taken away because of its group in a QID
    group: Any  # (n_qids, n_rows) the group of each row
    order: Any  # (n_qids, n_rows) the rows of each group side by side
    start: Any  # (n_qids, most_groups) where the rows of a group begin there
    size: Any  # (n_qids, most_groups) how many there are; of a part, none before it is kept
    total: Any  # (n_qids, most_groups, n_counts) the counters of the rows that are there
    origin: Any  # (n_qids, most_groups) the group that a part is split from; else the group itself
    first_part: Any  # (n_qids, most_groups) the first part of a group, or -1
    next_part: Any  # (n_qids, most_groups) the next part of the same group, or -1
    branch: Any  # (n_qids, most_groups) which part it is
    n_groups: Any  # (n_qids,)
    n_parts: Any  # (n_qids,) parts of the split that is tried
    root: Any  # (n_qids,) the group that shows the root of every attribute, or -1
    stamp: Any  # (n_qids, most_groups) the round in which a group was touched
    touched: Any  # (2, n_touched) QID and group, to be looked at in this round
    waiting: Any  # (2, n_touched) the same for the next round
    lost: Any  # (n_rows,) the rows taken away in the split that is tried
    tally: Any  # (4,) touched, waiting, lost, the number of the last round
    taken: Any  # (n_counts,) the counters of all rows that are taken away
    buffer: Any  # (n_rows,) for reordering


class Checks(NamedTuple):
    """What the groups must satisfy, and what becomes of those that do not."""

    rules: Rules  # of all QIDs, one QID after the other; `whole` is what is released
    first: Any  # (n_qids + 1,) the first rule of each QID
    shows_root: bool  # whether suppressed records are shown as roots, so that they form a group
    by_whole: bool  # whether groups are compared with what is released, which changes as rows are taken away


@kernel
def is_broken(checks: Checks, q: int, counts: Any) -> bool:
    """Whether a group breaks a rule of its QID.

    Args:
        checks: IN the rules.
        q: IN the QID.
        counts: IN (n_counts,) the group's counters, not empty.
    """
    is_bad = False
    for r in range(checks.first[q], checks.first[q + 1]):
        is_bad = is_bad or weigh(checks.rules, r, counts, counts, np.int64(0))[1]
    return is_bad


@kernel
def touch(groups: RowGroups, q: int, g: int, n: int) -> None:
    """Let a group be looked at in the next round, once.

    Args:
        groups: INOUT the list.
        q: IN the QID.
        g: IN the group.
        n: IN the number of the next round.
    """
    if groups.stamp[q, g] != n:
        groups.stamp[q, g] = n
        at = groups.tally[1]
        groups.waiting[0, at], groups.waiting[1, at] = q, g
        groups.tally[1] = at + 1


@kernel
def split(groups: RowGroups, a: int, low: int, high: int, branch: Any) -> None:
    """Split the groups of the rows with some codes, in every QID that has the attribute.

    Args:
        groups: INOUT the parts get numbers behind those of the groups; all that changed is touched.
        a: IN the attribute.
        low: IN the first code.
        high: IN one past the last.
        branch: IN (n_codes,) the part that each code goes to.
    """
    n = groups.tally[3] + 1
    for at in range(groups.code_start[a, low], groups.code_start[a, high]):
        row = groups.by_code[a, at]
        if groups.taken_in[row] != 0:
            continue
        b = branch[groups.codes[row, a]]
        for q in range(groups.member.shape[0]):
            if not groups.member[q, a]:
                continue
            g = groups.group[q, row]
            part = groups.first_part[q, g]
            while part >= 0 and groups.branch[q, part] != b:
                part = groups.next_part[q, part]
            if part < 0:
                part = groups.n_groups[q] + groups.n_parts[q]
                groups.n_parts[q] += 1
                groups.origin[q, part] = g
                groups.branch[q, part] = b
                groups.first_part[q, part] = -1
                groups.next_part[q, part] = groups.first_part[q, g]
                groups.first_part[q, g] = part
                groups.size[q, part] = 0
                groups.total[q, part, :] = 0
                groups.stamp[q, part] = 0
                touch(groups, q, part, n)
                touch(groups, q, g, n)
            groups.group[q, row] = part
            for c in range(groups.counts.shape[1]):
                groups.total[q, part, c] += groups.counts[row, c]
                groups.total[q, g, c] -= groups.counts[row, c]


@kernel
def settle(  # noqa: PLR0912 - one round after the other
    groups: RowGroups, checks: Checks, left: int
) -> int:
    """Take broken groups away, all of a round together, until none is broken; return the records lost, or OVER.

    Args:
        groups: INOUT the groups that were touched are looked at; the rows of broken ones are taken away.
        checks: INOUT the rules; what is released shrinks.
        left: IN how many records may be lost.
    """
    n_lost = 0
    groups.tally[2] = 0
    while groups.tally[1] > 0:
        n = groups.tally[3] + 1
        groups.tally[3] = n
        groups.tally[0] = groups.tally[1]
        groups.tally[1] = 0
        for i in range(groups.tally[0]):
            groups.touched[0, i], groups.touched[1, i] = groups.waiting[0, i], groups.waiting[1, i]
        first, n_before = groups.tally[2], n_lost
        for i in range(groups.tally[0]):
            q, g = groups.touched[0, i], groups.touched[1, i]
            if groups.total[q, g, 0] == 0 or not is_broken(checks, q, groups.total[q, g]):
                continue
            if n_before + groups.total[q, g, 0] > left:
                n_lost = left + 1
                break
            home = groups.origin[q, g]
            for at in range(groups.start[q, home], groups.start[q, home] + groups.size[q, home]):
                row = groups.order[q, at]
                if groups.group[q, row] != g or 0 < groups.taken_in[row] < n:
                    continue
                groups.because[q, row] = True
                if groups.taken_in[row] == 0:
                    groups.taken_in[row] = n
                    groups.lost[groups.tally[2]] = row
                    groups.tally[2] += 1
                    n_lost += groups.counts[row, 0]
        _subtract(groups, checks, first, n + 1)
        if n_lost > left:
            return OVER
        if checks.by_whole and groups.tally[2] > first:
            for q in range(groups.member.shape[0]):
                for g in range(groups.n_groups[q] + groups.n_parts[q]):
                    if groups.total[q, g, 0] > 0:
                        touch(groups, q, g, n + 1)
    if checks.shows_root and groups.taken[0] > 0:
        # By themselves: others that show roots on one QID show values on another, so everybody can tell them apart.
        for q in range(groups.member.shape[0]):
            if is_broken(checks, q, groups.taken):
                return OVER
    return n_lost


@kernel
def _subtract(groups: RowGroups, checks: Checks, first: int, n: int) -> None:
    """Subtract the rows that were lost from `first` on from their groups, and touch these for round `n`."""
    for i in range(first, groups.tally[2]):
        row = groups.lost[i]
        for c in range(groups.counts.shape[1]):
            groups.taken[c] += groups.counts[row, c]
            if not checks.shows_root:
                checks.rules.whole[c] -= groups.counts[row, c]
        for q in range(groups.member.shape[0]):
            g = groups.group[q, row]
            touch(groups, q, g, n)
            for c in range(groups.counts.shape[1]):
                groups.total[q, g, c] -= groups.counts[row, c]


@kernel
def root_counts(groups: RowGroups, q: int) -> Any:
    """The counters of the group of all roots in a QID: the suppressed records, and those that show roots anyway.

    Args:
        groups: IN the groups.
        q: IN the QID.
    """
    counts = groups.taken.copy()
    if groups.root[q] >= 0:
        counts += groups.total[q, groups.root[q]]
    return counts


@kernel
def worst_groups(groups: RowGroups, checks: Checks, worst: Any) -> None:
    """How bad the worst group that is released is, by each rule.

    Args:
        groups: IN the groups.
        checks: IN the rules.
        worst: OUT (n_rules,)
    """
    worst[:] = -1e300
    for q in range(groups.member.shape[0]):
        for g in range(groups.n_groups[q] + groups.n_parts[q]):
            if groups.total[q, g, 0] == 0 or (checks.shows_root and g == groups.root[q]):
                continue
            for r in range(checks.first[q], checks.first[q + 1]):
                counts = groups.total[q, g]
                worst[r] = max(worst[r], weigh(checks.rules, r, counts, counts, np.int64(0))[0])
        counts = root_counts(groups, q)
        if checks.shows_root and counts[0] > 0:
            for r in range(checks.first[q], checks.first[q + 1]):
                worst[r] = max(worst[r], weigh(checks.rules, r, counts, counts, np.int64(0))[0])


@kernel
def count_parts(groups: RowGroups, a: int, low: int, high: int, branch: Any) -> int:
    """How many parts of a split have rows that are left; 2 if there are more.

    Args:
        groups: IN settled.
        a: IN the attribute that was split.
        low: IN the first code.
        high: IN one past the last.
        branch: IN (n_codes,) the part that each code goes to.
    """
    found = -1
    for at in range(groups.code_start[a, low], groups.code_start[a, high]):
        row = groups.by_code[a, at]
        if groups.taken_in[row] == 0:
            b = branch[groups.codes[row, a]]
            if found >= 0 and b != found:
                return 2
            found = b
    return 0 if found < 0 else 1


@kernel
def undo(groups: RowGroups, checks: Checks, a: int, low: int, high: int) -> None:
    """Put rows back that were lost since the last split, and the parts back into their groups.

    Args:
        groups: INOUT as before `split`.
        checks: INOUT what is released is as before.
        a: IN the attribute that was split.
        low: IN the first code.
        high: IN one past the last.
    """
    for i in range(groups.tally[2]):
        row = groups.lost[i]
        groups.taken_in[row] = 0
        for q in range(groups.member.shape[0]):
            groups.because[q, row] = False
        for c in range(groups.counts.shape[1]):
            n = groups.counts[row, c]
            groups.taken[c] -= n
            if not checks.shows_root:
                checks.rules.whole[c] += n
            for q in range(groups.member.shape[0]):
                groups.total[q, groups.group[q, row], c] += n
    groups.tally[1] = groups.tally[2] = 0
    # What waited for a round that was not begun keeps its stamp, so that round is skipped.
    groups.tally[3] += 1
    for q in range(groups.member.shape[0]):
        if not groups.member[q, a]:
            continue
        n = groups.n_groups[q]
        for at in range(groups.code_start[a, low], groups.code_start[a, high]):
            row = groups.by_code[a, at]
            if groups.group[q, row] >= n:
                groups.group[q, row] = groups.origin[q, groups.group[q, row]]
        for part in range(n, n + groups.n_parts[q]):
            g = groups.origin[q, part]
            groups.first_part[q, g] = -1
            groups.total[q, g] += groups.total[q, part]
        groups.n_parts[q] = 0


@kernel
def keep(groups: RowGroups) -> None:
    """Make the split final: parts become groups, and rows that are gone leave the lists.

    Args:
        groups: INOUT settled.
    """
    n = groups.tally[3] + 1
    groups.tally[3] = n
    for q in range(groups.member.shape[0]):
        groups.tally[1] = 0
        n_before = groups.n_groups[q]
        for part in range(n_before, n_before + groups.n_parts[q]):
            touch(groups, q, groups.origin[q, part], n)
        for i in range(groups.tally[2]):
            touch(groups, q, groups.origin[q, groups.group[q, groups.lost[i]]], n)
        for i in range(groups.tally[1]):
            _arrange(groups, q, groups.waiting[1, i])
            g = groups.waiting[1, i]
            if groups.size[q, g] == 0 and g == groups.root[q]:
                groups.root[q] = -1
        for part in range(n_before, n_before + groups.n_parts[q]):
            g = groups.origin[q, part]
            groups.first_part[q, g] = -1
            if groups.size[q, part] == 0:
                continue
            to = g
            if groups.size[q, g] > 0:
                to = groups.n_groups[q]
                groups.n_groups[q] += 1
            groups.start[q, to], groups.size[q, to] = groups.start[q, part], groups.size[q, part]
            groups.total[q, to] = groups.total[q, part]
            groups.origin[q, to] = to
            groups.first_part[q, to] = -1
            groups.stamp[q, to] = 0
            for at in range(groups.start[q, to], groups.start[q, to] + groups.size[q, to]):
                groups.group[q, groups.order[q, at]] = to
        groups.n_parts[q] = 0
    groups.tally[1] = groups.tally[2] = 0


@kernel
def _arrange(groups: RowGroups, q: int, g: int) -> None:
    """Put the rows of a group and of its parts side by side, without those that are gone."""
    start, size = groups.start[q, g], groups.size[q, g]
    groups.size[q, g] = 0
    n = 0
    for at in range(start, start + size):
        row = groups.order[q, at]
        if groups.taken_in[row] == 0:
            groups.buffer[n] = row
            n += 1
            groups.size[q, groups.group[q, row]] += 1
    to = start + groups.size[q, g]
    part = groups.first_part[q, g]
    while part >= 0:
        groups.start[q, part] = to
        to += groups.size[q, part]
        groups.size[q, part] = 0
        part = groups.next_part[q, part]
    groups.size[q, g] = 0
    for i in range(n):
        row = groups.buffer[i]
        of = groups.group[q, row]
        groups.order[q, groups.start[q, of] + groups.size[q, of]] = row
        groups.size[q, of] += 1
