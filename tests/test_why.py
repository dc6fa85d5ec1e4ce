"""Reasons as users meet them: in Python, on the command line and in the owner's report."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.csv
import pytest

import maskwise
from maskwise.cli.app import app
from maskwise.datasets import adult_folder
from maskwise.formats import solution_file, trace_file
from maskwise.report.report import report
from maskwise.solution.reasons import ReasonKind
from maskwise.values.message import Audience

ROOT = Path(__file__).parents[1]
JOBS = ["clerk"] * 4 + ["nurse"] * 4 + ["baker", "smith"]
PEOPLE = pa.table(
    {
        "Job": JOBS,
        "Sex": list("FFMMFFMMFM"),
        "Age": [21, 25, 30, 33, 38, 41, 47, 52, 60, 67],
        "Risk": ["lo", "hi"] * 5,
        "Ill": ["flu", "hiv", "flu", "cold", "flu", "hiv", "cold", "flu", "hiv", "cold"],
    }
)
POLICY: dict[str, Any] = {
    "class": "Risk",
    "attributes": {"Age": {"interval": [0, 99]}, "Sex": {"taxonomy": {"Any": ["F", "M"]}}},
    "requirements": [
        {"qid": ["Job", "Sex", "Age"], "k": 3},
        {"qid": ["Job"], "sensitive": {"Ill": ["hiv"]}, "confidence": 0.3},
    ],
}


def test_reasons_are_given_for_one_attribute_or_all() -> None:
    outcome = maskwise.anonymize(PEOPLE, POLICY, why=True)
    assert outcome.reasons is not None
    assert outcome.why() == outcome.reasons.reasons
    assert {reason.attribute for reason in outcome.why("Job")} == {"Job"}
    assert sum(len(outcome.why(name)) for name in ("Job", "Sex", "Age")) == len(outcome.why())


def test_reasons_that_were_not_asked_for_say_how_to_get_them() -> None:
    outcome = maskwise.anonymize(PEOPLE, POLICY)
    assert outcome.reasons is None
    with pytest.raises(maskwise.InputError, match="why=True"):
        outcome.why()


def test_a_column_that_is_not_masked_has_no_reasons() -> None:
    outcome = maskwise.anonymize(PEOPLE, POLICY, why=True)
    with pytest.raises(maskwise.InputError, match=r"`Jobs` is not masked.*Did you mean `Job`"):
        outcome.why("Jobs")


def test_a_share_is_told_without_its_value() -> None:
    policy = {**POLICY, "requirements": POLICY["requirements"][1:]}
    (nurse,) = [
        reason for reason in maskwise.anonymize(PEOPLE, policy, why=True).why("Job") if reason.instead[0] == "nurse"
    ]
    assert nurse.kind is ReasonKind.BREAKS
    # 1 of 4 nurses and 2 of the 6 others have it.
    assert nurse.figure == pytest.approx(2 / 6)
    assert nurse.text == (
        "If nurse were shown, a protected value of `Ill` would reach a share of 0.33 of a group; "
        "at most 0.3 is allowed (on {Job})."
    )


def test_a_top_coded_interval_says_that_the_policy_asks_for_it() -> None:
    table = pa.table({"Age": [20, 21, 22, 23, 80, 85, 90, 95], "Risk": ["lo", "hi"] * 4})
    policy = {
        "class": "Risk",
        "attributes": {"Age": {"interval": [0, 99], "clamp": [None, 80]}},
        "requirements": [{"qid": ["Age"], "k": 2}],
    }
    outcome = maskwise.anonymize(table, policy, why=True, criterion="score")
    assert [reason.kind for reason in outcome.why("Age")][-1] is ReasonKind.ASKED


@pytest.mark.slow
def test_nothing_of_it_goes_to_recipients() -> None:
    plain = maskwise.anonymize(PEOPLE, POLICY, keep_order=True)
    told = maskwise.anonymize(PEOPLE, POLICY, keep_order=True, why=True)
    assert report(told).to_markdown() == report(plain).to_markdown()
    assert report(told).to_json() == report(plain).to_json()
    for public in (True, False):
        assert solution_file.dumps(told.solution, public=public) == solution_file.dumps(plain.solution, public=public)
    assert trace_file.dumps(told.steps) == trace_file.dumps(plain.steps)
    assert "Why values stay masked" in report(told, Audience.OWNER).to_markdown()
    assert "Why values stay masked" not in report(plain, Audience.OWNER).to_markdown()


def test_plain_values_of_reasons_are_json() -> None:
    policy = {
        "class": "Risk",
        "requirements": [{"qid": ["Job"], "sensitive": "Ill", "diversity": {"recursive": {"c": 2, "l": 2}}}],
    }
    reasons = maskwise.anonymize(PEOPLE, policy, why=True).reasons
    assert reasons is not None
    # A group of one illness has no bound on how much it outweighs the rarer ones.
    assert any(one.figure == float("inf") for reason in reasons.reasons for one in reason.breaks)
    assert json.loads(json.dumps(reasons.to_data(), allow_nan=False))["wanted"] == list(reasons.wanted)


@pytest.fixture
def people(tmp_path: Path) -> tuple[str, str, str]:
    pyarrow.csv.write_csv(PEOPLE, tmp_path / "people.csv")
    (tmp_path / "policy.yaml").write_text(json.dumps(POLICY))
    return str(tmp_path / "people.csv"), str(tmp_path / "policy.yaml"), str(tmp_path / "masked.csv")


@pytest.mark.slow
def test_the_command_prints_reasons_if_asked(people: tuple[str, str, str], capsys: pytest.CaptureFixture[str]) -> None:
    data, policy, output = people
    app(["mask", data, "-p", policy, "-o", output, "--why"], result_action="return_value")
    printed = " ".join(capsys.readouterr().out.split())
    assert "Why values stay masked" in printed
    assert "Requirement 1 (k=3 on {Job, Sex, Age}) holds back" in printed
    assert "What would let the most wanted values show more" in printed
    app(["mask", data, "-p", policy, "-o", output], result_action="return_value")
    assert "Why values stay masked" not in capsys.readouterr().out


@pytest.mark.slow
def test_the_owners_report_has_reasons_and_json_has_them_if_asked(
    people: tuple[str, str, str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    data, policy, output = people
    files = {suffix: tmp_path / f"owner.{suffix}" for suffix in ("md", "txt", "json")}
    for path in files.values():
        app(["mask", data, "-p", policy, "-o", output, "--owner-report", str(path)], result_action="return_value")
    assert "## Why values stay masked" in files["md"].read_text()
    assert files["txt"].read_text() == files["md"].read_text()
    why = json.loads(files["json"].read_text())["why"]
    assert {attribute["name"] for attribute in why["attributes"]} == {"Job", "Sex", "Age"}
    capsys.readouterr()
    app(["mask", data, "-p", policy, "-o", output, "--json"], result_action="return_value")
    assert "why" not in json.loads(capsys.readouterr().out)


def test_long_lists_are_shortened_with_a_count() -> None:
    names = [f"job{i:02}" for i in range(60) for _ in range(4)]
    table = pa.table({"Job": names, "Sex": ["F", "M", "F", "F"] * 60, "Risk": ["lo", "hi"] * 120})
    policy = {"class": "Risk", "requirements": [{"qid": ["Job", "Sex"], "k": 4}, {"qid": ["Sex"], "k": 2}]}
    outcome = maskwise.anonymize(table, {**policy, "attributes": {"Sex": {"suppress": None, "at_least": 1}}}, why=True)
    assert len(outcome.why("Job")) == 60
    lines = report(outcome, Audience.OWNER).to_markdown().splitlines()
    assert sum("would be left; 4 are asked" in line for line in lines) == 40
    assert sum("and 20 other values with fewer records" in line for line in lines) == 1


@pytest.mark.slow
def test_the_page_tells_what_the_bundled_table_gives() -> None:
    folder = adult_folder()
    outcome = maskwise.anonymize(folder / "adult.parquet", folder / "policy.yaml", why=True)
    told = {(one.attribute, one.shown, f"{one.n_records:,}", one.text) for one in outcome.why()}
    page = (ROOT / "docs" / "why.md").read_text()
    rows = [tuple(cell.strip() for cell in line.strip("|").split(" | ")) for line in page.splitlines()]
    rows = [row for row in rows if len(row) == 4 and row[0] in {one.attribute for one in outcome.why()}]
    assert len(rows) == 4
    assert set(rows) <= told
    data = report(outcome, Audience.OWNER).data["why"]
    quoted = " ".join(line.removeprefix("> ") for line in page.splitlines() if line.startswith("> "))
    assert quoted in {one["text"] for one in data["wanted"]}


def test_too_many_combinations_for_reasons_are_refused_before_the_search(monkeypatch: pytest.MonkeyPatch) -> None:
    names = [f"c{i}" for i in range(25)]
    table = pa.table({name: ["a", "b"] * 4 for name in names})
    policy = {"requirements": [{"lkc": {"attributes": names, "L": 3}, "k": 2}]}

    def search(*_: object, **__: object) -> None:
        pytest.fail("It was searched.")

    monkeypatch.setattr("maskwise.pipeline.finding.solve", search)
    with pytest.raises(maskwise.InputError, match=r"stand for 2,300 of them, more than 2,000.*lower L"):
        maskwise.anonymize(table, policy, why=True)
