"""The key `suppress` of a policy file: a share, or a share and what becomes of the suppressed records."""

from __future__ import annotations

import re
from collections.abc import Mapping
from fractions import Fraction
from typing import Any

from pydantic_core import PydanticCustomError

from maskwise.errors import PolicyError, quote
from maskwise.policy.budget import Suppressed, SuppressionBudget

_SHARE = re.compile(r"\s*([+-]?(?:\d{1,15}(?:\.\d{0,18})?|\.\d{1,18})(?:[eE][+-]?\d{1,2})?)\s*(%?)\s*")
_KEYS = ("share", "as")
_LONGEST = 40
"""Longer texts are not quoted."""


def read_budget(value: object) -> SuppressionBudget | None:
    """Read what a policy says of suppression.

    >>> read_budget("2%") == read_budget({"share": "0.02", "as": "removed"})
    True
    """
    if value is None or isinstance(value, SuppressionBudget):
        return value
    said: Mapping[Any, Any] = value if isinstance(value, Mapping) else {"share": value}
    shown_as, text = str(said.get("as", Suppressed.REMOVED)), str(said.get("share"))
    found = _SHARE.fullmatch(text)
    mistake = None
    if stray := [str(key) for key in said if key not in _KEYS]:
        mistake = f"`suppress` has the keys {quote(_KEYS)}; found `{stray[0]}`"
    elif shown_as not in list(Suppressed):
        mistake = f"`as` is one of {quote(list(Suppressed))}; found `{shown_as}`"
    elif "share" not in said:
        mistake = "`suppress` needs a `share`, such as 2%"
    elif found is None:
        shown = f"; found `{text}`" if len(text) <= _LONGEST else ""
        mistake = f"The share of `suppress` is a number, such as 2% or 0.02{shown}"
    if mistake is not None or found is None:
        raise _mistake(str(mistake))
    share = Fraction(found[1]) / (100 if found[2] else 1)
    try:
        return SuppressionBudget(share, Suppressed(shown_as))
    except PolicyError as error:
        hint = "; write 2% for 2 in a hundred" if share >= 1 and not found[2] else ""
        raise _mistake(error.mistakes[0].removesuffix(".") + hint) from None


def budget_data(budget: SuppressionBudget) -> str | dict[str, str]:
    """What a policy file says of it.

    >>> budget_data(SuppressionBudget(Fraction(1, 50)))
    '2%'
    """
    if budget.shown_as is Suppressed.REMOVED:
        return budget.text
    return {"share": budget.text, "as": str(budget.shown_as)}


def _mistake(text: str) -> PydanticCustomError:
    # Pydantic fills in what stands between braces.
    return PydanticCustomError("kind", "{text}", {"text": text})
