"""Regions are found, masked and applied alike in every engine."""

from __future__ import annotations

import datetime as dt
import random
from typing import Any

import pyarrow as pa

import maskwise
from maskwise.formats import solution_file, trace_file
from tests.engines.conftest import Place, in_order, rows_of

POLICY: dict[str, Any] = {
    "class": "risk",
    "attributes": {
        "age": {"interval": [0, 90]},
        "*": "suppress",
        "born": {"interval": ["2020-01-01", "2020-12-31"]},
        "edu": {"taxonomy": {"any": {"A": ["a1", "a2"], "B": ["b1", "b2"]}}},
    },
    "requirements": [{"qid": ["age", "*", "born", "edu"], "k": 8}],
}


def people(n: int = 300, seed: int = 4) -> pa.Table:
    """Numbers, dates, a tree, codes with leading zeros, and missing cells of each."""
    rng = random.Random(seed)  # noqa: S311 - test data
    rows = []
    for i in range(n):
        age, edu = rng.randint(18, 80), rng.choice(["a1", "a2", "b1", "b2"])
        code = rng.choice(["007", "07", "7"])
        is_high = rng.random() < 0.1 + 0.7 * ((age > 45) ^ (edu[0] == "a")) + 0.15 * (code == "07")
        day = dt.date(2020, 1, 1) + dt.timedelta(days=rng.randrange(360))
        rows.append(
            {
                "age": None if i % 9 == 4 else age,
                "*": None if i % 11 == 3 else code,
                "born": None if i % 37 == 2 else day,
                "edu": edu,
                "number": i,
                "risk": "high" if is_high else "low",
            }
        )
    return pa.Table.from_pylist(rows)


def test_regions_are_duckdbs(place: Place) -> None:
    table = people()
    how: dict[str, Any] = {"method": "regions", "background": "odds", "keep_order": True}
    expected = maskwise.anonymize(table, POLICY, **how)
    outcome, rows = place.anonymize(table, POLICY, **how)
    assert len(expected.steps) > 3
    assert trace_file.dumps(outcome.steps) == trace_file.dumps(expected.steps)
    assert solution_file.dumps(outcome.solution) == solution_file.dumps(expected.solution)
    assert outcome.verdict == expected.verdict
    assert in_order(rows) == in_order(rows_of(expected.data))
    if place.name == "duckdb":
        assert rows == rows_of(expected.data)
        assert [row[-2] for row in rows] == table["number"].to_pylist()


def test_regions_are_applied_as_in_duckdb(place: Place) -> None:
    solution = maskwise.anonymize(people(), POLICY, method="regions").solution
    odd = {"age": 95, "*": "7.0", "born": dt.date(2021, 5, 1), "edu": "elsewhere", "number": -1, "risk": "low"}
    nothing = dict.fromkeys(odd) | {"number": -2}
    later = pa.concat_tables([people(60, seed=5), pa.Table.from_pylist([odd, nothing], people().schema)])
    expected = maskwise.apply(later, solution, keep_order=True)
    data, engine = place.load(later)
    applied = maskwise.apply(data, solution, place.target(), engine=engine, keep_order=True)
    assert in_order(place.rows(applied.data)) == in_order(rows_of(expected.data))
    assert (applied.unknown, applied.outside) == (expected.unknown, expected.outside)
    assert expected.outside == {"age": 1, "born": 1}
    assert expected.unknown["edu"].n_values == 2


def test_a_database_counts_with_an_earlier_release_by_regions(postgres: Place) -> None:
    table = people()
    earlier = maskwise.anonymize(table, POLICY, method="regions").solution
    expected = maskwise.anonymize(table, POLICY, against=earlier, keep_order=True)
    outcome, rows = postgres.anonymize(table, POLICY, against=earlier, keep_order=True)
    assert solution_file.dumps(outcome.solution) == solution_file.dumps(expected.solution)
    assert in_order(rows) == in_order(rows_of(expected.data))
