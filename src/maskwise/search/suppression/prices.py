"""Which candidates of a state the budget can pay for, found out only where somebody asks.

As long as some refinement is free, that is takes no record away, none is paid
for: so a search with a budget goes at least as far as one without. What has to
be paid for is then weighed like any other: its gain per privacy lost, where the
groups count that would break a requirement too, so that a refinement which makes
many small groups is worth little (see `docs/reference.md` for what was tried).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from maskwise.search.suppression.row_groups import Affordable

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

    def is_free(self, nodes: Ints) -> NDArray[np.bool_]:
        """Whether candidates take no record away from the groups that they split."""
        is_free: NDArray[np.bool_] = self._direct[nodes] == 0
        return is_free

    def can_pay(self, node: int) -> bool:
        """Whether the budget allows a candidate; one that it never will again is given up.

        A candidate that takes away all records but those of one part tells nothing of who is left, so it is not
        paid for.
        """
        direct = int(self._direct[node])
        if not direct and not self._may_break_roots:
            return True
        is_near = direct <= self.groups.left
        found = self.groups.try_refinement(*self._move(node)) if is_near else Affordable.NO
        if found is Affordable.NO and self.groups.is_anti_monotone:
            self.state.cut.alive[node] = False
        return found is Affordable.YES

    def _move(self, node: int) -> tuple[int, int, int, Ints, int]:
        """A candidate as `SuppressibleGroups.try_refinement` takes it."""
        state, i = self.state, int(self.state.attribute[node])
        tree, at = state.trees[i], node - int(state.first[i])
        low, high = tree.codes[at].tolist()
        branch = np.zeros(tree.n_codes, np.int64)
        first, n_children = int(tree.first_child[at]), int(tree.n_children[at])
        for b, child in enumerate(() if state.cut.hides[i] else range(first, first + n_children)):
            branch[tree.codes[child, 0] : tree.codes[child, 1]] = b
        # Of a disclosed value the others stay hidden, so one part is enough.
        return i, low, high, branch, 1 if state.cut.hides[i] else 2

    def losses_of_splits(self, i: int, node: int, low: int, high: int) -> tuple[Floats, Ints]:
        """The privacy that each split of an interval costs, and how many records its own groups lose.

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
        return total / max(len(charged), 1), direct

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
        for at in np.lexsort((-worth, self._direct_of_splits > 0)).tolist():
            if worth[at] == -np.inf:
                continue
            branch[low : low + at], branch[low + at : high], branch[high:end] = 0, 1, 2
            is_free = not self._direct_of_splits[at] and not self._may_break_roots
            if is_free or self.groups.try_refinement(i, low, end, branch) is Affordable.YES:
                yield at
