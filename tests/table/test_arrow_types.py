"""Types of Arrow that engines or Arrow itself cannot work with are read all the same, or refused by name."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import maskwise
from maskwise.table.arrow_types import with_known_types, with_rows

POLICY = {"requirements": [{"qid": ["Age"], "k": 2}]}
N = 8


def released(cells: Any) -> list[Any]:
    table = pa.table({"Age": [1] * N, "Cell": cells})
    return maskwise.anonymize(table, POLICY, keep_order=True).data.column("Cell").to_pylist()


@pytest.mark.slow
@pytest.mark.parametrize(
    "cells",
    [
        pa.array(np.arange(N, dtype=np.float16)),
        pa.array(["a", "b"] * (N // 2), pa.string_view()),
        pa.array([b"a", b"b"] * (N // 2), pa.binary_view()),
        pa.RunEndEncodedArray.from_arrays([5, N], ["a", "b"]),
        pa.array([Decimal("1.5"), None] * (N // 2), pa.decimal256(38, 2)),
        pa.array(["a", None] * (N // 2)).dictionary_encode(),
        pa.nulls(N),
    ],
    ids=lambda cells: str(cells.type),
)
def test_cells_of_unusual_types_pass_through(cells: pa.Array) -> None:
    assert released(cells) == cells.to_pylist()


def test_short_floats_of_pandas_are_masked() -> None:
    frame = pd.DataFrame({"Age": np.array([1.5, 1.5, 2.5, 2.5], np.float16)})
    assert maskwise.anonymize(frame, POLICY).verdict.is_met


def test_decimals_of_too_many_digits_are_refused_by_name() -> None:
    with pytest.raises(maskwise.InputError, match=r"`Cell` holds decimals of 60 digits"):
        released(pa.array([10**50] * N, pa.decimal256(60, 0)))


def test_chunks_and_missing_runs_are_unpacked() -> None:
    runs = pa.RunEndEncodedArray.from_arrays(pa.array([2, 3], pa.int32()), pa.array(["x", None]))
    table = pa.table({"r": pa.chunked_array([runs, runs.slice(1)])})
    assert with_rows(table).take([1, 2, 4]).column("r").to_pylist() == ["x", None, None]
    assert with_known_types(table).column("r").to_pylist() == ["x", "x", None, "x", None]


@pytest.mark.parametrize("name", ["a\0b", "\0"])
@pytest.mark.parametrize("kind", [pl.DataFrame, pd.DataFrame, pa.table])
def test_a_name_that_no_file_can_hold_is_refused(kind: Any, name: str) -> None:
    with pytest.raises(maskwise.InputError, match=r"in the name of column 2 that no file can hold"):
        maskwise.anonymize(kind({"Age": [1, 1], name: [1, 2]}), POLICY)
