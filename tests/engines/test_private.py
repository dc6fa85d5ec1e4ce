"""A private release codes records alike on every engine, and is written where it was asked for."""

from __future__ import annotations

import datetime as dt
import math
from typing import Any

import pyarrow as pa

from maskwise.engines.choose import choose
from maskwise.formats.policy_file import read_policy
from maskwise.private.coded_records import code_records
from maskwise.private.domain import domains_of
from maskwise.table.endpoints import closing
from maskwise.table.read import read
from tests.engines.conftest import Place, in_order
from tests.engines.postgres_server import Server
from tests.private.tables import Eager, by_mechanisms

ATTRIBUTES = ["Dose", "Age", "Pay", "Text", "Born", "Edu", "Job", "Level", "Seen", "Zoned", "Clock", "Ill", "Big"]
POLICY: dict[str, Any] = {
    "class": {"Risk": ["lo", "hi"]},
    "attributes": {
        "Age": {"interval": {"range": [0, 40], "on": 10}},
        "Pay": {"interval": {"range": [0, 1], "on": "0.25"}},
        "Text": {"interval": {"range": [0, 40], "on": 10}},
        "Born": {"interval": {"range": ["1990-01-01", "1990-01-31"], "on": "week"}},
        "Edu": {"taxonomy": {"ANY": {"School": ["primary", "secondary"], "University": ["master"]}}},
        "Job": {"suppress": ["clerk", "nurse"]},
        "Dose": {"suppress": ["0.5", 1]},
        "Level": {"suppress": [1, 2]},
        "Seen": {"interval": {"range": ["2024-01-01", "2024-01-02"], "on": "hour"}},
        "Zoned": {"interval": {"range": ["2024-01-01", "2024-01-02"], "on": "hour"}},
        "Clock": {"interval": {"range": ["06:00", "22:00"], "on": "hour"}},
        "Ill": {"icd10": ["block", "chapter"]},
        "Big": {"interval": {"range": [0, 100], "on": 50}},
    },
    "requirements": [{"epsilon": 30, "attributes": ATTRIBUTES, "steps": 4}],
}


def people() -> pa.Table:
    n, moment = 60, dt.datetime(2023, 12, 31, 12)  # noqa: DTZ001 - as written
    return pa.table(
        {
            "Id": pa.array([i // 4 if i else None for i in range(n)], pa.int64()),
            "Age": pa.array([None if i == 7 else i - 5 for i in range(n)], pa.int64()),
            "Pay": pa.array([{9: None, 11: math.nan, 12: math.inf}.get(i, i / 40) for i in range(n)], pa.float64()),
            "Text": [["x", None, " 12 ", "1e1", "-3", "99", "20", "39.9"][i % 8] for i in range(n)],
            "Born": pa.array([dt.date(1989, 12, 20) + dt.timedelta(days=i) for i in range(n)], pa.date32()),
            "Edu": [["primary", "master", "none", None][i % 4] for i in range(n)],
            "Job": [["clerk", "nurse", "pilot"][i % 3] for i in range(n)],
            "Level": pa.array([i % 3 for i in range(n)], pa.int64()),
            "Seen": pa.array(
                [None if i == 5 else moment + dt.timedelta(minutes=37 * i) for i in range(n)], pa.timestamp("us")
            ),
            "Zoned": pa.array([moment + dt.timedelta(minutes=41 * i) for i in range(n)], pa.timestamp("us", "UTC")),
            "Clock": [["06:10", "23:00:00", "noon", None, "05:59:59.5", "21:59"][i % 6] for i in range(n)],
            "Dose": pa.array([[0.5, 1.0, 2.0, None][i % 4] for i in range(n)], pa.float64()),
            "Ill": [["E11.9", "e10", "flu", None, "I21.0"][i % 5] for i in range(n)],
            "Big": [["7", "1e400", "-1e400", "nan", "inf", "99.5", None][i % 7] for i in range(n)],
            "Risk": [["lo", "hi", "hi", "no"][(i // 3) % 4] for i in range(n)],
        }
    )


def coded(data: Any, engine: Any, policy: dict[str, Any]) -> list[tuple[int, ...]]:
    asked = read_policy(policy, private=True)
    started, place = choose(data, engine)
    table = read(place, started)
    with closing(table):
        rows = code_records(table, asked, domains_of(asked))
    columns = [*(one.tolist() for one in rows.leaves), rows.classes.tolist(), rows.counts.tolist()]
    return sorted(zip(*columns, strict=True))


def test_records_are_coded_alike(place: Place) -> None:
    data, engine = place.load(people())
    for missing in ("keep", "drop"):
        policy = {**POLICY, "missing": missing}
        assert coded(data, engine, policy) == coded(people(), None, policy)


def test_of_each_person_so_many_records_are_used(place: Place) -> None:
    data, engine = place.load(people())
    (entry,) = POLICY["requirements"]
    policy = {
        **POLICY,
        "person": "Id",
        "requirements": [{**entry, "per_person": 2}],
        "class": {"Risk": ["lo", "hi", "no"]},
    }
    # Fifteen persons with four records each, of whom one has three, and one record of nobody.
    assert sum(row[-1] for row in coded(data, engine, policy)) == 15 * 2 + 1


def test_the_same_release_is_written(place: Place) -> None:
    expected = by_mechanisms(people(), POLICY, mechanisms=Eager())
    data, engine = place.load(people())
    outcome = by_mechanisms(data, POLICY, place.target(), engine=engine, mechanisms=Eager())
    assert outcome.solution == expected.solution
    assert len(outcome.released.chosen) == 4
    assert in_order(place.rows(outcome.data)) == in_order([tuple(row.values()) for row in expected.data.to_pylist()])


def test_no_number_of_postgresql_is_too_large(server: Server) -> None:
    """A cast to a float would fail at some cells, which would tell that there are such."""
    server.run("CREATE TABLE amounts (x numeric, risk text)")
    server.run("INSERT INTO amounts VALUES (7, 'lo'), (1e400, 'lo'), ('NaN', 'hi'), (NULL, 'hi')")
    entry = {"interval": {"range": [0, 100], "on": 50}}
    policy = {"class": {"risk": ["lo", "hi"]}, "attributes": {"x": entry}}
    try:
        found = coded("amounts", server.url, {**policy, "requirements": [{"epsilon": 1, "attributes": ["x"]}]})
    finally:
        server.run("DROP TABLE amounts")
    assert found == [(0, 0, 1), (3, 0, 1), (3, 1, 2)]
