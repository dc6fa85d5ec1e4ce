"""What a cut shows, also for values that the search never saw."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from maskwise import Cut, InputError, Taxonomy
from maskwise.policy.attributes import Kind
from maskwise.solution.cut import HIDDEN, MissingShown, disclose_lone_value
from maskwise.values.scales import Scale

TREE = Taxonomy.from_nested({"any": {"A": ["a1", "a2"], "B": ["b1"]}})


@given(breaks=st.lists(st.integers(-50, 50), min_size=2, max_size=8, unique=True), number=st.integers(-60, 60))
def test_a_number_is_shown_by_the_interval_around_it(breaks: list[int], number: int) -> None:
    breaks = sorted(breaks)
    cut = Cut("N", Kind.INTERVAL, f"[{breaks[0]}, {breaks[-1]}]", scale=Scale.INTEGER, breaks=tuple(breaks))
    assert len(cut.labels) == len(breaks) - 1
    if not breaks[0] <= number <= breaks[-1]:
        assert cut.show_number(number) == f"[{breaks[0]}, {breaks[-1]}] or outside"
        return
    at = max(i for i in range(len(breaks) - 1) if breaks[i] <= number)
    end = "]" if at == len(breaks) - 2 else ")"
    assert cut.show_number(number) == f"[{breaks[at]}, {breaks[at + 1]}{end}"


def test_an_interval_without_an_end_holds_everything_beyond() -> None:
    cut = Cut("N", Kind.INTERVAL, "[0, 99]", scale=Scale.INTEGER, breaks=(0, 20, 90, 99), coded=(False, True))
    assert cut.labels == ("[0, 20)", "[20, 90)", "≥ 90")
    assert [cut.show_number(number) for number in (-1, 0, 89, 90, 1000)] == [
        "[0, 99] or outside",
        "[0, 20)",
        "[20, 90)",
        "≥ 90",
        "≥ 90",
    ]
    low = Cut("N", Kind.INTERVAL, "[0, 99]", scale=Scale.INTEGER, breaks=(0, 20, 99), coded=(True, False))
    assert [low.show_number(number) for number in (-1, 19, 20, 100)] == [
        "< 20",
        "< 20",
        "[20, 99]",
        "[0, 99] or outside",
    ]


def test_a_whole_range_without_an_end_holds_everything_above() -> None:
    cut = Cut("N", Kind.INTERVAL, "≥ 0", scale=Scale.INTEGER, breaks=(0, 99), coded=(False, True))
    assert cut.labels == ("≥ 0",)
    assert [cut.show_number(number) for number in (-1, 0, 99, 1000)] == ["≥ 0 or outside", "≥ 0", "≥ 0", "≥ 0"]
    closed = Cut("N", Kind.INTERVAL, "[0, 99]", scale=Scale.INTEGER, breaks=(0, 99), coded=(True, True))
    assert [closed.show_number(number) for number in (99, 1000)] == ["[0, 99]", "[0, 99] or outside"]


def test_a_lone_hidden_value_is_shown_unless_a_star_stands_for_more() -> None:
    def labels(**changes: Any) -> tuple[str, ...]:
        cut = Cut("S", Kind.SUPPRESS, HIDDEN, **{"shown": ("10",), "hidden": ("9",), **changes})
        return disclose_lone_value(cut).labels

    assert labels() == ("9", "10")
    assert labels(shown=()) == ("9",)
    assert labels(hidden=("9", "8")) == ("10", HIDDEN)
    assert labels(hides_more=True) == ("10", HIDDEN)
    assert labels(missing=MissingShown.ROOT) == ("10", HIDDEN)
    assert labels(missing=MissingShown.ITSELF) == ("9", "10")
    assert labels(hidden=(HIDDEN,)) == ("10", HIDDEN)
    whole = Cut("T", Kind.TAXONOMY, "any", taxonomy=TREE, shown=("A", "B"))
    assert disclose_lone_value(whole) is whole


def test_a_category_is_shown_by_what_stands_above_it() -> None:
    cut = Cut("T", Kind.TAXONOMY, "any", taxonomy=TREE, shown=("A", "B"))
    assert [cut.show_text(text) for text in ("a1", "a2", "b1", "new")] == ["A", "A", "B", "any"]
    assert cut.knows("a1")
    assert not cut.knows("new")


def test_a_hidden_value_is_a_star_and_a_shown_one_itself() -> None:
    cut = Cut("S", Kind.SUPPRESS, HIDDEN, shown=("x",), hidden=("y",))
    assert [cut.show_text(text) for text in ("x", "y", "z")] == ["x", HIDDEN, HIDDEN]
    assert cut.labels == ("x", HIDDEN)
    assert not cut.knows("z")
    assert Cut("S", Kind.SUPPRESS, HIDDEN, shown=("x",), hides_more=True).knows("z")


def test_a_missing_cell_is_shown_as_the_search_left_it() -> None:
    def missing(shown: MissingShown) -> str | None:
        return Cut("S", Kind.SUPPRESS, HIDDEN, shown, shown=("x",)).missing_text

    assert [missing(shown) for shown in (MissingShown.ITSELF, MissingShown.ROOT, MissingShown.UNSEEN)] == [
        None,
        "*",
        "*",
    ]


def test_one_value_does_not_tell_what_a_region_shows() -> None:
    ages = Cut("Age", Kind.INTERVAL, "[0, 9]", scale=Scale.INTEGER, breaks=(0, 5, 9), regional=("[0, 5)", "[0, 9]"))
    jobs = Cut("Job", Kind.SUPPRESS, "*", shown=("clerk",), regional=("clerk", "*"))
    assert ages.labels == ("[0, 5)", "[0, 9]")
    for show in (lambda: ages.show_number(3), lambda: jobs.show_text("clerk")):
        with pytest.raises(InputError, match="from region to region"):
            show()
    # `*` stands for other values in other regions, so that a lone hidden value is not what all of them hide.
    assert disclose_lone_value(replace(jobs, hidden=("judge",))).hidden == ("judge",)
