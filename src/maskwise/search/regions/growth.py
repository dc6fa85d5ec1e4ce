"""The regions of a table while they are split.

A region is a run of compressed rows and what it shows of each attribute. What is
left of a region after a split stays the region, so a split makes one region for
each of its parts. Every state is safe: a split is made only if each of its parts,
and what is left, satisfies every rule.
"""

from __future__ import annotations

import heapq
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from maskwise.search.cut_groups import count_groups
from maskwise.search.regions import block_kernels, gain_kernels, region_arrays, split_kernels
from maskwise.solution.region_codes import Taken
from maskwise.solution.region_rows import walk_splits

if TYPE_CHECKING:
    from collections.abc import Collection, Hashable, Iterable, Sequence

    from numpy.typing import NDArray

    from maskwise.compress.compressed_table import Compact
    from maskwise.search.regions.qid_groups import QidGroups
    from maskwise.search.regions.region_arrays import Domains, Terms
    from maskwise.solution.region_rows import SplitsOfRegion

    Ints = NDArray[np.int64]


class SplitPart(NamedTuple):
    """One part of a split."""

    codes: tuple[int, int]
    """The first and one past the last code on the split attribute."""
    shown: tuple[int, int, int]
    """What it shows of the attribute, as the kernels know it."""


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

    @property
    def made(self) -> range:
        """The regions of its parts."""
        return range(self.first, self.first + len(self.shown))


class Growth:
    """The regions, split as the search goes on."""

    def __init__(
        self,
        compact: Compact,
        sums: Ints,
        domains: Domains,
        roots: Ints,
        terms: Terms,
        groups: Sequence[QidGroups],
        block: Ints | None = None,
    ) -> None:
        """Start with one region that shows the root of every attribute.

        Args:
            compact: The distinct rows of all masked attributes.
            sums: (n_rows, n_targets, 2) what is taught of each row.
            domains: The values that may be shown.
            roots: The root of each attribute.
            terms: What parts must satisfy.
            groups: The groups of each QID, of one region yet.
            block: (n_rows,) a number for what earlier releases show of each row; None without them. Then no person has
                several rows.
        """
        n_rows = len(compact.codes)
        self.domains, self.roots, self.terms, self.groups = domains, roots, terms, tuple(groups)
        nothing = np.zeros(0, np.int64)
        person = nothing if compact.persons is None else compact.persons
        block = nothing if block is None else block
        order = np.argsort(person if len(person) else block, kind="stable") if len(person) + len(block) else None
        self.rows = region_arrays.Rows(
            compact.codes,
            compact.counts,
            sums,
            np.arange(n_rows) if order is None else order,
            np.empty(n_rows, np.int64),
            person,
            block,
        )
        self._counted = np.full(int(person.max(initial=-1)) + 1, -1, np.int64)
        self._n_counts = 0
        self._scratch = region_arrays.make_scratch(compact, sums, domains, terms.depth)
        n_attributes = compact.codes.shape[1]
        self.start, self.stop = [0], [n_rows]
        root = np.zeros((n_attributes, 3), np.int64)
        is_interval = self.domains.kind == region_arrays.INTERVAL
        root[:, region_arrays.NODE] = np.where(is_interval, 0, self.roots)
        root[is_interval, region_arrays.HIGH] = self.domains.n_bins[is_interval]
        root[is_interval, region_arrays.MISSING] = 1
        self.shown = [root]
        self.splits: list[Split] = []
        # What was told out of a region's value of a tree attribute, which makes it another set of values.
        self._told: list[dict[int, frozenset[int]]] = [{}]
        self._best: dict[int, tuple[int, int, float, float]] = {}
        self._queue: list[tuple[float, int]] = []
        for one in self.groups:
            if one.block is not None:
                one.weigh_blocks(0, self.count_blocks([0], one.block))

    def weigh_all(self) -> None:
        """Find the best split of each region there is."""
        self._queue.clear()
        self._best.clear()
        self.weigh(range(len(self.start)))

    def weigh(self, regions: Iterable[int]) -> None:
        """Find the best split of each of some regions that have rows."""
        for region in regions:
            if self.stop[region] > self.start[region]:
                self._weigh(region)

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

    def split_best(self) -> list[Split]:
        """Split the region whose split gains most."""
        _, region = heapq.heappop(self._queue)
        a, at, gain, total = self._best.pop(region)
        done = self._split(region, int(a), self._parts(region, int(a), int(at)), gain, total)
        self.weigh((region, *done.made))
        return [done]

    def split_alike(self, regions: Sequence[int], a: int, parts: Sequence[SplitPart], gain: float) -> list[Split]:
        """Split several regions at the same place.

        Args:
            regions: They show the same of the attribute.
            a: The attribute.
            parts: What is parted; where a region has no row in a part, that part is empty.
            gain: What that gains in all of them together.
        """
        return [self._split(region, a, parts, gain, gain) for region in regions]

    def _parts(self, region: int, a: int, at: int) -> tuple[SplitPart, ...]:
        """The parts of a split that the kernels chose."""
        scratch = self._scratch
        parts, nodes = scratch.parts[0], scratch.nodes[0]
        start, stop = self.start[region], self.stop[region]
        n_parts = split_kernels.list_parts(
            self.rows, self.domains, self.shown[region], a, at, start, stop, parts, nodes
        )
        return tuple(SplitPart(tuple(parts[p].tolist()), tuple(nodes[p].tolist())) for p in range(n_parts))

    def _split(self, region: int, a: int, parts: Sequence[SplitPart], gain: float, total: float) -> Split:
        before = self.counts(region)
        made = self._take(region, a, parts)
        done = Split(region, a, tuple(part.shown for part in parts), made.start, gain, total)
        self.splits.append(done)
        for groups in self.groups:
            if a not in groups.attributes:
                groups.stays(made, region)
                continue
            keys = {one: self.key(one, groups.attributes) for one in (region, *made)}
            if groups.block is not None:
                groups.recount(keys, region, partial(self.count_blocks, block=groups.block))
            elif self.adds_up:
                groups.move(keys, {one: self.counts(one) for one in keys}, region, before)
            else:
                groups.recount(keys, region, self.count_persons)
        return done

    def _take(self, region: int, a: int, parts: Sequence[SplitPart]) -> range:
        """Make a region of each part; return them."""
        start, stop, shown = self.start[region], self.stop[region], self.shown[region]
        n_parts, first = len(parts), len(self.start)
        stops = np.empty(n_parts + 2, np.int64)
        codes = np.array([part.codes for part in parts], np.int64)
        split_kernels.part_rows(self.rows, a, start, stop, codes, n_parts, stops)
        for p, part in enumerate(parts):
            self.start.append(int(stops[p]))
            self.stop.append(int(stops[p + 1]))
            self.shown.append(shown.copy())
            self.shown[-1][a] = part.shown
            self._told.append({i: told for i, told in self._told[region].items() if i != a})
        self.start[region], self.stop[region] = int(stops[n_parts]), int(stops[n_parts + 1])
        self._told[region][a] = self._told_after(region, a, parts)
        return range(first, first + n_parts)

    def _told_after(self, region: int, a: int, parts: Sequence[SplitPart]) -> frozenset[int]:
        return self._told[region].get(a, frozenset()) | {part.shown[region_arrays.NODE] for part in parts}

    def add_regions(self, regions: Sequence[int], a: int) -> tuple[Ints, Ints]:
        """The counters of some regions and what is taught of them, by code on one attribute."""
        n_codes = int(self.domains.offset[a + 1] - self.domains.offset[a])
        counts = np.zeros((len(regions), n_codes, self.rows.counts.shape[1]), np.int64)
        sums = np.zeros((len(regions), n_codes, *self.rows.sums.shape[1:]), np.int64)
        starts, stops = (np.array([ends[region] for region in regions]) for ends in (self.start, self.stop))
        gain_kernels.add_regions(self.rows, starts, stops, a, counts, sums)
        return counts, sums

    def count_parts(self, regions: Sequence[int], a: int, parts: Sequence[SplitPart]) -> tuple[Ints, Ints]:
        """The counters of some regions, (n_regions, n_counts), and of each part of them, (n_regions, n_parts, ...)."""
        counts, _ = self.add_regions(regions, a)
        of_part = [counts[:, slice(*part.codes)].sum(axis=1) for part in parts]
        return counts.sum(axis=1), np.stack(of_part, axis=1)

    @property
    def adds_up(self) -> bool:
        """Whether the counters of regions add up: not where persons have several rows."""
        return not len(self.rows.person)

    def count_blocks(self, regions: Collection[int], block: Ints) -> Ints:
        """The counters of each block of some regions together, (n_blocks, n_counts).

        Args:
            regions: The regions.
            block: (n_rows,) the block of each row.
        """
        rows = [self.rows.order[self.start[region] : self.stop[region]] for region in regions]
        there = np.concatenate([np.zeros(0, np.int64), *rows])
        return count_groups(np.unique(block[there], return_inverse=True)[1], self.rows.counts[there], None)

    def count_persons(self, regions: Collection[int]) -> Ints:
        """The persons of some regions together, (1, 1), each counted once."""
        starts, stops = (np.array([ends[region] for region in regions], np.int64) for ends in (self.start, self.stop))
        self._n_counts += 1
        n = block_kernels.count_persons(self.rows, starts, stops, self._counted, self._n_counts)
        return np.array([[n]], np.int64)

    def n_rows_of(self, region: int) -> int:
        """The records of a region; where persons are counted its persons, each once for each of its rows."""
        return int(self.rows.counts[self.rows.order[self.start[region] : self.stop[region]], 0].sum())

    def counts(self, region: int) -> Ints:
        """The counters of a region."""
        if not self.adds_up:
            persons: Ints = self.count_persons([region])[0]
            return persons
        counts = np.empty(self.rows.counts.shape[1], np.int64)
        sums = np.empty((0, 2), np.int64)
        gain_kernels.add_up(self.rows, self.start[region], self.stop[region], counts, sums)
        return counts

    def key(self, region: int, attributes: Sequence[int]) -> Hashable:
        """What a region shows on some attributes, by the values it can stand for."""
        shown, told = self.shown[region], self._told[region]
        return tuple((*shown[a].tolist(), told.get(a, frozenset())) for a in attributes)

    def keys_after(self, region: int, attributes: Sequence[int], a: int, parts: Sequence[SplitPart]) -> list[Hashable]:
        """What each part of a region would show on some attributes, and what is left of it."""
        at = list(attributes).index(a)
        before = [(*self.shown[region][i].tolist(), self._told[region].get(i, frozenset())) for i in attributes]
        rest = (*self.shown[region][a].tolist(), self._told_after(region, a, parts))
        values = [*((*part.shown, frozenset()) for part in parts), rest]
        return [(*before[:at], value, *before[at + 1 :]) for value in values]

    def find(self, codes: Ints) -> Ints:
        """The region of each of some rows, also of rows that were not there.

        Args:
            codes: (n_rows, n_attributes)
        """
        splits: SplitsOfRegion = {}
        for split in self.splits:
            a = split.attribute
            taken = [(split.first + p, Taken(*self._codes_of(a, shown), -1)) for p, shown in enumerate(split.shown)]
            splits.setdefault(split.region, []).append((a, taken))
        return walk_splits(splits, codes)

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
