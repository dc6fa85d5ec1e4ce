"""Splits of several regions at once, where a policy has several quasi-identifiers.

`growth` treats all masked attributes as one QID, which is safe for every QID and
fast. But a QID does not see the others' attributes: regions that show the same on
it are one group there, and it may be split where each region alone is too small.
So what is tried here is to split all regions of a group at the same place, or one
region by itself, and every group of every QID that this touches is counted. What
was invalid may become valid, because other splits add to a group; so all is tried
again until nothing is left.
"""

from __future__ import annotations

import heapq
from dataclasses import dataclass
from typing import TYPE_CHECKING

from maskwise.search.regions.places import Places

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Iterator, Sequence

    import numpy as np
    from numpy.typing import NDArray

    from maskwise.search.regions.growth import Growth, Split, SplitPart
    from maskwise.search.regions.qid_groups import QidGroups

    Ints = NDArray[np.int64]
    Unit = tuple[tuple[int, ...], Sequence[int]]

MOST_TRIED = 8
"""So many places are counted exactly, those that gain most, before regions are left as they are for now."""
MOST_CELLS = 20_000_000
"""So many regions times codes are added up for one candidate at most; more of them are not split together."""
MOST_QIDS = 32
"""With more quasi-identifiers regions are only split one by one."""


def units_of_groups(growth: Growth, regions: Sequence[int]) -> Iterator[Unit]:
    """Each of some regions by itself, and each group of a QID that one of them is in."""
    for region in regions:
        yield (region,), range(growth.rows.codes.shape[1])
    for groups in growth.groups:
        for group in dict.fromkeys(groups.group_of[region] for region in regions):
            unit = tuple(sorted(r for r in groups.regions[group] if growth.stop[r] > growth.start[r]))
            if len(unit) > 1:
                yield unit, groups.attributes


@dataclass(frozen=True, slots=True)
class Candidate:
    """Regions that may be split at the same place."""

    regions: tuple[int, ...]
    """The regions; they show the same of the attribute."""
    spans: tuple[tuple[int, int], ...]
    """Where their rows stood when it was weighed: later it counts only if they still do."""
    attribute: int
    """The attribute."""
    parts: tuple[SplitPart, ...]
    """What is parted."""
    gain: float
    """What the parts know that the regions did not."""


class SharedSplits:
    """Goes on after regions were split one by one."""

    def __init__(self, growth: Growth, is_over: Callable[[], bool]) -> None:
        """Start from the regions there are.

        Args:
            growth: The regions, and the groups of each QID.
            is_over: Whether there is no time left to look at more.
        """
        self.growth, self._is_over = growth, is_over
        self._queue: list[tuple[float, tuple[int, ...], int, Candidate]] = []
        self._has_changed = False
        self._weigh_all()

    def best(self) -> Candidate | None:
        """The candidate that gains most and is valid now; None if there is none."""
        while True:
            while self._queue:
                candidate = self._queue[0][-1]
                if self._spans(candidate.regions) == candidate.spans and self._is_valid(candidate):
                    return candidate
                heapq.heappop(self._queue)
            if not self._has_changed:
                return None
            self._has_changed = False
            self._weigh_all()

    def split_best(self) -> list[Split]:
        """Split the regions of the best candidate, which `best` has found."""
        candidate = heapq.heappop(self._queue)[-1]
        done = self.growth.split_alike(candidate.regions, candidate.attribute, candidate.parts, candidate.gain)
        self._has_changed = True
        made = {*candidate.regions, *(split.first + p for split in done for p in range(len(split.shown)))}
        self._weigh_units(sorted(made))
        return done

    def _spans(self, regions: Sequence[int]) -> tuple[tuple[int, int], ...]:
        return tuple((self.growth.start[region], self.growth.stop[region]) for region in regions)

    def _weigh_all(self) -> None:
        self._queue.clear()
        self._weigh_units(range(len(self.growth.start)))

    def _weigh_units(self, regions: Sequence[int]) -> None:
        there = [region for region in regions if self.growth.stop[region] > self.growth.start[region]]
        for unit, attributes in units_of_groups(self.growth, there):
            for a in attributes:
                if self._is_over():
                    return
                if len(unit) * int(self.growth.domains.offset[a + 1] - self.growth.domains.offset[a]) > MOST_CELLS:
                    continue
                candidate = self._weigh(unit, a)
                if candidate is not None:
                    heapq.heappush(self._queue, (-candidate.gain, unit, a, candidate))

    def _weigh(self, regions: tuple[int, ...], a: int) -> Candidate | None:
        """The place that gains most among the valid ones, of those that are counted."""
        weighed = Places(self.growth, regions, a)
        spans = self._spans(regions)
        for gain, parts in weighed.best_first(MOST_TRIED):
            candidate = Candidate(regions, spans, a, parts, gain)
            if self._is_valid(candidate):
                return candidate
        return None

    def _is_valid(self, candidate: Candidate) -> bool:
        """Whether every group that the candidate touches satisfies its rules afterwards, or is empty."""
        growth, a = self.growth, candidate.attribute
        whole, of_part = growth.count_parts(candidate.regions, a, candidate.parts)
        pieces = list(zip(candidate.regions, whole, of_part, strict=True))
        return all(self._is_safe(groups, candidate, pieces) for groups in growth.groups if a in groups.attributes)

    def _is_safe(self, groups: QidGroups, candidate: Candidate, pieces: Sequence[tuple[int, Ints, Ints]]) -> bool:
        """Whether the groups of one QID stay safe.

        Args:
            groups: The groups.
            candidate: What is tried.
            pieces: For each region its counters, and those of each of its parts.
        """
        change: dict[Hashable, Ints] = {}
        for region, whole, of_part in pieces:
            old = groups.key_of(groups.group_of[region])
            change[old] = change.get(old, 0) - whole
            keys = self.growth.keys_after(region, groups.attributes, candidate.attribute, candidate.parts)
            counts = [*of_part, whole - of_part.sum(axis=0)]
            for key, counted in zip(keys, counts, strict=True):
                change[key] = change.get(key, 0) + counted
        return groups.is_safe_after(change)
