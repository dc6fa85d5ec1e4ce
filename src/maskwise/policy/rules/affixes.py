"""Values of which the first or the last characters are kept: postcodes, numbers of accounts, phone numbers."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Self

from maskwise.policy.rules.level_lists import read_counts

HIDING = "*"
"""What stands for a character that is not shown."""
_BETWEEN = str.maketrans("", "", " -./()\u00a0")
_PHONE = re.compile(r"\+?[0-9]{3,17}", re.ASCII)


@dataclass(frozen=True, slots=True)
class Prefix:
    """Keeps the first characters of a value, and its length.

    A value with a `*` of its own would look like a label, so it is not read; nor is an empty one.

    >>> Prefix((5, 3, 2, 1)).path("02139")
    ('0****', '02***', '021**', '02139')
    >>> Prefix((5, 3)).path("021"), Prefix((3,)).path("021**")
    (('021',), None)
    """

    kept: tuple[int, ...]
    """How many characters each level keeps, the finest first."""

    @property
    def key(self) -> str:
        """The word in a policy."""
        return "prefix"

    @property
    def levels(self) -> tuple[str, ...]:
        """The numbers of characters, the coarsest first."""
        return tuple(str(n) for n in reversed(self.kept))

    @classmethod
    def from_data(cls, data: object) -> Self:
        """Read how many characters are kept."""
        return cls(read_counts("prefix", data, "[5, 3, 2, 1]"))

    def path(self, text: str) -> tuple[str, ...] | None:
        """The labels of a value: as long as the value is, so that a label means one length."""
        return _kept_first(text, self.kept)

    def to_data(self) -> list[int]:
        """What a policy says."""
        return list(self.kept)


@dataclass(frozen=True, slots=True)
class Suffix:
    """Keeps the last characters of a value, and its length.

    >>> Suffix((4, 2)).path("DE-7731")
    ('*****31', '***7731')
    """

    kept: tuple[int, ...]
    """How many characters each level keeps, the finest first."""

    @property
    def key(self) -> str:
        """The word in a policy."""
        return "suffix"

    @property
    def levels(self) -> tuple[str, ...]:
        """The numbers of characters, the coarsest first."""
        return tuple(str(n) for n in reversed(self.kept))

    @classmethod
    def from_data(cls, data: object) -> Self:
        """Read how many characters are kept."""
        return cls(read_counts("suffix", data, "[4, 2]"))

    def path(self, text: str) -> tuple[str, ...] | None:
        """The labels of a value, as long as the value is."""
        found = _kept_first(text[::-1], self.kept)
        return None if found is None else tuple(label[::-1] for label in found)

    def to_data(self) -> list[int]:
        """What a policy says."""
        return list(self.kept)


@dataclass(frozen=True, slots=True)
class Phone:
    """Keeps the first digits of a phone number: country, area, exchange.

    Blanks and signs between digits count for nothing, and `00` at the start is `+`. A number without a country
    code is another one than the same with it.

    >>> Phone((6, 3)).path("+49 (30) 901-820"), Phone((3,)).path("0049 30901820")
    (('+493*******', '+493090****'), ('+493*******',))
    """

    kept: tuple[int, ...]
    """How many digits each level keeps, the finest first."""

    @property
    def key(self) -> str:
        """The word in a policy."""
        return "phone"

    @property
    def levels(self) -> tuple[str, ...]:
        """The numbers of digits, the coarsest first."""
        return tuple(str(n) for n in reversed(self.kept))

    @classmethod
    def from_data(cls, data: object) -> Self:
        """Read how many digits are kept."""
        return cls(read_counts("phone", data, "[6, 3]", most=17))

    def path(self, text: str) -> tuple[str, ...] | None:
        """The labels of a number, as long as the number is; None of what is no phone number."""
        digits = text.translate(_BETWEEN)
        if not _PHONE.fullmatch(digits):
            return None
        sign, digits = ("+", digits[2:]) if digits.startswith("00") else ("", digits)
        sign, digits = ("+", digits[1:]) if digits.startswith("+") else (sign, digits)
        found = _kept_first(digits, self.kept)
        return None if found is None else tuple(sign + label for label in found)

    def to_data(self) -> list[int]:
        """What a policy says."""
        return list(self.kept)


def _kept_first(text: str, kept: tuple[int, ...]) -> tuple[str, ...] | None:
    """The labels that keep so many first characters, the coarsest first; each once."""
    n = len(text)
    if not n or HIDING in text:
        return None
    if n >= kept[0]:
        return tuple([text[:k] + HIDING * (n - k) for k in kept[::-1]])
    return tuple(dict.fromkeys(text[:k] + HIDING * max(n - k, 0) for k in kept[::-1]))
