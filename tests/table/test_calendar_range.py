"""Dates that have no spelling are refused with a sentence; Python cannot hold them."""

from __future__ import annotations

from pathlib import Path

import duckdb
import pyarrow as pa
import pytest

import maskwise

CELLS = {
    "before Christ": "DATE '0044-03-15 (BC)'",
    "infinite": "'infinity'::DATE",
    "far away": "DATE '12044-03-15'",
    "infinite time": "'-infinity'::TIMESTAMP",
    "infinite time in a zone": "'infinity'::TIMESTAMPTZ",
}
POLICIES = {
    "qid": {"requirements": [{"qid": ["D", "A"], "k": 2}]},
    "suppressed": {"attributes": {"D": "suppress"}, "requirements": [{"qid": ["D"], "k": 2}]},
    "class": {"class": "D", "requirements": [{"qid": ["A"], "k": 2}]},
}


def people(tmp_path: Path, cell: str) -> Path:
    path = tmp_path / "people.parquet"
    usual = f"(TIMESTAMP '2020-01-01' + i * INTERVAL 1 DAY)::{cell.rpartition('::')[2] if '::' in cell else 'DATE'}"
    query = f"SELECT CASE WHEN i % 5 = 0 THEN {cell} ELSE {usual} END AS D, i % 3 AS A FROM range(30) r(i)"  # noqa: S608
    duckdb.sql(f"COPY ({query}) TO '{path}' (FORMAT parquet)")
    return path


@pytest.mark.slow
@pytest.mark.parametrize("asked", list(POLICIES))
@pytest.mark.parametrize("cell", list(CELLS))
def test_a_date_without_a_spelling_is_refused_where_it_counts(tmp_path: Path, cell: str, asked: str) -> None:
    path = people(tmp_path, CELLS[cell])
    with pytest.raises(maskwise.InputError, match=r"`D` has dates before the year 1 or after 9999"):
        maskwise.anonymize(path, POLICIES[asked], tmp_path / "out.csv")


def test_such_dates_pass_through_and_are_refused_by_an_audit(tmp_path: Path) -> None:
    path = people(tmp_path, CELLS["infinite"])
    maskwise.anonymize(path, {"requirements": [{"qid": ["A"], "k": 2}]}, tmp_path / "out.parquet")
    released = duckdb.read_parquet(str(tmp_path / "out.parquet")).filter("isinf(D)")
    assert len(released.fetchall()) == 6
    with pytest.raises(maskwise.InputError, match="infinite"):
        maskwise.audit(tmp_path / "out.parquet", POLICIES["qid"])


def test_the_first_and_the_last_day_are_dates() -> None:
    days = pa.array([-719162, 2932896] * 4, pa.int32()).cast(pa.date32())
    assert maskwise.anonymize(pa.table({"D": days, "A": [1] * 8}), POLICIES["qid"]).verdict.is_met
