"""ISCO, NACE, NAICS and countries: what each level shows, and codes that are shorter than the finest level."""

from __future__ import annotations

import itertools

import pytest

from maskwise.errors import InputError
from maskwise.policy.rules import un
from maskwise.policy.rules.isco import Isco
from maskwise.policy.rules.nace import Nace
from maskwise.policy.rules.naics import Naics
from maskwise.policy.rules.un import UnRegion
from tests.policy.rules.trees import tree_of

ALL = {
    Isco: (("unit", "minor", "submajor", "major"), [f"{n:04}" for n in range(0, 10_000, 97)] + ["2", "25", "251"]),
    Nace: (
        ("class", "group", "division", "section"),
        ["A", "01", "01.1", "01.11", "A01.12", "1.13", "0121", "62", "62.0", "62.01", "J", "99.00", "T", "35"],
    ),
    Naics: (
        ("national", "industry", "group", "subsector", "sector"),
        ["31-33", "31", "33", "332", "3327", "33271", "332710", "11", "111110", "441", "45", "44-45", "928"],
    ),
}


def chosen(levels: tuple[str, ...]) -> list[list[str]]:
    return [list(one) for n in range(1, len(levels) + 1) for one in itertools.combinations(levels, n)]


@pytest.mark.parametrize("system", ALL, ids=lambda one: one.__name__)
def test_every_choice_of_levels_gives_a_tree_in_which_each_value_is_a_leaf(system: type) -> None:
    levels, values = ALL[system]
    for some in chosen(levels):
        rule = system.from_data(some)
        leaves = set(tree_of(rule, values).leaves())
        assert {rule.path(value)[-1] for value in values} == leaves
        assert rule.to_data() == some


def test_isco_shows_digits_of_groups() -> None:
    assert Isco.from_data(["unit", "minor", "submajor", "major"]).path("0110") == ("0***", "01**", "011*", "0110")
    assert Isco().path("25") == ("2***", "25**", "25")
    assert [Isco().path(text) for text in ("", "25121", "A12", "2.5", "²")] == [None] * 5


def test_naics_knows_sectors_of_several_pairs_of_digits() -> None:
    rule = Naics.from_data(["sector"])
    assert {rule.path(code) for code in ("311", "32", "339999", "31-33")} == {("31-33****",)}
    assert {rule.path(code) for code in ("44", "45", "44-45")} == {("44-45****",)}
    assert {rule.path(code) for code in ("484", "493")} == {("48-49****",)}
    assert rule.path("42") == ("42****",)
    pairs = [f"{n:02}" for n in range(100) if rule.path(f"{n:02}")]
    assert " ".join(pairs) == "11 21 22 23 31 32 33 42 44 45 48 49 51 52 53 54 55 56 61 62 71 72 81 92"
    assert [Naics().path(text) for text in ("1", "1111100", "31-32", "x", "11-11")] == [None] * 5


def test_nace_reads_every_spelling_and_refuses_a_letter_of_another_section() -> None:
    rule = Nace()
    for text in ("01.11", "0111", "A01.11", "a 01.11", "1.11", "01.11Z", "01.11.0", "01110"):
        assert rule.path(text) == ("A (01-03)", "01.**", "01.1*", "01.11")
    assert [rule.path(text) for text in ("B01.11", "04", "34.1", "1", "01.111111", "Z", "")] == [None] * 7


def test_nace_sections_are_those_of_each_revision() -> None:
    second = "A01 B05 B09 C10 C33 D35 G45 J58 J63 K64 L68 M69 N77 O84 P85 Q86 R90 S94 T97 U99"
    newest = "A01 B05 B09 C10 C33 D35 G46 J58 J60 K61 K63 L64 M68 N69 O77 P84 Q85 R86 S90 T94 U97 V99"
    for version, known in (("2", second), ("2.1", newest)):
        rule = Nace(version=version)
        for text in known.split():
            assert rule.path(text) == rule.path(text[1:])
            assert rule.path(text[1:])[0][0] == text[0]
    assert Nace(version="2.1").path("45") is None
    assert Nace.from_data({"levels": ["class"], "version": "2.1"}).to_data() == {"levels": ["class"], "version": "2.1"}


ROWS = [
    ("Germany", "Federal Republic of Germany", "germany|^(?=.*federal).*german", "DE", "DEU", "276", "Western Europe"),
    ("Namibia", "Republic of Namibia", "namibia", "NA", "NAM", "516", "Southern Africa"),
    ("Nauru", "Republic of Nauru", "nauru", "NR", "NRU", "520", "Polynesia"),
    ("Afghanistan", "Islamic Republic of Afghanistan", "afghan", "AF", "AFG", "4", "Southern Asia"),
    ("Antarctica", "Antarctica", "antarctica", "AQ", "ATA", "10", "Antarctica"),
]
NAMES = ("name_short", "name_official", "regex", "ISO2", "ISO3", "ISOnumeric", "UNregion")


@pytest.fixture
def five_countries(monkeypatch: pytest.MonkeyPatch):
    rows = [dict(zip(NAMES, row, strict=True)) | {"obsolete": ""} for row in ROWS]
    rows.append(rows[0] | {"ISO2": "DD", "ISO3": "DDR", "obsolete": "1990"})
    monkeypatch.setattr(un, "_rows", lambda: rows)
    un.all_countries.cache_clear()
    un.country_called.cache_clear()
    yield
    un.all_countries.cache_clear()
    un.country_called.cache_clear()


@pytest.mark.usefixtures("five_countries")
def test_a_country_is_one_value_however_it_is_called() -> None:
    rule = UnRegion.from_data(["country", "subregion", "region"])
    for text in ("DE", "deu", "276", "Germany", " GERMANY ", "Federal Republic of Germany", "West Germany"):
        assert rule.path(text) == ("Europe", "Western Europe", "DEU")
    assert rule.path("NA") == ("Africa", "Southern Africa", "NAM")
    assert rule.path("004") == rule.path("4") == ("Asia", "Southern Asia", "AFG")
    assert rule.path("Nauru") == ("Oceania", "Micronesia", "NRU")
    assert rule.path("aq") == ("Antarctica", "ATA")
    assert [rule.path(text) for text in ("DD", "", "Atlantis", "Germany or Namibia")] == [None] * 4
    assert UnRegion.from_data(["subregion", "region"]).path("DE") == ("Europe", "Western Europe")


def test_without_the_package_the_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    un.all_countries.cache_clear()
    un.country_called.cache_clear()
    monkeypatch.setattr(un, "find_spec", lambda _: None)
    with pytest.raises(InputError, match=r'pip install "maskwise\[countries\]"'):
        UnRegion().path("Germany")


def test_every_country_of_the_package_has_a_region() -> None:
    pytest.importorskip("country_converter.version")
    un.all_countries.cache_clear()
    un.country_called.cache_clear()
    codes = {country for country, _ in un.all_countries()[0].values()}
    assert len(codes) > 240
    assert all(len(UnRegion().path(code)) == 3 or code == "ATA" for code in codes)
