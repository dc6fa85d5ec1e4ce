"""Hierarchies in ARX's form: a value a row, ever coarser labels to its right."""

from __future__ import annotations

from pathlib import Path

import pytest

from maskwise import InputError, PolicyError
from maskwise.formats.taxonomies.registry import read_taxonomy

GOOD = "Bachelors;University;Higher;*\nMasters;University;Higher;*\n11th;School;Lower;*\nNone;None;None;*\n"


def written(tmp_path: Path, text: str, name: str = "edu.csv") -> Path:
    path = tmp_path / name
    path.write_bytes(text.encode())
    return path


@pytest.mark.parametrize(
    "text", [GOOD, GOOD.replace("\n", "\r\n"), "\ufeff" + GOOD, GOOD.replace(";", ","), GOOD + "\n"]
)
def test_rows_become_a_tree(tmp_path: Path, text: str) -> None:
    tree = read_taxonomy(written(tmp_path, text))
    assert tree.root == "*"
    assert tree.leaves() == ("Bachelors", "Masters", "11th", "None")
    assert tree.children("*") == ("Higher", "Lower", "None")
    assert tree.children("Higher") == ("University",)
    assert tree.children("University") == ("Bachelors", "Masters")


def test_a_label_may_stand_in_quotes(tmp_path: Path) -> None:
    tree = read_taxonomy(written(tmp_path, '"a;1";"A ""big""";*\nb;"A ""big""";*\n'))
    assert tree.leaves() == ("a;1", "b")
    assert tree.children("*") == ('A "big"',)


def test_an_arx_file_serves_as_a_policys_taxonomy(tmp_path: Path, run, data: Path) -> None:
    written(tmp_path, "primary;S;*\nsecondary;S;*\nbachelor;U;*\nmaster;U;*\n")
    policy = tmp_path / "arx.yaml"
    policy.write_text(
        "class: Risk\nattributes: {Edu: {taxonomy: edu.csv}}\nrequirements: [{qid: [Edu], k: 60}]\n", encoding="utf-8"
    )
    assert run("mask", data, "-p", policy, "-o", tmp_path / "o.csv").code == 0
    lines = (tmp_path / "o.csv").read_text(encoding="utf-8").splitlines()
    # No leaf has 60 of the 200 records, each half has.
    assert {line.split(",")[3] for line in lines[1:]} == {"S", "U"}


def test_contradicting_parents_name_both_lines(tmp_path: Path) -> None:
    with pytest.raises(PolicyError) as caught:
        read_taxonomy(written(tmp_path, "a;A;*\nb;B;*\nc;A;*\nb2;A;B;*\n"))
    (mistake,) = caught.value.mistakes
    assert "edu.csv, line 4" in mistake
    assert "`A` goes to `B`" in mistake
    assert "`*` on line 1" in mistake


def test_every_contradiction_is_reported(tmp_path: Path) -> None:
    with pytest.raises(PolicyError) as caught:
        read_taxonomy(written(tmp_path, "a;A;*\nb;B;*\na2;A;X;*\nb2;B;X;*\n"))
    assert [m.partition(":")[0] for m in caught.value.mistakes] == ["edu.csv, line 3", "edu.csv, line 4"]


@pytest.mark.parametrize("text", ["a;b;a\n", "x;a;b;a\n"])
def test_a_cycle_is_refused(tmp_path: Path, text: str) -> None:
    with pytest.raises(PolicyError, match=r"edu\.csv.*(cycle|line 1)"):
        read_taxonomy(written(tmp_path, text))


def test_rows_with_different_roots_are_refused(tmp_path: Path) -> None:
    with pytest.raises(PolicyError, match="2 different roots"):
        read_taxonomy(written(tmp_path, "a;A\nb;B\n"))


def test_a_value_with_two_rows_is_refused_with_both_lines(tmp_path: Path) -> None:
    with pytest.raises(PolicyError, match=r"line 3: `a` .* line 1"):
        read_taxonomy(written(tmp_path, "a;A;*\nb;A;*\na;A;*\n"))


def test_an_empty_file_is_refused(tmp_path: Path) -> None:
    with pytest.raises(PolicyError, match="no value"):
        read_taxonomy(written(tmp_path, "\n\n"))


def test_latin_1_text_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "edu.csv"
    path.write_bytes("Universität;*\n".encode("latin-1"))
    with pytest.raises(InputError, match="UTF-8"):
        read_taxonomy(path)


def test_an_unknown_suffix_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"\.xml"):
        read_taxonomy(written(tmp_path, "<a/>", "edu.xml"))
