"""Files that are no taxonomies: one sentence with the line, and never a part of a tree."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from maskwise.errors import InputError
from maskwise.formats.taxonomies import source
from maskwise.formats.taxonomies.forest import MOST_LEVELS
from maskwise.formats.taxonomies.registry import read_taxonomy

CASES: dict[str, tuple[str, bytes, str]] = {
    "empty": ("t.csv", b"", "holds no value"),
    "empty text": ("t.txt", b"\n \n", "holds no value"),
    "empty yaml": ("t.yaml", b"", "holds no value"),
    "one column": ("t.csv", b"a\nb\n", "one column only"),
    "one value": ("t.txt", b"Any\n", "line 1: `Any` is the only value"),
    "cycle": ("t.csv", b"parent,child\na,b\nb,c\nc,a\n", r"line 2: `b` never reaches a root: a cycle"),
    "cycle aside": ("t.csv", b"parent,child\nAny,x\na,b\nb,a\n", r"line 3: `b` never reaches the root `Any`: a cycle"),
    "own parent": ("t.csv", b"parent,child\nAny,x\na,a\n", r"line 3: `a` never reaches the root"),
    "two parents": ("t.csv", b"parent,child\nAny,A\nAny,B\nA,x\nB,x\n", r"line 5: `x` goes to `B` here but to `A` on line 4"),  # noqa: E501
    "twice": ("t.txt", b"Any\n a\n a\n", r"line 3: the value `a` stands twice in this taxonomy, first on line 2"),
    "twice in json": ("t.json", b'{"Any": {"A": ["x"], "B": ["x"]}}', "`x` stands twice.* below `A` and below `B`"),
    "same key in json": ("t.json", b'{"Any": {"A": 1, "A": 2}}', "`A` stands twice"),
    "two roots": ("t.csv", b"parent,child\nA,x\nB,y\n", r"2 different roots: `A` \(line 2\), `B` \(line 3\)"),
    "NUL": ("t.csv", b"a;*\nb\0;*\n", "line 2: there is a NUL byte"),
    "utf-16": ("t.csv", "a;*\n".encode("utf-16"), "UTF-16.*Save it as UTF-8"),
    "latin-1": ("t.csv", "a;*\nbä;*\n".encode("latin-1"), "line 2: this is not UTF-8.*Latin-1"),
    "open quote": ("t.csv", b'a;A;*\n"b;A;*\nc;A;*\n', "a quote is opened and never closed"),
    "quote in the middle": ("t.csv", b'"b" c;A;*\n', "line 1: a quote is closed in the middle"),
    "long line": ("t.csv", b"a;*\n" + b"x" * 200_000 + b";*\n", "line 2: a cell is longer than 131,072"),
    "three cells": ("t.csv", b"parent,child\nAny,a\nAny,b,c\n", "line 3: 3 cells in this row"),
    "empty label": ("t.csv", b"a;;*\nb;B;*\n", "line 1: a label is empty"),
    "empty value": ("t.csv", b"a;A;*\n;B;*\n", "line 2: the first cell is empty. Missing cells need no row"),
    "unknown broader": ("t.csv", b"concept,broader\n1,\n2,9\n", "line 3: the broader concept `9` has no row"),
    "no concept": ("t.csv", b"concept,prefLabel,broader\n1,Any,\n,x,1\n", "line 3: the cell of `concept` is empty"),
    "tabs and blanks": ("t.txt", b"Any\n\ta\n  b\n", "line 3: tabs and blanks are mixed; line 2"),
    "odd indent": ("t.txt", b"Any\n    a\n  b\n", "line 3: `b` is indented as no line above it"),
    "open brace": ("t.hchy", b"{Any {a}\n{b}\n", "line 3: the file ends before all braces are closed"),
    "closed twice": ("t.hchy", b"{Any {a}}}\n", "line 1: a brace is closed that was not opened"),
    "no label": ("t.hchy", b"{Any\n{}}", "line 2: there is nothing between two braces"),
    "no label before": ("t.hchy", b"{{a}}", "line 1: a brace is opened without a label"),
    "between": ("t.hchy", b"{Any {a} b}", "`b` stands between two children"),
    "two trees of a name": ("t.hchy", b"x:discrete\n{A {a}}\nx:discrete\n{B {b}}", "line 4: there is a second tree of `x`"),  # noqa: E501
    "no braces": ("t.hchy", b"Any a b", "holds no tree in braces"),
    "cut off Amnesia": ("t.txt", b"distinct\nname x\nheight 3\n\nA has a b\n\n", "line 3: the height is 3, but .* 2 levels"),  # noqa: E501
    "ranges": ("t.txt", b"range\nname x\ntype int\nheight 2\n\n0,9 has 0,4 5,9\n", "line 1: this hierarchy is of ranges"),  # noqa: E501
    "odd link": ("t.txt", b"distinct\nname x\nheight 2\n\nAny owns a b\n", "line 5: this is no `parent has child"),
    "no json": ("t.json", b'{"Any": \n[1,', "line 2: this is not JSON"),
    "deep json": ("t.json", b"[" * 200_000, "nested too deeply|not JSON"),
    "truth value": ("t.json", b'{"Any": ["a", true]}', "a truth value stands below `Any`"),
    "one cell": ("t.csv", b"parent,child\nAny,a\nAny\n", "line 3: 1 cell in this row"),
    "first line indented": ("t.txt", b"  Any\n    a\n", "line 1: the first line is indented"),
    "no lines indented": ("t.txt", b"Any\nOther\n", r"2 different roots: `Any` \(line 1\), `Other` \(line 2\)"),
    "one value in yaml": ("t.yaml", b"- a\n", "line 1: `a` is the only value"),
    "two roots in yaml": ("t.yaml", b"a: [b]\nc: [d]\n", r"2 different roots: `a` \(line 1\), `c` \(line 2\)"),
    "two parents in yaml": ("t.yaml", b"Any:\n  a: [x]\n  b:\n    - x\n", "line 4: `x` goes to `b` here but to `a` on line 2"),  # noqa: E501
    "deep text": ("t.txt", b"".join(b" " * i + b"v%d\n" % i for i in range(400)), "more than 300 levels below the root"),  # noqa: E501
}  # fmt: skip


@pytest.mark.parametrize("case", CASES)
def test_a_bad_file_is_refused_with_its_line(tmp_path: Path, case: str) -> None:
    name, content, says = CASES[case]
    (tmp_path / name).write_bytes(content)
    with pytest.raises(InputError, match=says) as caught:
        read_taxonomy(tmp_path / name)
    assert len(str(caught.value)) < 2000


def test_the_same_mistake_of_a_line_is_said_once(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text("a;;*\nb;B;*\n")
    with pytest.raises(InputError) as caught:
        read_taxonomy(tmp_path / "t.csv")
    assert str(caught.value).count("a label is empty") == 1


@pytest.mark.parametrize("name", ["t.yaml", "t.json", "t.txt"])
def test_several_roots_are_put_under_one_in_every_format(tmp_path: Path, name: str) -> None:
    texts = {"t.yaml": "a: [b]\nc: [d]\n", "t.json": '{"a": ["b"], "c": ["d"]}', "t.txt": "a\n b\nc\n d\n"}
    (tmp_path / name).write_text(texts[name])
    tree = read_taxonomy(tmp_path / name, root="ANY")
    assert tree.to_nested() == {"ANY": {"a": {"b": {}}, "c": {"d": {}}}}


@pytest.mark.parametrize("name", ["t.txt", "t.csv", "t.json", "t.hchy", "t.yaml"])
def test_a_tree_of_300_levels_is_read(tmp_path: Path, name: str) -> None:
    from maskwise.formats.taxonomies.registry import write_taxonomy
    from maskwise.policy.taxonomy import Taxonomy

    chain = Taxonomy(tuple(f"v{i}" for i in range(MOST_LEVELS + 1)), tuple(range(-1, MOST_LEVELS)))
    (tmp_path / name).write_text(write_taxonomy(chain, name))
    assert read_taxonomy(tmp_path / name) == chain


def test_no_more_than_twenty_mistakes_are_listed(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text("a;A;*\n" * 100)
    with pytest.raises(InputError, match="79 more mistakes like these"):
        read_taxonomy(tmp_path / "t.csv")


def test_folders_devices_and_pipes_are_refused(tmp_path: Path) -> None:
    (tmp_path / "folder.csv").mkdir()
    os.mkfifo(tmp_path / "pipe.csv")
    (tmp_path / "zero.csv").symlink_to("/dev/zero")
    with pytest.raises(InputError, match="is a folder"):
        read_taxonomy(tmp_path / "folder.csv")
    for name in ("pipe.csv", "zero.csv"):
        with pytest.raises(InputError, match="is no regular file"):
            read_taxonomy(tmp_path / name)


def test_a_very_large_file_is_refused_unread(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(source, "MOST_BYTES", 1 << 20)
    with (tmp_path / "t.csv").open("wb") as file:
        file.truncate(100 << 20)
    with pytest.raises(InputError, match=r"has 100 MB\. A taxonomy file has at most 1 MB; is this the table itself\?"):
        read_taxonomy(tmp_path / "t.csv")


def test_a_missing_file_suggests_the_nearest(tmp_path: Path) -> None:
    (tmp_path / "education.csv").write_text("a;*\n")
    with pytest.raises(InputError, match=r"There is no file .*Did you mean `education\.csv`"):
        read_taxonomy(tmp_path / "educaton.csv")
