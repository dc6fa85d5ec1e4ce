"""Taxonomies drawn: a line for each value, what is left out is counted, and pictures are XML."""

from __future__ import annotations

from xml.etree import ElementTree as ET

from maskwise.policy.taxonomy import Taxonomy
from maskwise.policy.taxonomy_check import records_below
from maskwise.policy.tree_drawing import count_text, draw_values
from maskwise.report.taxonomy_drawing import taxonomy_svg

TREE = Taxonomy.from_nested({"Any": {"A": [f"a{i}" for i in range(40)], "<b>&": ["\x1b[2J"]}})
COUNTS = records_below(TREE, {f"a{i}": 1 for i in range(40)} | {"\x1b[2J": 5})


def test_all_values_are_drawn_in_the_order_of_the_tree() -> None:
    lines = draw_values(TREE)
    assert tuple(line.text for line in lines) == TREE.labels
    assert [lines[line.parent_at].text for line in lines[1:]] == [TREE.labels[p] for p in TREE.parents[1:]]


def test_what_is_left_out_is_counted() -> None:
    lines = draw_values(TREE, COUNTS, most=10)
    (more,) = [line for line in lines if not line.is_label]
    assert (more.text, more.n_records, more.n_leaves) == ("… 31 more", 31, 31)
    assert count_text(lines[0]) == "45 records"
    assert [line.text for line in draw_values(TREE, depth=1)] == ["Any", "A", "<b>&"]
    assert count_text(draw_values(TREE, depth=0)[0]) == "41 leaves"


def test_a_picture_has_every_label_and_no_markup_of_theirs() -> None:
    picture = ET.fromstring(taxonomy_svg(draw_values(TREE, COUNTS), "a title"))  # noqa: S314 - our own text
    names = {"s": "http://www.w3.org/2000/svg"}
    texts = [text.text for text in picture.findall("s:text", names)]
    assert {"Any", "A", "<b>&", "a39", "45 records", "\\x1b[2J"} <= set(texts)
    assert len(picture.findall("s:rect", names)) == len(TREE.labels)
    assert picture.find("s:title", names).text == "a title"  # type: ignore[union-attr]


def test_a_tree_of_300_levels_is_drawn() -> None:
    chain = Taxonomy(tuple(f"v{i}" for i in range(301)), tuple(range(-1, 300)))
    assert len(draw_values(chain)) == 301
    ET.fromstring(taxonomy_svg(draw_values(chain), "deep"))  # noqa: S314 - our own text
