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

import numpy as np

from maskwise.search import rule_kernels
from maskwise.search.regions import region_arrays
from maskwise.search.regions.growth import Part

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterator, Sequence

    from numpy.typing import NDArray

    from maskwise.search.regions.growth import Growth, Split
    from maskwise.search.regions.qid_groups import QidGroups

    Floats = NDArray[np.float64]
    Ints = NDArray[np.int64]

MOST_TRIED = 8
"""So many places are counted exactly, those that gain most, before regions are left as they are for now."""
MOST_QIDS = 32
"""With more quasi-identifiers regions are only split one by one."""


@dataclass(frozen=True, slots=True)
class Candidate:
    """Regions that may be split at the same place."""

    regions: tuple[int, ...]
    """The regions; they show the same of the attribute."""
    spans: tuple[tuple[int, int], ...]
    """Where their rows stood when it was weighed: later it counts only if they still do."""
    attribute: int
    """The attribute."""
    parts: tuple[Part, ...]
    """What is parted."""
    gain: float
    """What the parts know that the regions did not."""


class SharedSplits:
    """Goes on after regions were split one by one."""

    def __init__(self, growth: Growth) -> None:
        """Start from the regions there are.

        Args:
            growth: The regions, and the groups of each QID.
        """
        self.growth = growth
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
        units = dict.fromkeys(self._units_of(regions))
        for unit, attributes in units:
            for a in attributes:
                candidate = self._weigh(unit, a)
                if candidate is not None:
                    heapq.heappush(self._queue, (-candidate.gain, unit, a, candidate))

    def _units_of(self, regions: Sequence[int]) -> Iterator[tuple[tuple[int, ...], tuple[int, ...]]]:
        """Regions to split at once, with the attributes on which they show the same: each region, and each group."""
        growth = self.growth
        for region in regions:
            if growth.stop[region] == growth.start[region]:
                continue
            yield (region,), tuple(range(growth.rows.codes.shape[1]))
            for groups in growth.groups:
                unit = tuple(
                    sorted(r for r in groups.regions[groups.group_of[region]] if growth.stop[r] > growth.start[r])
                )
                if len(unit) > 1:
                    yield unit, groups.attributes

    def _weigh(self, regions: tuple[int, ...], a: int) -> Candidate | None:
        """The place that gains most among the valid ones, of those that are counted."""
        weighed = _Places(self.growth, regions, a)
        spans = self._spans(regions)
        for gain, parts in weighed.best_first(MOST_TRIED):
            candidate = Candidate(regions, spans, a, parts, gain)
            if self._is_valid(candidate):
                return candidate
        return None

    def _is_valid(self, candidate: Candidate) -> bool:
        """Whether every group that the candidate touches satisfies its rules afterwards, or is empty."""
        growth, a = self.growth, candidate.attribute
        pieces = [(region, *growth.count_parts(region, a, candidate.parts)) for region in candidate.regions]
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
        after = np.array([groups.counts_of(key) + moved for key, moved in change.items()])
        after = after[after[:, 0] > 0]
        broken = np.empty((len(groups.rules.kind), len(after)), np.bool_)
        rule_kernels.weigh_groups(groups.rules, after, np.empty(broken.shape), broken)
        return not broken.any()


class _Places:
    """Where some regions that show the same of an attribute may be split, and what that would gain."""

    def __init__(self, growth: Growth, regions: Sequence[int], a: int) -> None:
        self._growth, self._a = growth, a
        domains = growth.domains
        self._shown = growth.shown[regions[0]][a]
        self._is_interval = domains.kind[a] == region_arrays.INTERVAL
        self._sums: list[Floats] = []
        self._counts = np.zeros(int(domains.offset[a + 1] - domains.offset[a]), np.int64)
        for region in regions:
            counts, sums = growth.add_rows(region, a)
            self._sums.append(sums.astype(np.float64) / region_arrays.SCALE)
            self._counts += counts[:, 0]

    def best_first(self, most: int) -> Iterator[tuple[float, tuple[Part, ...]]]:
        """The places that gain something, the best first, of those that leave no part too small.

        Args:
            most: So many at most.
        """
        places = self._borders() if self._is_interval else self._children()
        places.sort(key=lambda place: -place[0])
        for gain, parts in places[:most]:
            if gain <= region_arrays.MIN_GAIN:
                return
            yield gain, parts

    def _worth(self, sums: Floats) -> Floats:
        """What parts know, (...,) from their sums (..., n_targets, 2)."""
        known: Floats = (sums[..., 0] ** 2 / (sums[..., 1] + self._growth.terms.shrinkage)).sum(axis=-1)
        return known

    def _borders(self) -> list[tuple[float, tuple[Part, ...]]]:
        domains, a = self._growth.domains, self._a
        low, high = int(self._shown[region_arrays.LOW]), int(self._shown[region_arrays.HIGH])
        n_bins, missing = high - low, int(domains.n_bins[a])
        has_missing = bool(self._shown[region_arrays.MISSING]) and self._counts[missing] > 0
        if not n_bins or (n_bins == 1 and not has_missing):
            return []
        n_left = np.cumsum(self._counts[low:high])
        n_there = int(n_left[-1]) if n_bins else 0
        gains = np.zeros(n_bins)
        for sums in self._sums:
            left = np.cumsum(sums[low:high], axis=0)
            whole = left[-1] + (sums[missing] if has_missing else 0.0)
            apart = self._worth(sums[missing]) if has_missing else 0.0
            gains += self._worth(left) + self._worth(left[-1] - left) + apart - self._worth(whole)
        if not self._growth.rows.sums.shape[1]:
            place = domains.place[a, low : high + 1]
            wide = place[-1] - place[0]
            gains = n_left * (place[-1] - place[1:]) + (n_there - n_left) * (place[1:] - place[0])
            gains += (self._counts[missing] * wide) if has_missing else 0.0
        gains *= domains.weight[a]
        rest = (Part((missing, missing + 1), (missing, missing, 1)),) if has_missing else ()
        found = []
        for i in range(n_bins - 1):
            if self._counts[low + i + 1] and n_left[i] and n_left[i] < n_there:
                border = low + i + 1
                found.append((float(gains[i]), (_bins(low, border), _bins(border, high), *rest)))
        if has_missing and n_there:
            found.append((float(gains[-1]), (_bins(low, high), *rest)))
        return found

    def _children(self) -> list[tuple[float, tuple[Part, ...]]]:
        domains, node = self._growth.domains, int(self._shown[region_arrays.NODE])
        wide, n_all = float(domains.spread[node]), int(self._counts.sum())
        while True:
            children = [
                child
                for child in range(domains.first_child[node], domains.first_child[node] + domains.n_children[node])
                if self._counts_below(child)
            ]
            if len(children) != 1 or self._counts_below(children[0]) < n_all:
                break
            node = children[0]
        weight = float(domains.weight[self._a])
        found, together = [], 0.0
        parts = tuple(Part((int(domains.first[c]), int(domains.stop[c])), (c, 0, 0)) for c in children)
        alone = [0.0] * len(children)
        for sums in self._sums:
            whole = sums.sum(axis=0)
            inside = [sums[slice(*part.codes)].sum(axis=0) for part in parts]
            before = float(self._worth(whole))
            for i, own in enumerate(inside):
                alone[i] += float(self._worth(own) + self._worth(whole - own)) - before
            left = whole - np.sum(inside, axis=0) if inside else whole
            together += float(sum(self._worth(own) for own in inside) + self._worth(left)) - before
        if not self._growth.rows.sums.shape[1]:
            alone = [self._counts_below(c) * (wide - float(domains.spread[c])) for c in children]
            together = sum(alone)
        n_parts = len(children) + (sum(map(self._counts_below, children)) < n_all)
        if n_parts > 1:
            found.append((together * weight, parts))
        if n_parts > 2:  # noqa: PLR2004 - of two parts telling one is telling both
            found += [(gain * weight, (part,)) for gain, part in zip(alone, parts, strict=True)]
        return found

    def _counts_below(self, node: int) -> int:
        domains = self._growth.domains
        return int(self._counts[domains.first[node] : domains.stop[node]].sum())


def _bins(low: int, high: int) -> Part:
    return Part((low, high), (low, high, 0))
