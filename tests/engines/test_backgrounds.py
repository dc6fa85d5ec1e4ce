"""What unmasked columns tell is counted where the records are, and is the same in every engine."""

from __future__ import annotations

import datetime as dt
import random
from typing import Any

import pyarrow as pa
import pytest

import maskwise
from maskwise.compress import unmasked_counts
from maskwise.compress.scored_records import score_by_odds
from maskwise.engines.dialect import Dialect
from maskwise.formats import solution_file, trace_file
from maskwise.table.endpoints import closing, open_data
from tests.engines.conftest import Place, in_order, rows_of


def people(n: int = 400, classes: tuple[str | None, ...] = ("low", "high")) -> pa.Table:
    """Masked and unmasked columns of many kinds, missing cells and names among them."""
    rng = random.Random(11)  # noqa: S311 - test data
    rows = []
    for i in range(n):
        age, town, score = rng.randint(18, 80), rng.choice(["u", "U", "v,w", "x'y"]), rng.gauss(0, 1)
        sick = rng.random() < 0.3
        at = (age > 45) + (score > 0.3) + (town == "u") + 2 * sick + rng.randrange(2)
        rows.append(
            {
                "age": None if i % 40 == 7 else age,
                "job": rng.choice(["a", "b", "c", "d"]),
                "town": None if i % 31 == 3 else town,
                "score": None if i % 29 == 5 else round(score, 3),
                "sick": sick,
                "typed": f" {rng.randrange(50)}.5",
                "zip": f"0{rng.randrange(9)}",
                "born": dt.date(2020, 1, 1) + dt.timedelta(days=rng.randrange(300)),
                "visit": dt.datetime(2020, 1, 1) + dt.timedelta(hours=rng.randrange(900)),  # noqa: DTZ001 - as written
                "name": f"n{i}",
                "risk": classes[min(at * len(classes) // 7, len(classes) - 1)],
            }
        )
    return pa.Table.from_pylist(rows)


def few_columns(classes: tuple[str | None, ...] = ("low", "high")) -> pa.Table:
    """A part of them: each column costs Spark seconds."""
    return people(classes=classes).select(["age", "job", "town", "sick", "risk"])


POLICY: dict[str, Any] = {
    "class": "risk",
    "attributes": {"age": "interval", "job": "suppress"},
    "requirements": [{"qid": ["age", "job"], "k": 6}],
}
HOWS: dict[str, dict[str, Any]] = {
    "odds": {"criterion": "conditional", "background": "odds"},
    "none": {"criterion": "conditional", "background": "none"},
    "regions, odds": {"method": "regions", "background": "odds"},
    "regions, none": {"method": "regions", "background": "none", "effort": 1},
}


def assert_same(place: Place, table: pa.Table, policy: dict[str, Any], how: dict[str, Any]) -> maskwise.Outcome:
    """The cut, the trace and the records are those of DuckDB."""
    expected = maskwise.anonymize(table, policy, keep_order=True, **how)
    outcome, rows = place.anonymize(table, policy, keep_order=True, **how)
    assert expected.steps
    assert trace_file.dumps(outcome.steps) == trace_file.dumps(expected.steps)
    assert solution_file.dumps(outcome.solution) == solution_file.dumps(expected.solution)
    assert outcome.solution.messages == expected.solution.messages
    assert in_order(rows) == in_order(rows_of(expected.data))
    return outcome


@pytest.mark.parametrize("how", HOWS)
def test_the_release_the_cut_and_the_trace_are_duckdbs(other_place: Place, how: str) -> None:
    assert_same(other_place, people() if how == "odds" else few_columns(), POLICY, HOWS[how])


def test_several_classes_are_told_apart_alike(other_place: Place) -> None:
    how: dict[str, Any] = {"criterion": "conditional", "background": "odds"}
    assert_same(other_place, few_columns(("low", "mid", None, "high")), POLICY, how)


@pytest.mark.parametrize("how", ["odds", "regions, odds"])
def test_a_class_that_is_a_number_is_told_alike(other_place: Place, how: str) -> None:
    table = few_columns()
    table = table.set_column(table.num_columns - 1, "risk", pa.array([i * 37 % 101 / 4 for i in range(400)]))
    assert_same(other_place, table, POLICY | {"class": {"risk": "number"}}, HOWS[how])


def test_persons_are_counted_and_are_no_background(other_place: Place) -> None:
    """Each person has one class, so that their pseudonyms would tell it."""
    table = few_columns().drop_columns(["risk"])
    table = table.append_column("patient", pa.array([f"P{i // 40}" for i in range(400)]))
    table = table.append_column("risk", pa.array([["low", "high"][i // 40 * 7 % 3 == 0] for i in range(400)]))
    policy = POLICY | {"person": "patient", "requirements": [{"qid": ["age", "job"], "k": 4}]}
    assert_same(other_place, table, policy, {"criterion": "conditional", "background": "odds"})


def test_columns_of_many_values_are_counted_inside_the_engine(
    other_place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With a limit of few values ranges and frequent texts are found by the engine, and nothing else changes."""
    table = people().select(["age", "job", "town", "typed", "born", "risk"])
    how: dict[str, Any] = {"criterion": "conditional", "background": "odds"}
    expected = maskwise.anonymize(table, POLICY, keep_order=True, **how)
    monkeypatch.setattr(unmasked_counts, "MOST_FETCHED", 2)
    outcome = assert_same(other_place, table, POLICY, how)
    assert trace_file.dumps(outcome.steps) == trace_file.dumps(expected.steps)


def test_odds_are_the_default_where_records_stay(remote_place: Place) -> None:
    table = few_columns()
    hows: list[dict[str, Any]] = [{"criterion": "conditional"}, {"method": "regions", "effort": 1}]
    for how in hows:
        expected = maskwise.anonymize(table, POLICY, background="odds", **how)
        outcome, _ = remote_place.anonymize(table, POLICY, **how)
        assert trace_file.dumps(outcome.steps) == trace_file.dumps(expected.steps)


def test_no_record_is_fetched(remote_place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    """Neither names, which differ from record to record, nor all numbers of a column leave the engine."""
    asked: list[Any] = []
    fetch = Dialect.query

    def watch(dialect: Dialect, query: str) -> pa.Table:
        found = fetch(dialect, query)
        asked.extend(cell for column in found.columns for cell in column.to_pylist())
        return found

    monkeypatch.setattr(Dialect, "query", watch)
    table = people()
    data, engine = remote_place.load(table)
    unmasked = [name for name in table.column_names if name not in {"age", "job", "risk"}]
    opened = open_data(data, engine, None, None)
    with closing(opened):
        assert score_by_odds(opened, unmasked, "risk", ["age", "job", "risk"]) is not None
    seen = set(asked)
    assert not set(table["name"].to_pylist()) & seen
    # Twenty ranges have forty ends; other columns may have some of these numbers too.
    assert len(set(table["score"].to_pylist()) & seen) < 50
