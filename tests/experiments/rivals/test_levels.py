"""The levels of full-domain generalization: trees, ranges and suppressed values."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from experiments.rivals.coded_table import code_training_set
from experiments.rivals.levels import make_levels

from maskwise.errors import InputError
from maskwise.formats.policy_file import read_policy
from maskwise.profile.columns import Column
from maskwise.profile.profile import profile
from maskwise.table.read import read
from tests.experiments.rivals import naive


def column_of(cells: list[Any], entry: Any) -> Column:
    asked = read_policy({"attributes": {"x": entry}, "requirements": [{"qid": ["x"], "k": 1}]})
    profiled, _ = profile(read(pa.table({"x": cells})), asked)
    return profiled.columns[0]


def labels_of(cells: list[Any], entry: Any, *, n_ranges: int = 4, borders: Any = None) -> list[list[str | None]]:
    """The label of each cell, level by level."""
    asked = read_policy({"class": "c", "attributes": {"x": entry}, "requirements": [{"qid": ["x"], "k": 1}]})
    training = code_training_set(pa.table({"x": cells, "c": ["a"] * len(cells)}), asked)
    levels = make_levels(training.coding.columns[0], n_ranges, borders)
    codes = levels.code(training.records.columns[0])
    return [[labels[code] for code in codes] for labels in levels.labels]


def test_a_leaf_is_shown_as_itself_until_a_level_is_above_it() -> None:
    leaves = [leaf for leaf in naive.PATHS if leaf is not None]
    shown = labels_of(leaves, {"taxonomy": naive.TREE})
    assert len(shown) == max(len(path) for path in naive.PATHS.values())
    for level, labels in enumerate(shown):
        depth = len(shown) - 1 - level
        assert labels == [naive.PATHS[leaf][min(depth, len(naive.PATHS[leaf]) - 1)] for leaf in leaves]


def test_ranges_are_joined_in_pairs() -> None:
    cells = list(range(10))
    shown = labels_of(cells, {"interval": [0, 9]})
    assert shown == [[naive.at_level((v, "none", "a"), (level, 0, 0))[0] for v in cells] for level in range(3)]


@pytest.mark.parametrize(("low", "high", "n_ranges"), [(0, 16, 16), (-7, 12, 8), (3, 5, 16), (0, 1, 2)])
def test_ranges_of_whole_numbers_are_as_wide_as_can_be_and_cover_all(low: int, high: int, n_ranges: int) -> None:
    levels = make_levels(column_of([low, high], {"interval": [low, high]}), n_ranges, None)
    borders = [low, *levels.borders.tolist(), high]
    assert borders == sorted(borders)
    assert levels.borders.dtype == np.int64
    exact = (high - low) / n_ranges
    for border in levels.borders.tolist():
        steps = [low + exact * i for i in range(1, n_ranges)]
        assert min(abs(border - step) for step in steps) < 1


def test_a_suppressed_attribute_is_shown_or_hidden_as_a_whole() -> None:
    assert labels_of(["b", "a", None], "suppress") == [["b", "a", None], ["*", "*", "*"]]


def test_a_missing_cell_is_shown_on_all_levels_but_the_last() -> None:
    tree = {"Any": {"A": ["a"], "b": None}}
    assert labels_of(["a", "b", None], {"taxonomy": tree}) == [["a", "b", None], ["A", "b", None], ["Any"] * 3]
    assert labels_of([0, 4, None], {"interval": [0, 4]}, n_ranges=2) == [["[0, 2)", "[2, 4]", None], ["[0, 4]"] * 3]


def test_cells_with_the_same_label_have_the_same_number() -> None:
    asked = read_policy(
        {"class": "c", "attributes": {"x": {"taxonomy": naive.TREE}}, "requirements": [{"qid": ["x"], "k": 1}]}
    )
    cells = ["primary", "secondary", "master", "none", None, "primary"]
    training = code_training_set(pa.table({"x": cells, "c": list("aabbab")}), asked)
    levels = make_levels(training.coding.columns[0], 4, None)
    codes = levels.code(training.records.columns[0])
    for labels, numbers in zip(levels.labels, levels.codes_by_level(training.records.columns[0]), strict=True):
        shown = [labels[code] for code in codes]
        pairs = set(zip(shown, numbers.tolist(), strict=True))
        assert len(pairs) == len(set(shown)) == len(set(numbers.tolist()))


def test_given_borders_must_join_ranges_of_the_level_below() -> None:
    column = column_of([0, 9], {"interval": [0, 9]})
    assert len(make_levels(column, 4, [[2, 8], [8]]).labels) == 3
    with pytest.raises(InputError, match="the level below does not have"):
        make_levels(column, 4, [[2, 8], [5]])
    with pytest.raises(InputError, match="rise inside its range"):
        make_levels(column, 4, [[8, 2]])
