"""Cells that stand for no value: `na_values` of a policy, compared with a table that was cleaned by hand."""

from __future__ import annotations

import json
from decimal import Decimal
from pathlib import Path
from typing import Any

import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.csv as arrow_csv
import pyarrow.parquet as pq
import pytest

import maskwise
from maskwise.formats import solution_file
from maskwise.table.read import read
from maskwise.values.reading import Reading

SPELLINGS = ["NA", "?", -99, 0.25]
N = 24
TYPES = {
    "age": pa.int32(),
    "job": pa.string(),
    "size": pa.float64(),
    "small": pa.float32(),
    "pay": pa.decimal128(8, 2),
    "note": pa.string(),
    "kind": pa.dictionary(pa.int32(), pa.string()),
    "risk": pa.string(),
}
RAW: dict[str, list[Any]] = {
    "age": [-99 if i % 6 == 1 else 20 + i % 7 for i in range(N)],
    "job": ["?" if i % 5 == 2 else "na" if i % 5 == 1 else "nurse" for i in range(N)],
    "size": [0.25 if i % 4 == 0 else -99.0 if i % 4 == 1 else i / 2 for i in range(N)],
    "small": [0.25 if i % 3 == 0 else 0.5 for i in range(N)],
    "pay": [Decimal("-99.00") if i % 8 == 0 else Decimal("0.25") if i % 8 == 1 else Decimal(i) for i in range(N)],
    "note": ["NA" if i % 2 else f"-99{'' if i % 4 else '.0'}" for i in range(N)],
    "kind": ["?" if i % 7 == 0 else "a" for i in range(N)],
    "risk": ["hi" if i % 3 else "NA" for i in range(N)],
}
GONE = {"NA", "?", "-99", "0.25", -99, 0.25}
CLEAN = {name: [None if cell in GONE else cell for cell in cells] for name, cells in RAW.items()}
POLICY: dict[str, Any] = {
    "class": "risk",
    "attributes": {"age": {"interval": [18, 60]}, "job": "suppress"},
    "requirements": [{"qid": ["age", "job"], "k": 2}],
}


def arrow(columns: dict[str, list[Any]]) -> pa.Table:
    return pa.table(
        {
            name: pa.array(cells, pa.string()).cast(TYPES[name]) if name == "kind" else pa.array(cells, TYPES[name])
            for name, cells in columns.items()
        }
    )


def plain(data: Any) -> dict[str, list[Any]]:
    """The cells of any table; a missing one is None."""
    if isinstance(data, pd.DataFrame):
        return {name: [None if pd.isna(cell) else cell for cell in data[name]] for name in data}
    table = data.to_arrow() if isinstance(data, pl.DataFrame) else data
    return {name: table[name].to_pylist() for name in table.column_names}


FRAMES = {"arrow": lambda table: table, "pandas": lambda table: table.to_pandas(), "polars": pl.from_arrow}


@pytest.mark.slow
@pytest.mark.parametrize("kind", FRAMES)
def test_a_frame_is_released_as_if_its_cells_had_been_missing(kind: str) -> None:
    expected = maskwise.anonymize(FRAMES[kind](arrow(CLEAN)), POLICY, keep_order=True)
    outcome = maskwise.anonymize(FRAMES[kind](arrow(RAW)), {**POLICY, "na_values": SPELLINGS}, keep_order=True)
    assert plain(outcome.data) == plain(expected.data)
    assert outcome.steps == expected.steps
    assert None in plain(outcome.data)["size"]
    assert plain(outcome.data)["note"] == ["-99.0" if i % 4 == 0 else None for i in range(N)]


@pytest.mark.slow
@pytest.mark.parametrize("kind", FRAMES)
def test_columns_without_such_cells_keep_their_types(kind: str) -> None:
    frame = FRAMES[kind](arrow({**RAW, "small": [0.5] * N, "kind": ["a"] * N}))
    data = maskwise.anonymize(frame, {**POLICY, "na_values": SPELLINGS}, keep_order=True).data
    kinds = {"pandas": "dtypes"}.get(kind, "schema")
    before, after = getattr(frame, kinds), getattr(data, kinds)
    for name in ("small", "kind", "pay"):
        is_same = (
            before[name] == after[name]
            if kind == "pandas"
            else before.field(name) == after.field(name)
            if kind == "arrow"
            else before[name] == after[name]
        )
        assert is_same, name


def test_a_category_that_stood_for_nothing_is_gone() -> None:
    data = maskwise.anonymize(arrow(RAW).to_pandas(), {**POLICY, "na_values": SPELLINGS}, keep_order=True).data
    assert list(data["kind"].cat.categories) == ["a"]


@pytest.mark.slow
@pytest.mark.parametrize("suffix", [".csv", ".parquet"])
def test_files_are_read_alike(tmp_path: Path, suffix: str) -> None:
    names = ["age", "job", "size", "note", "risk"]
    raw, clean = arrow(RAW).select(names), arrow(CLEAN).select(names)
    for table, name in ((raw, "raw"), (clean, "clean")):
        if suffix == ".csv":
            arrow_csv.write_csv(table, tmp_path / f"{name}.csv")
        else:
            pq.write_table(table, tmp_path / f"{name}.parquet")
    policy = {**POLICY, "na_values": SPELLINGS}
    maskwise.anonymize(tmp_path / f"raw{suffix}", policy, tmp_path / "a.csv", keep_order=True)
    maskwise.anonymize(tmp_path / f"clean{suffix}", POLICY, tmp_path / "b.csv", keep_order=True)
    assert (tmp_path / "a.csv").read_bytes() == (tmp_path / "b.csv").read_bytes()


@pytest.mark.slow
def test_cells_count_as_missing_for_missing_error_and_drop() -> None:
    with pytest.raises(maskwise.InputError, match="Column `age` has 4 missing cells"):
        maskwise.anonymize(arrow(RAW), {**POLICY, "na_values": SPELLINGS, "missing": "error"})
    n_dropped = sum(age is None or job is None for age, job in zip(CLEAN["age"], CLEAN["job"], strict=True))
    outcome = maskwise.anonymize(arrow(RAW), {**POLICY, "na_values": SPELLINGS, "missing": "drop"}, keep_order=True)
    assert outcome.n_dropped == n_dropped


@pytest.mark.slow
def test_a_solution_remembers_them_for_later_rows(tmp_path: Path) -> None:
    solution = maskwise.anonymize(arrow(RAW), {**POLICY, "na_values": SPELLINGS}).solution
    path = tmp_path / "solution.json"
    path.write_text(solution_file.dumps(solution))
    assert json.loads(path.read_text())["na_values"] == ["NA", "?", "-99", "0.25"]
    applied = maskwise.apply(arrow(RAW), path, keep_order=True)
    assert not applied.unknown
    assert not applied.outside
    assert plain(applied.data) == plain(maskwise.apply(arrow(CLEAN), path, keep_order=True).data)


def test_a_solution_without_them_is_written_as_before() -> None:
    text = solution_file.dumps(maskwise.anonymize(arrow(CLEAN), POLICY).solution)
    assert "na_values" not in text
    assert solution_file.loads(text).reading == Reading()


def test_an_audit_tells_them_apart_as_a_recipient_would() -> None:
    table = pa.table({"a": ["NA", "?", "x", "x"]})
    asked = {"requirements": [{"qid": ["a"], "k": 2}]}
    assert not maskwise.audit(table, asked).is_met
    assert not maskwise.audit(table, {**asked, "na_values": ["NA", "?"]}).is_met


@pytest.mark.slow
def test_evaluate_sees_no_such_cell() -> None:
    risk = ["hi", "lo"] * (5 * N)
    big = {name: cells * 10 for name, cells in RAW.items()} | {"risk": risk}
    clean = {name: cells * 10 for name, cells in CLEAN.items()} | {"risk": risk}
    names = ["age", "job", "size", "note", "risk"]
    policy = {**POLICY, "missing": "drop"}
    found = maskwise.evaluate(arrow(big).select(names), {**policy, "na_values": SPELLINGS}, classifiers=["naive-bayes"])
    assert found.records == maskwise.evaluate(arrow(clean).select(names), policy, classifiers=["naive-bayes"]).records


def test_a_masker_reads_later_rows_alike() -> None:
    policy = {**POLICY, "class": None, "na_values": SPELLINGS}
    raw, clean = (arrow(table).to_pandas()[["age", "job", "note"]] for table in (RAW, CLEAN))
    masker = maskwise.Masker(policy, encode="label").fit(raw)
    other = maskwise.Masker.from_json(masker.to_json())
    assert plain(other.transform(raw)) == plain(masker.transform(raw)) == plain(masker.transform(clean))


def test_whole_numbers_are_compared_exactly_and_numbers_of_no_size_with_nothing() -> None:
    large = 2**53 + 1
    table = pa.table({"a": [2**53, large, 7], "b": [7.0, float("inf"), 1.5], "c": [True, False, True]})
    reading = Reading(("9007199254740992", "inf", "nan", "7.0", "1", str(10**30)))
    opened = read(table, reading=reading)
    fetched = opened.engine.fetch(opened.expr)
    assert fetched["c0"].to_pylist() == [None, large, None]
    assert fetched["c1"].to_pylist() == [None, float("inf"), 1.5]
    assert fetched["c2"].to_pylist() == [True, False, True]


@pytest.mark.parametrize(("word", "says"), [("*", "hidden values"), ("b", "a value of the taxonomy of `job`")])
def test_a_word_that_a_release_shows_cannot_stand_for_nothing(word: str, says: str) -> None:
    policy = {"attributes": {"job": {"taxonomy": {"Any": ["a", "b"]}}}, "requirements": [{"qid": ["job"], "k": 2}]}
    with pytest.raises(maskwise.PolicyError, match=says):
        maskwise.read_policy({**policy, "na_values": [word]})
