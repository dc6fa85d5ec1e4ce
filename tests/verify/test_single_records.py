"""A template alone keeps nobody from being found, and the owner is told so first."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

import maskwise
from maskwise.policy.requirements.unit import Unit
from maskwise.report.report import report, what_is_protected

TEMPLATE = {"qid": ["Age", "Minute"], "sensitive": {"Ill": ["HIV"]}, "confidence": 0.9}
DIVERSE = {"qid": ["Age", "Minute"], "sensitive": "Ill", "diversity": {"distinct": 1}}


def admissions() -> pa.Table:
    """Twenty people of whom seven pairs share their minute, so that six stand alone."""
    minutes = [*range(7), *range(7), *range(100, 106)]
    ill = ["Flu", "Cold"] * 10
    return pa.table({"Age": [30] * 20, "Minute": [str(m) for m in minutes], "Ill": ill, "c": ["a", "b"] * 10})


def mask(*requirements: dict[str, Any]) -> maskwise.Outcome:
    attributes = {"Age": "suppress", "Minute": "suppress"}
    return maskwise.anonymize(admissions(), {"attributes": attributes, "requirements": list(requirements)})


def n_alone(outcome: maskwise.Outcome) -> int:
    shown = list(zip(outcome.data["Age"].to_pylist(), outcome.data["Minute"].to_pylist(), strict=True))
    return sum(shown.count(row) == 1 for row in shown)


@pytest.mark.slow
@pytest.mark.parametrize("requirement", [TEMPLATE, DIVERSE])
def test_single_records_are_counted_in_the_first_warning(requirement: dict[str, Any]) -> None:
    outcome = mask(requirement)
    assert n_alone(outcome) == 6
    assert outcome.warnings[0].startswith("No k is asked on {Age, Minute}")
    assert "in this release 6 records stand alone" in outcome.warnings[0]
    assert "k: 10" in outcome.warnings[0]


@pytest.mark.slow
@pytest.mark.parametrize("qid", [["Age", "Minute"], ["Age", "Minute", "c"]])
def test_a_k_on_it_or_on_more_columns_is_enough(qid: list[str]) -> None:
    outcome = mask(TEMPLATE, {"qid": qid, "k": 2})
    assert not [text for text in outcome.warnings if "No k" in text]
    assert n_alone(outcome) == 0


@pytest.mark.slow
@pytest.mark.parametrize("other", [{"qid": ["Age"], "k": 2}, {"qid": ["Age", "Minute"], "k": 1}])
def test_a_k_on_fewer_columns_or_of_one_is_not(other: dict[str, Any]) -> None:
    assert mask(TEMPLATE, other).warnings[0].startswith("No k is asked on {Age, Minute}")


@pytest.mark.slow
def test_the_report_speaks_of_groups_only_where_a_k_was_asked() -> None:
    template, both = mask(TEMPLATE), mask(TEMPLATE, {"qid": ["Age"], "k": 2})
    assert "shared by at least" not in " ".join(report(template).data["protects"])
    assert "no protected value has more" in " ".join(report(template).data["protects"])
    assert "shared by at least" in " ".join(report(both).data["protects"])
    assert "diverse" not in " ".join(report(both).data["protects"])
    assert "diverse" in " ".join(what_is_protected(mask(DIVERSE).policy.requirements, Unit.RECORD))
    assert any("6 records stand alone" in text for text in report(template).data["warnings"])


def test_the_command_says_it_before_any_other_warning(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    import pyarrow.csv

    from maskwise.cli.app import main

    pyarrow.csv.write_csv(admissions(), tmp_path / "d.csv")
    (tmp_path / "p.yaml").write_text(
        "attributes: {Age: suppress, Minute: suppress}\n"
        "requirements:\n  - {qid: [Age, Minute], sensitive: {Ill: [HIW]}, confidence: 0.9}\n"
    )
    code = main(["mask", str(tmp_path / "d.csv"), "-p", str(tmp_path / "p.yaml"), "-o", str(tmp_path / "o.csv"), "-q"])
    said = " ".join(capsys.readouterr().err.split())
    assert code == 0
    assert 0 <= said.index("No k is asked") < said.index("`HIW`")
