"""The thresholds at which a policy is evaluated."""

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
class ThresholdSetting:
    """A policy with one choice of thresholds."""

    policy: Policy
    """The policy with these thresholds."""
    k: int | None
    """The k of all its k requirements; None if there is none, or several."""
    h: float | None
    """The confidence bound of all its templates; None if the policy keeps its own."""


def list_settings(policy: Policy, ks: Sequence[int], hs: Sequence[Fraction]) -> tuple[ThresholdSetting, ...]:
    """Combine every k with every h; without any, the policy keeps its own thresholds.

    Example:
        >>> from maskwise import KAnonymity, Policy
        >>> [setting.k for setting in list_settings(Policy((KAnonymity(("Age",), 5),)), [10, 20], [])]
        [10, 20]
    """
    if ks and all(requirement.k is None for requirement in policy.requirements):
        raise InputError("The policy has no k requirement, so there is no k to vary. Leave out k, or vary h.")
    if hs and not any(requirement.confidences for requirement in policy.requirements):
        raise InputError("The policy has no confidence requirement, so there is no h to vary. Leave out h, or vary k.")
    settings = []
    all_k: Sequence[int | None] = ks or [None]
    all_h: Sequence[Fraction | None] = hs or [None]
    for k, h in product(all_k, all_h):
        requirements = tuple(_with_thresholds(requirement, k, h) for requirement in policy.requirements)
        distinct_ks = {requirement.k for requirement in requirements if requirement.k is not None}
        common_k = distinct_ks.pop() if len(distinct_ks) == 1 else None
        varied_h = None if h is None else float(h)
        settings.append(ThresholdSetting(replace(policy, requirements=requirements), common_k, varied_h))
    return tuple(settings)


def parse_ks(value: Any) -> tuple[int, ...]:
    """Read the values of k: a number, a list, or a text such as `20,60,100`.

    >>> parse_ks("20,60")
    (20, 60)
    """
    numbers = []
    for part in _parts(value):
        try:
            k = int(part)
        except ValueError:
            k = 0
        if k < 1:
            msg = f"k is a list of whole numbers of at least 1, such as 20,60,100; found `{part}`."
            raise InputError(msg)
        numbers.append(k)
    return tuple(dict.fromkeys(numbers))


def parse_hs(value: Any) -> tuple[Fraction, ...]:
    """Read the values of h: a number, a list, or a text such as `0.5,0.7`.

    >>> parse_hs([0.5, "1/3"])
    (Fraction(1, 2), Fraction(1, 3))
    """
    numbers = []
    for part in _parts(value):
        try:
            h = Fraction(part)
        except (ValueError, ZeroDivisionError):
            h = Fraction(0)
        if not 0 < h <= 1:
            msg = f"h is a list of shares above 0 and at most 1, such as 0.5,0.7; found `{part}`."
            raise InputError(msg)
        numbers.append(h)
    return tuple(dict.fromkeys(numbers))


def _parts(value: Any) -> list[str]:
    if value is None:
        return []
    if isinstance(value, str):
        return [part.strip() for part in value.split(",")]
    return [str(part) for part in (value if isinstance(value, Iterable) else [value])]


def _with_thresholds(requirement: Requirement, k: int | None, h: Fraction | None) -> Requirement:
    requirement = requirement if k is None else requirement.with_k(k)
    return requirement if h is None else requirement.with_confidence(h)
