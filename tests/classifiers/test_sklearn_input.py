"""What a classifier refuses, and what it says then."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest

import maskwise
from maskwise.classifiers.c45.classifier import C45Classifier
from maskwise.classifiers.naive_bayes import NaiveBayes
from tests.classifiers.tables import PLAY, WEATHER


@pytest.mark.parametrize(
    ("later", "says"),
    [
        (WEATHER.drop(columns="windy"), "yet now missing:\n- windy"),
        (WEATHER.rename(columns={"windy": "wind"}), "unseen at fit time:\n- wind"),
        (WEATHER[WEATHER.columns[::-1]], "same order"),
        (WEATHER.assign(humidity="high"), "Column `humidity` has numbers in the training table"),
        (WEATHER[:0], "4 columns and 0 records"),
    ],
)
def test_wrong_columns_are_told(later: Any, says: str) -> None:
    tree = C45Classifier().fit(WEATHER, PLAY)
    with pytest.raises(maskwise.InputError, match=says):
        tree.predict(later)


@pytest.mark.parametrize(
    ("params", "frame", "y", "says"),
    [
        ({"min_records": 0}, WEATHER, PLAY, "`min_records` is a whole number"),
        ({"cf": 0.7}, WEATHER, PLAY, "`cf` is above 0"),
        ({}, WEATHER, PLAY[:5], r"inconsistent numbers of samples: \[14, 5\]"),
        ({}, WEATHER, [None, *PLAY[1:]], "class of some records is missing"),
        ({}, WEATHER, None, "requires y"),
        ({}, pd.DataFrame({"a": [[1]] * 14}), PLAY, "Column `a` has the type list"),
        ({}, pd.DataFrame({"a": [1, "x"] * 7}, dtype=object), PLAY, "Column `a` mixes types"),
        ({}, pd.DataFrame([[1, 2]] * 14, columns=["a", "a"]), PLAY, "unique column names"),
        ({}, pd.DataFrame(index=range(14)), PLAY, "0 columns and 14 records"),
    ],
)
def test_what_cannot_be_learned_from_is_told(params: dict[str, Any], frame: Any, y: Any, says: str) -> None:
    with pytest.raises(maskwise.InputError, match=says):
        C45Classifier(**params).fit(frame, y)


@pytest.mark.parametrize("classifier", [C45Classifier, NaiveBayes])
def test_every_classifier_checks_its_input_in_the_same_way(classifier: Any) -> None:
    for target in ([None, *PLAY[1:]], [pd.NA, *PLAY[1:]], [np.nan, *range(13)]):
        with pytest.raises(maskwise.InputError, match="class of some records is missing"):
            classifier().fit(WEATHER, np.array(target, object))
    with pytest.raises(maskwise.InputError, match="infinity, which is no class"):
        classifier().fit(WEATHER, [np.inf, *range(13)])
    with pytest.raises(maskwise.InputError, match=f"{classifier.__name__} requires y"):
        classifier().fit(WEATHER, None)
    with pytest.raises(maskwise.InputError, match="yet now missing:\n- windy"):
        classifier().fit(WEATHER, PLAY).predict(WEATHER.drop(columns="windy"))
