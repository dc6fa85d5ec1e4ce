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


def read_budget(value: object) -> SuppressionBudget | None:
    """Read what a policy says of suppression.

    >>> read_budget("2%") == read_budget({"share": "0.02", "as": "removed"})
    True
    """
    if value is None or isinstance(value, SuppressionBudget):
        return value
    said: Mapping[Any, Any] = value if isinstance(value, Mapping) else {"share": value}
    stray = next((str(key) for key in said if key not in _KEYS), None)
    if stray is not None:
        raise _mistake(f"`suppress` has the keys {quote(_KEYS)}; found `{stray}`")
    shown_as = str(said.get("as", Suppressed.REMOVED))
    if shown_as not in list(Suppressed):
        raise _mistake(f"`as` is one of {quote(list(Suppressed))}; found `{shown_as}`")
    if "share" not in said:
        raise _mistake("`suppress` needs a `share`, such as 2%")
    found = _SHARE.fullmatch(str(said["share"]))
    if found is None:
        example = "such as 2% or 0.02"
        if isinstance(said["share"], str) and len(said["share"]) <= 40:  # noqa: PLR2004 - a word, no text
            raise _mistake(f"The share of `suppress` is a number, {example}; found `{said['share']}`")
        raise _mistake(f"The share of `suppress` is a number, {example}")
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
