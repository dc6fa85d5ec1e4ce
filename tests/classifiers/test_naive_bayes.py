"""Naive Bayes on numbers and categories together."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.naive_bayes import CategoricalNB, GaussianNB
from sklearn.preprocessing import OrdinalEncoder
from sklearn.utils.estimator_checks import parametrize_with_checks

import maskwise
from maskwise.classifiers.naive_bayes import NaiveBayes


@parametrize_with_checks([NaiveBayes()])
def test_scikit_learns_own_checks(estimator: Any, check: Any) -> None:
    check(estimator)


def mixed(n: int, seed: int) -> tuple[pd.DataFrame, np.ndarray]:
    rng = np.random.default_rng(seed)
    y = rng.choice(["a", "b", "c"], n)
    shift = (y == "a") * 1.5
    table = pd.DataFrame(
        {
            "x": rng.normal(shift, 1 + (y == "b")),
            "colour": np.where(rng.random(n) < 0.6, y, rng.choice(["a", "b", "c", "d"], n)),
            "z": rng.exponential(1 + shift),
            "flag": rng.random(n) < 0.2 + 0.4 * (y == "c"),
        }
    )
    return table, y


@pytest.mark.parametrize("seed", range(5))
def test_it_is_scikit_learns_two_together(seed: int) -> None:
    table, y = mixed(200, seed)
    later, _ = mixed(100, seed + 100)
    numbers, names = ["x", "z"], ["colour", "flag"]
    coder = OrdinalEncoder().fit(table[names])
    normal = GaussianNB().fit(table[numbers], y)
    counted = CategoricalNB(min_categories=[4, 2]).fit(coder.transform(table[names]), y)
    want = (
        normal.predict_joint_log_proba(later[numbers])
        + counted.predict_joint_log_proba(coder.transform(later[names]))
        - np.log(counted.class_count_ / 200)
    )
    ours = NaiveBayes().fit(table, y)
    assert ours.predict_joint_log_proba(later) == pytest.approx(want)
    assert ours.predict_proba(later).sum(axis=1) == pytest.approx(1)


def test_what_is_missing_or_unseen_tells_nothing() -> None:
    table, y = mixed(100, 1)
    model = NaiveBayes().fit(table, y)
    without = NaiveBayes().fit(table[["x", "z"]], y)
    later = table.head(10).assign(colour=["new"] * 5 + [None] * 5, flag=None)
    assert model.predict_joint_log_proba(later) == pytest.approx(without.predict_joint_log_proba(later[["x", "z"]]))
    blank = pd.DataFrame({"x": [None], "colour": [None], "z": [None], "flag": [None]}).astype({"x": float, "z": float})
    assert model.predict_proba(blank)[0] == pytest.approx(np.unique(y, return_counts=True)[1] / 100)


def test_a_number_that_one_class_never_has_tells_nothing() -> None:
    table = pd.DataFrame({"x": [1.0, 2.0, None, None], "y": [0.0, 0.1, 5.0, 5.1]})
    model = NaiveBayes().fit(table, ["a", "a", "b", "b"])
    later = pd.DataFrame({"x": [1.5, 90.0], "y": [5.0, 0.0]})
    without = NaiveBayes().fit(table[["y"]], ["a", "a", "b", "b"])
    assert model.predict_joint_log_proba(later) == pytest.approx(without.predict_joint_log_proba(later[["y"]]))
    assert model.predict(later).tolist() == ["b", "a"]


def test_large_numbers_do_not_drown_small_ones() -> None:
    table, y = mixed(200, 2)
    beside = table.assign(clock=np.random.default_rng(0).normal(1.6e15, 1e14, 200))
    alone = NaiveBayes().fit(table, y).predict(table)
    assert (NaiveBayes().fit(beside, y).predict(beside) == alone).mean() > 0.95


def test_smoothing_is_above_nothing() -> None:
    with pytest.raises(maskwise.InputError, match="alpha"):
        NaiveBayes(alpha=0).fit(*mixed(10, 0))
