"""What a tree makes of a column."""

from __future__ import annotations

import pytest

from maskwise.errors import InputError, MaskwiseError
from maskwise.policy.taxonomy import Taxonomy
from maskwise.studio.tree_views import import_tree, view_tree


def made() -> Taxonomy:
    raise AssertionError("no tree is made of the table")


VALUES = [("clerk", 5), ("boss", 3), ("nurse", 2), ("*", 1)]


def test_counts_add_up_and_values_without_a_place_are_listed() -> None:
    found = view_tree("Job", {"taxonomy": {"Any": {"Office": ["clerk", "boss"], "Care": ["cook"]}}}, VALUES, made)
    assert found["counts"] == {"Any": 8, "Office": 8, "clerk": 5, "boss": 3, "Care": 0, "cook": 0}
    assert (found["outside"], found["n_outside"]) == ([("nurse", 2), ("*", 1)], 2)
    assert found["unused"] == ["cook"]


def test_a_value_that_is_a_label_above_others_has_no_place() -> None:
    found = view_tree("Job", {"taxonomy": {"Any": {"clerk": ["head clerk"]}}}, VALUES, made)
    assert ("clerk", 5) in found["outside"]


def test_suppress_and_rules_have_trees_too() -> None:
    assert view_tree("Job", "suppress", VALUES, made)["counts"] == {"*": 10, "clerk": 5, "boss": 3, "nurse": 2}
    found = view_tree("Zip", {"prefix": [3, 1]}, [("021", 2), ("029", 1), ("100", 4)], made)
    assert found["counts"]["0**"] == 3
    assert found["outside"] == []


def test_an_interval_has_no_tree_yet() -> None:
    with pytest.raises(InputError, match="follows from"):
        view_tree("Age", {"interval": [0, 99]}, [("3", 1)], made)


@pytest.mark.parametrize("entry", [{"from_column": ["Region"]}, {"grow": "frequency"}])
def test_a_tree_that_is_made_of_the_table_is_shown_as_it_is_made(entry: dict[str, object]) -> None:
    found = view_tree(
        "Job", entry, VALUES, lambda: Taxonomy.from_nested({"*": {"A": ["clerk", "boss"], "nurse": None}})
    )
    assert found["counts"] == {"*": 10, "A": 8, "clerk": 5, "boss": 3, "nurse": 2}
    assert found["outside"] == [("*", 1)]


def test_a_tree_of_arx_is_imported_without_replacing_anything() -> None:
    text = "clerk;Office;Any\nboss;Office;Any\nnurse;Care;Any\n"
    found = import_tree("Job", "jobs.csv", text.encode(), VALUES)
    assert found["format"] == "ARX hierarchy"
    assert found["counts"]["Office"] == 8
    assert found["outside"] == [("*", 1)]
    assert view_tree("Job", found["entry"], VALUES, made)["counts"] == found["counts"]
    nested = import_tree("Job", "JOBS.YML", b"Any: {Office: [clerk, boss], Care: [nurse]}", VALUES)
    assert nested["counts"] == found["counts"]


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("x.exe", b""),
        ("x.csv", b""),
        ("x.csv", b"a;b\nc;d\n"),
        ("x.yaml", b"{"),
        ("x.csv", b"\xff\xfe\x00"),
        ("../x", b"a"),
        ("x.\0csv", b"a;b\n"),
        (f"x.{'y' * 250}", b"a;b\n"),
        ("x.c/sv", b"a;b\n"),
    ],
)
def test_what_is_no_tree_is_refused_with_a_sentence(name: str, content: bytes) -> None:
    with pytest.raises(MaskwiseError, match=r"\."):
        import_tree("Job", name, content, VALUES)
