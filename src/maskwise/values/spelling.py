"""How values are spelled as text, and when two spellings are one value."""

from __future__ import annotations

import datetime as dt
import re
from decimal import Decimal
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

from maskwise.values.parsing import _PATTERNS
from maskwise.values.scales import Scale, label

_WHOLE = re.compile(r"-?(0|[1-9][0-9]*)(\.0+)?")
_POWER = re.compile(r"-?(0|[1-9][0-9]*)(\.[0-9]+)?[eE][-+]?[0-9]{1,4}")
_LARGEST_POWER = 400
"""No float has a larger one."""


def value_order(texts: Sequence[str]) -> Callable[[str], Any]:
    """How to sort values: numbers by size if all are numbers, anything else by its characters.

    >>> sorted(["10", "9"], key=value_order(["10", "9"])), sorted(["b10", "b9"], key=value_order(["b10", "b9"]))
    (['9', '10'], ['b10', 'b9'])
    """
    if all(re.fullmatch(_PATTERNS[Scale.REAL], text) for text in texts):
        return lambda text: (float(text), text)
    return lambda text: text


def text_of(key: object) -> str:
    """Spell a key of a categorical column as taxonomies and outputs spell it.

    >>> text_of("Private"), text_of(3.0), text_of(True)
    ('Private', '3', 'true')
    """
    if isinstance(key, bool):
        return "true" if key else "false"
    if isinstance(key, float):
        return label(key, Scale.REAL)
    if isinstance(key, dt.date | dt.time):
        return key.isoformat()
    return str(key)


def is_spelled(key: object, value: str) -> bool:
    """Say whether a cell is the value that a policy names; numbers are equal however they are written.

    >>> is_spelled(1.0, "1"), is_spelled("1.0", "1"), is_spelled("HIV", "hiv")
    (True, True, False)
    """
    text = text_of(key)
    return text == value or one_spelling(text) == one_spelling(value)


def one_spelling(text: str) -> str:
    """The same text for all spellings of a value: a number, as any type of number is written.

    What no number type writes is a code: `01` is not `1`, and `250.10` is not `250.1`.

    >>> one_spelling("1.0"), one_spelling("1e0"), one_spelling("-0"), one_spelling("HIV")
    ('1', '1', '0', 'HIV')
    >>> one_spelling("01"), one_spelling("250.10"), one_spelling("9007199254740993.0")
    ('01', '250.10', '9007199254740993')
    """
    if _WHOLE.fullmatch(text):
        whole = text.partition(".")[0]
        return "0" if whole == "-0" else whole
    if _POWER.fullmatch(text) and -_LARGEST_POWER <= int(re.split("[eE]", text)[1]) <= _LARGEST_POWER:
        return one_spelling(f"{Decimal(text).normalize() + 0:f}")
    return text


def has_order(texts: Sequence[str]) -> bool:
    """Say whether values have an order of their own: all numbers, or all ISO dates or times.

    >>> has_order(["9", "10"]), has_order(["2024-01-31"]), has_order(["low", "high"])
    (True, True, False)
    """
    scales = (Scale.REAL, Scale.DATE, Scale.TIMESTAMP, Scale.TIME)
    # Times are sorted by their characters, so a blank and a T between day and hour would not mix.
    is_mixed = any(" " in text for text in texts) and any("T" in text for text in texts)
    return not is_mixed and any(all(re.fullmatch(_PATTERNS[scale], text) for text in texts) for scale in scales)
