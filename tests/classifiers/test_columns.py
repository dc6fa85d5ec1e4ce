"""Any kind of table becomes the same codes."""

from __future__ import annotations

import datetime as dt

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa

from maskwise.classifiers.c45.classifier import C45Classifier
from maskwise.classifiers.columns import encode, learn_features, named_columns
from tests.classifiers.tables import PLAY, WEATHER, WEATHER_TREE


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


def test_a_number_between_two_of_the_training_table_has_the_code_of_the_upper_one() -> None:
    training = named_columns(pd.DataFrame({"x": [1.0, 3.0, None, 7.0], "job": ["b", None, "a", "b"]}))
    features = learn_features(training)
    assert [feature.n_values for feature in features] == [3, 2]
    assert features[1].categories == ("a", "b")
    later = named_columns(pd.DataFrame({"x": [0.0, 2.0, 7.0, 9.0, None], "job": ["a", "b", "c", None, "a"]}))
    assert encode(later, features).tolist() == [[0, 1, 2, 3, -1], [0, 1, -1, -1, 0]]


def test_an_array_has_columns_with_numbers_for_names() -> None:
    mixed = np.array([[1, "a"], [None, "b"]], object)
    assert [(name, column.to_pylist()) for name, column in named_columns(mixed)] == [
        ("x0", [1, None]),
        ("x1", ["a", "b"]),
    ]
