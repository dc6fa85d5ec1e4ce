"""Numbers of people and accounts that carry check digits, by country.

A column is taken for such a number if nearly all of its values have valid check
digits: by chance one number in ten does, or fewer.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

_SEPARATORS = re.compile(r"[\s./-]")
_DNI_LETTERS = "TRWAGMYFPDXBNJZSQVHLCKE"
_HETU_LETTERS = "0123456789ABCDEFHJKLMNPRSTUVWXY"
_CF_ODD = (1, 0, 5, 7, 9, 13, 15, 17, 19, 21, 2, 4, 18, 20, 11, 3, 6, 8, 12, 14, 16, 10, 22, 25, 24, 23)
"""What the letters A to Z count at odd places of an Italian tax code; digits count as the letters A to J."""
_VERHOEFF_PRODUCT = (
    "0123456789", "1234067895", "2340178956", "3401289567", "4012395678",
    "5987604321", "6598710432", "7659821043", "8765932104", "9876543210",
)  # fmt: skip
_VERHOEFF_TURN = (
    "0123456789", "1576283094", "5803796142", "8916043527", "9453126870", "4286573901", "2793806415", "7046913258",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class NumberedBy:
    """A number with check digits."""

    name: str
    """What it is, for a reader."""
    pattern: str
    """How it is written, blanks and hyphens left out."""
    is_valid: Callable[[str], bool]
    """Whether the check digits of a text that fits the pattern are right."""


def bare(text: str) -> str:
    """A number without blanks, points, slashes and hyphens, in capitals."""
    return _SEPARATORS.sub("", text).upper()


def luhn(digits: str) -> bool:
    """Whether the last digit is the check digit of Luhn (cards, Swedish and Canadian numbers).

    >>> luhn("79927398713"), luhn("79927398710")
    (True, False)
    """
    total = 0
    for place, digit in enumerate(reversed(digits)):
        value = int(digit) * (1 + place % 2)
        total += value - 9 * (value > 9)  # noqa: PLR2004
    return total % 10 == 0


def iban(text: str) -> bool:
    """Whether an IBAN has the right check digits (ISO 13616: 1 modulo 97).

    >>> iban("DE89370400440532013000"), iban("DE88370400440532013000")
    (True, False)
    """
    moved = text[4:] + text[:4]
    return int("".join(str(int(letter, 36)) for letter in moved)) % 97 == 1


def _weighted(digits: str, weights: Sequence[int]) -> int:
    return sum(int(digit) * weight for digit, weight in zip(digits, weights, strict=False))


def _bsn(digits: str) -> bool:
    return int(digits) > 0 and (_weighted(digits, (9, 8, 7, 6, 5, 4, 3, 2)) - int(digits[8])) % 11 == 0


def _nhs(digits: str) -> bool:
    check = 11 - _weighted(digits, range(10, 1, -1)) % 11
    return check % 11 == int(digits[9]) and check != 10  # noqa: PLR2004


def _german_tax(digits: str) -> bool:
    """ISO 7064, modulo 11,10."""
    product = 10
    for digit in digits[:10]:
        total = (int(digit) + product) % 10 or 10
        product = total * 2 % 11
    return (11 - product) % 10 == int(digits[10]) and digits[0] != "0"


def _german_health(text: str) -> bool:
    """The letter counts as two digits; modulo 10 with the weights 1 and 2."""
    digits = f"{ord(text[0]) - 64:02d}{text[1:9]}"
    total = 0
    for place, digit in enumerate(digits):
        value = int(digit) * (1 + place % 2)
        total += value // 10 + value % 10
    return total % 10 == int(text[9])


def _french(text: str) -> bool:
    """Corsica's 2A and 2B count as 19 and 18."""
    body = text[:13].replace("2A", "19").replace("2B", "18")
    return body.isdecimal() and 97 - int(body) % 97 == int(text[13:])


def _spanish(text: str) -> bool:
    digits = text[:-1].translate(str.maketrans("XYZ", "012"))
    return _DNI_LETTERS[int(digits) % 23] == text[-1]


def _italian(text: str) -> bool:
    total = 0
    for place, letter in enumerate(text[:15]):
        value = int(letter) if letter.isdecimal() else ord(letter) - 65
        total += _CF_ODD[value] if place % 2 == 0 else value
    return chr(65 + total % 26) == text[15]


def _belgian(digits: str) -> bool:
    check = int(digits[9:])
    return check in (97 - int(digits[:9]) % 97, 97 - int("2" + digits[:9]) % 97)


def _polish(digits: str) -> bool:
    return -_weighted(digits, (1, 3, 7, 9, 1, 3, 7, 9, 1, 3)) % 10 == int(digits[10])


def _finnish(text: str) -> bool:
    return _HETU_LETTERS[int(text[:6] + text[-4:-1]) % 31] == text[-1]


def _norwegian(digits: str) -> bool:
    first = -_weighted(digits, (3, 7, 6, 1, 8, 9, 4, 5, 2)) % 11
    second = -_weighted(digits, (5, 4, 3, 2, 7, 6, 5, 4, 3, 2)) % 11
    return (first, second) == (int(digits[9]), int(digits[10]))


def _brazilian(digits: str) -> bool:
    checks = []
    for n in (9, 10):
        rest = _weighted(digits[:n], range(n + 1, 1, -1)) * 10 % 11
        checks.append(rest % 10)
    return digits[9:] == "".join(map(str, checks)) and len(set(digits)) > 1


def _portuguese(digits: str) -> bool:
    rest = 11 - _weighted(digits, range(9, 1, -1)) % 11
    return (0 if rest >= 10 else rest) == int(digits[8])  # noqa: PLR2004


def _swiss(digits: str) -> bool:
    return -_weighted(digits, (1, 3) * 6) % 10 == int(digits[12])


def _indian(digits: str) -> bool:
    check = 0
    for place, digit in enumerate(reversed(digits)):
        check = int(_VERHOEFF_PRODUCT[check][int(_VERHOEFF_TURN[place % 8][int(digit)])])
    return check == 0


def _american(digits: str) -> bool:
    """There is no check digit; some numbers are never given."""
    return digits[:3] not in {"000", "666"} and digits[0] != "9" and digits[3:5] != "00" and digits[5:] != "0000"


NATIONAL_IDS: tuple[NumberedBy, ...] = (
    NumberedBy("German tax number", r"\d{11}", _german_tax),
    NumberedBy("German health insurance number", r"[A-Z]\d{9}", _german_health),
    NumberedBy("French social security number", r"[12]\d{4}(\d\d|2[AB])\d{8}", _french),
    NumberedBy("Spanish DNI or NIE", r"[XYZ0-9]\d{7}[A-Z]", _spanish),
    NumberedBy("Italian tax code", r"[A-Z]{6}\d\d[A-EHLMPRST]\d\d[A-Z]\d{3}[A-Z]", _italian),
    NumberedBy("Dutch BSN", r"\d{9}", _bsn),
    NumberedBy("Belgian national number", r"\d{11}", _belgian),
    NumberedBy("British NHS number", r"\d{10}", _nhs),
    NumberedBy("British national insurance number", r"[A-CEGHJ-PR-TW-Z][A-CEGHJ-NPR-TW-Z]\d{6}[A-D]", lambda _: True),
    NumberedBy("Polish PESEL", r"\d{11}", _polish),
    NumberedBy("Swedish personal number", r"(\d\d)?\d{6}[+]?\d{4}", lambda text: luhn(text.replace("+", "")[-10:])),
    NumberedBy("Finnish personal code", r"\d{6}[A+]?\d{3}[0-9A-Y]", _finnish),
    NumberedBy("Norwegian national number", r"\d{11}", _norwegian),
    NumberedBy("Brazilian CPF", r"\d{11}", _brazilian),
    NumberedBy("Portuguese NIF", r"[1235689]\d{8}", _portuguese),
    NumberedBy("Swiss AHV number", r"756\d{10}", _swiss),
    NumberedBy("Canadian SIN", r"\d{9}", luhn),
    NumberedBy("Indian Aadhaar number", r"[2-9]\d{11}", _indian),
)
"""The national numbers that are looked for; each text is stripped by `bare` first."""
AMERICAN = NumberedBy("US social security number", r"\d{9}", _american)
"""Looked for only where the hyphens stand in their places: without them any nine digits would do."""
AMERICAN_WRITTEN = r"\d{3}-\d{2}-\d{4}"
"""How it is written."""
