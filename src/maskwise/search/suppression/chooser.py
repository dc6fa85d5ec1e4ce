"""The choice among refinements some of which have to be paid for with suppressed records.

A refinement that takes no record away is worth what it is worth without a
budget: its Score, or its information gain. One that takes records away is worth
less, by the `discount` of `prices`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from maskwise.search.score import score
from maskwise.search.suppression.prices import Prices, discount
from maskwise.search.ties import is_less
from maskwise.search.topdown import Choice

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from maskwise.search.suppression.row_groups import SuppressibleGroups
    from maskwise.search.topdown import TopDown

    Floats = NDArray[np.float64]


class SuppressingChooser:
    """Chooses by Score, or by information gain alone, less what is paid."""

    def __init__(self, state: TopDown, groups: SuppressibleGroups, *, by_gain: bool = False) -> None:
        """Choose among the candidates of a state.

        Args:
            state: The cut.
            groups: Its groups, and what is taken away.
            by_gain: Whether information gain alone decides.
        """
        self.state, self.groups, self.by_gain = state, groups, by_gain
        self.prices = Prices(state, groups)

    def choose(self) -> Choice | None:
        """Pick the best candidate that the budget can pay for.

        The highest worth wins, then the first attribute, then the first in its
        tree. What a candidate costs is found out only if it could win: no
        candidate is worth more than its gain, less what its own groups cost.
        """
        state = self.state
        state.frontier = frontier = state.frontier[state.cut.alive[state.frontier]]
        if not len(frontier):
            return None
        gain, is_dear = state.gain[frontier], self.prices.must_be_found_out(frontier)
        weighted = gain * state.weights[state.attribute[frontier]]
        most = np.where(
            is_dear, weighted * self.prices.discounts(frontier), self._worth(weighted, state.losses(frontier))
        )
        worth: dict[int, float] = {}
        for at in np.lexsort((state.rank[frontier], -most)).tolist():
            if worth and is_less(most[at], max(worth.values())):
                break
            n_lost = self.prices.of(int(frontier[at]))
            if n_lost is not None:
                own = self._worth(weighted[at : at + 1], state.losses(frontier[at : at + 1]))
                worth[at] = float(own[0]) * discount(n_lost, self.groups.left)
        if not worth:
            return None
        largest = max(worth.values())
        best = min(
            (at for at in worth if not is_less(worth[at], largest)), key=lambda at: int(state.rank[frontier[at]])
        )
        loss = state.losses(frontier[best : best + 1])
        scored = float(score(weighted[best : best + 1], loss)[0])
        return Choice(int(frontier[best]), float(gain[best]), float(loss[0]), scored)

    def _worth(self, weighted: Floats, loss: Floats) -> Floats:
        return weighted if self.by_gain else score(weighted, loss)

    def refine(self, node: int) -> tuple[str, str | None, tuple[str | None, ...]]:
        """Perform a refinement, and look at what the others cost then."""
        change = self.state.refine(node)
        self.prices.renew()
        return change
