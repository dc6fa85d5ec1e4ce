"""What stands for a masked number: its label, the middle, the mean or the ends of its interval."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from experiments.rivals import Mondrian

import maskwise
from maskwise.evaluation.learners import NAMES
from maskwise.evaluation.masked_numbers import represent
from maskwise.evaluation.predictors import (
    Predictor,
    PredictorType,
    masked_predictors,
    raw_predictors,
    sort_intervals,
)
from maskwise.formats.policy_file import read_policy
from maskwise.release.interval_labels import interval_ends
from maskwise.values.number_forms import Numbers

RAW = Predictor("age", PredictorType.NUMBER, np.array([20.0, 24, 61, np.nan, 35]))
MASKED = Predictor("age", PredictorType.ORDERED, np.array([0.0, 0, 1, np.nan, 0]), ("[18, 40)", "[40, 90]"))
JOB = Predictor("job", PredictorType.CATEGORY, np.array([0.0, 1, 0, 1, 0]), ("a", "b"))


@pytest.mark.parametrize(
    ("numbers", "columns"),
    [
        ("label", [[0, 0, 1, None, 0]]),
        ("midpoint", [[29, 29, 65, None, 29]]),
        ("mean", [[22, 22, 61, None, 22]]),
        ("bounds", [[18, 18, 40, None, 18], [40, 40, 90, None, 40]]),
    ],
)
def test_an_interval_is_shown_as_it_is_asked(numbers: str, columns: list[list[float | None]]) -> None:
    shown = represent((MASKED, JOB), (RAW, JOB), Numbers(numbers), 4)
    assert [[None if np.isnan(v) else v for v in one.values.tolist()] for one in shown[:-1]] == columns
    assert shown[-1] is JOB
    kind = PredictorType.ORDERED if numbers == "label" else PredictorType.NUMBER
    assert {one.type for one in shown[:-1]} == {kind}
    assert len({one.name for one in shown}) == len(shown)


def test_a_mean_is_of_the_training_records_only() -> None:
    (shown,) = represent((MASKED,), (RAW,), Numbers.MEAN, None)
    assert shown.values[0] == pytest.approx((20 + 24 + 35) / 3)
    (shown,) = represent((MASKED,), (RAW,), Numbers.MEAN, 2)
    assert shown.values[0] == 22
    assert np.isnan(shown.values[2])


@pytest.mark.parametrize(
    ("label", "ends"),
    [
        ("[1, 37)", (1, 37)),
        ("[1.5, 2.5]", (1.5, 2.5)),
        ("20-29", (20, 29)),
        ("42", (42, 42)),
        ("≥ 90", (90, 90)),
        ("< 18", (18, 18)),
        ("[1, 99] or outside", (1, 99)),
        ("[2024-01-01, 2024-01-03)", (19723, 19725)),
        ("Any", None),
        ("*", None),
    ],
)
def test_ends_are_read_off_labels(label: str, ends: tuple[float, float] | None) -> None:
    assert interval_ends(label) == ends


@pytest.mark.slow
def test_every_representation_is_that_of_the_masked_table() -> None:
    rng = np.random.default_rng(0)
    age = rng.integers(18, 90, 400)
    whole = pd.DataFrame({"age": age, "ill": np.where(age + rng.normal(0, 15, 400) > 60, "y", "n")})
    train, test = whole[:300], whole[300:]
    policy = {"class": "ill", "requirements": [{"qid": ["age"], "k": 10}]}
    masker = maskwise.Masker(policy, encode="label").fit(train)
    labels = [masker.transform(part)["age"] for part in (train, test)]
    means = train["age"].groupby(labels[0]).mean()
    values = {
        "midpoint": lambda label: sum(map(float, label[1:-1].split(", "))) / 2,
        "mean": means.__getitem__,
    }
    for numbers, value in values.items():
        found = maskwise.evaluate(train, policy, test=test, classifiers=["naive-bayes"], numbers=numbers)
        shown = [pd.DataFrame({"age": part.map(value).astype(float)}) for part in labels]
        model = maskwise.evaluation.NaiveBayes().fit(shown[0], train["ill"])
        error = 100 * (model.predict(shown[1]) != test["ill"]).mean()
        assert next(one.error for one in found.records if one.measure == "AE") == pytest.approx(error)


@pytest.mark.slow
@pytest.mark.parametrize("numbers", list(Numbers))
def test_every_classifier_and_measure_takes_every_representation(numbers: str) -> None:
    rng = np.random.default_rng(0)
    age = rng.integers(18, 90, 300).astype(float)
    age[::17] = np.nan
    ill = np.where(np.nan_to_num(age) + rng.normal(0, 15, 300) > 60, "y", "n")
    table = pa.table({"age": pa.array(age, from_pandas=True), "job": rng.choice(["a", "b"], 300), "ill": ill})
    policy = {"class": "ill", "requirements": [{"qid": ["age", "job"], "k": 10}]}
    found = maskwise.evaluate(
        table,
        policy,
        classifiers=NAMES,
        numbers=numbers,
        measures="all",
        protocol="both",
        against={"mondrian": Mondrian()},
    )
    masked = [one for one in found.records if one.metric == "auc" and one.measure == "AE"]
    assert len(masked) == 8
    assert all(one.error > 0.7 for one in masked)


def test_other_representations_are_refused() -> None:
    with pytest.raises(maskwise.InputError, match="one of `label`, `midpoint`, `mean`, `bounds`; found `median`"):
        maskwise.evaluate("nowhere.csv", {"class": "a", "requirements": [{"qid": ["b"], "k": 2}]}, numbers="median")


def test_a_mean_is_that_of_the_label_where_labels_of_regions_overlap() -> None:
    rng = np.random.default_rng(1)
    age, job = rng.integers(18, 90, 400), rng.choice(["a", "b", "c"], 400)
    border = np.select([job == "a", job == "b"], [35, 70], 52)
    ill = np.where(rng.random(400) < np.where((age > border) ^ (job == "b"), 0.95, 0.05), "y", "n")
    table = pa.table({"age": age, "job": job, "ill": ill})
    policy = read_policy({"class": "ill", "requirements": [{"qid": ["age", "job"], "k": 15}]})
    outcome = maskwise.anonymize(table, policy, method="regions", keep_order=True, effort=1)
    labels = outcome.data["age"].to_pylist()
    ends = [interval_ends(label) for label in set(labels)]
    assert any(one[0] < other[1] and other[0] < one[1] for one in ends for other in ends if one != other)
    raw = raw_predictors(table, policy)
    orders = {"age": sort_intervals(outcome.solution.cut("age").labels), "job": None}
    masked = masked_predictors(raw, outcome.data, orders)
    shown = next(one for one in represent(masked, raw, Numbers.MEAN, None) if one.name == "age")
    means = pd.Series(age).groupby(labels).mean()
    assert shown.values == pytest.approx([means[label] for label in labels])
