"""What the cells of a column look like: judged on distinct texts with their counts, never record by record."""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

from maskwise.errors import InputError
from maskwise.policy.rules.icd10 import Icd10
from maskwise.policy.rules.isco import Isco
from maskwise.policy.rules.nace import Nace
from maskwise.policy.rules.naics import Naics
from maskwise.policy.rules.network import Network
from maskwise.policy.rules.un import UnRegion
from maskwise.suggestion.check_digits import AMERICAN, AMERICAN_WRITTEN, NATIONAL_IDS, bare, iban, luhn
from maskwise.suggestion.code_lists import ALPHA_2, ALPHA_3, GIVEN_NAMES, ISCO_GROUPS, STREET_WORDS, TOP_DOMAINS
from maskwise.suggestion.vocabulary import Meaning
from maskwise.values.number_spellings import KNOWN, USUAL_NUMBER, NumberForm
from maskwise.values.parsing import patterns
from maskwise.values.scales import Scale

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from maskwise.policy.rules.base import ValueRule

    Test = Callable[[str], bool]


class Shape(StrEnum):
    """What texts look like."""

    EMAIL = "email addresses"
    IBAN = "IBANs with valid check digits"
    CARD = "card numbers with valid check digits"
    NATIONAL_ID = "numbers of people with valid check digits"
    UUID = "UUIDs"
    URL = "web addresses"
    IP = "IP addresses"
    MAC = "hardware addresses"
    PHONE = "phone numbers"
    ADDRESS = "street addresses"
    NAME = "names of people"
    FREE_TEXT = "free text"
    ICD10 = "ICD-10 codes"
    ATC = "ATC codes of medicines"
    ISCO = "ISCO codes of occupations"
    NACE = "NACE codes of economic activities"
    NAICS = "NAICS codes of industries"
    COUNTRY = "countries"
    HOST = "names of hosts"
    POSTCODE = "postcodes"
    DATE = "dates"
    TIMESTAMP = "dates with times"
    TIME = "times of day"
    LOCAL_DATE = "dates in a local spelling"
    INTEGER = "whole numbers"
    REAL = "numbers"
    LOCAL_NUMBER = "numbers in a local spelling"
    SOME_NUMBERS = "mostly whole numbers"
    CODE = "numbers with leading zeros"


@dataclass(frozen=True, slots=True)
class ShapeFound:
    """What nearly all texts of a column look like."""

    shape: Shape
    """The shape."""
    share: float
    """The share of the looked-at records whose text has it."""
    what: str = ""
    """Which kind of it, where there are several: the country of a number."""


NEARLY_ALL = 0.9
"""So many of the records that are looked at must have a shape."""
_CHECKED = 8
"""Of fewer distinct values, valid check digits may be a chance."""
_FEW_CODES = 30
"""Of fewer distinct codes, a letter and two digits may be any category."""
_FEW_LETTERS = 5
"""Codes of diagnoses begin with more letters than this, unless the name says what they are."""
_WHO_LENGTH = 5
"""The characters of a code of the World Health Organization, without its point."""
_LONG_TEXT = 25
"""So many characters, on average, and so many words are a text that somebody wrote."""
_MANY_WORDS = 4
_ADDRESS_WORDS = (4, 14)
"""The words of an address on one line."""
_NAMED = 0.3
"""So many of the texts must hold a given name."""
_DIGITS = (7, 15)
"""The digits of a phone number."""

_LOCAL_DATE = (
    r"^(\d{1,2}[./-]\d{1,2}[./-](\d{4}|\d{2})|\d{4}[./]\d{1,2}[./]\d{1,2})([ T]+\d{1,2}:\d{2}(:\d{2}(\.\d+)?)?)?$"
)
_POSTCODES = (
    r"^[A-Z]{1,2}\d[A-Z\d]? ?\d[A-Z]{2}$",  # United Kingdom
    r"^\d{4} ?[A-Z]{2}$",  # Netherlands
    r"^[A-Z]\d[A-Z] ?\d[A-Z]\d$",  # Canada
    r"^\d{5}-\d{4}$",  # United States, ZIP+4
    r"^\d{2}-\d{3}$",  # Poland
    r"^\d{4}-\d{3}$",  # Portugal
    r"^\d{3} \d{2}$",  # Sweden, Czechia
)
_PERSON = re.compile(r"^[^\W\d_][^\W\d_'\u2019.-]*\.?(,? [^\W\d_][^\W\d_'\u2019.-]*\.?){1,4}(, .{1,8})?$")


def _matches(pattern: str) -> Test:
    found = re.compile(pattern)
    return lambda text: found.match(text) is not None


def _is_phone(text: str) -> bool:
    n_digits = sum(letter.isdigit() for letter in text)
    has_form = re.match(r"^(\+|00|\(|0|\d{3}[-. ]\d{3}[-. ])[\d\s()./x-]{6,}$", text) is not None
    return has_form and _DIGITS[0] <= n_digits <= _DIGITS[1] + 5 and not re.match(r"^0*\.?\d*$", text)


def _is_host(text: str) -> bool:
    names = text.casefold().removesuffix(".").split(".")
    return len(names) > 1 and names[-1] in TOP_DOMAINS and all(re.fullmatch(r"[a-z0-9_-]+", name) for name in names)


def _is_read_by(rule: ValueRule) -> Test:
    return lambda text: rule.path(text) is not None


def _is_card(text: str) -> bool:
    digits = bare(text)
    return re.match(r"^[2-6]\d{11,18}$", digits) is not None and luhn(digits)


def _is_iban(text: str) -> bool:
    written = bare(text)
    return re.match(r"^[A-Z]{2}\d{2}[A-Z0-9]{11,30}$", written) is not None and iban(written)


def _is_address(text: str) -> bool:
    """A number and a word for a street, or a house's number and a postcode among a few words."""
    if re.search(r"\d", text) is None:
        return False
    if re.search(STREET_WORDS, text, re.IGNORECASE) is not None:
        return True
    is_short = _ADDRESS_WORDS[0] <= len(text.split()) <= _ADDRESS_WORDS[1]
    return is_short and len(re.findall(r"\d+", text)) > 1 and re.search(r"\b\d{4,6}\b|\b\d[A-Z]{2}\b", text) is not None


_TESTS: tuple[tuple[Shape, Test], ...] = (
    (Shape.EMAIL, _matches(r"^[^@\s]+@[^@\s]+\.[A-Za-z]{2,}$")),
    (Shape.UUID, _matches(r"^\{?[0-9a-fA-F]{8}-?([0-9a-fA-F]{4}-?){3}[0-9a-fA-F]{12}\}?$")),
    (Shape.MAC, _matches(r"^([0-9A-Fa-f]{2}[:-]){5}[0-9A-Fa-f]{2}$")),
    (Shape.URL, _matches(r"^(https?|ftp)://|^www\.")),
    (Shape.IP, _is_read_by(Network((8,)))),
    (Shape.HOST, _is_host),
    (Shape.IBAN, _is_iban),
    (Shape.TIMESTAMP, _matches(r"^\d{4}-\d{2}-\d{2}[ T]\d{2}:\d{2}")),
    (Shape.DATE, _matches(patterns()[Scale.DATE])),
    (Shape.TIME, _matches(patterns()[Scale.TIME])),
    (Shape.LOCAL_DATE, _matches(_LOCAL_DATE)),
    (Shape.POSTCODE, _matches("|".join(_POSTCODES))),
)
"""The shapes that one text tells, the most telling first."""


def _is_diagnosis(version: str) -> Test:
    """Whether a text is a code as tables have it: in capitals, and of five characters where CM has seven."""
    reads = _is_read_by(Icd10(version=version))
    return lambda text: (
        reads(text) and text == text.upper() and (version == "cm" or len(text.replace(".", "")) <= _WHO_LENGTH)
    )


def _is_country(text: str) -> bool:
    """Whether a text names a country: by its code, or where the data of `un` are there, by its name."""
    try:
        return text in ALPHA_2 or text in ALPHA_3 or UnRegion().path(text) is not None
    except InputError:
        return False


_WORK_CODES: tuple[tuple[Shape, Test], ...] = (
    (Shape.NAICS, lambda text: len(text) == 6 and Naics().path(text) is not None),  # noqa: PLR2004
    (Shape.NACE, lambda text: "." in text and Nace().path(text) is not None),
    (Shape.ISCO, lambda text: len(text) == 4 and text[:2] in ISCO_GROUPS and Isco().path(text) is not None),  # noqa: PLR2004
)
"""Codes that only the name of a column tells from other numbers, and only where they are of the finest level."""


def find_shape(values: Sequence[tuple[str, int]], *, says: Meaning | None = None) -> ShapeFound | None:
    """What nearly all of some distinct texts look like; None if they have no known shape.

    Args:
        values: The texts with their records.
        says: The meaning of the column's name, which decides where a shape alone is weak evidence.

    >>> find_shape([("a@b.org", 3), ("c@d.net", 1)]).shape
    <Shape.EMAIL: 'email addresses'>
    """
    texts = [(text.strip(), n) for text, n in values if text.strip()]
    total = sum(n for _, n in texts)
    if not total:
        return None

    def share(test: Test) -> float:
        return sum(n for text, n in texts if test(text)) / total

    for shape, test in _TESTS:
        if (found := share(test)) >= NEARLY_ALL:
            return ShapeFound(shape, found)
    if says not in _CODED and (local := _local_number(texts, share)) is not None:
        return local
    numbered = _numbered(texts, share, says)
    return numbered or _coded(texts, share, says) or _plain_number(texts, share, says) or _worded(texts, share)


_CODED = frozenset({Meaning.POSTCODE, Meaning.PHONE, Meaning.KEY, Meaning.PERSON_KEY, Meaning.CASE_KEY})
"""What is no number, however its digits are written."""


def _local_number(texts: Sequence[tuple[str, int]], share: Callable[[Test], float]) -> ShapeFound | None:
    """Numbers of some form, if not all of them are written in the usual one."""
    is_local = _matches("|".join(NumberForm(form).pattern for form in KNOWN))
    is_usual = _matches(USUAL_NUMBER)
    if all(is_usual(text) or not is_local(text) for text, _ in texts):
        return None
    found = share(lambda text: is_local(text) or is_usual(text))
    return ShapeFound(Shape.LOCAL_NUMBER, found) if found >= NEARLY_ALL else None


def _numbered(
    texts: Sequence[tuple[str, int]], share: Callable[[Test], float], says: Meaning | None
) -> ShapeFound | None:
    """Numbers with check digits, and phone numbers."""
    if (found := share(_matches(rf"^{AMERICAN_WRITTEN}$"))) >= NEARLY_ALL:
        valid = share(lambda text: AMERICAN.is_valid(bare(text)))
        if valid >= NEARLY_ALL:
            return ShapeFound(Shape.NATIONAL_ID, found, AMERICAN.name)
    if len(texts) >= _CHECKED:
        for number in NATIONAL_IDS:
            fits = re.compile(number.pattern)

            def is_valid(text: str, fits: re.Pattern[str] = fits, check: Test = number.is_valid) -> bool:
                written = bare(text)
                return fits.fullmatch(written) is not None and check(written)

            if (found := share(is_valid)) >= NEARLY_ALL:
                return ShapeFound(Shape.NATIONAL_ID, found, number.name)
        if (found := share(_is_card)) >= NEARLY_ALL:
            return ShapeFound(Shape.CARD, found)
    is_number = share(_matches(patterns()[Scale.REAL])) >= NEARLY_ALL
    if (found := share(_is_phone)) >= NEARLY_ALL and (not is_number or says is Meaning.PHONE):
        return ShapeFound(Shape.PHONE, found)
    return None


def _coded(texts: Sequence[tuple[str, int]], share: Callable[[Test], float], says: Meaning | None) -> ShapeFound | None:
    """Codes of diagnoses, medicines, work and countries."""
    if (found := share(_matches(r"^[A-V]\d{2}[A-Z]{2}\d{2}$"))) >= NEARLY_ALL:
        return ShapeFound(Shape.ATC, found)
    by_version = {version: share(_is_diagnosis(version)) for version in ("who", "cm")}
    if (found := max(by_version.values())) >= NEARLY_ALL:
        is_wide = len(texts) >= _FEW_CODES and len({text[0] for text, _ in texts}) >= _FEW_LETTERS
        if is_wide or says is Meaning.HEALTH:
            return ShapeFound(Shape.ICD10, found, "cm" if by_version["cm"] > by_version["who"] else "")
    if says is Meaning.WORK and len(texts) >= _CHECKED:
        for shape, test in _WORK_CODES:
            if (found := share(test)) >= NEARLY_ALL:
                return ShapeFound(shape, found)
    if says is Meaning.COUNTRY and (found := share(_is_country)) >= NEARLY_ALL:
        return ShapeFound(Shape.COUNTRY, found)
    for codes in (ALPHA_2, ALPHA_3):
        found = share(codes.__contains__)
        if found == 1 and len(texts) >= _CHECKED:
            return ShapeFound(Shape.COUNTRY, found)
    return None


def _plain_number(
    texts: Sequence[tuple[str, int]], share: Callable[[Test], float], says: Meaning | None
) -> ShapeFound | None:
    is_code = any(re.match(r"^0\d+$", text) for text, _ in texts)
    for shape, scale in ((Shape.INTEGER, Scale.INTEGER), (Shape.REAL, Scale.REAL)):
        if (found := share(_matches(patterns()[scale]))) == 1:
            if says is Meaning.POSTCODE:
                return ShapeFound(Shape.POSTCODE, found)
            return ShapeFound(Shape.CODE if is_code else shape, found)
    if (found := share(_matches(patterns()[Scale.INTEGER]))) >= NEARLY_ALL:
        return ShapeFound(Shape.SOME_NUMBERS, found)
    return None


def _worded(texts: Sequence[tuple[str, int]], share: Callable[[Test], float]) -> ShapeFound | None:
    """Addresses, names and notes."""
    if (found := share(_is_address)) >= NEARLY_ALL:
        return ShapeFound(Shape.ADDRESS, found)
    total = sum(n for _, n in texts)
    named = share(_has_given_name)
    if named >= _NAMED and (found := share(lambda text: _PERSON.match(text) is not None)) >= NEARLY_ALL:
        return ShapeFound(Shape.NAME, found)
    length = sum(len(text) * n for text, n in texts) / total
    n_words = sum(len(text.split()) * n for text, n in texts) / total
    if length >= _LONG_TEXT and n_words >= _MANY_WORDS:
        return ShapeFound(Shape.FREE_TEXT, 1.0)
    return None


def _has_given_name(text: str) -> bool:
    plain = "".join(
        letter for letter in unicodedata.normalize("NFKD", text.casefold()) if not unicodedata.combining(letter)
    )
    return not GIVEN_NAMES.isdisjoint(re.findall(r"[^\W\d_]+", plain))
