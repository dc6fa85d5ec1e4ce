"""The steps of a search by regions."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from maskwise.search.bounds import figures_of
from maskwise.search.regions.regional_curve import RegionalCurve
from maskwise.solution.steps import Step

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from maskwise.search.bounds import Bound
    from maskwise.search.regions.domains import Domain
    from maskwise.search.regions.growth import Growth, Split

    Floats = NDArray[np.float64]


class Descent:
    """The steps so far, and the curve."""

    def __init__(self, growth: Growth, domains: Sequence[Domain], bounds: Sequence[Bound]) -> None:
        """Start before the first step.

        Args:
            growth: The regions.
            domains: The values of each attribute.
            bounds: The rules of all requirements.
        """
        self.growth, self._domains, self._bounds = growth, domains, bounds
        self.steps: list[Step] = []
        self.curve = RegionalCurve(domains, growth, self.figures())
        self._worst = self._weigh()

    def add(self, splits: Sequence[Split]) -> Step:
        """Note the splits of a step."""
        worst = self._weigh()
        step = self._step(splits, float(np.mean(worst - self._worst)))
        self._worst = worst
        self.steps.append(step)
        self.curve.add(splits, step.requirements)
        return step

    def figures(self) -> tuple[float, ...]:
        """The figure of each requirement, by the groups of its QID."""
        worst = {t: iter(one.worst.tolist()) for t, one in enumerate(self.growth.groups)}
        return figures_of(self._bounds, [next(worst[bound.table]) for bound in self._bounds])

    def _weigh(self) -> Floats:
        return np.concatenate([groups.worst for groups in self.growth.groups])

    def _step(self, splits: Sequence[Split], loss: float) -> Step:
        split, growth = splits[0], self.growth
        labels, root = self._domains[split.attribute], int(growth.roots[split.attribute])
        before = labels.label_of(growth.shown[split.region][split.attribute].tolist(), root)
        after = [labels.label_of(shown, root) for shown in split.shown]
        has_rest = any(growth.stop[one.region] > growth.start[one.region] for one in splits)
        return Step(
            len(self.steps) + 1,
            labels.column.name,
            before,
            (*after, before) if has_rest else tuple(after),
            split.gain,
            loss,
            split.total,
            self.figures(),
            tuple(one.region for one in splits),
        )
