"""What a cut shows, also for values that the search never saw."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from maskwise import Cut, Taxonomy
from maskwise.policy.attributes import Kind
from maskwise.solution.cut import HIDDEN, MissingShown
from maskwise.values.scales import Scale

TREE = Taxonomy.from_nested({"any": {"A": ["a1", "a2"], "B": ["b1"]}})


@given(breaks=st.lists(st.integers(-50, 50), min_size=2, max_size=8, unique=True), number=st.integers(-60, 60))
def test_a_number_is_shown_by_the_interval_around_it(breaks: list[int], number: int) -> None:
    breaks = sorted(breaks)
    cut = Cut("N", Kind.INTERVAL, f"[{breaks[0]}, {breaks[-1]}]", scale=Scale.INTEGER, breaks=tuple(breaks))
    inside = min(max(number, breaks[0]), breaks[-1])
    at = max(i for i in range(len(breaks) - 1) if breaks[i] <= inside)
    end = "]" if at == len(breaks) - 2 else ")"
    assert cut.show_number(number) == f"[{breaks[at]}, {breaks[at + 1]}{end}"
    assert len(cut.labels) == len(breaks) - 1


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
