"""Reports of regions: labels with their records, trees of labels that overlap, rows of one region."""

from __future__ import annotations

import re
from collections import Counter
from typing import Any

import pytest
from hypothesis import given

import maskwise
from maskwise.policy.attributes import Kind
from maskwise.policy.taxonomy import Taxonomy
from maskwise.report.content import TreeRole
from maskwise.report.examples import made_up_rows
from maskwise.report.html_attributes import attribute
from maskwise.report.report import report
from maskwise.report.trees import attribute_shown, overlapping_nodes
from maskwise.solution.cut import Cut
from maskwise.values.message import Audience
from maskwise.values.scales import parse_bound
from tests.reference.region_walk import is_true, walk
from tests.release.hand_made_regions import EPOCH, Case, cases
from tests.report.pages import check_page
from tests.report.runs import POLICY, QID, RARE, people

WITHOUT_CLASS = {key: POLICY[key] for key in ("attributes", "drop")} | {"requirements": POLICY["requirements"][:1]}


@pytest.fixture(scope="module")
def outcome() -> maskwise.Outcome:
    return maskwise.anonymize(people(), WITHOUT_CLASS, method="regions", why=True)


def test_labels_are_counted_in_the_release(outcome: maskwise.Outcome) -> None:
    rows = outcome.data.to_pylist()
    assert outcome.regions is not None
    assert outcome.regions.n_combinations == len({tuple(row[name] for name in QID) for row in rows})
    for cut, found in zip(outcome.solution.cuts, outcome.regions.attributes, strict=True):
        counted = Counter(row[cut.attribute] for row in rows)
        assert dict(found.records) == counted
        assert [n for _, n in found.records] == sorted(counted.values(), reverse=True)
        assert (found.n_root, set(cut.labels)) == (counted[cut.root], set(counted))


@pytest.mark.parametrize("audience", list(Audience))
def test_pages_and_texts_name_the_most_frequent_labels(outcome: maskwise.Outcome, audience: Audience) -> None:
    made = report(outcome, audience)
    check_page(made.to_html())
    assert outcome.regions is not None
    combinations = f"{outcome.regions.n_combinations} combinations of labels"
    for text in (made.to_html(), made.to_markdown()):
        assert combinations in text
        for found in outcome.regions.attributes:
            label, n = found.records[0]
            assert f"{len(found.records)} label" in text
            assert re.search(rf"{re.escape(str(label))} in {n:,} record", text)
    is_public = audience is Audience.RECIPIENT
    assert (RARE in made.to_html()) != is_public


def test_the_last_line_says_what_the_search_tried(outcome: maskwise.Outcome) -> None:
    said = report(outcome, Audience.OWNER).data["how_it_ended"]
    n_regions = len({walk_of(outcome, row) for row in people().to_pylist()})
    assert said.startswith(
        f"{len(outcome.solution.regions.splits)} splits, {n_regions} regions; none of the further splits"
    )
    assert "criterion" not in said
    assert "`score`" not in said


def walk_of(outcome: maskwise.Outcome, row: dict[str, Any]) -> int:
    assert outcome.solution.regions is not None
    return walk(outcome.solution.regions, outcome.solution.cuts, row)[0]


def test_a_search_that_was_stopped_says_after_how_many_splits() -> None:
    stopped = maskwise.anonymize(people(), WITHOUT_CLASS, method="regions", max_steps=2)
    said = report(stopped, Audience.OWNER).data["how_it_ended"]
    assert said.startswith("The search was stopped early (step limit) after 2 splits, ")


@given(cases())
def test_rows_of_nobody_show_what_one_region_shows(case: Case) -> None:
    solution = case.solution
    assert solution.regions is not None
    for row in made_up_rows(solution.cuts, regions=solution.regions):
        cells = {cut.attribute: raw_cell(cut, before) for cut, (before, _) in zip(solution.cuts, row, strict=True)}
        shown = walk(solution.regions, solution.cuts, cells)[1]
        assert [after for _, after in row] == ["(missing)" if label is None else label for label in shown]


def raw_cell(cut: Cut, text: str) -> Any:
    if cut.kind is not Kind.INTERVAL:
        return "something else" if text.startswith("(") else text
    value: Any = parse_bound(text)
    return value if isinstance(value, int) else (value - EPOCH).days


@given(cases())
def test_a_tree_shows_each_label_of_any_region_once_with_what_it_can_stand_for(case: Case) -> None:
    cut = case.solution.cut("tree")
    tree = cut.taxonomy
    assert tree is not None
    nodes = overlapping_nodes(tree, cut.regional)
    assert {node.label for node in nodes if node.role is TreeRole.SHOWN} == set(cut.regional)
    for node in nodes:
        below = [leaf for leaf in tree.leaves() if is_true(cut, node.label, leaf)]
        n_below = len(below) if node.role is TreeRole.SHOWN and below != [node.label] else 0
        assert node.n_below == n_below
        assert any(label in tree.at_or_below(node.label) for label in cut.regional)
    for one in case.solution.cuts:
        html = attribute(attribute_shown(one, is_public=True))
        for label in one.labels:
            assert label.replace("<", "&lt;") in html


def test_a_large_tree_whose_root_is_shown_still_lists_what_is_below() -> None:
    tree = Taxonomy.from_nested({"any": {f"g{i}": [f"g{i}-{j}" for j in range(9)] for i in range(9)}})
    cut = Cut("a", Kind.TAXONOMY, "any", taxonomy=tree, shown=tree.labels, regional=("any", "g1", *tree.leaves()))
    html = attribute(attribute_shown(cut, is_public=True))
    assert all(label in html for label in cut.regional)
    assert "stands for 81 values" in html
