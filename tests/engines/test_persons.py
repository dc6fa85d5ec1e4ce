"""Persons are counted, dropped and renamed alike on every engine."""

from __future__ import annotations

import random
from typing import Any

import pyarrow as pa
import pytest

import maskwise
from maskwise.formats import solution_file, trace_file
from tests.engines.conftest import Place, in_order


def visits(*, moving: bool) -> pa.Table:
    """Some visits of each of 60 patients; of `moving` ones each visit may be in another zone."""
    rng = random.Random(4)  # noqa: S311 - test data
    rows = []
    for patient in range(60):
        age, zone = rng.randint(20, 70), rng.choice("ABCD")
        for _ in range(rng.randint(1, 6)):
            here = rng.choice("ABCD") if moving else zone
            ill, risk = rng.choice(["flu", "HIV", "cold", "cold", None]), age + rng.randint(-9, 9) > 45
            rows.append((f"P-{patient:03d}", age, here, ill, ["low", "high"][risk]))
    rng.shuffle(rows)
    names = ("patient", "age", "zone", "ill", "risk")
    return pa.table(dict(zip(names, map(list, zip(*rows, strict=True)), strict=True)))


def policy(person: Any = "patient") -> dict[str, Any]:
    return {
        "class": "risk",
        "attributes": {"age": {"interval": [0, 100]}, "zone": "suppress"},
        "person": person,
        "requirements": [
            {"qid": ["age", "zone"], "k": 4},
            {"qid": ["zone"], "sensitive": {"ill": ["HIV"]}, "confidence": 0.8},
            {"qid": ["age"], "sensitive": "ill", "diversity": {"entropy": "1.5"}},
        ],
    }


@pytest.mark.parametrize("moving", [False, True])
def test_cuts_figures_and_releases_of_persons_are_duckdbs(other_place: Place, moving: bool) -> None:
    table = visits(moving=moving)
    expected = maskwise.anonymize(table, policy())
    outcome, rows = other_place.anonymize(table, policy())
    assert expected.steps
    assert trace_file.dumps(outcome.steps) == trace_file.dumps(expected.steps)
    assert solution_file.dumps(outcome.solution) == solution_file.dumps(expected.solution)
    assert outcome.verdict == expected.verdict
    assert in_order(rows) == in_order([tuple(row.values()) for row in expected.data.to_pylist()])
    assert "P-" not in repr(rows)


def test_a_pseudonym_stands_for_one_person_and_counts_as_it(place: Place) -> None:
    table = visits(moving=True)
    asked = policy({"column": "patient", "release": "pseudonym"})
    # A column that passes through says which record is which.
    table = table.append_column("visit", pa.array(range(table.num_rows), pa.int64()))
    outcome, rows = place.anonymize(table, asked)
    assert outcome.verdict.n_persons == 60
    patient = dict(zip(table["visit"].to_pylist(), table["patient"].to_pylist(), strict=True))
    pairs = {(patient[row[-1]], row[0]) for row in rows}
    assert len(rows) == table.num_rows
    assert len(pairs) == len({old for old, _ in pairs}) == len({new for _, new in pairs}) == 60
    # Neither the order of the cells nor that of the records is the order of the pseudonyms.
    assert [new for _, new in sorted(pairs)] != sorted(new for _, new in pairs)
    assert {new for _, new in pairs} == {f"p{i:06d}" for i in range(1, 61)}


def test_an_audit_of_persons_is_duckdbs(other_place: Place) -> None:
    table = visits(moving=True)
    asked = {key: policy()[key] for key in ("person", "requirements")}
    data, engine = other_place.load(table)
    verdict = maskwise.audit(data, asked, engine=engine)
    assert not verdict.is_met
    assert verdict == maskwise.audit(table, asked)


def test_later_records_are_counted_by_person(place: Place) -> None:
    table = visits(moving=True)
    solution = maskwise.anonymize(table, policy()).solution
    data, engine = place.load(table)
    applied = maskwise.apply(data, solution, place.target(), engine=engine)
    assert applied.verdict.n_persons == 60
    assert [finding.figure for finding in applied.verdict.findings] == pytest.approx(
        [reached.figure for reached in solution.reached]
    )
    assert "P-" not in repr(place.rows(applied.data))
