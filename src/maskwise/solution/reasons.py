"""Why a masked value is shown as it is, and what would free it."""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass
from enum import StrEnum
from typing import Any

MISSING = "(missing)"
"""How a missing cell is called where values are listed."""


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
    PASSED = "passed"
    """Showing more would be safe now, but the search had passed it: it went up from the raw values, or it had tried
    this when shares of persons did not allow it."""
    ASKED = "asked"
    """The policy asks for it: the value is top- or bottom-coded, or regions may not show it in several ways."""


class ChangeKind(StrEnum):
    """What of a policy is changed."""

    K = "k"
    """The k of a requirement."""
    CONFIDENCE = "confidence"
    """The largest share that a requirement allows."""
    COLUMN = "column"
    """A column is taken out of a requirement's quasi-identifier."""
    LEVEL = "level"
    """Another attribute shows less: one level of its taxonomy, or nothing."""


@dataclass(frozen=True, slots=True)
class Break:
    """A requirement that a refinement would break."""

    requirement: int
    """Its position in the policy."""
    qid: tuple[str, ...]
    """The quasi-identifier of the rule that breaks worst; of an lkc requirement some of its attributes."""
    figure: float
    """What that rule would reach."""
    text: str = ""
    """The same in a sentence without its end: what it would reach, and what is asked."""


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
    """What that requirement would reach; where too few records are below it, what it would reach at best."""
    n_records: int | None = None
    """How many records are behind it: those that show the value, or those with the one that `*` hides."""
    breaks: tuple[Break, ...] = ()
    """All requirements that would break, the one that `requirement` names among them."""
    gain: float | None = None
    """What showing more would tell: bits of the class over all records, or without a class how much narrower they
    would be shown; times the attribute's weight."""
    region: int | None = None
    """The region that it is about, where regions have cuts of their own."""


@dataclass(frozen=True, slots=True)
class Change:
    """One change of the policy that would let an attribute show more."""

    attribute: str
    """The attribute."""
    shown: str
    """The value of it that would be refined."""
    text: str
    """The change in a sentence, such as `k=27 instead of 50 on {Age, Sex}`."""
    kind: ChangeKind = ChangeKind.K
    """What is changed."""
    instead: tuple[str, ...] = ()
    """What would then be shown instead of the value."""
    requirement: int | None = None
    """The position in the policy of the requirement that is changed."""
    column: str | None = None
    """The column that leaves the quasi-identifier, or shows less."""
    value: float | None = None
    """The new k or share; or the level below which the column shows nothing, 0 where it is fully masked."""


@dataclass(frozen=True, slots=True)
class Coarser:
    """How many records show less of an attribute than its finest values, where regions have cuts of their own."""

    attribute: str
    """The attribute."""
    n_records: int
    """The records, or the persons where these are counted."""
    n_regions: int
    """The regions that they are in; those with most of them have a reason each."""


@dataclass(frozen=True, slots=True)
class Reasons:
    """Why each masked value is shown as it is; all of it rests on raw counts, so it is for the owner."""

    reasons: tuple[Reason, ...]
    """One for each shown value that hides something, in the order of the policy and the trees."""
    binding: tuple[tuple[str, int], ...]
    """For each attribute that a requirement holds back, the position of the one that does so most often."""
    changes: tuple[Change, ...] = ()
    """For those values, which single change would let each of them show more; each was tried on the counts."""
    wanted: tuple[int, ...] = ()
    """The places among the reasons of the few values whose refinement would tell most."""
    coarser: tuple[Coarser, ...] = ()
    """Where regions have cuts of their own, how many records each attribute shows less of; else nothing."""

    def of(self, attribute: str) -> tuple[Reason, ...]:
        """The reasons of one attribute."""
        return tuple(reason for reason in self.reasons if reason.attribute == attribute)

    def to_data(self) -> dict[str, Any]:
        """The same as plain values, for JSON; a figure without bound is None."""
        data: dict[str, Any] = asdict(self)
        for one in (*data["reasons"], *(broken for reason in data["reasons"] for broken in reason["breaks"])):
            one["figure"] = None if one["figure"] == math.inf else one["figure"]
        return data
