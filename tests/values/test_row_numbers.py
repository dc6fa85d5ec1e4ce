"""Rows are numbered as sorting them would."""

from __future__ import annotations

from unittest.mock import patch

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from maskwise.values import row_numbers
from maskwise.values.row_numbers import number_few_rows, number_keys, number_rows


@given(keys=st.lists(st.integers(0, 30), max_size=30), marks=st.sampled_from([-1000, 0, 1000]))
def test_keys_are_numbered_in_their_order(keys: list[int], marks: int) -> None:
    with patch.object(row_numbers, "_MOST_MARKS", marks):
        different, number = number_keys(np.array(keys, np.int64), 31)
    assert different.tolist() == sorted(set(keys))
    assert number.tolist() == [sorted(set(keys)).index(key) for key in keys]


@given(
    rows=st.lists(st.tuples(*[st.sampled_from([0, 1, 2, 5, 2**30])] * 4), max_size=30),
    n_marks=st.sampled_from([-100, 0, 20, 1_000_000]),
    n_keys=st.sampled_from([2**40, 2**62]),
)
def test_rows_are_numbered_in_their_order(rows: list[tuple[int, ...]], n_marks: int, n_keys: int) -> None:
    columns = [np.array([row[c] for row in rows], np.int64) for c in range(4)]
    different = sorted(set(rows))
    expected = [different.index(row) for row in rows]
    # As if there were so many rows that keys are sorted, or do not fit a number.
    with patch.object(row_numbers, "_MOST_MARKS", n_marks), patch.object(row_numbers, "_MOST_KEYS", n_keys):
        assert number_rows(columns, len(rows)).tolist() == expected
        for most in (len(different) - 1, len(different)):
            found = number_few_rows(columns, len(rows), most)
            assert (None if found is None else found.tolist()) == (expected if most == len(different) else None)


def test_no_columns_make_one_row() -> None:
    assert number_rows([], 3).tolist() == [0, 0, 0]
