"""Intervals written as numbers, where persons are counted: a csv spells a number as text."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pytest

import maskwise


@pytest.mark.slow
@pytest.mark.parametrize("numbers", ["midpoint", "mean"])
@pytest.mark.parametrize("suffix", [".csv", ".parquet"])
def test_whole_midpoints_are_the_same_groups_in_every_file(tmp_path: Path, suffix: str, numbers: str) -> None:
    table = pa.table({"who": ["a", "b", "c", "d"] * 2, "age": [1, 1, 1, 1, 9, 9, 9, 9]})
    policy = {
        "person": "who",
        "attributes": {"age": {"interval": [0, 10]}},
        "requirements": [{"qid": ["age"], "k": 2}],
    }
    path = tmp_path / f"out{suffix}"
    assert maskwise.anonymize(table, policy, path, numbers=numbers).verdict.is_met
