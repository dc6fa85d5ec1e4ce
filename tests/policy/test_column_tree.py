"""A tree from columns of a table: each value belongs to one coarser value, or the columns are no hierarchy."""

from __future__ import annotations

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import maskwise
from maskwise.errors import InputError, PolicyError
from maskwise.policy.column_tree import tree_from_columns
from maskwise.policy.taxonomy import Taxonomy

NAMES = ("city", "county", "state")
cells = st.sampled_from(["a", "b", "c", "d", None])


def is_hierarchy(rows: list[tuple[str | None, ...]]) -> bool:
    """By the definition: in complete rows equal values have equal coarser values."""
    whole = [row for row in rows if all(row)]
    return all(
        one[i + 1] == other[i + 1]
        for one in whole
        for other in whole
        for i in range(len(one) - 1)
        if one[i] == other[i]
    )


@given(st.lists(st.tuples(cells, cells, cells), min_size=1))
def test_columns_are_a_tree_if_equal_values_have_equal_parents(rows: list[tuple[str | None, ...]]) -> None:
    if not any(row[0] for row in rows):
        with pytest.raises(PolicyError, match="hold no value"):
            tree_from_columns(rows, NAMES)
        return
    if not is_hierarchy(rows):
        with pytest.raises(PolicyError, match="are no hierarchy"):
            tree_from_columns(rows, NAMES)
        return
    tree = tree_from_columns(rows, NAMES)
    assert set(tree.leaves()) == {row[0] for row in rows if row[0]}
    parent = {label: tree.labels[p] for label, p in zip(tree.labels, tree.parents, strict=True) if p >= 0}
    for row in rows:
        if all(row):
            above = parent[str(row[0])]
            assert above.removesuffix(" (county)") == row[1]
            assert parent[above].removesuffix(" (state)") == row[2]


def test_the_first_contradictions_are_listed() -> None:
    rows = [("x", "A"), ("x", "B"), *((f"v{i}", p) for i in range(6) for p in "AB")]
    with pytest.raises(PolicyError) as caught:
        tree_from_columns(rows, ["city", "state"])
    first, *_, last = caught.value.mistakes
    assert first == "`x` of `city` belongs to `A` and to `B` of `state`."
    assert len(caught.value.mistakes) == 6
    assert "2 values more do, too" in last
    assert "leave out `state`" in last


def test_a_value_without_coarser_cells_stands_below_the_root() -> None:
    tree = tree_from_columns([("x", "A"), ("y", None), ("x", None)], ["city", "state"])
    assert tree == Taxonomy.from_nested({"ANY": {"A": ["x"], "y": None}})


def test_the_only_value_of_the_last_column_is_the_root() -> None:
    assert tree_from_columns([("x", "A"), ("y", "A")], ["city", "state"]).root == "A"


def test_a_root_that_is_a_value_is_refused() -> None:
    with pytest.raises(PolicyError, match="`A` is a value of a column"):
        tree_from_columns([("x", "A"), ("y", "B")], ["city", "state"], "A")
    with pytest.raises(PolicyError, match="two columns or more"):
        tree_from_columns([("x",)], ["city"])
    with pytest.raises(PolicyError, match=r"`x \(state\)` stands in two columns"):
        tree_from_columns([("x", "x"), ("x (state)", "x")], ["city", "state"])


def test_an_index_and_a_data_frame_give_the_same_tree() -> None:
    frame = pd.DataFrame({"state": ["MA", "MA", "NV", None], "zip": [2108, 1970, 89501, 7]})
    expected = Taxonomy.from_nested({"ANY": {"MA": ["2108", "1970"], "NV": ["89501"], "7": None}})
    assert maskwise.taxonomy_from_index(frame) == expected
    assert maskwise.taxonomy_from_index(frame.set_index(["state", "zip"]).index) == expected
    with pytest.raises(InputError, match="MultiIndex or a data frame; found list"):
        maskwise.taxonomy_from_index([1])
