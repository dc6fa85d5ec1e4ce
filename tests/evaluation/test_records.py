"""The result of an evaluation as csv, JSON, data frame and file."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import maskwise
from maskwise.evaluation.records import KEYS, Evaluation, Record, check_suffix, wilson

BASELINE = Record("c4.5", "held-out", None, "BE", 12.5, 10.0, 15.0)
MASKED = Record("c4.5", "held-out", 10, "AE", 20.0, 17.0, 23.0)
INFEASIBLE = Record("c4.5", "held-out", 900, "AE", None, None, None, note="k=900 cannot be met, sorry")
TEMPLATE = Record("c4.5", "held-out", None, "SE", 20.0, 17.0, 23.0, h=0.5)


def evaluation(*records: Record, backend: str = "pyarrow") -> Evaluation:
    return Evaluation(records, "Risk", "people", 100, backend=backend)


def test_columns_for_h_and_notes_are_there_only_if_needed() -> None:
    assert evaluation(BASELINE, MASKED).keys == KEYS
    assert evaluation(BASELINE, INFEASIBLE).keys == (*KEYS, "note")
    assert evaluation(BASELINE, TEMPLATE).keys == (*KEYS, "h")
    first, second = evaluation(MASKED, INFEASIBLE).to_data()
    assert "note" not in first
    assert second["note"] == INFEASIBLE.note


def test_csv_and_json_hold_the_same_values() -> None:
    result = evaluation(BASELINE, MASKED, INFEASIBLE)
    rows = list(csv.DictReader(io.StringIO(result.to_csv())))
    data = json.loads(result.to_json())
    assert [row["error"] for row in rows] == ["12.5", "20.0", ""]
    assert [row["error"] for row in data] == [12.5, 20.0, None]
    assert [row["k"] for row in rows] == ["", "10", "900"]
    assert rows[2]["note"] == data[2]["note"] == INFEASIBLE.note


@pytest.mark.parametrize(
    ("backend", "kind"), [("pandas", pd.DataFrame), ("polars", pl.DataFrame), ("pyarrow", pa.Table)]
)
def test_a_frame_is_of_the_kind_of_the_data(backend: str, kind: type) -> None:
    frame = evaluation(BASELINE, MASKED, backend=backend).to_frame()
    assert isinstance(frame, kind)
    table = frame if backend == "pyarrow" else pa.table(frame)
    assert table["error"].to_pylist() == [12.5, 20.0]
    assert table["measure"].to_pylist() == ["BE", "AE"]


def test_a_file_has_the_format_of_its_suffix() -> None:
    result = evaluation(BASELINE, MASKED)
    assert result.render(Path("e.csv")) == result.to_csv()
    assert result.render(Path("e.json")) == result.to_json()
    assert b"<svg" in result.render(Path("e.svg"))
    with pytest.raises(maskwise.InputError, match=r"found `e\.pdf`"):
        check_suffix(Path("e.pdf"))


def test_the_interval_has_the_ends_at_which_the_score_test_is_on_the_edge() -> None:
    """Wilson's ends p solve |share - p| = z * sqrt(p (1 - p) / n)."""
    deviate = 1.959963984540054
    for n in (1, 7, 100):
        for n_wrong in range(n + 1):
            for end in wilson(n_wrong, n):
                assert abs(n_wrong / n - end) == pytest.approx(deviate * np.sqrt(end * (1 - end) / n), abs=1e-9)
