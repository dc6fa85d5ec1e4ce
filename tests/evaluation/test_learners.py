"""How predictors are encoded for each classifier, and what each predicts."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pyarrow as pa
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.tree import DecisionTreeClassifier

import maskwise
from maskwise.evaluation.learners import NAMES, find_learner
from maskwise.evaluation.partition import TrainTestSplit
from maskwise.evaluation.predictors import Predictor, PredictorType, masked_predictors, raw_predictors
from maskwise.formats.policy_file import read_policy

POLICY = read_policy(
    {
        "class": "C",
        "attributes": {"Level": {"taxonomy": {"Any": ["1", "2", "3"]}}, "Age": "interval"},
        "requirements": [{"qid": ["Age", "Level"], "k": 2}],
    }
)


def test_what_each_classifier_is_given() -> None:
    raw = raw_predictors(
        pa.table({"Age": [1, 2, 3, 4], "Level": list("1231"), "Pay": [5.0, 1.0, None, 3.0], "C": list("abab")}), POLICY
    )
    shown = pa.table(
        {"Age": ["[1, 3)"] * 2 + ["[3, 4]"] * 2, "Level": ["Any"] * 3 + ["3"], "Pay": [5.0, 1.0, None, 3.0]}
    )
    predictors = masked_predictors(raw, shown, {"Age": ("[1, 3)", "[3, 4]"), "Level": None})
    train, every = np.arange(3), np.arange(4)
    tree = find_learner("c4.5").encode(predictors, train)(every)
    assert tree["Age"].to_pylist() == [0, 0, 1, 1]
    assert tree["Level"].to_pylist() == ["Any", "Any", "Any", "3"]
    assert (
        find_learner("naive-bayes").encode(predictors, train)(every)["Age"].to_pylist()
        == ["[1, 3)"] * 2 + ["[3, 4]"] * 2
    )
    codes = find_learner("gradient-boosting").encode(predictors, train)(every)
    assert codes[:, 0].tolist() == [0, 0, 1, 1]
    assert codes[:3, 1].tolist() == [0, 0, 0]
    assert np.isnan(codes[3, 1])
    numbers = find_learner("logistic-regression").encode(predictors, train)(every)
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
    predictors, classes = raw_predictors(table, POLICY), np.array([i > 350 for i in range(n)], np.int64)
    split = TrainTestSplit(np.arange(0, n, 2), np.arange(1, n, 2))
    for name in ("c4.5", "naive-bayes", "logistic-regression", "gradient-boosting"):
        wrong = find_learner(name).predict(predictors, classes, split, 0) != classes[split.test]
        assert wrong.mean() < 0.25, name


@pytest.mark.parametrize("name", NAMES)
def test_without_a_predictor_the_most_frequent_training_class_is_predicted(name: str) -> None:
    classes = np.array([1, 1, 0, 2, 2, 0, 0, 0])
    split = TrainTestSplit(np.arange(5), np.arange(5, 8))
    ((most_frequent, _),) = Counter([1, 1, 0, 2, 2]).most_common(1)
    assert find_learner(name).predict((), classes, split, 0).tolist() == [most_frequent] * 3
    only_one = np.array([1, 1, 1, 0, 0])
    column = Predictor("x", PredictorType.NUMBER, np.arange(5.0))
    assert find_learner(name).predict(
        (column,), only_one, TrainTestSplit(np.arange(3), np.arange(3, 5)), 0
    ).tolist() == [
        1,
        1,
    ]


def test_numbers_reach_a_scikit_learn_model_standardized() -> None:
    rng = np.random.default_rng(5)
    values = rng.normal(50, 10, 200)
    classes = (values + rng.normal(0, 8, 200) > 50).astype(np.int64)
    split = TrainTestSplit(np.arange(150), np.arange(150, 200))
    column = Predictor("x", PredictorType.NUMBER, values)
    predicted = find_learner("logistic-regression").predict((column,), classes, split, 0)
    scaled = ((values - values[:150].mean()) / values[:150].std())[:, None]
    expected = LogisticRegression(max_iter=1000).fit(scaled[:150], classes[:150]).predict(scaled[150:])
    assert predicted.tolist() == expected.tolist()


def test_only_the_most_frequent_categories_have_a_code() -> None:
    labels = tuple(f"v{i:03}" for i in range(300))
    values = np.concatenate([np.arange(300), np.arange(40, 300)]).astype(np.float64)
    column = Predictor("x", PredictorType.CATEGORY, values, labels)
    codes = find_learner("gradient-boosting").encode((column,), np.arange(len(values)))(np.arange(300))[:, 0]
    counts = Counter(values.tolist())
    frequent = sorted(counts, key=lambda value: (-counts[value], value))[:254]
    expected = {value: code for code, value in enumerate(frequent)}
    assert [None if np.isnan(code) else code for code in codes] == [expected.get(float(i)) for i in range(300)]


def test_a_given_estimator_is_copied_and_seeded() -> None:
    model = DecisionTreeClassifier(max_features=1)
    made = find_learner(model).make((), 7)
    assert made is not model
    assert (made.random_state, made.max_features) == (7, 1)
    assert find_learner(DecisionTreeClassifier(random_state=3)).make((), 7).random_state == 3


def test_a_failing_estimator_is_named_without_its_message() -> None:
    class Failing(DecisionTreeClassifier):
        def fit(self, *_: object) -> None:
            msg = "secret cell"
            raise RuntimeError(msg)

    column = Predictor("x", PredictorType.NUMBER, np.arange(4.0))
    split = TrainTestSplit(np.arange(3), np.arange(3, 4))
    with pytest.raises(maskwise.InputError, match=r"`Failing` failed on these records \(RuntimeError\)") as caught:
        find_learner(Failing()).predict((column,), np.array([0, 1, 0, 1]), split, 0)
    assert "secret" not in str(caught.value)
