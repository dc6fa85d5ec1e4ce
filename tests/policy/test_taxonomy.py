"""Value trees: what they accept, and what a cut through them shows."""

from __future__ import annotations

import pytest

from maskwise import PolicyError, Taxonomy

NESTED = {"ANY": {"School": ["primary", "secondary"], "University": {"bachelor": None, "master": None}, "none": None}}


def test_leaves_are_the_values_without_anything_below_in_file_order() -> None:
    assert Taxonomy.from_nested(NESTED).leaves() == ("primary", "secondary", "bachelor", "master", "none")


def test_children_are_those_directly_below() -> None:
    tree = Taxonomy.from_nested(NESTED)
    assert tree.children("ANY") == ("School", "University", "none")
    assert tree.children("School") == ("primary", "secondary")
    assert tree.children("primary") == ()


def test_a_list_and_a_mapping_without_values_are_the_same_tree() -> None:
    assert Taxonomy.from_nested({"ANY": ["a", "b"]}) == Taxonomy.from_nested({"ANY": {"a": None, "b": {}}})


def test_a_list_may_mix_leaves_and_branches() -> None:
    tree = Taxonomy.from_nested({"ANY": ["a", {"B": ["b1", "b2"]}]})
    assert tree.leaves() == ("a", "b1", "b2")
    assert tree.children("ANY") == ("a", "B")


def test_nested_form_survives_writing_and_reading() -> None:
    tree = Taxonomy.from_nested(NESTED)
    assert Taxonomy.from_nested(tree.to_nested()) == tree


@pytest.mark.parametrize(
    ("cut", "shown"),
    [
        (["ANY"], ["ANY"] * 5),
        (["School", "University", "none"], ["School", "School", "University", "University", "none"]),
        (["primary", "secondary", "University", "none"], ["primary", "secondary", "University", "University", "none"]),
    ],
)
def test_a_cut_shows_each_leaf_as_the_value_above_it(cut: list[str], shown: list[str]) -> None:
    tree = Taxonomy.from_nested(NESTED)
    assert tree.shown_as(cut) == dict(zip(tree.leaves(), shown, strict=True))


def test_a_cut_that_misses_a_leaf_is_refused_by_name() -> None:
    with pytest.raises(PolicyError, match="`bachelor`"):
        Taxonomy.from_nested(NESTED).shown_as(["School", "none"])


def test_a_cut_with_one_value_above_another_is_refused() -> None:
    with pytest.raises(PolicyError, match=r"`School` and `primary`"):
        Taxonomy.from_nested(NESTED).shown_as(["School", "primary", "University", "none"])


@pytest.mark.parametrize(
    ("nested", "says"),
    [
        ({"ANY": ["a", "a"]}, "`a` stands twice"),
        ({"ANY": {"A": ["x"], "B": ["x"]}}, "`x` stands twice"),
        ({"ANY": ["ANY"]}, "`ANY` stands twice"),
        (["a", "b"], "2 values"),
        ({}, "nothing"),
        (None, "nothing"),
    ],
)
def test_what_is_not_one_tree_is_refused(nested: object, says: str) -> None:
    with pytest.raises(PolicyError, match=says):
        Taxonomy.from_nested(nested)


@pytest.mark.parametrize("parents", [(-1, -1), (-1, 1), (-1, 2), (0, 0), (-1,)])
def test_parents_that_form_no_tree_are_refused(parents: tuple[int, ...]) -> None:
    with pytest.raises(PolicyError):
        Taxonomy(("ANY", "a"), parents)


def test_a_deep_tree_is_read_without_recursion() -> None:
    nested: object = "leaf"
    for depth in range(5_000):
        nested = {f"level {depth}": nested}
    assert Taxonomy.from_nested(nested).leaves() == ("leaf",)
