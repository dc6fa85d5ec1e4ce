"""Which candidates of a state the budget can pay for, found out only where somebody asks.

A refinement that takes records away is weighed like any other: its gain per
privacy lost, where the groups count that would break a requirement too. So a
refinement that makes small groups is worth little, whether or not they are
suppressed. Of the ways tried on Adult this was the best, better than a worth
per record lost (see `docs/reference.md`).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from maskwise.search.suppression.row_groups import SuppressibleGroups
    from maskwise.search.topdown import TopDown

    Floats = NDArray[np.float64]
    Ints = NDArray[np.int64]


class Prices:
    """Says which candidates can be paid for."""

    def __init__(self, state: TopDown, groups: SuppressibleGroups) -> None:
        """Look at the candidates of a state.

        Args:
            state: The cut.
            groups: Its groups, and what is taken away.
        """
        self.state, self.groups = state, groups
        self.renew()

    def renew(self) -> None:
        """Look at all candidates anew, after a step; some that cannot be refined any more are given up."""
        state, groups = self.state, self.groups
        self._direct: Ints = groups.look_at_candidates(state.cut)
        own = self._direct[state.frontier]
        # Nobody who is left shows it, or what was too dear once stays so.
        is_over = (own < 0) | ((own > groups.left) & groups.is_anti_monotone)
        state.cut.alive[state.frontier[is_over]] = False
        state.frontier = state.frontier[~is_over]

    @property
    def _may_break_roots(self) -> bool:
        """Whether suppressed records form a group with others that show roots, and may lose these."""
        return self.groups.shows_root and self.groups.n_lost > 0

    def can_pay(self, node: int) -> bool:
        """Whether the budget allows a candidate; one that it never will again is given up."""
        direct = int(self._direct[node])
        if not direct and not self._may_break_roots:
            return True
        can_pay = direct <= self.groups.left and self.groups.can_refine(*self._move(node))
        if not can_pay and self.groups.is_anti_monotone:
            self.state.cut.alive[node] = False
        return can_pay

    def _move(self, node: int) -> tuple[int, int, int, Ints]:
        """A candidate as `SuppressibleGroups.can_refine` takes it."""
        state, i = self.state, int(self.state.attribute[node])
        tree, at = state.trees[i], node - int(state.first[i])
        low, high = tree.codes[at].tolist()
        branch = np.zeros(tree.n_codes, np.int64)
        first, n_children = int(tree.first_child[at]), int(tree.n_children[at])
        for b, child in enumerate(() if state.cut.hides[i] else range(first, first + n_children)):
            branch[tree.codes[child, 0] : tree.codes[child, 1]] = b
        return i, low, high, branch

    def losses_of_splits(self, i: int, node: int, low: int, high: int) -> tuple[Floats, NDArray[np.bool_]]:
        """The privacy that each split of an interval costs, and whether its own groups are within the budget.

        Args:
            i: The attribute.
            node: The interval.
            low: Its first code.
            high: One past its last; the missing value splits off as well.
        """
        state, groups = self.state, self.groups
        direct, worst = groups.look_at_splits(i, node, low, high)
        total, charged = np.zeros(high - low), state.charged.get(i, ())
        for t, r, _, by in charged:
            now = state.groups[t].now[r]
            total += (np.maximum(worst[groups.first_rule[t] + r], now) - now) / by
        self._direct_of_splits = direct
        return total / max(len(charged), 1), direct <= groups.left

    def affordable_splits(self, i: int, low: int, high: int, end: int, worth: Floats) -> Iterator[int]:
        """The splits of the interval that was looked at last that can be paid for, the best first.

        Args:
            i: The attribute.
            low: The interval's first code.
            high: One past its last.
            end: The same with the code of its missing value.
            worth: What each split is worth; minus infinity if it is not to be tried.
        """
        branch = np.zeros(self.state.trees[i].n_codes, np.int64)
        for at in np.argsort(-worth, kind="stable").tolist():
            if worth[at] == -np.inf:
                return
            branch[low : low + at], branch[low + at : high], branch[high:end] = 0, 1, 2
            is_free = not self._direct_of_splits[at] and not self._may_break_roots
            if is_free or self.groups.can_refine(i, low, end, branch):
                yield at
