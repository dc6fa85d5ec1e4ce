"""One tree, grown leaf by leaf: the leaf whose split gains most is split next.

`kernels` counts and finds splits, `model` computes the gradients and adds the trees up.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from maskwise.classifiers.boosting.kernels import MIN_HESSIAN, add_histogram, find_split, split_rows

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Bins = NDArray[np.uint8]
    Floats = NDArray[np.float64]
    Ints = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Settings:
    """How many trees, and how large; the defaults of scikit-learn, but for the number of iterations."""

    n_iterations: int = 60
    """Trees for each score."""
    learning_rate: float = 0.1
    """The part of a leaf's value that is added."""
    n_leaves: int = 31
    """The most leaves of a tree."""
    min_records: int = 20
    """The least records of a leaf."""


@dataclass(frozen=True, slots=True)
class BoostedTree:
    """The nodes of a tree, as arrays; the first node is the root."""

    columns: Ints  # (n_nodes,)
    """The column that a node asks for."""
    children: Ints  # (n_nodes,)
    """The left child; the right one follows it. 0 in a leaf."""
    left: Bins  # (n_nodes, 32)
    """The bins that go left, a bit for each."""
    values: Floats  # (n_nodes,)
    """What a leaf adds to the score."""


@dataclass(frozen=True, slots=True)
class BinnedTable:
    """Records as trees see them."""

    bins: Bins  # (n_records, n_columns)
    """The bin of each cell."""
    offsets: NDArray[np.uint64]  # (n_columns + 1,)
    """Where the bins of each column start in a histogram."""
    is_category: NDArray[np.bool_]  # (n_columns,)
    """The bins of a category have no order."""


@dataclass(frozen=True, slots=True)
class _Node:
    """A node of the tree that grows."""

    number: int
    start: int
    stop: int
    """Its records are these places of the list of rows."""
    total: Ints  # (3,)
    """The sums of gradients and hessians, and the number of records."""
    histogram: Ints  # (n_lines, 3); empty in a node that stays a leaf
    gain: float
    column: int
    """The column of its best split; -1 if there is none."""
    left: NDArray[np.bool_]  # (256,)
    left_total: Ints  # (3,)


def grow(table: BinnedTable, gradients: NDArray[np.int32], settings: Settings, scores: Floats) -> BoostedTree:
    """Grow a tree along the gradients, and add its values to the scores.

    Args:
        table: The records.
        gradients: (n_records, 2) gradient and hessian, in whole numbers of 1 / SCALE.
        settings: How large the tree is.
        scores: (n_records,) of the records, changed in place.
    """
    rows = np.arange(len(gradients), dtype=np.uint32)
    scratch = np.empty_like(rows)
    most = 2 * settings.n_leaves - 1
    columns, children = np.zeros(most, np.int64), np.zeros(most, np.int64)
    left, values = np.zeros((most, 256), np.bool_), np.zeros(most)
    histogram = _histogram(table, gradients, rows)
    total = histogram[: int(table.offsets[1])].sum(axis=0)
    leaves = [_make_node(table, settings, 0, (0, len(rows)), total, histogram)]
    n_nodes = 1
    while n_nodes < most:
        # Of equal gains the node that was made first.
        node = max(leaves, key=lambda leaf: (leaf.gain, -leaf.number))
        if node.column < 0:
            break
        leaves.remove(node)
        split_rows(rows[node.start : node.stop], table.bins[:, node.column], node.left, scratch)
        columns[node.number], children[node.number], left[node.number] = node.column, n_nodes, node.left
        leaves += _split(table, gradients, settings, rows, node, n_nodes)
        n_nodes += 2
    for leaf in leaves:
        gradient, hessian, _ = leaf.total.tolist()
        if hessian >= MIN_HESSIAN:
            values[leaf.number] = -settings.learning_rate * (gradient / hessian)
        scores[rows[leaf.start : leaf.stop]] += values[leaf.number]
    packed = np.packbits(left[:n_nodes], axis=1)
    return BoostedTree(columns[:n_nodes], children[:n_nodes], packed, values[:n_nodes])


def _split(
    table: BinnedTable,
    gradients: NDArray[np.int32],
    settings: Settings,
    rows: NDArray[np.uint32],
    node: _Node,
    n_nodes: int,
) -> list[_Node]:
    """The two children of a node whose rows are already in order."""
    middle = node.start + int(node.left_total[2])
    places = (node.start, middle), (middle, node.stop)
    totals = node.left_total, node.total - node.left_total
    sizes = [stop - start for start, stop in places]
    histograms = [node.histogram[:0]] * 2
    is_last = n_nodes + 2 >= 2 * settings.n_leaves - 1
    if not is_last and max(sizes) >= 2 * settings.min_records:
        # Only the smaller child is counted; the other one has what is left of the parent.
        small = int(sizes[1] <= sizes[0])
        histograms[small] = _histogram(table, gradients, rows[slice(*places[small])])
        histograms[1 - small] = node.histogram - histograms[small]
    return [
        _make_node(table, settings, n_nodes + side, places[side], totals[side], histograms[side]) for side in range(2)
    ]


def _histogram(table: BinnedTable, gradients: NDArray[np.int32], rows: NDArray[np.uint32]) -> Ints:
    histogram = np.zeros((int(table.offsets[-1]), 3), np.int64)
    add_histogram(rows, table.bins, table.offsets, gradients, histogram)
    return histogram


def _make_node(
    table: BinnedTable, settings: Settings, number: int, place: tuple[int, int], total: Ints, histogram: Ints
) -> _Node:
    """A node with its best split; one without a histogram stays a leaf."""
    left, left_total = np.zeros(256, np.bool_), np.zeros(3, np.int64)
    gain, column = 0.0, -1
    if len(histogram):
        gain, column = find_split(histogram, table.offsets, table.is_category, settings.min_records, left, left_total)
    return _Node(number, *place, total, histogram, gain if column >= 0 else -1.0, column, left, left_total)
