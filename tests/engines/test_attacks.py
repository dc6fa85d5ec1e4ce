"""Every engine gives the same attacks, while a table is masked and afterwards."""

from __future__ import annotations

import random
from typing import Any

import pyarrow as pa
import pytest

import maskwise
from tests.engines.conftest import Place

pytestmark = pytest.mark.filterwarnings("ignore::maskwise.MaskwiseWarning")

POLICY: dict[str, Any] = {
    "class": "risk",
    "attributes": {"age": {"interval": [0, 99]}, "town": "suppress", "sex": {"taxonomy": {"Any": ["F", "M"]}}},
    "requirements": [
        {"qid": ["sex", "age", "town"], "sensitive": {"ill": ["HIV"]}, "confidence": 0.4},
        {"qid": ["sex", "age", "town"], "sensitive": "stage", "closeness": 0.9},
        {"qid": ["sex", "age", "town"], "k": 5},
    ],
    "drop": ["stage"],
}


def people(n: int = 300) -> pa.Table:
    rng = random.Random(5)  # noqa: S311 - test data
    rows = []
    for _ in range(n):
        sex, age = rng.choice("FM"), rng.randrange(20, 80)
        ill = "HIV" if rng.random() < (0.5 if sex == "M" and age > 50 else 0.1) else rng.choice(["Flu", "Gout", None])
        rows.append({"sex": sex, "age": age, "town": rng.choice(["a", "a", "b", "c", None]), "ill": ill})
        rows[-1] |= {"stage": rng.randrange(3), "risk": "high" if age > 50 else "low"}
    return pa.Table.from_pylist(rows)


def figures(attacks: Any) -> list[tuple[Any, ...]]:
    return [
        (one.name, one.details.get("column"), one.result, one.text, pytest.approx(one.figure), one.audience)
        for one in attacks
    ]


def test_all_engines_find_the_same(other_place: Place) -> None:
    table = people()
    expected = maskwise.anonymize(table, POLICY)
    assert {one.name for one in expected.attacks if one.figure is not None} >= {
        "minimality",
        "labels",
        "homogeneity",
        "skew",
    }
    data, engine = other_place.load(table)
    outcome = maskwise.anonymize(data, POLICY, other_place.target(), engine=engine)
    assert figures(outcome.attacks) == figures(expected.attacks)
    release = outcome.data.name if other_place.name == "postgres" else outcome.data
    again = maskwise.attack(release, POLICY, solution=outcome.solution, original=data, engine=engine)
    against = maskwise.attack(expected.data, POLICY, solution=expected.solution, original=table)
    assert figures(again) == figures(against)


def test_a_guard_works_on_all_engines(place: Place) -> None:
    outcome, _ = place.anonymize(people(), {**POLICY, "minimality": "guard"})
    (found,) = [one for one in outcome.attacks if one.name == "minimality"]
    assert found.result == "passed"
