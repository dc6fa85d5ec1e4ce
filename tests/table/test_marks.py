"""Marks of sensitive cells, compared with lists or joined."""

from __future__ import annotations

from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from maskwise import audit
from maskwise.table import marks
from maskwise.table.read import read
from maskwise.verify import verify

VALUES = st.sampled_from(["a", "b", "c", "d", None])


@settings(max_examples=40, deadline=None)
@given(
    cells=st.lists(VALUES, min_size=1, max_size=12),
    sets=st.lists(st.lists(VALUES, max_size=4, unique=True), min_size=1, max_size=4),
    most=st.sampled_from([0, 1, 99]),
)
def test_a_record_has_the_marks_of_the_sets_that_its_cell_is_in(
    cells: list[Any], sets: list[list[Any]], most: int
) -> None:
    table = read(pa.table({"Row": range(len(cells)), "Ill": pa.array(cells, pa.string())}))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(marks, "MOST_LISTED", most)
        marked = marks.mark(table, [("Ill", pa.array(one, pa.string())) for one in sets])
    names = [f"s{i}" for i in range(len(sets))]
    found = table.engine.fetch(marked.expr.select("c0", *names)).sort_by("c0").select(names)
    assert [tuple(row.values()) for row in found.to_pylist()] == [
        tuple(int(cell in one) for one in sets) for cell in cells
    ]


@settings(max_examples=25, deadline=None)
@given(
    rows=st.lists(st.tuples(st.sampled_from("xy"), VALUES), min_size=1, max_size=12),
    unions=st.lists(st.lists(VALUES, min_size=1, max_size=4, unique=True), min_size=1, max_size=3, unique_by=tuple),
)
def test_a_recount_that_joins_counts_as_one_that_compares(rows: list[Any], unions: list[list[Any]]) -> None:
    table = pa.table({"Job": [job for job, _ in rows], "Ill": pa.array([ill for _, ill in rows], pa.string())})
    policy = {"requirements": [{"qid": ["Job"], "sensitive": {"Ill": {"any": unions}}, "confidence": 1}]}
    compared = audit(table, policy)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(verify, "MOST_LISTED", 0)
        assert audit(table, policy) == compared
    jobs = {job for job, _ in rows}
    share = max(
        sum(ill in union for job, ill in rows if job == one) / sum(job == one for job, _ in rows)
        for one in jobs
        for union in unions
    )
    assert compared.findings[0].figure == pytest.approx(share)
