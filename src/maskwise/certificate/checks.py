"""What a check of a certificate found."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Any


class CheckMark(StrEnum):
    """How what a certificate states compares with what was found."""

    AGREES = "agrees"
    """It was found as stated."""
    DIFFERS = "differs"
    """It was found otherwise."""
    CLAIMED = "owner's claim"
    """Only the owner can know it."""
    NOT_CHECKED = "not checked"
    """It could not be checked; what was found says why."""


@dataclass(frozen=True, slots=True)
class Check:
    """One thing that a certificate states, and what was found."""

    name: str
    """What it is."""
    stated: Any
    """What the certificate says, as plain values; None if it says nothing."""
    found: Any
    """What was found; None if nothing was, or nothing could be."""
    mark: CheckMark
    """How they compare."""


@dataclass(frozen=True, slots=True)
class CertificateCheck:
    """All that was checked of a certificate and its release."""

    checks: tuple[Check, ...]
    """In the order in which they were made."""

    @property
    def is_confirmed(self) -> bool:
        """Whether nothing was found otherwise than stated."""
        return all(check.mark is not CheckMark.DIFFERS for check in self.checks)

    def to_data(self) -> dict[str, Any]:
        """The same as plain values, for JSON."""
        checks = [
            {"check": one.name, "stated": one.stated, "found": one.found, "mark": str(one.mark)} for one in self.checks
        ]
        return {"confirmed": self.is_confirmed, "checks": checks}


def differences(stated: Any, found: Any, name: str = "") -> list[Check]:
    """Everything in which plain values differ, with the place of each.

    >>> [(one.name, one.stated, one.found) for one in differences({"a": [1, 2]}, {"a": [1, 3], "b": 4}, "x")]
    [('x.a.1', 2, 3), ('x.b', None, 4)]
    """
    if isinstance(stated, dict) and isinstance(found, dict):
        keys = list(dict.fromkeys([*stated, *found]))
        pairs = [(key, stated.get(key), found.get(key), (key in stated) is (key in found)) for key in keys]
    elif isinstance(stated, list) and isinstance(found, list):
        n = min(len(stated), len(found))
        longest = range(max(len(stated), len(found)))
        pairs = [
            (i, stated[i] if i < len(stated) else None, found[i] if i < len(found) else None, i < n) for i in longest
        ]
    else:
        return [] if _is_same(stated, found) else [Check(name, stated, found, CheckMark.DIFFERS)]
    checks = []
    for key, one, other, is_in_both in pairs:
        place = f"{name}.{key}" if name else str(key)
        checks += differences(one, other, place) if is_in_both else [Check(place, one, other, CheckMark.DIFFERS)]
    return checks


_SAME = 1e-9
"""Figures closer than this are the same: another engine may add in another order."""


def _is_same(stated: Any, found: Any) -> bool:
    """Whether two plain values are the same; a count is none if it is written as a truth value."""
    if isinstance(stated, bool) or isinstance(found, bool) or stated is None or found is None:
        return stated is found
    if isinstance(stated, float) or isinstance(found, float):
        if not (isinstance(stated, int | float) and isinstance(found, int | float)):
            return False
        try:
            return abs(stated - found) <= _SAME * max(1.0, abs(found))
        except OverflowError:  # a whole number of hundreds of digits
            return False
    return bool(type(stated) is type(found) and stated == found)
