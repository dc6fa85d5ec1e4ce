"""`maskwise mask --against` and `maskwise audit` of two releases."""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import HEADER, Run, csv_text, frame, people

POLICY = """\
class: Risk
attributes:
  Age: {interval: [0, 120]}
requirements:
  - {qid: [Age, Edu, Sex], k: 8}
"""
QID = ["Age", "Edu", "Sex"]


@pytest.fixture
def files(tmp_path: Path, run: Run) -> dict[str, Path]:
    """A table, a policy, and two releases that were found without knowing of each other."""
    found = {name: tmp_path / name for name in ("data.csv", "p.yaml", "a.csv", "a.json", "b.csv", "b.json", "c.csv")}
    found["data.csv"].write_text(csv_text(HEADER, people(600, 1)), encoding="utf-8")
    found["p.yaml"].write_text(POLICY.replace("class: Risk\n", ""), encoding="utf-8")
    other = tmp_path / "other.yaml"
    other.write_text(POLICY, encoding="utf-8")
    for name, policy, how in (("a", found["p.yaml"], []), ("b", other, ["--criterion", "conditional"])):
        result = run(
            "mask", found["data.csv"], "-p", policy, "-o", found[f"{name}.csv"], "--solution",
            found[f"{name}.json"], "--keep-order", "-q", *how,
        )  # fmt: skip
        assert result.code == 0, result.err
    return found


def sizes(*paths: Path) -> Counter[Any]:
    tables = [frame(path) for path in paths]
    return Counter(zip(*(table[name].tolist() for table in tables for name in QID), strict=True))


@pytest.mark.slow
def test_a_release_masked_against_another_keeps_k_with_it(files: dict[str, Path], run: Run) -> None:
    assert min(sizes(files["a.csv"], files["b.csv"]).values()) < 8
    result = run(
        "mask", files["data.csv"], "-p", files["p.yaml"], "-o", files["c.csv"], "--against", files["a.json"],
        "--keep-order", "--json",
    )  # fmt: skip
    assert result.code == 0, result.err
    joint = sizes(files["a.csv"], files["c.csv"])
    assert min(joint.values()) >= 8
    said = json.loads(result.out)
    digest = hashlib.sha256(files["a.json"].read_bytes()).hexdigest()
    assert any(digest[:12] in note for note in said["notes"])
    assert str(files["a.json"]) not in result.out
    assert "together with 1 earlier release" in said["does_not_protect"][-1]


@pytest.mark.slow
def test_two_earlier_releases_that_break_k_together_leave_no_solution(files: dict[str, Path], run: Run) -> None:
    against = ["--against", files["a.json"], "--against", files["b.json"]]
    result = run("mask", files["data.csv"], "-p", files["p.yaml"], "-o", files["c.csv"], *against)
    assert result.code == 3
    least = min(sizes(files["a.csv"], files["b.csv"]).values())
    assert "p.yaml, line 4: k=8 on {Age, Edu, Sex}, together with 2 earlier releases, cannot be met" in result.err
    assert f"what was released before reaches {least} by itself" in result.err
    assert not files["c.csv"].exists()


@pytest.mark.slow
def test_a_public_solution_or_none_is_refused(files: dict[str, Path], run: Run, tmp_path: Path) -> None:
    public = tmp_path / "public.json"
    start = ["mask", files["data.csv"], "-p", files["p.yaml"], "-o", files["c.csv"]]
    assert run(*start, "--solution", public, "--public", "-q").code == 0
    files["c.csv"].unlink()
    for path, text in (
        (public, "is the public form"),
        (tmp_path / "none.json", "There is no file"),
        (files["p.yaml"], "is not JSON"),
    ):
        result = run(*start, "--against", path)
        assert result.code == 2
        assert text in result.err
    overwriting = run(*start, "--against", files["a.json"], "--solution", files["a.json"])
    assert overwriting.code == 2
    assert "is the input" in overwriting.err


@pytest.mark.slow
def test_an_audit_of_two_releases_is_undecided_with_a_warning(files: dict[str, Path], run: Run) -> None:
    result = run("audit", files["a.csv"], files["b.csv"], "-p", files["p.yaml"])
    assert result.code == 0
    assert "Both together (composition): undecided." in result.out
    assert "warning: Both releases together: What both tell together on {Age, Edu, Sex} cannot be decided" in result.err
    assert result.out.count("k=8 on {Age, Edu, Sex} holds") == 2
    quiet = run("audit", files["a.csv"], files["b.csv"], "-p", files["p.yaml"], "-q")
    assert quiet.out == ""
    assert "cannot be decided" in quiet.err


@pytest.mark.slow
def test_an_audit_of_two_releases_passes_where_one_tells_all(files: dict[str, Path], run: Run) -> None:
    result = run("audit", files["a.csv"], files["a.csv"], "-p", files["p.yaml"], "--json")
    assert result.code == 0
    assert result.err == ""
    said = json.loads(result.out)
    assert said["holds"] is True
    assert [table["rows"] for table in said["tables"]] == [600, 600]
    assert said["tables"][0]["requirements"][0]["reached"] == min(sizes(files["a.csv"]).values())
    (attack,) = said["attacks"]
    assert (attack["attack"], attack["result"]) == ("composition", "passed")
    text = run("audit", files["a.csv"], files["a.csv"], "-p", files["p.yaml"]).out
    assert "Both together (composition): passed. On every quasi-identifier" in text


@pytest.mark.slow
def test_an_audit_of_two_releases_fails_if_one_breaks_a_requirement(files: dict[str, Path], run: Run) -> None:
    result = run("audit", files["a.csv"], files["data.csv"], "-p", files["p.yaml"], "--json")
    assert result.code == 1
    said = json.loads(result.out)
    assert [table["holds"] for table in said["tables"]] == [True, False]
    assert said["attacks"][0]["result"] == "failed"
