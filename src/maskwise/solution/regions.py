"""Regions of a table, each with a cut of its own.

Region 0 is the whole table and shows the root of every attribute. A split takes
parts out of a region by the values of one attribute; each part is a region of its
own that shows something finer there. What is in no part stays in the region and
keeps its labels: values that were not told, and in later rows values that nobody
had seen. So every row, also a later one, is in exactly one region.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from maskwise.solution.cut import Cut


@dataclass(frozen=True, slots=True)
class RegionPart:
    """One part of a split, which is a region of its own."""

    shown: str | None
    """What it shows of the split attribute; None is the missing value."""
    ends: tuple[float, float] | None = None
    """Where its interval begins and ends, for an interval attribute."""
    is_last: bool = False
    """Whether its interval holds the upper end of the attribute's range."""


@dataclass(frozen=True, slots=True)
class RegionSplit:
    """One split of a region by the values of one attribute."""

    region: int
    """The region that is split; what is in no part stays in it."""
    attribute: str
    """The attribute."""
    parts: tuple[RegionPart, ...]
    """The parts; their regions are numbered on, in the order of the splits."""


@dataclass(frozen=True, slots=True)
class Regions:
    """All regions, as the splits that made them.

    Example:
        >>> split = RegionSplit(0, "Sex", (RegionPart("F"),))
        >>> Regions((split, RegionSplit(1, "Job", (RegionPart("Nurse"), RegionPart("Clerk"))))).n_regions
        4
    """

    splits: tuple[RegionSplit, ...] = ()
    """In order: a region is made before it is split."""

    @property
    def n_regions(self) -> int:
        """How many regions there are, also those without a record."""
        return 1 + sum(len(split.parts) for split in self.splits)

    def labels(self, cuts: Sequence[Cut]) -> list[tuple[str | None, ...]]:
        """What each region shows of each attribute.

        Args:
            cuts: The attributes, for their order and their roots.
        """
        at = {cut.attribute: i for i, cut in enumerate(cuts)}
        shown: list[tuple[str | None, ...]] = [tuple(cut.root for cut in cuts)]
        for split in self.splits:
            a, before = at[split.attribute], shown[split.region]
            shown += [(*before[:a], part.shown, *before[a + 1 :]) for part in split.parts]
        return shown
