"""The groups of a cut."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from maskwise.search.cut_groups import count_groups
from maskwise.values.row_numbers import number_rows

rows = st.lists(st.tuples(st.integers(0, 3), st.integers(0, 40), st.integers(0, 5)), max_size=40)


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
