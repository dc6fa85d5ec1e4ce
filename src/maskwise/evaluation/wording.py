"""What the codes of an evaluation mean, in words that need no paper."""

from __future__ import annotations

_WAYS = {
    "BE": "raw",
    "AE": "masked",
    "SE": "masked",
    "UE": "without the quasi-identifiers",
    "RE": "without the sensitive columns",
}
_REMARKS = {"exact boundaries", "all columns"}
"""What stands in brackets and is no other tool."""


def describe_way(measure: str) -> str:
    """What a classifier was trained on.

    >>> describe_way("BE"), describe_way("AE(exact boundaries)"), describe_way("AE(mondrian)")
    ('raw', 'masked, exact boundaries', 'masked by mondrian')
    """
    code, _, rest = measure.partition("(")
    said, name = _WAYS.get(code, code), rest.removesuffix(")")
    if not name:
        return said
    return f"{said}, {name}" if name in _REMARKS else f"{said} by {name}"


def decimals(metric: str) -> int:
    """How many decimals a figure is shown with: two of a share in percent or an amount, four of others."""
    return 2 if metric in {"error", "balanced", "mae"} else 4
