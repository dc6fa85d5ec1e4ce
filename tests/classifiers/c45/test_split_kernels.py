"""The loops that choose a split of C4.5."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from maskwise.classifiers.c45 import split_kernels as splits


def test_gain_ratio_of_outlook_is_the_books() -> None:
    hist = np.array([[0.0, 4], [2, 3], [3, 2]])
    gain, ratio = splits.category_gain(hist, 3, 14.0, 14.0, 2)
    assert gain == pytest.approx(0.247, abs=5e-4)
    assert ratio == pytest.approx(0.156, abs=5e-4)


@settings(deadline=None, max_examples=100)
@given(st.integers(0, 2**32))
def test_counting_and_sorting_give_the_same_tally(seed: int) -> None:
    rng = np.random.default_rng(seed)
    n_rows, n_values = int(rng.integers(1, 40)), int(rng.integers(1, 500))
    column = rng.integers(-1, n_values, n_rows).astype(np.int32)
    labels = rng.integers(0, 3, n_rows).astype(np.int32)
    rows = rng.permutation(n_rows)[: int(rng.integers(1, n_rows + 1))].astype(np.int32)
    weights = rng.random(len(rows))
    hist, present = np.zeros((n_values, 3)), np.empty(n_values, np.int64)
    n_present, known = splits.count_classes(rows, weights, labels, column, n_values, hist, present)
    expected: dict[int, list[float]] = {}
    for row, weight in zip(rows, weights, strict=True):
        if column[row] >= 0:
            expected.setdefault(int(column[row]), [0.0] * 3)[labels[row]] += weight
    assert present[:n_present].tolist() == sorted(expected)
    assert hist[:n_present] == pytest.approx(np.array([expected[v] for v in sorted(expected)]).reshape(-1, 3))
    assert known == pytest.approx(sum(map(sum, expected.values())))
    assert not hist[n_present:].any()


def test_a_numeric_split_pays_for_its_choice_of_threshold() -> None:
    hist = np.array([[1.0, 0], [1, 0], [1, 0], [0, 1], [0, 1], [0, 1]])
    gain, ratio, at = splits.number_gain(hist, 6, 6.0, 6.0, 1)
    assert (gain, at) == (pytest.approx(1 - math.log2(5) / 6), 2)
    assert ratio == pytest.approx(gain)
    gain, _, _ = splits.number_gain(hist, 6, 6.0, 6.0, 2)
    assert gain == pytest.approx(1 - math.log2(3) / 6)
