"""The values that regions may show: borders of intervals, and trees of which single children may be told.

Unlike the trees of one cut for the whole table, a value with a rare child is not
shut: its other children may be told, and what is left keeps the value's label.
So only values that are too rare themselves are left out.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from maskwise.policy.attributes import Kind
from maskwise.search.conditional.growing_tree import start_tree
from maskwise.search.grow_trees import grow_forest
from maskwise.search.regions import region_arrays

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from maskwise.profile.columns import Column, Profile
    from maskwise.search.value_trees import ValueTree

    Floats = NDArray[np.float64]
    Ints = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Domain:
    """The values of one attribute."""

    column: Column
    """The attribute's values and their counts."""
    n_codes: int
    """How many codes it has."""
    code_of_value: Ints  # (n_values + 1,)
    """The code of each value of the column; the missing value comes last."""
    starts: Ints  # (n_bins + 1,)
    """Of an interval attribute the first number of each bin, by its place among the column's numbers; else empty."""
    labels: tuple[str | None, ...] = ()
    """Of a tree attribute the label of each node, the root first; None is the missing value."""
    first_child: Ints | None = None  # (n_nodes,)
    """The first of a node's children, which stand side by side."""
    n_children: Ints | None = None  # (n_nodes,)
    """How many there are."""
    codes: Ints | None = None  # (n_nodes, 2)
    """The first and one past the last code below a node; values that are never told have the first one."""
    spread: Floats | None = None  # (n_nodes,)
    """What showing it hides: 0 the exact value, 1 everything."""

    @property
    def n_bins(self) -> int:
        """How many bins an interval attribute has."""
        return max(len(self.starts) - 1, 0)

    def number_at(self, border: int) -> float:
        """The number at which a bin begins; after the last bin the end of the range."""
        if border == 0:
            return self.column.range[0]
        if border == self.n_bins:
            return self.column.range[1]
        number: float = self.column.numbers[self.starts[border]]
        return number

    def label_of(self, shown: Sequence[int], root: int) -> str | None:
        """The label of what a region shows; None is the missing value.

        Args:
            shown: (3,) as the kernels know it.
            root: The attribute's root among the nodes of all trees.
        """
        first, stop = shown[0], shown[1]
        if self.column.kind is not Kind.INTERVAL:
            return self.labels[first - root]
        if first == stop == self.n_bins:
            return None
        return self.column.interval_label(self.number_at(first), self.number_at(stop), closed=stop == self.n_bins)


def list_domains(profile: Profile, floors: Mapping[str, int]) -> tuple[Domain, ...]:
    """The values that regions may show of each masked attribute.

    Args:
        profile: One-dimensional counts.
        floors: For each attribute the largest k that any of its QIDs asks for; what fewer records have is never told.
    """
    raw = grow_forest(profile, dict.fromkeys(floors, 0), raw=True)
    return tuple(
        _interval(column, floors[column.name])
        if column.kind is Kind.INTERVAL
        else _tree(column, tree, floors[column.name])
        for column, tree in zip(profile.columns, raw, strict=True)
    )


def _interval(column: Column, floor: int) -> Domain:
    tree = start_tree(column, floor)
    return Domain(column, tree.n_codes, tree.code_of_value, tree.starts)


def _tree(column: Column, tree: ValueTree, floor: int) -> Domain:
    """Leave out values that are too rare to be told; their records have a code of the value above."""
    n_records = np.array([int(node.counts.sum()) for node in tree.nodes])
    is_told = n_records >= max(floor, 1)
    is_told[0] = True
    kept = [node for node in np.flatnonzero(is_told).tolist() if node == 0 or is_told[tree.parent[node]]]
    # Breadth first, so parents come before children and siblings stand side by side.
    told: dict[int, int] = {}
    for node in kept:
        if node == 0 or int(tree.parent[node]) in told:
            told[node] = len(told)
    children: list[list[int]] = [[] for _ in told]
    for node, at in told.items():
        if node:
            children[told[int(tree.parent[node])]].append(at)
    n_values = len(tree.code_of_value)
    home = np.zeros(n_values, np.int64)
    for node, at in told.items():
        home[tree.nodes[node].members] = at
    codes = np.zeros((len(told), 2), np.int64)
    own = np.zeros(len(told), np.int64)
    is_there = np.append(column.counts.any(axis=1), column.missing.any())
    # Values that a suppress attribute does not tell apart are never told.
    has_own = np.bincount(home[is_there], minlength=len(told)) > 0
    has_own[0] |= column.n_rest > 0
    _number(children, has_own, codes, own)
    return Domain(
        column,
        max(int(codes[0, 1]), 1),
        own[home],
        np.zeros(0, np.int64),
        tuple(tree.nodes[node].label for node in told),
        np.array([below[0] if below else 0 for below in children], np.int64),
        np.array([len(below) for below in children], np.int64),
        codes,
        np.array([tree.nodes[node].spread for node in told]),
    )


def _number(children: Sequence[Sequence[int]], has_own: NDArray[np.bool_], codes: Ints, own: Ints) -> None:
    """Number codes in tree order: first that of a node's own values, then those of its children."""
    n_codes = 0
    stack = [(0, False)]
    while stack:
        node, is_done = stack.pop()
        if is_done:
            codes[node, 1] = n_codes
            continue
        codes[node, 0] = own[node] = n_codes
        n_codes += int(has_own[node])
        stack.append((node, True))
        stack.extend((child, False) for child in reversed(children[node]))


def flatten(domains: Sequence[Domain], weights: Floats) -> tuple[region_arrays.Domains, Ints]:
    """The domains as the kernels take them, and the root of each attribute.

    Args:
        domains: One for each attribute.
        weights: How much the information of each counts.
    """
    most_bins = max((domain.n_bins for domain in domains), default=0)
    place = np.zeros((len(domains), most_bins + 1))
    roots = np.zeros(len(domains), np.int64)
    first, stop, first_child, n_children, spread = [], [], [], [], []
    n_nodes = 0
    for a, domain in enumerate(domains):
        roots[a] = n_nodes
        if domain.column.kind is Kind.INTERVAL:
            place[a, : domain.n_bins + 1] = _places(domain)
            continue
        assert domain.codes is not None  # noqa: S101 - every tree attribute has nodes
        assert domain.first_child is not None  # noqa: S101 - as above
        assert domain.n_children is not None  # noqa: S101 - as above
        assert domain.spread is not None  # noqa: S101 - as above
        first.append(domain.codes[:, 0])
        stop.append(domain.codes[:, 1])
        first_child.append(domain.first_child + n_nodes)
        n_children.append(domain.n_children)
        spread.append(domain.spread)
        n_nodes += len(domain.codes)
    empty = np.zeros(0, np.int64)
    flat = region_arrays.Domains(
        kind=np.array([0 if domain.column.kind is Kind.INTERVAL else 1 for domain in domains], np.int64),
        # A code for missing cells is there also where there are none.
        offset=np.cumsum([0, *(max(domain.n_codes, domain.n_bins + 1) for domain in domains)]).astype(np.int64),
        n_bins=np.array([domain.n_bins for domain in domains], np.int64),
        place=place,
        first=np.concatenate([*first, empty]),
        stop=np.concatenate([*stop, empty]),
        first_child=np.concatenate([*first_child, empty]),
        n_children=np.concatenate([*n_children, empty]),
        spread=np.concatenate([*spread, np.zeros(0)]),
        weight=np.asarray(weights, np.float64),
    )
    return flat, roots


def _places(domain: Domain) -> Floats:
    """Where each bin begins, from 0 to 1 over the range."""
    low, high = domain.column.range
    # Halves, so that the ends of the largest range do not overflow.
    width = (float(high) / 2 - float(low) / 2) or 1.0
    numbers = [float(domain.number_at(border)) for border in range(domain.n_bins + 1)]
    return np.array([(number / 2 - float(low) / 2) / width for number in numbers])
