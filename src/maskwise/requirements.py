"""What a table must satisfy on the groups of a quasi-identifier.

A requirement is a line of a policy. It is made of parts, each a rule on the
groups of one QID; all are anti-monotone, so that a refinement once invalid
stays invalid. How a rule is counted is the concern of `rules` for the search
and of `verify` for the recount, which share nothing but these values.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations
from math import comb
from typing import TYPE_CHECKING, TypeAlias

from maskwise.diversity import Closeness, Diversity
from maskwise.errors import PolicyError, plural
from maskwise.qid import bound_mistakes, called, qid_mistakes, refuse

if TYPE_CHECKING:
    from collections.abc import Sequence
    from fractions import Fraction

MOST_QIDS = 2_000
"""The most combinations of attributes that one requirement may stand for."""
FEW = 3
"""Up to so many protected values are named where a requirement is shown."""


@dataclass(frozen=True, slots=True)
class KAnonymity:
    """Every group that shares its values on `qid` has at least `k` records.

    Claim: anti-monotone. A refinement only splits groups, so no group grows.
    """

    qid: tuple[str, ...]
    """The attributes through which a person could be linked."""
    k: int
    """The smallest group allowed."""

    def __post_init__(self) -> None:
        """Refuse an empty or repeating QID and a k below one."""
        refuse(qid_mistakes(self.qid))
        if self.k < 1:
            raise PolicyError([f"k is at least 1; found {self.k} on {self.name}."])

    @property
    def name(self) -> str:
        """How messages call it."""
        return called(self.qid)

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns a recount looks at."""
        return self.qid

    @property
    def parts(self) -> tuple[Part, ...]:
        """The rules it is made of: itself."""
        return (self,)

    @property
    def subject(self) -> tuple[object, ...]:
        """What it is about; only rules on the same subject can imply each other."""
        return ("k",)

    def implies(self, other: Part) -> bool:
        """Say whether a table that meets this one always meets `other`.

        Claim: every group on a QID is inside a group on any subset of it, so
        A(QID) <= A(subset).

        >>> KAnonymity(("Sex", "Job"), 5).implies(KAnonymity(("Job",), 4))
        True
        """
        return isinstance(other, KAnonymity) and set(other.qid) <= set(self.qid) and other.k <= self.k

    def asks(self) -> str:
        """What it asks, in a few words."""
        return f"k={self.k} on {self.name}"


@dataclass(frozen=True, slots=True)
class Template:
    """A privacy template: in no group on `qid` is the share of one sensitive value above `bound`.

    Claim: anti-monotone. The share in a group is a mean of the shares in its
    parts, so some part has at least the group's share.
    """

    qid: tuple[str, ...]
    """The attributes an attacker knows."""
    sensitive: str
    """The column whose value could be inferred."""
    value: str | None
    """That value; None is the missing one."""
    bound: Fraction
    """The largest share allowed."""

    @property
    def subject(self) -> tuple[object, ...]:
        """As in KAnonymity."""
        return ("share", self.sensitive, self.value)

    def implies(self, other: Part) -> bool:
        """Say whether a table that meets this one always meets `other` (KAIS 2007, Theorem 3.1).

        >>> from fractions import Fraction
        >>> half, most = Fraction(1, 2), Fraction(9, 10)
        >>> Template(("Job", "Sex"), "Ill", "HIV", half).implies(Template(("Job",), "Ill", "HIV", most))
        True
        """
        return (
            isinstance(other, Template)
            and self.subject == other.subject
            and set(other.qid) <= set(self.qid)
            and self.bound <= other.bound
        )


@dataclass(frozen=True, slots=True)
class Confidence:
    """Privacy templates on one QID: one for each sensitive value and its bound."""

    qid: tuple[str, ...]
    """The attributes an attacker knows."""
    sensitive: tuple[tuple[str, str | None, Fraction], ...]
    """Column, value and largest share, for each protected value."""

    def __post_init__(self) -> None:
        """Refuse bounds outside (0, 1], a value twice, and a sensitive column in its own QID."""
        mistakes = qid_mistakes(self.qid, [column for column, _, _ in self.sensitive])
        if not self.sensitive:
            mistakes.append(
                f"A template on {self.name} protects no value. Name one, such as sensitive: {{Illness: [HIV]}}."
            )
        if len({(column, value) for column, value, _ in self.sensitive}) < len(self.sensitive):
            mistakes.append(f"A sensitive value stands twice in the template on {self.name}.")
        refuse(mistakes + bound_mistakes([bound for _, _, bound in self.sensitive], "confidence"))

    @property
    def name(self) -> str:
        """How messages call its QID."""
        return called(self.qid)

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns a recount looks at."""
        return tuple(dict.fromkeys([*self.qid, *(column for column, _, _ in self.sensitive)]))

    @property
    def parts(self) -> tuple[Part, ...]:
        """The rules it is made of: a template for each protected value."""
        return tuple(Template(self.qid, column, value, bound) for column, value, bound in self.sensitive)

    def asks(self, *, by_name: bool = False) -> str:
        """What it asks, in a few words, without naming a value unless told to."""
        return f"{_confidences(self.sensitive, by_name=by_name)} on {self.name}"


def _confidences(sensitive: Sequence[tuple[str, str | None, Fraction]], *, by_name: bool) -> str:
    columns = protected(sensitive) if by_name else ", ".join(dict.fromkeys(column for column, _, _ in sensitive))
    bounds = ", ".join(dict.fromkeys(f"{float(bound):g}" for _, _, bound in sensitive))
    return f"confidence {bounds} for {columns}"


def protected(sensitive: Sequence[tuple[str, str | None, Fraction]]) -> str:
    """Name protected columns and, if they are few, values, for the owner who wrote the policy.

    >>> protected([("Ill", "HIV", 1), ("Ill", None, 1)]), protected([("Ill", str(i), 1) for i in range(9)])
    ('Ill (HIV, missing)', 'Ill (9 values)')
    """
    of_column: dict[str, list[str]] = {}
    for column, value, _ in sensitive:
        of_column.setdefault(column, []).append(spelled(value))
    return ", ".join(
        f"{column} ({', '.join(values) if len(values) <= FEW else plural(len(values), 'value')})"
        for column, values in of_column.items()
    )


def spelled(value: str | None) -> str:
    """A protected value as its policy spells it."""
    return "missing" if value is None else value


def naming(requirement: Requirement) -> str:
    """What a requirement asks, with the values that it protects, for the owner's eyes.

    >>> from fractions import Fraction
    >>> naming(Confidence(("Job",), (("Ill", "HIV", Fraction(1, 2)),)))
    'confidence 0.5 for Ill (HIV) on {Job}'
    """
    return requirement.asks(by_name=True) if isinstance(requirement, Confidence | LKC) else requirement.asks()


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


Part: TypeAlias = KAnonymity | Template | Diversity | Closeness
"""A rule on the groups of one QID."""
Requirement: TypeAlias = KAnonymity | Confidence | Diversity | Closeness | LKC
"""A line of a policy: one or several rules."""
