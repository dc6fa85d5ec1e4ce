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
_FIXED = re.compile(r"-?(0|[1-9][0-9]{0,30})(?:\.([0-9]{1,30}))?")
"""A whole number, or one with decimals, as a column of numbers with so many decimals writes each."""
_FLOAT = re.compile(r"-?(?:(?:0|[1-9][0-9]*)\.(?:0|[0-9]*[1-9])|[1-9](?:\.[0-9]*[1-9])?[eE][-+][0-9]+|inf|nan)")
"""A number as a column of floats writes each."""
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


def telling_apart(texts: Sequence[str], *, is_text: bool) -> Callable[[str], str]:
    """How the values of one column are told apart: numbers by what they are, texts by their letters.

    A text file has no types, so the column's is found from its cells: all of
    them are written as one type of number writes its own. Among codes, `250`
    and `250.0` are two values.

    Args:
        texts: The spellings that occur in the column.
        is_text: Whether the cells are texts; else they are numbers, dates or truth values.

    >>> one = telling_apart(["1.50", "2.00"], is_text=True)
    >>> one("1.5") == one("1.50"), telling_apart(["250", "250.0"], is_text=True)("250.0")
    (True, '250.0')
    """
    if not is_text:
        return one_spelling
    n_decimals = {len(found[2] or "") if (found := _FIXED.fullmatch(text)) else None for text in texts}
    if len(n_decimals) == 1 and None not in n_decimals:
        return _as_decimal
    return one_spelling if all(_FLOAT.fullmatch(text) for text in texts) else str


def _as_decimal(text: str) -> str:
    """A number without zeros at its end; any other text as it is."""
    return one_spelling(f"{Decimal(text).normalize() + 0:f}" if _FIXED.fullmatch(text) else text)


def has_order(texts: Sequence[str]) -> bool:
    """Say whether values have an order of their own: all numbers, or all ISO dates or times.

    >>> has_order(["9", "10"]), has_order(["2024-01-31"]), has_order(["low", "high"])
    (True, True, False)
    """
    scales = (Scale.REAL, Scale.DATE, Scale.TIMESTAMP, Scale.TIME)
    # Times are sorted by their characters, so a blank and a T between day and hour would not mix.
    is_mixed = any(" " in text for text in texts) and any("T" in text for text in texts)
    return not is_mixed and any(all(re.fullmatch(_PATTERNS[scale], text) for text in texts) for scale in scales)
