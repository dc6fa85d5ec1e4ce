"""Grow a C4.5 tree, collapse it, prune it, and lay it out for reading.

`columns` has coded the table; the loops over records are in `split_kernels`
and `record_kernels`. No function calls itself: a chain of numeric splits can be
deeper than Python's stack.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from statistics import NormalDist
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from maskwise.classifiers.c45.record_kernels import estimate_errors, leaf_errors, split_records
from maskwise.classifiers.c45.split_kernels import CATEGORY, TINY, choose_split

if TYPE_CHECKING:
    from numpy.typing import NDArray

MANY_VALUED = 0.3
"""A category with this many values per record does not enter the average gain."""
COLLAPSE_SLACK = 1e-3
"""A subtree must get more than this fewer training records wrong than a leaf would."""
PRUNE_SLACK = 0.1
"""A subtree must be better than a simpler one by more than this many estimated errors."""


class Records(NamedTuple):
    """A coded training table."""

    codes: NDArray[np.int32]
    """(n_attributes, n_rows), -1 for missing."""
    labels: NDArray[np.int32]
    """(n_rows,) the class of each row."""
    n_classes: int
    numbers: tuple[NDArray[np.float64] | None, ...]
    """The value of each code of a number, ascending; None for a category."""
    n_values: NDArray[np.int64]
    """(n_attributes,) one past the largest code."""
    weights: NDArray[np.float64]
    """(n_rows,) how many records each row stands for."""


class C45Tree(NamedTuple):
    """A finished tree, parents before children, the children of a node side by side."""

    attribute: NDArray[np.int32]
    """What a node asks for; -1 in a leaf."""
    cut: NDArray[np.int32]
    """The largest code of a number's first branch; -1 for a branch per category."""
    first: NDArray[np.int32]
    """The first child."""
    n_branches: NDArray[np.int32]
    share: NDArray[np.float64]
    """The part of the parent's weight that is here."""
    chances: NDArray[np.float64]
    """(n_nodes, n_classes) what a leaf says; one without records says what its parent would."""
    counts: NDArray[np.float64]
    """(n_nodes, n_classes) weight of the training records."""


@dataclass(slots=True, eq=False)
class Node:
    """A node while the tree grows and is pruned; a branch without records is None."""

    rows: Any
    weights: Any
    counts: Any
    weight: float
    attribute: int = -1
    cut: int = CATEGORY
    branches: list[Node | None] | None = None
    errors: float = 0.0

    @property
    def wrong(self) -> float:
        """Weight of the records that are not of the most frequent class."""
        return self.weight - float(self.counts.max())


def build(records: Records, min_records: int, cf: float) -> C45Tree:
    """Grow, collapse and prune a tree.

    Args:
        records: At least one.
        min_records: What at least two branches of a split must weigh.
        cf: The confidence of the error estimate; smaller prunes more.
    """
    nodes = _grow(records, min_records)
    _collapse(nodes)
    _prune(records, nodes[0], cf)
    return _lay_out(records, nodes[0])


def smooth(tree: C45Tree) -> C45Tree:
    """The same tree with Laplace's chances: one record of each class is added to every leaf."""
    n_classes = tree.counts.shape[1]
    parent = np.concatenate([np.zeros(1, np.int64), np.repeat(np.arange(len(tree.first)), tree.n_branches)])
    weight = tree.counts.sum(axis=1)
    # A leaf without records says what its parent would.
    weight = np.where(weight > TINY, weight, weight[parent])[:, None]
    return tree._replace(chances=(tree.chances * weight + 1) / (weight + n_classes))


def _grow(records: Records, min_records: int) -> list[Node]:
    """Split until no split is worth it; parents come before children."""
    n_attributes, n_rows = records.codes.shape
    is_number = np.array([values is not None for values in records.numbers])
    total = float(records.weights.sum())
    averages = is_number | (records.n_values < MANY_VALUED * total)
    if not averages.any():
        averages = np.ones(n_attributes, np.bool_)
    most_values = max(1, int(records.n_values.max()))
    hist = np.zeros((most_values, records.n_classes))
    present = np.empty(most_values, np.int64)
    counts = np.bincount(records.labels, records.weights, records.n_classes)
    nodes = [Node(np.arange(n_rows, dtype=np.int32), records.weights, counts, total)]
    for node in nodes:
        if node.weight < 2 * min_records - TINY or node.wrong < TINY:
            continue
        attribute, below, above = choose_split(
            node.rows,
            node.weights,
            records.labels,
            records.codes,
            records.n_values,
            is_number,
            averages,
            min_records,
            hist,
            present,
        )
        if attribute >= 0:
            node.attribute = attribute
            node.cut = _cut(records.numbers[attribute], below, above)
            node.branches = _spread(records, node, node.rows, node.weights)
            nodes.extend(child for child in node.branches if child is not None)
    return nodes


def _cut(values: NDArray[np.float64] | None, below: int, above: int) -> int:
    """The largest value of the whole table that is not above the middle of two values.

    The middle of 1.7 and 1.9 is a little below 1.8 as computers count, hence the tolerance.
    """
    if values is None:
        return CATEGORY
    low, high = float(values[below]), float(values[above])
    middle = low / 2 + high / 2 + TINY * (high - low)
    at = int(np.searchsorted(values, middle, "right")) - 1
    return min(max(at, below), above - 1)


def _parts(records: Records, node: Node, rows: Any, weights: Any) -> tuple[Any, Any, list[int], Any]:
    n_branches = int(records.n_values[node.attribute]) if node.cut == CATEGORY else 2
    column = records.codes[node.attribute]
    rows, weights, start, counts = split_records(
        rows, weights, records.labels, column, node.cut, n_branches, records.n_classes
    )
    return rows, weights, start.tolist(), counts


def _spread(records: Records, node: Node, rows: Any, weights: Any) -> list[Node | None]:
    """Send records down a split, into leaves."""
    rows, weights, start, counts = _parts(records, node, rows, weights)
    total = counts.sum(axis=1).tolist()
    return [
        Node(rows[lo:hi], weights[lo:hi], counts[b], total[b]) if hi > lo else None
        for b, (lo, hi) in enumerate(pairwise(start))
    ]


def _collapse(nodes: list[Node]) -> None:
    """Make a leaf of each subtree that gets no fewer training records wrong than a leaf.

    Pruning comes to the same leaves, but has to send records around for it.
    """
    for node in reversed(nodes):
        node.errors = node.wrong if node.branches is None else _errors(node.branches)
    for node in nodes:
        if node.branches is not None and node.errors >= node.wrong - COLLAPSE_SLACK:
            node.branches = None


def _errors(branches: list[Node | None]) -> float:
    return sum(child.errors for child in branches if child is not None)


def _prune(records: Records, root: Node, cf: float) -> None:
    """Replace subtrees, the lowest first, by a leaf or by their largest branch where that is no worse."""
    z = NormalDist().inv_cdf(1 - cf)
    todo = [(root, False)]
    while todo:
        node, ready = todo.pop()
        as_leaf = estimate_errors(node.weight, node.wrong, cf, z)
        if node.branches is None:
            node.errors = as_leaf
        elif not ready:
            todo.append((node, True))
            todo.extend((child, False) for child in node.branches if child is not None)
        else:
            node.errors = _errors(node.branches)
            largest = _largest(node.branches)
            bound = max(as_leaf, node.errors + PRUNE_SLACK) + 2 * TINY
            as_branch = _branch_errors(records, largest, node, bound, (cf, z))
            if as_leaf < min(node.errors, as_branch) + PRUNE_SLACK + TINY:
                node.branches, node.errors = None, as_leaf
            elif as_branch < node.errors + PRUNE_SLACK + TINY:
                node.attribute, node.cut, node.branches = largest.attribute, largest.cut, largest.branches
                _redistribute(records, node)
                todo.append((node, False))


def _largest(branches: list[Node | None]) -> Node:
    """The heaviest branch, of equal ones the last."""
    heaviest = max(child.weight for child in branches if child is not None)
    return next(child for child in reversed(branches) if child is not None and child.weight > heaviest - TINY)


def _branch_errors(records: Records, branch: Node, node: Node, bound: float, confidence: tuple[float, float]) -> float:
    """Estimate the errors if all records of a node went to one of its branches; infinite above the bound."""
    errors = 0.0
    todo = [(branch, node.rows, node.weights, node.counts)]
    while todo:
        at, rows, weights, counts = todo.pop()
        if at.branches is None:
            total = float(counts.sum())
            errors += estimate_errors(total, total - float(counts.max()), *confidence)
            continue
        rows, weights, start, counts = _parts(records, at, rows, weights)
        estimates = leaf_errors(counts, *confidence).tolist()
        for b, child in enumerate(at.branches):
            lo, hi = start[b], start[b + 1]
            if child is None or child.branches is None:
                errors += estimates[b]
            elif hi > lo:
                todo.append((child, rows[lo:hi], weights[lo:hi], counts[b]))
        if errors > bound:
            return float("inf")
    return errors


def _redistribute(records: Records, root: Node) -> None:
    """Send a node's records down its present branches again."""
    todo = [root]
    while todo:
        node = todo.pop()
        if node.branches is None:
            continue
        fresh = _spread(records, node, node.rows, node.weights)
        for b, (old, new) in enumerate(zip(node.branches, fresh, strict=True)):
            if old is None or old.branches is None:
                node.branches[b] = new
            elif new is None:
                node.branches[b] = None
            else:
                old.rows, old.weights, old.counts, old.weight = new.rows, new.weights, new.counts, new.weight
                todo.append(old)


def _lay_out(records: Records, root: Node) -> C45Tree:
    """Number the nodes so that the children of each lie side by side."""
    nodes: list[Node | None] = [root]
    first, n_branches, parent = [], [], [0]
    for i, node in enumerate(nodes):
        branches = (node.branches if node is not None else None) or []
        first.append(len(nodes))
        n_branches.append(len(branches))
        parent.extend([i] * len(branches))
        nodes.extend(branches)
    counts = np.zeros((len(nodes), records.n_classes))
    for i, node in enumerate(nodes):
        if node is not None:
            counts[i] = node.counts
    weight = counts.sum(axis=1)
    known = np.where((weight > TINY)[:, None], counts, counts[parent])
    is_inner = np.array(n_branches) > 0
    return C45Tree(
        np.where(is_inner, [-1 if node is None else node.attribute for node in nodes], -1).astype(np.int32),
        np.where(is_inner, [-1 if node is None else node.cut for node in nodes], -1).astype(np.int32),
        np.array(first, np.int32),
        np.array(n_branches, np.int32),
        weight / weight[parent],
        known / known.sum(axis=1, keepdims=True),
        counts,
    )
