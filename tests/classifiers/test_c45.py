"""The C4.5 classifier: against a plain twin, on known trees, on Adult, and as scikit-learn wants it."""

from __future__ import annotations

import datetime as dt
import math
import pickle
import subprocess
import sys
import time
from statistics import NormalDist
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.base import clone
from sklearn.model_selection import cross_val_score
from sklearn.utils.estimator_checks import parametrize_with_checks

import maskwise
from maskwise.classifiers.c45 import record_kernels
from maskwise.classifiers.c45 import split_kernels as splits
from maskwise.datasets import load_adult
from maskwise.evaluation import C45Classifier
from tests.reference import c45 as plain

OUTLOOK = {"s": "sunny", "o": "overcast", "r": "rainy"}
WEATHER = pd.DataFrame(
    {
        "outlook": [OUTLOOK[letter] for letter in "ssorrrossrsoor"],
        "temperature": [85, 80, 83, 70, 68, 65, 64, 72, 69, 75, 75, 72, 81, 71],
        "humidity": [85, 90, 86, 96, 80, 70, 65, 95, 70, 80, 70, 90, 75, 91],
        "windy": [False, True, False, False, False, True, True, False, False, False, True, True, False, True],
    }
)
PLAY = np.array([{"n": "no", "y": "yes"}[letter] for letter in "nnyyynynyyyyyn"])
WEATHER_TREE = """\
outlook = overcast: yes (4)
outlook = rainy
|   windy = false: yes (3)
|   windy = true: no (2)
outlook = sunny
|   humidity <= 75: yes (2)
|   humidity > 75: no (3)"""


@parametrize_with_checks([C45Classifier()])
def test_scikit_learns_own_checks(estimator: Any, check: Any) -> None:
    check(estimator)


def test_the_weather_table_has_its_well_known_tree() -> None:
    tree = C45Classifier().fit(WEATHER, PLAY)
    assert tree.describe() == WEATHER_TREE
    assert (tree.root_, tree.n_nodes_, tree.n_leaves_) == ("outlook", 8, 5)
    assert tree.predict(WEATHER).tolist() == PLAY.tolist()


def test_gain_ratio_of_outlook_is_the_books() -> None:
    hist = np.array([[0.0, 4], [2, 3], [3, 2]])
    gain, ratio = splits.category_gain(hist, 3, 14.0, 14.0, 2)
    assert gain == pytest.approx(0.247, abs=5e-4)
    assert ratio == pytest.approx(0.156, abs=5e-4)


def random_table(seed: int) -> tuple[list[dict[str, Any]], list[str]]:
    """A small table whose class depends on a hidden number, as most columns do."""
    rng = np.random.default_rng(seed)
    n, n_classes, noise = int(rng.integers(1, 150)), int(rng.integers(1, 5)), rng.choice([0.1, 0.5])
    hidden = rng.normal(size=n)
    columns: dict[str, list[Any]] = {}
    for i in range(int(rng.integers(1, 5))):
        seen = hidden * rng.integers(0, 4) + rng.normal(size=n)
        if rng.random() < 0.5:
            columns[f"a{i}"] = np.round(seen, int(rng.integers(0, 3))).tolist()
        else:
            columns[f"a{i}"] = [f"v{code}" for code in np.floor(seen * rng.integers(1, 3)).astype(int)]
        for row in np.flatnonzero(rng.random(n) < rng.choice([0.0, 0.0, 0.1, 0.3])):
            columns[f"a{i}"][row] = None
    labels = np.clip(np.round(hidden + rng.normal(size=n) * noise) + 1, 0, n_classes - 1)
    rows = [dict(zip(columns, cells, strict=True)) for cells in zip(*columns.values(), strict=True)]
    return rows, [f"c{int(label)}" for label in labels]


def as_polars(rows: list[dict[str, Any]], plain_tree: plain.Plain) -> pl.DataFrame:
    schema = {name: pl.Float64 if plain_tree.is_number(name) else pl.String for name in rows[0]}
    return pl.DataFrame(rows, schema=schema)


def same_tree(model: C45Classifier, twin: plain.Plain) -> None:
    """Walk both trees side by side."""
    todo = [(0, twin.root)]
    while todo:
        at, node = todo.pop()
        attribute, cut = int(model.tree_.attribute[at]), int(model.tree_.cut[at])
        counts = plain.classes_of(node["records"])
        assert model.tree_.counts[at].tolist() == pytest.approx([counts[label] for label in twin.classes], abs=1e-9)
        assert (model.features_[attribute].name if attribute >= 0 else None) == node["attribute"]
        if attribute >= 0:
            numbers = model.features_[attribute].numbers
            assert (None if numbers is None else numbers[cut]) == node["cut"]
            assert model.tree_.n_branches[at] == len(node["branches"])
            todo.extend((int(model.tree_.first[at]) + i, branch) for i, branch in enumerate(node["branches"]))


@settings(deadline=None, max_examples=150)
@given(st.integers(0, 2**32), st.sampled_from([1, 2, 2, 4]), st.sampled_from([0.25, 0.25, 0.05, 0.5]))
def test_the_tree_is_the_plain_one(seed: int, min_records: int, cf: float) -> None:
    rows, labels = random_table(seed)
    twin = plain.Plain(rows, labels, min_records, cf)
    frame = as_polars(rows, twin)
    model = C45Classifier(min_records=min_records, cf=cf).fit(frame, labels)
    same_tree(model, twin)
    assert model.predict_proba(frame) == pytest.approx(np.array([twin.chances(row) for row in rows]), abs=1e-9)


@settings(deadline=None, max_examples=100)
@given(st.integers(0, 2**32))
def test_counting_and_sorting_give_the_same_tally(seed: int) -> None:
    rng = np.random.default_rng(seed)
    n_rows, n_values = int(rng.integers(1, 40)), int(rng.integers(1, 500))
    column = rng.integers(-1, n_values, n_rows).astype(np.int32)
    labels = rng.integers(0, 3, n_rows).astype(np.int32)
    rows = rng.permutation(n_rows)[: int(rng.integers(1, n_rows + 1))].astype(np.int32)
    weights = rng.random(len(rows))
    hist, present = np.zeros((n_values, 3)), np.empty(n_values, np.int64)
    n_present, known = splits.tally(rows, weights, labels, column, n_values, hist, present)
    expected: dict[int, list[float]] = {}
    for row, weight in zip(rows, weights, strict=True):
        if column[row] >= 0:
            expected.setdefault(int(column[row]), [0.0] * 3)[labels[row]] += weight
    assert present[:n_present].tolist() == sorted(expected)
    assert hist[:n_present] == pytest.approx(np.array([expected[v] for v in sorted(expected)]).reshape(-1, 3))
    assert known == pytest.approx(sum(map(sum, expected.values())))
    assert not hist[n_present:].any()


@settings(deadline=None, max_examples=200)
@given(st.floats(0.1, 1e5), st.floats(0, 1), st.sampled_from([0.01, 0.25, 0.5]))
def test_the_error_estimate_is_the_upper_end_of_an_interval(total: float, share: float, cf: float) -> None:
    wrong, z = total * share, NormalDist().inv_cdf(1 - cf)
    estimate = record_kernels.pessimistic(total, wrong, cf, z)
    assert estimate == pytest.approx(wrong + plain.added(total, wrong, cf), rel=1e-9, abs=1e-9)
    assert estimate >= wrong - 1e-9
    if wrong >= 1 and wrong + 0.5 < total:
        p, f = estimate / total, (wrong + 0.5) / total
        assert (p - f) ** 2 == pytest.approx(z * z * p * (1 - p) / total, rel=1e-5, abs=1e-12)


def test_the_error_estimates_of_the_book() -> None:
    z = NormalDist().inv_cdf(0.75)
    assert record_kernels.pessimistic(6.0, 0.0, 0.25, z) == pytest.approx(6 * 0.206, abs=5e-3)
    assert record_kernels.pessimistic(9.0, 0.0, 0.25, z) == pytest.approx(9 * 0.143, abs=5e-3)
    assert record_kernels.pessimistic(1.0, 0.0, 0.25, z) == pytest.approx(0.750, abs=5e-4)


def test_a_numeric_split_pays_for_its_choice_of_threshold() -> None:
    hist = np.array([[1.0, 0], [1, 0], [1, 0], [0, 1], [0, 1], [0, 1]])
    gain, ratio, at = splits.number_gain(hist, 6, 6.0, 6.0, 1)
    assert (gain, at) == (pytest.approx(1 - math.log2(5) / 6), 2)
    assert ratio == pytest.approx(gain)
    gain, _, _ = splits.number_gain(hist, 6, 6.0, 6.0, 2)
    assert gain == pytest.approx(1 - math.log2(3) / 6)


def test_the_threshold_is_the_largest_value_of_the_table_below_the_middle() -> None:
    group = ["a"] * 8 + ["b"] * 4
    x = [1, 1, 1, 1, 9, 9, 9, 9, 4, 6, 4, 6]
    tree = C45Classifier().fit(pd.DataFrame({"g": group, "x": x}), list("nnnnyyyy") + ["z"] * 4)
    assert "g = a\n|   x <= 4: n (4)\n|   x > 4: y (4)" in tree.describe()


def adult(columns: list[str]) -> tuple[Any, Any, Any, Any]:
    whole = load_adult()
    train, test = (part.drop_null() for part in (whole.slice(0, 32_561), whole.slice(32_561)))
    assert (train.num_rows, test.num_rows) == (30_162, 15_060)
    return (
        train.select(columns),
        train["income"].to_numpy(),
        test.select(columns),
        test["income"].to_numpy(),
    )


ATTRIBUTES = [name for name in load_adult().column_names if name != "income"]
TOP7 = ["age", "education-num", "marital-status", "relationship", "capital-gain", "sex", "hours-per-week"]
GA = ["age", "workclass", "education", "marital-status", "occupation", "race", "sex", "native-country"]


@pytest.mark.parametrize(
    ("columns", "n_wrong", "n_nodes", "n_leaves"),
    [
        (ATTRIBUTES, 2212, 724, 560),
        ([name for name in ATTRIBUTES if name not in TOP7], 3243, 188, 154),
        (GA, 2571, 330, 262),
    ],
)
def test_adult_gives_the_tree_of_weka(columns: list[str], n_wrong: int, n_nodes: int, n_leaves: int) -> None:
    """Weka 3.6's J48 has these sizes and errors: 14.69, 21.53 and 17.07 percent of 15,060."""
    train, y, test, truth = adult(columns)
    tree = C45Classifier().fit(train, y)
    assert (tree.n_nodes_, tree.n_leaves_) == (n_nodes, n_leaves)
    assert (tree.predict(test) != truth).sum() == n_wrong


def test_adult_with_its_missing_values_gives_the_tree_of_weka() -> None:
    """Weka 3.6's J48 gets 2,304 of all 16,281 test records wrong."""
    whole = load_adult()
    train, test = whole.slice(0, 32_561), whole.slice(32_561)
    assert train["workclass"].null_count > 1000
    tree = C45Classifier().fit(train.select(ATTRIBUTES), train["income"].to_numpy())
    assert (tree.n_nodes_, tree.n_leaves_) == (710, 564)
    assert (tree.predict(test.select(ATTRIBUTES)) != test["income"].to_numpy()).sum() == 2304


def test_adult_is_learned_in_seconds() -> None:
    train, y, _, _ = adult(ATTRIBUTES)
    C45Classifier().fit(train.slice(0, 500), y[:500])
    start = time.perf_counter()
    C45Classifier().fit(train, y)
    assert time.perf_counter() - start < 5


@pytest.mark.slow
def test_repeated_removal_ranks_the_attributes_as_the_papers_do() -> None:
    train, y, _, _ = adult(ATTRIBUTES)
    order: list[str] = []
    while len(order) < 9:
        rest = [name for name in ATTRIBUTES if name not in order]
        root = C45Classifier().fit(train.select(rest), y).root_
        assert root is not None
        order.append(root)
    assert order == [
        *("capital-gain", "age", "marital-status", "education-num", "relationship"),
        *("hours-per-week", "sex", "education", "occupation"),
    ]


def test_every_kind_of_table_gives_the_same_tree() -> None:
    as_array = WEATHER.astype(object).to_numpy()
    kinds = [WEATHER, pl.from_pandas(WEATHER), pa.Table.from_pandas(WEATHER), WEATHER.astype({"outlook": "category"})]
    kinds.append(pl.from_pandas(WEATHER).with_columns(pl.col("outlook").cast(pl.Categorical)))
    kinds.append(WEATHER.set_index(pd.Index(list("abcdefghijklmn"))))
    for kind in kinds:
        tree = C45Classifier().fit(kind, PLAY)
        assert tree.describe() == WEATHER_TREE
        assert tree.predict(kind).tolist() == PLAY.tolist()
        assert list(tree.feature_names_in_) == list(WEATHER.columns)
    for target in (PLAY.tolist(), pd.Series(PLAY, dtype="category"), pl.Series(PLAY), pa.array(PLAY)):
        assert C45Classifier().fit(WEATHER, target).describe() == WEATHER_TREE
    tree = C45Classifier().fit(as_array, PLAY)
    assert tree.predict(as_array).tolist() == PLAY.tolist()
    assert not hasattr(tree, "feature_names_in_")


def test_dates_times_decimals_and_truth_values() -> None:
    days = [dt.date(2020, 1, 1) + dt.timedelta(days=i) for i in range(20)]
    moments = [dt.datetime(2020, 1, 1, tzinfo=dt.UTC) + dt.timedelta(hours=i) for i in range(20)]
    y = np.repeat(["early", "late"], 10)
    columns = {
        "day": pa.array(days),
        "moment": pa.array(moments),
        "clock": pa.array([moment.time() for moment in moments]),
        "span": pa.array([moment - moments[0] for moment in moments]),
        "price": pa.array(range(20), pa.int32()).cast(pa.decimal128(12, 2)),
        "late": pa.array([False] * 10 + [True] * 10),
        "empty": pa.nulls(20),
    }
    for name in set(columns) - {"empty"}:
        table = pa.table({name: columns[name], "empty": columns["empty"]})
        tree = C45Classifier().fit(table, y)
        assert (tree.root_, tree.n_leaves_) == (name, 2)
        assert tree.predict(table).tolist() == y.tolist()
    by_day = C45Classifier().fit(pa.table({"day": columns["day"]}), y)
    assert by_day.predict(pd.DataFrame({"day": pd.to_datetime(days)})).tolist() == y.tolist()


def test_a_missing_value_goes_down_all_branches_in_parts() -> None:
    frame = pd.DataFrame({"job": ["a"] * 6 + ["b"] * 3 + [None]})
    tree = C45Classifier().fit(frame, list("xxxxxxyyyx"))
    assert tree.describe() == "job = a: x (6.67)\njob = b: y (3.33/0.33)"
    chances = tree.predict_proba(pd.DataFrame({"job": ["a", "b", None, "never seen"]}))
    assert chances[:2] == pytest.approx(np.array([[1, 0], [0.1, 0.9]]))
    assert chances[2] == pytest.approx([0.7, 0.3])
    assert chances[3] == pytest.approx(chances[2])


def test_a_branch_without_records_says_what_its_node_does() -> None:
    frame = pd.DataFrame({"g": ["a"] * 12 + ["b"] * 12, "v": list("ppppqqqqqqqqppppqqqqrrrr")})
    y = list("x" * 4 + "y" * 8 + "z" * 12)
    tree = C45Classifier().fit(frame, y)
    assert "|   v = r: y (0)" in tree.describe()
    later = pd.DataFrame({"g": ["a"], "v": ["r"]})
    assert tree.predict_proba(later)[0] == pytest.approx([1 / 3, 2 / 3, 0])


def test_tables_with_nothing_to_learn() -> None:
    constant = pd.DataFrame({"a": [1] * 6, "b": ["x"] * 6, "c": [None] * 6, "d": [np.nan] * 6})
    tree = C45Classifier().fit(constant, list("nyynyy"))
    assert (tree.root_, tree.n_nodes_, tree.describe()) == (None, 1, ": y (6/2)")
    assert tree.predict_proba(constant.assign(b="other", a=7)) == pytest.approx(np.tile([1 / 3, 2 / 3], (6, 1)))
    one_class = C45Classifier().fit(WEATHER, ["same"] * 14)
    assert one_class.predict(WEATHER).tolist() == ["same"] * 14
    assert one_class.predict_proba(WEATHER).tolist() == [[1.0]] * 14
    one_record = C45Classifier().fit(WEATHER[:1], PLAY[:1])
    assert one_record.predict(WEATHER).tolist() == ["no"] * 14


def test_numbers_of_any_size_are_told_apart() -> None:
    y = np.repeat([0, 1], 10)
    for scale in (1e-300, 1e-9, 1.0, 1e300):
        x = np.arange(20)[:, None] * scale
        assert C45Classifier().fit(x, y).score(x, y) == 1
    ends = pd.DataFrame({"x": [-np.inf] * 5 + [0.0] * 5 + [np.inf] * 5})
    three = np.repeat(list("abc"), 5)
    assert C45Classifier().fit(ends, three).predict(ends).tolist() == three.tolist()


def test_a_chain_deeper_than_the_stack_is_built_printed_and_pickled() -> None:
    x = np.arange(9000)[:, None]
    y = np.where(x[:, 0] % 25 < 5, x[:, 0] // 25 % 2, 2)
    tree = pickle.loads(pickle.dumps(C45Classifier(min_records=5).fit(x, y)))  # noqa: S301 - our own
    assert tree.score(x, y) > 0.75
    assert tree.describe()


def test_rows_in_another_order_give_the_same_tree() -> None:
    train, y, _, _ = adult(GA)
    order = np.random.default_rng(0).permutation(len(y))
    assert C45Classifier().fit(train.take(order), y[order]).describe() == C45Classifier().fit(train, y).describe()


def test_cloning_and_cross_validation() -> None:
    tree = C45Classifier(min_records=3, cf=0.1).fit(WEATHER, PLAY)
    fresh = clone(tree)
    assert fresh.get_params() == {"min_records": 3, "cf": 0.1}
    assert not hasattr(fresh, "tree_")
    assert cross_val_score(C45Classifier(), WEATHER, PLAY, cv=3).shape == (3,)


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


def test_importing_the_package_imports_nothing_heavy() -> None:
    heavy = ("sklearn", "numba", "numpy")
    code = f"import sys, maskwise, maskwise.evaluation; print([m for m in {heavy} if m in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
    assert "C45Classifier" in dir(maskwise.evaluation)
    with pytest.raises(AttributeError):
        _ = maskwise.evaluation.nonsense
