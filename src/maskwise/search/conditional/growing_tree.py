"""Interval trees that grow while the search goes on.

The papers split an interval where the class is told best, whatever that does to
privacy, so their trees are known beforehand. Here the search decides where to
split, among all boundaries between bins. The arrays of a tree are as long as it
may ever need, so that a state can refer to nodes that do not exist yet.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from maskwise.policy.attributes import Kind
from maskwise.search.value_trees import ValueNode

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from maskwise.profile.columns import Column

    Ints = NDArray[np.int64]

MOST_BINS = 256
"""So many boundaries are tried at most; a column with more distinct numbers is binned by quantiles."""


@dataclass(slots=True)
class GrowingTree:
    """The interval tree of one attribute, as far as it has grown; a state takes it in the place of a `ValueTree`."""

    column: Column
    """The attribute's numbers and their counts."""
    starts: Ints  # (n_bins + 1,)
    """The first number of each bin, by its place among the column's numbers; one past the last."""
    nodes: list[ValueNode]
    """The root, its descendants in the order in which they were grown, and empty nodes for those to come."""
    parent: Ints  # (n_nodes,) -1 for the root
    """The node above each node."""
    first_child: Ints  # (n_nodes,)
    """The first of its children."""
    n_children: Ints  # (n_nodes,) 0 for an interval that was not split
    """How many there are."""
    preorder: Ints  # (n_nodes,)
    """The first bin of each node: of equal intervals the lowest comes first."""
    codes: Ints  # (n_nodes, 2)
    """For each node the first and one past the last of the codes below it; a code is a bin, or the missing value."""
    n_codes: int
    """How many codes the attribute has."""
    code_of_value: Ints  # (n_values + 1,)
    """The code of each value of the column; the missing value comes last."""
    n_grown: int = 1
    """How many nodes there are so far."""
    name: str = field(init=False)
    """The attribute."""
    kind: Kind = field(init=False, default=Kind.INTERVAL)
    """How it is masked."""

    def __post_init__(self) -> None:
        """Take the name of the column."""
        self.name = self.column.name

    @property
    def n_bins(self) -> int:
        """How many bins there are."""
        return len(self.starts) - 1

    def bins_of(self, node: int) -> tuple[int, int]:
        """The first and one past the last bin of a node."""
        low, high = self.codes[node].tolist()
        return low, min(high, self.n_bins)

    def split(self, node: int, border: int) -> range:
        """Give a node two children, and one for the missing value if it holds that; return the children.

        Args:
            node: The interval.
            border: The first bin of the right part.
        """
        low, high = self.bins_of(node)
        holds_missing = int(self.codes[node, 1]) > self.n_bins
        first = self.n_grown
        self.first_child[node] = first
        self.n_children[node] = 2 + holds_missing
        start, end, closed = self.nodes[node].inside
        middle = self.column.numbers[self.starts[border]]
        self._add(node, low, border, (start, middle, False))
        self._add(node, border, high, (middle, end, closed))
        if holds_missing:
            missing = ValueNode(None, self.column.missing, 0.0, np.array([len(self.column.counts)]))
            self._append(node, missing, self.n_bins, self.n_bins + 1)
        return range(first, self.n_grown)

    def _add(self, parent: int, first: int, stop: int, inside: tuple[float, float, bool]) -> None:
        """Append an interval."""
        column, members = self.column, slice(self.starts[first], self.starts[stop])
        low, high = column.range
        width = (float(high) / 2 - float(low) / 2) or 1.0
        spread = (float(inside[1]) / 2 - float(inside[0]) / 2) / width
        counts = column.counts[members].sum(axis=0)
        self._append(
            parent,
            ValueNode(column.interval_label(inside[0], inside[1], closed=inside[2]), counts, spread, members, inside),
            first,
            stop,
        )

    def _append(self, parent: int, node: ValueNode, first: int, stop: int) -> None:
        at = self.n_grown
        self.nodes[at] = node
        self.parent[at] = parent
        self.codes[at] = first, stop
        self.preorder[at] = first
        self.n_grown += 1


def start_tree(column: Column, floor: int) -> GrowingTree:
    """Bin a column's numbers and start a tree with the whole range.

    Args:
        column: The attribute.
        floor: The largest k that any of its QIDs asks for: no outer bin is smaller.
    """
    n_records = column.counts.sum(axis=1)
    starts = _bins(n_records, floor)
    n_bins = len(starts) - 1
    most_nodes = 2 * n_bins + 2
    low, high = column.range
    total = column.counts.sum(axis=0) + column.missing
    inside = (low, high, True)
    root = ValueNode(
        column.interval_label(inside[0], inside[1], closed=inside[2]), total, 1.0, slice(0, len(n_records) + 1), inside
    )
    empty = ValueNode("", np.zeros_like(total), 0.0, slice(0, 0))
    code_of_value = np.append(np.repeat(np.arange(n_bins), np.diff(starts)), n_bins).astype(np.int64)
    n_codes = n_bins + int(column.missing.any())
    codes = np.zeros((most_nodes, 2), np.int64)
    codes[0] = 0, n_codes
    parent = np.zeros(most_nodes, np.int64)
    parent[0] = -1
    return GrowingTree(
        column,
        starts,
        [root, *[empty] * (most_nodes - 1)],
        parent,
        first_child=np.zeros(most_nodes, np.int64),
        n_children=np.zeros(most_nodes, np.int64),
        preorder=np.zeros(most_nodes, np.int64),
        codes=codes,
        n_codes=n_codes,
        code_of_value=code_of_value,
    )


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
