"""The thresholds at which a policy is tried."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import product
from typing import TYPE_CHECKING, Any

from maskwise.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from maskwise.policy.policy import Policy
    from maskwise.policy.requirements.base import Requirement


@dataclass(frozen=True, slots=True)
class Point:
    """A policy with one choice of thresholds."""

    policy: Policy
    """With these thresholds."""
    k: int | None
    """The k of all its k requirements; None if there is none, or several."""
    h: float | None
    """The bound of all its templates, where it was chosen."""


def points(policy: Policy, ks: Sequence[int], hs: Sequence[Fraction]) -> tuple[Point, ...]:
    """Every k with every bound; the policy as it is where none is given.

    Example:
        >>> from maskwise import KAnonymity, Policy
        >>> [point.k for point in points(Policy((KAnonymity(("Age",), 5),)), [10, 20], [])]
        [10, 20]
    """
    if ks and all(one.k is None for one in policy.requirements):
        raise InputError("The policy has no k requirement, so there is no k to vary. Leave out k, or vary h.")
    if hs and not any(one.confidences for one in policy.requirements):
        raise InputError("The policy has no confidence requirement, so there is no h to vary. Leave out h, or vary k.")
    found = []
    all_k: Sequence[int | None] = ks or [None]
    all_h: Sequence[Fraction | None] = hs or [None]
    for k, h in product(all_k, all_h):
        asked = replace(policy, requirements=tuple(_with(one, k, h) for one in policy.requirements))
        own = {one.k for one in asked.requirements if one.k is not None}
        found.append(Point(asked, own.pop() if len(own) == 1 else None, None if h is None else float(h)))
    return tuple(found)


def whole_numbers(given: Any) -> tuple[int, ...]:
    """Read the values of k: a number, a list, or a text such as `20,60,100`.

    >>> whole_numbers("20,60")
    (20, 60)
    """
    found = []
    for part in _parts(given):
        try:
            k = int(part)
        except ValueError:
            k = 0
        if k < 1:
            msg = f"k is a list of whole numbers of at least 1, such as 20,60,100; found `{part}`."
            raise InputError(msg)
        found.append(k)
    return tuple(dict.fromkeys(found))


def bounds(given: Any) -> tuple[Fraction, ...]:
    """Read the values of h: a number, a list, or a text such as `0.5,0.7`.

    >>> bounds([0.5, "1/3"])
    (Fraction(1, 2), Fraction(1, 3))
    """
    found = []
    for part in _parts(given):
        try:
            h = Fraction(part)
        except (ValueError, ZeroDivisionError):
            h = Fraction(0)
        if not 0 < h <= 1:
            msg = f"h is a list of shares above 0 and at most 1, such as 0.5,0.7; found `{part}`."
            raise InputError(msg)
        found.append(h)
    return tuple(dict.fromkeys(found))


def _parts(given: Any) -> list[str]:
    if given is None:
        return []
    if isinstance(given, str):
        return [part.strip() for part in given.split(",")]
    return [str(part) for part in (given if isinstance(given, Iterable) else [given])]


def _with(requirement: Requirement, k: int | None, h: Fraction | None) -> Requirement:
    requirement = requirement if k is None else requirement.with_k(k)
    return requirement if h is None else requirement.with_confidence(h)
