"""How columns become bins."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from maskwise.classifiers.boosting.binning import MAX_BINS, bin_values, learn_binning
from tests.reference import boosting as plain


@settings(deadline=None, max_examples=100)
@given(st.integers(0, 2**32), st.sampled_from([1, 5, 300, 2000]), st.booleans())
def test_bins_are_the_plain_ones(seed: int, n_values: int, is_category: bool) -> None:
    rng = np.random.default_rng(seed)
    n = int(rng.integers(1, 900))
    column = np.floor(rng.random(n) ** rng.choice([1, 3]) * n_values)
    column[rng.random(n) < rng.choice([0.0, 0.2, 1.0])] = np.nan
    later = rng.integers(-3, n_values + 3, 50) + rng.choice([0.0, 0.5], 50)
    asked = np.concatenate([column, later, [np.nan]])
    binning = learn_binning(column, is_category=is_category)
    twin = plain.learn_column([None if np.isnan(cell) else cell for cell in column.tolist()], is_category)
    assert binning.borders.tolist() == twin.borders
    assert binning.n_bins <= MAX_BINS
    bins = [twin.bin_of(None if np.isnan(cell) else cell) for cell in asked.tolist()]
    found = bin_values(asked[:, None], (binning,))[:, 0].tolist()
    assert found == [binning.n_bins if place is None else place for place in bins]


def test_numbers_of_many_values_have_bins_of_nearly_equal_size() -> None:
    column = np.random.default_rng(0).permutation(51_000).astype(np.float64)
    sizes = np.bincount(bin_values(column[:, None], (learn_binning(column, is_category=False),))[:, 0])
    assert (len(sizes), sizes.min(), sizes.max()) == (255, 200, 200)


def test_of_many_categories_the_most_frequent_have_bins() -> None:
    column = np.repeat(np.arange(300.0), 1 + np.arange(300))
    binning = learn_binning(column, is_category=True)
    assert binning.borders.tolist() == list(range(45, 300))
    assert bin_values(np.array([[44.0], [45.0], [299.0]]), (binning,)).tolist() == [[255], [0], [254]]


def test_two_neighbours_meet_half_way() -> None:
    binning = learn_binning(np.array([1.0, 2.0, 6.0]), is_category=False)
    assert binning.borders == pytest.approx([1.5, 4.0])
    assert bin_values(np.array([[0.0], [4.0], [4.1], [9.0]]), (binning,)).tolist() == [[0], [1], [2], [2]]
