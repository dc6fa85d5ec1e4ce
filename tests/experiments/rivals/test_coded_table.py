"""Tables in codes: the same cells have the same codes in training and further records."""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from experiments.rivals.coded_table import (
    UNKNOWN,
    CodedColumn,
    check_fitted,
    code_records,
    code_training_set,
    count_minorities,
    n_values,
    with_labels,
)
from hypothesis import given, settings
from hypothesis import strategies as st

from maskwise.errors import InputError
from maskwise.formats.policy_file import read_policy
from maskwise.policy.policy import Policy

ROWS = {
    "Name": ["p", "q", "r", "s"],
    "Age": [40, 30, None, 40],
    "Job": ["nurse", None, "clerk", "nurse"],
    "Risk": ["lo", "hi", None, "hi"],
}


def policy(**more: Any) -> Policy:
    attributes = {"Age": "interval", "Job": "suppress"}
    asked = {
        "class": "Risk",
        "attributes": attributes,
        "requirements": [{"qid": ["Age", "Job"], "k": 1}],
        "drop": ["Name"],
    }
    return read_policy(asked | more)


def codes_of(column: CodedColumn) -> list[Any]:
    return list(column.values)


def test_cells_have_codes_and_numbers_stay_numbers() -> None:
    training = code_training_set(pa.table(ROWS), policy())
    age, job = training.records.columns
    assert age.missing.tolist() == [False, False, True, False]
    assert codes_of(age)[:2] == [40, 30]
    column = training.coding.columns[1]
    assert [None if code == n_values(column) else column.texts[code] for code in codes_of(job)] == ROWS["Job"]
    assert training.n_classes == 3
    # Classes are numbered by name, a missing one last.
    assert training.classes.tolist() == [1, 0, 2, 0]


def test_further_records_have_the_codes_of_the_training_records() -> None:
    training = code_training_set(pa.table(ROWS), policy())
    again = code_records(pa.table(ROWS), training.coding)
    for first, second in zip(training.records.columns, again.columns, strict=True):
        assert codes_of(first) == codes_of(second)
    further = code_records(pa.table({"Age": [1.5, 99], "Job": ["pilot", "clerk"]}), training.coding)
    assert codes_of(further.columns[0]) == [1.5, 99]
    assert codes_of(further.columns[1]) == [UNKNOWN, codes_of(training.records.columns[1])[2]]


def test_incomplete_records_are_dropped_or_refused_as_the_policy_says() -> None:
    training = code_training_set(pd.DataFrame(ROWS), policy(missing="drop"))
    assert training.records.frame.to_native()["Age"].tolist() == [40, 40]
    assert training.classes.tolist() == [1, 0]
    complete = code_training_set(pa.table(ROWS).slice(0, 1), policy(missing="error"))
    with pytest.raises(InputError, match="`Age` has 1 missing cell"):
        code_records(pa.table(ROWS), complete.coding)


@pytest.mark.parametrize("kind", [pd.DataFrame, pl.DataFrame, pa.table])
def test_labels_replace_the_masked_columns_only(kind: Any) -> None:
    training = code_training_set(kind(ROWS), policy())
    labels = {"Age": np.array(["[30, 40]"] * 4, object), "Job": np.array(["*", "*", None, "*"], object)}
    masked = with_labels(training.records, labels)
    assert isinstance(masked, type(kind(ROWS)))
    table = masked if isinstance(masked, pa.Table) else pa.table(masked)
    assert table.column_names == ["Age", "Job", "Risk"]
    assert table["Age"].to_pylist() == ["[30, 40]"] * 4
    assert table["Job"].to_pylist() == ["*", "*", None, "*"]
    assert table["Risk"].to_pylist() == ROWS["Risk"]


@given(st.lists(st.tuples(st.integers(0, 4), st.integers(0, 2), st.integers(1, 5)), min_size=1, max_size=40))
@settings(deadline=None)
def test_minorities_are_the_records_outside_the_largest_class(rows: list[tuple[int, int, int]]) -> None:
    groups, classes, weights = (np.array(part) for part in zip(*rows, strict=True))
    sizes, minorities = count_minorities(groups, classes, 3, weights.astype(np.float64))
    for group in range(max(groups.tolist()) + 1):
        counts: Counter[int] = Counter()
        for g, label, weight in rows:
            if g == group:
                counts[label] += weight
        assert sizes[group] == counts.total()
        assert minorities[group] == counts.total() - max(counts.values(), default=0)


def test_masking_before_fitting_is_refused() -> None:
    with pytest.raises(InputError, match="This dict has not been fitted"):
        check_fitted(None, {})
