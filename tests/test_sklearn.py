"""The scikit-learn side: checks, pipelines, grids, JSON."""

from __future__ import annotations

import json
import pickle
import re
import warnings
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.base import clone
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import OneHotEncoder
from sklearn.utils.estimator_checks import parametrize_with_checks

import maskwise
from maskwise import Masker

SUBTRACTS = "the check subtracts outputs from each other, and labels are text"
NOT_FOR_TEXT = dict.fromkeys(
    (
        "check_pipeline_consistency",
        "check_estimators_pickle",
        "check_transformer_data_not_an_array",
        "check_transformer_general",
        "check_methods_sample_order_invariance",
        "check_methods_subset_invariance",
        "check_fit_idempotent",
    ),
    SUBTRACTS,
)


@pytest.mark.slow
@parametrize_with_checks(
    [Masker(), Masker(encode="label"), Masker(method="regions")],
    expected_failed_checks=lambda masker: NOT_FOR_TEXT if masker.encode == "label" else {},
)
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.SkipTestWarning")
def test_scikit_learns_own_checks(estimator: Any, check: Any) -> None:
    check(estimator)


def people(n: int = 300, seed: int = 0) -> tuple[pd.DataFrame, np.ndarray]:
    rng = np.random.default_rng(seed)
    age = rng.integers(18, 90, n)
    job = rng.choice(["clerk", "nurse", "trader"], n)
    risk = np.where(age + 10 * (job == "nurse") + rng.normal(0, 8, n) > 55, "high", "low")
    return pd.DataFrame({"age": age, "job": job, "note": rng.choice(["x", "y"], n)}), risk


POLICY = {
    "attributes": {"age": {"interval": [0, 120]}, "job": "suppress"},
    "requirements": [{"qid": ["age", "job"], "k": 20}],
}


def test_training_rows_meet_the_requirement() -> None:
    frame, risk = people()
    shown = Masker(POLICY, encode="label").fit_transform(frame, risk)
    assert shown.groupby(["age", "job"]).size().min() >= 20
    assert shown["note"].equals(frame["note"])


@pytest.mark.slow
def test_grid_search_tunes_k_in_a_pipeline() -> None:
    frame, risk = people()
    pipeline = make_pipeline(Masker(encode="label"), OneHotEncoder(handle_unknown="ignore"), LogisticRegression())
    grid = GridSearchCV(pipeline, {"masker__k": [5, 50]}, cv=3).fit(frame[["age", "job"]], risk)
    assert grid.best_score_ > 0.6
    assert set(grid.cv_results_["param_masker__k"]) == {5, 50}


def test_a_bare_masker_works_in_a_pipeline_that_takes_numbers() -> None:
    frame, risk = people()
    pipeline = make_pipeline(Masker(), LogisticRegression(max_iter=1_000)).fit(frame[["age", "job"]], risk)
    assert pipeline.score(frame[["age", "job"]], risk) > 0.6


def test_grid_search_tunes_the_k_of_a_policy() -> None:
    frame, risk = people()
    asked = [{"qid": ["age", "job"], "k": 20}, {"qid": ["job"], "k": 40}]
    pipeline = Pipeline([("mask", Masker({**POLICY, "requirements": asked})), ("learn", LogisticRegression())])
    ks = [5, 50, {"age, job": 9}]
    grid = GridSearchCV(pipeline, {"mask__k": ks}, cv=3, refit=False).fit(frame[["age", "job"]], risk)
    assert not np.isnan(grid.cv_results_["mean_test_score"]).any()
    for k, expected in zip([*ks, None], [(5, 5), (50, 50), (9, 40), (20, 40)], strict=True):
        masker = clone(pipeline).set_params(mask__k=k).named_steps["mask"].fit(frame[["age", "job"]], risk)
        assert tuple(one.requirement.k for one in masker.verdict_.findings) == expected
        assert all(one.is_met for one in masker.verdict_.findings)


def test_clone_keeps_parameters_and_forgets_the_fit() -> None:
    frame, risk = people()
    fitted = Masker(POLICY, criterion="infogain", encode="label").fit(frame, risk)
    fresh = clone(fitted)
    assert fresh.get_params() == fitted.get_params()
    assert not hasattr(fresh, "solution_")


def test_set_output_decides_what_an_array_comes_back_as() -> None:
    array = np.random.default_rng(0).integers(0, 9, (80, 2))
    shown = Masker(k=10, encode="label").set_output(transform="pandas").fit_transform(array, np.arange(80) % 2)
    assert isinstance(shown, pd.DataFrame)
    assert list(shown.columns) == ["x0", "x1"]


def test_polars_in_polars_out() -> None:
    frame, risk = people()
    shown = Masker(POLICY, encode="label").fit(pl.from_pandas(frame), risk).transform(pl.from_pandas(frame))
    assert isinstance(shown, pl.DataFrame)
    assert shown["age"].dtype == pl.String


def test_json_round_trip_masks_alike() -> None:
    frame, risk = people()
    masker = Masker(POLICY, encode="label").fit(frame, risk)
    text = masker.to_json()
    again = Masker.from_json(text)
    later, _ = people(50, seed=9)
    pd.testing.assert_frame_equal(again.transform(later), masker.transform(later))
    assert json.loads(again.to_json()) == json.loads(text)


def test_fit_takes_the_class_from_the_policy_when_y_is_absent() -> None:
    frame, risk = people()
    with_class = frame.assign(risk=risk)
    by_column = Masker({**POLICY, "class": "risk"}).fit(with_class)
    by_target = Masker(POLICY, encode="label").fit(frame, risk)
    assert by_column.solution_.cuts == by_target.solution_.cuts


@pytest.mark.slow
def test_ordinal_numbers_follow_the_labels() -> None:
    frame, risk = people()
    labels = Masker(POLICY, encode="label").fit_transform(frame, risk)["age"]
    masker = Masker(POLICY, encode="ordinal").fit(frame, risk)
    numbers = masker.transform(frame)["age"]
    order = masker.solution_.cut("age").labels
    assert [order[int(number)] for number in numbers] == labels.tolist()


def test_numbers_outside_the_range_are_shown_as_such() -> None:
    frame, risk = people()
    masker = Masker(POLICY, encode="label").fit(frame, risk)
    later = pd.DataFrame({"age": [-1, 0, 120, 121], "job": ["nurse"] * 4, "note": ["x"] * 4})
    labels = masker.solution_.cut("age").labels
    beyond = "[0, 120] or outside"
    assert masker.transform(later)["age"].tolist() == [beyond, labels[0], labels[-1], beyond]
    numbers = Masker(POLICY, encode="ordinal").fit(frame, risk).transform(later)["age"]
    assert numbers.tolist() == [-1, 0, len(labels) - 1, -1]


@pytest.mark.slow
@pytest.mark.parametrize("options", [{"boundaries": "exact"}, {"boundaries": "safe"}, {"as_published": True}, {}])
def test_boundaries_are_those_of_a_release(options: dict[str, Any]) -> None:
    frame, risk = people()
    masker = Masker(POLICY, **options).fit(frame, risk)
    asked = {**POLICY, "class": "risk"}
    assert masker.solution_.cuts == maskwise.anonymize(frame.assign(risk=risk), asked, **options).solution.cuts
    criterion = "score" if "as_published" in options else None
    exact = (
        Masker(POLICY, boundaries="exact", criterion=criterion, encode="label")
        .fit(frame, risk)
        .solution_.cut("age")
        .breaks
    )
    assert (masker.solution_.cut("age").breaks == exact) is (options not in ({}, {"boundaries": "safe"}))
    again = Masker.from_json(masker.to_json())
    assert (again.boundaries, again.as_published) == (masker.boundaries, masker.as_published)


@pytest.mark.parametrize("text", ["{}", "not json", '{"masker": {"nonsense": 1}, "feature_names": [], "solution": {}}'])
def test_foreign_json_is_refused(text: str) -> None:
    with pytest.raises(maskwise.InputError, match="not the JSON of a Masker"):
        Masker.from_json(text)


def test_an_unknown_encoding_is_refused() -> None:
    frame, risk = people()
    with pytest.raises(maskwise.InputError, match="`label`, `ordinal`"):
        Masker(POLICY, encode="one-hot").fit(frame, risk)


def test_later_rows_need_neither_class_nor_dropped_columns() -> None:
    frame, risk = people()
    policy = {**POLICY, "class": "risk", "drop": ["note"]}
    masker = Masker(policy, encode="label").fit(frame.assign(risk=risk))
    later, _ = people(20, seed=4)
    shown = masker.transform(later.drop(columns="note"))
    assert list(shown.columns) == ["age", "job"]
    assert masker.n_features_in_ == 2
    pd.testing.assert_frame_equal(masker.transform(later), shown)


def test_a_class_in_the_rows_does_not_reach_a_model_and_the_owner_is_told() -> None:
    frame, risk = people()
    masker = Masker({**POLICY, "class": "risk", "drop": ["note"]}).fit(frame.assign(risk=risk))
    given = frame.assign(risk=risk)
    # As scikit-learn has it: the names that come out do not depend on what else is in X.
    assert list(masker.transform(given).columns) == masker.get_feature_names_out().tolist() == ["age", "job"]
    (said,) = [note for note in masker.notes_ if "no features" in note]
    assert set(re.findall("`([a-z]+)`", said)) == {*masker.no_features_, "transform"} == {"risk", "note", "transform"}
    assert said in masker.summary()
    assert said in Masker.from_json(masker.to_json()).summary()


def test_rows_most_of_whose_cells_are_unknown_are_warned_of() -> None:
    x, y = people()
    x["job"] = x["job"].map({"clerk": "01", "nurse": "02", "trader": "03"})
    masker = Masker(POLICY, encode="label").fit(x, y)
    with pytest.warns(maskwise.MaskwiseWarning, match=r"`job` has 3 values .* in 300 of 300 rows"):
        masker.transform(x.assign(job=x["job"].astype(int)))
    with warnings.catch_warnings():
        warnings.simplefilter("error", maskwise.MaskwiseWarning)
        masker.transform(x)
        masker.transform(x.assign(job=x["job"].where(x.index != 3, "04")))


def test_a_transformer_keeps_the_index_of_its_rows() -> None:
    frame, risk = people()
    masker = Masker(POLICY, encode="label").fit(frame, risk)
    later = people(10, seed=4)[0].set_index(pd.Index(list("abcdefghij")))
    assert list(masker.transform(later).index) == list("abcdefghij")


@pytest.mark.parametrize(
    ("params", "y", "says"),
    [
        ({"policy": POLICY, "k": {"age": 9}}, "given", "asks for no k on `age`. It does on `age, job`"),
        ({"k": {"age, job": 9}}, "given", "Give a policy, or a number"),
        ({"policy": {**POLICY, "missing": "drop"}}, "given", "keeps every row"),
        ({"policy": {**POLICY, "class": "risk"}}, None, "neither a column of X nor given as y"),
    ],
)
def test_what_a_transformer_cannot_do_is_told(params: dict[str, Any], y: str | None, says: str) -> None:
    frame, risk = people()
    with pytest.raises(maskwise.InputError, match=says):
        Masker(**params).fit(frame, risk if y else None)


def test_missing_cells_of_object_arrays_and_mixed_columns() -> None:
    array = np.array([["a", 1], [None, 2], [pd.NA, 3], ["b", np.nan]] * 3, object)
    assert Masker(k=2, encode="label").fit_transform(array, list("xyxy") * 3).shape == (12, 2)
    with pytest.raises(maskwise.InputError, match="mixes types"):
        Masker(k=1, encode="label").fit(np.array([["a"], [1]], object))


def test_a_misspelt_protected_value_is_warned_of() -> None:
    table = pd.DataFrame({"Age": [20, 30] * 10, "Ill": ["HIV", "Flu", "Flu", "Flu"] * 5})
    policy = {"requirements": [{"qid": ["Age"], "sensitive": {"Ill": ["HVI"]}, "confidence": 0.9}]}
    with pytest.warns(UserWarning, match="`HVI` of `Ill` is protected but occurs in no record"):
        Masker(policy, encode="label").fit(table)


# Searches that draw at random.


def mixed(n: int = 600) -> tuple[pd.DataFrame, list[str]]:
    rng = np.random.default_rng(5)
    table = pd.DataFrame({name: rng.integers(0, 8, n) for name in "abcdef"})
    told = table["a"] + table["b"] * (table["c"] > 3) + rng.normal(0, 3, n)
    return table, ["y" if one > 5 else "x" for one in told]


RANDOM: list[dict[str, Any]] = [{"method": "regions"}]


@pytest.mark.slow
@pytest.mark.parametrize("options", RANDOM)
def test_random_state_is_the_seed_of_the_search(options: dict[str, Any]) -> None:
    table, classes = mixed()
    policy = {"class": "cls", "requirements": [{"qid": list("abcdef"), "k": 20}]}
    for seed in (0, 7):
        masker = Masker(policy, random_state=seed, **options).fit(table, classes)
        outcome = maskwise.anonymize(table.assign(cls=classes), policy, seed=seed, **options)
        assert masker.solution_.cuts == outcome.solution.cuts
        assert masker.solution_.notes == outcome.solution.notes
    unseeded = Masker(policy, **options).fit(table, classes)
    assert unseeded.solution_.cuts == Masker(policy, random_state=0, **options).fit(table, classes).solution_.cuts


@pytest.mark.slow
def test_a_generator_is_drawn_from_at_each_fit_and_not_saved(monkeypatch: pytest.MonkeyPatch) -> None:
    seeds: list[int] = []
    solve = maskwise.sklearn.solve

    def heard(table: Any, policy: Any, options: Any, **others: Any) -> Any:
        seeds.append(options.seed)
        return solve(table, policy, options, **others)

    monkeypatch.setattr("maskwise.sklearn.solve", heard)
    table, classes = mixed(100)
    masker = Masker(k=5, random_state=np.random.RandomState(3), encode="label")
    masker.fit(table, classes).fit(table, classes)
    assert len(set(seeds)) == 2
    saved = Masker.from_json(masker.to_json())
    assert saved.random_state is None
    assert saved.transform(table).equals(masker.transform(table))
    assert (
        Masker.from_json(
            Masker(k=5, random_state=np.int64(4), encode="label").fit(table, classes).to_json()
        ).random_state
        == 4
    )


@pytest.mark.parametrize(("options", "says"), [({"random_state": -1}, "seed"), ({"effort": 2}, "An effort")])
def test_what_no_search_takes_is_refused(options: dict[str, Any], says: str) -> None:
    table, classes = mixed(100)
    with pytest.raises(maskwise.InputError, match=says):
        Masker(k=5, **options).fit(table, classes)


def test_columns_that_are_not_kept_are_no_features() -> None:
    data = pd.DataFrame({"age": range(20), "note": [str(i) for i in range(20)], "town": ["a", "b"] * 10})
    policy = {"requirements": [{"qid": ["age"], "k": 5}], "keep": ["town"]}
    masker = Masker(policy, encode="label").fit(data)
    assert list(masker.transform(data).columns) == ["age", "town"]
    assert list(masker.get_feature_names_out()) == ["age", "town"]


def test_a_fitted_masker_has_a_verdict_notes_and_a_summary() -> None:
    rows, y = people()
    masker = Masker(k=7, encode="label").fit(rows, y)
    shown = masker.transform(rows)
    smallest = shown.groupby(list(shown.columns), dropna=False).size().min()
    assert masker.verdict_.is_met
    assert masker.verdict_.findings[0].figure == smallest
    assert masker.verdict_.n_rows == len(rows)
    assert any("no entry" in note for note in masker.notes_)
    text = masker.summary()
    assert text.startswith("Found on 300 training rows.")
    assert f"met, reaches {smallest}" in text
    assert masker.notes_[0] in text

    loaded = Masker.from_json(masker.to_json())
    assert (loaded.verdict_, loaded.notes_) == (None, ())
    assert "(interval) shows" in loaded.summary()


def test_the_recount_of_a_masker_is_that_of_all_its_requirements() -> None:
    rows = pd.DataFrame({"age": range(40), "ill": ["HIV", "flu", "flu", "flu"] * 10})
    policy = {
        "requirements": [{"qid": ["age"], "k": 4}, {"qid": ["age"], "sensitive": {"ill": ["HIV"]}, "confidence": 0.5}]
    }
    masker = Masker(policy, encode="label").fit(rows)
    shares = masker.transform(rows).groupby("age")["ill"].agg(lambda cells: (cells == "HIV").mean())
    assert masker.verdict_.findings[1].figure == pytest.approx(shares.max())


@pytest.mark.parametrize("as_object", [False, True])
def test_a_large_policy_does_not_fill_pages(as_object: bool) -> None:
    tree = {"Any": {f"group {i}": [f"value {i} {j}" for j in range(50)] for i in range(50)}}
    policy = {"attributes": {"job": {"taxonomy": tree}}, "requirements": [{"qid": ["job"], "k": 5}]}
    masker = Masker(maskwise.read_policy(policy) if as_object else policy, effort=3)
    assert repr(masker) == "Masker(effort=3, policy=<policy: 1 entry, 1 requirement>)"
    small = {"requirements": [{"qid": ["job"], "k": 5}]}
    assert repr(Masker(small)) == "Masker(policy={'requirements': [{'k': 5, 'qid': ['job']}]})"


def test_a_masker_counts_a_protected_column_that_is_dropped() -> None:
    """Needed to fit, not to transform."""
    people = pd.DataFrame({"Age": range(60), "Ill": ["HIV", "Flu", "Flu"] * 20})
    asked = {
        "attributes": {"Age": {"interval": [0, 59]}},
        "requirements": [{"qid": ["Age"], "sensitive": {"Ill": {"any": ["H*"]}}, "confidence": 0.4}],
        "drop": ["Ill"],
    }
    masker = Masker(asked, encode="label").fit(people)
    shown = masker.transform(people[["Age"]])
    assert list(shown.columns) == ["Age"]
    assert (people["Ill"].eq("HIV").groupby(shown["Age"]).mean() <= 0.4).all()
    assert len(set(shown["Age"])) > 1
    assert Masker.from_json(masker.to_json()).transform(people[["Age"]]).equals(shown)


def test_persons_are_counted_in_fit_and_dropped_in_transform() -> None:
    visits = pd.DataFrame(
        {
            "id": [f"p{i // 4}" for i in range(80)],
            "age": [20 + 2 * (i // 4) for i in range(80)],
            "cls": ["lo" if i < 40 else "hi" for i in range(80)],
        }
    )
    policy = {"class": "cls", "person": "id", "requirements": [{"qid": ["age"], "k": 8}]}
    masker = Masker(policy, as_published=True, encode="label").fit(visits)
    shown = masker.transform(visits.drop(columns=["id"]))
    assert list(shown.columns) == ["age"]
    persons = shown.assign(id=visits["id"]).groupby("age")["id"].nunique()
    assert persons.min() == masker.solution_.reached[0].figure == 10
    again = Masker.from_json(masker.to_json())
    assert again.solution_.person == masker.solution_.person
    assert again.transform(visits).equals(masker.transform(visits))
    with pytest.raises(maskwise.InputError, match="counts persons by `id`, which is not a column of X"):
        Masker(policy, encode="label").fit(visits.drop(columns=["id"]))


@pytest.mark.slow
@pytest.mark.parametrize("encode", ["label", "ordinal"])
def test_regions_are_applied_pickled_and_written_as_any_cut(encode: str) -> None:
    table, risk = people()
    masker = Masker(k=12, method="regions", encode=encode).fit(table, risk)
    assert masker.solution_.regions is not None
    labels = masker.set_params(encode="label").transform(table)
    masker.set_params(encode=encode)
    shown = masker.transform(table)
    again = [pickle.loads(pickle.dumps(masker)), Masker.from_json(masker.to_json())]  # noqa: S301 - our own
    for other in again:
        pd.testing.assert_frame_equal(other.transform(table), shown)
    for cut in masker.solution_.cuts:
        assert set(labels[cut.attribute].dropna()) == set(cut.labels)
        if encode == "ordinal":
            numbers = {label: i for i, label in enumerate(cut.labels)}
            assert shown[cut.attribute].tolist() == [numbers[label] for label in labels[cut.attribute]]
    later = table.head(3).assign(**{masker.solution_.cuts[0].attribute: [10**6, -(10**6), 10**6]})
    column = masker.transform(later)[masker.solution_.cuts[0].attribute].tolist()
    assert all(cell == -1 if encode == "ordinal" else cell.endswith(" or outside") for cell in column)
