"""The refinements that a search did not perform, and the groups that each would make.

A shown value may be parted once more, as its tree says: into the children of a
taxonomy's value, into the two parts of an interval, or into one hidden value and
the others. Where the search may split an interval anywhere, every place is a
refinement of its own.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from maskwise.policy.attributes import Kind
from maskwise.search.conditional.growing_tree import GrowingTree
from maskwise.search.known_labels import with_known_labels
from maskwise.search.value_trees import is_beneficial
from maskwise.solution.cut import HIDDEN, MissingShown

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from numpy.typing import NDArray

    from maskwise.attacks.searched import Searched
    from maskwise.compress.compressed_table import Compact
    from maskwise.search.value_trees import AnyTree
    from maskwise.solution.cut import Cut

    Ints = NDArray[np.int64]

_MOST_CELLS = 20_000_000
"""Up to so many cells, groups by codes, are counted in one array; more are sorted."""


class OtherTreesError(Exception):
    """A cut shows values that the trees do not have: it was found on another table, or with other options."""


@dataclass(frozen=True, slots=True)
class Parting:
    """One way to show more of an attribute."""

    attribute: int
    """The attribute's number in the policy."""
    shown: str
    """The value that would be refined."""
    parts: tuple[str, ...]
    """What would be shown instead; of a missing cell, `(missing)`."""
    part_of_code: Ints  # (n_codes,) -1 for codes that it does not touch
    """The part that each code of the attribute would belong to."""


@dataclass(frozen=True, slots=True)
class GroupCells:
    """The records of one QID, by the group that the release shows and the code on one of its attributes."""

    group: Ints  # (n_cells,)
    """The group's number."""
    code: Ints  # (n_cells,)
    """The code."""
    counts: Ints  # (n_cells, n_counts)
    """The counters, as in `Compact`."""

    def parted(self, refinement: Parting) -> Ints:
        """The counters of the parts of each group that a refinement would touch: (n_groups, n_parts, n_counts).

        A group of one part stays as it is, so it is left out.
        """
        part = refinement.part_of_code[self.code]
        own = np.flatnonzero(part >= 0)
        groups, number = np.unique(self.group[own], return_inverse=True)
        n_parts, n_counts = len(refinement.parts), self.counts.shape[1]
        found = np.zeros((len(groups) * n_parts, n_counts), np.int64)
        np.add.at(found, number * n_parts + part[own], self.counts[own])
        shaped = found.reshape(len(groups), n_parts, n_counts)
        parted: Ints = shaped[(shaped[:, :, 0] > 0).sum(axis=1) > 1]
        return parted


def list_refinements(searched: Searched) -> tuple[Parting, ...]:
    """All refinements of the values that a cut shows, which the search could have tried."""
    found: list[Parting] = []
    for i, (tree, cut) in enumerate(_attributes(searched)):
        if cut.kind is Kind.SUPPRESS:
            found += _disclosures(i, tree, cut, has_class=searched.has_class)
        elif isinstance(tree, GrowingTree):
            found += _splits(i, tree, cut, has_class=searched.has_class)
        else:
            found += [Parting(i, *_parts(tree, node)) for node in _shown_nodes(tree, cut) if tree.n_children[node] > 1]
    return tuple(found)


def group_cells(searched: Searched, table: Compact, refinements: Iterable[Parting]) -> dict[int, GroupCells]:
    """For each attribute of a QID that could be refined, its records by group and code."""
    wanted = {refinement.attribute for refinement in refinements} & set(table.attributes)
    if not wanted:
        return {}
    group, first = _group_rows(searched, table)
    return {
        a: _count_cells(group, table.codes[:, place], table.counts, len(first), searched.trees[a].n_codes)
        for place, a in enumerate(table.attributes)
        if a in wanted
    }


def _group_rows(searched: Searched, table: Compact) -> tuple[Ints, Ints]:
    """The group of each row of a compressed table, and the first row of each group."""
    attributes = list(_attributes(searched))
    n_groups, group = 1, np.zeros(len(table.codes), np.int64)
    for place, a in enumerate(table.attributes):
        shown = _shown_number(*attributes[a])
        n_shown = int(shown.max()) + 1
        if n_groups * n_shown >= 2**62:
            _, group = np.unique(group, return_inverse=True)
            n_groups = int(group.max()) + 1
        group = group * n_shown + shown[table.codes[:, place]]
        n_groups *= n_shown
    if n_groups <= len(group):
        # Few enough to be numbered without sorting, which takes most of the time.
        first_of = np.full(n_groups, len(group), np.int64)
        first_of[group[::-1]] = np.arange(len(group))[::-1]
        present = np.flatnonzero(first_of < len(group))
        number = np.zeros(n_groups, np.int64)
        number[present] = np.arange(len(present))
        return number[group], first_of[present]
    _, first, number = np.unique(group, return_index=True, return_inverse=True)
    return number, first


def _count_cells(
    group: Ints, code: NDArray[np.unsignedinteger], counts: Ints, n_groups: int, n_codes: int
) -> GroupCells:
    key = group * n_codes + code
    if n_groups * n_codes <= max(_MOST_CELLS // counts.shape[1], 1):
        sums = np.stack([np.bincount(key, counts[:, c], n_groups * n_codes) for c in range(counts.shape[1])], axis=1)
        keys = np.flatnonzero(sums[:, 0])
        sums = sums[keys]
    else:
        keys, number = np.unique(key, return_inverse=True)
        sums = np.stack([np.bincount(number, counts[:, c]) for c in range(counts.shape[1])], axis=1)
    # Counts below 2**53 are exact as floats.
    return GroupCells(keys // n_codes, keys % n_codes, np.rint(sums).astype(np.int64))


def _attributes(searched: Searched) -> Iterator[tuple[AnyTree, Cut]]:
    cuts = with_known_labels(searched.solution.cuts, searched.profile.columns)
    return zip(searched.trees, cuts, strict=True)


def _shown_number(tree: AnyTree, cut: Cut) -> Ints:
    """For each code of an attribute a number that stands for the value that it is shown as."""
    shown = np.zeros(tree.n_codes, np.int64)
    if cut.kind is Kind.SUPPRESS:
        for node, (first, stop) in _disclosed(tree, cut).items():
            shown[first:stop] = node
        return shown
    if isinstance(tree, GrowingTree):
        for number, (first, stop, _) in enumerate(_shown_bins(tree, cut)):
            shown[first:stop] = number
        if cut.missing is MissingShown.ITSELF:
            shown[tree.n_bins :] = int(shown.max()) + 1
        return shown
    for node in _shown_nodes(tree, cut):
        shown[tree.codes[node, 0] : tree.codes[node, 1]] = node
    return shown


def _disclosed(tree: AnyTree, cut: Cut) -> dict[int, tuple[int, int]]:
    """The nodes of the values that a suppress attribute shows, with their codes."""
    texts = set(cut.shown)
    return {
        node: (int(tree.codes[node, 0]), int(tree.codes[node, 1]))
        for node in range(1, len(tree.nodes))
        if (tree.nodes[node].label in texts) or (tree.nodes[node].label is None and cut.missing is MissingShown.ITSELF)
    }


def _disclosures(i: int, tree: AnyTree, cut: Cut, *, has_class: bool) -> list[Parting]:
    """Each hidden value that could be disclosed beside the other hidden ones."""
    disclosed = _disclosed(tree, cut)
    hidden_counts = tree.nodes[0].counts - sum(tree.nodes[node].counts for node in disclosed)
    if tree.kind is not Kind.SUPPRESS or not is_beneficial(hidden_counts, has_class=has_class):
        return []
    hidden = np.ones(tree.n_codes, np.int64)
    for first, stop in disclosed.values():
        hidden[first:stop] = -1
    found = []
    for node in range(1, len(tree.nodes)):
        if node not in disclosed and tree.nodes[node].counts.sum() > 0:
            part = hidden.copy()
            part[tree.codes[node, 0] : tree.codes[node, 1]] = 0
            found.append(Parting(i, HIDDEN, (_text(tree.nodes[node].label), HIDDEN), part))
    return found


def _shown_bins(tree: GrowingTree, cut: Cut) -> list[tuple[int, int, str]]:
    """The first bin of each shown interval, one past its last, and its label."""
    column = tree.column
    starts = [column.range[0], *(column.numbers[tree.starts[b]] for b in range(1, tree.n_bins))]
    place = {float(number): b for b, number in enumerate(starts)}
    try:
        borders = [place[float(low)] for low in cut.breaks[:-1]]
    except KeyError:
        raise OtherTreesError from None
    return [
        (first, stop, label) for (first, stop), label in zip(pairwise([*borders, tree.n_bins]), cut.labels, strict=True)
    ]


def _splits(i: int, tree: GrowingTree, cut: Cut, *, has_class: bool) -> Iterator[Parting]:
    """Every split of every shown interval; a missing cell becomes a part of its own with the first one."""
    column = tree.column
    hides_missing = tree.n_codes > tree.n_bins and cut.missing is not MissingShown.ITSELF
    for first, stop, label in _shown_bins(tree, cut):
        counts = column.counts[tree.starts[first] : tree.starts[stop]].sum(axis=0)
        counts = counts + column.missing if hides_missing else counts
        if not is_beneficial(counts, has_class=has_class):
            continue
        for border in range(first + 1, stop):
            part = np.full(tree.n_codes, -1, np.int64)
            part[first:border], part[border:stop] = 0, 1
            rest = ("(missing)",) if hides_missing else ()
            part[tree.n_bins :] = 2 if hides_missing else -1
            at = column.numbers[tree.starts[border]]
            yield Parting(i, label, (f"below {at}", f"from {at}", *rest), part)


def _shown_nodes(tree: AnyTree, cut: Cut) -> list[int]:
    """The nodes that a cut shows, found from the root down."""
    spans = {(float(low), float(high)) for low, high in pairwise(cut.breaks)}
    labels = set(cut.labels)
    parts_missing = cut.missing is MissingShown.ITSELF

    def is_shown(node: int) -> bool:
        value = tree.nodes[node]
        if value.label is None:
            return True
        if node == 0 and parts_missing and tree.n_children[0]:
            return False
        if cut.kind is Kind.INTERVAL:
            return (float(value.inside[0]), float(value.inside[1])) in spans
        return value.label in labels

    found, open_nodes = [], [0]
    while open_nodes:
        node = open_nodes.pop()
        if is_shown(node):
            found.append(node)
            continue
        first, n = int(tree.first_child[node]), int(tree.n_children[node])
        if not n and tree.nodes[node].counts.sum():
            raise OtherTreesError
        open_nodes += range(first, first + n)
    return sorted(found)


def _parts(tree: AnyTree, node: int) -> tuple[str, tuple[str, ...], Ints]:
    """What a node of a tree would be refined to, and the part that each code would belong to."""
    children: Sequence[int] = range(int(tree.first_child[node]), int(tree.first_child[node] + tree.n_children[node]))
    part = np.full(tree.n_codes, -1, np.int64)
    for p, child in enumerate(children):
        part[tree.codes[child, 0] : tree.codes[child, 1]] = p
    return _text(tree.nodes[node].label), tuple(_text(tree.nodes[child].label) for child in children), part


def _text(label: str | None) -> str:
    return "(missing)" if label is None else label
