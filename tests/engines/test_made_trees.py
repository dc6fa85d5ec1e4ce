"""Trees that are made of the table, and code systems, are the same on every engine."""

from __future__ import annotations

import random
from typing import Any

import pyarrow as pa
import pytest

import maskwise
from maskwise.formats import solution_file
from tests.engines.conftest import Place, in_order

TOWNS = {"Chicago": ("Cook", "IL"), "Evanston": ("Cook", "IL"), "Utica": ("Oneida", "NY"), "New York": (None, "NY")}


def visits() -> pa.Table:
    rng = random.Random(11)  # noqa: S311 - test data
    jobs = ["clerk", "clerk, senior", "nurse", "pilot", "pontiff"]
    rows = []
    for patient in range(150):
        job, town = rng.choices(jobs, [9, 7, 9, 5, 1])[0], rng.choice([*TOWNS, None])
        for _ in range(rng.randint(1, 3)):
            risk = "high" if rng.random() < 0.2 + 0.5 * job.startswith("clerk") else "low"
            code = rng.choice(["E11.9", "E119", "I10", "J45.0"])
            rows.append((f"P{patient}", job, town, *TOWNS.get(town, (None, None)), code, risk))
    names = ("patient", "job", "town", "county", "state", "code", "risk")
    return pa.table(dict(zip(names, map(list, zip(*rows, strict=True)), strict=True)))


@pytest.mark.parametrize("by", ["classes", "similarity"])
def test_trees_cuts_and_releases_are_duckdbs(other_place: Place, by: str) -> None:
    table = visits()
    policy: dict[str, Any] = {
        "class": "risk",
        "person": "patient",
        "attributes": {"job": {"grow": by}, "town": {"from_column": ["county", "state"]}, "code": "icd10"},
        "requirements": [{"qid": ["job", "town"], "k": 12}, {"qid": ["code"], "k": 5}],
        "drop": ["county", "state"],
    }
    expected = maskwise.anonymize(table, policy)
    outcome, rows = other_place.anonymize(table, policy)
    assert expected.steps
    assert solution_file.dumps(outcome.solution) == solution_file.dumps(expected.solution)
    assert in_order(rows) == in_order([tuple(row.values()) for row in expected.data.to_pylist()])
