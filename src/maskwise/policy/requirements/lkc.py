"""LKC-privacy: an attacker knows at most L of the attributes."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations
from math import comb
from typing import TYPE_CHECKING

from maskwise.errors import PolicyError
from maskwise.policy.requirements.qid import called, qid_mistakes, refuse

if TYPE_CHECKING:
    from fractions import Fraction

    from maskwise.policy.requirements.all import Part
from maskwise.policy.requirements.confidence import Confidence, Template, _confidences
from maskwise.policy.requirements.k_anonymity import KAnonymity

MOST_QIDS = 2_000
"""The most combinations of attributes that one requirement may stand for."""


@dataclass(frozen=True, slots=True)
class LKC:
    """An attacker knows at most `known` of the attributes: k and confidences hold on each so large subset.

    Claim: anti-monotone and complete. Its rules are k-anonymity and templates
    on subsets; a smaller subset's groups are unions of a larger one's.
    """

    qid: tuple[str, ...]
    """All attributes of which an attacker may know some."""
    known: int
    """How many of them at most (L)."""
    k: int | None = None
    """The smallest group allowed on every subset (K)."""
    sensitive: tuple[tuple[str, str | None, Fraction], ...] = ()
    """Column, value and largest share (C), for each protected value."""

    def __post_init__(self) -> None:
        """Refuse an L that does not fit, and more subsets than can be searched."""
        if self.k is None and not self.sensitive:
            raise PolicyError(["An lkc requirement asks for `k`, or for `sensitive` with `confidence`, or both."])
        refuse(qid_mistakes(self.qid, [column for column, _, _ in self.sensitive]))
        if not 1 <= self.known <= len(self.qid):
            msg = f"L is at least 1 and at most the number of attributes, {len(self.qid)}; found {self.known}."
            raise PolicyError([msg])
        if comb(len(self.qid), self.known) > MOST_QIDS:
            msg = (
                f"{self.known} of {len(self.qid)} attributes are {comb(len(self.qid), self.known):,} combinations, "
                f"more than {MOST_QIDS:,}. Lower L, or name fewer attributes."
            )
            raise PolicyError([msg])
        if self.k is not None:
            KAnonymity(self.qid, self.k)
        if self.sensitive:
            Confidence(self.qid, self.sensitive)

    @property
    def name(self) -> str:
        """How messages call it."""
        return f"any {self.known} of {called(self.qid)}"

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns a recount looks at."""
        return tuple(dict.fromkeys([*self.qid, *(column for column, _, _ in self.sensitive)]))

    @property
    def parts(self) -> tuple[Part, ...]:
        """The rules it is made of: for each subset its k, then its templates."""
        found: list[Part] = []
        for qid in combinations(self.qid, self.known):
            found += [] if self.k is None else [KAnonymity(qid, self.k)]
            found += [Template(qid, column, value, bound) for column, value, bound in self.sensitive]
        return tuple(found)

    def asks(self, *, by_name: bool = False) -> str:
        """What it asks, in a few words, without naming a value unless told to."""
        wanted = [] if self.k is None else [f"k={self.k}"]
        wanted += [_confidences(self.sensitive, by_name=by_name)] if self.sensitive else []
        return f"{' and '.join(wanted)} on {self.name}"
