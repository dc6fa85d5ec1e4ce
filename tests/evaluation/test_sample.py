"""The records of an evaluation: read, checked, and joined with a test file."""

from __future__ import annotations

from typing import Any

import pandas as pd
import pyarrow as pa
import pytest

import maskwise
from maskwise.evaluation.sample import fetch, read_sample
from maskwise.formats.policy_file import read_policy
from maskwise.policy.policy import Policy
from maskwise.table.read import read

TRAIN = {
    "Name": ["p", "q", "r", "s"],
    "Age": [30, None, 40, 50],
    "Job": ["a", "b", None, "a"],
    "Risk": ["lo", "hi", "lo", "hi"],
}
TEST = {"Job": ["a", "c"], "Risk": ["hi", "lo"], "Age": [20, 60], "Extra": [1, 2]}


def policy(**more: Any) -> Policy:
    attributes = {"Age": "interval", "Job": "suppress"}
    asked = {
        "class": "Risk",
        "attributes": attributes,
        "requirements": [{"qid": ["Age", "Job"], "k": 1}],
        "drop": ["Name"],
    }
    return read_policy(asked | more)


def test_the_classes_are_numbered_by_name_and_dropped_columns_are_gone() -> None:
    sample = read_sample(pa.table(TRAIN), policy())
    assert sample.class_texts == ("hi", "lo")
    assert sample.classes.tolist() == [sorted({"lo", "hi"}).index(label) for label in TRAIN["Risk"]]
    assert sample.table.column_names == ["Age", "Job", "Risk"]
    assert [predictor.name for predictor in sample.predictors] == ["Age", "Job"]
    assert (sample.n_test, sample.n_read, sample.rows_used.tolist()) == (None, 4, [0, 1, 2, 3])
    assert sample.policy.drop == ()


def test_test_records_come_last_in_the_columns_of_the_data() -> None:
    sample = read_sample(pa.table(TRAIN), policy(), pa.table(TEST))
    expected = pd.concat([pd.DataFrame(TRAIN), pd.DataFrame(TEST)])[["Age", "Job", "Risk"]]
    assert sample.table.to_pandas()["Age"].fillna(-1).tolist() == expected["Age"].fillna(-1).tolist()
    assert sample.table["Job"].to_pylist() == [*TRAIN["Job"], *TEST["Job"]]
    assert sample.n_test == 2
    assert sample.notes[0].startswith("`Extra` of the test file left out")
    assert "`Job` has a category that no training record has in 1 test record" in sample.notes[1]


def test_incomplete_records_are_left_out_if_the_policy_drops_them() -> None:
    sample = read_sample(pa.table(TRAIN), policy(missing="drop"), pa.table(TEST))
    complete = [i for i, row in enumerate(zip(TRAIN["Age"], TRAIN["Job"], strict=True)) if None not in row]
    assert sample.rows_used.tolist() == [*complete, 4, 5]
    assert (sample.n_read, sample.n_test, sample.table.num_rows) == (6, 2, 4)
    assert "2 records left out" in sample.notes[1]


def test_a_float_that_is_not_a_number_is_missing() -> None:
    table = pa.table({"Age": [1.5, float("nan"), 2.5, 3.5], "Job": list("abab"), "Risk": ["lo", "hi", "lo", "hi"]})
    assert read_sample(table, policy(drop=[], missing="drop")).rows_used.tolist() == [0, 2, 3]


def test_records_are_fetched_in_their_order() -> None:
    numbers = list(range(5000))
    assert fetch(read(pa.table({"x": numbers, "y": numbers[::-1]})))["x"].to_pylist() == numbers


@pytest.mark.parametrize(
    ("train", "test", "says"),
    [
        ({**TRAIN, "Risk": ["lo"] * 4}, None, "same value in every record"),
        ({**TRAIN, "Risk": ["lo", None, "lo", "hi"]}, None, "missing in 1 of 4 records"),
        (TRAIN, {**TEST, "Risk": ["hi", "high"]}, "of 1 record of the test file is a value that no training"),
        (TRAIN, {"Job": ["a"], "Risk": ["hi"], "age": [3]}, "lacks `Age`.*Did you mean `age`"),
        (TRAIN, {"30": ["a"], "hi": ["hi"]}, "Is its first line a header"),
        (TRAIN, {**TEST, "Age": ["young", "old"]}, "holds int64 cells.*string cells in the test file"),
        (
            TRAIN,
            {"Job": pa.array([], pa.string()), "Risk": pa.array([], pa.string()), "Age": pa.array([], pa.int64())},
            "at least one record each",
        ),
    ],
)
def test_records_that_cannot_be_evaluated_are_refused(
    train: dict[str, Any], test: dict[str, Any] | None, says: str
) -> None:
    with pytest.raises(maskwise.InputError, match=says):
        read_sample(pa.table(train), policy(), None if test is None else pa.table(test))


def test_a_policy_without_a_class_is_refused() -> None:
    asked = policy()
    with pytest.raises(maskwise.InputError, match="names no class"):
        read_sample(pa.table(TRAIN), Policy(asked.requirements, asked.attributes))
