"""What dropping columns costs: one more figure, of the raw table with all columns that are no identifiers."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest

import maskwise

POLICY: dict[str, Any] = {"class": "Risk", "requirements": [{"qid": ["Age"], "k": 5}]}


def people(n: int = 600) -> pd.DataFrame:
    rng = np.random.default_rng(7)
    gene = rng.choice(["AA", "Aa", "aa"], n)
    return pd.DataFrame(
        {
            "Name": [f"{a}son {i}" for i, a in enumerate(rng.choice(["Ander", "Eric"], n))],
            "Age": rng.integers(20, 80, n),
            "Gene": gene,
            "Risk": np.where(gene == "aa", "hi", "lo"),
        }
    )


def errors(table: pd.DataFrame, policy: dict[str, Any], **how: Any) -> dict[str, float | None]:
    found = maskwise.evaluate(table, policy, classifiers=["c4.5"], measures="error", **how)
    return {one.measure: one.error for one in found.records}


@pytest.mark.parametrize("leaves_out", [{"drop": ["Name", "Gene"]}, {"keep": []}])
def test_a_dropped_column_that_tells_the_class_shows_what_dropping_costs(leaves_out: dict[str, Any]) -> None:
    found = errors(people(), POLICY | leaves_out)
    assert found["BE(all columns)"] == 0
    raw = found["BE"]
    assert raw is not None
    assert raw > 20


def test_an_identifier_is_no_column_that_could_have_been_kept() -> None:
    assert "BE(all columns)" not in errors(people(), POLICY | {"drop": ["Name"]})


def test_the_name_of_a_person_with_several_records_is_an_identifier() -> None:
    table = people(200).loc[np.repeat(np.arange(200), 4)].reset_index(drop=True)
    table["Who"] = table["Name"]
    assert "BE(all columns)" not in errors(table, POLICY | {"drop": ["Name"], "person": "Who"})


def test_a_test_file_may_lack_what_the_policy_drops() -> None:
    table, policy = people(), POLICY | {"drop": ["Name", "Gene"]}
    assert errors(table, policy, test=people(90))["BE(all columns)"] == 0
    assert "BE(all columns)" not in errors(table, policy, test=people(90).drop(columns=["Gene"]))
