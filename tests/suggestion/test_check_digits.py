"""Check digits, on numbers that authorities publish as examples, and on numbers with one digit changed."""

from __future__ import annotations

import random
import re
from collections.abc import Callable

import pytest

from maskwise.suggestion.check_digits import NATIONAL_IDS, bare, iban, luhn
from tests.suggestion import made_tables

BY_NAME = {number.name: number for number in NATIONAL_IDS}
EXAMPLES = {
    "German tax number": "36574261809",
    "German health insurance number": "A123456780",
    "French social security number": "255081416802538",
    "Spanish DNI or NIE": "12345678Z",
    "Italian tax code": "RSSMRA85T10A562S",
    "Dutch BSN": "111222333",
    "Belgian national number": "85073003328",
    "British NHS number": "943 476 5919",
    "Polish PESEL": "44051401359",
    "Swedish personal number": "811218-9876",
    "Finnish personal code": "131052-308T",
    "Norwegian national number": "01010750160",
    "Brazilian CPF": "529.982.247-25",
    "Portuguese NIF": "123456789",
    "Swiss AHV number": "756.9217.0769.85",
    "Canadian SIN": "046 454 286",
    "Indian Aadhaar number": "2341 2341 2346",
}


def is_valid(name: str, text: str) -> bool:
    number, written = BY_NAME[name], bare(text)
    return re.fullmatch(number.pattern, written) is not None and number.is_valid(written)


@pytest.mark.parametrize(("name", "text"), EXAMPLES.items())
def test_published_examples_are_valid_and_a_changed_digit_is_not(name: str, text: str) -> None:
    assert is_valid(name, text)
    places = [i for i, letter in enumerate(text) if letter.isdigit()]
    changed = [text[:i] + str((int(text[i]) + 1) % 10) + text[i + 1 :] for i in places]
    # Some schemes leave one kind of change undetected; none leaves many.
    assert sum(is_valid(name, other) for other in changed) <= 1


@pytest.mark.parametrize(
    ("name", "make"),
    [
        ("German tax number", made_tables.german_tax),
        ("French social security number", made_tables.french_number),
        ("Spanish DNI or NIE", made_tables.spanish_dni),
        ("Dutch BSN", made_tables.dutch_bsn),
        ("Italian tax code", made_tables.italian_code),
    ],
)
def test_numbers_made_by_another_arithmetic_are_valid(name: str, make: Callable[[random.Random], str]) -> None:
    rng = random.Random(3)  # noqa: S311 - no secret
    assert all(is_valid(name, make(rng)) for _ in range(100))


def test_iban_and_cards() -> None:
    assert iban("GB82WEST12345698765432")
    assert not iban("GB82WEST12345698765423")
    rng = random.Random(1)  # noqa: S311 - no secret
    assert all(iban(made_tables.made_iban(rng, "FR")) for _ in range(50))
    assert luhn("4111111111111111")
    assert not luhn("4111111111111112")


def test_random_digits_are_rarely_valid() -> None:
    rng = random.Random(2)  # noqa: S311 - no secret
    for number in NATIONAL_IDS:
        if found := re.fullmatch(r"\\d\{(\d+)\}", number.pattern):
            n = int(found[1])
            valid = sum(is_valid(number.name, made_tables.digits(rng, n)) for _ in range(400))
            assert valid < 80, number.name
