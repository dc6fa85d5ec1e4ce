"""Several records for each person: `person` in the policy, from the command line."""

from __future__ import annotations

import json
import random
from pathlib import Path

import pandas as pd
import pytest

from tests.conftest import Run

REQUIREMENTS = "requirements:\n  - {qid: [Age, Sex, Zone], k: 10}\n"
POLICY = """\
class: Risk
attributes:
  Age: {interval: [0, 100]}
  Sex: suppress
  Zone: {taxonomy: {any: {north: [a, b], south: [c, d]}}}
"""


@pytest.fixture
def visits(tmp_path: Path) -> Path:
    """Patients who come once or thirty times; the number of a visit says which record is which."""
    rng = random.Random(3)  # noqa: S311 - test data
    rows = []
    for patient in range(400):
        age, sex, zone = rng.randint(18, 90), rng.choice("FM"), rng.choice("abcd")
        for _ in range(rng.choice([1, 2, 3, 30])):
            risk = "high" if age + rng.randint(-20, 20) > 50 else "low"
            rows.append((f"patient-{patient}", age, sex, zone, rng.choice(["flu", "cold", "hiv"]), risk, len(rows)))
    path = tmp_path / "visits.csv"
    pd.DataFrame(rows, columns=["Id", "Age", "Sex", "Zone", "Ill", "Risk", "Visit"]).to_csv(path, index=False)
    return path


def policy(tmp_path: Path, more: str = "person: Id\n", requirements: str = REQUIREMENTS) -> Path:
    path = tmp_path / "policy.yaml"
    path.write_text(POLICY + requirements + more, encoding="utf-8")
    return path


@pytest.mark.slow
def test_k_holds_for_persons_and_not_only_for_records(tmp_path: Path, run: Run, visits: Path) -> None:
    raw = pd.read_csv(visits)
    qid = ["Age", "Sex", "Zone"]
    by_record = run("mask", visits, "-p", policy(tmp_path, "drop: [Id]\n"), "-o", tmp_path / "a.csv")
    assert by_record.code == 0
    masked = pd.read_csv(tmp_path / "a.csv").merge(raw[["Visit", "Id"]], on="Visit")
    groups = masked.groupby(qid, dropna=False)
    assert groups.size().min() >= 10
    persons = groups["Id"].nunique()
    assert (persons < 10).sum() > 10, "k holds for records, and not for persons"

    masked.to_csv(tmp_path / "with_id.csv", index=False)
    asked = policy(tmp_path)
    audit = run("audit", tmp_path / "with_id.csv", "-p", asked, "--json")
    assert audit.code == 1
    (item,) = json.loads(audit.out)["requirements"]
    small = persons[persons < 10]
    assert (item["groups"], item["violating_groups"]) == (len(persons), len(small))
    assert (item["violating_persons"], item["reached"]) == (small.sum(), persons.min())
    said = run("audit", tmp_path / "with_id.csv", "-p", asked)
    assert f"the smallest of {len(persons)} groups has {persons.min()} person" in said.out
    assert f"violated in {len(small)} groups with {small.sum()} persons" in said.out
    assert f"{len(raw):,} records about 400 persons" in said.out

    report = tmp_path / "report.json"
    assert run("mask", visits, "-p", asked, "-o", tmp_path / "b.csv", "--owner-report", report).code == 0
    masked = pd.read_csv(tmp_path / "b.csv")
    assert list(masked.columns) == ["Age", "Sex", "Zone", "Ill", "Risk", "Visit"]
    persons = masked.merge(raw[["Visit", "Id"]], on="Visit").groupby(qid, dropna=False)["Id"].nunique()
    found = json.loads(report.read_text())
    assert persons.min() >= 10
    assert found["requirements"][0]["reached"] == persons.min()
    assert (found["rows"], found["persons"], found["dropped"]) == (len(raw), 400, ["Id"])
    assert "number of persons" in found["protects"][0]
    assert "records" not in json.dumps(found["requirements"])


@pytest.mark.slow
def test_pseudonyms_are_stable_in_a_release_and_differ_between_runs(tmp_path: Path, run: Run, visits: Path) -> None:
    raw = pd.read_csv(visits)
    asked = policy(tmp_path, "person: {column: Id, release: pseudonym}\n")
    seen = []
    for name in ("a.csv", "b.csv"):
        done = run("mask", visits, "-p", asked, "-o", tmp_path / name, "--solution", tmp_path / "solution.json")
        assert done.code == 0
        assert "As pseudonyms: Id" in done.out
        masked = pd.read_csv(tmp_path / name)
        assert masked["Id"].nunique() == 400
        assert sorted(masked["Id"].value_counts()) == sorted(raw["Id"].value_counts())
        assert masked.groupby(["Age", "Sex", "Zone"])["Id"].nunique().min() >= 10
        assert run("audit", tmp_path / name, "-p", asked).code == 0
        seen.append(masked.sort_values("Visit")["Id"].tolist())
    assert seen[0] != seen[1]
    done = run("apply", visits, "--solution", tmp_path / "solution.json", "-o", tmp_path / "c.csv")
    assert done.code == 0
    later = pd.read_csv(tmp_path / "c.csv")
    assert later["Id"].nunique() == 400
    assert not set(later["Id"]) & set(raw["Id"])


@pytest.mark.slow
def test_later_records_need_not_say_whom_they_are_about(tmp_path: Path, run: Run, visits: Path) -> None:
    solution = tmp_path / "solution.json"
    run("mask", visits, "-p", policy(tmp_path), "-o", tmp_path / "a.csv", "--solution", solution)
    assert json.loads(solution.read_text())["person"] == {"column": "Id", "release": "drop"}
    later = tmp_path / "later.csv"
    pd.read_csv(visits).drop(columns="Id").to_csv(later, index=False)
    done = run("apply", later, "--solution", solution, "-o", tmp_path / "b.csv", "--json")
    assert done.code == 0
    assert json.loads(done.out)["unchecked"] == ["k=10 on {Age, Sex, Zone}"]
    refused = run("apply", later, "--solution", solution, "-o", tmp_path / "c.csv", "--enforce")
    assert refused.code != 0
    assert "these rows do not say whom they are about" in refused.err
    done = run("apply", visits, "--solution", solution, "-o", tmp_path / "d.csv", "--enforce", "--json")
    assert json.loads(done.out)["persons"] == 400
    assert "Id" not in pd.read_csv(tmp_path / "d.csv").columns


@pytest.mark.slow
def test_bottom_up_refuses_persons_that_differ_from_record_to_record(tmp_path: Path, run: Run, visits: Path) -> None:
    table = pd.read_csv(visits)
    table["Age"] += table.index % 2
    table.to_csv(visits, index=False)
    refused = run("mask", visits, "-p", policy(tmp_path), "-o", tmp_path / "a.csv", "--method", "bug")
    assert refused.code == 2
    assert "Some persons have records with different values on {Age, Sex, Zone}" in refused.err
    assert run("mask", visits, "-p", policy(tmp_path), "-o", tmp_path / "a.csv").code == 0


def test_fewer_than_k_persons_cannot_be_hidden(tmp_path: Path, run: Run, visits: Path) -> None:
    asked = policy(tmp_path, requirements="requirements:\n  - {qid: [Age, Sex, Zone], k: 401}\n")
    refused = run("mask", visits, "-p", asked, "-o", tmp_path / "a.csv")
    assert refused.code == 3
    assert "the whole table has 400 persons" in refused.err
    asked = policy(
        tmp_path, requirements="requirements:\n  - {qid: [Age, Sex, Zone], sensitive: {Ill: [hiv]}, confidence: 0.1}\n"
    )
    refused = run("mask", visits, "-p", asked, "-o", tmp_path / "a.csv")
    assert refused.code == 3
    assert "every search starts there" in refused.err


def test_records_of_nobody_are_refused_without_a_cell(tmp_path: Path, run: Run, visits: Path) -> None:
    table = pd.read_csv(visits)
    table.loc[[3, 5], "Id"] = None
    table.to_csv(visits, index=False)
    for refused in (
        run("mask", visits, "-p", policy(tmp_path), "-o", tmp_path / "a.csv"),
        run("audit", visits, "-p", policy(tmp_path)),
    ):
        assert refused.code == 2
        assert "`Id` says whom a record is about, and 2 cells of it are missing" in refused.err
        assert "patient-" not in refused.err


def test_a_table_without_the_column_is_not_audited(tmp_path: Path, run: Run, visits: Path) -> None:
    pd.read_csv(visits).drop(columns="Id").to_csv(tmp_path / "released.csv", index=False)
    refused = run("audit", tmp_path / "released.csv", "-p", policy(tmp_path))
    assert refused.code == 2
    assert "Column `Id` is in the policy but not in the table" in refused.err
    assert "Without it persons cannot be counted." in refused.err
    assert "`maskwise risk` says what records tell" in refused.err


@pytest.mark.parametrize(
    ("more", "text"),
    [
        ("person: Age\n", "`Age` names persons and is also in a quasi-identifier"),
        ("person: Risk\n", "`Risk` names persons and is also the class"),
        ("person: {column: Id, release: pseudonym}\ndrop: [Id]\n", "`Id` names persons and is also dropped"),
        ("person: {column: Id, release: hash}\n", "`release` is one of `drop`, `pseudonym`; found `hash`"),
        ("person: {colum: Id}\n", "Did you mean `column`?"),
    ],
)
def test_a_column_that_cannot_name_persons_is_refused(
    tmp_path: Path, run: Run, visits: Path, more: str, text: str
) -> None:
    refused = run("mask", visits, "-p", policy(tmp_path, more), "-o", tmp_path / "a.csv")
    assert refused.code == 2
    assert text in refused.err


@pytest.mark.slow
def test_shares_of_persons_on_fewer_attributes_are_not_concluded(tmp_path: Path, run: Run, visits: Path) -> None:
    lkc = "requirements:\n  - {lkc: {attributes: [Age, Sex, Zone], L: 2}, k: 10}\n"
    assert run("mask", visits, "-p", policy(tmp_path, requirements=lkc), "-o", tmp_path / "a.csv").code == 0
    shares = lkc.replace("k: 10", "sensitive: {Ill: [hiv]}, confidence: 1")
    refused = run("mask", visits, "-p", policy(tmp_path, requirements=shares), "-o", tmp_path / "b.csv")
    assert refused.code == 2
    assert "Shares of persons on any 2 of {Age, Sex, Zone} do not follow" in refused.err


@pytest.mark.slow
def test_an_ending_claims_no_more_than_was_tried(tmp_path: Path, run: Run, visits: Path) -> None:
    """Shares of persons who are in several groups may get better by refining, so an invalid refinement is not final."""
    table = pd.read_csv(visits)
    table["Age"] += table.index % 2
    table.to_csv(visits, index=False)
    shares = "requirements:\n  - {qid: [Age, Sex, Zone], sensitive: {Ill: [hiv]}, confidence: 0.9}\n"
    for requirements, ending in ((REQUIREMENTS, "maximal"), (shares, "exhausted")):
        asked = policy(tmp_path, requirements=requirements)
        report = tmp_path / "report.json"
        done = run("mask", visits, "-p", asked, "-o", tmp_path / "a.csv", "--owner-report", report)
        assert json.loads(report.read_text())["ending"] == ending
        assert ("now or when it was tried" in done.out) == (ending == "exhausted")


@pytest.mark.slow
def test_a_column_of_persons_may_begin_like_a_formula(tmp_path: Path, run: Run, visits: Path) -> None:
    pd.read_csv(visits).rename(columns={"Id": "=Id"}).to_csv(visits, index=False)
    for release in ("drop", "pseudonym"):
        asked = policy(tmp_path, f"person: {{column: =Id, release: {release}}}\n")
        done = run("mask", visits, "-p", asked, "-o", tmp_path / "a.csv", "--escape-formulas")
        assert done.code == 0
    assert run("audit", tmp_path / "a.csv", "-p", asked, "--escape-formulas").code == 0
    assert "'=Id" in pd.read_csv(tmp_path / "a.csv").columns


@pytest.mark.slow
def test_pseudonyms_that_link_different_values_are_warned_of(tmp_path: Path, run: Run, visits: Path) -> None:
    pseudonym = "person: {column: Id, release: pseudonym}\n"
    asked = policy(tmp_path, pseudonym)
    warned = "let recipients put the records of a person together, and on {Age, Sex, Zone}"
    assert warned not in run("mask", visits, "-p", asked, "-o", tmp_path / "a.csv").err
    table = pd.read_csv(visits)
    table["Age"] += table.index % 2
    table.to_csv(visits, index=False)
    for how in ([], ["--criterion", "conditional"]):
        assert warned in run("mask", visits, "-p", asked, "-o", tmp_path / "a.csv", "--quiet", *how).err
    assert warned not in run("mask", visits, "-p", policy(tmp_path), "-o", tmp_path / "a.csv").err


@pytest.mark.slow
def test_recipients_read_no_count_of_persons_that_they_cannot_make(tmp_path: Path, run: Run, visits: Path) -> None:
    public, owners, pseudonymous = (tmp_path / name for name in ("r.json", "o.json", "p.json"))
    asked = policy(tmp_path)
    assert (
        run("mask", visits, "-p", asked, "-o", tmp_path / "a.csv", "--report", public, "--owner-report", owners).code
        == 0
    )
    (item,) = json.loads(public.read_text())["requirements"]
    assert item["holds"]
    assert not {"reached", "groups", "group_sizes"} & set(item)
    assert "persons" not in json.loads(public.read_text())
    (told,) = json.loads(owners.read_text())["requirements"]
    assert told["reached"] >= 10
    # With pseudonyms they can count persons themselves.
    released = policy(tmp_path, "person: {column: Id, release: pseudonym}\n")
    assert run("mask", visits, "-p", released, "-o", tmp_path / "b.csv", "--report", pseudonymous).code == 0
    (item,) = json.loads(pseudonymous.read_text())["requirements"]
    persons = pd.read_csv(tmp_path / "b.csv").groupby(item["qid"], dropna=False)["Id"].nunique()
    assert (item["reached"], item["groups"]) == (persons.min(), len(persons))
