"""The groups of a cut: keys that are marked and keys that are sorted are numbered alike."""

from __future__ import annotations

from unittest.mock import patch

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from maskwise.search import cut_groups
from maskwise.search.cut_groups import count_groups, number_keys, number_rows

rows = st.lists(st.tuples(st.integers(0, 3), st.integers(0, 40), st.integers(0, 5)), max_size=40)


@given(keys=st.lists(st.integers(0, 30), max_size=30), marks=st.sampled_from([-1000, 0, 1000]))
def test_keys_are_numbered_in_their_order(keys: list[int], marks: int) -> None:
    with patch.object(cut_groups, "_MOST_MARKS", marks):
        different, number = number_keys(np.array(keys, np.int64), 31)
    assert different.tolist() == sorted(set(keys))
    assert number.tolist() == [sorted(set(keys)).index(key) for key in keys]


@given(cells=rows, most=st.sampled_from([2, 100, 2**62]))
def test_rows_have_the_same_number_if_and_only_if_they_are_equal(cells: list[tuple[int, ...]], most: int) -> None:
    columns = [np.array([row[c] for row in cells], np.int64) for c in range(3)]
    with patch.object(cut_groups, "_MOST_KEYS", most):
        numbers = number_rows(columns, len(cells)).tolist()
    assert numbers == [sorted(set(cells)).index(row) for row in cells]


@given(cells=rows)
def test_a_person_counts_once_in_each_group(cells: list[tuple[int, ...]]) -> None:
    group = number_rows([np.array([row[0] for row in cells], np.int64)], len(cells))
    persons = np.array([row[1] for row in cells], np.int64)
    counts = np.array([(1, row[2] % 2) for row in cells], np.int64).reshape(len(cells), 2)
    found = count_groups(group, counts, persons).tolist()
    for g, n in enumerate(found):
        own = [at for at in range(len(cells)) if group[at] == g]
        ill = {cells[at][1] for at in own if cells[at][2] % 2}
        assert n == [len({cells[at][1] for at in own}), len(ill)]
