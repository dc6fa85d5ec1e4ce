"""A random part of a table."""

from __future__ import annotations

import pyarrow as pa
import pytest

from maskwise.table import random_part
from maskwise.table.random_part import one_of_each, take_part
from maskwise.table.read import read


def test_a_small_table_is_taken_whole_without_what_cannot_be_counted() -> None:
    table = pa.table({"a": [1, 2, 3], "nested": [[1], [2], [3]], "b": ["x", "y", "z"]})
    part = take_part(read(table), 3)
    assert part.share == 1
    assert part.table.names == ("a", "b")
    assert part.table.engine.fetch(part.table.expr).to_pydict() == {"c0": [1, 2, 3], "c1": ["x", "y", "z"]}


def test_of_a_large_table_every_record_is_as_likely(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(random_part, "MOST_RECORDS", 2_000)
    part = take_part(read(pa.table({"a": range(20_000)})), 20_000)
    assert part.share == 0.1
    drawn = part.table.engine.fetch(part.table.expr).column(0).to_pylist()
    assert drawn == part.table.engine.fetch(part.table.expr).column(0).to_pylist()
    assert 1_600 < len(drawn) < 2_400
    assert 8_000 < sum(drawn) / len(drawn) < 12_000


def test_a_part_of_a_part_knows_its_share_of_the_whole(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(random_part, "MOST_RECORDS", 2_000)
    part = take_part(read(pa.table({"a": range(20_000)})), 20_000).at_most(500)
    assert part.share == 0.025
    assert part.at_most(600) is part
    assert 300 < part.table.n_rows() < 700


def test_one_record_of_each_value_is_drawn() -> None:
    table = read(pa.table({"p": ["a"] * 50 + ["b", "c", "c"], "x": list(range(53))}))
    drawn = [one_of_each(table, "p") for _ in range(8)]
    rows = [[(row["c0"], row["c1"]) for row in one.engine.fetch(one.expr).to_pylist()] for one in drawn]
    assert all(sorted(person for person, _ in found) == ["a", "b", "c"] for found in rows)
    assert len({x for found in rows for person, x in found if person == "a"}) > 1


def test_cells_are_counted_once_for_all_who_ask(monkeypatch: pytest.MonkeyPatch) -> None:
    table = read(
        pa.table({"Age": [1, 1, None, 2], "Job": ["a", "b", "c", "d"], "Zip": [1.5, None, None, float("nan")]})
    )
    part = take_part(table, 4)
    assert part.count_cells([]) == {}
    assert part.count_cells(["Age", "Zip"]) == {"Age": (3, 2), "Zip": (1, 1)}
    asked: list[object] = []
    fetch = table.engine.fetch
    monkeypatch.setattr(table.engine, "fetch", lambda expr: asked.append(expr) or fetch(expr))
    assert part.count_cells(["Zip", "Job"]) == {"Zip": (1, 1), "Job": (4, 4)}
    assert part.count_cells(["Job", "Age"]) == {"Job": (4, 4), "Age": (3, 2)}
    assert len(asked) == 1


@pytest.mark.slow
def test_cells_of_many_columns_are_counted_a_few_at_a_time(monkeypatch: pytest.MonkeyPatch) -> None:
    table = read(pa.table({f"x{i}": [0, i % 3, None] for i in range(150)}))
    asked: list[object] = []
    fetch = table.engine.fetch
    monkeypatch.setattr(table.engine, "fetch", lambda expr: asked.append(expr) or fetch(expr))
    found = take_part(table, 3).count_cells(table.names)
    assert found == {f"x{i}": (2, 2 if i % 3 else 1) for i in range(150)}
    assert len(asked) == 3
