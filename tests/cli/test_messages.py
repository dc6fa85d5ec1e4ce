"""What messages call things: dates, numbers, one record and many, the value that cannot be protected."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import Run, csv_text

N = 60


def table(path: Path, **columns: list[str]) -> Path:
    names = ("Age", "C", *columns)
    rows = [(str(20 + i % 30), "xy"[i % 2], *(cells[i] for cells in columns.values())) for i in range(N)]
    path.write_text(csv_text(names, rows), encoding="utf-8")
    return path


def policy(path: Path, *requirements: dict[str, Any], **also: Any) -> Path:
    """A policy file; JSON is YAML."""
    path.write_text(json.dumps({"class": "C", "requirements": requirements, **also}))
    return path


GERMAN = [f"{1 + i % 28:02}.04.2024" for i in range(N)]
ISO = [f"2024-04-{1 + i % 28:02}" for i in range(N)]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("cells", "entry", "says"),
    [
        (GERMAN, {"interval": ["2024-01-01", "2026-12-31"]}, "60 of its cells are no ISO dates, first in record 1"),
        (
            GERMAN,
            {"interval": ["2024-01-01", "2026-12-31"]},
            "They look like dates written DD.MM.YYYY: say so in the policy (in the file: `dates: {When: DD.MM.YYYY}`)",
        ),
        ([*ISO[1:], "soon"], "interval", "1 of its cells is no ISO date, first in record 60"),
        ([*(str(i / 4) for i in range(N - 2)), "1,5", "2,5"], "interval", "2 of its cells are no numbers, first in"),
        ([*(str(i) for i in range(N - 1)), "x"], "interval", "1 of its cells is no number, first in record 60"),
    ],
)
def test_cells_of_another_format_are_called_by_what_they_should_be(
    tmp_path: Path, run: Run, cells: list[str], entry: Any, says: str
) -> None:
    asked = policy(tmp_path / "p.yaml", {"qid": ["When"], "k": 2}, attributes={"When": entry})
    result = run("mask", table(tmp_path / "d.csv", When=cells), "-p", asked, "-o", tmp_path / "out.csv")
    assert result.code == 2
    assert says in result.err


def test_later_rows_of_another_format_are_too(tmp_path: Path, run: Run) -> None:
    asked = policy(tmp_path / "p.yaml", {"qid": ["When"], "k": 2}, attributes={"When": "interval"})
    first, saved = table(tmp_path / "d.csv", When=ISO), tmp_path / "s.json"
    assert run("mask", first, "-p", asked, "-o", tmp_path / "out.csv", "--solution", saved).code == 0
    for cells, says in (
        (GERMAN, "`When` holds other texts, but the solution expects ISO dates, such as 2024-04-06."),
        ([*ISO[1:], "soon"], "`When` holds 1 cell that should be ISO dates, such as 2024-04-06, first in record 60."),
    ):
        later = table(tmp_path / "e.csv", When=cells)
        result = run("apply", later, "-s", saved, "-o", tmp_path / "out2.csv")
        assert says in result.err


@pytest.mark.slow
def test_one_of_a_thing_is_not_many(tmp_path: Path, run: Run) -> None:
    data = table(tmp_path / "d.csv", When=["", *ISO[1:]])
    entry = {"attributes": {"When": "interval"}}
    asked = policy(tmp_path / "p.yaml", {"qid": ["When"], "k": 2}, missing="error", **entry)
    result = run("mask", data, "-p", asked, "-o", tmp_path / "out.csv")
    assert "`When` has 1 missing cell." in result.err
    asked = policy(tmp_path / "p.yaml", {"qid": ["When"], "k": 2}, missing="drop", **entry)
    result = run("mask", data, "-p", asked, "-o", tmp_path / "out.csv")
    assert "1 of 60 records was left out" in result.err
    asked = policy(tmp_path / "p.yaml", {"qid": ["Age"], "k": 2}, attributes={"Age": {"interval": [0, 48]}})
    result = run("mask", table(tmp_path / "d.csv"), "-p", asked, "-o", tmp_path / "out.csv")
    assert "has 2 cells outside its range" in result.err


def test_a_template_that_cannot_be_met_names_its_value(tmp_path: Path, run: Run) -> None:
    data = table(tmp_path / "d.csv", Ill=["HIV", "Flu", "Gout"] * (N // 3))
    asked = policy(tmp_path / "p.yaml", {"qid": ["Age"], "sensitive": {"Ill": {"HIV": 0.2, "Flu": 0.5}}})
    result = run("mask", data, "-p", asked, "-o", tmp_path / "out.csv")
    assert result.code == 3
    assert "`HIV` of `Ill` has a share of 0.3333 in the whole table" in result.err
    assert "Flu" not in result.err


@pytest.mark.slow
def test_what_mask_prints_says_nothing_twice(tmp_path: Path, run: Run) -> None:
    data = table(tmp_path / "people.csv", Town=["Bonn", "Trier"] * (N // 2), Ill=["flu", "cold", "gout"] * (N // 3))
    qid = ["Age", "Town"]
    asked = policy(
        tmp_path / "policy.yaml",
        {"qid": qid, "k": 5},
        {"qid": qid, "sensitive": {"Ill": ["gout"]}, "confidence": 0.7},
        {"qid": ["Age"], "sensitive": "Ill", "diversity": {"distinct": 2}},
    )
    result = run("mask", data, "-p", asked, "-o", tmp_path / "out.csv")
    assert result.code == 0
    requirements, _, rest = result.out.partition("How each attribute is shown")
    # The columns of a quasi-identifier stand once where it is asked for twice.
    assert requirements.count("Age, Town") == requirements.count("as above") == 1
    assert "Released as they were: C (to be predicted), Ill" in rest
    assert "To be predicted" not in rest
    # What highest, average and unique mean is said once, and guesses are listed by what they are made from.
    assert rest.count("the chance to pick the right record") == 1
    guesses = [line for line in rest.splitlines() if "guesses right" in line]
    assert [("{Age, Town}" in line, "`C` in" in line and "`Ill` in" in line) for line in guesses] == [
        (True, True),
        (False, True),
    ]
    assert len(result.err.splitlines()) == len(set(result.err.splitlines()))
    tried = run("attack", tmp_path / "out.csv", "-p", asked).out.splitlines()
    assert sum("homogeneity:" in line for line in tried) == 2
    assert len([line for line in tried if line.startswith("Tried by")]) == len(
        {line for line in tried if "knows" in line}
    )


def test_the_policy_of_another_table_is_said_to_be_so_in_one_line(tmp_path: Path, run: Run) -> None:
    qid = ["birth", "sex", "zip", "insurer", "ward", "admission"]
    asked = policy(tmp_path / "p.yaml", {"qid": qid, "k": 2})
    shown = run("mask", table(tmp_path / "d.csv"), "-p", asked, "-o", tmp_path / "out.csv").err
    assert shown.count("\n") == 1
    assert "6 of the 7 columns in the policy are not in the table, which has 2 columns: `birth`, `sex`" in shown
    assert "Is this the policy of another table" in shown


def test_a_misspelt_class_gets_the_nearest_name(tmp_path: Path, run: Run) -> None:
    data = table(tmp_path / "d.csv", outcome=["x", "y"] * (N // 2))
    assert "Did you mean `outcome`?" in run("suggest", data, "--class", "outcom").err


def test_a_release_that_was_there_is_said_to_be_replaced(tmp_path: Path, run: Run) -> None:
    data, asked, out = (
        table(tmp_path / "d.csv"),
        policy(tmp_path / "p.yaml", {"qid": ["Age"], "k": 2}),
        tmp_path / "o.csv",
    )
    assert "it replaced" not in run("mask", data, "-p", asked, "-o", out).out
    assert "o.csv (it replaced an earlier one)" in run("mask", data, "-p", asked, "-o", out).out.replace("\n", "")
    shown = run("attack", out, "-p", policy(tmp_path / "k.yaml", {"qid": ["Age"], "k": 2}, **{"class": None}))
    assert shown.code == 0
    assert "No attack was tried, so this says nothing about the release." in shown.out.replace("\n", " ") + shown.err
