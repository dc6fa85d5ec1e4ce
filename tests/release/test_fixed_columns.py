"""Columns that are released at one depth of their taxonomy, in tables of every kind."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import narwhals.stable.v1 as nw
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import maskwise
from maskwise import InputError, RefusedError
from maskwise.formats import solution_file
from maskwise.solution.cut import Cut

TREE = {"ALL": {"low": {"1": None, "2": None}, "high": {"3": ["30", "31"]}, "none": None}}
ABOVE = {
    0: dict.fromkeys(["1", "2", "30", "31", "none"], "ALL"),
    1: {"1": "low", "2": "low", "30": "high", "31": "high", "none": "none"},
    2: {"1": "1", "2": "2", "30": "3", "31": "3", "none": "none"},
    3: {"1": "1", "2": "2", "30": "30", "31": "31", "none": "none"},
    9: {"1": "1", "2": "2", "30": "30", "31": "31", "none": "none"},
}
CODES = ["1", "2", "30", "31", "none", None] * 20
PEOPLE: dict[str, list[Any]] = {
    "Age": [20 + i % 37 for i in range(120)],
    "Code": CODES,
    "Risk": ["hi" if i % 37 > 18 else "lo" for i in range(120)],
}


def policy(depth: int, **also: Any) -> dict[str, Any]:
    return {
        "class": "Risk",
        "attributes": {"Age": {"interval": [0, 99]}, "Code": {"taxonomy": TREE, "release": depth}},
        "requirements": [{"qid": ["Age"], "k": 10}],
        **also,
    }


@pytest.mark.slow
@pytest.mark.parametrize("depth", ABOVE)
@pytest.mark.parametrize("make", [pa.table, pd.DataFrame, pl.DataFrame])
def test_every_cell_is_shown_as_the_value_above_it(make: Callable[[Any], Any], depth: int) -> None:
    """And what the search masks stays masked."""
    outcome = maskwise.anonymize(make(PEOPLE), policy(depth), keep_order=True)
    shown = nw.from_native(outcome.data, eager_only=True).to_arrow().to_pydict()
    assert shown["Code"] == [None if code is None else ABOVE[depth][code] for code in CODES]
    assert all(age.startswith("[") for age in shown["Age"])
    assert outcome.passed == ("Risk",)
    assert solution_file.loads(solution_file.dumps(outcome.solution)).fixed == outcome.solution.fixed


def test_later_rows_are_shown_alike_and_need_not_have_the_column() -> None:
    solution = maskwise.anonymize(pa.table(PEOPLE), policy(2), keep_order=True).solution
    later = pa.table({"Age": [30, 31, 32], "Code": ["31", "new", None], "Risk": ["hi", "lo", "lo"]})
    assert maskwise.apply(later, solution, keep_order=True).data["Code"].to_pylist() == ["3", "ALL", None]
    with pytest.raises(InputError, match="`Code` in 1 record"):
        maskwise.apply(later, solution, strict=True, keep_order=True)
    assert maskwise.apply(later.drop_columns("Code"), solution, keep_order=True).data.column_names == ["Age", "Risk"]


def test_a_release_that_shows_other_labels_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    find_label = Cut.find_label
    monkeypatch.setattr(Cut, "find_label", lambda cut, text: text if cut.attribute == "Code" else find_label(cut, text))
    with pytest.raises(RefusedError, match="other values of `Code` than those at its depth"):
        maskwise.anonymize(pa.table(PEOPLE), policy(1), keep_order=True)


def test_a_column_that_tells_records_apart_is_no_identifier_once_it_is_generalized() -> None:
    codes = [f"c{i}" for i in range(120)]
    table = pa.table({**PEOPLE, "Code": codes})
    entry = {"taxonomy": {"ALL": {"one": codes[:60], "two": codes[60:]}}}
    asked = policy(1)
    asked["attributes"]["Code"] = entry
    assert any("Code" in text for text in maskwise.anonymize(table, asked, keep_order=True).warnings)
    asked["attributes"]["Code"] = {**entry, "release": 1}
    assert maskwise.anonymize(table, asked, keep_order=True).warnings == ()


def test_a_search_that_looks_at_unmasked_columns_does_not_see_what_is_not_released() -> None:
    """The column tells the class; at its root it tells nothing, so the search must take all it can from age."""
    table = pa.table({**PEOPLE, "Code": ["1" if risk == "hi" else "2" for risk in PEOPLE["Risk"]]})
    blind = maskwise.anonymize(table.drop_columns("Code"), {**policy(0), "attributes": {"Age": {"interval": [0, 99]}}},
                               criterion="conditional", keep_order=True)  # fmt: skip
    hidden = maskwise.anonymize(table, policy(0), criterion="conditional", keep_order=True)
    assert hidden.steps == blind.steps
    assert hidden.steps


def test_a_solution_file_without_a_tree_that_it_needs_is_refused() -> None:
    asked = policy(
        1, requirements=[{"qid": ["Age"], "sensitive": "Code", "diversity": {"distinct": 2}, "by": "level 1"}]
    )
    asked["attributes"]["Code"] = {"taxonomy": TREE}
    text = solution_file.dumps(maskwise.anonymize(pa.table(PEOPLE), asked, keep_order=True).solution)
    assert solution_file.loads(text).trees
    said = json.loads(text)
    del said["trees"]
    with pytest.raises(InputError, match="the taxonomy of a sensitive column is missing"):
        solution_file.loads(json.dumps(said))
