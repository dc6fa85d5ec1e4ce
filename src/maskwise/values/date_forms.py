"""How dates are written in some countries: `17.07.1971`, `7/17/1971`, with a time of day after them or without.

A form turns such a text into an ISO date, which everything after it
understands; a table rewrites its cells by the same parts (`table.date_cells`).
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Self

from maskwise.errors import PolicyError, did_you_mean, quote

if TYPE_CHECKING:
    from collections.abc import Iterable

_PARTS = {"DD": "(0?[1-9]|[12][0-9]|3[01])", "MM": "(0?[1-9]|1[0-2])", "YYYY": "([0-9]{4})"}
_CLOCK = r"[ T]+([01]?[0-9]|2[0-3])(:[0-5][0-9](?::[0-5][0-9](?:\.[0-9]{1,6})?)?)"
"""An hour, and what follows it."""
_CLOCK_WORDS = re.compile(r"[ T]+hh?:mm(:ss)?$", re.IGNORECASE)
KNOWN = ("DD.MM.YYYY", "DD/MM/YYYY", "MM/DD/YYYY", "DD-MM-YYYY", "MM-DD-YYYY", "YYYY/MM/DD", "YYYY.MM.DD")
"""The forms that are read beside ISO dates."""


@dataclass(frozen=True)
class DateForm:
    """One way to write dates.

    >>> form = DateForm.read("DD.MM.YYYY")
    >>> tuple(map(form.to_usual, ("9.3.2024", "09.03.2024 13:02", "2024-03-09", "unknown")))
    ('2024-03-09', '2024-03-09T13:02', '2024-03-09', 'unknown')
    """

    text: str
    """The form as a policy names it; one of `KNOWN`."""

    @classmethod
    def read(cls, text: str) -> Self:
        """Read the form that a policy names; one of a time of day after it is none of the date's.

        >>> DateForm.read("dd.mm.yyyy hh:mm").text
        'DD.MM.YYYY'
        """
        named = _CLOCK_WORDS.sub("", text.strip()).upper()
        if named not in KNOWN:
            msg = (
                f"`{text}` is no form of dates that is known.{did_you_mean(named, KNOWN)} Known are {quote(KNOWN)}; a "
                "time of day may follow in the cells, and dates such as 2024-03-09 need no form."
            )
            raise PolicyError([msg])
        return cls(named)

    @property
    def separator(self) -> str:
        """What stands between day, month and year."""
        return next(letter for letter in self.text if letter in "./-")

    @property
    def order(self) -> tuple[str, ...]:
        """The parts as they follow each other: `DD`, `MM` and `YYYY`."""
        return tuple(self.text.split(self.separator))

    @cached_property
    def day_pattern(self) -> str:
        """What a date alone looks like, for an engine to search by; each part is a group."""
        return rf"^\s*{self._date}\s*$"

    @cached_property
    def moment_pattern(self) -> str:
        """What a date with a time of day looks like; group 4 is the hour, group 5 what follows it."""
        return rf"^\s*{self._date}{_CLOCK}\s*$"

    @cached_property
    def pattern(self) -> str:
        """What either looks like."""
        return rf"^\s*{self._date}(?:{_CLOCK})?\s*$"

    @property
    def _date(self) -> str:
        return re.escape(self.separator).join(_PARTS[part] for part in self.order)

    def group(self, part: str) -> int:
        """The number, from 1, of a part's group in the patterns."""
        return self.order.index(part) + 1

    def to_usual(self, text: str) -> str:
        """The ISO spelling of a text of this form; any other text as it is."""
        found = re.match(self.pattern, text)
        if found is None:
            return text
        day = f"{found[self.group('YYYY')]}-{found[self.group('MM')]:0>2}-{found[self.group('DD')]:0>2}"
        return day if found[4] is None else f"{day}T{found[4]:0>2}{found[5]}"


def forms_of(texts: Iterable[str]) -> tuple[DateForm, ...]:
    """The forms by which all texts can be read; two of them if no value tells day and month apart.

    >>> [form.text for form in forms_of(["17/07/1971", "01/02/1980"])]
    ['DD/MM/YYYY']
    >>> [form.text for form in forms_of(["07/07/1971", "01/02/1980"])]
    ['DD/MM/YYYY', 'MM/DD/YYYY']
    """
    texts = list(texts)
    forms = [DateForm(text) for text in KNOWN] if texts else []
    return tuple(form for form in forms if all(re.match(form.pattern, text) for text in texts))
