"""A class that cannot be predicted, not even from the raw table, is said to be so."""

from __future__ import annotations

import json
from collections import Counter

import numpy as np
import pandas as pd
import pytest
from sklearn.dummy import DummyClassifier
from sklearn.model_selection import cross_val_score

import maskwise
from maskwise.evaluation.guessing import guess_error, note_guesses
from maskwise.evaluation.partition import TrainTestSplit
from maskwise.evaluation.records import KEYS, Record

POLICY = {"class": "Risk", "requirements": [{"qid": ["Age"], "k": 5}]}


def people(*, is_told: bool, n: int = 600) -> pd.DataFrame:
    rng = np.random.default_rng(5)
    age = rng.integers(20, 80, n)
    risk = np.where(age > 62, "hi", "lo") if is_told else np.where(rng.random(n) < 0.3, "hi", "lo")
    return pd.DataFrame({"Age": age, "Risk": risk})


def test_guessing_errs_as_scikit_learns_dummy_does() -> None:
    rng = np.random.default_rng(1)
    classes = rng.choice(3, 90, p=[0.2, 0.5, 0.3])
    rows = np.arange(90)
    folds = [(rows[rows % 3 != fold], rows[rows % 3 == fold]) for fold in range(3)]
    scores = cross_val_score(DummyClassifier(strategy="most_frequent"), np.zeros((90, 1)), classes, cv=folds)
    found = guess_error(classes, [TrainTestSplit(*fold) for fold in folds])
    assert found == pytest.approx(100 * (1 - scores.mean()))


@pytest.mark.slow
def test_a_class_that_nothing_tells_is_noted_at_the_raw_figure() -> None:
    table = people(is_told=False)
    train, test = table[:400], table[400:]
    found = maskwise.evaluate(train, POLICY, test=test)
    ((usual, _),) = Counter(train["Risk"]).most_common(1)
    assert found.guess == pytest.approx(100 * float((test["Risk"] != usual).mean()))
    said = {one["classifier"]: one["note"] for one in json.loads(found.to_json()) if "note" in one}
    assert set(said) == {"c4.5", "naive-bayes"}
    assert all("be predicted from the raw table" in note for note in said.values())
    assert {one.measure for one in found.records if one.note} == {"BE"}
    assert "note" not in found.to_csv().splitlines()[0].split(",")


@pytest.mark.slow
def test_a_class_that_is_told_has_no_note() -> None:
    table = people(is_told=True)
    found = maskwise.evaluate(table[:400], POLICY, test=table[400:])
    assert found.guess is not None
    assert not any("note" in one for one in found.to_data())


@pytest.mark.parametrize(
    ("error", "high", "metric", "word"),
    [
        (25.0, 28.0, "error", "cannot"),
        (22.0, 25.0, "error", "cannot"),
        (20.0, 23.0, "error", "hardly"),
        (15.0, 18.0, "error", None),
        (-0.01, 0.01, "r2", "cannot"),
        (0.4, 0.5, "r2", None),
        (0.5, 0.6, "auc", None),
    ],
)
def test_what_is_said_follows_from_the_figures(error: float, high: float, metric: str, word: str | None) -> None:
    one = Record("tree", "held-out", None, "BE", error, 0.0, high, metric=metric)
    masked = Record("tree", "held-out", 5, "AE", error, 0.0, high, metric=metric)
    noted, other = note_guesses([one, masked], 22.0, "Risk")
    assert other == masked
    assert (
        noted.note is None
        if word is None
        else f"{word} be predicted" in (noted.note or "").replace("can hardly", "hardly")
    )


@pytest.mark.slow
def test_of_a_rare_outcome_chances_are_measured_unasked_and_shown_first() -> None:
    rng = np.random.default_rng(11)
    age = rng.integers(20, 80, 3000)
    table = pd.DataFrame({"Age": age, "Risk": np.where(rng.random(3000) < 0.0006 * (age - 20), "hi", "lo")})
    found = maskwise.evaluate(table, POLICY, classifiers=["naive-bayes"])
    raw = [one for one in found.records if one.measure == "BE"]
    assert [one.metric for one in raw] == ["auc", "logloss", "error"]
    assert raw[0].error is not None
    assert raw[0].error > 0.6
    assert raw[-1].note is not None
    assert "errors do not show" in raw[-1].note
    assert {tuple(one) for one in found.to_data() if "note" not in one} == {KEYS}
    asked = maskwise.evaluate(table, POLICY, classifiers=["naive-bayes"], measures="error")
    assert {one.metric for one in asked.records} == {"error"}


@pytest.mark.slow
def test_of_a_class_that_is_told_errors_are_enough() -> None:
    found = maskwise.evaluate(people(is_told=True), POLICY, classifiers=["naive-bayes"])
    assert {one.metric for one in found.records} == {"error"}
