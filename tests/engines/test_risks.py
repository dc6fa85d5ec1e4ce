"""The figures of risk are the same on every engine."""

from __future__ import annotations

import random
from typing import Any

import pyarrow as pa
import pytest

import maskwise
from maskwise.engines.dialect import Dialect
from tests.engines.conftest import Place

POLICY: dict[str, Any] = {
    "class": "risk",
    "attributes": {"zone": "suppress"},
    "requirements": [
        {"qid": ["age", "zone"], "k": 3},
        {"qid": ["zone"], "sensitive": "ill", "diversity": {"entropy": "1.2"}},
    ],
}
BY_PERSON = {**POLICY, "person": "patient"}
BY_RECORD = {**POLICY, "drop": ["patient"]}


def visits(n: int = 200) -> pa.Table:
    rng = random.Random(3)  # noqa: S311 - test data
    rows = [
        (
            f"P{rng.randrange(90)}",
            rng.choice([20, 30, 40, 50, None]),
            rng.choice("ABCD"),
            rng.choice(["flu", "HIV", "cold", "cold", "", None]),
            rng.choice(["low", "high"]),
            rng.choice([0.5, 1.5, None]),
        )
        for _ in range(n)
    ]
    names = ("patient", "age", "zone", "ill", "risk", "dose")
    return pa.table(dict(zip(names, map(list, zip(*rows, strict=True)), strict=True)))


@pytest.mark.parametrize("policy", [BY_RECORD, BY_PERSON], ids=["records", "persons"])
def test_risk_is_duckdbs(other_place: Place, policy: dict[str, Any]) -> None:
    table = visits()
    expected = maskwise.risk(table, policy, population_size=1000)
    data, engine = other_place.load(table)
    assert maskwise.risk(data, policy, population_size=1000, engine=engine) == expected
    assert expected.everything.n_groups > 100


def test_a_population_is_compared_as_on_duckdb(other_place: Place) -> None:
    people = visits()
    sample = people.slice(0, 120)
    expected = maskwise.risk(sample, BY_RECORD, population=people)
    data, engine = other_place.load(sample)
    population, _ = other_place.load(people)
    assert maskwise.risk(data, BY_RECORD, population=population, engine=engine) == expected
    assert [one.qid for one in expected.populations] == [("age", "zone"), ("zone",)]


def test_the_risk_of_a_release_is_duckdbs(other_place: Place) -> None:
    expected = maskwise.anonymize(visits(), BY_PERSON)
    outcome, _ = other_place.anonymize(visits(), BY_PERSON)
    assert outcome.risk == expected.risk
    assert outcome.owner_risk == expected.owner_risk
    assert outcome.owner_risk is not None


def test_the_number_of_queries_does_not_depend_on_the_records(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[str] = []
    query = Dialect.query
    monkeypatch.setattr(Dialect, "query", lambda self, sql: [asked.append(sql), query(self, sql)][1])
    counts = []
    for n in (20, 2000):
        asked.clear()
        maskwise.risk(visits(n), BY_RECORD)
        counts.append(len(asked))
    assert counts[0] == counts[1] < 12
