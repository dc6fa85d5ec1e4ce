"""The risk in a release: what recipients can count, and what only its owner can."""

from __future__ import annotations

from typing import Any

import pyarrow as pa

import maskwise
from maskwise.report.report import report
from maskwise.values.message import Audience

VISITS = pa.table(
    {
        "patient": [f"P{i // 2}" for i in range(40)],
        "age": [20 + i // 2 for i in range(40)],
        "ward": ["AB"[i % 2] for i in range(40)],
        "ill": ["flu" if i % 3 else "cold" for i in range(40)],
        "c": ["xy"[i > 19] for i in range(40)],
    }
)
POLICY: dict[str, Any] = {"class": "c", "requirements": [{"qid": ["age"], "k": 5}]}


def mask(**more: Any) -> maskwise.Outcome:
    return maskwise.anonymize(VISITS, {**POLICY, **more})


def test_the_risk_of_a_release_is_that_of_its_table() -> None:
    outcome = mask(drop=["patient"])
    assert outcome.owner_risk is None
    assert outcome.risk == maskwise.risk(outcome.data, {**POLICY, "drop": ["patient"]})
    for audience in Audience:
        made = report(outcome, audience)
        assert made.data["risk"] == outcome.risk.to_data()
        assert "Over all 4 released columns together " in made.to_markdown()
        assert "| all 4 released columns |" in made.to_markdown()
    assert "With all 4 released columns known, " in outcome.summary()


def test_recipients_read_no_risk_where_persons_are_not_released() -> None:
    """A person with four records of a group of 40 is found by any of them."""
    outcome = mask(person="patient")
    assert outcome.risk is None
    assert outcome.owner_risk is not None
    assert (outcome.owner_risk.unit, outcome.owner_risk.qids[0].n_records) == ("person", 20)
    assert "patient" not in outcome.owner_risk.everything.columns
    assert "risk" not in report(outcome).data
    assert report(outcome, Audience.OWNER).data["risk"]["unit"] == "person"


def test_a_pseudonym_lets_recipients_count_persons() -> None:
    outcome = mask(person={"column": "patient", "release": "pseudonym"})
    assert outcome.owner_risk is None
    assert outcome.risk is not None
    assert outcome.risk.unit == "person"
    assert outcome.risk.everything.columns == ("age", "ward", "ill", "c")
    assert "patient" not in [one.column for one in outcome.risk.one_more]


def test_a_sensitive_column_that_is_not_released_is_the_owners() -> None:
    rules = [*POLICY["requirements"], {"qid": ["age"], "sensitive": "ill", "diversity": {"distinct": 2}}]
    outcome = mask(drop=["patient", "ill"], requirements=rules)
    assert outcome.risk is not None
    assert outcome.owner_risk is not None
    assert [one.column for one in outcome.risk.disclosures] == ["c"]
    assert [one.column for one in outcome.owner_risk.disclosures] == ["ill", "c"]
    assert "ill" not in str(report(outcome).data["risk"])
    assert outcome.risk.everything.columns == outcome.owner_risk.everything.columns == ("age", "ward", "c")
