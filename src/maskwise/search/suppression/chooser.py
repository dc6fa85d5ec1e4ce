"""The choice among refinements some of which have to be paid for with suppressed records.

A refinement that takes no record away is worth what it is worth without a
budget: its Score, or its information gain. One that takes n of the b records
that may still be suppressed is worth that much times `1 - n / b` to the power
`EAGERNESS`, so what is cheap comes first and nothing empties the budget for
little.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from maskwise.search.score import score
from maskwise.search.ties import is_less
from maskwise.search.topdown import Choice

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from maskwise.search.suppression.row_groups import Price, SuppressibleGroups
    from maskwise.search.topdown import TopDown

    Floats = NDArray[np.float64]
    Ints = NDArray[np.int64]


def discount(n_lost: float, left: int) -> float:
    """What a refinement is worth that takes records away, as a share of what it would be worth otherwise.

    Args:
        n_lost: How many records it takes away.
        left: How many may still be suppressed.

    >>> discount(0, 0), discount(5, 20)
    (1.0, 0.8)
    """
    return 1.0 if not n_lost else 1.0 / (1.0 + n_lost / max(left, 1))


class SuppressingChooser:
    """Chooses by Score, or by information gain alone, per record lost."""

    def __init__(self, state: TopDown, groups: SuppressibleGroups, *, by_gain: bool = False) -> None:
        """Choose among the candidates of a state.

        Args:
            state: The cut.
            groups: Its groups, and what is taken away.
            by_gain: Whether information gain alone decides.
        """
        self.state, self.groups, self.by_gain = state, groups, by_gain

    def choose(self) -> Choice | None:
        """Pick the best candidate that the budget can pay for.

        The highest worth wins, then the first attribute, then the first in its
        tree. What a candidate costs is found out only if it could win: no
        candidate is worth more than its gain, less what its own groups cost.
        """
        state, groups = self.state, self.groups
        state.frontier = frontier = state.frontier[state.cut.alive[state.frontier]]
        if not len(frontier):
            return None
        direct = groups.look_at_candidates(state.cut)[frontier]
        # Nobody who is left shows it, or what was too dear once stays so.
        is_over = (direct < 0) | ((direct > groups.left) & groups.is_anti_monotone)
        state.cut.alive[frontier[is_over]] = False
        state.frontier = frontier = frontier[~is_over]
        direct = direct[~is_over]
        if not len(frontier):
            return None
        gain = state.gain[frontier]
        weighted = gain * state.weights[state.attribute[frontier]]
        must_pay = direct > 0
        if groups.shows_root and groups.n_lost:
            # The suppressed records may lose those that showed roots beside them.
            must_pay[:] = True
        worth = self._worth(weighted, state.losses(frontier))
        most = weighted * np.array([discount(n, groups.left) for n in direct.tolist()])
        most = np.where(must_pay, most, worth)
        best: tuple[float, int] | None = None
        equal: list[int] = []
        for at in np.lexsort((state.rank[frontier], -most)).tolist():
            if best is not None and is_less(most[at], best[0]):
                break
            if must_pay[at]:
                price = self._price(int(frontier[at])) if direct[at] <= groups.left else None
                if price is None:
                    self._give_up(int(frontier[at]))
                    continue
                groups.set_worst(int(frontier[at]), price)
                own = self._worth(weighted[at : at + 1], state.losses(frontier[at : at + 1]))
                worth[at] = float(own[0]) * discount(price.n_lost, groups.left)
            equal.append(at)
            best = max(best or (-1.0, 0), (float(worth[at]), -at))
        if best is None:
            return None
        first = min((at for at in equal if not is_less(worth[at], best[0])), key=lambda at: state.rank[frontier[at]])
        loss = float(state.losses(frontier[first : first + 1])[0])
        scored = float(score(weighted[first : first + 1], np.array([loss]))[0])
        return Choice(int(frontier[first]), float(gain[first]), loss, scored)

    def _worth(self, weighted: Floats, loss: Floats) -> Floats:
        return weighted.copy() if self.by_gain else score(weighted, loss)

    def _give_up(self, node: int) -> None:
        """Where what was invalid stays so, do not look at a candidate again."""
        if self.groups.is_anti_monotone:
            self.state.cut.alive[node] = False

    def _price(self, node: int) -> Price | None:
        return self.groups.price(*move_of(self.state, node))

    def refine(self, node: int) -> tuple[str, str | None, tuple[str | None, ...]]:
        """Perform a refinement."""
        return self.state.refine(node)


def move_of(state: TopDown, node: int) -> tuple[int, int, int, Ints]:
    """A candidate as `SuppressibleGroups.price` takes it: attribute, first and last code, and the part of each code."""
    i = int(state.attribute[node])
    tree, at = state.trees[i], node - int(state.first[i])
    low, high = tree.codes[at].tolist()
    branch = np.zeros(tree.n_codes, np.int64)
    children: Sequence[int] = range(int(tree.first_child[at]), int(tree.first_child[at]) + int(tree.n_children[at]))
    for b, child in enumerate(() if state.cut.hides[i] else children):
        branch[tree.codes[child, 0] : tree.codes[child, 1]] = b
    return i, low, high, branch
