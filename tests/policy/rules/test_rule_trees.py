"""Rules with a listed tree above them, a root of another name, and a place for other values."""

from __future__ import annotations

from typing import Any

import pytest

from maskwise.errors import PolicyError
from maskwise.policy.rules.registry import read_rule_tree
from maskwise.policy.taxonomy import Taxonomy

REGIONS = {"anywhere": {"east": ["0**", "1**"], "west": {"coast": ["9**"]}}}


def test_a_listed_tree_stands_over_the_labels_of_a_rule() -> None:
    tree = read_rule_tree({"prefix": [2, 1], "taxonomy": REGIONS})
    assert tree.root == "anywhere"
    assert tree.path("021") == ("east", "0**", "02*")
    assert tree.path("941") == ("west", "coast", "9**", "94*")
    assert tree.path("555") is None
    assert tree.height == 4  # noqa: PLR2004 - west, coast, 9** and 94*
    assert read_rule_tree(tree.to_data()) == tree
    assert tree.public_data() == {"prefix": [2, 1]}


def test_a_value_that_repeats_a_listed_label_is_not_read() -> None:
    tree = read_rule_tree({"prefix": [4, 1], "taxonomy": {"any": {"east": ["e***"], "west": ["w***"]}}})
    assert tree.path("edge") == ("east", "e***", "edge")
    assert tree.path("east") is tree.path("west") is None
    assert read_rule_tree({"prefix": [3], "root": "any"}).path("any") is None


def test_levels_are_found_by_name() -> None:
    tree = read_rule_tree({"calendar": ["day", "month", "year"]})
    assert [tree.depth_of(name) for name in ("year", "month", "day", "2")] == [1, 2, 3, 2]
    over = read_rule_tree({"prefix": [2, 1], "taxonomy": {"any": {"a": ["0*"], "b": ["1*"]}}})
    assert (over.depth_of("1"), over.path("07")) == (1, ("a", "0*", "07"))
    with pytest.raises(PolicyError, match="Did you mean `month`"):
        tree.depth_of("mont")


def test_the_tree_of_sensitive_values_has_each_as_it_is_written() -> None:
    tree = read_rule_tree({"calendar": ["month", "year"]}).tree_with(["1987-03-14", "1987-03-15", "no date"])
    assert tree.to_nested() == {"*": {"1987": {"1987-03": {"1987-03-14": {}, "1987-03-15": {}}}}}


@pytest.mark.parametrize(
    ("entry", "message"),
    [
        ({"prefix": [3], "suffix": [3]}, "one rule; found 2"),
        ({"prefix": [1], "taxonomy": REGIONS, "root": "all"}, "has the root `anywhere`"),
        ({"prefix": [1], "other": "elsewhere"}, "`under` and a label"),
        ({"prefix": [1], "other": "under "}, "`under` and a label"),
        ({"prefix": [1], "other": "under *"}, "stands in the tree already"),
        ({"prefix": [1], "taxonomy": REGIONS, "other": "under coast"}, "stands in the tree already"),
    ],
)
def test_what_stands_beside_a_rule_is_checked(entry: dict[str, Any], message: str) -> None:
    with pytest.raises(PolicyError, match=message):
        read_rule_tree(entry)


def test_a_tree_down_to_some_labels_has_these_and_what_is_above() -> None:
    tree = Taxonomy.from_nested(REGIONS)
    assert tree.down_to(["east", "9**"]).to_nested() == {"anywhere": {"east": {}, "west": {"coast": {"9**": {}}}}}
    assert tree.down_to([]).labels == ("anywhere",)
