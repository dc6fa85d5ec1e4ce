"""A point of the trade-off curve, and the curve of a search that goes on."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol


@dataclass(frozen=True, slots=True)
class Point:
    """One state on the way."""

    step: int
    """After how many steps; 0 is where the search began."""
    attribute: str | None
    """The attribute of the last step."""
    requirements: tuple[float, ...]
    """The figure of each requirement, in policy order."""
    information_kept: float
    """1 if every masked attribute shows exact values, 0 if each shows its root: one less the mean spread."""
    class_entropy: float | None
    """Bits of the class that one masked attribute leaves open, averaged over them; None without a class."""


class RecordedCurve(Protocol):
    """The points so far of a search that goes on."""

    @property
    def last(self) -> Point:
        """The point after the last step; it is computed when it is asked for."""
