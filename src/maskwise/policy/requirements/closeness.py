"""t-closeness: a group's sensitive values are distributed nearly as in the whole table."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

from maskwise.policy.requirements.qid import bound_mistakes, called, qid_mistakes, refuse
from maskwise.values.spelling import one_spelling

if TYPE_CHECKING:
    from fractions import Fraction

    from maskwise.policy.requirements.all import Part


class Distance(StrEnum):
    """How far the values of a group are from those of the whole table."""

    EQUAL = "equal"
    """All values are equally far apart: half the sum of the differences of shares."""
    ORDERED = "ordered"
    """Values are as far apart as their places in their order (earth mover's distance)."""


@dataclass(frozen=True, slots=True)
class Closeness:
    """In every group on `qid` the sensitive column is distributed nearly as in the whole table (Li et al. 2007).

    Claim: anti-monotone. Both distances are convex and a group's distribution
    is the mean of its parts', so some part is at least as far from the table.
    """

    qid: tuple[str, ...]
    """The attributes an attacker knows."""
    sensitive: str
    """The column whose distribution is compared; a missing cell is a value of its own."""
    bound: Fraction
    """The largest distance allowed."""
    distance: Distance = Distance.EQUAL
    """How distance is measured."""
    order: tuple[str, ...] = ()
    """The order of the values, for the ordered distance of a column that has none of its own."""

    def __post_init__(self) -> None:
        """Refuse a bound outside (0, 1] and an order that is not used."""
        mistakes = qid_mistakes(self.qid, [self.sensitive]) + bound_mistakes([self.bound], "closeness")
        if self.order and self.distance is not Distance.ORDERED:
            mistakes.append("An order goes with the ordered distance. Write `distance: ordered`, or take it out.")
        if len({one_spelling(text) for text in self.order}) < len(self.order):
            mistakes.append(f"A value stands twice in the order of `{self.sensitive}`.")
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
        return (self.distance, self.sensitive, self.order)

    def implies(self, other: Part) -> bool:
        """Say whether a table that meets this one always meets `other`: as for templates, with distances."""
        return (
            isinstance(other, Closeness)
            and self.subject == other.subject
            and set(other.qid) <= set(self.qid)
            and self.bound <= other.bound
        )

    def asks(self) -> str:
        """What it asks, in a few words."""
        return f"{float(self.bound):g}-closeness of {self.sensitive} ({self.distance} distance) on {self.name}"
