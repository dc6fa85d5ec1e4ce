"""Diversity, closeness and LKC on the command line: every file and every line, held against plain Python."""

from __future__ import annotations

import csv
import json
import random
import re
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from maskwise import read_policy
from maskwise.formats import solution_file
from maskwise.formats.policy_file import to_data
from tests.conftest import Run, csv_text
from tests.reference import privacy_models as models

QID = ("Age", "Job")
SICK = {"HIV": "=HIV", "Flu": "+Flu", "Cold": "-Cold", "Gout": "@Gout", "None": "None"}
"""How each illness is spelled where a spreadsheet would run it."""
HIV = (("Disease", "HIV", Fraction("0.35")),)
KINDS: dict[str, Any] = {
    "distinct": models.Distinct(QID, "Disease", 4),
    "entropy": models.Entropy(QID, "Disease", Fraction("3.2")),
    "recursive": models.Recursive(QID, "Disease", Fraction("1.5"), 2),
    "equal": models.Equal(QID, "Disease", Fraction("0.3")),
    "ordered": models.Ordered(QID, "Visits", Fraction("0.2")),
    "ordered as named": models.Ordered(QID, "Disease", Fraction("0.2"), ("None", "Cold", "Flu", "Gout", "HIV")),
    "lkc": models.Lkc(("Age", "Job", "Sex"), 2, 9, HIV),
    "lkc of k": models.Lkc(("Age", "Job", "Sex"), 2, 9),
    "lkc of confidence": models.Lkc(("Age", "Job", "Sex"), 2, None, HIV),
}
ASKED = {
    "distinct": "distinct 4-diversity of Disease",
    "entropy": "entropy 3.2-diversity of Disease",
    "recursive": "recursive (1.5, 2)-diversity of Disease",
    "equal": "0.3-closeness of Disease (equal distance)",
    "ordered": "0.2-closeness of Visits (ordered distance)",
    "ordered as named": "0.2-closeness of Disease (ordered distance)",
    "lkc": "k = 9, Disease at most 0.35 for any 2 of them",
    "lkc of k": "k = 9 for any 2 of them",
    "lkc of confidence": "Disease at most 0.35 for any 2 of them",
}
KNOWN = {"attributes": ["Age", "Job", "Sex"], "L": 2}
PUBLIC: dict[str, dict[str, Any]] = {
    "distinct": {"sensitive": "Disease", "diversity": {"distinct": 4}},
    "entropy": {"sensitive": "Disease", "diversity": {"entropy": 3.2}},
    "recursive": {"sensitive": "Disease", "diversity": {"recursive": {"c": 1.5, "l": 2}}},
    "equal": {"sensitive": "Disease", "closeness": 0.3, "distance": "equal"},
    "ordered": {"sensitive": "Visits", "closeness": 0.2, "distance": "ordered"},
    "ordered as named": {"sensitive": "Disease", "closeness": 0.2, "distance": "ordered"},
    "lkc": {"lkc": KNOWN, "k": 9},
    "lkc of k": {"lkc": KNOWN, "k": 9},
    "lkc of confidence": {"lkc": KNOWN},
}
"""What recipients may read of each, as numbers."""
every_kind = pytest.mark.parametrize("kind", KINDS)


def patients(path: Path, spelling: dict[str, str] | None = None) -> Path:
    """Two hundred people; some cells are missing."""
    rng = random.Random(3)  # noqa: S311 - test data
    rows = []
    for _ in range(200):
        age, job, sex = rng.randint(18, 60), rng.choice(["clerk", "nurse", "farmer"]), rng.choice("FM")
        sick = rng.choices([*SICK, ""], [1 + 2 * (job == "nurse"), 3, 3, 2, 3, 1])[0]
        visits = rng.choice(["1", "1", "2", "3.5", "10", ""])
        risk = "high" if (age > 40) + (job == "nurse") + rng.random() > 1.2 else "low"
        rows.append((str(age), job, sex, (spelling or {}).get(sick, sick), visits, risk))
    path.write_text(csv_text(("Age", "Job", "Sex", "Disease", "Visits", "Risk"), rows), encoding="utf-8")
    return path


def asking(path: Path, requirement: Any, **also: Any) -> Path:
    """A policy file; JSON is YAML."""
    entries = {"Age": {"interval": [0, 99]}, "Job": "suppress", "Sex": "suppress"}
    path.write_text(json.dumps({"class": "Risk", "attributes": entries, "requirements": [requirement.said()], **also}))
    return path


def records(path: Path) -> list[dict[str, Any]]:
    """A csv as values: an empty cell is missing, visits are numbers."""
    with path.open(encoding="utf-8", newline="") as file:
        rows: list[dict[str, Any]] = [{k: v or None for k, v in row.items()} for row in csv.DictReader(file)]
    return [{**row, "Visits": row["Visits"] and float(row["Visits"])} for row in rows]


def figure(path: Path, requirement: Any) -> float:
    """What a csv reaches, by the definition."""
    rows = records(path)
    return float(requirement.figure([part.badness(rows, rows) for part in requirement.parts()]))


def is_met(path: Path, requirement: Any) -> bool:
    rows = records(path)
    return not any(part.is_broken(part.badness(rows, rows)) for part in requirement.parts())


@pytest.mark.slow
@every_kind
def test_masked_tables_and_all_files_beside_them_say_the_same(
    tmp_path: Path, run: Run, monkeypatch: pytest.MonkeyPatch, kind: str
) -> None:
    monkeypatch.setenv("COLUMNS", "200")
    requirement = KINDS[kind]
    data, policy, out = patients(tmp_path / "in.csv"), asking(tmp_path / "p.yaml", requirement), tmp_path / "out.csv"
    files = {name: tmp_path / name for name in ("solution.json", "trace.jsonl", "report.md", "owner-report.md")}
    options = [part for name, path in files.items() for part in (f"--{name.split('.')[0]}", path)]
    done = run("mask", data, "-p", policy, "-o", out, "--keep-order", *options)
    assert done.code == 0, done.err
    reached = figure(out, requirement)
    assert is_met(out, requirement)
    assert not is_met(data, requirement)
    assert "[" in out.read_text(encoding="utf-8").splitlines()[1]

    text = f"{reached:.0f}" if kind in {"distinct", "lkc", "lkc of k"} else f"{reached:.4f}"
    row = f"| {', '.join(requirement.qid)} | {ASKED[kind]} | {text}"
    assert row in files["owner-report.md"].read_text(encoding="utf-8")
    # Recipients do not know which value is protected, so that they read no share of one.
    row = f"| {', '.join(requirement.qid)} | {ASKED[kind]} | {'holds' if kind == 'lkc of confidence' else text} |"
    assert row in files["report.md"].read_text(encoding="utf-8")
    assert text in done.out
    named = ASKED[kind].replace("Disease at most", "Disease (HIV) at most")
    assert f"│ {named} " in done.out

    steps = [json.loads(line) for line in files["trace.jsonl"].read_text(encoding="utf-8").splitlines()]
    assert steps[-1]["requirements"] == pytest.approx([reached], abs=1e-9)
    solution = json.loads(files["solution.json"].read_text(encoding="utf-8"))
    assert solution["requirements"][0]["reached"] == pytest.approx(reached, abs=1e-9)

    again = tmp_path / "again.csv"
    applied = run("apply", data, "-s", files["solution.json"], "-o", again, "--enforce", "--keep-order")
    assert applied.code == 0, applied.err
    assert again.read_bytes() == out.read_bytes()


@pytest.mark.slow
@every_kind
def test_reports_for_scripts_hold_the_figures_and_no_protected_value(tmp_path: Path, run: Run, kind: str) -> None:
    requirement = KINDS[kind]
    data, policy, out = patients(tmp_path / "in.csv"), asking(tmp_path / "p.yaml", requirement), tmp_path / "out.csv"
    report, owners, public = (tmp_path / name for name in ("report.json", "owner.json", "public.json"))
    files = ("--report", report, "--owner-report", owners, "--solution", public)
    done = run("mask", data, "-p", policy, "-o", out, *files, "--public", "--json")
    assert done.code == 0, done.err
    assert json.loads(done.out) == json.loads(owners.read_text(encoding="utf-8"))
    (item,) = json.loads(done.out)["requirements"]
    (told_to_all,) = json.loads(report.read_text(encoding="utf-8"))["requirements"]
    assert item["reached"] == pytest.approx(figure(out, requirement), abs=1e-9)
    assert item["holds"] is True
    assert (item["qid"], item["violating_groups"]) == (list(requirement.qid), 0)
    if kind != "lkc of confidence":
        assert item["tightest_group"]["records"] >= 1
    (said,) = json.loads(public.read_text(encoding="utf-8"))["requirements"]
    # The share of a protected value is for the owner; what can be counted in the release, the report says to all.
    assert said.get("reached") == (item["reached"] if kind in {"lkc", "lkc of k"} else None)
    assert told_to_all.get("reached") == (None if kind == "lkc of confidence" else item["reached"])
    assert not {"tightest_group", "violating_groups"} & set(told_to_all)
    for told in (said, item, told_to_all):
        assert {key: told[key] for key in PUBLIC[kind]} == PUBLIC[kind]
    for told in (public.read_text(encoding="utf-8"), done.out, report.read_text(encoding="utf-8")):
        assert not [value for value in SICK if f'"{value}"' in told]


@pytest.mark.slow
@every_kind
def test_an_audit_finds_the_violation_and_its_group(tmp_path: Path, run: Run, kind: str) -> None:
    requirement = KINDS[kind]
    data, policy = patients(tmp_path / "in.csv"), asking(tmp_path / "p.yaml", requirement)
    for_people, for_scripts = run("audit", data, "-p", policy), run("audit", data, "-p", policy, "--json")
    assert for_people.code == for_scripts.code == 1
    asks = read_policy(policy).requirements[0].asks().replace("for Disease on", "for Disease (HIV) on")
    assert f"{asks} is violated: the worst of " in for_people.out
    assert "  violated in " in for_people.out
    assert " in the group (" in for_people.out
    named = {"HIV", "None"} if "sensitive" in requirement.said() and kind.startswith("lkc") else {"None"}
    assert not [value for value in SICK if value in for_people.out and value not in named]
    found = json.loads(for_scripts.out, parse_constant=pytest.fail)
    (item,) = found["requirements"]
    expected = figure(data, requirement)
    reached = item["reached"]
    assert reached == (None if expected == float("inf") else pytest.approx(expected, abs=1e-9))
    assert found["holds"] is item["holds"] is False
    assert ("unbounded" in for_people.out) is (reached is None)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("kind", "suffix"), [*((kind, ".csv") for kind in KINDS), ("ordered as named", ".parquet"), ("lkc", ".parquet")]
)
def test_formulas_are_escaped_and_still_counted(tmp_path: Path, run: Run, kind: str, suffix: str) -> None:
    """Every illness begins like a formula, those that the policy names too; the release spells it with a quote."""
    requirement = KINDS[kind]
    spelled = json.loads("".join(json.dumps(requirement.said())))
    if "order" in spelled:
        spelled["order"] = [SICK[value] for value in spelled["order"]]
    if isinstance(spelled.get("sensitive"), dict):
        spelled["sensitive"] = {"Disease": {"=HIV": "0.35"}}
    data, plain = patients(tmp_path / "in.csv", SICK), patients(tmp_path / "plain.csv")
    policy = asking(tmp_path / "p.yaml", requirement)
    policy.write_text(policy.read_text().replace(json.dumps(requirement.said()), json.dumps(spelled)))
    out, solution = tmp_path / f"out{suffix}", tmp_path / "s.json"
    done = run("mask", data, "-p", policy, "-o", out, "--escape-formulas", "--solution", solution, "--keep-order")
    assert done.code == 0, done.err
    arguments = ("-p", asking(tmp_path / "q.yaml", requirement), "-o", tmp_path / "bare.csv", "--keep-order")
    bare = run("mask", plain, *arguments)
    assert bare.code == 0, bare.err
    shown = read_any(out)
    assert {"'=HIV", "'+Flu"} <= {row["Disease"] for row in shown}
    back = {f"'{spelling}" if spelling != "None" else spelling: value for value, spelling in SICK.items()}
    assert [{**row, "Disease": back.get(row["Disease"], "")} for row in shown] == read_any(tmp_path / "bare.csv")
    arguments = ("-s", solution, "-o", tmp_path / f"again{suffix}", "--escape-formulas", "--enforce", "--keep-order")
    applied = run("apply", data, *arguments)
    assert applied.code == 0, applied.err
    assert read_any(tmp_path / f"again{suffix}") == shown


def read_any(path: Path) -> list[dict[str, str]]:
    """A csv or parquet file as texts, a missing cell as the empty one."""
    if path.suffix == ".csv":
        with path.open(encoding="utf-8", newline="") as file:
            return list(csv.DictReader(file))
    import pyarrow.parquet as pq

    return [{k: "" if v is None else str(v) for k, v in row.items()} for row in pq.read_table(path).to_pylist()]


@pytest.mark.slow
@every_kind
def test_later_rows_that_break_a_model_are_told_or_refused(tmp_path: Path, run: Run, kind: str) -> None:
    """Ten nurses with HIV: masked alike, but alone they are neither diverse nor close to anybody else."""
    data, policy = patients(tmp_path / "in.csv"), asking(tmp_path / "p.yaml", KINDS[kind])
    solution = tmp_path / "s.json"
    assert run("mask", data, "-p", policy, "-o", tmp_path / "out.csv", "--solution", solution).code == 0
    rows = [(str(20 + 4 * i), "nurse", "F", "HIV" if i < 5 else "Flu", str(i), "low") for i in range(8)]
    later = tmp_path / "later.csv"
    later.write_text(csv_text(("Age", "Job", "Sex", "Disease", "Visits", "Risk"), rows), encoding="utf-8")
    told = run("apply", later, "-s", solution, "-o", tmp_path / "later-out.csv")
    assert told.code == 0
    assert "is violated" in told.out
    assert "do not meet every requirement" in told.err
    refused = run("apply", later, "-s", solution, "-o", tmp_path / "never.csv", "--enforce")
    assert refused.code == 1
    assert not (tmp_path / "never.csv").exists()
    assert "Flu" not in told.out + told.err + refused.err
    assert "HIV" not in told.err + refused.err
    assert ("HIV" in told.out) is (kind in {"lkc", "lkc of confidence"})


@pytest.mark.slow
@every_kind
def test_a_solution_and_a_policy_are_read_as_they_were_written(tmp_path: Path, run: Run, kind: str) -> None:
    policy = read_policy(asking(tmp_path / "p.yaml", KINDS[kind]))
    again = read_policy(to_data(policy))
    assert again == policy
    assert again.fingerprint() == policy.fingerprint()
    solution = tmp_path / "s.json"
    arguments = ("mask", patients(tmp_path / "in.csv"), "-p", tmp_path / "p.yaml", "-o", tmp_path / "out.csv", "-q")
    assert run(*arguments, "--solution", solution).code == 0
    saved = solution_file.loads(solution.read_text(encoding="utf-8"))
    assert saved.reached[0].requirement == policy.requirements[0]
    assert solution_file.dumps(saved) == solution.read_text(encoding="utf-8")


@pytest.mark.slow
@every_kind
def test_going_up_ends_where_a_model_is_met(tmp_path: Path, run: Run, kind: str) -> None:
    """From the raw values on; every step is written as JSON has it, also where a quotient had no bound."""
    requirement = KINDS[kind]
    data, policy, out = patients(tmp_path / "in.csv"), asking(tmp_path / "p.yaml", requirement), tmp_path / "out.csv"
    trace = tmp_path / "t.jsonl"
    done = run("mask", data, "-p", policy, "-o", out, "--trace", trace, "--method", "bug", "--json")
    assert done.code == 0, done.err
    assert is_met(out, requirement)
    reached = figure(out, requirement)
    assert json.loads(done.out)["requirements"][0]["reached"] == pytest.approx(reached, abs=1e-9)
    steps = [json.loads(line, parse_constant=pytest.fail) for line in trace.read_text(encoding="utf-8").splitlines()]
    assert steps[-1]["requirements"] == pytest.approx([reached], abs=1e-9)
    assert len(steps) > 3


@pytest.mark.slow
@every_kind
def test_the_order_of_rows_changes_no_byte(tmp_path: Path, run: Run, kind: str) -> None:
    """Not even where a value is first met in another spelling."""
    policy, data = asking(tmp_path / "p.yaml", KINDS[kind]), patients(tmp_path / "in.csv")
    header, *rows = data.read_text(encoding="utf-8").splitlines(keepends=True)
    turned = tmp_path / "turned" / "in.csv"
    turned.parent.mkdir()
    turned.write_text("".join([header, *reversed(rows)]), encoding="utf-8")
    for source in (data, turned):
        out, solution, trace, report = (source.parent / name for name in ("out.csv", "s.json", "t.jsonl", "r.md"))
        options = ("--solution", solution, "--trace", trace, "--report", report)
        assert run("mask", source, "-p", policy, "-o", out, *options, "-q").code == 0
    for name in ("s.json", "t.jsonl", "r.md"):
        assert (turned.parent / name).read_bytes() == (tmp_path / name).read_bytes()


@pytest.mark.slow
def test_requirements_of_all_kinds_together_are_masked_audited_and_traced(tmp_path: Path, run: Run) -> None:
    """Each has one figure in every step, in policy order; the implied one too."""
    implied = models.Distinct(("Age",), "Disease", 2)
    requirements = [implied, *KINDS.values()]
    data, policy, out = patients(tmp_path / "in.csv"), asking(tmp_path / "p.yaml", implied), tmp_path / "out.csv"
    said = [requirement.said() for requirement in requirements]
    policy.write_text(policy.read_text().replace(json.dumps([implied.said()]), json.dumps(said)))
    trace = tmp_path / "t.jsonl"
    done = run("mask", data, "-p", policy, "-o", out, "--trace", trace)
    assert done.code == 0, done.err
    assert "distinct 2-diversity of Disease on {Age} follows from requirement 2, so it was dropped" in done.err
    steps = [json.loads(line) for line in trace.read_text(encoding="utf-8").splitlines()]
    assert len(steps) > 1
    expected = [figure(out, requirement) for requirement in requirements]
    assert steps[-1]["requirements"] == pytest.approx(expected, abs=1e-9)
    assert all(is_met(out, requirement) for requirement in requirements)
    assert run("audit", out, "-p", policy, "-q").code == 0


@pytest.mark.slow
def test_a_quotient_without_bound_is_an_empty_cell_of_the_curve_and_no_point_of_its_picture(
    tmp_path: Path, run: Run
) -> None:
    """Raw, some group has a single illness, so nothing is rarer than its most frequent one."""
    requirement = KINDS["recursive"]
    data, policy = patients(tmp_path / "in.csv"), asking(tmp_path / "p.yaml", requirement)
    curve, trace, picture = tmp_path / "c.csv", tmp_path / "t.jsonl", tmp_path / "c.svg"
    arguments = ("mask", data, "-p", policy, "-o", tmp_path / "out.csv", "--method", "bug", "-q")
    assert run(*arguments, "--curve", curve, "--trace", trace).code == 0
    with curve.open(encoding="utf-8", newline="") as file:
        figures = [row[2] for row in csv.reader(file)][1:]
    n_bounded = sum(figure != "" for figure in figures)
    assert figures[0] == ""
    assert 0 < n_bounded < len(figures)
    assert all(float(figure) < 200 for figure in figures if figure)
    steps = [json.loads(line)["requirements"][0] for line in trace.read_text(encoding="utf-8").splitlines()]
    assert [None if figure == "" else float(figure) for figure in figures[1:]] == steps
    assert run(*arguments, "--curve", picture).code == 0
    blue = re.findall(r"<use [^>]*fill: #1f77b4", picture.read_text(encoding="utf-8"))
    assert len(blue) == n_bounded + 1  # and one in the legend
