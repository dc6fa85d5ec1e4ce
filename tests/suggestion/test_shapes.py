"""What cells look like."""

from __future__ import annotations

import random

import pytest

from maskwise.suggestion.shapes import Shape, find_shape
from maskwise.suggestion.vocabulary import Meaning
from tests.suggestion import made_tables


def shape_of(texts: list[str], says: Meaning | None = None) -> Shape | None:
    found = find_shape([(text, 1) for text in texts], says=says)
    return None if found is None else found.shape


@pytest.mark.parametrize(
    ("texts", "shape"),
    [
        (["a@b.org", "c.d@e-f.co.uk"], Shape.EMAIL),
        (["550e8400-e29b-41d4-a716-446655440000", "cfcd208495d565ef66e7dff9f98764da"], Shape.UUID),
        (["192.168.0.1", "10.0.0.255"], Shape.IP),
        (["2001:db8::1", "fe80::2:3"], Shape.IP),
        (["https://x.org/a", "http://y.net"], Shape.URL),
        (["00:1B:44:11:3A:B7", "00:1b:44:11:3a:b8"], Shape.MAC),
        (["+44 20 7946 0958", "(030) 1234567", "0171/1234567"], Shape.PHONE),
        (["2024-01-31", "1999-12-01"], Shape.DATE),
        (["2024-01-31T10:00:00", "1999-12-01 09:30"], Shape.TIMESTAMP),
        (["31.01.2024", "1/2/1999"], Shape.LOCAL_DATE),
        (["17:30", "08:15:00"], Shape.TIME),
        (["1234 AB", "9999 ZX"], Shape.POSTCODE),
        (["LS1 4AB", "SW1A 1AA"], Shape.POSTCODE),
        (["1.204,50", "7,25"], Shape.LOCAL_NUMBER),
        (["1", "-2", "30"], Shape.INTEGER),
        (["1.5", "-2e3", "30"], Shape.REAL),
        (["007", "012"], Shape.CODE),
        (["12 Baker Street", "3 Elm Road", "7 High St"], Shape.ADDRESS),
        (["Hauptstraße 5", "Gartenweg 12a"], Shape.ADDRESS),
        (["James Baines", "Mary Okafor", "Smith, John"], Shape.NAME),
        (["123-45-6789", "001-02-0003"], Shape.NATIONAL_ID),
        (["A10BA02", "N02BE01"], Shape.ATC),
        (["The patient came in late and was sent home"] * 2, Shape.FREE_TEXT),
        (["red", "green", "blue"], None),
        (["999.1.1.1", "10.0.0.256"], None),
    ],
)
def test_shapes(texts: list[str], shape: Shape | None) -> None:
    assert shape_of(texts) is shape


def test_a_decimal_number_is_no_phone_number() -> None:
    assert shape_of(["0.1234567", "0.7654321"]) is Shape.REAL


def test_a_name_decides_where_a_shape_is_weak() -> None:
    assert shape_of(["A11", "A12", "A13"]) is None
    assert shape_of(["A11", "A12", "A13"], Meaning.HEALTH) is Shape.ICD10
    assert shape_of(["DE", "FR"]) is None
    assert shape_of(["DE", "FR"], Meaning.COUNTRY) is Shape.COUNTRY
    assert shape_of(["10115", "80331"]) is Shape.INTEGER
    assert shape_of(["10115", "80331"], Meaning.POSTCODE) is Shape.POSTCODE


def test_national_numbers_are_told_from_numbers_of_the_same_length() -> None:
    rng = random.Random(4)  # noqa: S311 - no secret
    found = find_shape([(made_tables.german_tax(rng), 1) for _ in range(50)])
    assert found is not None
    assert (found.shape, found.what) == (Shape.NATIONAL_ID, "German tax number")
    assert shape_of([str(rng.randrange(10**10, 10**11)) for _ in range(50)]) is Shape.INTEGER


def test_a_shape_needs_nearly_all_records() -> None:
    assert find_shape([("a@b.org", 8), ("none", 2)]) is None
    found = find_shape([("a@b.org", 95), ("none", 5)])
    assert found is not None
    assert found.share == 0.95


def test_cards_of_every_length_are_known() -> None:
    """Numbers that the brands give for tests."""
    cards = ["378282246310005", "30569309025904", "3530111333300000", "6759649826438453", "4111111111111111"]
    cards += ["5555555555554444", "371449635398431", "38520000023237"]
    assert shape_of(cards) is Shape.CARD


def test_an_address_on_one_line_has_two_numbers() -> None:
    assert shape_of([f"{i} Elm Mills, Port Ann {10_000 + i}" for i in range(9)]) is Shape.ADDRESS
    assert shape_of([f"The patient came in late at {i} and left soon after" for i in range(9)]) is not Shape.ADDRESS
