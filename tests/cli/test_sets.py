"""Several values in a cell: what a user says of them, is told of them, and gets."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import maskwise
from tests.conftest import Run, csv_text

ILLS = ("flu", "gout", "acne", "ulcer", "cough", "stroke")
POLICY = """\
attributes: {age: {interval: [0, 100]}}
requirements:
  - {qid: [age, sex], k: 4}
  - {qid: [age, sex], sensitive: SENSITIVE, diversity: {distinct: 3}}
"""
SETS = '{conditions: {set: ";"}}'


def people(*, all_women: bool = True) -> list[dict[str, Any]]:
    """All women, or all but those of 40 and more, have HIV in their cell."""
    rows = []
    for i in range(120):
        sex, age, ill = "fm"[i % 2], 20 + i // 2, ILLS[i // 2 % 6]
        has_hiv = sex == "f" and (all_women or age < 40)
        rows.append({"age": age, "sex": sex, "conditions": f"HIV; {ill}" if has_hiv else ill})
    return rows


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    rows = people()
    (tmp_path / "people.csv").write_text(csv_text(list(rows[0]), [list(map(str, row.values())) for row in rows]))
    (tmp_path / "plain.yaml").write_text(POLICY.replace("SENSITIVE", "conditions"))
    (tmp_path / "sets.yaml").write_text(POLICY.replace("SENSITIVE", SETS))
    return tmp_path


def test_a_value_that_all_have_leaves_no_diversity(folder: Path, run: Run) -> None:
    """With one value by cell the women are a diverse group; with sets they must not stand apart."""
    release = folder / "out.csv"
    plain = run("mask", folder / "people.csv", "-p", folder / "plain.yaml", "-o", release)
    assert plain.code == 0
    assert 'Write `sensitive: {conditions: {set: ";"}}`' in plain.err
    masked = release.read_text().splitlines()
    assert any(",f," in line for line in masked)
    assert run("audit", release, "-p", folder / "sets.yaml").code == 1
    attacked = run("attack", release, "-p", folder / "sets.yaml")
    assert attacked.code == 1
    assert "Ask for diversity of the column on it." in attacked.out
    sets = run("mask", folder / "people.csv", "-p", folder / "sets.yaml", "-o", release)
    assert sets.code == 0
    assert "set:" not in sets.err
    assert not any(",f," in line for line in release.read_text().splitlines())
    assert run("audit", release, "-p", folder / "sets.yaml").code == 0


@pytest.mark.parametrize("model", ["entropy: 2", "recursive: {c: 3, l: 2}"])
def test_every_kind_of_diversity_sees_what_all_have(folder: Path, run: Run, model: str) -> None:
    policy = folder / "other.yaml"
    policy.write_text(POLICY.replace("SENSITIVE", SETS).replace("distinct: 3", model))
    assert run("audit", folder / "people.csv", "-p", policy).code == 1
    verdict = maskwise.audit(str(folder / "people.csv"), str(policy))
    assert verdict.findings[1].figure in (1, float("inf"))


def test_lists_of_a_parquet_file_need_no_key(tmp_path: Path, run: Run) -> None:
    rows = [{**row, "conditions": row["conditions"].split("; ")} for row in people(all_women=False)]
    pq.write_table(pa.Table.from_pylist(rows), tmp_path / "people.parquet")
    (tmp_path / "p.yaml").write_text(
        POLICY.replace("SENSITIVE", "{conditions: {HIV: 0.5}}").split(", diversity")[0] + "}\n"
    )
    result = run("mask", tmp_path / "people.parquet", "-p", tmp_path / "p.yaml", "-o", tmp_path / "out.parquet")
    assert result.code == 0, result.err
    released = pq.read_table(tmp_path / "out.parquet").to_pylist()
    groups: dict[Any, list[bool]] = {}
    for row in released:
        groups.setdefault((row["age"], row["sex"]), []).append("HIV" in row["conditions"])
    assert max(sum(hits) / len(hits) for hits in groups.values()) <= 0.5
    assert run("audit", tmp_path / "out.parquet", "-p", tmp_path / "p.yaml").code == 0


def test_a_quasi_identifier_of_sets_is_refused_with_what_to_do(tmp_path: Path, run: Run, folder: Path) -> None:
    rows = [{"sex": "f", "conditions": ["a", "b"]}] * 4
    pq.write_table(pa.Table.from_pylist(rows), tmp_path / "people.parquet")
    (tmp_path / "p.yaml").write_text("requirements: [{qid: [sex, conditions], k: 2}]")
    lists = run("mask", tmp_path / "people.parquet", "-p", tmp_path / "p.yaml", "-o", tmp_path / "out.parquet")
    assert lists.code == 2
    assert "`conditions` holds several values in a cell" in lists.err
    assert "Make a column of yes and no" in lists.err
    (tmp_path / "p.yaml").write_text(POLICY.replace("SENSITIVE", SETS).replace("sex], k", "conditions], k"))
    texts = run("mask", folder / "people.csv", "-p", tmp_path / "p.yaml", "-o", tmp_path / "out.csv")
    assert texts.code == 2
    assert "Make a column of yes and no" in texts.err


@pytest.mark.parametrize(
    ("sensitive", "complaint"),
    [
        ("{conditions: {set: x}}, diversity: {distinct: 2}", "`set` is what separates"),
        ("{conditions: {set: ';'}}, closeness: 0.2", "no distribution of them"),
    ],
)
def test_what_cannot_be_asked_of_sets_is_refused(folder: Path, run: Run, sensitive: str, complaint: str) -> None:
    (folder / "p.yaml").write_text(f"requirements: [{{qid: [age, sex], sensitive: {sensitive}}}]")
    result = run("mask", folder / "people.csv", "-p", folder / "p.yaml", "-o", folder / "out.csv")
    assert result.code == 2
    assert complaint in result.err


def test_a_certificate_and_a_solution_know_of_sets(folder: Path, run: Run) -> None:
    certificate, solution, release = folder / "cert.json", folder / "solution.json", folder / "out.csv"
    made = run(
        *("mask", folder / "people.csv", "-p", folder / "sets.yaml", "-o", release),
        *("--certificate", certificate, "--solution", solution),
    )
    assert made.code == 0, made.err
    asked = json.loads(certificate.read_text())["predicate"]["policy"]["public"]["requirements"][1]
    assert asked["sensitive"] == {"conditions": {"set": ";"}}
    assert run("verify", certificate, release).code == 0
    assert run("apply", folder / "people.csv", "-s", solution, "-o", folder / "later.csv").code == 0
    assert run("audit", folder / "later.csv", "-p", folder / "sets.yaml").code == 0


def test_a_draft_counts_the_values_of_cells_and_keeps_what_all_have(folder: Path, run: Run) -> None:
    assert run("suggest", folder / "people.csv", "-o", folder / "draft.yaml").code == 0
    draft = (folder / "draft.yaml").read_text()
    assert "sensitive: {conditions: {set: " in draft
    result = run("mask", folder / "people.csv", "-p", folder / "draft.yaml", "-o", folder / "out.csv")
    assert result.code == 0, result.err
    assert "seem to hold several values" not in result.err
    assert run("audit", folder / "out.csv", "-p", folder / "sets.yaml").code == 0
