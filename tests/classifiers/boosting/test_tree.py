"""How one tree grows along gradients."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from maskwise.classifiers.boosting.binning import bin_values, learn_binning
from maskwise.classifiers.boosting.kernels import SCALE
from maskwise.classifiers.boosting.tree import BinnedTable, BoostedTree, Settings, grow
from tests.reference import boosting as plain


def grown(
    values: np.ndarray, is_category: list[bool], steps: np.ndarray, asked: Settings
) -> tuple[BoostedTree, np.ndarray]:
    binnings = tuple(
        learn_binning(column, is_category=named) for column, named in zip(values.T, is_category, strict=True)
    )
    offsets = np.cumsum([0, *(binning.n_bins + 1 for binning in binnings)]).astype(np.uint64)
    scores = np.zeros(len(values))
    table = BinnedTable(bin_values(values, binnings), offsets, np.array(is_category))
    return grow(table, np.rint(steps * SCALE).astype(np.int32), asked, scores), scores


def same_tree(tree: BoostedTree, nodes: list[plain.Node], columns: list[plain.Column]) -> None:
    """The arrays of a tree hold the plain nodes."""
    left = np.unpackbits(tree.left, axis=1)
    assert len(tree.values) == len(nodes)
    for node in nodes:
        assert tree.children[node.number] == (node.children[0].number if node.children else 0)
        assert tree.values[node.number] == (0.0 if node.children else node.value)
        if node.children:
            missing = len(columns[node.column].all_bins())
            bins = {None if b == missing else b for b in np.flatnonzero(left[node.number]).tolist()}
            assert (tree.columns[node.number], bins) == (node.column, node.left)


@settings(deadline=None, max_examples=100)
@given(st.integers(0, 2**32), st.sampled_from([2, 4, 31]), st.sampled_from([1, 5, 20]))
def test_the_tree_is_the_plain_one(seed: int, n_leaves: int, least: int) -> None:
    rng = np.random.default_rng(seed)
    n, is_category = int(rng.integers(1, 120)), [bool(b) for b in rng.random(int(rng.integers(1, 4))) < 0.5]
    values = rng.integers(0, rng.integers(1, 12), (n, len(is_category))).astype(np.float64)
    values[rng.random(values.shape) < rng.choice([0.0, 0.2])] = np.nan
    steps = np.column_stack([rng.choice([-0.5, 0.25, 0.5], n), rng.choice([0.1, 0.25], n)])
    tree, scores = grown(values, is_category, steps, Settings(n_leaves=n_leaves, min_records=least))
    rows = [[None if np.isnan(cell) else cell for cell in row] for row in values.tolist()]
    columns = [plain.learn_column([row[c] for row in rows], named) for c, named in enumerate(is_category)]
    table = [[column.bin_of(cell) for column, cell in zip(columns, row, strict=True)] for row in rows]
    whole = [(round(g * SCALE), round(h * SCALE)) for g, h in steps.tolist()]
    nodes = plain.grow(columns, table, whole, n_leaves, least, 0.1)
    same_tree(tree, nodes, columns)
    assert scores.tolist() == [plain.leaf_value(nodes[0], row) for row in table]


def test_the_leaf_that_gains_most_is_split_first() -> None:
    values = np.repeat([0.0, 1.0, 2.0, 3.0], 30)[:, None]
    steps = np.column_stack([np.repeat([1.0, 0.9, -0.5, -1.0], 30), np.full(120, 0.25)])
    tree, _ = grown(values, [False], steps, Settings(n_leaves=3))
    assert tree.children.tolist() == [1, 0, 3, 0, 0]
    assert tree.values[1] == pytest.approx(-0.1 * 0.95 / 0.25, rel=1e-8)


def test_a_leaf_has_enough_records() -> None:
    values = np.append(np.zeros(100), np.ones(19))[:, None]
    steps = np.column_stack([np.append(np.ones(100), -np.ones(19)), np.full(119, 0.25)])
    assert len(grown(values, [False], steps, Settings())[0].values) == 1
    assert len(grown(values, [False], steps, Settings(min_records=19))[0].values) == 3


def test_records_that_are_already_right_change_nothing() -> None:
    tree, scores = grown(np.zeros((50, 1)), [True], np.zeros((50, 2)), Settings())
    assert (tree.values.tolist(), scores.any()) == ([0.0], False)
