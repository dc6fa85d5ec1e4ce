"""The choice among refinements some of which have to be paid for with suppressed records."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from maskwise.search.score import score
from maskwise.search.suppression.prices import Prices
from maskwise.search.ties import is_less
from maskwise.search.topdown import Choice

if TYPE_CHECKING:
    from maskwise.search.suppression.row_groups import SuppressibleGroups
    from maskwise.search.topdown import TopDown


class SuppressingChooser:
    """Chooses by Score, or by information gain alone, what the budget can pay for."""

    def __init__(self, state: TopDown, groups: SuppressibleGroups, *, by_gain: bool = False) -> None:
        """Choose among the candidates of a state.

        Args:
            state: The cut.
            groups: Its groups, and what is taken away.
            by_gain: Whether information gain alone decides.
        """
        self.state, self.by_gain = state, by_gain
        self.prices = Prices(state, groups)

    def choose(self) -> Choice | None:
        """Pick the best candidate that the budget can pay for.

        What is free comes first. Then the highest worth wins, then the first
        attribute, then the first in its tree.
        """
        state = self.state
        state.frontier = frontier = state.frontier[state.cut.alive[state.frontier]]
        gain, loss = state.gain[frontier], state.losses(frontier)
        weighted = gain * state.weights[state.attribute[frontier]]
        scores = score(weighted, loss)
        worth, rank = weighted if self.by_gain else scores, state.rank[frontier]
        is_free = self.prices.is_free(frontier)
        equal: list[int] = []
        for at in np.lexsort((rank, -worth, ~is_free)).tolist():
            if equal and (is_less(worth[at], worth[equal[0]]) or is_free[at] != is_free[equal[0]]):
                break
            if self.prices.can_pay(int(frontier[at])):
                equal.append(at)
        if not equal:
            return None
        best = min(equal, key=rank.__getitem__)
        return Choice(int(frontier[best]), float(gain[best]), float(loss[best]), float(scores[best]))

    def refine(self, node: int) -> tuple[str, str | None, tuple[str | None, ...]]:
        """Perform a refinement, and look at what the others cost then."""
        change = self.state.refine(node)
        self.prices.renew()
        return change
