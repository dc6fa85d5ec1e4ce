"""What labels have to do with each other, held against explicit sets of values."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from maskwise.attacks.label_sets import compare_labels
from maskwise.policy.taxonomy import Taxonomy
from maskwise.values.scales import Scale, interval_label
from tests.properties.tables import TREES, children_of

Sets = dict[str | None, frozenset[Any]]


@st.composite
def intervals(draw: Any) -> Sets:
    """A cut of the numbers 0 to 9, its ends open or not, with a missing cell or not."""
    breaks = [0, *sorted(draw(st.sets(st.integers(1, 8)))), 9]
    coded = draw(st.tuples(st.booleans(), st.booleans())) if len(breaks) > 2 else (False, False)
    found: Sets = {}
    last = len(breaks) - 2
    for i, (low, high) in enumerate(pairwise(breaks)):
        text = interval_label(
            low, high, Scale.INTEGER, closed=i == last, coded=(coded[0] and i == 0, coded[1] and i == last)
        )
        # Open ends hold what lies outside: -1 and 10 stand for it.
        below = range(-1, low) if coded[0] and i == 0 else ()
        above = [10] if coded[1] and i == last else []
        found[text] = frozenset([*below, *range(low, high + (i == last)), *above])
    return found


@st.composite
def hidden(draw: Any) -> Sets:
    shown = draw(st.sets(st.sampled_from("abcde")))
    rest = frozenset("abcde") - shown
    return {**{text: frozenset((text,)) for text in sorted(shown)}, **({"*": rest} if rest else {})}


@st.composite
def cuts(draw: Any, tree: dict[str, Any]) -> Sets:
    below = children_of(tree)

    def leaves(label: str) -> frozenset[str]:
        return frozenset((label,)) if label not in below else frozenset().union(*map(leaves, below[label]))

    shown = ["any"]
    for _ in range(draw(st.integers(0, 5))):
        inner = [label for label in shown if label in below]
        if inner:
            label = draw(st.sampled_from(inner))
            shown = [one for one in shown if one != label] + below[label]
    return {label: leaves(label) for label in shown}


def agree(first: Sets, second: Sets, tree: Taxonomy | None = None, *, complete: bool = True) -> None:
    """Whether each label of one release lies inside one of the other, by the sets themselves.

    Args:
        first: The labels of a release.
        second: Those of another.
        tree: Their taxonomy.
        complete: Whether the labels tell all; else only what is said must be so.
    """
    pairs = compare_labels(list(first), list(second), tree)
    for a, ours in enumerate(first.values()):
        for b, theirs in enumerate(second.values()):
            assert pairs.overlaps[a, b] or not ours & theirs
    for found, inner, outer in ((pairs.of_second, second, first), (pairs.of_first, first, second)):
        inside = [[i for i, other in enumerate(outer.values()) if one <= other] for one in inner.values()]
        is_finer = all(len(places) == 1 for places in inside)
        assert found is not None if is_finer and complete else is_finer or found is None
        if found is not None:
            assert found.tolist() == [place for (place,) in inside]


@given(intervals(), intervals())
def test_intervals_are_compared_as_sets_of_numbers(first: Sets, second: Sets) -> None:
    # An end without bound holds numbers that the other release has no interval for.
    numbers = frozenset().union(*first.values()) & frozenset().union(*second.values())
    if all(frozenset().union(*one.values()) == numbers for one in (first, second)):
        agree(first, second)
    else:
        pairs = compare_labels(list(first), list(second))
        for a, ours in enumerate(first.values()):
            assert [bool(ours & theirs) for theirs in second.values()] <= pairs.overlaps[a].tolist()


@given(hidden(), hidden())
def test_hidden_values_are_all_that_are_not_shown(first: Sets, second: Sets) -> None:
    # That `*` hides only what the other release shows cannot be told from labels.
    told = [set(other) - {"*"} for other in (second, first)]
    complete = not any("*" in one and one["*"] <= shown for one, shown in zip((first, second), told, strict=True))
    agree(first, second, complete=complete)


@pytest.mark.parametrize("nested", TREES)
@given(data=st.data())
def test_values_of_a_taxonomy_are_compared_by_their_leaves(nested: dict[str, Any], data: st.DataObject) -> None:
    first, second = data.draw(cuts(nested)), data.draw(cuts(nested))
    tree = Taxonomy.from_nested(nested)
    # A value with one child stands for the same leaf; which of them is shown tells nothing.
    agree(first, second, tree)


@pytest.mark.parametrize(
    ("first", "second", "finer"),
    [
        (["[2024-01-01, 2024-07-01)", "[2024-07-01, 2024-12-31]"], ["2024-03-05", "2024-07-01"], 1),
        (["[1, 2.5)", "[2.5, 9]"], ["[1, 2)", "[2, 2.5)", "[2.5, 9]"], 1),
        (["[08:00:00, 12:00:00)", "[12:00:00, 18:00:00]"], ["[08:00:00, 18:00:00]"], 0),
        (["< 20", "[20, 60)", "≥ 60"], ["< 20", "≥ 20"], 0),
        (["[0, 9]", None], ["[0, 5)", "[5, 9]", None], 1),
        (["[0, 5)", "[5, 9]", None], ["[0, 5)", "[5, 9]"], 1),
        (["[0, 5)", "[5, 9]"], ["[0, 5)", "[5, 9]", "[0, 9] or outside"], None),
        (["[0, 5)", "*"], ["[0, 5)", "[5, 9]"], 1),
        (["a", "*"], ["a", None, "*"], 1),
        (["a", "b"], ["x", "y"], None),
        (["[0, 5)", "[5, 9]"], ["young", "old"], None),
    ],
)
def test_single_cases(first: list[str | None], second: list[str | None], finer: int | None) -> None:
    pairs = compare_labels(first, second)
    found = [pairs.of_first is not None, pairs.of_second is not None]
    assert found == [finer == 0, finer == 1]


def test_labels_that_cannot_be_read_may_be_anything_unless_both_releases_show_the_same() -> None:
    tree = Taxonomy.from_nested({"any": ["a", "b"]})
    other = compare_labels(["a", "b"], ["A-like", "B-like"], tree)
    assert other.overlaps.all()
    assert other.of_first is None
    assert other.of_second is None
    same = compare_labels(["B-like", "A-like"], ["A-like", "B-like"], tree)
    assert same.of_first is not None
    assert same.of_first.tolist() == [1, 0]
