"""The steps of a search by regions, and how far it may be released.

Suppressed records that are shown as roots have to meet every requirement by
themselves: on one QID others may show roots too, but values on another, so that
somebody who knows both can tell them apart. The first that are suppressed are
too few for that, so a search may end in a state that must not be released; then
it goes back to the last one that may.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from maskwise.search.bounds import figures_of
from maskwise.search.cut_groups import weigh_groups
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

    def __init__(self, growth: Growth, domains: Sequence[Domain], bounds: Sequence[Bound], *, shows_root: bool) -> None:
        """Start before the first step.

        Args:
            growth: The regions.
            domains: The values of each attribute.
            bounds: The rules of all requirements.
            shows_root: Whether suppressed records are shown as roots.
        """
        self.growth, self._domains, self._bounds, self._shows_root = growth, domains, bounds, shows_root
        self.steps: list[Step] = []
        self.curve = RegionalCurve(domains, growth, self.figures())
        self._worst = self._weigh()
        # Steps, and splits, up to the last state that may be released.
        self._releasable = (0, 0)

    def add(self, splits: Sequence[Split]) -> Step:
        """Note the splits of a step."""
        worst = self._weigh()
        step = self._step(splits, float(np.mean(worst - self._worst)))
        self._worst = worst
        self.steps.append(step)
        self.curve.add(splits, step.requirements)
        if self._is_releasable():
            self._releasable = (len(self.steps), len(self.growth.splits))
        return step

    def take_back(self) -> bool:
        """Go back to the last state that may be released; say whether that is another one.

        Claim: suppressed records that are shown as roots satisfy every rule of every QID by themselves.
        """
        n_steps, n_splits = self._releasable
        if n_steps == len(self.steps):
            return False
        self.growth.rewind(n_splits)
        del self.steps[n_steps:]
        self.curve.cut_off(n_steps)
        self._worst = self._weigh()
        return True

    def figures(self) -> tuple[float, ...]:
        """The figure of each requirement, by the groups of its QID."""
        worst = {t: iter(one.worst.tolist()) for t, one in enumerate(self.growth.groups)}
        return figures_of(self._bounds, [next(worst[bound.table]) for bound in self._bounds])

    def _is_releasable(self) -> bool:
        counts = self.growth.count_suppressed()
        if not self._shows_root or not counts[0]:
            return True
        _, is_broken = weigh_groups(self.growth.terms.rules, counts[None])
        return not is_broken.any()

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
