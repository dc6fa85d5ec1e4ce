"""Counters in one word behave as counters by themselves."""

from __future__ import annotations

from typing import Any

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from maskwise.compress.packing import pack, side_by_side, spread


def spread_all(layout: Any, words: Any, n_counts: int) -> list[int]:
    counts = np.full(n_counts, -1, np.int64)
    spread(layout, words, counts)
    return [int(n) for n in counts]


@st.composite
def counted_rows(draw: Any) -> np.ndarray[Any, np.dtype[np.int64]]:
    """Rows whose counters differ in size by up to 2^58, so that some share a word and some do not."""
    n_counts = draw(st.integers(1, 6))
    widths = [draw(st.sampled_from([0, 1, 3, 20, 31, 32, 58])) for _ in range(n_counts)]
    row = st.tuples(*(st.integers(0, 2**width - 1) for width in widths))
    return np.array(draw(st.lists(row, min_size=1, max_size=8)), np.int64).reshape(-1, n_counts)


@settings(max_examples=300, deadline=None)
@given(counts=counted_rows(), data=st.data())
def test_packed_counters_add_and_subtract_as_the_counters_do(counts: Any, data: Any) -> None:
    n_rows, n_counts = counts.shape
    words, layout = pack(counts, counts.sum(axis=0))
    group = data.draw(st.lists(st.integers(0, n_rows - 1), unique=True))
    part = data.draw(st.lists(st.sampled_from(group), unique=True)) if group else []
    assert spread_all(layout, words[group].sum(axis=0), n_counts) == counts[group].sum(axis=0).tolist()
    rest = words[group].sum(axis=0) - words[part].sum(axis=0)
    assert spread_all(layout, rest, n_counts) == (counts[group].sum(axis=0) - counts[part].sum(axis=0)).tolist()
    assert layout.word[0] == 0


def test_counters_share_a_word_as_long_as_their_sums_fit() -> None:
    exact = pack(np.array([[2**31 - 1, 2**32 - 1]]), np.array([2**31 - 1, 2**32 - 1]))
    over = pack(np.array([[2**32 - 1, 2**32 - 1]]), np.array([2**32 - 1, 2**32 - 1]))
    assert (exact[0].shape[1], over[0].shape[1]) == (1, 2)


def test_a_word_each_holds_any_counter() -> None:
    largest = 2**63 - 1
    assert spread_all(side_by_side(2), np.array([largest, 0]), 2) == [largest, 0]
