"""Data frames of other libraries, also queries of Polars that have not run."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

import maskwise

PEOPLE = pl.DataFrame(
    {"age": [20 + i % 9 for i in range(40)], "sex": ["F", "M"] * 20, "note": [f"n{i % 3}" for i in range(40)]}
)
POLICY: dict[str, Any] = {"requirements": [{"qid": ["age", "sex"], "k": 5}]}


@pytest.fixture
def lazy(tmp_path: Path) -> pl.LazyFrame:
    """A query on a file."""
    PEOPLE.write_parquet(tmp_path / "people.parquet")
    return pl.scan_parquet(tmp_path / "people.parquet").filter(pl.col("age") < 27)


@pytest.mark.slow
def test_a_lazy_frame_is_masked_into_a_lazy_frame(lazy: pl.LazyFrame) -> None:
    outcome = maskwise.anonymize(lazy, POLICY, keep_order=True)
    assert isinstance(outcome.data, pl.LazyFrame)
    assert outcome.data.collect().equals(maskwise.anonymize(lazy.collect(), POLICY, keep_order=True).data)


@pytest.mark.slow
def test_a_lazy_frame_is_audited_and_masked_by_a_solution(lazy: pl.LazyFrame, tmp_path: Path) -> None:
    assert maskwise.audit(lazy, POLICY) == maskwise.audit(lazy.collect(), POLICY)
    solution = maskwise.anonymize(PEOPLE, POLICY, keep_order=True).solution
    applied = maskwise.apply(lazy, solution, keep_order=True).data
    assert isinstance(applied, pl.LazyFrame)
    assert applied.collect().equals(maskwise.apply(lazy.collect(), solution, keep_order=True).data)
    maskwise.apply(lazy, solution, tmp_path / "out.csv", keep_order=True)
    assert (tmp_path / "out.csv").read_text().count("\n") == 1 + len(lazy.collect())


@pytest.mark.slow
@pytest.mark.parametrize("encode", ["label", "ordinal"])
def test_a_masker_gives_a_lazy_frame_for_one(lazy: pl.LazyFrame, encode: str) -> None:
    y = np.arange(len(lazy.collect())) % 2
    masker = maskwise.Masker(POLICY, encode=encode).fit(lazy, y)
    shown = masker.transform(lazy)
    assert isinstance(shown, pl.LazyFrame)
    assert shown.collect().equals(masker.transform(lazy.collect()))


def test_blanked_cells_of_a_lazy_frame_are_missing(lazy: pl.LazyFrame) -> None:
    data = maskwise.anonymize(lazy, {**POLICY, "na_values": ["n1"]}, keep_order=True).data.collect()
    notes = lazy.collect()["note"].to_list()
    assert data["note"].to_list() == [None if note == "n1" else note for note in notes]


def test_what_is_no_table_is_named() -> None:
    with pytest.raises(maskwise.InputError, match="found dict"):
        maskwise.anonymize({"age": [1]}, POLICY, keep_order=True)
