"""Every format of taxonomy files: what is written is read back, and each format's own examples are read."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from maskwise.errors import InputError, PolicyError
from maskwise.formats.policy_file import read_policy
from maskwise.formats.taxonomies.registry import FORMATS, named_format, read_taxonomy, write_taxonomy
from maskwise.formats.taxonomies.source import decode
from maskwise.policy.taxonomy import Taxonomy

TREE = Taxonomy.from_nested({"Any": {"School": ["9th", "10th"], "University": {"Bachelors": None}, "None": None}})
TEXTS = {
    "tree.yaml": "Any:\n  School: [9th, 10th]\n  University: [Bachelors]\n  None:\n",
    "tree.json": '{"Any": {"School": ["9th", "10th"], "University": "Bachelors", "None": null}}',
    "named.json": json.dumps(
        {
            "name": "Any",
            "children": [
                {"name": "School", "children": [{"name": "9th"}, {"name": "10th"}]},
                {"name": "University", "children": [{"name": "Bachelors", "size": 3}]},
                {"name": "None"},
            ],
        }
    ),
    "amnesia.txt": "distinct\nname edu\ntype string\nheight 3\n\nSchool has 9th 10th \nUniversity has Bachelors \n\n"
    "Any has School University None \n\n",
    "braces.hchy": "| a comment {\nedu:discrete:suppression\n"
    "{Any {School {9th} {10th}} {University {Bachelors}} {None}}\n",
    "bare.hchy": "{Any {School {9th}\n {10th}}\n {University {Bachelors}} {None}}",
    "tabs.txt": "Any\n\tSchool\n\t\t9th\n\t\t10th\n\tUniversity\n\t\tBachelors\n\tNone\n",
    "blanks.txt": "Any\n\n   School  \n       9th\n       10th\r\n   University\n     Bachelors\n   None\n",
    "skos.csv": "id,broader,skos:prefLabel@en,note\n0,,Any,x\n1,0,School,\n2,1,9th,\n3,1,10th,\n4,0,University,\n"
    "5,4,Bachelors,\n6,0,None,\n",
    "edges.csv": "parent,child\nAny,School\nSchool,9th\nSchool,10th\nAny,University\nUniversity,Bachelors\nAny,None\n",
    "turned.tsv": "Child\tParent\n"
    "School\tAny\n9th\tSchool\n10th\tSchool\nUniversity\tAny\nBachelors\tUniversity\nNone\tAny\n",
    "bare.csv": "School,Any\n9th,School\n10th,School\nUniversity,Any\nBachelors,University\nNone,Any\n",
    "arx.csv": "9th;School;Any\n10th;School;Any\nBachelors;University;Any\nNone;None;Any\n",
    "ragged.csv": "9th|School|Any\n10th|School|\nBachelors|University|Any\nNone|Any\n",
    "arx.tsv": "9th\tSchool\tAny\r\n10th\tSchool\tAny\r\nBachelors\tUniversity\tAny\r\nNone\tNone\tAny\r\n",
    "arx.txt": "9th,School,Any\n10th,School,Any\nBachelors,University,Any\nNone,None,Any\n",
}
FREE = tuple(one for one in FORMATS if one.name in {"yaml", "json", "skos", "edges", "arx"})
"""Formats that hold any label."""

words = st.text(st.characters(codec="ascii", categories=["L", "N"]), min_size=1).filter(lambda text: text != "has")
anything = st.text(st.characters(codec="utf-8", exclude_characters="\0"), min_size=1)


@st.composite
def trees(draw: st.DrawFn, labels: st.SearchStrategy[str]) -> Taxonomy:
    """Trees of any shape in preorder."""
    names = draw(st.lists(labels, min_size=2, max_size=12, unique=True))
    parent_of = [-1] + [draw(st.integers(0, i)) for i in range(len(names) - 1)]
    nested: list[dict[str, object]] = [{} for _ in names]
    for i, parent in enumerate(parent_of[1:], 1):
        nested[parent][names[i]] = nested[i]
    return Taxonomy.from_nested({names[0]: nested[0]})


def written(folder: Path, name: str, text: str | bytes) -> Path:
    path = folder / name
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return path


@pytest.mark.parametrize("name", TEXTS)
def test_the_form_of_a_file_is_found_out(tmp_path: Path, name: str) -> None:
    tree = read_taxonomy(written(tmp_path, name, TEXTS[name]))
    assert tree == TREE


@pytest.mark.parametrize("name", [name for name in TEXTS if not name.endswith(".json")])
def test_a_mark_at_the_start_and_other_line_ends_change_nothing(tmp_path: Path, name: str) -> None:
    text = "\ufeff" + TEXTS[name].replace("\r\n", "\n").replace("\n", "\r\n")
    assert read_taxonomy(written(tmp_path, name, text)) == TREE


def read_back(text: str, form: str) -> Taxonomy:
    read = named_format(form).read(decode(text.encode(), "tree"), "tree")
    return read if isinstance(read, Taxonomy) else read[""].tree()


def as_arx_reads(text: str) -> list[list[str]]:
    """Rows as ARX's parser cuts them: `;`, doubled quotes, blanks around cells without quotes trimmed."""
    rows: list[list[str]] = [[]]
    at = 0
    while at < len(text):
        if text[at] == '"':
            end = at + 1
            while text[end : end + 2] == '""' or text[end] != '"':
                end += 2 if text[end : end + 2] == '""' else 1
            rows[-1].append(text[at + 1 : end].replace('""', '"'))
            at = end + 1
        else:
            end = min(place for place in (text.find(";", at), text.find("\n", at)) if place >= 0)
            rows[-1].append(text[at:end].strip())
            at = end
        if text[at] == "\n":
            rows.append([])
        at += 1
    return rows[:-1]


@pytest.mark.parametrize("form", [one.name for one in FORMATS])
@given(tree=trees(words))
def test_what_is_written_is_read_back(form: str, tree: Taxonomy) -> None:
    assert read_back(write_taxonomy(tree, "x", form=form), form) == tree


@pytest.mark.parametrize("form", [one.name for one in FORMATS])
@given(tree=trees(anything))
def test_any_label_is_read_back_or_refused(form: str, tree: Taxonomy) -> None:
    try:
        text = write_taxonomy(tree, "x", form=form)
    except InputError:
        assert form not in {one.name for one in FREE}
        return
    assert read_back(text, form) == tree


@given(tree=trees(anything))
def test_other_readers_of_yaml_json_and_csv_read_the_same_tree(tree: Taxonomy) -> None:
    assert Taxonomy.from_nested(json.loads(write_taxonomy(tree, "t.json"))) == tree
    assert Taxonomy.from_nested(yaml.safe_load(write_taxonomy(tree, "t.yaml"))) == tree
    rows = list(csv.reader(io.StringIO(write_taxonomy(tree, "t.tsv"), newline="")))[1:]
    assert rows == [[tree.labels[p], label] for label, p in zip(tree.labels[1:], tree.parents[1:], strict=True)]


@given(tree=trees(anything))
def test_rows_for_arx_have_one_length_and_each_column_decides_the_next(tree: Taxonomy) -> None:
    """What ARX wants of a hierarchy: a rectangle, a row for each value, one root, and levels that only get coarser."""
    text = write_taxonomy(tree, "t.csv")
    rows = as_arx_reads(text)
    assert {len(row) for row in rows} == {tree.height + 1}
    assert [row[0] for row in rows] == list(tree.leaves())
    assert {row[-1] for row in rows} == {tree.root}
    for level in range(tree.height):
        above: dict[str, str] = {}
        assert all(above.setdefault(row[level], row[level + 1]) == row[level + 1] for row in rows)


def test_a_tree_of_an_attribute_is_chosen_by_its_name(tmp_path: Path) -> None:
    path = written(
        tmp_path,
        "two.hchy",
        "sex:discrete\n{Any {F} {M}}\nage:continuous\n{0-9 {ignored}}\nrace:discrete\n{Any {x} {y}}\n"
        "vid: | five\n{{{100} {age} {sex}}}\n",
    )
    assert read_taxonomy(path, "race").leaves() == ("x", "y")
    with pytest.raises(InputError, match=r"holds 2 trees and name one with --attribute: `sex`, `race`"):
        read_taxonomy(path)
    with pytest.raises(InputError, match=r"none of them is called `racE`.*Did you mean `race`"):
        read_taxonomy(path, "racE")


def test_a_policy_takes_the_tree_of_its_attribute(tmp_path: Path) -> None:
    written(tmp_path, "two.hchy", "sex:discrete\n{Any {F} {M}}\nrace:discrete\n{Any {x} {y}}\n")
    asked = "attributes: {race: {taxonomy: two.hchy}, sex: {taxonomy: two.hchy}}\nrequirements: [{qid: [sex], k: 2}]\n"
    race, sex = read_policy(written(tmp_path, "policy.yaml", asked)).attributes
    assert race.taxonomy is not None
    assert sex.taxonomy is not None
    assert (race.taxonomy.leaves(), sex.taxonomy.leaves()) == (("x", "y"), ("F", "M"))


def test_several_roots_are_put_under_one_if_asked(tmp_path: Path) -> None:
    path = written(tmp_path, "two.txt", "A\n a\nB\n b\n")
    with pytest.raises(PolicyError, match=r"2 different roots: `A` \(line 1\), `B` \(line 3\)"):
        read_taxonomy(path)
    assert read_taxonomy(path, root="Any") == Taxonomy.from_nested({"Any": {"A": ["a"], "B": ["b"]}})
    assert read_taxonomy(path, root="A") == Taxonomy.from_nested({"A": {"a": None, "B": ["b"]}})
    with pytest.raises(PolicyError, match="line 2: `a` is no root"):
        read_taxonomy(path, root="a")


@pytest.mark.slow
def test_a_hundred_thousand_leaves_are_read_within_seconds(tmp_path: Path) -> None:
    """Quadratic readers took minutes for this."""
    import time

    rows = "".join(f"v{i};g{i // 100};r{i // 10_000};*\n" for i in range(100_000))
    path = written(tmp_path, "large.csv", rows)
    begun = time.perf_counter()
    assert len(read_taxonomy(path).leaves()) == 100_000
    assert time.perf_counter() - begun < 20


def test_an_unknown_format_is_refused_by_name(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"no taxonomy format `brace`.*Did you mean `braces`"):
        read_taxonomy(written(tmp_path, "t.txt", "a"), form="brace")
    with pytest.raises(InputError, match=r"suffix `\.xml`"):
        write_taxonomy(TREE, "t.xml")


@pytest.mark.parametrize("form", FORMATS, ids=lambda form: form.name)
def test_an_empty_label_is_not_written_as_it_could_not_be_read(form) -> None:
    with pytest.raises(InputError, match="empty text"):
        write_taxonomy(Taxonomy.from_nested({"Any": ["", "a"]}), "t", form=form.name)
