"""No cell of an identifier or of a sensitive column is told unless the policy names it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

import maskwise
from tests.conftest import Run, csv_text

ILL = ("Flu", "HIV", "Gout", "Flu")
HEADER = ("Name", "Age", "Ill", "C")


def sick(path: Path, n: int = 240) -> Path:
    rows = [(f"Pat {i}", str(20 + i % 30), ILL[i % 4], "xy"[i % 30 > 14]) for i in range(n)]
    path.write_text(csv_text(HEADER, rows), encoding="utf-8")
    return path


def policy(path: Path, attributes: dict[str, Any], *requirements: dict[str, Any], **also: Any) -> Path:
    """A policy file; JSON is YAML."""
    path.write_text(json.dumps({"class": "C", "attributes": attributes, "requirements": requirements, **also}))
    return path


TEMPLATE = {"qid": ["Age"], "sensitive": {"Ill": ["Flu"]}, "confidence": 0.9}


# A taxonomy that lacks values.


@pytest.mark.parametrize("command", ["mask", "evaluate"])
def test_values_of_a_sensitive_column_that_a_taxonomy_lacks_are_counted(tmp_path: Path, run: Run, command: str) -> None:
    tree = {"Ill": {"taxonomy": {"Any": ["Flu", "Cold"]}}}
    asked = policy(tmp_path / "p.yaml", tree, {"qid": ["Age", "Ill"], "k": 2}, TEMPLATE)
    output = ["-o", tmp_path / "out.csv"] if command == "mask" else []
    result = run(command, sick(tmp_path / "d.csv"), "-p", asked, *output)
    assert result.code == 2
    assert "`Ill` holds 2 values that its taxonomy does not have. Add them as leaves" in result.err
    assert not [value for value in ("HIV", "Gout") if value in result.err]


@pytest.mark.parametrize("n", [240, 12])
def test_names_that_a_taxonomy_lacks_are_counted(tmp_path: Path, run: Run, n: int) -> None:
    asked = policy(tmp_path / "p.yaml", {"Name": {"taxonomy": {"Any": ["Nobody"]}}}, {"qid": ["Name"], "k": 2})
    result = run("mask", sick(tmp_path / "d.csv", n), "-p", asked, "-o", tmp_path / "out.csv")
    assert f"holds {n} values that its taxonomy does not have. Add" in result.err
    assert "Pat" not in result.err


def test_of_many_values_that_a_taxonomy_lacks_only_those_that_many_share_are_listed(tmp_path: Path, run: Run) -> None:
    rows = [(f"Pat {i}" if i < 30 else "n/a", "1", "Flu", "x") for i in range(240)]
    (tmp_path / "d.csv").write_text(csv_text(HEADER, rows), encoding="utf-8")
    asked = policy(tmp_path / "p.yaml", {"Name": {"taxonomy": {"Any": ["Nobody"]}}}, {"qid": ["Name"], "k": 2})
    result = run("mask", tmp_path / "d.csv", "-p", asked, "-o", tmp_path / "out.csv")
    assert "holds 31 values that its taxonomy does not have: `n/a` and 30 more." in result.err


# A sensitive column in another requirement's QID.


@pytest.mark.slow
@pytest.mark.parametrize("options", [[], ["--json"]])
def test_a_group_does_not_show_a_value_of_a_sensitive_column(tmp_path: Path, run: Run, options: list[str]) -> None:
    # The worst group has Gout, which the policy does not name, or Flu, which it does.
    rows = [("", "30", "Gout", "x")] * 5 + [("", "30", "HIV", "x"), ("", "30", "HIV", "y")] * 20
    (tmp_path / "d.csv").write_text(csv_text(HEADER, rows), encoding="utf-8")
    on_c = {"qid": ["Age", "Ill"], "sensitive": {"C": ["x"]}, "confidence": 0.9}
    asked = policy(tmp_path / "p.yaml", {}, on_c, {**TEMPLATE, "sensitive": {"Ill": ["HIV"]}})
    text = asked.read_text().replace('"class": "C", ', "")
    asked.write_text(text)
    result = run("audit", tmp_path / "d.csv", "-p", asked, *options)
    assert result.code == 1
    assert "Gout" not in result.out + result.err
    assert "…" in result.out
    asked.write_text(text.replace("HIV", "Gout"))
    result = run("audit", tmp_path / "d.csv", "-p", asked, *options)
    assert "Gout" in result.out


# A csv without a header.


@pytest.mark.parametrize("command", ["mask", "audit"])
@pytest.mark.parametrize(
    ("first", "says"),
    [
        (("Pat 1", "33", "Ill HIV", "Age"), "which has 4 columns. Is its first line a header?"),
        (("Pat 1", "F", "Ill HIV", "yes"), "which has 4 columns. Is its first line a header?"),
        (("Pat 1", "33", "HIV", "HIV"), "the same name in columns 3 and 4."),
    ],
)
def test_the_cells_of_a_first_record_are_not_told(
    tmp_path: Path, run: Run, command: str, first: tuple[str, ...], says: str
) -> None:
    (tmp_path / "d.csv").write_text(csv_text(first, [("Pat 2", "34", "Flu", "x")]), encoding="utf-8")
    asked = policy(tmp_path / "p.yaml", {"Age": "interval"}, {"qid": ["Age"], "k": 2}, TEMPLATE)
    output = ["-o", tmp_path / "out.csv"] if command == "mask" else []
    result = run(command, tmp_path / "d.csv", "-p", asked, *output)
    assert result.code == 2
    assert says in result.err
    assert not [cell for cell in ("Pat", "33", "HIV", "yes") if cell in result.err]


def test_other_case_of_a_name_is_suggested_also_where_most_are_missing(tmp_path: Path, run: Run) -> None:
    asked = policy(tmp_path / "p.yaml", {}, {"qid": ["age", "sex"], "k": 2})
    result = run("mask", sick(tmp_path / "d.csv"), "-p", asked, "-o", tmp_path / "out.csv")
    assert "Column `age` is in the policy but not in the table, which has 4 columns. Did you mean `Age`?" in result.err


def test_a_data_frame_has_no_first_line() -> None:
    with pytest.raises(maskwise.PolicyError) as caught:
        maskwise.anonymize(pa.table({"Age": [1, 2]}), {"requirements": [{"qid": ["Aeg", "Sexx"], "k": 2}]})
    assert "The table has: `Age`." in str(caught.value)
    assert "first line" not in str(caught.value)


def test_a_test_file_without_a_header_is_not_quoted(tmp_path: Path, run: Run) -> None:
    asked = policy(tmp_path / "p.yaml", {}, {"qid": ["Age"], "k": 2})
    (tmp_path / "t.csv").write_text("Name Smith,33,HIV,x\nName Roe,34,Flu,y\n", encoding="utf-8")
    result = run("evaluate", sick(tmp_path / "d.csv"), "-p", asked, "--test", tmp_path / "t.csv")
    assert result.code == 2
    assert "Is its first line a header?" in result.err
    assert "Smith" not in result.err
