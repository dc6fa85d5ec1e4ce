"""How many records a release may give up, so that the others can be shown in more detail."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from fractions import Fraction  # noqa: TC003 - the example needs it

from maskwise.errors import PolicyError


class Suppressed(StrEnum):
    """What becomes of a suppressed record."""

    REMOVED = "removed"
    """It is left out of the release."""
    ROOT = "root"
    """It shows the root on every masked attribute; such records have to meet every requirement together."""


@dataclass(frozen=True, slots=True)
class SuppressionBudget:
    """The share of records, or of persons, that may be suppressed.

    Example:
        >>> SuppressionBudget(Fraction(2, 100)).most(1_000)
        20
    """

    share: Fraction
    """The largest share, above 0 and below 1."""
    shown_as: Suppressed = Suppressed.REMOVED
    """What becomes of them."""

    def __post_init__(self) -> None:
        """Refuse a share of nothing and of everything."""
        if not 0 < self.share < 1:
            msg = f"`suppress` is a share of the records above 0 % and below 100 %; found {self.text}."
            raise PolicyError([msg])

    def most(self, n_counted: int) -> int:
        """How many of so many records or persons may be suppressed."""
        return int(self.share * n_counted)

    @property
    def text(self) -> str:
        """The share as a policy file says it.

        >>> SuppressionBudget(Fraction("0.025")).text
        '2.5%'
        """
        return f"{float(100 * self.share):.15g}%"
