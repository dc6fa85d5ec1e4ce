"""Each compiled loop of gradient boosting against plain Python."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from maskwise.classifiers.boosting import kernels
from tests.reference import boosting as plain


@settings(deadline=None, max_examples=100)
@given(st.integers(0, 2**32))
def test_a_histogram_adds_up_the_records_of_each_bin(seed: int) -> None:
    rng = np.random.default_rng(seed)
    n, sizes = int(rng.integers(1, 60)), rng.integers(1, 6, int(rng.integers(1, 4)))
    bins = np.column_stack([rng.integers(0, size, n) for size in sizes]).astype(np.uint8)
    gradients = rng.integers(-(2**30), 2**30, (n, 2)).astype(np.int32)
    rows = rng.permutation(n)[: int(rng.integers(0, n + 1))].astype(np.uint32)
    offsets = np.append(0, np.cumsum(sizes)).astype(np.uint64)
    histogram = np.zeros((int(offsets[-1]), 3), np.int64)
    kernels.add_histogram(rows, bins, offsets, gradients, histogram)
    steps = [tuple(pair) for pair in gradients.tolist()]
    for c, size in enumerate(sizes):
        for b in range(size):
            there = [row for row in rows.tolist() if bins[row, c] == b]
            assert histogram[int(offsets[c]) + b].tolist() == [*plain.sums(there, steps), len(there)]


@settings(deadline=None, max_examples=300)
@given(st.integers(0, 2**32), st.sampled_from([1, 3, 10]), st.booleans())
def test_the_split_is_the_plain_one(seed: int, least: int, coarse: bool) -> None:
    """Coarse gradients have many ties."""
    rng = np.random.default_rng(seed)
    n, n_columns = int(rng.integers(2, 150)), int(rng.integers(1, 4))
    columns, cells = [], []
    for _ in range(n_columns):
        is_category = bool(rng.random() < 0.5)
        n_bins = int(rng.integers(1, 8))
        columns.append(plain.Column(is_category, [float(v) for v in range(n_bins - (not is_category))]))
        column = rng.integers(0, n_bins, n)
        cells.append(np.where(rng.random(n) < rng.choice([0.0, 0.2]), n_bins, column))
    bins = np.column_stack(cells).astype(np.uint8)
    signs = rng.choice([-1, 1], n) if coarse else rng.uniform(-1, 1, n)
    weights = np.full(n, 0.25) if coarse else rng.uniform(0, 0.25, n)
    gradients = np.rint(np.column_stack([signs, weights]) * kernels.SCALE).astype(np.int32)
    sizes = [len(column.all_bins()) + 1 for column in columns]
    offsets = np.append(0, np.cumsum(sizes)).astype(np.uint64)
    histogram = np.zeros((sum(sizes), 3), np.int64)
    kernels.add_histogram(np.arange(n, dtype=np.uint32), bins, offsets, gradients, histogram)
    left, left_total = np.zeros(256, np.bool_), np.zeros(3, np.int64)
    is_category = np.array([column.is_category for column in columns])
    gain, at = kernels.find_split(histogram, offsets, is_category, least, left, left_total)

    table = [[None if b == sizes[c] - 1 else b for c, b in enumerate(row)] for row in bins.tolist()]
    steps = [(g, h) for g, h in gradients.tolist()]
    node = plain.Node(0, list(range(n)), *plain.sums(list(range(n)), steps))
    plain.weigh(node, columns, table, steps, least)
    assert at == node.column
    if at >= 0:
        assert gain == node.gain
        assert {None if b == sizes[at] - 1 else b for b in np.flatnonzero(left).tolist()} == node.left
        there = [row for row in node.rows if table[row][at] in node.left]
        assert left_total.tolist() == [*plain.sums(there, steps), len(there)]


@settings(deadline=None, max_examples=50)
@given(st.integers(0, 2**32))
def test_records_are_split_and_keep_their_order(seed: int) -> None:
    rng = np.random.default_rng(seed)
    n = int(rng.integers(1, 80))
    bins = rng.integers(0, 5, (n, 2)).astype(np.uint8)
    left = rng.random(256) < 0.5
    rows = rng.permutation(n)[: int(rng.integers(0, n + 1))].astype(np.uint32)
    expected = sorted(rows.tolist(), key=lambda row: not left[bins[row, 1]])
    kernels.split_rows(rows, bins[:, 1], left, np.empty_like(rows))
    assert rows.tolist() == expected


def test_each_record_gets_the_value_of_its_leaf() -> None:
    columns, children = np.array([1, 0, 0, 0, 0]), np.array([1, 3, 0, 0, 0])
    left = np.zeros((5, 256), np.bool_)
    left[0, [0, 2]] = left[1, [1]] = True
    bins = np.array([[1, 0], [0, 2], [1, 1]], np.uint8)
    scores = np.array([1.0, 2.0, 3.0])
    kernels.add_tree(bins, columns, children, left, np.array([0.0, 0.0, 0.5, 0.25, 0.125]), scores)
    assert scores.tolist() == [1.25, 2.125, 3.5]


@settings(deadline=None, max_examples=300)
@given(st.floats(-60, 60))
def test_the_exponential_is_right_to_the_last_digits(x: float) -> None:
    assert kernels.exponential(x) == plain.exponential(x)
    assert kernels.exponential(x) == pytest.approx(math.exp(min(max(x, -40.0), 40.0)), rel=4e-16)


@settings(deadline=None, max_examples=100)
@given(st.integers(1, 5), st.lists(st.floats(-100, 100), min_size=5, max_size=5))
def test_chances_are_the_plain_ones_and_add_up(n_scores: int, scores: list[float]) -> None:
    found = kernels.to_chances(np.array(scores[:n_scores])[:, None])[:, 0].tolist()
    assert found == plain.chances_of(scores[:n_scores])
    assert all(0 <= chance <= 1 for chance in found)
    if n_scores > 1:
        assert sum(found) == pytest.approx(1)
