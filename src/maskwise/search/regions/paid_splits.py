"""Splits that give up records, where a policy has a suppression budget.

After regions were split for free, a split may leave parts that break a rule: their
records are suppressed, if that many are left in the budget. What a split gains, per
record lost, decides; of what is suppressed nothing is known any more. Each part that
stays satisfies every rule, and so does every group of a QID that loses records.
"""

from __future__ import annotations

import heapq
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from maskwise.search import rule_kernels
from maskwise.search.regions import region_arrays
from maskwise.search.regions.places import Places

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Iterable, Sequence

    from numpy.typing import NDArray

    from maskwise.search.regions.growth import Growth, Split, SplitPart
    from maskwise.search.regions.qid_groups import QidGroups

    Bools = NDArray[np.bool_]
    Floats = NDArray[np.float64]
    Ints = NDArray[np.int64]

LEAST_GAIN = 2.0
"""A split that gains less is not worth a record."""


@dataclass(frozen=True, slots=True)
class Spending:
    """What a search may suppress."""

    most: int
    """So many records, or persons."""
    is_removed: bool
    """Whether they are left out of the release; else they show roots."""
    smallest: int
    """The smallest group that the rules allow; the search may want larger ones."""


@dataclass(frozen=True, slots=True)
class PaidSplit:
    """A split of a region in which some parts are suppressed."""

    region: int
    """The region."""
    span: tuple[int, int]
    """Where its rows stood when it was weighed: later it counts only if they still do."""
    attribute: int
    """The attribute."""
    parts: tuple[SplitPart, ...]
    """What is parted."""
    is_lost: tuple[bool, ...]
    """For each part, and for what is left, whether it is suppressed."""
    gain: float
    """What is known of the records that stay, less what was known of all."""
    price: int
    """How many records, or persons, are suppressed."""


class PaidSplits:
    """Goes on after regions were split for free.

    Claim: after every split each group of each QID satisfies its rules without what is suppressed, and no more than the
    budget is.
    """

    def __init__(
        self, growth: Growth, budget: Spending, is_over: Callable[[], bool], *, are_regions_safe: bool
    ) -> None:
        """Start from the regions there are.

        Args:
            growth: The regions.
            budget: What may be suppressed.
            is_over: Whether there is no time left to look at more.
            are_regions_safe: Whether each region satisfies every rule by itself, so that what it is split into may be
                split for free without a look at the groups that it leaves.
        """
        self.growth, self._left, self._smallest = growth, budget.most, budget.smallest
        self._is_over, self._are_regions_safe = is_over, are_regions_safe
        kinds = growth.terms.rules.kind[growth.terms.rules.is_enforced]
        self._moves_whole = budget.is_removed and bool(np.isin(kinds, [rule_kernels.EQUAL, rule_kernels.ORDERED]).any())
        self._queue: list[tuple[float, int, PaidSplit]] = []
        self._weigh(range(len(growth.start)))

    def best(self) -> object | None:
        """A split that costs nothing, else the one that gains most for each record that it costs."""
        free = self._best_free()
        if free is not None:
            return free
        while self._queue:
            split = self._queue[0][-1]
            is_there = self._span(split.region) == split.span
            if is_there and split.price <= self._left and self._is_safe(split):
                return split
            heapq.heappop(self._queue)
            if is_there and split.price > self._left:
                # A cheaper split of the region may still be paid for.
                self._weigh([split.region])
        return None

    def split_best(self) -> list[Split]:
        """Split what `best` has found."""
        if self._best_free() is not None:
            done = self.growth.split_best()
            self._weigh([done[0].region, *done[0].made])
            return done
        paid = heapq.heappop(self._queue)[-1]
        done = self.growth.split_alike([paid.region], paid.attribute, paid.parts, paid.gain)
        pieces = [*done[0].made, paid.region]
        for piece, is_lost in zip(pieces, paid.is_lost, strict=True):
            if is_lost:
                self.growth.suppress(piece)
                if self._moves_whole:
                    self.growth.terms.rules.whole[:] -= self.growth.suppressed[piece].counts
        self._left -= paid.price
        if self._moves_whole:
            for groups in self.growth.groups:
                groups.weigh_again()
        if self._are_regions_safe and self._moves_whole:
            self.growth.weigh_all()
        elif self._are_regions_safe:
            self.growth.weigh(pieces)
        self._weigh(pieces)
        return done

    def _best_free(self) -> int | None:
        return self.growth.best() if self._are_regions_safe else None

    def _is_safe(self, split: PaidSplit) -> bool:
        """Whether every group that loses or gets records satisfies its rules afterwards, or is empty."""
        growth = self.growth
        (whole,), (of_part,) = growth.count_parts([split.region], split.attribute, split.parts)
        pieces = [*of_part, whole - of_part.sum(axis=0)]
        lost = sum(counts for counts, is_lost in zip(pieces, split.is_lost, strict=True) if is_lost)
        changes = [self._change(groups, split, whole, pieces) for groups in growth.groups]
        if not self._moves_whole:
            return all(groups.is_safe_after(change) for groups, change in zip(growth.groups, changes, strict=True))
        released = growth.terms.rules.whole
        released -= lost
        is_safe = all(
            groups.is_safe_after(change) and groups.is_safe_but(change.keys())
            for groups, change in zip(growth.groups, changes, strict=True)
        )
        released += lost
        return is_safe

    def _change(self, groups: QidGroups, split: PaidSplit, whole: Ints, pieces: Sequence[Ints]) -> dict[Hashable, Ints]:
        """What a split adds to the counters of groups.

        Args:
            groups: The groups of one QID.
            split: The split.
            whole: The counters of its region.
            pieces: Those of each part, and of what is left.
        """
        old = groups.key_of(groups.group_of[split.region])
        keys = [old] * len(pieces)
        if split.attribute in groups.attributes:
            keys = self.growth.keys_after(split.region, groups.attributes, split.attribute, split.parts)
        change: dict[Hashable, Ints] = {old: -whole}
        for key, counts, is_lost in zip(keys, pieces, split.is_lost, strict=True):
            if not is_lost:
                change[key] = change.get(key, 0) + counts
        return change

    def _span(self, region: int) -> tuple[int, int]:
        return self.growth.start[region], self.growth.stop[region]

    def _weigh(self, regions: Iterable[int]) -> None:
        for region in regions:
            if self._is_over():
                return
            if self.growth.stop[region] > self.growth.start[region] and self._left:
                found = [self._best_on(region, a) for a in self.growth.open_attributes]
                splits = [split for split in found if split is not None]
                if splits:
                    best = max(splits, key=lambda split: split.gain / split.price)
                    heapq.heappush(self._queue, (-best.gain / best.price, region, best))

    def _best_on(self, region: int, a: int) -> PaidSplit | None:
        """The split by one attribute that gains most for each record that it costs, if one can be paid for."""
        growth = self.growth
        weighed = Places(growth, (region,), a)
        places = [parts for _, parts in weighed.list_all()]
        if not places:
            return None
        counts: Ints = _count_pieces(weighed.counts[0], places)
        sums: Floats = _count_pieces(weighed.sums[0], places)
        n: Ints = counts[:, :, 0]
        is_valid = self._are_valid(counts)
        price = np.where(is_valid, 0, n).sum(axis=1)
        # What is left shows nothing new, so something else must stay; and what stays is as large as the search wants.
        stays = is_valid & (n > 0)
        can_pay = (price > 0) & (price <= self._left) & stays[:, :-1].any(axis=1)
        can_pay &= ~(stays & (n < growth.terms.least)).any(axis=1)
        gains = self._gains(region, a, places, n, sums, is_valid) * float(growth.domains.weight[a])
        worth = np.where(can_pay & (gains >= LEAST_GAIN), gains / np.maximum(price, 1), 0.0)
        at = int(np.argmax(worth))
        if worth[at] <= 0.0:
            return None
        parts = places[at]
        is_lost = ~is_valid[at]
        return PaidSplit(
            region,
            self._span(region),
            a,
            parts,
            (*is_lost[: len(parts)].tolist(), bool(is_lost[-1])),
            float(gains[at]),
            int(price[at]),
        )

    def _are_valid(self, counts: Ints) -> Bools:
        """Whether each piece of each place is empty or satisfies every rule, (n_places, n_pieces)."""
        terms = self.growth.terms
        flat = counts.reshape(-1, counts.shape[-1])
        is_valid: Bools = (flat[:, 0] == 0) | (flat[:, 0] >= self._smallest)
        if not terms.is_by_size:
            there = np.flatnonzero(is_valid & (flat[:, 0] > 0))
            broken = np.zeros((len(terms.rules.kind), len(there)), np.bool_)
            rule_kernels.weigh_groups(terms.rules, flat[there], np.empty(broken.shape), broken)
            is_valid[there] = ~broken.any(axis=0)
        shaped: Bools = is_valid.reshape(counts.shape[:2])
        return shaped

    def _gains(
        self, region: int, a: int, places: Sequence[tuple[SplitPart, ...]], n: Ints, sums: Floats, is_valid: Bools
    ) -> Floats:
        """What is gained at each place: what is known of what stays, less what was known of the region.

        Args:
            region: The region.
            a: The attribute.
            places: The parts of each place.
            n: (n_places, n_pieces) the records of each piece.
            sums: (n_places, n_pieces, n_targets, 2) what is taught of it.
            is_valid: (n_places, n_pieces) whether it stays.
        """
        if not sums.shape[2]:
            wide = self._spread(a, self.growth.shown[region][a].tolist())
            narrower = np.zeros(n.shape)
            for i, parts in enumerate(places):
                narrower[i, : len(parts)] = [wide - self._spread(a, part.shown) for part in parts]
            without_class: Floats = (narrower * n * is_valid).sum(axis=1)
            return without_class
        known = (sums[..., 0] ** 2 / (sums[..., 1] + self.growth.terms.shrinkage)).sum(axis=2)
        whole = sums[:1].sum(axis=1)
        before = (whole[..., 0] ** 2 / (whole[..., 1] + self.growth.terms.shrinkage)).sum(axis=1)
        gained: Floats = (known * (is_valid & (n > 0))).sum(axis=1) - before
        return gained

    def _spread(self, a: int, shown: Sequence[int]) -> float:
        """What showing this hides: 0 the exact value, 1 everything."""
        domains = self.growth.domains
        if domains.kind[a] != region_arrays.INTERVAL:
            return float(domains.spread[shown[region_arrays.NODE]])
        low, high = shown[region_arrays.LOW], shown[region_arrays.HIGH]
        return float(domains.place[a, high] - domains.place[a, low])


def _count_pieces(by_code: NDArray[Any], places: Sequence[tuple[SplitPart, ...]]) -> NDArray[Any]:
    """What each piece of each place has: its parts, padded with empty ones, and what is in none of them.

    Args:
        by_code: (n_codes, ...) what each code has.
        places: The parts of each place.
    """
    most = max(map(len, places))
    codes = np.zeros((len(places), most, 2), np.int64)
    for i, parts in enumerate(places):
        codes[i, : len(parts)] = [part.codes for part in parts]
    below = np.concatenate([np.zeros_like(by_code[:1]), np.cumsum(by_code, axis=0)])
    pieces = below[codes[:, :, 1]] - below[codes[:, :, 0]]
    rest = below[-1] - pieces.sum(axis=1)
    return np.concatenate([pieces, rest[:, None]], axis=1)
