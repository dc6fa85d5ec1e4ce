"""Whether two tables show the same groups."""

from __future__ import annotations

from collections import Counter

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from maskwise.table.read import read
from maskwise.verify.same_groups import show_same_groups

cells = st.sampled_from(["a", "b", None, "*"])
rows = st.lists(st.tuples(cells, cells), min_size=1, max_size=6)


def table(records: list[tuple[str | None, str | None]]) -> pa.Table:
    columns = {name: pa.array([record[i] for record in records], pa.string()) for i, name in enumerate("xy")}
    return pa.table(columns)


@pytest.mark.slow
@settings(max_examples=40)
@given(rows, rows)
def test_tables_show_the_same_groups_or_not(one: list, other: list) -> None:
    for qid, at in ((["x"], 0), (["y"], 1)):
        expected = Counter(record[at] for record in one) == Counter(record[at] for record in other)
        assert show_same_groups(read(table(one)), read(table(other)), qid) is expected
    assert show_same_groups(read(table(one)), read(table(other)), ["x", "y"]) is (Counter(one) == Counter(other))
    assert show_same_groups(read(table(one)), read(table(one[::-1])), ["x", "y"])
