"""Attacks on a release from files: what is tried with what is at hand."""

from __future__ import annotations

import json
from fractions import Fraction
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.csv
import pytest

import maskwise
from maskwise.attacks.attack import AttackResult
from maskwise.attacks.told import told
from maskwise.cli.app import main
from maskwise.formats import solution_file
from maskwise.release.leaks import Leak, LeakKind
from maskwise.report.report import report
from maskwise.values.message import Audience

pytestmark = pytest.mark.filterwarnings("ignore::maskwise.MaskwiseWarning")

PEOPLE = pa.table({"Job": ["nurse"] * 2 + ["clerk"] * 5, "Ill": ["HIV"] * 2 + ["Flu"] * 5})
POLICY = {
    "attributes": {"Job": {"taxonomy": {"Any job": ["nurse", "clerk"]}}},
    "requirements": [{"qid": ["Job"], "sensitive": {"Ill": ["HIV"]}, "confidence": 0.5}],
}
POLICY_TEXT = """
attributes:
  Job: {taxonomy: {Any job: [nurse, clerk]}}
requirements:
  - {qid: [Job], sensitive: {Ill: [HIV]}, confidence: 0.5}
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "policy.yaml").write_text(POLICY_TEXT)
    pyarrow.csv.write_csv(PEOPLE, tmp_path / "people.csv")
    files = ["--output", str(tmp_path / "out.csv"), "--solution", str(tmp_path / "solution.json"), "--quiet"]
    assert main(["mask", str(tmp_path / "people.csv"), "-p", str(tmp_path / "policy.yaml"), *files]) == 0
    return tmp_path


def results(attacks: Any) -> dict[str, str]:
    return {one.name: str(one.result) for one in attacks}


def test_a_release_alone_is_attacked_by_what_it_shows(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["attack", str(folder / "out.csv"), "-p", str(folder / "policy.yaml")]) == 0
    shown = capsys.readouterr().out
    assert "homogeneity: passed." in shown
    assert "minimality: not run. It needs the original table" in shown


@pytest.mark.slow
def test_with_the_original_all_attacks_are_tried(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    more = ["--solution", str(folder / "solution.json"), "--original", str(folder / "people.csv"), "--json"]
    assert main(["attack", str(folder / "out.csv"), "-p", str(folder / "policy.yaml"), *more]) == 1
    data = json.loads(capsys.readouterr().out)
    assert data["failed"] is True
    (found,) = [one for one in data["attacks"] if one["attack"] == "minimality"]
    assert (found["result"], found["figure"], found["bound"]) == ("failed", 1.0, 0.5)


@pytest.mark.slow
@pytest.mark.parametrize("given", ["--solution", "--original"])
def test_one_without_the_other_is_bad_input(folder: Path, capsys: pytest.CaptureFixture[str], given: str) -> None:
    file = {"--solution": "solution.json", "--original": "people.csv"}[given]
    command = ["attack", str(folder / "out.csv"), "-p", str(folder / "policy.yaml"), given, str(folder / file)]
    assert main(command) == 2
    assert "Pass both, or neither" in capsys.readouterr().err


def test_the_solution_of_another_policy_is_refused() -> None:
    outcome = maskwise.anonymize(PEOPLE, POLICY)
    other = {**POLICY, "requirements": [{"qid": ["Job"], "k": 2}]}
    with pytest.raises(maskwise.InputError, match="another policy"):
        maskwise.attack(outcome.data, other, solution=outcome.solution, original=PEOPLE)


def test_a_table_without_the_attributes_is_refused() -> None:
    with pytest.raises(maskwise.InputError, match="Column `Job`"):
        maskwise.attack(PEOPLE.select(["Ill"]), POLICY)


@pytest.mark.slow
@pytest.mark.parametrize("options", [{}, {"method": "bug"}, {"criterion": "conditional"}, {"criterion": "infogain"}])
def test_attacks_on_files_find_what_mask_found(options: dict[str, Any], tmp_path: Path) -> None:
    table = pa.table(
        {
            "Job": ["a", "a", "b", "b", "c", "c", None, "d"] * 30,
            "Age": [20, 30, 45, 50, 61, 72, 33, 28] * 30,
            "Ill": (["HIV"] * 2 + ["Flu"] * 6) * 15 + (["Flu"] * 7 + ["HIV"]) * 15,
            "Risk": ["l", "l", "h", "h", "h", "h", "l", "l"] * 30,
        }
    )
    template = {"qid": ["Job", "Age"], "sensitive": {"Ill": ["HIV"]}, "confidence": 0.4}
    policy = {"class": "Risk", "requirements": [template, {"qid": ["Job", "Age"], "k": 5}]}
    outcome = maskwise.anonymize(table, policy, **options)
    saved = tmp_path / "solution.json"
    saved.write_text(solution_file.dumps(outcome.solution))
    attacks = maskwise.attack(outcome.data, policy, solution=saved, original=table)
    again = {(one.name, one.details.get("column")): one for one in attacks if one.details.get("column") != "Risk"}
    assert len(again) == len(outcome.attacks)
    for found in outcome.attacks:
        other = again[found.name, found.details.get("column")]
        assert (other.result, other.text) == (found.result, found.text)
        assert other.figure == pytest.approx(found.figure)


def test_a_guarded_solution_remembers_what_it_was_searched_with(tmp_path: Path) -> None:
    guarded = {**POLICY, "minimality": "guard"}
    outcome = maskwise.anonymize(PEOPLE, guarded)
    assert outcome.solution.tightened == Fraction(9, 10) ** 3
    saved = tmp_path / "solution.json"
    saved.write_text(solution_file.dumps(outcome.solution))
    assert "tightened" not in solution_file.dumps(outcome.solution, public=True)
    again = maskwise.attack(outcome.data, guarded, solution=saved, original=PEOPLE)
    (first,), (second,) = ([one for one in found if one.name == "minimality"] for found in (outcome.attacks, again))
    assert first == second
    assert first.result is AttackResult.PASSED


def test_a_cut_of_other_boundaries_is_not_attacked() -> None:
    table = pa.table(
        {"Age": [*range(20, 40)] * 3, "Ill": ["HIV", "Flu", "Flu"] * 20, "Risk": (["l"] * 7 + ["h"] * 13) * 3}
    )
    template = {"qid": ["Age"], "sensitive": {"Ill": ["HIV"]}, "confidence": 0.5}
    policy = {"class": "Risk", "requirements": [template, {"qid": ["Age"], "k": 6}]}
    outcome = maskwise.anonymize(table, policy, boundaries="exact")
    found = {one.name: one for one in maskwise.attack(outcome.data, policy, solution=outcome.solution, original=table)}
    assert found["minimality"].result is AttackResult.NOT_RUN
    assert "other options" in found["minimality"].text


def test_recipients_read_only_what_the_release_tells() -> None:
    outcome = maskwise.anonymize(PEOPLE, POLICY)
    public = report(outcome)
    assert {one["attack"] for one in public.data["attacks"]} == {"homogeneity", "skew"}
    assert "inimality:" not in public.to_markdown()
    owner = report(outcome, Audience.OWNER)
    assert {one["attack"] for one in owner.data["attacks"]} >= {"minimality", "labels", "told"}
    (line,) = [line for line in owner.to_markdown().splitlines() if "Minimality:" in line]
    assert "failed" in line


def test_columns_that_tell_others_are_an_attack() -> None:
    table = pa.table({"Sex": ["M", "F"] * 50, "Role": ["Husband", "Wife"] * 50})
    outcome = maskwise.anonymize(table, {"requirements": [{"qid": ["Sex"], "k": 60}]})
    (found,) = [one for one in outcome.attacks if one.name == "told"]
    assert found.result is AttackResult.FAILED
    assert found.details["leaks"][0]["attribute"] == "Sex"
    assert results(outcome.attacks)["told"] == "failed"


def test_what_the_policy_counts_together_or_names_is_measured() -> None:
    table = pa.table({"Sex": ["M", "F"] * 50, "Role": ["Husband", "Wife"] * 50})
    asked: dict[str, Any] = {"requirements": [{"qid": ["Sex"], "k": 60}]}
    protected = {"qid": ["Sex"], "sensitive": "Role", "diversity": {"distinct": 2}}
    for policy in ({**asked, "class": "Role"}, {"requirements": [*asked["requirements"], protected]}):
        (found,) = [one for one in maskwise.anonymize(table, policy).attacks if one.name == "told"]
        assert found.result is AttackResult.MEASURED
        assert "`Role` tells `Sex` in 100 % of the records" in found.text
        assert found.details["leaks"][0]["attribute"] == "Sex"


def test_masked_columns_of_one_quasi_identifier_are_measured_and_those_of_two_fail() -> None:
    """Of the records whose job is shown, nine of ten have one sex, which is hidden."""
    jobs = ["smith"] * 40 + ["nurse"] * 40 + ["clerk"] * 40
    sexes = ["M"] * 39 + ["F"] + ["F"] * 39 + ["M"] + ["M", "F"] * 20
    table = pa.table({"Job": jobs, "Sex": sexes})
    outcome = maskwise.anonymize(table, {"requirements": [{"qid": ["Job", "Sex"], "k": 12}]})
    assert results(outcome.attacks)["told"] == "measured"
    leaks = (Leak("Job", "Sex", LeakKind.TELLS, 0.6, is_masked=True),)
    apart = maskwise.read_policy({"requirements": [{"qid": ["Job"], "k": 12}, {"qid": ["Sex", "Age"], "k": 12}]})
    assert told(leaks, apart).result is AttackResult.FAILED
    assert told(leaks, outcome.policy).result is AttackResult.MEASURED
