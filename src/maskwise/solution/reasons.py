"""Why a masked value is shown as it is, and what would free it."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from enum import StrEnum
from typing import Any


class ReasonKind(StrEnum):
    """Why a shown value was not refined any further."""

    BREAKS = "breaks"
    """Showing more would break a requirement."""
    TELLS_NOTHING = "tells nothing"
    """Showing more would tell nothing about the class."""
    TOO_FEW = "too few"
    """Fewer records than any group needs are below it, so it was never tried."""
    NOT_CONSIDERED = "not considered"
    """Its best split is invalid; another one was not tried."""
    STOPPED = "stopped"
    """The search was stopped before it came to it."""


@dataclass(frozen=True, slots=True)
class Reason:
    """Why one shown value was not refined any further."""

    attribute: str
    """The masked attribute."""
    shown: str
    """The value that is shown."""
    kind: ReasonKind
    """Why."""
    text: str
    """The same in a sentence."""
    instead: tuple[str, ...] = ()
    """What would be shown instead."""
    requirement: int | None = None
    """The position in the policy of the requirement that would break."""
    figure: float | None = None
    """What that requirement would reach."""
    n_records: int | None = None
    """How many records, or persons, show the value."""


@dataclass(frozen=True, slots=True)
class Change:
    """One change of the policy that would let an attribute show more."""

    attribute: str
    """The attribute."""
    shown: str
    """The value of it that would be refined."""
    text: str
    """The change in a sentence, such as `k=27 instead of 50 on {Age, Sex}`."""


@dataclass(frozen=True, slots=True)
class Reasons:
    """Why each masked value is shown as it is; all of it rests on raw counts, so it is for the owner."""

    reasons: tuple[Reason, ...]
    """One for each shown value that hides something, in the order of the policy and the trees."""
    binding: tuple[tuple[str, int], ...]
    """For each attribute that a requirement holds back, the position of the one that does so most often."""
    changes: tuple[Change, ...] = ()
    """For the attributes that could gain most, which single change would let them show more."""

    def of(self, attribute: str) -> tuple[Reason, ...]:
        """The reasons of one attribute."""
        return tuple(reason for reason in self.reasons if reason.attribute == attribute)

    def to_data(self) -> dict[str, Any]:
        """The same as plain values, for JSON."""
        return asdict(self)
