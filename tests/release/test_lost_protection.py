"""Ways to lose data or protection that a hostile reader found, each closed."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import maskwise
from maskwise.cli.app import main

K2 = {"class": "cls", "requirements": [{"qid": ["age"], "k": 2}]}


@pytest.fixture
def policy(tmp_path: Path) -> Path:
    path = tmp_path / "p.yaml"
    path.write_text("class: cls\nrequirements: [{qid: [age], k: 2}]\n")
    return path


def people_csv(path: Path) -> Path:
    path.parent.mkdir(exist_ok=True)
    path.write_text("age,cls\n" + "30,y\n50,n\n" * 10)
    return path


def test_texts_that_a_collation_merges_are_told_apart(tmp_path: Path) -> None:
    address = f"duckdb:///{tmp_path}/c.db"
    con = duckdb.connect(str(tmp_path / "c.db"))
    con.execute("CREATE TABLE people(age INT, ill VARCHAR COLLATE nocase, cls VARCHAR)")
    con.execute("INSERT INTO people VALUES (30, 'hiv', 'y'), (30, 'Flu', 'y'), (50, 'HIV', 'n'), (50, 'HIV', 'n')")
    con.close()
    asked = {"class": "cls", "requirements": [{"qid": ["age"], "sensitive": {"ill": ["HIV"]}, "confidence": 0.6}]}
    assert not maskwise.audit("people", asked, engine=address).is_met
    maskwise.anonymize("people", asked, "rel", engine=address)
    con = duckdb.connect(str(tmp_path / "c.db"))
    assert con.execute("SELECT DISTINCT age FROM rel").fetchall() == [("[30, 50]",)]
    assert sorted(con.execute("SELECT ill FROM rel").fetchall()) == [("Flu",), ("HIV",), ("HIV",), ("hiv",)]


@pytest.mark.slow
def test_a_protected_number_is_found_in_narrow_floats(tmp_path: Path) -> None:
    ill = np.array([0.2] * 10 + [0.1] * 10, "float32")
    frame = pd.DataFrame({"age": [30] * 10 + [50] * 10, "ill": ill, "cls": ["y"] * 10 + ["n"] * 10})
    asked = {"class": "cls", "requirements": [{"qid": ["age"], "sensitive": {"ill": ["0.1"]}, "confidence": 0.6}]}
    assert set(maskwise.anonymize(frame, asked).data["age"]) == {"[30, 50]"}
    frame.to_parquet(tmp_path / "people.parquet")
    assert not maskwise.audit(tmp_path / "people.parquet", asked).is_met
    for target in ("out.csv", "out.parquet"):
        assert maskwise.anonymize(tmp_path / "people.parquet", asked, tmp_path / target).verdict.is_met


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["pandas", "polars", "arrow"])
def test_categories_of_dropped_records_are_forgotten(kind: str) -> None:
    cells: dict[str, Any] = {"age": [1, 1, 1, None], "ill": ["a", "b", "a", "SECRET"], "cls": ["y", "n", "y", "n"]}
    frame: Any
    match kind:
        case "pandas":
            frame = pd.DataFrame(cells).astype({"ill": "category"})
        case "polars":
            frame = pl.DataFrame(cells).with_columns(pl.col("ill").cast(pl.Enum(["a", "b", "SECRET"])))
        case _:
            frame = pa.table(cells)
            frame = frame.set_column(1, "ill", frame["ill"].dictionary_encode())
    data = maskwise.anonymize(frame, {**K2, "missing": "drop"}, keep_order=True).data
    match kind:
        case "pandas":
            assert list(data["ill"].cat.categories) == ["a", "b"]
        case "polars":
            assert data["ill"].to_list() == ["a", "b", "a"]
            assert data.schema["ill"] == pl.String
        case _:
            assert data["ill"].combine_chunks().dictionary.to_pylist() == ["a", "b"]


def test_the_database_that_is_read_is_not_overwritten(tmp_path: Path, policy: Path) -> None:
    file = tmp_path / "p.db"
    con = duckdb.connect(str(file))
    con.execute(
        "CREATE TABLE people AS SELECT 30 + 20 * (i % 2) AS age, chr(121 - i::INT % 2) AS cls FROM range(20) t(i)"
    )
    con.close()
    before = file.read_bytes()
    engine = ["--engine", f"duckdb:///{file}"]
    run = ["mask", "people", "-p", str(policy), *engine]
    assert main([*run, "-o", str(tmp_path / "r.csv"), "--solution", str(file)]) == 2
    assert main([*run, "-o", "MAIN.people"]) == 2
    assert main([*run, "-o", "People"]) == 2
    assert file.read_bytes() == before


def test_one_of_many_sources_is_not_overwritten(tmp_path: Path, policy: Path) -> None:
    first, second = people_csv(tmp_path / "in" / "a.csv"), people_csv(tmp_path / "in" / "b.csv")
    before = first.read_text()
    pattern = str(tmp_path / "in" / "*.csv")
    assert main(["mask", pattern, "-p", str(policy), "-o", str(first)]) == 2
    out = str(tmp_path / "out.csv")
    assert main(["mask", pattern, "-p", str(policy), "-o", out, "--curve", str(second)]) == 2
    solution = str(tmp_path / "s.json")
    assert main(["mask", pattern, "-p", str(policy), "-o", out, "--solution", solution, "-q"]) == 0
    assert main(["apply", pattern, "-s", solution, "-o", str(second)]) == 2
    assert first.read_text() == second.read_text() == before


def test_later_rows_do_not_confirm_what_masking_hides() -> None:
    tree = {"Any": {"Bad": ["HIV", "AIDS"], "Mild": ["Flu", "Cold"]}}
    asked = {
        "class": "cls",
        "attributes": {"ill": {"taxonomy": tree}},
        "requirements": [
            {"qid": ["age"], "sensitive": {"ill": ["HIV"]}, "confidence": 0.6},
            {"qid": ["ill"], "k": 5},
        ],
    }
    rows = {"age": [30, 50] * 20, "ill": ["HIV", "AIDS", "Flu", "Cold"] * 10, "cls": ["y", "n"] * 20}
    solution = maskwise.anonymize(pa.table(rows), asked).solution
    later = pa.table({"age": [30] * 6, "ill": ["HIV"] * 6, "cls": ["y"] * 6})
    applied = maskwise.apply(later, solution)
    assert [one.asks() for one in applied.unchecked] == ["confidence 0.6 for ill on {age}"]
    with pytest.raises(maskwise.NotMetError, match="cannot be recounted"):
        maskwise.apply(later, solution, enforce=True)


def test_an_audit_does_not_point_at_one_person(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "t.csv").write_text("age,ill\n77,HIV\n30,Flu\n30,Flu\n")
    (tmp_path / "p.yaml").write_text("requirements: [{qid: [age], sensitive: {ill: [HIV]}, confidence: 0.6}]\n")
    assert main(["audit", str(tmp_path / "t.csv"), "-p", str(tmp_path / "p.yaml")]) == 1
    said = capsys.readouterr().out.replace(str(tmp_path), "")
    assert "77" not in said
    assert "in a group of one" in said


def test_a_repeated_protected_value_is_not_quoted(tmp_path: Path) -> None:
    path = tmp_path / "p.yaml"
    path.write_text("requirements:\n- {qid: [age], sensitive: {ill: {SECRET: 0.2, SECRET: 0.3}}}\n")
    with pytest.raises(maskwise.PolicyError) as caught:
        maskwise.read_policy(path)
    assert "stands twice" in str(caught.value)
    assert "SECRET" not in str(caught.value)


def test_whole_numbers_beyond_64_bits_in_a_data_frame_are_told() -> None:
    frame = pd.DataFrame({"age": ["1", "2"] * 30, "account": [10**21 + i for i in range(60)]})
    with pytest.raises(maskwise.InputError, match="`account` of the data frame holds whole numbers beyond 64 bits"):
        maskwise.anonymize(frame, {"requirements": [{"qid": ["age"], "k": 5}]})


def test_names_of_people_with_several_records_are_not_told() -> None:
    table = pa.table({"name": [f"Patient {i // 4}" for i in range(60)]})
    asked = {"attributes": {"name": {"taxonomy": {"Any": ["x", "y"]}}}, "requirements": [{"qid": ["name"], "k": 5}]}
    with pytest.raises(maskwise.InputError, match="15 values that its taxonomy does not have") as caught:
        maskwise.anonymize(table, asked)
    assert "Patient" not in str(caught.value)


@pytest.mark.parametrize("which", ["input", "output", "folder"])
def test_names_too_long_for_a_file_system_are_told(tmp_path: Path, which: str) -> None:
    long = "x" * 300
    source = tmp_path / "people.csv"
    source.write_text("age\n" + "1\n2\n" * 30)
    given = str(tmp_path / f"{long}.csv") if which == "input" else str(source)
    target = str(tmp_path / long / "out.csv") if which == "folder" else f"{long}.csv"
    with pytest.raises(maskwise.MaskwiseError) as caught:
        maskwise.anonymize(given, {"requirements": [{"qid": ["age"], "k": 5}]}, target)
    assert len(str(caught.value)) < 600
