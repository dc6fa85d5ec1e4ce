"""What the candidates of a state cost in suppressed records, found out only where somebody asks."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from maskwise.search.suppression.row_groups import SuppressibleGroups
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


class Prices:
    """What each candidate costs."""

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
        self.direct: Ints = groups.look_at_candidates(state.cut)
        nodes = state.frontier
        # Nobody who is left shows it, or what was too dear once stays so.
        is_over = (self.direct[nodes] < 0) | ((self.direct[nodes] > groups.left) & groups.is_anti_monotone)
        state.cut.alive[nodes[is_over]] = False
        state.frontier = nodes[~is_over]

    def must_be_found_out(self, nodes: Ints) -> NDArray[np.bool_]:
        """Whether candidates cost something, or might: else they are free."""
        # The records shown as roots may lose those that showed roots beside them.
        return (self.direct[nodes] > 0) | (self.groups.shows_root and self.groups.n_lost > 0)

    def of(self, node: int) -> int | None:
        """How many records a candidate takes away; None if the budget does not allow it.

        How bad the worst group would be is set too.
        """
        if not self.must_be_found_out(np.array([node]))[0]:
            return 0
        price = self.groups.price(*move_of(self.state, node)) if self.direct[node] <= self.groups.left else None
        if price is None:
            if self.groups.is_anti_monotone:
                self.state.cut.alive[node] = False
            return None
        return price.n_lost

    def discounts(self, nodes: Ints) -> Floats:
        """The largest share of their worth that candidates can keep: they lose the records of broken groups at least."""
        return np.array([discount(n, self.groups.left) for n in self.direct[nodes].tolist()])


def move_of(state: TopDown, node: int) -> tuple[int, int, int, Ints]:
    """A candidate as `SuppressibleGroups.price` takes it: attribute, first and last code, and the part of each code."""
    i = int(state.attribute[node])
    tree, at = state.trees[i], node - int(state.first[i])
    low, high = tree.codes[at].tolist()
    branch = np.zeros(tree.n_codes, np.int64)
    first, n_children = int(tree.first_child[at]), int(tree.n_children[at])
    for b, child in enumerate(() if state.cut.hides[i] else range(first, first + n_children)):
        branch[tree.codes[child, 0] : tree.codes[child, 1]] = b
    return i, low, high, branch
