"""Releases of the same people are counted together alike on every engine."""

from __future__ import annotations

import random
from typing import Any

import pyarrow as pa
import pytest

import maskwise
from maskwise.formats import solution_file, trace_file
from tests.engines.conftest import Place, in_order
from tests.engines.test_contract import TREE, numbers, texts

WORDS = {"word": "suppress", "paid": "suppress", "code": {"taxonomy": TREE}}
CASES: dict[str, tuple[pa.Table, dict[str, Any], dict[str, Any]]] = {
    "numbers, dates and missing cells": (
        numbers(),
        {"class": "risk", "requirements": [{"qid": ["age", "size", "born", "seen", "typed"], "k": 9}], "drop": ["pay"]},
        {
            "class": "risk",
            "requirements": [{"qid": ["age", "born"], "k": 4}, {"qid": ["pay", "seen", "typed"], "k": 5}],
        },
    ),
    "texts and a sensitive column": (
        texts(),
        {"class": "risk", "attributes": WORDS, "requirements": [{"qid": ["word", "code"], "k": 20}], "drop": ["note"]},
        {
            "class": "risk",
            "attributes": WORDS,
            "requirements": [
                {"qid": ["word", "code", "paid"], "k": 4},
                {"qid": ["word", "code"], "sensitive": {"ill": ["HIV", None]}, "confidence": 0.5},
                {"lkc": {"attributes": ["word", "paid", "code"], "L": 2}, "k": 5},
            ],
            "drop": ["note"],
        },
    ),
}


@pytest.mark.parametrize("how", [{}, {"method": "bug"}], ids=["tdr", "bug"])
@pytest.mark.parametrize("case", CASES)
def test_joint_figures_cuts_and_releases_are_duckdbs(other_place: Place, case: str, how: dict[str, str]) -> None:
    table, before, after = CASES[case]
    earlier = maskwise.anonymize(table, before).solution
    expected = maskwise.anonymize(table, after, against=earlier, **how)
    outcome, rows = other_place.anonymize(table, after, against=earlier, **how)
    assert trace_file.dumps(outcome.steps) == trace_file.dumps(expected.steps)
    assert solution_file.dumps(outcome.solution) == solution_file.dumps(expected.solution)
    assert outcome.attacks == expected.attacks
    assert outcome.verdict == expected.verdict
    assert in_order(rows) == in_order([tuple(row.values()) for row in expected.data.to_pylist()])


def test_two_releases_are_put_together_as_in_duckdb(place: Place) -> None:
    table = texts()
    policy = {"attributes": WORDS, "requirements": [{"qid": ["word", "code", "paid"], "k": 3}], "drop": ["note"]}
    releases = [maskwise.anonymize(table, policy, method=method).data for method in ("tdr", "bug")]
    order = random.Random(0).sample(range(table.num_rows), table.num_rows)  # noqa: S311 - test data
    releases[1] = releases[1].take(order)
    expected = maskwise.compose(*releases, policy)
    (first, engine), (second, _) = map(place.load, releases)
    found = maskwise.compose(first, second, policy, engine=engine)
    assert found == expected
    for one, (data, engine) in zip(releases, map(place.load, releases), strict=True):
        same = maskwise.compose(data, place.load(one)[0], policy, engine=engine)
        assert same.attack == maskwise.compose(one, one, policy).attack
