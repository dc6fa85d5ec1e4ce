"""`maskwise audit`: a recount of any table, held against pandas."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.conftest import HEADER, Run, csv_text, frame, group_sizes, people

BY_HAND = """\
Age,City,Illness
20-29,13***,flu
20-29,13***,cold
20-29,13***,flu
30-39,13***,flu
30-39,13***,cold
30-39,14***,flu
*,*,flu
*,*,cold
,14***,cold
,14***,flu
"""


def asks(tmp_path: Path, *requirements: tuple[list[str], int]) -> Path:
    path = tmp_path / "p.yaml"
    lines = "".join(f"  - {{qid: [{', '.join(qid)}], k: {k}}}\n" for qid, k in requirements)
    path.write_text(f"requirements:\n{lines}", encoding="utf-8")
    return path


@pytest.mark.parametrize("k", [1, 2, 3, 4])
def test_a_table_made_by_another_tool_is_recounted(tmp_path: Path, run: Run, k: int) -> None:
    (tmp_path / "other.csv").write_text(BY_HAND, encoding="utf-8")
    sizes = group_sizes(frame(tmp_path / "other.csv"), ["Age", "City"])
    small = sizes[sizes < k]
    result = run("audit", tmp_path / "other.csv", "-p", asks(tmp_path, (["Age", "City"], k)), "--json")
    assert result.code == (1 if len(small) else 0)
    said = json.loads(result.out)
    (item,) = said["requirements"]
    assert said["rows"] == 10
    assert said["holds"] == item["holds"] == (not len(small))
    assert (item["reached"], item["groups"]) == (sizes.min(), len(sizes))
    assert (item["violating_groups"], item["violating_records"]) == (len(small), small.sum())


@pytest.mark.parametrize("seed", range(3))
def test_counts_agree_with_pandas_on_raw_data(tmp_path: Path, run: Run, seed: int) -> None:
    (tmp_path / "raw.csv").write_text(csv_text(HEADER, people(300, seed)), encoding="utf-8")
    table = frame(tmp_path / "raw.csv")
    wants = [(["Age", "Edu"], 3), (["Job", "Sex"], 20), (["Edu"], 10), (["Zip"], 2)]
    result = run("audit", tmp_path / "raw.csv", "-p", asks(tmp_path, *wants), "--json")
    assert result.code == 1
    for item, (qid, k) in zip(json.loads(result.out)["requirements"], wants, strict=True):
        sizes = group_sizes(table, qid)
        small = sizes[sizes < k]
        assert (item["qid"], item["k"], item["reached"]) == (qid, k, sizes.min())
        assert (item["violating_groups"], item["violating_records"]) == (len(small), small.sum())


def test_people_read_which_requirement_is_violated_and_by_how_much(tmp_path: Path, run: Run) -> None:
    (tmp_path / "other.csv").write_text(BY_HAND, encoding="utf-8")
    result = run("audit", tmp_path / "other.csv", "-p", asks(tmp_path, (["Age", "City"], 3), (["City"], 2)))
    assert result.code == 1
    assert "10 records" in result.out
    assert "k=3 on {Age, City} is violated" in result.out
    assert "4 groups with 7 records" in result.out
    assert "k=2 on {City} holds" in result.out


def test_quiet_answers_by_its_exit_code_alone(tmp_path: Path, run: Run) -> None:
    (tmp_path / "other.csv").write_text(BY_HAND, encoding="utf-8")
    for k, code in ((1, 0), (2, 1)):
        result = run("audit", tmp_path / "other.csv", "-p", asks(tmp_path, (["Age", "City"], k)), "--quiet")
        assert (result.code, result.out, result.err) == (code, "", "")


def test_a_dropped_column_or_a_class_may_be_absent(tmp_path: Path, run: Run) -> None:
    (tmp_path / "other.csv").write_text(BY_HAND, encoding="utf-8")
    policy = asks(tmp_path, (["Age"], 2))
    policy.write_text("class: Risk\nattributes: {Zip: suppress}\ndrop: [Name]\n" + policy.read_text(encoding="utf-8"))
    assert run("audit", tmp_path / "other.csv", "-p", policy).code == 0


def test_nothing_is_written(tmp_path: Path, run: Run, data: Path, policy: Path) -> None:
    before = sorted(tmp_path.iterdir())
    assert run("audit", data, "-p", policy).code == 1
    assert sorted(tmp_path.iterdir()) == before


def test_the_sizes_of_the_same_groups_are_printed_once(tmp_path: Path, run: Run) -> None:
    (tmp_path / "t.csv").write_text("a,b,ill\n" + "x,y,flu\nx,y,hiv\nz,y,flu\nz,y,hiv\n" * 3)
    asked = """requirements:
  - {qid: [a, b], k: 2}
  - {qid: [b, a], sensitive: ill, diversity: {distinct: 2}}
  - {qid: [b], k: 2}
"""
    (tmp_path / "policy.yaml").write_text(asked)
    result = run("audit", tmp_path / "t.csv", "-p", tmp_path / "policy.yaml")
    assert result.code == 0
    assert result.out.count("holds") == 3
    assert result.out.count("group size ") == 2
