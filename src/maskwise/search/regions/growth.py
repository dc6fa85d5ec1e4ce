"""The regions of a table while they are split.

A region is a run of compressed rows and what it shows of each attribute. What is
left of a region after a split stays the region, so a split makes one region for
each of its parts. Every state is safe: a split is made only if each of its parts,
and what is left, satisfies every rule.
"""

from __future__ import annotations

import heapq
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from maskwise.search.regions import gain_kernels, region_arrays, split_kernels

if TYPE_CHECKING:
    from collections.abc import Hashable, Sequence

    from numpy.typing import NDArray

    from maskwise.compress.compressed_table import Compact
    from maskwise.search.regions.qid_groups import QidGroups
    from maskwise.search.regions.region_arrays import Domains, Terms

    Ints = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Split:
    """One split of a region."""

    region: int
    """The region; what is in no part stays in it."""
    attribute: int
    """The attribute's number in the policy."""
    shown: tuple[tuple[int, int, int], ...]
    """What each part shows of the attribute, as the kernels know it."""
    first: int
    """The number of the first part's region; the others follow."""
    gain: float
    """What the parts know that the region did not."""
    total: float
    """The same with what greedy splitting was found to gain below."""


class Growth:
    """The regions, split as the search goes on."""

    def __init__(
        self, compact: Compact, sums: Ints, domains: Domains, roots: Ints, terms: Terms, groups: Sequence[QidGroups]
    ) -> None:
        """Start with one region that shows the root of every attribute.

        Args:
            compact: The distinct rows of all masked attributes.
            sums: (n_rows, n_targets, 2) what is taught of each row.
            domains: The values that may be shown.
            roots: The root of each attribute.
            terms: What parts must satisfy.
            groups: The groups of each QID, of one region yet.
        """
        n_rows, n_attributes = compact.codes.shape
        self.domains, self.roots, self.terms, self.groups = domains, roots, terms, groups
        self.rows = region_arrays.Rows(
            compact.codes, compact.counts, sums, np.arange(n_rows), np.empty(n_rows, np.int64)
        )
        self._scratch = _make_scratch(compact, sums, domains, terms.depth)
        self.start, self.stop = [0], [n_rows]
        root = np.zeros((n_attributes, 3), np.int64)
        is_interval = domains.kind == region_arrays.INTERVAL
        root[:, region_arrays.NODE] = np.where(is_interval, 0, roots)
        root[is_interval, region_arrays.HIGH] = domains.n_bins[is_interval]
        root[is_interval, region_arrays.MISSING] = 1
        self.shown = [root]
        self.splits: list[Split] = []
        # What was told out of a region's value of a tree attribute, which makes it another set of values.
        self._told: list[dict[int, frozenset[int]]] = [{}]
        self._best: dict[int, tuple[int, int, float, float]] = {}
        self._queue: list[tuple[float, int]] = []
        self._weigh(0)

    def _weigh(self, region: int) -> None:
        best = split_kernels.choose_split(
            self.rows,
            self.domains,
            self.terms,
            self._scratch,
            self.start[region],
            self.stop[region],
            self.shown[region],
        )
        if best[0] >= 0:
            self._best[region] = best
            heapq.heappush(self._queue, (-best[3], region))

    def best(self) -> int | None:
        """The region whose split gains most with what is below it; of equals the first."""
        return self._queue[0][1] if self._queue else None

    def split_best(self) -> Split:
        """Split the region whose split gains most."""
        _, region = heapq.heappop(self._queue)
        a, at, gain, total = self._best.pop(region)
        before = self.counts(region)
        made = self._part(region, int(a), int(at))
        done = Split(region, int(a), tuple(tuple(self.shown[new][a].tolist()) for new in made), made.start, gain, total)
        self.splits.append(done)
        for groups in self.groups:
            if a in groups.attributes:
                keys = {one: self._key(one, groups.attributes) for one in (region, *made)}
                groups.move(keys, {one: self.counts(one) for one in keys}, region, before)
            else:
                groups.stays(made, region)
        for new in (region, *made):
            if self.stop[new] > self.start[new]:
                self._weigh(new)
        return done

    def _part(self, region: int, a: int, at: int) -> range:
        """Make a region of each part of a split; return them."""
        start, stop, shown = self.start[region], self.stop[region], self.shown[region]
        scratch = self._scratch
        scratch.shown[0] = shown
        split_kernels.enter(self.rows, self.domains, scratch, 0, start, stop, a, at)
        n_parts = int(scratch.n_parts[0])
        nodes, stops = scratch.nodes[0, :n_parts].copy(), scratch.stops[0, : n_parts + 2].tolist()
        first = len(self.start)
        for p in range(n_parts):
            self.start.append(stops[p])
            self.stop.append(stops[p + 1])
            self.shown.append(shown.copy())
            self.shown[-1][a] = nodes[p]
            self._told.append({i: told for i, told in self._told[region].items() if i != a})
        self.start[region], self.stop[region] = stops[n_parts], stops[n_parts + 1]
        told = self._told[region].get(a, frozenset())
        self._told[region][a] = told | set(nodes[:, region_arrays.NODE].tolist())
        return range(first, first + n_parts)

    def counts(self, region: int) -> Ints:
        """The counters of a region."""
        counts = np.empty(self.rows.counts.shape[1], np.int64)
        sums = np.empty((0, 2), np.int64)
        gain_kernels.add_up(self.rows, self.start[region], self.stop[region], counts, sums)
        return counts

    def _key(self, region: int, attributes: Sequence[int]) -> Hashable:
        """What a region shows on some attributes, by the values it can stand for."""
        shown, told = self.shown[region], self._told[region]
        return tuple((*shown[a].tolist(), told.get(a, frozenset())) for a in attributes)

    def find(self, codes: Ints) -> Ints:
        """The region of each of some rows, also of rows that were not there.

        Args:
            codes: (n_rows, n_attributes)
        """
        splits: dict[int, list[Split]] = {}
        for split in self.splits:
            splits.setdefault(split.region, []).append(split)
        found = np.zeros(len(codes), np.int64)
        waiting = [(0, np.arange(len(codes)))]
        while waiting:
            region, here = waiting.pop()
            for split in splits.get(region, ()):
                cells = codes[here, split.attribute]
                stays = np.ones(len(here), np.bool_)
                for p, shown in enumerate(split.shown):
                    low, high = self._codes_of(split.attribute, shown)
                    is_inside = (low <= cells) & (cells < high)
                    if is_inside.any():
                        waiting.append((split.first + p, here[is_inside]))
                        stays &= ~is_inside
                here = here[stays]
            found[here] = region
        return found

    def _codes_of(self, a: int, shown: Sequence[int]) -> tuple[int, int]:
        """The first and one past the last code of what a part shows."""
        if self.domains.kind[a] != region_arrays.INTERVAL:
            node = shown[region_arrays.NODE]
            return int(self.domains.first[node]), int(self.domains.stop[node])
        low, high = shown[region_arrays.LOW], shown[region_arrays.HIGH]
        return low, high + (low == high)

    def region_of_row(self) -> Ints:
        """The region of each compressed row."""
        found = np.zeros(len(self.rows.order), np.int64)
        for region, (start, stop) in enumerate(zip(self.start, self.stop, strict=True)):
            found[self.rows.order[start:stop]] = region
        return found


def _make_scratch(compact: Compact, sums: Ints, domains: Domains, depth: int) -> region_arrays.Scratch:
    """Room for the kernels."""
    n_attributes, n_levels = compact.codes.shape[1], depth + 1
    most_codes = max(int(domains.n_bins.max(initial=0)) + 1, int(domains.stop.max(initial=0)), 1)
    # An interval has two parts and the missing cells.
    most_parts = max(int(domains.n_children.max(initial=0)), 3)
    return region_arrays.Scratch(
        counts=np.zeros((most_codes, compact.counts.shape[1]), np.int64),
        sums=np.zeros((most_codes, *sums.shape[1:]), np.int64),
        shown=np.zeros((n_levels, n_attributes, 3), np.int64),
        gain=np.zeros((n_levels, n_attributes)),
        at=np.zeros((n_levels, n_attributes), np.int64),
        parts=np.zeros((n_levels, most_parts, 2), np.int64),
        nodes=np.zeros((n_levels, most_parts, 3), np.int64),
        stops=np.zeros((n_levels, most_parts + 2), np.int64),
        n_parts=np.zeros(n_levels, np.int64),
        next_part=np.zeros(n_levels, np.int64),
        split_on=np.zeros(n_levels, np.int64),
    )
