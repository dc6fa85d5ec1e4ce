"""Quasi-identifiers and bounds: how they are called, and what may be wrong with them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from maskwise.errors import PolicyError

if TYPE_CHECKING:
    from collections.abc import Sequence
    from fractions import Fraction

_MOST_NAMES = 4
"""So many attributes are named in a sentence; of more, the first two."""
MOST_PARTS = 10**9
"""The largest denominator of a bound, so that counts times it fit 64 bits up to nine billion records."""


def called(qid: Sequence[str]) -> str:
    """How messages call a quasi-identifier.

    >>> called(("Age", "Sex"))
    '{Age, Sex}'
    """
    return f"{{{', '.join(qid)}}}"


def called_briefly(qid: Sequence[str]) -> str:
    """How a sentence calls a quasi-identifier that may be long.

    >>> called_briefly(("Age", "Sex")), called_briefly(("Age", "Sex", "Job", "Zip", "Race"))
    ('{Age, Sex}', '{Age, Sex and 3 more}')
    """
    if len(qid) <= _MOST_NAMES:
        return called(qid)
    return f"{{{', '.join(qid[:2])} and {len(qid) - 2} more}}"


def qid_mistakes(qid: tuple[str, ...], sensitive: Sequence[str] = ()) -> list[str]:
    """What is wrong with a QID: empty, repeating, or with a sensitive column in it."""
    mistakes = []
    if not qid or len(set(qid)) != len(qid):
        mistakes.append(f"A quasi-identifier names each attribute once, and at least one; found {called(qid)}.")
    mistakes += [
        f"The sensitive column `{column}` is in its own quasi-identifier. Take it out."
        for column in dict.fromkeys(sensitive)
        if column in qid
    ]
    return mistakes


def bound_mistakes(bounds: Sequence[Fraction], what: str) -> list[str]:
    """What is wrong with bounds that should be above 0 and at most 1."""
    mistakes = [
        f"A {what} is above 0 and at most 1; found {float(bound):g}."
        for bound in dict.fromkeys(bounds)
        if not 0 < bound <= 1
    ]
    if any(bound.denominator > MOST_PARTS for bound in bounds):
        mistakes.append(f"A {what} has at most nine decimals.")
    return mistakes


def refuse(mistakes: list[str]) -> None:
    """Raise what was found to be wrong, if anything."""
    if mistakes:
        raise PolicyError(mistakes)
