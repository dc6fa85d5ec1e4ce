"""Tables of other tools and rivals beside maskwise: the same records, in the same order."""

from __future__ import annotations

from typing import Any

import pyarrow as pa
import pytest
from experiments.rivals import FullDomain, Mondrian

import maskwise
from maskwise.evaluation.comparisons import mask_by_other, read_other_tool
from maskwise.evaluation.predictors import PredictorType
from maskwise.evaluation.sample import Sample, read_sample
from maskwise.formats.policy_file import read_policy
from maskwise.policy.policy import Policy

RAW = {"Age": [31, 42, 53, None], "Job": ["a", "b", "a", "b"], "Pay": [1, 2, 3, 4], "Risk": ["lo", "hi", "hi", "lo"]}
MASKED = {"Age": ["30-49", "30-49", "50-59", "*"], "Pay": [1, 2, 3, 4], "Risk": ["lo", "hi", "hi", "lo"]}


def policy(**more: Any) -> Policy:
    attributes = {"Age": "interval", "Job": "suppress"}
    return read_policy(
        {"class": "Risk", "attributes": attributes, "requirements": [{"qid": ["Age", "Job"], "k": 2}]} | more
    )


@pytest.fixture
def sample() -> Sample:
    return read_sample(pa.table(RAW), policy())


def test_a_masked_number_is_ordered_only_if_all_labels_are_intervals(sample: Sample) -> None:
    age, pay = read_other_tool(sample, "arx", pa.table(MASKED))
    assert (age.name, age.type, age.labels) == ("Age", PredictorType.CATEGORY, ("*", "30-49", "50-59"))
    assert (pay.name, pay.type, pay.values.tolist()) == ("Pay", PredictorType.NUMBER, [1, 2, 3, 4])
    intervals = {**MASKED, "Age": ["30-49", "30-49", "50-59", "9-12"]}
    age, _ = read_other_tool(sample, "arx", pa.table(intervals))
    assert (age.type, age.labels) == (PredictorType.ORDERED, ("9-12", "30-49", "50-59"))


def test_records_that_the_policy_drops_may_be_there_or_not() -> None:
    sample = read_sample(pa.table(RAW), policy(missing="drop"))
    whole = read_other_tool(sample, "arx", pa.table(MASKED))
    part = read_other_tool(sample, "arx", pa.table({name: cells[:3] for name, cells in MASKED.items()}))
    for predictors in (whole, part):
        assert [predictor.values.tolist() for predictor in predictors] == [[0, 0, 1], [1, 2, 3]]


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"Risk": ["lo", "hi", "lo", "hi"]}, "another class than the data in 2 records"),
        ({"Risk": ["lo", "hi", None, "lo"]}, "another class than the data in 4 records"),
        ({"Risk": ["lo", "hi", "high", "lo"]}, "another class than the data in 4 records"),
    ],
)
def test_another_class_is_counted(sample: Sample, change: dict[str, Any], says: str) -> None:
    with pytest.raises(maskwise.InputError, match=says):
        read_other_tool(sample, "arx", pa.table(MASKED | change))


def test_a_table_of_another_length_or_without_columns_is_refused(sample: Sample) -> None:
    with pytest.raises(maskwise.InputError, match="has 1 record, but the data has 4"):
        read_other_tool(sample, "arx", pa.table(MASKED).slice(0, 1))
    with pytest.raises(maskwise.InputError, match="no column of the data but the class"):
        read_other_tool(sample, "arx", pa.table(MASKED).select(["Risk"]))


@pytest.mark.slow
@pytest.mark.parametrize("other", [Mondrian(), FullDomain()])
def test_another_algorithm_masks_test_records_by_the_training_records(other: Any) -> None:
    train = pa.table({"Job": ["a"] * 3 + ["b"] * 3, "Risk": ["lo"] * 3 + ["hi"] * 3})
    test = pa.table({"Job": ["b", "c"], "Risk": ["hi", "lo"]})
    asked = read_policy(
        {"class": "Risk", "attributes": {"Job": "suppress"}, "requirements": [{"qid": ["Job"], "k": 3}]}
    )
    masked = mask_by_other(other, train, test, asked)
    assert masked.num_rows == 8
    assert masked["Risk"].to_pylist() == ["lo"] * 3 + ["hi"] * 3 + ["hi", "lo"]
    assert set(masked["Job"].to_pylist()) <= {"a", "b", "*"}
    assert len(set(masked["Job"].to_pylist()[:6])) == 2
    assert mask_by_other(other, train, None, asked)["Job"].to_pylist() == masked["Job"].to_pylist()[:6]
