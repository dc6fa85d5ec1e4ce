"""Where regions that show the same of an attribute may be split, and what that would gain.

The counterpart of `gain_kernels` for several regions at once: whether a place is
valid is not asked here.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from maskwise.search.regions import region_arrays
from maskwise.search.regions.growth import SplitPart

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray

    from maskwise.search.regions.growth import Growth

    Floats = NDArray[np.float64]
    Ints = NDArray[np.int64]
    Place = tuple[float, tuple[SplitPart, ...]]


class Places:
    """The places of one attribute, in some regions."""

    def __init__(self, growth: Growth, regions: Sequence[int], a: int) -> None:
        """Add up the rows of the regions.

        Args:
            growth: The regions.
            regions: Those that are to be split; they show the same of the attribute.
            a: The attribute.
        """
        self._growth, self._a = growth, a
        self._shown = growth.shown[regions[0]][a].tolist()
        self.counts, sums = growth.add_regions(regions, a)  # (n_regions, n_codes, n_counts)
        self.sums = sums.astype(np.float64) / region_arrays.SCALE  # (n_regions, n_codes, n_targets, 2)
        self._n = self.counts[:, :, 0].sum(axis=0)

    def best_first(self, most: int) -> Iterator[Place]:
        """The places that gain something, the best first.

        Args:
            most: So many at most.
        """
        for place in self.list_all()[:most]:
            if place[0] <= region_arrays.MIN_GAIN:
                return
            yield place

    def list_all(self) -> list[Place]:
        """All places, the one that gains most first."""
        is_interval = self._growth.domains.kind[self._a] == region_arrays.INTERVAL
        places = self._borders() if is_interval else self._children()
        return sorted(places, key=lambda place: -place[0])

    def _worth(self, sums: Floats) -> Floats:
        """What parts know, (...,) from their sums (..., n_targets, 2)."""
        known: Floats = (sums[..., 0] ** 2 / (sums[..., 1] + self._growth.terms.shrinkage)).sum(axis=-1)
        return known

    def _borders(self) -> list[Place]:
        domains, a = self._growth.domains, self._a
        low, high = self._shown[region_arrays.LOW], self._shown[region_arrays.HIGH]
        n_bins, missing = high - low, int(domains.n_bins[a])
        has_missing = bool(self._shown[region_arrays.MISSING]) and self._n[missing] > 0
        if not n_bins or (n_bins == 1 and not has_missing):
            return []
        n_left = np.cumsum(self._n[low:high])
        n_there = int(n_left[-1])
        if self.sums.shape[2]:
            left = np.cumsum(self.sums[:, low:high], axis=1)
            apart = self.sums[:, missing] if has_missing else np.zeros_like(left[:, -1])
            gains = (self._worth(left) + self._worth(left[:, -1:] - left)).sum(axis=0)
            gains += (self._worth(apart) - self._worth(left[:, -1] + apart)).sum()
        else:
            place = domains.place[a, low : high + 1]
            gains = n_left * (place[-1] - place[1:]) + (n_there - n_left) * (place[1:] - place[0])
            gains += self._n[missing] * (place[-1] - place[0]) if has_missing else 0.0
        gains = gains * domains.weight[a]
        rest = (SplitPart((missing, missing + 1), (missing, missing, 1)),) if has_missing else ()
        found: list[Place] = []
        for i in np.flatnonzero((self._n[low + 1 : high] > 0) & (n_left[:-1] > 0)).tolist():
            border = low + i + 1
            found.append((float(gains[i]), (_bins(low, border), _bins(border, high), *rest)))
        if has_missing and n_there:
            found.append((float(gains[-1]), (_bins(low, high), *rest)))
        return found

    def _children(self) -> list[Place]:
        domains, node = self._growth.domains, self._shown[region_arrays.NODE]
        wide, n_all = float(domains.spread[node]), int(self._n.sum())
        while True:
            first = int(domains.first_child[node])
            children = [c for c in range(first, first + int(domains.n_children[node])) if self._count_below(c)]
            if len(children) != 1 or self._count_below(children[0]) < n_all:
                break
            node = children[0]
        if not children:
            return []
        parts = tuple(SplitPart((int(domains.first[c]), int(domains.stop[c])), (c, 0, 0)) for c in children)
        if self.sums.shape[2]:
            whole = self.sums.sum(axis=1)
            inside = np.stack([self.sums[:, slice(*part.codes)].sum(axis=1) for part in parts], axis=1)
            before = self._worth(whole).sum()
            own = self._worth(inside)
            alone = (own + self._worth(whole[:, None] - inside)).sum(axis=0) - before
            together = own.sum() + self._worth(whole - inside.sum(axis=1)).sum() - before
        else:
            alone = np.array([self._count_below(c) * (wide - float(domains.spread[c])) for c in children])
            together = alone.sum()
        weight = float(domains.weight[self._a])
        n_parts = len(children) + (sum(map(self._count_below, children)) < n_all)
        found: list[Place] = [(float(together) * weight, parts)] if n_parts > 1 else []
        if n_parts > 2:  # noqa: PLR2004 - of two parts telling one is telling both
            found += [(float(gain) * weight, (part,)) for gain, part in zip(alone, parts, strict=True)]
        return found

    def _count_below(self, node: int) -> int:
        domains = self._growth.domains
        return int(self._n[domains.first[node] : domains.stop[node]].sum())


def _bins(low: int, high: int) -> SplitPart:
    return SplitPart((low, high), (low, high, 0))
