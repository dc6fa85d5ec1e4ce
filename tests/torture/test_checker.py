"""The campaign's checker notices what it is there for."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from torture import checker
from torture.planted import found_in

NAMES = ["Age", "Ill"]
ROWS = [("a", "flu"), ("a", "flu"), ("a", "cold"), ("b", "flu")]


@pytest.mark.parametrize(
    ("asked", "is_broken"),
    [
        ({"qid": ["Age"], "k": 1}, False),
        ({"qid": ["Age"], "k": 2}, True),
        ({"qid": ["Age"], "sensitive": {"Ill": ["flu"]}, "confidence": "1"}, False),
        ({"qid": ["Age"], "sensitive": {"Ill": ["flu"]}, "confidence": "0.99"}, True),
        ({"qid": ["Age"], "sensitive": {"Ill": ["cold"]}, "confidence": "1/3"}, False),
        ({"qid": ["Age"], "sensitive": "Ill", "diversity": {"distinct": 2}}, True),
        ({"qid": ["Age"], "sensitive": "Ill", "diversity": {"entropy": 1}}, False),
        ({"qid": ["Age"], "sensitive": "Ill", "diversity": {"recursive": {"c": 3, "l": 1}}}, False),
        ({"qid": ["Age"], "sensitive": "Ill", "closeness": "0.25"}, False),
        ({"qid": ["Age"], "sensitive": "Ill", "closeness": "0.24"}, True),
        ({"lkc": {"attributes": ["Age", "Ill"], "L": 1}, "k": 2}, True),
    ],
)
def test_requirements_are_counted(asked: dict[str, Any], is_broken: bool) -> None:
    assert bool(checker.broken(NAMES, ROWS, [asked], {})) is is_broken


@pytest.mark.parametrize(
    ("label", "cell", "kind", "is_true"),
    [
        ("[20, 30)", 29, "number", True),
        ("[20, 30)", 30, "number", False),
        ("[20, 30]", 30, "number", True),
        ("02**", "0213", "code", True),
        ("03**", "0213", "code", False),
        ("02***", "0213", "code", False),
        ("*", 7, "number", True),
    ],
)
def test_labels_are_held_against_cells(label: str, cell: Any, kind: str, is_true: bool) -> None:
    assert checker.covers(label, cell, kind) is is_true


def test_files_are_read_cell_by_cell(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_bytes(b'"a,b",c\n"x\ny",""\n,"""q"""\nz,\n')
    rows = [("x\ny", ""), (None, '"q"'), ("z", None)]
    assert checker.read_release(tmp_path / "t.csv") == (["a,b", "c"], rows)
    table = pa.table({"a,b": [row[0] for row in rows], "c": [row[1] for row in rows]})
    pq.write_table(table, tmp_path / "t.parquet")
    assert checker.read_release(tmp_path / "t.parquet") == (["a,b", "c"], rows)


def test_secrets_are_found_in_texts_of_both_widths() -> None:
    assert found_in("… IDSECRET …".encode("utf-16-le"), ["IDSECRET", "IDOTHER"]) == ["IDSECRET"]
