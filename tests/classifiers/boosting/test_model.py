"""Gradient boosting as a whole: against a plain twin, against scikit-learn's, and on odd tables."""

from __future__ import annotations

import subprocess
import sys
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.ensemble import HistGradientBoostingClassifier, HistGradientBoostingRegressor
from sklearn.metrics import log_loss
from threadpoolctl import threadpool_limits

from maskwise.classifiers.boosting.model import fit, fit_numbers
from maskwise.classifiers.boosting.tree import Settings
from maskwise.datasets import load_adult
from tests.classifiers.boosting.test_tree import same_tree
from tests.reference import boosting as plain

SMALL = Settings(n_iterations=4, n_leaves=5, min_records=4)


def random_table(seed: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Values with missing cells, which columns are categories, and a hidden number that all depend on."""
    rng = np.random.default_rng(seed)
    n = int(rng.integers(1, 120))
    hidden = rng.normal(size=n)
    n_columns = int(rng.integers(1, 4))
    values = np.empty((n, n_columns))
    for c in range(n_columns):
        seen = hidden * rng.integers(0, 3) + rng.normal(size=n)
        values[:, c] = np.unique(np.round(seen, int(rng.integers(0, 2))), return_inverse=True)[1]
    values[rng.random(values.shape) < rng.choice([0.0, 0.2])] = np.nan
    return values, rng.random(n_columns) < 0.5, hidden


def as_rows(values: np.ndarray) -> list[list[float | None]]:
    return [[None if np.isnan(cell) else cell for cell in row] for row in values.tolist()]


@settings(deadline=None, max_examples=60)
@given(st.integers(0, 2**32), st.sampled_from([1, 2, 2, 3, 5]))
def test_the_model_of_classes_is_the_plain_one(seed: int, n_classes: int) -> None:
    values, is_category, hidden = random_table(seed)
    classes = 2 * np.clip(np.round(hidden) + 1, 0, n_classes - 1).astype(np.int64)  # every second class is absent
    model = fit(values, is_category, classes, 2 * n_classes, SMALL)
    twin = plain.Plain(as_rows(values), is_category.tolist(), classes.tolist(), 4, 5, 4)
    assert model.present.tolist() == twin.present
    assert model.ensemble.start.tolist() == twin.start
    for trees, plain_trees in zip(model.ensemble.trees, twin.trees, strict=True):
        for tree, nodes in zip(trees, plain_trees, strict=True):
            same_tree(tree, nodes, twin.columns)
    later = np.vstack([values, values + 1, np.full((1, values.shape[1]), np.nan)])
    expected = [[twin.chances(row).get(label, 0.0) for label in range(2 * n_classes)] for row in as_rows(later)]
    assert model.predict_chances(later).tolist() == expected


@settings(deadline=None, max_examples=40)
@given(st.integers(0, 2**32), st.sampled_from([0.0, 1e-3, 1.0, 1e9]))
def test_the_model_of_numbers_is_the_plain_one(seed: int, size: float) -> None:
    values, is_category, hidden = random_table(seed)
    model = fit_numbers(values, is_category, hidden * size, SMALL)
    twin = plain.Plain(as_rows(values), is_category.tolist(), (hidden * size).tolist(), 4, 5, 4, is_number=True)
    assert model.predict_numbers(values).tolist() == [twin.number(row) for row in as_rows(values)]


def adult_values(names: list[str]) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Adult as ranks and numbers of categories, and the class."""
    table = load_adult()
    columns, is_category = [], []
    for name in names:
        coded = table[name].combine_chunks().dictionary_encode()
        distinct = coded.dictionary.to_pylist()
        rank = np.append(np.argsort(np.argsort(distinct)), np.nan)
        columns.append(rank[coded.indices.fill_null(len(distinct)).to_numpy()])
        is_category.append(isinstance(distinct[0], str))
    _, classes = np.unique(table["income"].to_pylist(), return_inverse=True)
    return np.column_stack(columns), np.array(is_category), classes


def theirs(is_category: np.ndarray) -> Any:
    return HistGradientBoostingClassifier(max_iter=60, categorical_features=is_category, early_stopping=False)


FEATURES = [name for name in load_adult().column_names if name != "income"]


@pytest.mark.slow
@pytest.mark.parametrize("names", [FEATURES, FEATURES[:7], FEATURES[7:]])
def test_on_adult_it_predicts_as_well_as_scikit_learns(names: list[str]) -> None:
    values, is_category, classes = adult_values(names)
    fold = np.random.default_rng(0).permutation(len(classes)) % 3
    ours, other = np.empty((len(classes), 2)), np.empty((len(classes), 2))
    with threadpool_limits(1):
        for f in range(3):
            train, test = fold != f, fold == f
            ours[test] = fit(values[train], is_category, classes[train]).predict_chances(values[test])
            other[test] = theirs(is_category).fit(values[train], classes[train]).predict_proba(values[test])
    assert log_loss(classes, ours) == pytest.approx(log_loss(classes, other), abs=0.002)
    assert (ours.argmax(1) != classes).mean() == pytest.approx((other.argmax(1) != classes).mean(), abs=0.003)


@pytest.mark.slow
def test_of_several_classes_it_predicts_as_well_as_scikit_learns() -> None:
    values, is_category, classes = adult_values(FEATURES)
    job = FEATURES.index("relationship")
    classes = values[:, job].astype(np.int64)
    rest = [c for c in range(len(FEATURES)) if c != job]
    values, is_category = values[:, rest], is_category[rest]
    train = np.arange(len(classes)) < 20_000
    with threadpool_limits(1):
        other = theirs(is_category).fit(values[train], classes[train]).predict_proba(values[~train])
    ours = fit(values[train], is_category, classes[train]).predict_chances(values[~train])
    assert log_loss(classes[~train], ours) == pytest.approx(log_loss(classes[~train], other), abs=0.002)


@pytest.mark.slow
def test_numbers_are_predicted_as_well_as_scikit_learns() -> None:
    values, is_category, _ = adult_values(FEATURES)
    ages, rest = values[:, 0], values[:, 1:]
    train = np.arange(len(ages)) < 20_000
    other = HistGradientBoostingRegressor(max_iter=60, categorical_features=is_category[1:], early_stopping=False)
    with threadpool_limits(1):
        wrong = other.fit(rest[train], ages[train]).predict(rest[~train]) - ages[~train]
    ours = fit_numbers(rest[train], is_category[1:], ages[train]).predict_numbers(rest[~train]) - ages[~train]
    assert np.square(ours).mean() == pytest.approx(np.square(wrong).mean(), rel=0.005)


@pytest.mark.slow
@pytest.mark.parametrize("n_classes", [2, 4])
def test_the_order_of_records_changes_nothing(n_classes: int) -> None:
    rng = np.random.default_rng(0)
    values = rng.integers(0, 9, (800, 3)).astype(np.float64)
    values[rng.random(values.shape) < 0.1] = np.nan
    classes = rng.integers(0, n_classes, 800)
    is_category = np.array([True, False, False])
    order = rng.permutation(800)
    first, again = fit(values, is_category, classes), fit(values[order], is_category, classes[order])
    assert first.predict_chances(values).tobytes() == again.predict_chances(values).tobytes()
    numbers = rng.normal(size=800)
    first_numbers = fit_numbers(values, is_category, numbers)
    again_numbers = fit_numbers(values[order], is_category, numbers[order])
    assert first_numbers.predict_numbers(values).tobytes() == again_numbers.predict_numbers(values).tobytes()


def test_tables_with_nothing_to_learn() -> None:
    values, is_category = np.full((40, 2), np.nan), np.array([True, False])
    classes = np.repeat([0, 1], [10, 30])
    assert fit(values, is_category, classes).predict_chances(values[:1])[0] == pytest.approx([0.25, 0.75], abs=1e-6)
    assert fit(values, is_category, classes * 0 + 2, 4).predict_chances(values[:1]).tolist() == [[0, 0, 1, 0]]
    one = fit(values[:1], is_category, classes[:1])
    assert one.predict_chances(np.array([[3.0, 5.0]])).tolist() == [[1.0]]
    assert fit_numbers(values, is_category, np.zeros(40)).predict_numbers(values).tolist() == [0.0] * 40


def test_missing_cells_go_to_the_better_side() -> None:
    values = np.concatenate([np.zeros(50), np.ones(50), np.full(50, np.nan)])[:, None]
    for classes in (np.repeat([0, 1, 1], 50), np.repeat([0, 1, 0], 50)):
        for is_category in (True, False):
            model = fit(values, np.array([is_category]), classes)
            assert model.predict_chances(values).argmax(axis=1).tolist() == classes.tolist()


@pytest.mark.slow
def test_it_needs_no_scikit_learn() -> None:
    code = "import sys; sys.modules['sklearn'] = None; import maskwise.classifiers.boosting.model"
    subprocess.run([sys.executable, "-c", code], check=True)
