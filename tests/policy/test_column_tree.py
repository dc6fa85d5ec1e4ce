"""A tree from columns of a table: each value belongs to one coarser value, or the columns are no hierarchy."""

from __future__ import annotations

from collections import Counter
from typing import Any

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import maskwise
from maskwise.errors import InputError
from maskwise.policy.column_tree import tree_from_columns
from maskwise.policy.taxonomy import Taxonomy

NAMES = ("city", "county", "state")
cells = st.sampled_from(["a", "b", "c", "d", None])


def is_hierarchy(rows: list[tuple[str | None, ...]]) -> bool:
    """By the definition: rows that are equal in a column do not differ in a cell of a coarser one that both have."""
    return all(
        one[i] is None or one[i] != other[i] or None in (one[j], other[j]) or one[j] == other[j]
        for one in rows
        for other in rows
        for i in range(3)
        for j in range(i + 1, 3)
    )


def build(
    rows: list[tuple[str | None, ...]], names: tuple[str, ...] = NAMES, root: str = "ANY", **how: Any
) -> Taxonomy:
    return tree_from_columns(Counter(rows), names, root, **how)


@given(st.lists(st.tuples(cells, cells, cells), min_size=1))
def test_columns_are_a_tree_if_equal_values_have_equal_parents(rows: list[tuple[str | None, ...]]) -> None:
    if not is_hierarchy(rows):
        with pytest.raises(InputError, match="are no hierarchy"):
            build(rows)
        return
    if not any(row[0] for row in rows):
        with pytest.raises(InputError, match="holds no value"):
            build(rows)
        return
    tree = build(rows)
    assert set(tree.leaves()) == {row[0] for row in rows if row[0]}
    parent = {label: tree.labels[p] for label, p in zip(tree.labels, tree.parents, strict=True) if p >= 0}
    for row in rows:
        if all(row):
            above = parent[str(row[0])]
            assert above.removesuffix(" (county)") == row[1]
            assert parent[above].removesuffix(" (state)") == row[2]


def test_the_first_contradictions_are_listed() -> None:
    rows = [("x", "A"), ("x", "B"), *((f"v{i}", p) for i in range(6) for p in "AB")]
    with pytest.raises(InputError) as caught:
        build(rows, ("city", "state"), shared=1)
    assert "7 values have several cells in a column above" in str(caught.value)
    assert "`x` of `city` has 2 cells of `state`: `A`, `B`; `v0` of" in str(caught.value)
    assert "; 2 more." in str(caught.value)


def test_cells_of_few_records_are_not_named() -> None:
    rows = [("Ann Smith", "A"), ("Ann Smith", "B"), *[("Springfield", "IL"), ("Springfield", "MO")] * 10]
    with pytest.raises(InputError) as caught:
        build(rows, ("city", "state"))
    assert "Ann Smith" not in str(caught.value)
    assert "`Springfield` of `city` has 2 cells of `state`: `IL`, `MO`; 1 more." in str(caught.value)


def test_a_value_without_coarser_cells_stands_below_the_root() -> None:
    tree = build([("x", "A"), ("y", None), ("x", None)], ("city", "state"), takes_only_value=True)
    assert tree == Taxonomy.from_nested({"ANY": {"A": ["x"], "y": None}})


def test_the_only_value_of_the_last_column_is_the_root_where_that_is_asked() -> None:
    rows: list[tuple[str | None, ...]] = [("x", "A"), ("y", "A")]
    assert build(rows, ("city", "state"), takes_only_value=True) == Taxonomy.from_nested({"A": ["x", "y"]})
    assert build(rows, ("city", "state")) == Taxonomy.from_nested({"ANY": {"A": ["x", "y"]}})


def test_labels_that_would_mean_two_things_are_refused() -> None:
    with pytest.raises(InputError, match="`x` is a value of `city`"):
        build([("x", "A"), ("y", "B")], ("city", "state"), "x")
    # Above the values the name of the column tells it from the root.
    assert "A (state)" in build([("x", "A"), ("y", "B")], ("city", "state"), "A").labels
    with pytest.raises(InputError, match="two columns or more"):
        build([("x",)], ("city",))
    with pytest.raises(InputError, match="spelled like a label"):
        build([("x", "x"), ("x (state)", "x")], ("city", "state"))


def test_an_index_and_a_data_frame_give_the_same_tree() -> None:
    frame = pd.DataFrame({"state": ["MA", "MA", "NV", None], "zip": [2108, 1970, 89501, 7]})
    expected = Taxonomy.from_nested({"ANY": {"MA": ["2108", "1970"], "NV": ["89501"], "7": None}})
    assert maskwise.taxonomy_from_index(frame) == expected
    assert maskwise.taxonomy_from_index(frame.set_index(["state", "zip"]).index) == expected
    with pytest.raises(InputError, match="MultiIndex or a data frame; found list"):
        maskwise.taxonomy_from_index([1])
