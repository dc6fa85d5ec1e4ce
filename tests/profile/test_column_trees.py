"""Trees that other columns tell: what stands above what, and what is no hierarchy."""

from __future__ import annotations

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import maskwise
from maskwise.pipeline import preview_trees
from maskwise.policy.column_tree import find_parents, tree_from_columns

cells = st.one_of(st.none(), st.sampled_from("abc"))


def policy(**beside: object) -> dict:
    return {
        "attributes": {"city": {"from_column": ["county", "state"]}},
        "requirements": [{"qid": ["city"], "k": 2}],
        "drop": ["county", "state"],
    } | beside


def places(*rows: tuple[str | None, str | None, str | None, int]) -> pa.Table:
    spread = [row[:3] for row in rows for _ in range(row[3])]
    names = ("city", "county", "state")
    return pa.table({name: pa.array([row[i] for row in spread], pa.string()) for i, name in enumerate(names)})


@settings(deadline=None)
@given(st.dictionaries(st.tuples(cells, cells, cells), st.integers(1, 3), max_size=6))
def test_contradictions_are_values_with_several_cells_in_one_column_above(counted: dict) -> None:
    above, clashes = find_parents(counted, 3)
    for level in range(3):
        for cell in {row[level] for row in counted} - {None}:
            with_cell = [row for row in counted if row[level] == cell]
            by_level = [{row[higher] for row in with_cell} - {None} for higher in range(level + 1, 3)]
            assert ((level, cell) in clashes) == any(len(found) > 1 for found in by_level)
            if (level, cell) not in clashes:
                nearest = next(((level + 1 + i, *found) for i, found in enumerate(by_level) if found), None)
                assert above[level, cell] == nearest
    if not clashes and any(row[0] for row in counted):
        tree = tree_from_columns(counted, ["x", "y", "z"], "*")
        assert set(tree.leaves()) - {"*"} == {row[0] for row in counted} - {None}


def test_a_city_is_shown_as_its_county_or_state() -> None:
    table = places(
        ("Chicago", "Cook", "IL", 3),
        ("Evanston", "Cook", "IL", 1),
        ("Utica", "Oneida", "NY", 1),
        ("Albany", "Albany", "NY", 1),
        ("New York", "New York", "NY", 2),
    )
    outcome = maskwise.anonymize(table, policy())
    shown = sorted(outcome.data.column("city").to_pylist())
    assert outcome.data.column_names == ["city"]
    # Below `NY` there is a county with one record, below `Cook` a city.
    assert shown == ["Cook"] * 4 + ["NY"] * 4
    later = maskwise.apply(places(("Evanston", None, None, 1), ("Paris", "Cook", "IL", 1)), outcome.solution)
    assert set(later.data.column("city").to_pylist()) == {shown[0], "*"}


def test_names_at_several_levels_are_followed_by_their_column() -> None:
    table = places(("New York", "New York", "New York", 2), ("Utica", "Oneida", "New York", 2))
    tree = preview_trees(table, policy())["city"].taxonomy
    assert tree.to_nested() == {
        "*": {"New York (state)": {"New York (county)": {"New York": {}}, "Oneida": {"Utica": {}}}}
    }


def test_a_missing_cell_above_is_passed_over() -> None:
    table = places(
        ("Chicago", None, "IL", 2), ("Chicago", "Cook", None, 1), ("Gary", None, "IN", 2), (None, "X", "Y", 1)
    )
    tree = preview_trees(table, policy())["city"].taxonomy
    assert tree.to_nested() == {"*": {"Cook": {"Chicago": {}}, "IN": {"Gary": {}}}}


def test_contradictions_are_listed_without_cells_of_few_people() -> None:
    table = places(
        ("Springfield", "Sangamon", "IL", 12),
        ("Springfield", "Greene", "MO", 11),
        ("Springfield", "Secret", "XX", 1),
        ("Hamlet", "One", "IL", 1),
        ("Hamlet", "Two", "IL", 1),
    )
    with pytest.raises(maskwise.InputError) as caught:
        maskwise.anonymize(table, policy())
    text = str(caught.value)
    assert "2 values have several cells" in text
    assert "`Springfield` of `city` has 3 cells of `county`: `Greene`, `Sangamon` and others" in text
    assert "1 more" in text
    assert "Hamlet" not in text
    assert "Secret" not in text


def test_columns_that_tell_the_value_must_not_be_released() -> None:
    table = places(("Chicago", "Cook", "IL", 4))
    with pytest.raises(maskwise.PolicyError, match=r"`city` is generalized along `county`, which would be released"):
        maskwise.anonymize(table, policy(drop=["state"]))
    qids = [{"qid": ["city", "county"], "k": 2}]
    assert maskwise.anonymize(table, policy(drop=["state"], requirements=qids)).data.num_rows == 4


@pytest.mark.parametrize(
    ("entry", "message"),
    [
        ({"from_column": []}, "lists other columns"),
        ({"from_column": ["county", "county"]}, "lists other columns"),
        ({"from_column": ["city"]}, "names the column itself"),
        ({"from_column": ["nowhere"]}, "Column `nowhere` is in the policy but not in the table"),
        ({"from_column": ["county"], "at_least": 3}, "at_least is 3, but its taxonomy has levels 0 to 2"),
        ({"from_column": ["county"], "release": 1}, "release"),
        ({"from_column": ["county"], "taxonomy": {"ANY": ["a"]}}, "an attribute is"),
    ],
)
def test_entries_that_cannot_be_are_refused(entry: dict, message: str) -> None:
    asked = policy(attributes={"city": entry})
    with pytest.raises(maskwise.MaskwiseError) as caught:
        maskwise.anonymize(places(("Chicago", "Cook", "IL", 4)), asked)
    assert message in str(caught.value)


def test_protected_columns_are_no_part_of_a_tree() -> None:
    qid = {"qid": ["city"], "sensitive": {"county": ["Cook"]}, "confidence": 0.9}
    with pytest.raises(maskwise.PolicyError, match="names `county`, whose values are protected"):
        maskwise.read_policy(policy(requirements=[qid], drop=["state"]))


@pytest.mark.parametrize("entry", [{"from_column": ["county", "state"]}, {"grow": "frequency"}])
def test_a_value_that_is_spelled_like_the_root_is_refused_with_a_remedy_that_helps(entry: dict) -> None:
    table = places(("*", "Cook", "IL", 12), ("Chicago", "Cook", "IL", 12))
    with pytest.raises(maskwise.InputError, match=r"holds the value `\*`.*leave such cells empty") as caught:
        maskwise.anonymize(table, policy(attributes={"city": entry}))
    # As what hidden values are shown as, `*` cannot be named there.
    assert "na_values" not in str(caught.value)
