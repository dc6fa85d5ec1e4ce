"""The parameters of a scikit-learn transformer that go with an epsilon."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING, Any

from maskwise.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Mapping

_FITTING = frozenset({"policy", "epsilon", "encode"})
_MEAN = "mean"


def exact_epsilon(given: float | str | None) -> Fraction:
    """An epsilon as an exact number.

    >>> exact_epsilon(0.3), exact_epsilon("1/3")
    (Fraction(3, 10), Fraction(1, 3))
    """
    try:
        return Fraction(str(given))
    except (ValueError, ZeroDivisionError):
        msg = f"`epsilon` is a number above 0; found `{given}`."
        raise InputError(msg) from None


def refuse_parameters(given: Mapping[str, Any], usual: Mapping[str, Any]) -> None:
    """Refuse what would not be followed, or would tell more than the mechanism releases.

    Args:
        given: The parameters.
        usual: Their defaults.
    """
    if given["encode"] == _MEAN:
        raise InputError("`encode='mean'` would tell means of the training rows, which no epsilon paid for.")
    strange = [name for name, value in given.items() if name not in _FITTING and value != usual[name]]
    if strange:
        msg = (
            f"`{strange[0]}` does not go with an epsilon: a mechanism chooses by itself, and nobody may be able to "
            "draw the same again. Leave it out."
        )
        raise InputError(msg)
