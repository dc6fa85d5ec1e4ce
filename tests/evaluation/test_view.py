"""How classifiers see raw and masked columns, and how records are parted."""

from __future__ import annotations

import datetime as dt

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import maskwise
from maskwise.evaluation.learners import learner
from maskwise.evaluation.partition import Split, partition
from maskwise.evaluation.view import Sort, foreign, masked, order_of, see
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
    view = {seen.name: seen for seen in see(table, POLICY)}
    assert "C" not in view
    assert [name for name, seen in view.items() if seen.sort is Sort.NUMBER] == ["Age", "Pay", "Born"]
    assert view["Age"].values.tolist()[:2] == [9, 10]
    assert np.isnan(view["Age"].values[2])
    assert np.isnan(view["Pay"].values[1:]).all()
    assert view["Level"].labels == ("1", "2", "3")
    assert np.isnan(view["Empty"].values).all()
    with pytest.raises(maskwise.InputError, match=r"`Nest` holds list.*Drop it"):
        see(pa.table({"Nest": [[1], [2]], "C": ["a", "b"]}), POLICY)


def test_masked_intervals_keep_their_order_and_other_labels_have_none() -> None:
    raw = see(pa.table({"Age": [9, 10, 50], "Level": ["1", "2", "3"], "Pay": [1, 2, 3], "C": list("aba")}), POLICY)
    shown = pa.table({"Age": ["[9, 10)", "[10, 50]", "[0, 99]"], "Level": ["Any", "Any", "3"], "C": list("aba")})
    age, level = masked(raw, shown, {"Age": ("[9, 10)", "[10, 50]"), "Level": None})
    assert (age.sort, level.sort) == (Sort.ORDERED, Sort.CATEGORY)
    assert age.values.tolist()[:2] == [0, 1]
    assert np.isnan(age.values[2])
    assert level.labels == ("3", "Any")
    theirs, _ = foreign(raw, shown, POLICY)
    assert (theirs.sort, theirs.labels) == (Sort.ORDERED, ("[0, 99]", "[9, 10)", "[10, 50]"))
    (hidden,) = foreign(raw, pa.table({"Age": ["*", "[9, 10)", "[10, 50]"]}), POLICY)
    assert hidden.sort is Sort.CATEGORY


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
    assert order_of(labels) == (None if order is None else tuple(order))


def test_what_each_classifier_is_given() -> None:
    raw = see(
        pa.table({"Age": [1, 2, 3, 4], "Level": list("1231"), "Pay": [5.0, 1.0, None, 3.0], "C": list("abab")}), POLICY
    )
    shown = pa.table(
        {"Age": ["[1, 3)"] * 2 + ["[3, 4]"] * 2, "Level": ["Any"] * 3 + ["3"], "Pay": [5.0, 1.0, None, 3.0]}
    )
    view = masked(raw, shown, {"Age": ("[1, 3)", "[3, 4]"), "Level": None})
    train, every = np.arange(3), np.arange(4)
    tree = learner("c4.5").encode(view, train)(every)
    assert tree["Age"].to_pylist() == [0, 0, 1, 1]
    assert tree["Level"].to_pylist() == ["Any", "Any", "Any", "3"]
    assert learner("naive-bayes").encode(view, train)(every)["Age"].to_pylist() == ["[1, 3)"] * 2 + ["[3, 4]"] * 2
    codes = learner("gradient-boosting").encode(view, train)(every)
    assert codes[:, 0].tolist() == [0, 0, 1, 1]
    assert codes[:3, 1].tolist() == [0, 0, 0]
    assert np.isnan(codes[3, 1])
    numbers = learner("logistic-regression").encode(view, train)(every)
    # The place of Age, its two intervals, the one level that training records show, Pay and where it is missing.
    assert numbers.shape == (4, 6)
    assert numbers[:, 1:4].tolist() == [[1, 0, 1], [1, 0, 1], [0, 1, 1], [0, 1, 0]]
    assert numbers[:, 4].tolist() == [1, -1, 0, 0]
    assert numbers[:, 5].tolist() == [0, 0, 1, 0]


def test_many_categories_do_not_stop_a_classifier() -> None:
    n = 700
    table = pa.table(
        {"Name": [f"n{i // 2 % 300}" for i in range(n)], "Age": range(n), "C": ["ab"[i > 350] for i in range(n)]}
    )
    view, classes = see(table, POLICY), np.array([i > 350 for i in range(n)], np.int64)
    split = Split(np.arange(0, n, 2), np.arange(1, n, 2))
    for name in ("c4.5", "naive-bayes", "logistic-regression", "gradient-boosting"):
        wrong = learner(name).predict(view, classes, split, 0) != classes[split.test]
        assert wrong.mean() < 0.25, name


@given(
    classes=st.lists(st.integers(0, 3), min_size=2, max_size=60),
    folds=st.integers(2, 8),
    seed=st.integers(0, 5),
)
@settings(deadline=None, max_examples=50)
def test_folds_test_every_record_once_and_every_class_alike(classes: list[int], folds: int, seed: int) -> None:
    if folds > len(classes):
        with pytest.raises(maskwise.InputError, match="fewer folds"):
            partition(np.array(classes), None, None, folds, seed)
        return
    splits = partition(np.array(classes), None, None, folds, seed)
    assert sorted(row for split in splits for row in split.test) == list(range(len(classes)))
    for split in splits:
        assert sorted([*split.train, *split.test]) == list(range(len(classes)))
        for one in set(classes):
            n = sum(classes[row] == one for row in split.test)
            assert abs(n - classes.count(one) / folds) < 1


@pytest.mark.parametrize("share", [0.1, 1 / 3, 0.5, 0.9])
def test_a_split_has_its_share_of_every_class(share: float) -> None:
    classes = np.repeat([0, 1, 2], [500, 90, 10])
    (split,) = partition(classes, None, share, None, 0)
    assert len(split.test) == round(600 * share)
    assert np.bincount(classes[split.test]) == pytest.approx(np.array([500, 90, 10]) * share, abs=1)
    assert not set(split.train) & set(split.test)
