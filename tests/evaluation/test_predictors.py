"""Which columns are numbers, categories and ordered categories, before and after masking."""

from __future__ import annotations

import datetime as dt

import numpy as np
import pyarrow as pa
import pytest

import maskwise
from maskwise.evaluation.predictors import (
    PredictorType,
    drop_predictors,
    interval_order,
    masked_predictors,
    other_tool_predictors,
    raw_predictors,
)
from maskwise.formats.policy_file import read_policy

POLICY = read_policy(
    {
        "class": "C",
        "attributes": {"Level": {"taxonomy": {"Any": ["1", "2", "3"]}}, "Age": "interval"},
        "requirements": [{"qid": ["Age", "Level"], "k": 2}],
    }
)


def test_raw_columns_are_numbers_or_categories() -> None:
    table = pa.table(
        {
            "Age": ["9", "10", None],
            "Level": [1, 2, 3],
            "Zip": ["02134", "10001", "10002"],
            "Pay": [1.5, float("nan"), float("inf")],
            "Born": [dt.date(1990, 1, 1), dt.date(1991, 1, 1), None],
            "Name": ["x", "y", "x"],
            "Is": [True, False, True],
            "Empty": pa.nulls(3, pa.string()),
            "C": ["a", "b", "a"],
        }
    )
    by_name = {predictor.name: predictor for predictor in raw_predictors(table, POLICY)}
    assert "C" not in by_name
    assert [name for name, predictor in by_name.items() if predictor.type is PredictorType.NUMBER] == [
        "Age",
        "Pay",
        "Born",
    ]
    assert by_name["Age"].values.tolist()[:2] == [9, 10]
    assert np.isnan(by_name["Age"].values[2])
    assert np.isnan(by_name["Pay"].values[1:]).all()
    assert by_name["Level"].labels == ("1", "2", "3")
    assert np.isnan(by_name["Empty"].values).all()
    with pytest.raises(maskwise.InputError, match=r"`Nest` holds list.*Drop it"):
        raw_predictors(pa.table({"Nest": [[1], [2]], "C": ["a", "b"]}), POLICY)


def test_masked_intervals_keep_their_order_and_other_labels_have_none() -> None:
    raw = raw_predictors(
        pa.table({"Age": [9, 10, 50], "Level": ["1", "2", "3"], "Pay": [1, 2, 3], "C": list("aba")}), POLICY
    )
    shown = pa.table({"Age": ["[9, 10)", "[10, 50]", "[0, 99]"], "Level": ["Any", "Any", "3"], "C": list("aba")})
    age, level = masked_predictors(raw, shown, {"Age": ("[9, 10)", "[10, 50]"), "Level": None})
    assert (age.type, level.type) == (PredictorType.ORDERED, PredictorType.CATEGORY)
    assert age.values.tolist()[:2] == [0, 1]
    assert np.isnan(age.values[2])
    assert level.labels == ("3", "Any")
    theirs, _ = other_tool_predictors(raw, shown, POLICY)
    assert (theirs.type, theirs.labels) == (PredictorType.ORDERED, ("[0, 99]", "[9, 10)", "[10, 50]"))
    (hidden,) = other_tool_predictors(raw, pa.table({"Age": ["*", "[9, 10)", "[10, 50]"]}), POLICY)
    assert hidden.type is PredictorType.CATEGORY


@pytest.mark.parametrize(
    ("labels", "order"),
    [
        (["[10, 20)", "[9, 10)"], ["[9, 10)", "[10, 20)"]),
        (["[10, 20[", "[9, 10["], ["[9, 10[", "[10, 20["]),
        (["100-199", "20-99", "-5-19"], ["-5-19", "20-99", "100-199"]),
        (["10", "9.5"], ["9.5", "10"]),
        (
            ["[2001-01-01, 2002-01-01]", "[1999-12-31, 2001-01-01)"],
            ["[1999-12-31, 2001-01-01)", "[2001-01-01, 2002-01-01]"],
        ),
        (["low", "high"], None),
        (["[1, 2)", "*"], None),
    ],
)
def test_the_order_of_other_tools_labels(labels: list[str], order: list[str] | None) -> None:
    assert interval_order(labels) == (None if order is None else tuple(order))


def test_masked_predictors_of_some_records_keep_the_raw_values_of_these_records() -> None:
    raw = raw_predictors(pa.table({"Age": [9, 10, 50], "Pay": [1, 2, 3], "C": list("aba")}), POLICY)
    shown = pa.table({"Age": ["[0, 99]", "[0, 99]"], "Pay": [3, 1]})
    age, pay = masked_predictors(raw, shown, {"Age": ("[0, 99]",)}, np.array([2, 0]))
    assert pay.values.tolist() == [3, 1]
    assert age.values.tolist() == [0, 0]


def test_predictors_are_dropped_by_name() -> None:
    raw = raw_predictors(pa.table({"Age": [9, 10], "Pay": [1, 2], "C": list("ab")}), POLICY)
    assert [predictor.name for predictor in drop_predictors(raw, ["Pay", "Zip"])] == ["Age"]
