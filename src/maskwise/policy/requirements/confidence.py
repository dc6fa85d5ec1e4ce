"""Privacy templates: how far a sensitive value may be inferred."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from maskwise.errors import plural
from maskwise.policy.requirements.qid import bound_mistakes, called, qid_mistakes, refuse

if TYPE_CHECKING:
    from collections.abc import Sequence
    from fractions import Fraction

    from maskwise.policy.requirements.all import Part

FEW = 3
"""Up to so many protected values are named where a requirement is shown."""


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
