"""All measures from the same trained classifiers; groups of test records; a class that is a number."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from experiments.rivals import Mondrian
from sklearn import metrics
from sklearn.linear_model import LinearRegression, Ridge, RidgeClassifier
from sklearn.tree import DecisionTreeRegressor

import maskwise
from maskwise.evaluation import C45Classifier, Evaluation, trials
from maskwise.evaluation.learners import NAMES, Learner, find_learner
from maskwise.evaluation.partition import TrainTestSplit
from maskwise.evaluation.predictors import Predictor, PredictorType
from maskwise.evaluation.records import Record
from maskwise.report.report import report
from maskwise.values.message import Audience

POLICY = {"class": "ill", "requirements": [{"qid": ["age", "job"], "k": 10}]}
CHARGES = {"class": {"charges": "number"}, "requirements": [{"qid": ["age", "job"], "k": 10}]}


def people(n: int = 600, seed: int = 0, classes: tuple[str, ...] = ("no", "yes")) -> pd.DataFrame:
    """Records of a rare outcome that age and job tell, with some columns that tell little."""
    rng = np.random.default_rng(seed)
    age, job = rng.integers(18, 90, n), rng.choice(["clerk", "nurse", "farmer"], n)
    score = (age - 54) / 20 + (job == "nurse") + rng.normal(0, 1, n)
    edges = np.quantile(score, [0.85, 0.95, 0.98][: len(classes) - 1])
    return pd.DataFrame(
        {
            "age": age,
            "job": job,
            "sex": rng.choice(["F", "M"], n, p=[0.3, 0.7]),
            "town": rng.choice([f"t{i}" for i in range(40)], n),
            "ill": np.array(classes)[np.searchsorted(edges, score)],
            "charges": np.round(1000 + 50 * age + 800 * (job == "nurse") + rng.normal(0, 200, n), 2),
        }
    )


def figures(found: Evaluation, **wanted: Any) -> dict[tuple[Any, ...], Record]:
    there = [one for one in found.records if all(getattr(one, key) == value for key, value in wanted.items())]
    by_key = {(one.classifier, one.measure, one.metric, one.group): one for one in there}
    assert len(by_key) == len(there)
    return by_key


@pytest.mark.slow
@pytest.mark.parametrize("classes", [("no", "yes"), ("a", "b", "c")])
def test_all_measures_come_from_classifiers_that_are_trained_once(
    classes: tuple[str, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    n_trained: list[str] = []
    predict = Learner.predict_chances

    def spy(self: Learner, *given: Any) -> Any:
        n_trained.append(self.name)
        return predict(self, *given)

    monkeypatch.setattr(Learner, "predict_chances", spy)
    whole = people(classes=classes).drop(columns="charges")
    found = maskwise.evaluate(whole, POLICY, classifiers=NAMES, measures="all", against={"mondrian": Mondrian()})
    assert sorted(n_trained) == sorted(NAMES * 4)
    seen = figures(found)
    assert len(seen) == 4 * 4 * 6
    assert all(one.error is not None and one.low <= one.error <= one.high for one in seen.values())
    errors = maskwise.evaluate(whole, POLICY, classifiers=NAMES, against={"mondrian": Mondrian()})
    alone, together = ([one.error for one in each.records if one.metric == "error"] for each in (errors, found))
    assert alone == together
    for classifier in NAMES[1:]:
        assert seen[classifier, "BE", "auc", None].error > seen[classifier, "UE", "auc", None].error + 0.1


@pytest.mark.slow
def test_figures_are_those_of_a_classifier_on_the_masked_table() -> None:
    whole = people().drop(columns="charges")
    train, test = whole[:400], whole[400:]
    found = figures(maskwise.evaluate(train, POLICY, test=test, classifiers=["c4.5"], measures="all"))
    for measure in ("BE", "UE"):
        names = ["sex", "town"] if measure == "UE" else ["age", "job", "sex", "town"]
        tree = C45Classifier(laplace=True).fit(train[names], train["ill"])
        chances, said, y = tree.predict_proba(test[names]), tree.predict(test[names]), test["ill"] == "yes"
        assert found["c4.5", measure, "error", None].error == pytest.approx(100 * (said != test["ill"]).mean())
        assert found["c4.5", measure, "auc", None].error == pytest.approx(metrics.roc_auc_score(y, chances[:, 1]))
        assert found["c4.5", measure, "logloss", None].error == pytest.approx(metrics.log_loss(y, chances))
        assert found["c4.5", measure, "f1", None].error == pytest.approx(
            metrics.f1_score(y, said == "yes", zero_division=0)
        )


@pytest.mark.slow
def test_the_keys_say_what_was_measured() -> None:
    whole = people(200).drop(columns="charges")
    found = maskwise.evaluate(whole, POLICY, classifiers=["naive-bayes"], measures=["auc"], by="sex")
    first = found.to_data()[0]
    assert list(first) == [
        *("classifier", "protocol", "k", "measure", "metric", "value", "low", "high", "by", "group", "n")
    ]
    assert first["metric"] == "auc"
    assert {"metric", "value", "by", "group", "n"} <= set(found.to_csv().splitlines()[0].split(","))
    assert found.to_frame()["value"].dtype == np.float64
    assert b"<svg" in found.plot(".svg")
    only_errors = maskwise.evaluate(whole, POLICY, classifiers=["naive-bayes"])
    assert list(only_errors.keys) == ["classifier", "protocol", "k", "measure", "error", "low", "high"]


@pytest.mark.slow
def test_folds_are_measured_together() -> None:
    found = maskwise.evaluate(
        people().drop(columns="charges"), POLICY, classifiers=["naive-bayes"], measures="auc", folds=3, by="sex"
    )
    seen = figures(found, measure="BE")
    assert found.n_tested == 600
    assert seen["naive-bayes", "BE", "auc", "F"].n + seen["naive-bayes", "BE", "auc", "M"].n == 600


def test_a_class_that_no_training_record_has_gets_no_chance() -> None:
    classes = np.array([0, 0, 2, 2, 0, 2, 1])
    column = Predictor("x", PredictorType.NUMBER, np.array([1.0, 2, 8, 9, 1.5, 8.5, 5]))
    split = TrainTestSplit(np.arange(6), np.array([6]))
    for name in NAMES:
        if name == "gradient-boosting":
            continue  # six records are too few for it to split
        _, chances = find_learner(name).predict_chances((column,), classes, split, 0, 3)
        assert chances is not None
        assert chances[0, 1] == 0
        assert chances.sum() == pytest.approx(1)


def test_without_a_predictor_chances_are_the_shares_of_the_training_records() -> None:
    split = TrainTestSplit(np.arange(4), np.arange(4, 6))
    predicted, chances = find_learner("c4.5").predict_chances((), np.array([0, 2, 2, 2, 1, 0]), split, 0, 3)
    assert predicted.tolist() == [2, 2]
    assert chances is not None
    assert chances.tolist() == [[0.25, 0, 0.75]] * 2


def test_a_classifier_without_chances_can_be_measured_by_errors_only() -> None:
    whole = people(200).drop(columns="charges")
    assert maskwise.evaluate(whole, POLICY, classifiers=[RidgeClassifier()], measures=["error", "f1", "balanced"])
    with pytest.raises(maskwise.InputError, match="`RidgeClassifier` tells no chances"):
        maskwise.evaluate(whole, POLICY, classifiers=[RidgeClassifier()], measures="auc")


# Groups.


@pytest.mark.slow
def test_groups_are_measured_as_if_they_were_all_test_records() -> None:
    whole = people(900).drop(columns="charges")
    train, test = whole[:600], whole[600:]
    found = maskwise.evaluate(
        train,
        {**POLICY, "drop": ["sex"]},
        test=test,
        classifiers=["naive-bayes"],
        measures=["error", "auc"],
        by=["sex"],
    )
    for sex in ("F", "M"):
        part = test[test["sex"] == sex]
        alone = maskwise.evaluate(
            train, {**POLICY, "drop": ["sex"]}, test=part, classifiers=["naive-bayes"], measures=["error", "auc"]
        )
        for metric in ("error", "auc"):
            for measure in ("BE", "AE", "UE"):
                one, other = (
                    figures(found)["naive-bayes", measure, metric, sex],
                    figures(alone)["naive-bayes", measure, metric, None],
                )
                assert (one.error, one.low, one.high) == pytest.approx((other.error, other.low, other.high))
                assert one.n == len(part)


def test_rare_values_are_one_group_and_too_few_records_have_no_figure() -> None:
    whole = people(900).drop(columns="charges")
    whole.loc[::20, "sex"] = None
    whole["one"] = np.where(np.arange(900) < 890, "x", "y")
    found = maskwise.evaluate(whole, POLICY, split=0.5, classifiers=["naive-bayes"], by=["town", "sex", "one"])
    raw = [one for one in found.records if one.measure == "BE" and one.metric == "error"]
    towns = {one.group: one for one in raw if one.by == "town"}
    assert list(towns) == ["(others)"]
    assert towns["(others)"].n == 450
    assert [one.group for one in raw if one.by == "sex"] == ["F", "M", "(others)"]
    few = next(one for one in raw if one.by == "one" and one.group == "(others)")
    assert few.error is None
    assert few.note == trials.TOO_FEW
    assert few.n < 30


def test_many_numbers_are_quarters() -> None:
    whole = people(800).drop(columns="charges")
    found = maskwise.evaluate(whole, POLICY, split=0.5, classifiers=["naive-bayes"], by="age")
    groups = {one.group: one.n for one in found.records if one.measure == "BE" and one.by}
    edges = np.quantile(whole["age"], [0, 0.25, 0.5, 0.75], method="inverted_cdf").tolist()
    assert list(groups) == [
        *(f"[{low}, {high})" for low, high in pairwise(edges)),
        f"[{edges[-1]}, {whole['age'].max()}]",
    ]
    assert sum(groups.values()) == 400


def test_a_column_that_is_not_there_is_refused() -> None:
    with pytest.raises(
        maskwise.InputError, match=r"`sexx` is to be grouped by but not in the table.*Did you mean `sex`"
    ):
        maskwise.evaluate(people(60), POLICY, by="sexx")


# A class that is a number.


@pytest.mark.slow
def test_numbers_are_measured_by_absolute_error_and_r2() -> None:
    whole = people().drop(columns="ill")
    train, test = whole[:400], whole[400:]
    found = maskwise.evaluate(train, CHARGES, test=test, against={"mondrian": Mondrian()})
    seen = figures(found)
    assert {key[0] for key in seen} == {"tree", "linear-regression", "gradient-boosting"}
    assert {key[2] for key in seen} == {"mae", "r2"}
    for classifier in ("tree", "linear-regression", "gradient-boosting"):
        r2 = {measure: seen[classifier, measure, "r2", None].error for measure in ("BE", "AE", "AE(mondrian)", "UE")}
        assert r2["BE"] > 0.9
        assert r2["BE"] > r2["AE"] > 0.5 > r2["UE"]
        assert r2["AE(mondrian)"] > 0.5
    numbers = pd.get_dummies(train[["age", "job", "sex", "town"]].astype({"age": float}), dtype=float)
    tested = pd.get_dummies(test[["age", "job", "sex", "town"]].astype({"age": float}), dtype=float)
    tested = tested.reindex(columns=numbers.columns, fill_value=0.0)
    said = LinearRegression().fit(numbers, train["charges"]).predict(tested)
    one = seen["linear-regression", "BE", "mae", None]
    assert one.error == pytest.approx(metrics.mean_absolute_error(test["charges"], said))
    assert seen["linear-regression", "BE", "r2", None].error == pytest.approx(metrics.r2_score(test["charges"], said))
    assert one.low < one.error < one.high


@pytest.mark.slow
def test_a_regressor_can_be_named_or_given() -> None:
    found = maskwise.evaluate(
        people(200).drop(columns="ill"),
        CHARGES,
        classifiers=["sklearn.linear_model.Ridge", DecisionTreeRegressor(max_depth=2), Ridge()],
        measures="mae",
    )
    assert {one.classifier for one in found.records} == {"sklearn.linear_model.Ridge", "DecisionTreeRegressor", "Ridge"}
    for name, says in {
        "c4.5": "`c4.5` predicts classes, and the policy's class is a number",
        "sklearn.tree.DecisionTreeClassifier": "is no scikit-learn model that predicts numbers",
        "treee": "Did you mean `tree`",
    }.items():
        with pytest.raises(maskwise.InputError, match=says):
            maskwise.evaluate(people(200), CHARGES, classifiers=[name])


@pytest.mark.slow
@pytest.mark.parametrize("bad", ["secret", "nan", "inf"])
def test_cells_that_are_no_numbers_are_refused_without_quoting_them(bad: str) -> None:
    whole = people(100).drop(columns="ill").astype({"charges": str})
    whole.loc[[3, 5], "charges"] = bad
    for run in (maskwise.evaluate, maskwise.anonymize):
        with pytest.raises(maskwise.InputError, match="`charges` is a number, but 2 cells of it are none") as caught:
            run(whole, CHARGES)
        assert bad not in str(caught.value).replace("is a number", "")
    with pytest.raises(maskwise.InputError, match="but 100 cells of it are none"):
        maskwise.anonymize(whole, {**CHARGES, "class": {"sex": "number"}})


@pytest.mark.slow
def test_folds_draw_evenly_from_the_numbers() -> None:
    whole = people(500).drop(columns="ill").sort_values("charges")
    found = maskwise.evaluate(pa.table(whole), CHARGES, classifiers=["linear-regression"], folds=5, measures="r2")
    assert found.n_tested == 500
    assert figures(found)["linear-regression", "BE", "r2", None].error > 0.9


@pytest.mark.slow
def test_another_tools_table_must_have_the_same_numbers() -> None:
    whole = people(200).drop(columns="ill")
    ours = maskwise.anonymize(whole, CHARGES, keep_order=True).data
    found = maskwise.evaluate(
        whole, CHARGES, against={"arx": ours}, classifiers=["tree"], protocol="combined", measures="mae"
    )
    seen = figures(found)
    assert seen["tree", "AE(arx)", "mae", None].error == seen["tree", "AE", "mae", None].error
    with pytest.raises(maskwise.InputError, match="another class than the data in 1 record"):
        maskwise.evaluate(whole, CHARGES, against={"arx": ours.assign(charges=ours["charges"] + (ours.index == 3))})


@pytest.mark.slow
def test_a_report_shows_the_errors_among_several_measures() -> None:
    whole = people(200).drop(columns="charges")
    outcome = maskwise.anonymize(whole, POLICY)
    found = maskwise.evaluate(whole, POLICY, classifiers=["naive-bayes"], measures=["auc", "error"], by="sex")
    error = next(one.error for one in found.records if one.metric == "error" and one.measure == "AE" and not one.by)
    text = report(outcome, Audience.OWNER, found).to_markdown()
    assert text.count(f"| the masked columns, k = 10 | {error:.2f} |") == 1
    only_areas = maskwise.evaluate(whole, POLICY, classifiers=["naive-bayes"], measures=["auc"])
    assert "What it costs a classifier" not in report(outcome, Audience.OWNER, only_areas).to_markdown()
