"""Trees with the cut drawn into them, number lines, and rows of nobody."""

from __future__ import annotations

import re
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from maskwise.policy.attributes import Kind
from maskwise.policy.taxonomy import Taxonomy
from maskwise.report.content import TreeRole
from maskwise.report.examples import made_up_rows
from maskwise.report.report import report
from maskwise.report.svg import number_line as draw_line
from maskwise.report.trees import MISSING, attribute_shown, number_line, tree_nodes
from maskwise.solution.cut import Cut, MissingShown
from maskwise.values.message import Audience
from maskwise.values.scales import Scale
from tests.report.pages import check_page
from tests.report.runs import put_together, suppressed


@st.composite
def cut_trees(draw: st.DrawFn) -> tuple[Taxonomy, tuple[str, ...]]:
    """A tree of up to 30 labels and a cut through it."""
    n = draw(st.integers(1, 30))
    nested: list[dict[str, Any]] = [{} for _ in range(n)]
    for i in range(1, n):
        nested[draw(st.integers(0, i - 1))][f"v{i}"] = nested[i]
    tree = Taxonomy.from_nested({"v0": nested[0]})
    cut = ["v0"]
    for _ in range(draw(st.integers(0, n))):
        at = draw(st.integers(0, len(cut) - 1))
        cut[at : at + 1] = tree.children(cut[at]) or [cut[at]]
    return tree, tuple(cut)


@given(cut_trees())
def test_a_tree_shows_the_cut_what_is_above_it_and_counts_what_is_below(case: tuple[Taxonomy, tuple[str, ...]]) -> None:
    tree, cut = case
    nodes = tree_nodes(tree, cut, is_public=False)
    shown_as = tree.shown_as(cut)
    assert [node.label for node in nodes if node.role is TreeRole.SHOWN] == [one for one in tree.labels if one in cut]
    above = {node.label for node in nodes if node.role is TreeRole.ABOVE}
    assert above == {one for one in tree.labels if one not in cut and set(tree.at_or_below(one)) & set(cut)}
    for node in nodes:
        hidden = [leaf for leaf, shown in shown_as.items() if shown == node.label != leaf]
        assert list(node.below) == hidden
        assert node.n_below == len(hidden)
    for before, node in pairwise(nodes):
        assert 1 <= node.depth <= before.depth + 1
    public = tree_nodes(tree, cut, is_public=True)
    assert [(one.label, one.depth, one.n_below) for one in public] == [(o.label, o.depth, o.n_below) for o in nodes]
    assert not any(node.below for node in public)


def test_only_the_owner_learns_what_a_star_hides() -> None:
    cut = suppressed("Job", ["clerk"], ["nurse", "judge"])
    owners, public = (attribute_shown(cut, is_public=is_public) for is_public in (False, True))
    assert owners.hides == "`*` stands for 2 hidden values."
    assert owners.hidden == ("nurse", "judge")
    assert public.hides == "`*` stands for every other value."
    assert not public.hidden
    made = [report(put_together([cut]), audience) for audience in Audience]
    assert ["judge" in check_page(one.to_html()).text for one in made] == [True, False]
    assert ["judge" in one.to_markdown() for one in made] == [True, False]


def test_missing_cells_and_rare_values_are_said_to_be_hidden() -> None:
    cut = Cut("Job", Kind.SUPPRESS, "*", MissingShown.ROOT, shown=("a",), hidden=("b",), hides_more=True)
    said = attribute_shown(cut, is_public=False).hides
    assert said == "`*` stands for 1 hidden value, and others that are too rare to be listed, and for missing cells."
    itself = Cut("Job", Kind.SUPPRESS, "*", MissingShown.ITSELF, shown=("a",))
    assert attribute_shown(itself, is_public=True).shown == ("a", MISSING)


def test_a_coded_end_is_neither_written_nor_drawn_to_scale() -> None:
    def line(top: float) -> Any:
        return number_line(
            Cut("Age", Kind.INTERVAL, "", scale=Scale.INTEGER, breaks=(0, 20, 60, top), coded=(False, True))
        )

    assert line(99) == line(140)
    assert [text for _, text in line(99).ticks] == ["0", "20", "60", ""]
    assert "99" not in draw_line(line(99), "Age")


@given(st.lists(st.integers(-1000, 1000), min_size=2, max_size=40, unique=True), st.sampled_from(list(Scale)[:3]))
def test_breaks_stand_in_order_between_the_ends(numbers: list[int], scale: Scale) -> None:
    breaks = tuple(sorted(numbers))
    line = number_line(Cut("x", Kind.INTERVAL, "", scale=scale, breaks=breaks))
    places = [place for place, _ in line.ticks]
    assert places == sorted(places)
    assert (places[0], places[-1]) == (0, 1)
    # Labels that are drawn do not run into each other.
    drawn = re.findall(r'<text x="([\d.]+)"[^>]*?(?:text-anchor="(\w+)")?>([^<]+)</text>', draw_line(line, "x"))
    ends = [-1.0]
    for x, anchor, text in drawn:
        left = float(x) - {"": 0, "middle": 0.5, "end": 1}[anchor] * 5.5 * len(text)
        assert left > ends[-1]
        ends.append(left + 5.5 * len(text))


@given(st.lists(st.integers(-50, 50), min_size=2, max_size=6, unique=True), cut_trees(), st.integers(1, 7))
def test_rows_of_nobody_are_masked_as_the_cut_says(
    numbers: list[int], case: tuple[Taxonomy, tuple[str, ...]], n: int
) -> None:
    tree, cut = case
    cuts = [
        Cut("n", Kind.INTERVAL, "", scale=Scale.INTEGER, breaks=tuple(sorted(numbers))),
        Cut("t", Kind.TAXONOMY, tree.root, taxonomy=tree, shown=cut),
        suppressed("s", ["a", "b"], ["secret"]),
    ]
    rows = made_up_rows(cuts, n)
    assert len(rows) == n
    for number, value, job in rows:
        assert number[1] in cuts[0].labels
        assert number[1] == cuts[0].show_number(float(number[0]))
        assert value[1] == cuts[1].show_text(value[0])
        assert job in {("a", "a"), ("b", "b"), ("(a hidden value)", "*")}


@pytest.mark.parametrize("scale", list(Scale))
def test_every_scale_has_a_line_and_rows(scale: Scale) -> None:
    cut = Cut("x", Kind.INTERVAL, "", scale=scale, breaks=(0, 10, 1000))
    check_page(report(put_together([cut]), Audience.OWNER).to_html())
