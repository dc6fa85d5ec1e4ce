"""Count and split the groups of a quasi-identifier as a value is refined: the loops over rows, compiled.

No names and no objects: arrays in, arrays out. What they do together has a
plain twin in `tests/reference/`. Arguments are tagged IN, OUT or INOUT. Compiled code is
cached beside this file, so only the first run after an install compiles. For that one, what numba is
slow with is left out: it compiles a function anew for each constant that it is called with (`np.int64(1)` is none), and
slices that are assigned to bring all of its broadcasting, and its messages, with them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from maskwise.search.groups.count_kernels import count_rows, update_candidates
from maskwise.values.kernel import kernel

if TYPE_CHECKING:
    from maskwise.compress.spill import Workspace
    from maskwise.search.rule_kernels import Rules


_WORD = 8
"""The bytes of a word."""


class Groups(NamedTuple):
    """The groups of one quasi-identifier, rows of a group side by side.

    A row, a group and a slot each have `n_counts` counters: the records, then
    those of each protected sensitive value.
    """

    codes: Any  # (n_rows, n_attributes, up to whole words) finest reachable code of each value
    code_words: Any  # (n_rows, n_code_words) the same memory, to move rows word by word
    words: Any  # (n_rows, n_counts) the counters of each row
    spare_codes: Any  # as code_words: a buffer to reorder in
    spare_words: Any  # as words
    start: Any  # (most_groups,) first row of each group
    size: Any  # (most_groups,) its rows
    total: Any  # (most_groups, n_counts)
    shown: Any  # (n_attributes, most_groups) the values it shows
    kept: Any  # (most_groups,) the row of hists with its counters, or -1
    hists: Any  # (n_kept, n_slots, n_counts) by attribute, by child of the shown value
    scratch: Any  # (n_slots, n_counts) for groups that keep none, zero between uses
    free: Any  # rows of hists in no use
    tally: Any  # (2,) how many groups there are, how many free rows


def room_for_codes(workspace: Workspace, shape: tuple[int, ...], dtype: Any) -> Any:
    """An array for rows of codes, each filled up to whole words of 64 bits.

    Args:
        workspace: Where large arrays are kept.
        shape: (n_rows, n_attributes)
        dtype: The type of a code.
    """
    n_rows, n_attributes = shape
    n_of_word = _WORD // np.dtype(dtype).itemsize
    return workspace.zeros((n_rows, -(-n_attributes // n_of_word) * n_of_word), dtype)


def start_groups(
    workspace: Workspace,
    n_attributes: int,
    codes: Any,
    words: Any,
    most_groups: int,
    n_kept: int,
    n_slots: int,
    n_groups: int,
) -> Groups:
    """Allocate the groups that rows will be split into; the caller says which rows the first ones have.

    Args:
        workspace: Where large arrays are kept.
        n_attributes: IN how many codes a row has.
        codes: IN the rows, which will be moved, in an array of `room_for_codes`.
        words: IN their counters, likewise.
        most_groups: IN how many groups there may come to be.
        n_kept: IN how many of them may keep counters.
        n_slots: IN how many counters such a group has, in words each.
        n_groups: IN how many groups there are at first.
    """
    n_counts = words.shape[1]
    code_words = codes.view(np.uint64)
    return Groups(
        codes=codes,
        code_words=code_words,
        words=words,
        spare_codes=workspace.zeros(code_words.shape, np.uint64),
        spare_words=workspace.zeros(words.shape, np.int64),
        start=workspace.zeros(most_groups, np.int64),
        size=workspace.zeros(most_groups, np.int64),
        total=workspace.zeros((most_groups, n_counts), np.int64),
        shown=workspace.zeros((n_attributes, most_groups), np.int32),
        kept=workspace.full(most_groups, -1, np.int64),
        hists=workspace.zeros((n_kept, n_slots, n_counts), np.int64),
        scratch=np.zeros((n_slots, n_counts), np.int64),
        free=np.arange(n_kept),
        tally=np.array([n_groups, n_kept]),
    )


class SplitCut(NamedTuple):
    """What the kernels know of the value trees and of where the cut runs."""

    slot: Any  # (n_attributes, most_codes) child of the shown value that a code falls under
    base: Any  # (n_attributes,) where each attribute's counters start
    hides: Any  # (n_attributes,) whether values are disclosed one by one
    first_child: Any  # (n_nodes,)
    n_children: Any  # (n_nodes,)
    alive: Any  # (n_nodes,) candidates that may still be refined
    worst: Any  # (n_rules, n_nodes) largest badness of a group that refining a candidate would create


@kernel
def reorder_rows(  # noqa: PLR0912 - two ways of moving rows
    codes: Any,
    code_words: Any,
    words: Any,
    spare_codes: Any,
    spare_words: Any,
    lo: int,
    hi: int,
    j: int,
    branch: Any,
    n_rows_of: Any,
    largest: int,
    next_row: Any,
) -> None:
    """Reorder a group's rows: the largest part first, then the others part by part.

    Only rows of the smaller parts, and as many of the largest, are moved.

    Args:
        codes: INOUT as in `Groups`.
        code_words: INOUT as in `Groups`.
        words: INOUT as in `Groups`.
        spare_codes: OUT as in `Groups`.
        spare_words: OUT as in `Groups`.
        lo: IN the first row of the group.
        hi: IN one past its last.
        j: IN the refined attribute.
        branch: IN (n_codes,) the part each code goes to.
        n_rows_of: IN (n_branches,) rows of each part.
        largest: IN the largest part.
        next_row: OUT (n_branches,) a buffer.
    """
    n_code_words, n_counts = code_words.shape[1], words.shape[1]
    border = lo + n_rows_of[largest]
    back = border
    for i in range(lo, border):
        if branch[codes[i, j]] == largest:
            continue
        while branch[codes[back, j]] != largest:
            back += 1
        for a in range(n_code_words):
            code_words[i, a], code_words[back, a] = code_words[back, a], code_words[i, a]
        for w in range(n_counts):
            words[i, w], words[back, w] = words[back, w], words[i, w]
        back += 1
    n_branches = n_rows_of.shape[0]
    at = 0
    n_others = 0
    for b in range(n_branches):
        if b != largest and n_rows_of[b] > 0:
            next_row[b] = at
            at += n_rows_of[b]
            n_others += 1
    if n_others <= 1:
        return
    for i in range(border, hi):
        b = branch[codes[i, j]]
        to = next_row[b]
        next_row[b] += 1
        for a in range(n_code_words):
            spare_codes[to, a] = code_words[i, a]
        for w in range(n_counts):
            spare_words[to, w] = words[i, w]
    for i in range(hi - border):
        for a in range(n_code_words):
            code_words[border + i, a] = spare_codes[i, a]
        for w in range(n_counts):
            words[border + i, w] = spare_words[i, w]


@kernel
def count_group(groups: Groups, cut: SplitCut, rules: Rules, g: int, live: Any) -> None:
    """Count a group's rows from scratch and update its candidates; keep the counters if that pays.

    Args:
        groups: INOUT the counters.
        cut: INOUT as in `update_candidates`.
        rules: IN the rules.
        g: IN the group.
        live: OUT a buffer for the live attributes.
    """
    n_attributes, n_counts = groups.shown.shape[0], groups.words.shape[1]
    n_live = np.int64(0)
    for a in range(n_attributes):
        if cut.alive[groups.shown[a, g]]:
            live[n_live] = a
            n_live += 1
    keep = groups.size[g] >= groups.scratch.shape[0]
    hist = groups.scratch
    groups.kept[g] = -1
    if keep:
        groups.tally[1] -= 1
        groups.kept[g] = groups.free[groups.tally[1]]
        hist = groups.hists[groups.kept[g]]
        for s in range(hist.shape[0]):
            for w in range(n_counts):
                hist[s, w] = 0
    lo = groups.start[g]
    count_rows(groups.codes, groups.words, cut.slot, cut.base, lo, lo + groups.size[g], live, n_live, hist)
    for p in range(n_live):
        a = live[p]
        update_candidates(groups, cut, rules, g, a, hist)
        if not keep:
            at = cut.base[a]
            for s in range(at, at + cut.n_children[groups.shown[a, g]] + cut.hides[a]):
                for w in range(n_counts):
                    hist[s, w] = 0


@kernel
def subtract_part(groups: Groups, cut: SplitCut, g: int, part: int, j: int, only: Any) -> None:
    """Subtract the counters of a part that left group `g` from those that `g` keeps.

    Args:
        groups: INOUT the counters.
        cut: IN the slots.
        g: IN the group, which keeps counters.
        part: IN the group that left it.
        j: IN the refined attribute, whose counters are made anew elsewhere.
        only: OUT a buffer for the attributes that are counted.
    """
    hist = groups.hists[groups.kept[g]]
    n_attributes = groups.shown.shape[0]
    if groups.kept[part] >= 0:
        away = groups.hists[groups.kept[part]]
        for a in range(n_attributes):
            value = groups.shown[a, g]
            if a != j and cut.alive[value]:
                at = cut.base[a]
                for s in range(at, at + cut.n_children[value] + cut.hides[a]):
                    for w in range(hist.shape[1]):
                        hist[s, w] -= away[s, w]
        return
    n_live = 0
    for a in range(n_attributes):
        if a != j and cut.alive[groups.shown[a, g]]:
            only[n_live] = a
            n_live += 1
    for i in range(groups.start[part], groups.start[part] + groups.size[part]):
        for p in range(n_live):
            a = only[p]
            at = cut.base[a] + cut.slot[a, groups.codes[i, a]]
            for w in range(hist.shape[1]):
                hist[at, w] -= groups.words[i, w]


def split_groups(groups: Groups, cut: SplitCut, rules: Rules, j: int, x: int, branch: Any, branch_node: Any) -> None:
    """Split every group that shows `x` on attribute `j`, and update the worsts.

    Args:
        groups: As in `split_all`.
        cut: As in `split_all`.
        rules: As in `split_all`.
        j: As in `split_all`.
        x: As in `split_all`.
        branch: As in `split_all`.
        branch_node: As in `split_all`.
    """
    n_branches, (n_attributes, n_counts) = len(branch_node), (groups.shown.shape[0], groups.words.shape[1])
    # Made here: allocating is slow to compile.
    buffers = (
        np.empty(n_branches, np.int64),
        np.empty((n_branches, n_counts), np.int64),
        np.empty(n_branches, np.int64),
        np.empty(n_attributes, np.int64),
    )
    split_all(groups, cut, rules, j, x, branch, branch_node, *buffers)


@kernel
def split_all(  # noqa: PLR0912, PLR0915 - one pass over a group
    groups: Groups,
    cut: SplitCut,
    rules: Rules,
    j: int,
    x: int,
    branch: Any,
    branch_node: Any,
    n_rows_of: Any,
    totals_of: Any,
    next_row: Any,
    live: Any,
) -> None:
    """Split every group that shows `x` on attribute `j`, and update the worsts.

    A split counts the rows of all parts but the largest; the largest part's
    counters are the group's own less those.

    Args:
        groups: INOUT split.
        cut: INOUT its slots already of the refined cut; its worsts rise.
        rules: IN the rules.
        j: IN the refined attribute.
        x: IN the value that is refined.
        branch: IN (n_codes,) the part each code of `j` goes to.
        branch_node: IN (n_branches,) the value each part shows.
        n_rows_of: OUT (n_branches,) a buffer.
        totals_of: OUT (n_branches, n_counts) a buffer.
        next_row: OUT (n_branches,) a buffer.
        live: OUT (n_attributes,) a buffer.
    """
    n_attributes, n_counts = groups.shown.shape[0], groups.words.shape[1]
    n_branches = branch_node.shape[0]
    for g in range(groups.tally[0]):
        if groups.shown[j, g] != x:
            continue
        lo, n_rows = groups.start[g], groups.size[g]
        for b in range(n_branches):
            n_rows_of[b] = 0
            for w in range(n_counts):
                totals_of[b, w] = 0
        for i in range(lo, lo + n_rows):
            b = branch[groups.codes[i, j]]
            n_rows_of[b] += 1
            for w in range(n_counts):
                totals_of[b, w] += groups.words[i, w]
        largest: Any = np.int64(0)
        for b in range(n_branches):
            if n_rows_of[b] > n_rows_of[largest]:
                largest = b
        is_undivided = n_rows_of[largest] == n_rows
        if is_undivided and branch_node[largest] == x:
            continue
        if not is_undivided:
            moved = groups.code_words, groups.words, groups.spare_codes, groups.spare_words
            reorder_rows(groups.codes, *moved, lo, lo + n_rows, j, branch, n_rows_of, largest, next_row)
        groups.size[g] = n_rows_of[largest]
        for w in range(n_counts):
            groups.total[g, w] = totals_of[largest, w]
        at = lo + n_rows_of[largest]
        for b in range(n_branches):
            if b == largest or n_rows_of[b] == 0:
                continue
            part = groups.tally[0]
            groups.tally[0] += 1
            groups.start[part] = at
            groups.size[part] = n_rows_of[b]
            for w in range(n_counts):
                groups.total[part, w] = totals_of[b, w]
            for a in range(n_attributes):
                groups.shown[a, part] = groups.shown[a, g]
            groups.shown[j, part] = branch_node[b]
            at += n_rows_of[b]
            count_group(groups, cut, rules, part, live)
            if groups.kept[g] >= 0:
                subtract_part(groups, cut, g, part, j, live)
        groups.shown[j, g] = branch_node[largest]
        if groups.kept[g] < 0:
            count_group(groups, cut, rules, g, live)
            continue
        hist = groups.hists[groups.kept[g]]
        at = cut.base[j]
        value = groups.shown[j, g]
        if cut.alive[value]:
            # The refined attribute now has other children, or `*` hides one value less.
            for s in range(at, at + cut.n_children[value] + cut.hides[j]):
                for w in range(n_counts):
                    hist[s, w] = 0
            live[0] = j
            n_live = np.int64(1)
            count_rows(groups.codes, groups.words, cut.slot, cut.base, lo, lo + groups.size[g], live, n_live, hist)
        for a in range(n_attributes):
            if cut.alive[groups.shown[a, g]] and (a == j or not is_undivided):
                update_candidates(groups, cut, rules, g, a, hist)
        if groups.size[g] < groups.scratch.shape[0]:
            groups.free[groups.tally[1]] = groups.kept[g]
            groups.tally[1] += 1
            groups.kept[g] = -1
