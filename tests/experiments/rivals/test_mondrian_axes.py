"""The best split on one axis against a try of all splits in plain Python."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from experiments.rivals.coded_table import CodedColumn, code_training_set
from experiments.rivals.mondrian_axes import Axis, TableRoute, ThresholdRoute, make_axis, paths
from hypothesis import given, settings
from hypothesis import strategies as st

from maskwise.formats.policy_file import read_policy
from maskwise.policy.taxonomy import Taxonomy
from tests.experiments.rivals import naive

ENTRIES = {"Age": {"interval": [naive.LOW, naive.HIGH]}, "Edu": {"taxonomy": naive.TREE}, "Job": "suppress"}
TYPES = {"Age": pa.int64(), "Edu": pa.string(), "Job": pa.string()}

ages = st.one_of(st.none(), st.integers(naive.LOW, naive.HIGH))
schools = st.sampled_from([*naive.PATHS])
jobs = st.sampled_from(["clerk", "nurse", "judge", None])
risks = st.sampled_from(["hi", "lo", "mid"])
records = st.lists(st.tuples(ages, schools, jobs, risks), min_size=2, max_size=25)
records = records.filter(lambda rows: any(row[0] is not None for row in rows))


def axis_of(name: str, cells: list[Any], risks: list[str]) -> tuple[Axis, CodedColumn, Any]:
    asked = {"class": "Risk", "attributes": {name: ENTRIES[name]}, "requirements": [{"qid": [name], "k": 1}]}
    training = code_training_set(pa.table({name: pa.array(cells, TYPES[name]), "Risk": risks}), read_policy(asked))
    return make_axis(training.coding.columns[0]), training.records.columns[0], training


@pytest.mark.slow
@pytest.mark.parametrize("name", list(ENTRIES))
@given(rows=records, k=st.integers(1, 5))
@settings(deadline=None, max_examples=40)
def test_the_best_split_has_the_highest_gain(name: str, rows: list[naive.Record], k: int) -> None:
    attribute = list(ENTRIES).index(name)
    axis, column, training = axis_of(name, [row[attribute] for row in rows], [row[3] for row in rows])
    split = axis.best_split(axis.root, axis.code(column), training.classes, training.n_classes, k)
    options = {
        "Age": lambda: naive.splits_of_age(rows, (naive.LOW, naive.HIGH, True), k),
        "Edu": lambda: naive.splits_of_edu(rows, k),
        "Job": lambda: naive.splits_of_job(rows, k),
    }[name]()
    if not options:
        assert split is None
        return
    assert split is not None
    best = max(gain for gain, _, _ in options)
    _, _, parts = next(option for option in options if option[0] > best - naive.NEAR)
    assert split.gain == pytest.approx(best, abs=1e-9)
    expected = [next(i for i, (_, is_in) in enumerate(parts) if is_in(row)) for row in rows]
    assert split.route.part_of(axis.code(column)).tolist() == expected


def test_labels_are_intervals_tree_labels_or_values() -> None:
    age, _, _ = axis_of("Age", [1, 2], ["lo", "hi"])
    assert [age.label(place) for place in ((0, 5, False), age.root, None)] == ["[0, 5)", "[0, 9]", None]
    edu, _, _ = axis_of("Edu", ["none", None], ["lo", "hi"])
    assert edu.label(edu.root) == "Any"
    job, _, _ = axis_of("Job", ["nurse", "clerk"], ["lo", "hi"])
    assert [job.label(place) for place in (job.root, 0, 1)] == ["*", "clerk", "nurse"]


def test_a_number_has_the_code_of_the_largest_training_number_not_above_it() -> None:
    age, _, _ = axis_of("Age", [2, 5, 7], ["lo", "hi", "lo"])
    cells = CodedColumn(np.array([-4, 2, 4, 5, 6, 90, 0]), np.array([False] * 6 + [True]))
    assert age.code(cells).tolist() == [0, 0, 0, 1, 1, 2, 3]


def test_routes_know_the_part_of_missing_and_unknown_cells() -> None:
    assert ThresholdRoute(border=2, n_codes=4, missing_part=2).part_of(np.array([0, 1, 2, 3, 4])).tolist() == [
        0,
        0,
        1,
        1,
        2,
    ]
    assert TableRoute(np.array([1, 0, 1])).part_of(np.array([0, 1, -1])).tolist() == [1, 0, 1]


def test_paths_lead_from_the_root_to_each_label() -> None:
    tree = Taxonomy.from_nested(naive.TREE)
    rows = paths(tree)
    for i, label in enumerate(tree.labels):
        names = [tree.labels[j] for j in rows[i] if j >= 0]
        assert names[-1] == label
        if label in naive.PATHS:
            assert names == naive.PATHS[label]
    assert [int(j) for j in rows[-1] if j >= 0] == [0, len(tree.labels)]
