"""Interval trees that grow while the search goes on.

The papers split an interval where the class is told best, whatever that does to
privacy, so their trees are known beforehand. Here the search decides where to
split, among all boundaries between bins; a tree has room for every interval it
may come to have.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from maskwise.policy.attributes import Kind
from maskwise.search.value_trees import Node, Tree
from maskwise.values.scales import interval_label

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from maskwise.profile.columns import Column

    Ints = NDArray[np.int64]

MOST_BINS = 256
"""So many boundaries are tried at most; a column with more distinct numbers is binned by quantiles."""


@dataclass(slots=True)
class Elastic:
    """The interval tree of one attribute, as far as it has grown."""

    column: Column
    """The attribute's numbers and their counts."""
    starts: Ints  # (n_bins + 1,)
    """The first number of each bin, by its place among the column's numbers; one past the last."""
    tree: Tree
    """Its nodes; those not grown yet hold nothing."""
    n_nodes: int
    """How many have been grown."""

    @property
    def n_bins(self) -> int:
        """How many bins there are."""
        return len(self.starts) - 1

    def reach(self, node: int) -> tuple[int, int]:
        """The first and one past the last bin of a node."""
        low, high = self.tree.codes[node].tolist()
        return low, min(high, self.n_bins)

    def split(self, node: int, border: int) -> None:
        """Give a node two children, and one for the missing value if it holds that.

        Args:
            node: The interval.
            border: The first bin of the right part.
        """
        tree, (low, high) = self.tree, self.reach(node)
        holds_missing = int(tree.codes[node, 1]) > self.n_bins
        tree.first_child[node] = self.n_nodes
        tree.n_children[node] = 2 + holds_missing
        start, end, closed = tree.nodes[node].inside
        middle = self.column.numbers[self.starts[border]]
        parts = [(low, border, (start, middle, False)), (border, high, (middle, end, closed))]
        for first, stop, inside in parts:
            self._add(node, _piece(self.column, self.starts[first], self.starts[stop], inside), first, stop)
        if holds_missing:
            absent = Node(None, self.column.missing, 0.0, np.array([len(self.column.counts)]))
            self._add(node, absent, self.n_bins, self.n_bins + 1)

    def _add(self, parent: int, node: Node, first: int, stop: int) -> None:
        at = self.n_nodes
        self.tree.nodes[at] = node  # type: ignore[index] # a list here
        self.tree.parent[at] = parent
        self.tree.codes[at] = first, stop
        # Of equal intervals the one with the lower end comes first.
        self.tree.preorder[at] = first
        self.n_nodes += 1


def plant(column: Column, floor: int) -> Elastic:
    """Bin a column's numbers and start a tree with the whole range.

    Args:
        column: The attribute.
        floor: The largest k that any of its QIDs asks for: no outer bin is smaller.
    """
    n_records = column.counts.sum(axis=1)
    starts = _bins(n_records, floor)
    n_bins = len(starts) - 1
    room = 2 * n_bins + 2
    low, high = column.range
    total = column.counts.sum(axis=0) + column.missing
    blank = Node("", np.zeros_like(total), 0.0, slice(0, 0))
    nodes: list[Node] = [blank] * room
    inside = (low, high, True)
    nodes[0] = Node(_label(column, inside), total, 1.0, slice(0, len(n_records) + 1), inside)
    code_of_value = np.zeros(len(n_records) + 1, np.int64)
    code_of_value[:-1] = np.repeat(np.arange(n_bins), np.diff(starts))
    code_of_value[-1] = n_bins
    n_codes = n_bins + int(column.missing.any())
    codes = np.zeros((room, 2), np.int64)
    codes[0] = 0, n_codes
    parent = np.zeros(room, np.int64)
    parent[0] = -1
    tree = Tree(
        column.name,
        Kind.INTERVAL,
        nodes,  # type: ignore[arg-type] # a list, because it grows
        parent,
        np.zeros(room, np.int64),
        np.zeros(room, np.int64),
        np.zeros(room, np.int64),
        codes,
        n_codes,
        code_of_value,
    )
    return Elastic(column, starts, tree, 1)


def _bins(n_records: Ints, floor: int) -> Ints:
    """The first number of each bin: numbers by themselves, or quantiles, with `floor` records in the outer ones."""
    upto = np.cumsum(n_records)
    n_all = int(upto[-1]) if len(upto) else 0
    borders = np.arange(1, len(n_records))
    if len(n_records) > MOST_BINS:
        wanted = np.linspace(0, n_all, MOST_BINS + 1)[1:-1]
        borders = np.unique(np.searchsorted(upto, wanted, side="left") + 1)
        borders = borders[borders < len(n_records)]
    below = upto[borders - 1] if len(borders) else borders
    kept = borders[(below >= floor) & (n_all - below >= floor)]
    return np.concatenate([[0], kept, [len(n_records)]]).astype(np.int64)


def _piece(column: Column, start: int, stop: int, inside: tuple[float, float, bool]) -> Node:
    low, high = column.range
    width = (float(high) / 2 - float(low) / 2) or 1.0
    spread = (float(inside[1]) / 2 - float(inside[0]) / 2) / width
    return Node(_label(column, inside), column.counts[start:stop].sum(axis=0), spread, slice(start, stop), inside)


def _label(column: Column, inside: tuple[float, float, bool]) -> str:
    assert column.scale is not None  # noqa: S101 - every interval column has a scale
    return interval_label(inside[0], inside[1], column.scale, closed=inside[2])
