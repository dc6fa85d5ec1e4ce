"""What is kept of the values after each split of a region."""

from __future__ import annotations

from typing import TYPE_CHECKING

from maskwise.policy.attributes import Kind
from maskwise.search.regions import region_arrays
from maskwise.solution.curve import Point

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy as np
    from numpy.typing import NDArray

    from maskwise.search.regions.domains import Domain
    from maskwise.search.regions.growth import Growth, Split

    Ints = NDArray[np.int64]


class RegionalCurve:
    """The points of the curve, one added after each split."""

    def __init__(self, domains: Sequence[Domain], growth: Growth, figures: tuple[float, ...]) -> None:
        """Start where every attribute shows its root.

        Args:
            domains: The values of each attribute.
            growth: The regions.
            figures: The requirements' figures.
        """
        self._domains, self._growth = domains, growth
        # What is counted: records, or persons; those with several rows once for each.
        self._n_all = max(growth.n_rows_of(0), 1) * len(domains)
        self._wide = float(self._n_all)
        self.points = [Point(0, None, figures, 0.0, None)]

    @property
    def last(self) -> Point:
        """The point after the last step."""
        return self.points[-1]

    def add(self, splits: Sequence[Split], figures: tuple[float, ...]) -> None:
        """Add a point after a step, which may be splits of several regions."""
        growth, a = self._growth, splits[0].attribute
        for split in splits:
            before = self._spread(a, growth.shown[split.region][a])
            for region in range(split.first, split.first + len(split.shown)):
                n = growth.n_rows_of(region)
                self._wide -= n * (before - self._spread(a, growth.shown[region][a]))
        name = self._domains[a].column.name
        self.points.append(Point(len(self.points), name, figures, 1.0 - self._wide / self._n_all, None))

    def _spread(self, a: int, shown: Ints) -> float:
        """What showing this hides: 0 the exact value, 1 everything."""
        flat = self._growth.domains
        if self._domains[a].column.kind is not Kind.INTERVAL:
            return float(flat.spread[shown[region_arrays.NODE]])
        if shown[region_arrays.LOW] == shown[region_arrays.HIGH]:
            return 0.0
        return float(flat.place[a, shown[region_arrays.HIGH]] - flat.place[a, shown[region_arrays.LOW]])
