"""Unions of sensitive values, protected columns that are not released, and groups of values, from end to end."""

from __future__ import annotations

import csv
import json
import random
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

import maskwise
from maskwise import read_policy
from maskwise.formats import solution_file
from tests.conftest import Run, csv_text

HIV = ("B20.0", "B20.1", "B22.2", "B24", "Z21")
TREE = {
    "All": {
        "HIV": {"B20": ["B20.0", "B20.1"], "B2x": ["B22.2", "B24"], "Z21": None},
        "Other": {"I": ["I10", "I20"], "J": ["J00", "J10", "J45"]},
    }
}
CHAPTER = {**dict.fromkeys(HIV, "HIV"), **dict.fromkeys(("I10", "I20", "J00", "J10", "J45"), "Other")}
HEADER = ("Age", "Sex", "Ward", "Diagnosis", "C")
QID = ("Age", "Sex", "Ward")


def patients(n: int = 1500, seed: int = 11) -> list[tuple[str, ...]]:
    """Patients of whom 3 % have HIV, most of them men of one ward."""
    rng = random.Random(seed)  # noqa: S311 - test data
    rows = []
    for _ in range(n):
        age, sex, ward = rng.randint(20, 79), rng.choice("FM"), rng.choice("abcd")
        is_hiv = rng.random() < (0.12 if ward == "d" and sex == "M" else 0.015)
        code = rng.choice(HIV) if is_hiv else rng.choice(["I10", "I20", "J00", "J10", "J45"])
        rows.append((str(age), sex, ward, code, "yes" if age > 50 and sex == "M" else "no"))
    return rows


@pytest.fixture
def clinic(tmp_path: Path) -> Path:
    path = tmp_path / "clinic.csv"
    path.write_text(csv_text(HEADER, patients()), encoding="utf-8")
    return path


def policy(path: Path, *requirements: dict[str, Any], diagnosis: Any = None, **also: Any) -> Path:
    """A policy file; JSON is YAML."""
    entries = {"Age": {"interval": [0, 99]}, "Sex": "suppress", "Ward": "suppress"}
    entries |= {} if diagnosis is None else {"Diagnosis": diagnosis}
    path.write_text(json.dumps({"class": "C", "attributes": entries, "requirements": requirements, **also}))
    return path


def template(sensitive: Any, confidence: float | None = 0.05) -> dict[str, Any]:
    bound = {} if confidence is None else {"confidence": confidence}
    return {"qid": list(QID), "sensitive": {"Diagnosis": sensitive}, **bound}


def records(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def groups(released: list[dict[str, str]], raw: list[str]) -> dict[tuple[str, ...], Counter[str]]:
    """The raw diagnoses of each group of the release, whose records are in the order of the table."""
    found: dict[tuple[str, ...], Counter[str]] = {}
    for record, code in zip(released, raw, strict=True):
        found.setdefault(tuple(record[name] for name in QID), Counter())[code] += 1
    return found


def largest_share(found: dict[tuple[str, ...], Counter[str]], values: tuple[str, ...]) -> float:
    return max(sum(codes[value] for value in values) / codes.total() for codes in found.values())


RAW = [row[3] for row in patients()]


@pytest.mark.slow
def test_five_codes_bounded_one_by_one_leave_more_hiv_than_their_union_does(
    tmp_path: Path, run: Run, clinic: Path
) -> None:
    out = tmp_path / "out.csv"
    assert (
        run(
            "mask",
            "--criterion",
            "score",
            "--keep-order",
            clinic,
            "-p",
            policy(tmp_path / "p.yaml", template(list(HIV))),
            "-o",
            out,
        ).code
        == 0
    )
    apart = groups(records(out), RAW)
    assert all(largest_share(apart, (code,)) <= 0.05 for code in HIV)
    assert largest_share(apart, HIV) > 0.05
    union = policy(tmp_path / "u.yaml", template({"any": ["B20.*", "B22.2", "B24", "Z21"]}))
    assert run("audit", out, "-p", union).code == 1
    result = run("mask", "--criterion", "score", "--keep-order", clinic, "-p", union, "-o", out)
    assert result.code == 0
    together = groups(records(out), RAW)
    assert len(together) > 1
    assert 0 < largest_share(together, HIV) <= 0.05
    assert run("audit", out, "-p", union).code == 0


@pytest.mark.slow
@pytest.mark.parametrize(
    ("elements", "values"),
    [
        (["B*", "Z21"], HIV),
        (["HIV"], HIV),
        (["B20", "B2x", "Z21"], HIV),
        (["B20", "J*"], ("B20.0", "B20.1", "J00", "J10", "J45")),
        (list(HIV), HIV),
    ],
)
@pytest.mark.parametrize("method", ["tdr", "bug"])
def test_a_union_of_patterns_and_tree_values_holds_in_every_group(
    tmp_path: Path, run: Run, clinic: Path, elements: list[str], values: tuple[str, ...], method: str
) -> None:
    bound = 0.05 if "J*" not in elements else 0.66
    asked = policy(tmp_path / "p.yaml", template({"any": elements}, bound), diagnosis={"taxonomy": TREE})
    out, report = tmp_path / "out.csv", tmp_path / "r.json"
    result = run("mask", "--keep-order", clinic, "-p", asked, "-o", out, "--owner-report", report, "--method", method)
    assert result.code == 0
    found = groups(records(out), RAW)
    assert largest_share(found, values) <= bound
    said = json.loads(report.read_text())
    assert said["requirements"][0]["reached"] == pytest.approx(largest_share(found, values))
    assert not [code for code in ("B20", "B22", "Z21", "B*", "HIV", "J*") if code in report.read_text()]
    assert "passes through unchanged" not in result.out + result.err


def test_a_union_stands_beside_single_values_and_in_lkc(tmp_path: Path, run: Run, clinic: Path) -> None:
    both = template({"any": {"values": ["B20", "Z21"], "confidence": 0.03}, "I10": 0.3}, None)
    lkc = {"lkc": {"attributes": list(QID), "L": 2}, "k": 5, "sensitive": {"Diagnosis": {"any": ["B*"]}}}
    asked = policy(tmp_path / "p.yaml", both, {**lkc, "confidence": 0.06}, diagnosis={"taxonomy": TREE})
    out, solution = tmp_path / "out.csv", tmp_path / "s.json"
    assert run("mask", "--keep-order", clinic, "-p", asked, "-o", out, "--solution", solution).code == 0
    found = groups(records(out), RAW)
    assert largest_share(found, ("B20.0", "B20.1", "Z21")) <= 0.03
    assert largest_share(found, ("I10",)) <= 0.3
    for known in (("Age", "Sex"), ("Age", "Ward"), ("Sex", "Ward")):
        shares: dict[tuple[str, ...], list[bool]] = {}
        for record, code in zip(records(out), RAW, strict=True):
            shares.setdefault(tuple(record[name] for name in known), []).append(code.startswith("B"))
        assert max(sum(hits) / len(hits) for hits in shares.values()) <= 0.06
    saved = maskwise.read_solution(solution)
    assert [one.requirement for one in saved.reached] == list(read_policy(asked).requirements)
    assert solution_file.loads(solution_file.dumps(saved)) == saved


def test_elements_that_no_record_has_or_that_are_values_are_warned_of(tmp_path: Path, run: Run, clinic: Path) -> None:
    asked = policy(tmp_path / "p.yaml", template({"any": ["B20.O", "C*", "HIV", "Z21"]}), diagnosis={"taxonomy": TREE})
    result = run(
        "mask",
        "--keep-order",
        clinic,
        "-p",
        asked,
        "-o",
        tmp_path / "out.csv",
        "-q",
        "--report",
        tmp_path / "r.md",
    )
    assert "`B20.O` of `Diagnosis` is protected but occurs in no record. Did you mean `B20.0`?" in result.err
    # A list of grave diagnoses names more than a table has; a quiet run says nothing of that.
    assert "`C*`" not in result.err
    assert result.err.count("occurs in no record") == 1
    assert "occurs in no record" not in (tmp_path / "r.md").read_text()
    assert "B20.O" not in (tmp_path / "r.md").read_text()


def test_a_value_that_ends_in_a_star_is_that_value_alone(tmp_path: Path, run: Run) -> None:
    path = tmp_path / "d.csv"
    rows = [
        (str(20 + i % 40), "F", "a", ["B20.*", "B20.1", "I10", "I10", "J00"][i % 5], "yn"[i % 2]) for i in range(200)
    ]
    path.write_text(csv_text(HEADER, rows), encoding="utf-8")
    asked = policy(tmp_path / "p.yaml", template({"any": ["B20.*"]}, 0.2))
    result = run(
        "mask", "--keep-order", path, "-p", asked, "-o", tmp_path / "out.csv", "-q", "--report", tmp_path / "r.md"
    )
    assert result.code == 0
    assert "`B20.*` of `Diagnosis` is a value of the data, so it stands for that value only" in result.err
    assert "B20" not in (tmp_path / "r.md").read_text()


@pytest.mark.slow
def test_values_that_a_spreadsheet_would_run_are_found_by_how_they_begin(tmp_path: Path, run: Run) -> None:
    ills = ["=HIV1", "=HIV2", "-5", "-x", "'=q", "Flu", "Flu", "Flu", "Flu", "Gout"]
    rows = [(str(20 + i % 60), "FM"[i // 7 % 2], "a", ills[i * 7 % 10], "yn"[i // 3 % 2]) for i in range(900)]
    path, out = tmp_path / "d.csv", tmp_path / "out.csv"
    path.write_text(csv_text(HEADER, rows), encoding="utf-8")
    tree = {"ALL": {"=HIV": ["=HIV1", "=HIV2"], "minus": ["-5", "-x", "'=q"], "rest": ["Flu", "Gout"]}}
    diverse = {"qid": list(QID), "sensitive": "Diagnosis", "diversity": {"distinct": 2}}
    asked = policy(
        tmp_path / "p.yaml",
        template({"any": [["=*", "-*"], ["=HIV", "-x"], ["'=*"]]}, 0.5),
        {**diverse, "by": "prefix 1"},
        {**diverse, "by": "level 1"},
        diagnosis={"taxonomy": tree},
    )
    assert run("mask", "--keep-order", path, "-p", asked, "-o", out, "--escape-formulas").code == 0
    assert {record["Diagnosis"] for record in records(out)} >= {"'=HIV1", "-5", "'-x", "''=q"}
    found = groups(records(out), [row[3] for row in rows])
    assert largest_share(found, ("=HIV1", "=HIV2", "-5", "-x")) <= 0.5
    assert min(len({code[0] for code in codes}) for codes in found.values()) >= 2
    result = run("audit", out, "-p", asked, "--escape-formulas", "--json")
    assert result.code == 0
    unions = (("=HIV1", "=HIV2", "-5", "-x"), ("=HIV1", "=HIV2", "-x"), ("'=q",))
    above = {leaf: label for label, leaves in tree["ALL"].items() for leaf in leaves}
    expected = [
        max(largest_share(found, union) for union in unions),
        min(len({code[0] for code in codes}) for codes in found.values()),
        min(len({above[code] for code in codes}) for codes in found.values()),
    ]
    assert [one["reached"] for one in json.loads(result.out)["requirements"]] == pytest.approx(expected)


# A protected column that is not released, or released generalized.

KINDS: dict[str, dict[str, Any]] = {
    "template": template({"any": ["HIV"]}),
    "diversity": {"qid": list(QID), "sensitive": "Diagnosis", "diversity": {"distinct": 4}},
    "closeness": {"qid": list(QID), "sensitive": "Diagnosis", "closeness": 0.25},
    "grouped": {"qid": list(QID), "sensitive": "Diagnosis", "diversity": {"entropy": 2}, "by": "level 2"},
}


@pytest.mark.slow
@pytest.mark.parametrize("how", ["drop", "release"])
@pytest.mark.parametrize("kind", KINDS)
def test_a_column_that_is_not_released_is_protected_all_the_same(
    tmp_path: Path, run: Run, clinic: Path, kind: str, how: str
) -> None:
    shown = policy(tmp_path / "shown.yaml", KINDS[kind], diagnosis={"taxonomy": TREE})
    hidden = policy(
        tmp_path / "hidden.yaml",
        KINDS[kind],
        diagnosis={"taxonomy": TREE} | ({"release": 1} if how == "release" else {}),
        drop=["Diagnosis"] if how == "drop" else [],
    )
    out, also, report = tmp_path / "out.csv", tmp_path / "also.csv", tmp_path / "r.md"
    assert run("mask", "--keep-order", clinic, "-p", shown, "-o", also).code == 0
    result = run(
        "mask",
        "--keep-order",
        clinic,
        "-p",
        hidden,
        "-o",
        out,
        "--solution",
        tmp_path / "s.json",
        "--owner-report",
        report,
    )
    assert result.code == 0
    # The same groups as if the column were released, so what holds there holds here.
    assert [[record[name] for name in QID] for record in records(out)] == [
        [record[name] for name in QID] for record in records(also)
    ]
    assert "passes through unchanged" not in result.out + result.err
    if how == "drop":
        assert "Diagnosis" not in records(out)[0]
        assert "What is asked of `Diagnosis` was counted before the column was left out." in report.read_text()
        assert "Left out: Diagnosis." in report.read_text()
    else:
        assert [record["Diagnosis"] for record in records(out)] == [CHAPTER[code] for code in RAW]
        assert "| Diagnosis | taxonomy | HIV, Other |" in report.read_text()
        assert "counted on the raw values, which the release shows generalized" in report.read_text()
    # The release alone cannot be recounted on it; the table can.
    audit = run("audit", out, "-p", hidden)
    assert (audit.code, audit.out) == (2, "")
    assert "cannot be recounted from this table" in audit.err
    assert "take the requirement out of the policy" in audit.err
    assert run("audit", also, "-p", hidden).code == 0


@pytest.mark.slow
def test_later_rows_are_shown_and_counted_alike(tmp_path: Path, run: Run, clinic: Path) -> None:
    later = [*patients(400, 3), ("44", "F", "a", "X99", "no")]
    for how in ("drop", "release"):
        asked = policy(
            tmp_path / "p.yaml",
            template({"any": ["HIV"]}),
            {**KINDS["grouped"], "diversity": {"distinct": 2}},
            diagnosis={"taxonomy": TREE} | ({"release": 1} if how == "release" else {}),
            drop=["Diagnosis"] if how == "drop" else [],
        )
        solution, out = tmp_path / f"{how}.json", tmp_path / "later_out.csv"
        assert (
            run("mask", "--keep-order", clinic, "-p", asked, "-o", tmp_path / "out.csv", "--solution", solution).code
            == 0
        )
        path = tmp_path / "later.csv"
        path.write_text(csv_text(HEADER, later), encoding="utf-8")
        result = run("apply", "--keep-order", path, "--solution", solution, "-o", out, "--json")
        assert result.code == 0
        found = groups(records(out), [row[3] for row in later])
        said = json.loads(result.out)
        assert said["unchecked"] == []
        assert said["requirements"][0]["reached"] == pytest.approx(largest_share(found, HIV))
        of_level = {"B20.0": "B20", "B20.1": "B20", "B22.2": "B2x", "B24": "B2x", "Z21": "Z21", "X99": "All"}
        of_level |= {code: code[0] for code in ("I10", "I20", "J00", "J10", "J45")}
        assert said["requirements"][1]["reached"] == min(len({of_level[c] for c in codes}) for codes in found.values())
        if how == "drop":
            assert "Diagnosis" not in records(out)[0]
            assert run("apply", "--keep-order", path, "--solution", solution, "-o", out, "--strict").code == 0
        else:
            shown = [CHAPTER.get(row[3], "All") for row in later]
            assert [record["Diagnosis"] for record in records(out)] == shown
            assert said["unknown"] == {"Diagnosis": {"values": 1, "records": 1}}
            assert run("apply", "--keep-order", path, "--solution", solution, "-o", out, "--strict").code == 2
        # Without the column nothing can be said of it.
        path.write_text(csv_text((*HEADER[:3], "C"), [(*row[:3], row[4]) for row in later]), encoding="utf-8")
        result = run("apply", "--keep-order", path, "--solution", solution, "-o", out, "--json")
        assert result.code == 0
        assert len(json.loads(result.out)["unchecked"]) == 2
        assert run("apply", "--keep-order", path, "--solution", solution, "-o", out, "--enforce").code == 1


@pytest.mark.slow
def test_a_column_that_nobody_protects_may_be_generalized_too(tmp_path: Path, run: Run, clinic: Path) -> None:
    asked = policy(tmp_path / "p.yaml", {"qid": list(QID), "k": 5}, diagnosis={"taxonomy": TREE, "release": 0})
    out, solution = tmp_path / "out.csv", tmp_path / "s.json"
    assert run("mask", "--keep-order", clinic, "-p", asked, "-o", out, "--solution", solution, "--public").code == 0
    assert {record["Diagnosis"] for record in records(out)} == {"All"}
    assert {"name": "Diagnosis", "kind": "taxonomy", "shown": ["All"]} in json.loads(solution.read_text())["attributes"]
    assert run("audit", out, "-p", asked).code == 0


def test_a_value_outside_the_tree_of_a_generalized_column_is_refused_unseen(tmp_path: Path, run: Run) -> None:
    path = tmp_path / "d.csv"
    path.write_text(csv_text(HEADER, [*patients(60), ("44", "F", "a", "SECRET", "no")]), encoding="utf-8")
    asked = policy(tmp_path / "p.yaml", template({"any": ["HIV"]}, 0.5), diagnosis={"taxonomy": TREE, "release": 1})
    result = run("mask", "--keep-order", path, "-p", asked, "-o", tmp_path / "out.csv")
    assert result.code == 2
    assert "Column `Diagnosis` holds 1 value that its taxonomy does not have" in result.err
    assert "SECRET" not in result.err


@pytest.mark.slow
def test_diversity_of_many_values_is_counted_by_groups(tmp_path: Path, run: Run) -> None:
    rng = random.Random(4)  # noqa: S311 - test data
    codes = [f"{letter}{i:02d}" for letter in "ABCDEFGH" for i in range(60)]
    rows = [(str(rng.randint(20, 79)), rng.choice("FM"), rng.choice("abcd"), rng.choice(codes), rng.choice("yn"))
            for _ in range(1200)]  # fmt: skip
    path, out = tmp_path / "d.csv", tmp_path / "out.csv"
    path.write_text(csv_text(HEADER, rows), encoding="utf-8")
    diverse = {"qid": list(QID), "sensitive": "Diagnosis", "diversity": {"distinct": 6}}
    close = {"qid": list(QID), "sensitive": "Diagnosis", "closeness": 0.2}
    result = run("mask", "--keep-order", path, "-p", policy(tmp_path / "p.yaml", diverse), "-o", out)
    assert result.code == 2
    assert "Group them with `by: prefix 1`" in result.err
    tree = {"ALL": {letter: [code for code in codes if code[0] == letter] for letter in "ABCDEFGH"}}
    for by, entry in (("prefix 1", None), ("level 1", {"taxonomy": tree})):
        asked = policy(tmp_path / "p.yaml", {**diverse, "by": by}, {**close, "by": by}, diagnosis=entry)
        result = run("mask", "--keep-order", path, "-p", asked, "-o", out, "--json")
        assert result.code == 0
        letters = [row[3][0] for row in rows]
        found = groups(records(out), letters)
        whole = Counter(letters)
        n_least = min(len(letters_of) for letters_of in found.values())
        distance = max(
            sum(abs(group[letter] / group.total() - whole[letter] / len(rows)) for letter in whole) / 2
            for group in found.values()
        )
        assert n_least >= 6
        assert distance <= 0.2
        reached = [one["reached"] for one in json.loads(result.out)["requirements"]]
        assert reached == pytest.approx([n_least, distance])
        assert len(found) > 1


@pytest.mark.slow
def test_a_union_on_a_column_that_another_requirement_masks_names_values_of_its_tree(
    tmp_path: Path, run: Run, clinic: Path
) -> None:
    """What the release shows at or below an element is counted; the search counts the raw cells, which are more."""
    k = {"qid": ["Diagnosis", "Sex"], "k": 15}
    asked = policy(tmp_path / "p.yaml", template({"any": ["HIV", "J10"]}, 0.3), k, diagnosis={"taxonomy": TREE})
    out = tmp_path / "out.csv"
    assert run("mask", "--criterion", "score", "--keep-order", clinic, "-p", asked, "-o", out).code == 0
    assert largest_share(groups(records(out), RAW), (*HIV, "J10")) <= 0.3
    shown = [record["Diagnosis"] for record in records(out)]
    below = ("HIV", "B20", "B2x", *HIV, "J10")
    result = run("audit", out, "-p", asked, "--json")
    assert result.code == 0
    reached = json.loads(result.out)["requirements"][0]["reached"]
    assert reached == pytest.approx(largest_share(groups(records(out), shown), below))
    assert reached > 0
