"""Thresholds of risk: chances of being found that somebody has called acceptable, by name or by number."""

from __future__ import annotations

from typing import TYPE_CHECKING

from maskwise.errors import InputError, did_you_mean, quote

if TYPE_CHECKING:
    from collections.abc import Iterable

NAMED = {"ema-0070": 0.09}
"""The thresholds that have a name: the European Medicines Agency's Policy 0070 asks for groups of 12 and more."""
DEFAULT_THRESHOLDS = ("0.05", "ema-0070", "0.2", "0.33")
"""What is reported unless something else is asked: groups of 20, 12, 5 and 4 are not above them."""


def read_thresholds(given: Iterable[str | float]) -> dict[str, float]:
    """Read thresholds, each under the name it was asked by, without repeating one.

    Args:
        given: Names, or numbers between 0 and 1, also as texts.

    >>> read_thresholds(["ema-0070", 0.2])
    {'ema-0070': 0.09, '0.2': 0.2}
    """
    return {_name(one): _value(one) for one in given}


def _name(given: str | float) -> str:
    return given.strip() if isinstance(given, str) else f"{given:g}"


def _value(given: str | float) -> float:
    text = _name(given)
    if text in NAMED:
        return NAMED[text]
    try:
        value = float(text) if isinstance(given, str) else float(given)
    except ValueError:
        msg = (
            f"There is no threshold `{text}`. Use {quote(NAMED)} or a number between 0 and 1, such as 0.2."
            f"{did_you_mean(text, list(NAMED))}"
        )
        raise InputError(msg) from None
    if not 0 < value < 1:
        msg = f"A threshold is a chance between 0 and 1, such as 0.2; found `{text}`. Or use {quote(NAMED)}."
        raise InputError(msg)
    return value
