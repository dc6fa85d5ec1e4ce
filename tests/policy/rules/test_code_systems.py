"""ISCO, NACE, NAICS and countries: what each level shows, and codes that are shorter than the finest level."""

from __future__ import annotations

import csv
import itertools
from pathlib import Path

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
    ("Germany", ("Federal Republic of Germany", "Deutschland", "Allemagne"), "DE", "DEU", "276", "Western Europe"),
    ("Namibia", ("Namibië",), "NA", "NAM", "516", "Southern Africa"),
    ("Serbia", ("Србија",), "RS", "SRB", "688", "Eastern Europe"),
    ("Afghanistan", (), "AF", "AFG", "004", "Southern Asia"),
    ("Antarctica", (), "AQ", "ATA", "010", ""),
    ("Guyana", ("Guyane",), "GY", "GUY", "328", "South America"),
    ("French Guiana", ("Guyane",), "GF", "GUF", "254", "South America"),
    ("Serbia and Montenegro", (), "CS", "SCG", "891", "Southern Europe"),
]


@pytest.fixture
def some_countries(monkeypatch: pytest.MonkeyPatch):
    rows = [
        {
            "name": name,
            "altSpellings": others,
            "ISO": {"alpha2": two, "alpha3": three, "numeric": number},
            "subregion": part,
        }
        for name, others, two, three, number, part in ROWS
    ]
    monkeypatch.setattr(un, "_rows", lambda: rows)
    un.all_countries.cache_clear()
    yield
    un.all_countries.cache_clear()


@pytest.mark.usefixtures("some_countries")
def test_a_country_is_one_value_however_it_is_called() -> None:
    rule = UnRegion.from_data(["country", "subregion", "region"])
    for text in (
        "DE",
        "deu",
        "276",
        "Germany",
        " GERMANY ",
        "Federal Republic of Germany",
        "allemagne",
        "Germany (West)",
    ):
        assert rule.path(text) == ("Europe", "Western Europe", "DEU")
    assert rule.path("NA") == rule.path("namibie") == ("Africa", "Southern Africa", "NAM")
    assert rule.path("004") == rule.path("4") == ("Asia", "Southern Asia", "AFG")
    assert rule.path("Serbia") == ("Europe", "Southern Europe", "SRB")
    assert rule.path("aq") == ("Antarctica", "ATA")
    assert rule.path("XK") == rule.path("Kosovo") == ("Europe", "Southern Europe", "XKX")
    for text in ("DD", "", "*", "Atlantis", "Germany or Namibia", "not from Germany", "Guyane", "SCG"):
        assert rule.path(text) is None, text
    assert UnRegion.from_data(["subregion", "region"]).path("DE") == ("Europe", "Western Europe")


def test_without_the_package_the_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    un.all_countries.cache_clear()
    monkeypatch.setattr(un, "find_spec", lambda _: None)
    with pytest.raises(InputError, match=r'pip install "maskwise\[countries\]"'):
        UnRegion().path("Germany")


def test_every_country_of_iso_3166_has_its_region_of_m49() -> None:
    """Codes and names of ISO 3166-1, and regions as the United Nations' OCHA lists them."""
    pytest.importorskip("countryinfo")
    un.all_countries.cache_clear()
    with (Path(__file__).parent / "m49.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    assert len(rows) == 249
    for row in rows:
        expected = tuple(dict.fromkeys((row["region"], row["subregion"], row["alpha3"])))
        for key in ("alpha2", "alpha3", "number", "name"):
            assert UnRegion().path(row[key]) == expected, row[key]
    assert {code for code, _ in un.all_countries().values()} == {row["alpha3"] for row in rows} | {"XKX"}


@pytest.mark.slow
@pytest.mark.parametrize("name", ["Deutschland", "Allemagne", "Alemania", "Germania"])
def test_names_of_several_languages_are_read(name: str) -> None:
    pytest.importorskip("countryinfo")
    un.all_countries.cache_clear()
    assert UnRegion().path(name) == ("Europe", "Western Europe", "DEU")
