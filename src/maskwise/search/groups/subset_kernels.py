"""Count the groups of many subsets of attributes at once, and what refining a value would make of them: compiled.

The rows that show a refined value are looked at once for each subset with its
attribute. `bundle_kernels` counts many subsets at once, where their cells are few. Arguments are tagged IN, OUT or
INOUT.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from maskwise.search.groups.subset_cells import Buffers, count_cells, number_keys
from maskwise.search.rule_kernels import weigh
from maskwise.values.kernel import kernel

if TYPE_CHECKING:
    from maskwise.search.rule_kernels import Rules

_BLOCK = 1024
"""So many rows are turned into columns at a time."""


class Dimensions(NamedTuple):
    """What rows show of each attribute, and what candidates would tell apart.

    A place is a part of a shown value that the refinement of a candidate would
    tell apart, or a shown value of which there is no candidate. The refined
    attribute comes once more, last, with the places of the rows that are looked at.
    """

    places: Any  # (n_attributes + 1, n_rows) the place of each row that is looked at
    n_places: Any  # (n_attributes + 1,)
    n_shown: Any  # (n_attributes + 1,) how many values are shown
    offset: Any  # (n_attributes + 1,) where the places of each attribute start in the arrays below
    shown: Any  # which shown value a place is of
    candidate: Any  # the candidate that tells it apart, or -1
    is_open: Any  # (n_attributes + 1,) whether there is a candidate
    hides: Any  # (n_attributes + 1,) whether values are disclosed one by one


class Subsets(NamedTuple):
    """Subsets of the attributes, all of one size."""

    members: Any  # (n_subsets, size) ascending
    number: Any  # (n_subsets, size) a subset's number among those that have the member
    is_enforced: Any  # (n_subsets, n_rules) False for a rule that another one implies


class Worsts(NamedTuple):
    """For each candidate, and each subset with its attribute, the worst group that refining it would create."""

    badness: Any  # by attribute, node, subset with the attribute, rule
    offset: Any  # (n_attributes,) where those of an attribute start
    n_subsets: Any  # (n_attributes,) how many subsets have it
    first_node: Any  # (n_attributes,) its root
    alive: Any  # (n_nodes,) candidates that may still be refined


@kernel
def take_places(codes: Any, rows: Any, place_of_code: Any, first: int, last: int, places: Any) -> None:
    """Look up the places of some rows, attribute by attribute.

    Args:
        codes: IN (n_rows, n_attributes)
        rows: IN the rows that are looked at.
        place_of_code: IN (n_attributes, most_codes)
        first: IN the first attribute that is looked up.
        last: IN one past the last.
        places: OUT as in `Dimensions`.
    """
    for start in range(0, rows.shape[0], _BLOCK):
        stop = min(start + _BLOCK, rows.shape[0])
        for d in range(first, last):
            for i in range(start, stop):
                places[d, i] = place_of_code[d, codes[rows[i], d]]


@kernel
def _dimension(subsets: Subsets, s: int, j: int, a: int, refined: int) -> Any:
    """The j-th attribute of a subset, the refined one first, by its number among the dimensions."""
    if j == 0:
        return refined
    member = subsets.members[s, j - 1]
    return np.int64(member if member < a else subsets.members[s, j])


@kernel
def _number_of(subsets: Subsets, s: int, attribute: int) -> Any:
    """A subset's number among those that have an attribute."""
    m = 0
    while subsets.members[s, m] != attribute:
        m += 1
    return np.int64(subsets.number[s, m])


@kernel
def _number_cells(dims: Dimensions, subsets: Subsets, s: int, a: int, n: int, buffers: Buffers) -> Any:
    """Number the cells of the rows on the attributes of a subset; return how many there may be."""
    refined = dims.n_places.shape[0] - 1
    n_cells, cell = np.int64(1), buffers.cell[:n]
    for i in range(n):
        cell[i] = 0
    for j in range(subsets.members.shape[1]):
        d = _dimension(subsets, s, j, a, refined)
        n_places, places = dims.n_places[d], dims.places[d, :n]
        if n_cells * n_places > buffers.counted.shape[0]:
            n_cells = number_keys(buffers.cell, n, buffers.table)
        n_cells *= n_places
        for i in range(n):
            cell[i] = cell[i] * n_places + places[i]
    if n_cells > buffers.counted.shape[0]:
        n_cells = number_keys(buffers.cell, n, buffers.table)
    return n_cells


@kernel
def weigh_subset(  # noqa: PLR0912 - one pass over the cells
    dims: Dimensions, subsets: Subsets, s: int, a: int, rules: Rules, worsts: Worsts, buffers: Buffers
) -> None:
    """Update the worst figures of the candidates on a subset's attributes from its cells in `buffers`.

    Args:
        dims: IN what rows show.
        subsets: IN the subsets.
        s: IN which of them.
        a: IN the refined attribute.
        rules: IN the rules, all of them enforced.
        worsts: INOUT rise.
        buffers: INOUT its cells.
    """
    size, refined, n_rules = subsets.members.shape[1], dims.n_places.shape[0] - 1, rules.kind.shape[0]
    n_cells = buffers.n_cells[0]
    hides_any = False
    for j in range(size):
        hides_any = hides_any or dims.hides[_dimension(subsets, s, j, a, refined)]
    # First the groups themselves, where a rest has to be found; then those that refining each attribute would make.
    for free in range(-1 if hides_any else 0, size):
        d = _dimension(subsets, s, max(free, 0), a, refined)
        if free >= 0 and not dims.is_open[d]:
            continue
        ids = buffers.group if free < 0 else buffers.part_of
        sums = buffers.wholes if free < 0 else buffers.sums
        n_ids = np.int64(1)
        for c in range(n_cells):
            ids[c] = 0
        for j in range(size):
            e = _dimension(subsets, s, j, a, refined)
            n_values = dims.n_places[e] if j == free else dims.n_shown[e]
            if n_ids * n_values > sums.shape[0]:
                n_ids = number_keys(ids, n_cells, buffers.table)
            n_ids *= n_values
            for c in range(n_cells):
                place = np.int64(dims.places[e, buffers.some_row[c]])
                ids[c] = ids[c] * n_values + (place if j == free else dims.shown[dims.offset[e] + place])
        if n_ids > sums.shape[0]:
            n_ids = number_keys(ids, n_cells, buffers.table)
        for x in range(n_ids):
            buffers.some_cell[x] = -1
        for c in range(n_cells):
            x = ids[c]
            if buffers.some_cell[x] < 0:
                buffers.some_cell[x] = c
                for w in range(sums.shape[1]):
                    sums[x, w] = 0
            for w in range(sums.shape[1]):
                sums[x, w] += buffers.cells[c, w]
        if free < 0:
            continue
        attribute = a if d == refined else d
        number, n_subsets = _number_of(subsets, s, attribute), worsts.n_subsets[attribute]
        first = worsts.first_node[attribute]
        for x in range(n_ids):
            c = buffers.some_cell[x]
            if c < 0:
                continue
            candidate = dims.candidate[dims.offset[d] + np.int64(dims.places[d, buffers.some_row[c]])]
            if candidate < 0 or not worsts.alive[candidate]:
                continue
            part = sums[x]
            # Only of values that are hidden side by side the whole is asked for.
            whole = buffers.wholes[buffers.group[c]] if dims.hides[d] else part
            at = worsts.offset[attribute] + ((candidate - first) * n_subsets + number) * n_rules
            # A disclosed value leaves a rest, too, unless it has all records.
            for is_rest in range(2 if dims.hides[d] and whole[0] > part[0] else 1):
                for r in range(n_rules):
                    badness, is_broken = weigh(rules, r, part, whole, is_rest)
                    worsts.badness[at + r] = max(worsts.badness[at + r], badness)
                    if is_broken and subsets.is_enforced[s, r]:
                        worsts.alive[candidate] = False


@kernel
def count_subsets(
    dims: Dimensions,
    subsets: Subsets,
    own: Any,
    a: int,
    words: Any,
    rules: Rules,
    worsts: Worsts,
    buffers: Buffers,
) -> None:
    """Count the rows that are looked at on each of some subsets, and update the worst figures of candidates.

    Args:
        dims: IN what these rows show.
        subsets: IN the subsets.
        own: IN those that are counted, which have the refined attribute.
        a: IN the refined attribute.
        words: IN (n_rows, n_counts) the counters of the rows.
        rules: IN the rules, all of them enforced.
        worsts: INOUT rise.
        buffers: OUT what is counted in.
    """
    n, size, refined = words.shape[0], subsets.members.shape[1], dims.n_places.shape[0] - 1
    for q in range(own.shape[0]):
        s = own[q]
        is_open = False
        for j in range(size):
            is_open = is_open or dims.is_open[_dimension(subsets, s, j, a, refined)]
        if is_open:
            n_cells = _number_cells(dims, subsets, s, a, n, buffers)
            count_cells(buffers.cell[:n], n_cells, words, buffers)
            weigh_subset(dims, subsets, s, a, rules, worsts, buffers)


@kernel
def add_losses(now: Any, worst: Any, which: Any, rows: Any, by: Any, total: Any) -> None:
    """Add up what refining each of some candidates costs by each of some rules, one rule after the other.

    Args:
        now: IN the badness of each rule now.
        worst: IN (n_candidates, n_rows) that after refining each candidate.
        which: IN the rules.
        rows: IN where each of them is in a row of `worst`.
        by: IN what its loss is divided by.
        total: INOUT (n_candidates,)
    """
    for p in range(which.shape[0]):
        at = now[which[p]]
        for c in range(total.shape[0]):
            total[c] += (max(at, worst[c, rows[p]]) - at) / by[p]
