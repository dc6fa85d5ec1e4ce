"""What a run tells its owner: misspelt protected values, attributes held back, what figures are of."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pandas as pd
import pyarrow as pa
import pytest

import maskwise
from maskwise.report.report import report as make_report
from maskwise.values.message import Audience
from tests.conftest import Run, csv_text

ILL = ["HIV", "Flu", "Hepatitis", "None", "None", "None", "Gout", "None"]


def sick(path: Path) -> Path:
    rows = [(str(20 + i % 30), "FM"[i % 2], ILL[i % 8], "xy"[i % 30 > 14]) for i in range(240)]
    path.write_text(csv_text(("Age", "Sex", "Ill", "C"), rows), encoding="utf-8")
    return path


def policy(path: Path, *requirements: dict[str, Any], **also: Any) -> Path:
    """A policy file; JSON is YAML."""
    entries = {"Age": {"interval": [0, 99]}, "Sex": "suppress"}
    path.write_text(json.dumps({"class": "C", "attributes": entries, "requirements": requirements, **also}))
    return path


def template(*values: str) -> dict[str, Any]:
    return {"qid": ["Age", "Sex"], "sensitive": {"Ill": list(values)}, "confidence": 0.5}


# A protected value that no record has.


@pytest.mark.slow
@pytest.mark.parametrize("options", [[], ["-q"], ["--json"]])
@pytest.mark.parametrize("command", ["mask", "audit"])
def test_a_protected_value_that_no_record_has_is_warned_of(
    tmp_path: Path, run: Run, command: str, options: list[str]
) -> None:
    data, asked = sick(tmp_path / "d.csv"), policy(tmp_path / "p.yaml", template("Hepatitus"))
    output = ["-o", tmp_path / "out.csv"] if command == "mask" else []
    result = run(command, data, "-p", asked, *output, *options)
    (line,) = [line for line in result.err.splitlines() if "occurs in no record" in line]
    assert line.startswith("warning: ")
    assert "p.yaml, line 1" in line
    assert "`Hepatitus` of `Ill`" in line
    assert not [value for value in ILL if value in result.err]


def test_another_spelling_is_only_suggested_if_the_policy_has_it(tmp_path: Path, run: Run) -> None:
    data, asked = sick(tmp_path / "d.csv"), policy(tmp_path / "p.yaml", template("Hepatitus"), template("Hepatitis"))
    result = run("audit", data, "-p", asked, "-q")
    assert "`Hepatitus` of `Ill` is protected but occurs in no record. Did you mean `Hepatitis`?" in result.err
    ordered = {"qid": ["Sex"], "sensitive": "Ill", "closeness": 0.9, "distance": "ordered", "order": sorted(set(ILL))}
    result = run("audit", data, "-p", policy(tmp_path / "q.yaml", template("Goutt", "Zoster"), ordered), "-q")
    assert "Did you mean `Gout`?" in result.err
    assert "`Zoster` of `Ill` is protected but occurs in no record. Is it spelled as in the data?" in result.err


def test_a_report_does_not_name_the_value_and_nothing_is_said_twice(tmp_path: Path, run: Run) -> None:
    data, asked = sick(tmp_path / "d.csv"), policy(tmp_path / "p.yaml", template("HIV", "Hepatitus"))
    reports = ("--report", tmp_path / "r.md", "--owner-report", tmp_path / "owner.md")
    result = run("mask", data, "-p", asked, "-o", tmp_path / "out.csv", *reports)
    assert result.err.count("occurs in no record") == 1
    report = (tmp_path / "r.md").read_text(encoding="utf-8")
    assert "occurs in no record" not in report
    assert not [value for value in ("HIV", "Hepatit") if value in report]
    assert (tmp_path / "owner.md").read_text(encoding="utf-8").count(
        "`Hepatitus` of `Ill` is protected but occurs"
    ) == 1


def test_values_that_occur_are_not_warned_of(tmp_path: Path, run: Run) -> None:
    data, asked = sick(tmp_path / "d.csv"), policy(tmp_path / "p.yaml", template("HIV", "~"))
    assert run("audit", data, "-p", asked, "-q").err == ""


def test_in_python_it_is_a_warning_of_the_outcome_and_of_an_audit(tmp_path: Path) -> None:
    data, asked = sick(tmp_path / "d.csv"), policy(tmp_path / "p.yaml", template("Hepatitus"))
    outcome = maskwise.anonymize(data, asked, tmp_path / "out.csv", criterion="score")
    verdict = maskwise.audit(data, asked)
    assert outcome.warnings[1:] == verdict.warnings
    assert "Hepatitus" in verdict.warnings[0]


# A quasi-identifier without a k.


@pytest.mark.slow
@pytest.mark.parametrize("how", [{}, {"method": "bug"}, {"criterion": "conditional"}])
def test_a_template_without_k_is_warned_of_first_with_the_records_that_stand_alone(how: dict[str, Any]) -> None:
    # Each age but the last has one record; no more than half of any group has the illness.
    ages = [*range(20, 60), 60, 60]
    table = pa.table({"Age": ages, "Ill": ["Flu"] * 41 + ["HIV"], "C": ["xy"[age % 2] for age in ages]})
    asked = {
        "class": "C",
        "attributes": {"Age": "suppress"},
        "requirements": [{"qid": ["Age"], "sensitive": {"Ill": ["HIV", "Pox"]}, "confidence": 0.5}],
    }
    outcome = maskwise.anonymize(table, asked, **how)
    sizes = pd.Series(outcome.data["Age"].to_pylist()).value_counts()
    n_alone = int((sizes == 1).sum())
    assert n_alone > 1
    assert outcome.messages[0].is_warning
    assert outcome.warnings[0].startswith("No k is asked on {Age}")
    assert f"in this release {n_alone} records stand alone. " in outcome.warnings[0]
    assert "`Pox`" in outcome.warnings[1]
    # It can be counted in the release, so recipients read it too.
    assert make_report(outcome).data["warnings"] == [outcome.warnings[0]]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("requirements", "named"),
    [
        ([template("HIV"), {"qid": ["Age", "Sex"], "k": 2}], []),
        ([template("HIV"), {"qid": ["Age"], "k": 2}], ["{Age, Sex}"]),
        ([{**template("HIV"), "qid": ["Sex"]}, {"qid": ["Age", "Sex"], "k": 2}], []),
        ([template("HIV"), {"qid": ["Age", "Sex"], "k": 1}], ["{Age, Sex}"]),
        ([template("HIV"), {**template("Flu"), "qid": ["Sex"]}], ["{Age, Sex}", "{Sex}"]),
        ([template("HIV"), template("Flu")], ["{Age, Sex}"]),
    ],
)
def test_a_k_on_the_columns_or_on_more_is_enough(
    tmp_path: Path, requirements: list[dict[str, Any]], named: list[str]
) -> None:
    outcome = maskwise.anonymize(sick(tmp_path / "d.csv"), policy(tmp_path / "p.yaml", *requirements))
    told = [text for text in outcome.warnings if text.startswith("No k is asked")]
    assert [text.partition(" on ")[2].partition(", so ")[0] for text in told] == named


# An attribute that too few missing cells hold back.


def with_missing(n_missing: int) -> pa.Table:
    ages = [None if i < n_missing else 20 + i % 40 for i in range(200)]
    return pa.table({"Age": ages, "C": ["y" if (age or 0) > 40 else "x" for age in ages]})


@pytest.mark.slow
@pytest.mark.parametrize("how", [{}, {"method": "bug"}, {"criterion": "conditional"}])
@pytest.mark.parametrize(
    ("n_missing", "missing", "says"),
    [
        (1, "keep", "`Age` stays fully masked because 1 record has no value, and that is fewer than k=10"),
        (9, "keep", "`Age` stays fully masked because 9 records have no value, and that is fewer than k=10"),
        (10, "keep", None),
        (9, "drop", None),
        (0, "keep", None),
    ],
)
def test_an_attribute_held_back_by_few_missing_cells_is_told(
    n_missing: int, missing: str, says: str | None, how: dict[str, Any]
) -> None:
    asked = {
        "class": "C",
        "attributes": {"Age": {"interval": [0, 99]}},
        "requirements": [{"qid": ["Age"], "k": 10}],
        "missing": missing,
    }
    outcome = maskwise.anonymize(with_missing(n_missing), asked, **how)
    is_masked = set(outcome.data["Age"].to_pylist()) == {"[0, 99]"}
    assert is_masked is (says is not None)
    told = [note for note in outcome.notes if "stays fully masked" in note]
    assert len(told) == is_masked
    they, them = ("it", "it") if n_missing == 1 else ("they", "them")
    ends = f"{they} would stand out. Fill {them} in, or leave {them} out (in the file: `missing: drop`)."
    assert all(note.startswith(str(says)) and note.endswith(ends) for note in told)


# Two wordings of one message.


def test_the_report_names_no_protected_value_and_says_each_sentence_once(tmp_path: Path) -> None:
    """Two misspelt values of one column: two warnings for the owner, none for recipients."""
    asked = policy(tmp_path / "p.yaml", template("Hepatitus", "HIW"), template("HIW"))
    outcome = maskwise.anonymize(sick(tmp_path / "d.csv"), asked, criterion="score")
    assert [text.split("`")[1] for text in outcome.warnings[1:]] == ["Hepatitus", "HIW"]
    public, owners = (make_report(outcome, audience) for audience in (Audience.RECIPIENT, Audience.OWNER))
    assert "occurs in no record" not in public.to_json() + public.to_markdown()
    assert not [name for name in ("Hepatitus", "HIW") if name in public.to_json() + public.to_markdown()]
    assert owners.data["warnings"] == list(outcome.warnings)
    assert set(outcome.notes) <= {*owners.data["warnings"], *owners.data["notes"]}


def test_a_value_in_two_places_of_the_policy_is_warned_of_once_and_never_told_to_recipients(
    tmp_path: Path, run: Run
) -> None:
    lines = json.dumps({"class": "C", "requirements": [template("HIW"), template("HIW")]}, indent=1)
    (tmp_path / "p.yaml").write_text(lines)
    given = ("mask", sick(tmp_path / "d.csv"), "-p", tmp_path / "p.yaml", "-o", tmp_path / "out.csv")
    given += ("--criterion", "score")
    result = run(*given, "--report", tmp_path / "r.json", "--owner-report", tmp_path / "owner.json")
    assert result.err.count("warning: ") == 2
    first, second = json.loads((tmp_path / "owner.json").read_text())["warnings"]
    assert first.startswith("No k is asked on {Age, Sex}")
    assert "`HIW` of `Ill` is protected but occurs in no record" in second
    assert "occurs in no record" not in (tmp_path / "r.json").read_text()


def test_a_likely_identifier_is_named_to_recipients_too_since_they_hold_the_column(tmp_path: Path) -> None:
    data, asked = passing(tmp_path, IDENTIFIERS["names"])
    outcome = maskwise.anonymize(data, asked)
    (warning,) = outcome.warnings
    assert "`More` is released" in make_report(outcome).to_json()
    assert "drop: [" not in make_report(outcome).to_json()
    (message,) = [message for message in outcome.messages if message.is_warning]
    assert (message.text, message.audience) == (warning, Audience.RECIPIENT)


# What the tables show.


@pytest.fixture
def wide(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "200")


def row_of(text: str, bar: str) -> list[str]:
    """The first row of the first table, by its column."""
    (line,) = [line for line in text.splitlines() if line.startswith(f"{bar} Age")][:1]
    return [cell.strip() for cell in line.strip(bar).split(bar)]


@pytest.mark.slow
@pytest.mark.usefixtures("wide")
def test_without_k_the_smallest_group_is_shown_too(tmp_path: Path, run: Run) -> None:
    data, asked = sick(tmp_path / "d.csv"), policy(tmp_path / "p.yaml", template("HIV", "Hepatitis"))
    result = run("mask", data, "-p", asked, "-o", tmp_path / "out.csv", "--report", tmp_path / "r.md")
    said = json.loads(run("audit", tmp_path / "out.csv", "-p", asked, "--json").out)["requirements"][0]
    smallest = said["group_sizes"]["min"]
    assert "smallest group" in result.out
    cells = row_of(result.out, "│")
    assert (cells[1], int(cells[4])) == ("Ill (HIV, Hepatitis) at most 0.5", smallest)
    assert cells[2] in {f"{said['reached']:.4f} (HIV)", f"{said['reached']:.4f} (Hepatitis)"}
    assert int(row_of((tmp_path / "r.md").read_text(encoding="utf-8"), "|")[4]) == smallest


@pytest.mark.slow
@pytest.mark.usefixtures("wide")
def test_an_lkc_line_shows_the_smallest_group_and_the_largest_confidence(tmp_path: Path, run: Run) -> None:
    known = {"lkc": {"attributes": ["Age", "Sex"], "L": 1}, "k": 5, **template("HIV")}
    del known["qid"]
    data, asked = sick(tmp_path / "d.csv"), policy(tmp_path / "p.yaml", known)
    reports = ("--report", tmp_path / "r.md", "--owner-report", tmp_path / "owner.md")
    result = run("mask", data, "-p", asked, "-o", tmp_path / "out.csv", *reports)
    said = json.loads(run("audit", tmp_path / "out.csv", "-p", asked, "--json").out)["requirements"][0]
    reached = f"{said['reached']}, confidence {said['sensitive'][0]['reached']:.4f}"
    shown = {name: row_of((tmp_path / name).read_text(encoding="utf-8"), "|")[2] for name in ("r.md", "owner.md")}
    assert row_of(result.out, "│")[2] == shown["owner.md"] == reached
    # Recipients can count the groups, but not the share of a value that they do not know to be protected.
    assert shown["r.md"] == str(said["reached"])


def test_an_audit_says_which_value_a_share_is_of_and_names_no_other(tmp_path: Path, run: Run) -> None:
    data, asked = sick(tmp_path / "d.csv"), policy(tmp_path / "p.yaml", template("HIV", "Hepatitis"))
    out = run("audit", data, "-p", asked).out
    assert "confidence 0.5 for Ill (HIV, Hepatitis) on {Age, Sex}" in out
    assert "  Ill = HIV reaches " in out
    assert "  Ill = Hepatitis reaches " in out
    assert not [value for value in ("Flu", "Gout") if value in out]


# A column that looks like an identifier that was forgotten, and a class of one value.


def passing(path: Path, cells: list[str], classes: str = "xy") -> tuple[Path, Path]:
    rows = [(str(20 + i % 30), classes[i % len(classes)], cell) for i, cell in enumerate(cells)]
    (path / "d.csv").write_text(csv_text(("Age", "C", "More"), rows), encoding="utf-8")
    return path / "d.csv", policy(path / "p.yaml", {"qid": ["Age"], "k": 5}, attributes={"Age": {"interval": [0, 99]}})


IDENTIFIERS = {
    "names": [f"Pat {i}" for i in range(200)],
    "numbers in order": [str(1000 + i) for i in range(200)],
    "codes": [f"{i * 37:05}" for i in range(200)],
    "long numbers": [str(10**9 + 7919 * i) for i in range(200)],
    "names, some missing and some twice": [f"Pat {i % 95}" if i % 2 else "" for i in range(190)],
    "account numbers": [f"{1_000_000_000 + 7919 * i}0000000000" for i in range(200)],
    "numbers that were floats": [f"{123_450_000 + 7919 * i}.0" for i in range(200)],
    "days of birth": [f"{1930 + i * 7 % 70}-{1 + i % 12:02}-{1 + i * 11 % 28:02}" for i in range(200)],
}


@pytest.mark.slow
@pytest.mark.parametrize("cells", IDENTIFIERS.values(), ids=IDENTIFIERS)
@pytest.mark.parametrize("options", [["-q"], ["--json"]])
def test_a_column_that_looks_like_an_identifier_is_warned_of(
    tmp_path: Path, run: Run, cells: list[str], options: list[str]
) -> None:
    data, asked = passing(tmp_path, cells)
    result = run("mask", data, "-p", asked, "-o", tmp_path / "out.csv", "--criterion", "score", *options)
    (line,) = result.err.splitlines()
    assert line.startswith("warning: `More` is released as it is")
    assert "drop: [More]" in line
    if options == ["--json"]:
        assert json.loads(result.out)["warnings"] == [line.removeprefix("warning: ")]


def test_whole_numbers_that_pandas_made_floats_are_warned_of_too() -> None:
    frame = pd.DataFrame({"age": ["1", "2"] * 30, "ssn": [None, *(123_450_000 + 7919 * i for i in range(59))]})
    outcome = maskwise.anonymize(frame, {"requirements": [{"qid": ["age"], "k": 5}]})
    assert any("`ssn` is released as it is" in warning for warning in outcome.warnings)


@pytest.mark.slow
def test_advice_to_drop_a_column_can_be_followed(tmp_path: Path, run: Run) -> None:
    rows = [f"{i % 2},n{i},p{i}" for i in range(60)]
    (tmp_path / "people.csv").write_text("\n".join(['age,"last, first",yes', *rows]))
    policy = {"requirements": [{"qid": ["age"], "k": 5}]}
    (tmp_path / "policy.yaml").write_text(json.dumps(policy))
    given = ("mask", tmp_path / "people.csv", "-p", tmp_path / "policy.yaml", "-o", tmp_path / "out.csv", "-q")
    (line,) = run(*given).err.splitlines()
    advice = line[line.index("drop: ") :].removesuffix(" to the policy.")
    (tmp_path / "policy.yaml").write_text(f"requirements: [{{qid: [age], k: 5}}]\n{advice}\n")
    result = run(*given)
    assert (result.code, result.err) == (0, "")
    assert (tmp_path / "out.csv").read_text().splitlines()[0] == "age"


OTHERS = {
    "amounts": [str(20_000 + 7919 * i % 60_000) for i in range(200)],
    "measures": [f"{i * 0.37:.2f}" for i in range(200)],
    "days": [f"2024-{1 + i % 12:02}-{1 + i % 7:02}" for i in range(200)],
    "categories": [f"town {i % 50}" for i in range(200)],
    "few": [f"Pat {i}" for i in range(10)] + [""] * 190,
}


@pytest.mark.slow
@pytest.mark.parametrize("cells", OTHERS.values(), ids=OTHERS)
def test_other_columns_are_not_warned_of(tmp_path: Path, run: Run, cells: list[str]) -> None:
    data, asked = passing(tmp_path, cells)
    assert run("mask", data, "-p", asked, "-o", tmp_path / "out.csv", "--criterion", "score", "-q").err == ""


@pytest.mark.slow
def test_a_class_of_one_value_is_warned_of_once(tmp_path: Path, run: Run) -> None:
    data, asked = passing(tmp_path, ["same"] * 200, classes="x")
    for options in ([], ["-q"]):
        result = run("mask", data, "-p", asked, "-o", tmp_path / "out.csv", "--criterion", "score", *options)
        assert "warning: The class `C` has one value only" in result.err
        assert result.err.count("has one value only") == 1
    told = json.loads(run("mask", data, "-p", asked, "-o", tmp_path / "out.csv", "--json").out)
    assert "has one value only" in told["warnings"][0]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("cells", "said"),
    [
        ([f"{i},5" for i in range(40)], "numbers written 1234,5"),
        ([f"{1 + i % 28}.04.2024" for i in range(40)], "`dates: {x: DD.MM.YYYY}`"),
        ([f"n{i % 4}" for i in range(40)], None),
    ],
)
def test_numbers_and_dates_spelled_as_elsewhere_are_noted(
    tmp_path: Path, run: Run, cells: list[str], said: str | None
) -> None:
    (tmp_path / "people.csv").write_text("\n".join(["x;c", *(f"{cell};{i % 2}" for i, cell in enumerate(cells))]))
    (tmp_path / "policy.yaml").write_text("class: c\nrequirements: [{qid: [x], k: 5}]\n")
    result = run("mask", tmp_path / "people.csv", "-p", tmp_path / "policy.yaml", "-o", tmp_path / "out.csv")
    assert result.code == 0, result.err
    told = " ".join(result.err.split())
    assert "shown or hidden one by one." in told
    assert ("They look like" in told) == (said is not None)
    assert said is None or said in told
