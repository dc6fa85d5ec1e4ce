"""YAML as maskwise reads it: texts keep their spelling, every part has its line, a key may have no value."""

from __future__ import annotations

import json

import pytest
import yaml

from maskwise import PolicyError, Taxonomy
from maskwise.formats import yaml_lines
from maskwise.formats.taxonomies.nested_yaml import from_document
from maskwise.formats.yaml_lines import parse

NESTED = {"Any": {"School": {"9th": None, "10th": None}, "University": {"Bachelors": None}, "null": None}}


def test_a_tree_written_by_a_yaml_library_is_read_back() -> None:
    text = yaml.safe_dump(NESTED)
    assert "Bachelors: null" in text
    assert set(from_document(parse(text, "tree.yaml"), ()).leaves()) == {"9th", "10th", "Bachelors", "null"}


@pytest.mark.parametrize("spelling", ["null", "Null", "NULL", "~", ""])
def test_a_key_without_a_value_has_no_children(spelling: str) -> None:
    tree = from_document(parse(f"Any: {{A: {spelling}, B: {spelling}}}", "tree.yaml"), ())
    assert tree == Taxonomy.from_nested({"Any": ["A", "B"]})


def test_a_quoted_null_and_a_null_in_a_list_are_texts() -> None:
    assert parse("a: 'null'\nb: [null, Null, '~']", "x.yaml").data == {"a": "null", "b": ["null", "Null", "~"]}


def test_every_key_and_item_has_its_line() -> None:
    document = parse("a:\n  b: 1\n  c: [x,\n      y]\n", "x.yaml")
    assert document.locate(("a", "b")) == "x.yaml, line 2"
    assert document.locate(("a", "c", 1)) == "x.yaml, line 4"
    assert document.locate(("a", "c", 9)) == "x.yaml, line 3"
    assert document.locate(("nowhere",)) == "x.yaml, line 1"


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("a: 1\na: 2", "line 2: `a` stands twice; first on line 1"),
        ("? [a]\n: 1", "line 1: a key here is not plain text"),
        ("a: [1", "this is not YAML"),
        ("a: &x [*x]", "an alias makes a cycle"),
        ("\x00", "this is not YAML text"),
    ],
)
def test_a_mistake_has_its_line(text: str, says: str) -> None:
    with pytest.raises(PolicyError, match=says):
        parse(text, "x.yaml")


def test_characters_that_json_escapes_in_two_halves_are_one() -> None:
    said = {"🦊": ["🦊 one", {"x": "\U0001f98a"}]}
    assert parse(json.dumps(said), "policy.json").data == said


@pytest.mark.parametrize("text", ['"\\ud83e"', '{"\\udd8a x": 1}', '["a\\ud83e b"]'])
def test_half_a_character_is_refused(text: str) -> None:
    with pytest.raises(PolicyError, match="line 1: half of an escaped character"):
        parse(text, "policy.json")


@pytest.mark.slow
@pytest.mark.parametrize(
    "text",
    [
        "a:\n  b: 1\n  c: [x,\n      y, 'null', ~]\n\"01\": No\nd: &x {e: 'it''s'}\nf: *x\n",
        '{"a": ["\\u00e9", "\\ud83d\\ude00", 1.0, null], "b": {}}',
        "# nothing\n",
        "a: |\n  two\n  lines\nb: >-\n  one\n  line\n",
        "a:\n\t- b\n",
        "a: b\n c: d",
        "a: *unknown",
        "a: 1\na: 2",
        "a: 1\n---\nb: 2",
        "a: \x07",
        "[" * 20_000,
        "- " * 20_000 + "x",
    ],
)
def test_a_long_text_is_read_as_a_short_one(monkeypatch: pytest.MonkeyPatch, text: str) -> None:
    def read() -> object:
        try:
            document = parse(text, "x.yaml")
        except PolicyError as error:
            return error.mistakes
        return document.data, document.lines

    short = read()
    monkeypatch.setattr(yaml_lines, "_LONG", 0)
    assert read() == short
