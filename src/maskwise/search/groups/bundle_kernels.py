"""Count rows on combinations of bundles, and what each subset of attributes has of it; compiled.

Arguments are tagged IN, OUT or INOUT.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from maskwise.search.groups.subset_kernels import weigh_subset
from maskwise.values.kernel import kernel

if TYPE_CHECKING:
    from maskwise.search.groups.subset_bundles import Bundles, Combinations
    from maskwise.search.groups.subset_cells import Buffers
    from maskwise.search.groups.subset_kernels import Dimensions, Subsets, Worsts
    from maskwise.search.groups.subset_tables import MovedRows, SubsetTables
    from maskwise.search.rule_kernels import Rules

_BLOCK = 1024
"""So many rows are turned into columns at a time."""


@kernel
def take_bundles(
    codes: Any, rows: Any, place_of_code: Any, attribute: Any, bundles: Bundles, n_places: Any, span: Any, numbers: Any
) -> None:
    """Number what some rows have on each of some bundles.

    Args:
        codes: IN (n_rows, n_attributes)
        rows: IN the rows that are looked at.
        place_of_code: IN (n_dimensions, most_codes)
        attribute: IN (n_dimensions,) the attribute that each dimension is of.
        bundles: IN the bundles.
        n_places: IN how many places each dimension has.
        span: IN the first bundle that is looked up, and one past the last.
        numbers: OUT (n_bundles, n_rows)
    """
    most = bundles.members.shape[1]
    for start in range(0, rows.shape[0], _BLOCK):
        some = rows[start : min(start + _BLOCK, rows.shape[0])]
        for b in range(span[0], span[1]):
            own = numbers[b, start : start + some.shape[0]]
            for m in range(most):
                d = bundles.members[b, m]
                if d < 0:
                    break
                a, n, places = attribute[d], n_places[d], place_of_code[d]
                for i in range(some.shape[0]):
                    place = places[codes[some[i], a]]
                    own[i] = np.uint16(place if m == 0 else own[i] * n + place)


@kernel
def _count_combination(  # noqa: PLR0912 - one loop for each number of bundles
    numbers: Any, which: Any, size: Any, words: Any, counted: Any
) -> Any:
    """Count the rows on a combination of bundles; return how many cells there may be.

    Args:
        numbers: IN (n_bundles, n_rows)
        which: IN the bundles; -1 is none.
        size: IN how many numbers each bundle has.
        words: IN (n_rows, n_counts) the counters of the rows.
        counted: OUT (n_cells or more, n_counts)
    """
    n, n_counts, n_which = words.shape[0], words.shape[1], which.shape[0]
    n_cells, first = np.int64(1), 0
    for j in range(n_which):
        if which[j] < 0:
            first = j + 1
        else:
            n_cells *= size[which[j]]
    for x in range(n_cells):
        for w in range(n_counts):
            counted[x, w] = 0
    # Numbers without a sign: an index that may be negative takes three times as long.
    n_used = n_which - first
    if n_counts == 1 and n_used == 1:
        one = numbers[which[first]]
        for i in range(n):
            counted[np.uintp(one[i]), 0] += words[i, 0]
    elif n_counts == 1 and n_used == 2:  # noqa: PLR2004 - two bundles
        one, two = numbers[which[first]], numbers[which[first + 1]]
        n_two = np.uintp(size[which[first + 1]])
        for i in range(n):
            counted[np.uintp(one[i]) * n_two + np.uintp(two[i]), 0] += words[i, 0]
    elif n_counts == 1 and n_used == 3:  # noqa: PLR2004 - three
        one, two, three = numbers[which[first]], numbers[which[first + 1]], numbers[which[first + 2]]
        n_two, n_three = np.uintp(size[which[first + 1]]), np.uintp(size[which[first + 2]])
        for i in range(n):
            counted[(np.uintp(one[i]) * n_two + np.uintp(two[i])) * n_three + np.uintp(three[i]), 0] += words[i, 0]
    else:
        for i in range(n):
            cell = np.uintp(0)
            for j in range(first, n_which):
                cell = cell * np.uintp(size[which[j]]) + np.uintp(numbers[which[j], i])
            for w in range(n_counts):
                counted[cell, w] += words[i, w]
    return n_cells


@kernel
def _n_before_last(combinations: Combinations, q: int) -> Any:
    """How many dimensions of a subset are not in the last bundle of its combination."""
    size, n = combinations.position.shape[1], 0
    while n < size and combinations.position[q, n] < size - 1:
        n += 1
    return n


@kernel
def _sum_head(
    combinations: Combinations,
    c: int,
    q: int,
    n_head: int,
    bundles: Bundles,
    n_places: Any,
    n_cells: int,
    buffers: Buffers,
) -> None:
    """Add up the cells of a combination that are alike on a subset's dimensions, those in the last bundle left out.

    Args:
        combinations: IN the combinations.
        c: IN which of them.
        q: IN the place of the subset.
        n_head: IN how many dimensions are not in the last bundle.
        bundles: IN the bundles.
        n_places: IN how many places each dimension has.
        n_cells: IN how many cells the combination has.
        buffers: INOUT its `counted` are added up in `partial`.
    """
    n_bundles = combinations.bundles.shape[1]
    n_last, n_counts = bundles.size[combinations.bundles[c, n_bundles - 1]], buffers.counted.shape[1]
    n_sums = n_last
    for j in range(n_head):
        n_sums *= n_places[combinations.dimension[q, j]]
    for x in range(n_sums):
        for w in range(n_counts):
            buffers.partial[x, w] = 0
    for h in range(n_cells // n_last):
        # The number of each bundle, the last of them first; dimensions are in the order of their bundles.
        rest, at, times, j = h, np.int64(0), np.int64(1), n_head - 1
        for p in range(n_bundles - 2, -1, -1):
            bundle = combinations.bundles[c, p]
            if bundle < 0:
                break
            number = rest % bundles.size[bundle]
            rest //= bundles.size[bundle]
            while j >= 0 and combinations.position[q, j] == p:
                d = combinations.dimension[q, j]
                at += bundles.place_of[d, number] * times
                times *= n_places[d]
                j -= 1
        own, counted = buffers.partial[at * n_last : (at + 1) * n_last], buffers.counted[h * n_last : (h + 1) * n_last]
        for x in range(n_last):
            for w in range(n_counts):
                own[x, w] += counted[x, w]


@kernel
def _sum_tail(
    combinations: Combinations,
    c: int,
    q: int,
    n_head: int,
    bundles: Bundles,
    n_places: Any,
    buffers: Buffers,
    tail: Any,
) -> Any:
    """Add up what `_sum_head` found on the other dimensions, too; return how many cells the subset may have.

    Args:
        combinations: IN the combinations.
        c: IN which of them.
        q: IN the place of the subset.
        n_head: IN how many dimensions are not in the last bundle.
        bundles: IN the bundles.
        n_places: IN how many places each dimension has.
        buffers: INOUT its `partial` are added up in `sums`.
        tail: OUT (n_numbers,) the cell of each number of the last bundle.
    """
    size, n_counts = combinations.dimension.shape[1], buffers.counted.shape[1]
    n_last = bundles.size[combinations.bundles[c, combinations.bundles.shape[1] - 1]]
    n_heads, n_tails = np.int64(1), np.int64(1)
    for j in range(size):
        if j < n_head:
            n_heads *= n_places[combinations.dimension[q, j]]
        else:
            n_tails *= n_places[combinations.dimension[q, j]]
    for x in range(n_last):
        tail[x] = 0
        for j in range(n_head, size):
            d = combinations.dimension[q, j]
            tail[x] = tail[x] * n_places[d] + bundles.place_of[d, x]
    for x in range(n_heads * n_tails):
        for w in range(n_counts):
            buffers.sums[x, w] = 0
    for h in range(n_heads):
        own, counted = buffers.sums[h * n_tails : (h + 1) * n_tails], buffers.partial[h * n_last : (h + 1) * n_last]
        for x in range(n_last):
            for w in range(n_counts):
                own[np.uintp(tail[x]), w] += counted[x, w]
    return n_heads * n_tails


@kernel
def _is_head_alike(combinations: Combinations, q: int, n_head: int) -> bool:
    """Whether a subset has the dimensions of the one before it, those in the last bundle left out."""
    if _n_before_last(combinations, q - 1) != n_head:
        return False
    n_alike = 0
    while n_alike < n_head and combinations.dimension[q, n_alike] == combinations.dimension[q - 1, n_alike]:
        n_alike += 1
    return bool(n_alike == n_head)


@kernel
def _sum_subset(
    combinations: Combinations,
    c: int,
    q: int,
    bundles: Bundles,
    n_places: Any,
    n_cells: int,
    buffers: Buffers,
    tail: Any,
) -> Any:
    """Count the cells of a subset into `sums` from those of its combination; return how many there may be.

    A cell is numbered by the places on the subset's dimensions, in the order of the combination.
    """
    n_head = _n_before_last(combinations, q)
    if q == combinations.start[c] or not _is_head_alike(combinations, q, n_head):
        _sum_head(combinations, c, q, n_head, bundles, n_places, n_cells, buffers)
    return _sum_tail(combinations, c, q, n_head, bundles, n_places, buffers, tail)


@kernel
def fill_tables(
    tables: SubsetTables,
    members: Any,
    combinations: Combinations,
    span: Any,
    bundles: Bundles,
    numbers: Any,
    n_codes: Any,
    words: Any,
    buffers: Buffers,
) -> None:
    """Count the rows of all attributes on some subsets.

    Args:
        tables: INOUT their rows are filled in.
        members: IN (n_subsets, size) the attributes of the subsets.
        combinations: IN the combinations of bundles.
        span: IN the first of them that is counted, and one past the last.
        bundles: IN the bundles.
        numbers: IN (n_bundles, n_rows)
        n_codes: IN how many codes each attribute has.
        words: IN (n_rows, n_counts) the counters of the rows.
        buffers: OUT what is counted in.
    """
    size, tail = members.shape[1], np.empty(bundles.place_of.shape[1], np.int64)
    column = np.empty(size, np.int64)
    for c in range(span[0], span[1]):
        n_cells = _count_combination(numbers, combinations.bundles[c], bundles.size, words, buffers.counted)
        for q in range(combinations.start[c], combinations.start[c + 1]):
            n_own = _sum_subset(combinations, c, q, bundles, n_codes, n_cells, buffers, tail)
            s = combinations.subsets[q]
            for j in range(size):
                column[j] = 0
                while members[s, column[j]] != combinations.dimension[q, j]:
                    column[j] += 1
            at = tables.start[s]
            for x in range(n_own):
                if buffers.sums[x, 0] == 0:
                    continue
                rest = np.int64(x)
                for j in range(size - 1, -1, -1):
                    n = n_codes[combinations.dimension[q, j]]
                    tables.codes[at, column[j]] = rest % n
                    rest //= n
                for w in range(words.shape[1]):
                    tables.words[at, w] = buffers.sums[x, w]
                at += 1
            tables.n_rows[s] = at - tables.start[s]


@kernel
def count_bundled(
    dims: Dimensions,
    subsets: Subsets,
    a: int,
    combinations: Combinations,
    span: Any,
    bundles: Bundles,
    numbers: Any,
    words: Any,
    rules: Rules,
    worsts: Worsts,
    buffers: Buffers,
    scratch: MovedRows,
) -> None:
    """Count the rows that are looked at on each of some subsets, and update the worst figures of candidates.

    Args:
        dims: IN what candidates would tell apart; its places are those of the scratch.
        subsets: IN the subsets.
        a: IN the refined attribute.
        combinations: IN the combinations of bundles.
        span: IN the first of them that is counted, and one past the last.
        bundles: IN the bundles.
        numbers: IN (n_bundles, n_rows)
        words: IN (n_rows, n_counts) the counters of the rows.
        rules: IN the rules, all of them enforced.
        worsts: INOUT rise.
        buffers: OUT what is counted in.
        scratch: OUT the cells of a subset, as rows.
    """
    size, tail = combinations.dimension.shape[1], np.empty(bundles.place_of.shape[1], np.int64)
    for c in range(span[0], span[1]):
        n_cells = _count_combination(numbers, combinations.bundles[c], bundles.size, words, buffers.counted)
        for q in range(combinations.start[c], combinations.start[c + 1]):
            n_own = _sum_subset(combinations, c, q, bundles, dims.n_places, n_cells, buffers, tail)
            n_found = np.int64(0)
            for x in range(n_own):
                if buffers.sums[x, 0] == 0:
                    continue
                rest = np.int64(x)
                for j in range(size - 1, -1, -1):
                    d = combinations.dimension[q, j]
                    scratch.places[d, n_found] = rest % dims.n_places[d]
                    rest //= dims.n_places[d]
                for w in range(words.shape[1]):
                    buffers.cells[n_found, w] = buffers.sums[x, w]
                buffers.some_row[n_found] = n_found
                n_found += 1
            buffers.n_cells[0] = n_found
            weigh_subset(dims, subsets, combinations.subsets[q], a, rules, worsts, buffers)
