"""Drafts of private releases: domains that somebody has to confirm, and nothing that few records have."""

from __future__ import annotations

import datetime as dt
from fractions import Fraction
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from maskwise import InputError, suggest_privately
from maskwise.cli.app import main
from maskwise.formats.policy_file import read_policy
from maskwise.private.domain import domains_of

N = 400


def people() -> pa.Table:
    start = dt.date(2020, 3, 5)
    return pa.table(
        {
            "name": [f"Name {i}" for i in range(N)],
            "age": [20 + i % 57 for i in range(N)],
            "pay": [round(0.25 + i % 200 / 8, 3) for i in range(N)],
            "visit_date": [start + dt.timedelta(days=i % 300) for i in range(N)],
            "job": ["astronaut" if i == 7 else ["clerk", "nurse"][i % 2] for i in range(N)],
            "diagnosis": [["E11.9", "I21.0", "A00"][i % 3] for i in range(N)],
            "ward": [f"w{i % 90}" for i in range(N)],
            "risk": ["unknown" if i == 9 else ["low", "high"][i // 3 % 2] for i in range(N)],
        }
    )


@pytest.fixture(scope="module")
def draft() -> Any:
    return suggest_privately(people(), "1/3", class_name="risk")


def test_a_draft_is_a_policy_whose_domains_can_be_used(draft: Any) -> None:
    policy = read_policy(draft.data, private=True)
    assert policy.private is not None
    assert policy.private.epsilon == Fraction(1, 3)
    assert policy == draft.policy
    sizes = {domain.name: domain.n_leaves for domain in domains_of(policy)}
    assert set(sizes) == {"age", "pay", "visit_date", "job", "diagnosis"}
    assert all(n > 1 for n in sizes.values())


def test_ranges_are_rounded_outward_and_tell_no_end(draft: Any) -> None:
    entries = draft.data["attributes"]
    assert entries["age"] == {"interval": {"range": ["10", "80"], "on": "1"}}
    low, high = map(float, entries["pay"]["interval"]["range"])
    assert low < 0.25
    assert high > 25.125
    assert entries["visit_date"]["interval"]["range"] == ["2020-03-01", "2021-01-01"]
    assert entries["visit_date"]["interval"]["on"] == "week"


def test_values_that_few_records_have_are_not_listed(draft: Any) -> None:
    assert draft.data["attributes"]["job"] == {"suppress": ["clerk", "nurse"]}
    assert draft.class_values == ("high", "low")
    text = draft.to_yaml()
    assert "astronaut" not in text
    assert "unknown" not in text
    assert "1 rarer one not listed" in text


def test_every_domain_is_to_be_confirmed_and_what_is_left_out_is_said(draft: Any) -> None:
    text = draft.to_yaml()
    assert text.count("# CONFIRM:") == 1 + 5
    assert "was looked up in the" in text
    assert "ward: more than 60 values" in text
    assert "name: identifier" in text


def test_a_rule_is_drafted_without_the_level_that_cannot_be_listed(draft: Any) -> None:
    entry = draft.data["attributes"]["diagnosis"]
    assert entry["icd10"] == ["category", "block", "chapter"]


def test_the_command_writes_a_draft_that_can_be_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    people().to_pandas().to_csv("people.csv", index=False)
    assert main(["suggest", "people.csv", "--epsilon", "0.5", "--class", "risk", "-o", "policy.yaml"]) == 0
    assert "Confirm or replace every domain" in capsys.readouterr().out
    policy = read_policy(tmp_path / "policy.yaml", private=True)
    assert policy.private is not None
    assert policy.private.epsilon == Fraction(1, 2)
    assert main(["suggest", "people.csv", "--epsilon", "0", "--class", "risk"]) == 2
    assert main(["suggest", "people.csv", "--epsilon", "1", "--explain"]) == 2


def test_a_class_of_too_many_values_is_refused() -> None:
    with pytest.raises(InputError, match="Name another one with --class"):
        suggest_privately(people(), 1, class_name="ward")


def test_persons_have_a_bound() -> None:
    table = people().append_column("patient_id", pa.array([f"p{i // 3}" for i in range(N)]))
    drafted = suggest_privately(table, 1, class_name="risk")
    assert drafted.person == "patient_id"
    assert drafted.data["requirements"][0]["per_person"] == 3
    assert drafted.policy.person is not None
