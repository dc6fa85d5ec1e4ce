"""How numbers are written in some countries: `1.234,5`, `1 234,5`, `1'234.5`.

A form turns such a text into the usual spelling, digits with a decimal point,
without a detour over floats: texts that are the same decimal number become the
same text. A table rewrites its cells by the same parts (`table.number_cells`).
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Self

from maskwise.errors import PolicyError, did_you_mean, quote

if TYPE_CHECKING:
    from collections.abc import Iterable

KNOWN = ("1234,5", "1.234,5", "1 234,5", "1'234,5", "1,234.5", "1 234.5", "1'234.5")
"""The forms that are read beside numbers with a decimal point, each by an example: 1234 and a half."""
_USUAL = "1234.5"
_BLANKS = " \u00a0\u202f"
"""A blank between digits may be one at which no line breaks, wide or narrow."""
_MARKS = {" ": _BLANKS, "'": "'\u2019"}
_EDGE = r"[ \t\r\n]*"
MINUS = "\u2212"
"""The minus of typographers, beside the hyphen of keyboards."""


@dataclass(frozen=True)
class NumberForm:
    """One way to write numbers.

    >>> form = NumberForm.read("1.234,5")
    >>> [form.to_usual(text) for text in ("1.234,50", "-0,5", "12345", "1.23", "?")]
    ['1234.5', '-0.5', '12345', '1.23', '?']
    """

    text: str
    """The form as a policy names it; one of `KNOWN`."""

    @classmethod
    def read(cls, text: str) -> Self:
        """Read the form that a policy names.

        >>> NumberForm.read("1 234,5").thousands
        ' '
        """
        named = _plain_marks(text.strip())
        if named not in KNOWN:
            needless = " Numbers such as 1234.5 need no form." if named == _USUAL else ""
            msg = (
                f"`{text}` is no form of numbers that is known.{did_you_mean(named, KNOWN)}{needless} Known are "
                f"{quote(KNOWN)}: the number 1234 and a half as the column would write it."
            )
            raise PolicyError([msg])
        return cls(named)

    @property
    def decimal(self) -> str:
        """What stands before the decimals."""
        return self.text[-2]

    @property
    def thousands(self) -> str:
        """What may stand between every three digits; empty if nothing may."""
        return "" if self.text[1].isdigit() else self.text[1]

    @property
    def marks(self) -> str:
        """All letters that are read as `thousands`."""
        return _MARKS.get(self.thousands, self.thousands)

    @cached_property
    def pattern(self) -> str:
        """What a number of this form looks like, for an engine to search by."""
        decimal = re.escape(self.decimal)
        parted = rf"[1-9][0-9]{{0,2}}(?:[{self.marks}][0-9]{{3}})+|" if self.marks else ""
        number = rf"(?:{parted}[0-9]+)(?:{decimal}[0-9]*)?|{decimal}[0-9]+"
        return rf"^{_EDGE}[-+{MINUS}]?(?:{number}){_EDGE}$"

    @property
    def before_digits(self) -> str:
        """What stands before the first digit, for an engine to search by."""
        return rf"^{_EDGE}[-+{MINUS}]?"

    @property
    def before_decimals(self) -> str:
        """What stands before the decimals, for an engine to search by."""
        return re.escape(self.decimal)

    def to_usual(self, text: str) -> str:
        """The usual spelling of a number of this form; any other text as it is."""
        if re.match(self.pattern, text) is None:
            return text
        bare = text.strip(" \t\r\n").translate(dict.fromkeys(map(ord, self.marks)))
        whole, _, decimals = bare.lstrip(f"+-{MINUS}").partition(self.decimal)
        whole, decimals = whole.lstrip("0") or "0", decimals.rstrip("0")
        number = f"{whole}.{decimals}" if decimals else whole
        return f"-{number}" if bare.startswith(("-", MINUS)) and number != "0" else number


def forms_of(texts: Iterable[str]) -> tuple[NumberForm, ...]:
    """The forms by which all texts can be read; none if they need none, two if a comma may be of either kind.

    Of forms that read the same numbers the one with the fewest marks comes first, and it alone is given.

    >>> [form.text for form in forms_of(["1.204,50", "7,25"])], forms_of(["1.234", "2.5"])
    (['1.234,5'], ())
    >>> [form.text for form in forms_of(["1,234", "15,000"])]
    ['1234,5', '1,234.5']
    """
    texts = list(texts)
    n_fits = {form: sum(re.match(form.pattern, text) is not None for text in texts) for form in map(NumberForm, KNOWN)}
    is_usual = all(re.match(USUAL_NUMBER, text) for text in texts)
    return () if is_usual or not texts else choose_forms([form for form, n in n_fits.items() if n == len(texts)])


def choose_forms(fitting: Iterable[NumberForm]) -> tuple[NumberForm, ...]:
    """Of forms that read the same texts, those that may read them differently.

    Where both a comma and a point may stand before the decimals, a column without blanks and apostrophes could mean
    either; between others no text tells apart, they read the same numbers.

    Args:
        fitting: The forms that read all of them, in the order of `KNOWN`.
    """
    found = tuple(fitting)
    first = found[:1]
    other = next((form for form in found if form.text == "1,234.5"), None)
    is_open = other is not None and first != (other,) and first[0].thousands in {"", "."}
    return (*first, other) if is_open and other is not None else first


LOCAL_NUMBER = f"^[+-]?[0-9]{{1,3}}([.'{_BLANKS}]?[0-9]{{3}})*,[0-9]+$"
"""A number with a decimal comma, with or without marks every three digits."""
USUAL_NUMBER = r"^[ \t\r\n]*[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]{1,3})?[ \t\r\n]*$"
"""A number with a decimal point, which needs no form."""


def _plain_marks(text: str) -> str:
    """A form with the marks of a keyboard."""
    return "".join(next((mark for mark, alike in _MARKS.items() if letter in alike), letter) for letter in text)
