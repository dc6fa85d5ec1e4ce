"""Groups on very many sets of columns, counted on small numbers: the figures are those of the database."""

from __future__ import annotations

from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import maskwise
from maskwise.engines import sql
from maskwise.risks import assess, coded_table
from tests.risks.test_assess import POLICY, as_table, check, rows_strategy

NAMES = ("a", "b", "c", "d", "e", "Ill", *(f"x{i}" for i in range(9)))
ASKED = {
    "class": "x0",
    "attributes": dict.fromkeys("abcde", "suppress"),
    "requirements": [
        {"qid": ["a", "b"], "k": 3},
        {"qid": ["b", "a", "c", "d", "e"], "k": 2},
        {"qid": ["e"], "sensitive": "Ill", "diversity": {"distinct": 2}},
    ],
}
CELL = st.sampled_from(["a", "b", "", None])


def risk_of(table: pa.Table, policy: dict[str, Any], n_many: int) -> Any:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(assess, "_MANY_SETS", n_many)
        return maskwise.risk(table, policy)


@settings(max_examples=20)
@given(rows=rows_strategy())
def test_figures_are_those_of_brute_force(rows: list[dict[str, Any]]) -> None:
    check(risk_of(as_table(rows), POLICY, 0), rows, None)


@settings(max_examples=20)
@given(
    rows=st.lists(st.tuples(*[CELL] * len(NAMES)), min_size=1, max_size=25),
    n_alike=st.integers(0, 2),
    n_extra=st.integers(0, 5),
)
def test_some_columns_at_a_time_give_what_all_give(
    rows: list[tuple[str | None, ...]], n_alike: int, n_extra: int
) -> None:
    rows = rows + rows[:1] * n_alike
    table = pa.table({name: pa.array([row[i] for row in rows], pa.string()) for i, name in enumerate(NAMES)})
    expected = risk_of(table, ASKED, 1 << 30)
    # a to e, the sensitive column and the class, and up to seven others.
    n_cells = len(rows) * (14 + n_extra)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(coded_table, "_MOST_CELLS", n_cells)
        assert risk_of(table, ASKED, 0).to_data() == expected.to_data()


def test_numbers_and_missing_cells_are_told_apart_by_their_text() -> None:
    cells = [0.0, -0.0, 1.5, None, None, 1.5]
    table = pa.table({"a": pa.array(cells), "b": [1, 1, 2, 2, 2, 2], "c": pa.array([None, "", "", "", "", ""])})
    policy = {"requirements": [{"qid": ["a"], "k": 2}, {"qid": ["a", "b", "c"], "k": 2}], "attributes": {}}
    assert risk_of(table, policy, 0).to_data() == risk_of(table, policy, 1 << 30).to_data()


def test_many_combinations_are_sorted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(coded_table, "_MOST_PLACES", -1000)
    cells = {name: [str(i % n) for i in range(60)] for name, n in (("a", 7), ("b", 11), ("c", 4))}
    policy = {"class": "c", "attributes": {}, "requirements": [{"qid": ["a", "b"], "k": 2}, {"qid": ["a"], "k": 2}]}
    found = risk_of(pa.table(cells), policy, 0)
    assert len(found.disclosures) == 2
    assert found.to_data() == risk_of(pa.table(cells), policy, 1 << 30).to_data()


def test_no_table_of_hashes_is_made_for_very_many_columns(monkeypatch: pytest.MonkeyPatch) -> None:
    made = []
    own = sql.Engine.hash_cells

    def note(*arguments: Any, **named: Any) -> Any:
        made.append(named.get("is_kept", True))
        return own(*arguments, **named)

    monkeypatch.setattr(sql.Engine, "hash_cells", note)
    monkeypatch.setattr(coded_table, "_MOST_CELLS", 14 * 4)
    alike = pa.table({name: ["a", "b", "b", "b"] for name in NAMES})
    risk_of(alike, ASKED, 0)
    assert made == [False]
    made.clear()
    risk_of(alike.append_column("place", pa.array(["1", "2", "3", "4"])), {**ASKED, "class": "place"}, 0)
    assert not made
