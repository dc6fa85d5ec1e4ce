"""What may stand for a masked number: its label, or numbers that a learner can take."""

from __future__ import annotations

from enum import StrEnum

from maskwise.errors import InputError, quote


class Numbers(StrEnum):
    """What stands for a masked number."""

    LABEL = "label"
    """Its label, which is text; an ordered category."""
    MIDPOINT = "midpoint"
    """The middle of its interval; the end of one that has only one."""
    MEAN = "mean"
    """The mean of the numbers that have its label."""
    BOUNDS = "bounds"
    """Both ends of its interval, as two columns."""


def check_numbers(name: str) -> Numbers:
    """Refuse a form that there is not.

    >>> check_numbers("midpoint")
    <Numbers.MIDPOINT: 'midpoint'>
    """
    if name not in list(Numbers):
        msg = f"Masked numbers are shown as one of {quote(list(Numbers))}; found `{name}`."
        raise InputError(msg)
    return Numbers(name)
