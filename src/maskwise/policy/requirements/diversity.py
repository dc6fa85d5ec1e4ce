"""Requirements on all values of a sensitive column at once: diversity and closeness.

Like k-anonymity and templates (`requirements`) they are rules on the groups of
a QID, and anti-monotone.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from fractions import Fraction
from typing import TYPE_CHECKING

from maskwise.policy.requirements.qid import MOST_PARTS, called, qid_mistakes, refuse

if TYPE_CHECKING:
    from maskwise.policy.requirements.all import Part


class Measure(StrEnum):
    """How the diversity of a sensitive column in a group is measured."""

    DISTINCT = "distinct"
    """At least l values."""
    ENTROPY = "entropy"
    """An entropy of at least log l."""
    RECURSIVE = "recursive"
    """The most frequent value has fewer records than c times those of the l-th and rarer ones."""


@dataclass(frozen=True, slots=True)
class Diversity:
    """The values of a sensitive column are diverse in every group on `qid` (Machanavajjhala et al. 2007).

    Claim: anti-monotone. If all parts of a group are diverse, so is the group:
    it has every value they have, its entropy is at least the mean of theirs, and
    its most frequent value, summed over the parts, stays below c times the
    summed tails, which the tail of the group is not below.
    """

    qid: tuple[str, ...]
    """The attributes an attacker knows."""
    sensitive: str
    """The column whose values are counted; a missing cell is a value of its own."""
    measure: Measure
    """How diversity is measured."""
    l: Fraction  # noqa: E741 - the paper's name
    """How diverse a group must be; a whole number unless the measure is entropy."""
    c: Fraction = Fraction(1)
    """For the recursive measure, how much the most frequent value may outweigh the rarer ones."""

    def __post_init__(self) -> None:
        """Refuse a level that means nothing."""
        mistakes = qid_mistakes(self.qid, [self.sensitive])
        least = {Measure.DISTINCT: 1, Measure.ENTROPY: 1, Measure.RECURSIVE: 2}[self.measure]
        if self.l < least:
            mistakes.append(f"The level of {self.measure} diversity is at least {least}; found {float(self.l):g}.")
        if self.l > MOST_PARTS:
            mistakes.append(f"The level of {self.measure} diversity is at most {MOST_PARTS:,}.")
        if self.measure is not Measure.ENTROPY and self.l.denominator != 1:
            mistakes.append(f"The level of {self.measure} diversity is a whole number; found {float(self.l):g}.")
        elif self.l.denominator > MOST_PARTS:
            mistakes.append(f"The level of {self.measure} diversity has at most nine decimals.")
        if self.c <= 0 or max(self.c.numerator, self.c.denominator) > MOST_PARTS:
            mistakes.append(f"The c of recursive diversity is above 0 and has at most nine digits; found {self.c}.")
        refuse(mistakes)

    @property
    def name(self) -> str:
        """How messages call its QID."""
        return called(self.qid)

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns a recount looks at."""
        return (*self.qid, self.sensitive)

    @property
    def parts(self) -> tuple[Part, ...]:
        """The rules it is made of: itself."""
        return (self,)

    @property
    def subject(self) -> tuple[object, ...]:
        """As in KAnonymity."""
        return (self.measure, self.sensitive)

    def implies(self, other: Part) -> bool:
        """Say whether a table that meets this one always meets `other`.

        A group on a subset of the QID is a union of groups on it, a larger l
        leaves a smaller tail, and a smaller c allows less.
        """
        return (
            isinstance(other, Diversity)
            and self.subject == other.subject
            and set(other.qid) <= set(self.qid)
            and other.l <= self.l
            and self.c <= other.c
        )

    def level(self) -> str:
        """How diverse, in a few words."""
        if self.measure is Measure.RECURSIVE:
            return f"recursive ({float(self.c):g}, {self.l})-diversity"
        return f"{self.measure} {float(self.l):g}-diversity"

    def asks(self) -> str:
        """What it asks, in a few words."""
        return f"{self.level()} of {self.sensitive} on {self.name}"
