"""`maskwise risk`, and what `mask` and `audit` say of risk."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import maskwise
from maskwise.cli.app import main

POLICY = "requirements:\n  - {qid: [age, sex], k: 3}\nclass: c\ndrop: [name]\n"


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    lines = ["name,age,sex,job,c"]
    lines += [f"N{i},{20 + i % 20},{'FM'[i % 2]},{'abc'[i % 3]},{'xy'[i % 20 > 9]}" for i in range(80)]
    (tmp_path / "people.csv").write_text("\n".join(lines) + "\n")
    (tmp_path / "sample.csv").write_text("\n".join(lines[:41]) + "\n")
    (tmp_path / "policy.yaml").write_text(POLICY)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "200")
    return tmp_path


def test_the_figures_are_printed_and_are_pythons(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    del folder
    assert main(["risk", "people.csv", "-p", "policy.yaml", "--population-size", "1000", "--threshold", "0.25"]) == 0
    shown = capsys.readouterr().out
    assert "all 4 released columns" in shown
    assert "With all 4 released columns known, " in shown
    assert "above 0.25" in shown
    assert "Of a population of 1,000" in shown
    assert main(["risk", "people.csv", "-p", "policy.yaml", "--json"]) == 0
    assert json.loads(capsys.readouterr().out) == maskwise.risk("people.csv", "policy.yaml").to_data()


@pytest.mark.slow
def test_a_release_is_compared_with_its_population(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    del folder
    assert main(["mask", "sample.csv", "-p", "policy.yaml", "-o", "out.csv", "--solution", "solution.json", "-q"]) == 0
    of_population = ["risk", "out.csv", "-p", "policy.yaml", "--population", "people.csv"]
    assert main([*of_population, "-s", "solution.json"]) == 0
    assert "In the population of 80, on {age, sex}: journalist at most " in capsys.readouterr().out
    assert main(of_population) == 2
    assert "no part of it" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--threshold", "hipaa"], "There is no threshold `hipaa`"),
        (["--threshold", "2"], "between 0 and 1"),
        (["--population-size", "79"], "at least as large"),
        (["--population", "sample.csv"], "give a larger one"),
        (["--population", "nowhere.csv"], "nowhere.csv"),
        (["--solution", "solution.json"], "no population is given"),
    ],
)
def test_what_makes_no_sense_is_refused(
    folder: Path, capsys: pytest.CaptureFixture[str], options: list[str], said: str
) -> None:
    del folder
    assert main(["risk", "people.csv", "-p", "policy.yaml", *options]) == 2
    assert said in " ".join(capsys.readouterr().err.split())


@pytest.mark.slow
def test_mask_and_audit_say_it_too(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["mask", "people.csv", "-p", "policy.yaml", "-o", "out.csv", "--report", "r.json"]) == 0
    assert "With all 4 released columns known, " in capsys.readouterr().out
    expected = maskwise.risk("out.csv", "policy.yaml").to_data()
    assert json.loads((folder / "r.json").read_text())["risk"] == expected
    assert main(["audit", "out.csv", "-p", "policy.yaml"]) == 0
    assert "With all 4 released columns known, " in capsys.readouterr().out
    assert main(["audit", "out.csv", "-p", "policy.yaml", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["risk"] == expected
    assert main(["audit", "sample.csv", "-p", "policy.yaml", "-q"]) == 1
    assert not capsys.readouterr().out
