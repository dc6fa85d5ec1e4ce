"""Codes that look like numbers are values of their own, in the search and in the recount."""

from __future__ import annotations

from decimal import Decimal
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import maskwise


def asked(**more: Any) -> dict[str, Any]:
    return {"attributes": {"A": "suppress"}, "requirements": [{"qid": ["A"], "sensitive": "S", **more}]}


@pytest.mark.slow
@pytest.mark.parametrize(
    ("one", "other"), [("250", "250.0"), ("1e3", "1000"), ("250.1", "250.10"), ("01", "1"), ("2e0", "2")]
)
def test_a_group_of_one_code_is_far_from_a_table_of_two(tmp_path: Path, one: str, other: str) -> None:
    table = pa.table({"A": ["a", "b"] * 20, "S": [one, other] * 20})
    (finding,) = maskwise.audit(table, asked(closeness=0.4)).findings
    assert (finding.figure, finding.is_met) == (0.5, False)
    path = tmp_path / "out.csv"
    outcome = maskwise.anonymize(table, asked(closeness=0.4), path)
    assert outcome.solution.cut("A").labels == ("*",)
    (finding,) = maskwise.audit(path, asked(diversity={"distinct": 2})).findings
    assert finding.figure == 2


@pytest.mark.slow
@pytest.mark.parametrize(
    "cells",
    [
        pa.array([2**53, 2**53 + 1] * 20),
        pa.array([0.0, -0.0, 1.5, 1e300] * 10),
        pa.array([Decimal("1.50"), Decimal("2.00")] * 20, pa.decimal128(10, 2)),
        pa.array([1e20, 1.0] * 20),
    ],
    ids=lambda cells: str(cells.type),
)
@pytest.mark.parametrize("suffix", [".csv", ".parquet"])
def test_typed_numbers_are_counted_alike_in_every_file(tmp_path: Path, cells: pa.Array, suffix: str) -> None:
    table = pa.table({"A": [i // 4 % 2 for i in range(40)], "S": cells})
    outcome = maskwise.anonymize(table, asked(closeness=0.5), tmp_path / f"out{suffix}")
    assert outcome.verdict.is_met


@pytest.mark.parametrize(
    ("value", "cells"), [("1.5", ["1.50", "2.00"]), ("1", ["1.0", "1", "x"]), ("1", ["1.0", "2.5"])]
)
def test_a_protected_value_is_found_however_it_is_written(value: str, cells: list[str]) -> None:
    table = pa.table({"A": ["a"] * 12, "S": cells * (12 // len(cells))})
    policy = {"requirements": [{"qid": ["A"], "sensitive": {"S": [value]}, "confidence": 0.9}]}
    (finding,) = maskwise.audit(table, policy).findings
    assert finding.figure == sum(cell.rstrip("0").rstrip(".") == value for cell in cells) / len(cells)


def test_decimals_that_are_protected_are_found_in_a_csv_too(tmp_path: Path) -> None:
    table = pa.table({"A": ["a"] * 8, "S": pa.array([Decimal("1.50"), Decimal("2.00")] * 4, pa.decimal128(10, 2))})
    pq.write_table(table, tmp_path / "in.parquet")
    policy = {"requirements": [{"qid": ["A"], "sensitive": {"S": ["1.5"]}, "confidence": 0.9}]}
    outcome = maskwise.anonymize(tmp_path / "in.parquet", policy, tmp_path / "out.csv")
    assert outcome.verdict.findings[0].figure == 0.5
    assert not outcome.verdict.messages


@pytest.mark.parametrize(
    "cells",
    [
        pa.array([2**63, 2**63 + 1] * 20, pa.uint64()),
        pa.array([Decimal(10**20), Decimal(10**20 + 1)] * 20, pa.decimal128(38, 0)),
    ],
    ids=["uint64", "decimal"],
)
def test_numbers_that_floats_cannot_tell_apart_are_refused_rather_than_merged(cells: pa.Array) -> None:
    table = pa.table({"A": ["a", "b"] * 20, "S": cells})
    for call in (maskwise.audit, maskwise.anonymize):
        with pytest.raises(maskwise.InputError, match=r"`S` differ beyond 15 digits only\. Make them text"):
            call(table, asked(closeness=0.4))  # type: ignore[operator]
