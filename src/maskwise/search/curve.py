"""What privacy costs: how much is still told after each step of a search.

The path of a search, down or up, goes through states between raw and most
masked. For each of them the requirements' figures are known from its step;
here is added how much of the values, and of the class, is left. Both follow
from one-dimensional counts, and only when somebody asks.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from maskwise.policy.attributes import Kind
from maskwise.search.score import entropy
from maskwise.solution.curve import Point

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from maskwise.search.bottomup import BottomUp
    from maskwise.search.interface import Problem
    from maskwise.search.topdown import TopDown
    from maskwise.search.value_trees import AnyTree


class _Ledger:
    """What one attribute shows now, as sums over the records."""

    def __init__(self, tree: AnyTree, *, raw: bool) -> None:
        self.tree = tree
        self.hides = tree.kind is Kind.SUPPRESS
        root = tree.nodes[0].counts
        if self.hides:
            values = range(1, len(tree.nodes)) if raw else range(0)
            self.hidden: NDArray[np.int64] = root - sum((tree.nodes[v].counts for v in values), np.zeros_like(root))
            _, self.open = self._sums(values)
            self.wide = 0.0
        else:
            self.wide, self.open = self._sums(np.flatnonzero(tree.n_children == 0) if raw else [0])
        self.totals = self._totals()

    def _sums(self, nodes: Sequence[int] | range | NDArray[np.int64]) -> tuple[float, float]:
        """Spread and class entropy of some nodes, summed over their records."""
        chosen = [self.tree.nodes[node] for node in nodes]
        if not chosen:
            return 0.0, 0.0
        counts = np.array([node.counts for node in chosen])
        n_records = counts.sum(axis=1)
        wide = float((n_records * np.array([node.spread for node in chosen])).sum())
        return wide, float((n_records * entropy(counts)).sum())

    def move(self, node: int, sign: int) -> None:
        """Refine (sign 1) or generalize (sign -1) at a node."""
        own_wide, own_open = self._sums([node])
        if self.hides:
            # Disclosing takes the value's records from `*`; hiding gives them back.
            self.hidden = self.hidden - sign * self.tree.nodes[node].counts
            self.open += sign * own_open
        else:
            start = int(self.tree.first_child[node])
            wide, left = self._sums(range(start, start + int(self.tree.n_children[node])))
            self.wide += sign * (wide - own_wide)
            self.open += sign * (left - own_open)
        self.totals = self._totals()

    def _totals(self) -> tuple[float, float]:
        """Spread and class entropy, summed over the records."""
        if not self.hides:
            return self.wide, self.open
        n_hidden = float(self.hidden.sum())
        return n_hidden, self.open + n_hidden * float(entropy(self.hidden[None, :])[0])


class SearchCurve:
    """The points of a search by cuts, from its start on."""

    def __init__(
        self,
        trees: Sequence[AnyTree],
        figures: tuple[float, ...],
        *,
        given: Sequence[tuple[int, int]] = (),
        upward: bool,
        has_class: bool,
    ) -> None:
        """Begin with the state that the search begins with.

        Args:
            trees: The trees of the attributes that have a cut; they may grow meanwhile.
            figures: The requirements' figures there.
            given: The attribute's number and the node of what was refined before the search began.
            upward: Whether the search goes up from the raw values.
            has_class: Whether the counts are by class.
        """
        self._sign, self._has_class = -1 if upward else 1, has_class
        self._trees = trees
        self._ledgers = [_Ledger(tree, raw=upward) for tree in trees]
        self._n_records = max(int(trees[0].nodes[0].counts.sum()), 1)
        for i, node in given:
            if i < len(trees):
                self._ledgers[i].move(node, 1)
        self._waiting: list[tuple[int, int, tuple[float, ...]]] = []
        self._points = [self._point(None, figures)]

    def add(self, i: int, node: int, figures: tuple[float, ...]) -> None:
        """Note a step.

        Args:
            i: The number of its attribute.
            node: The node that was refined, disclosed, generalized to or hidden.
            figures: The requirements' figures after it.
        """
        self._waiting.append((i, node, figures))

    @property
    def points(self) -> tuple[Point, ...]:
        """One point for the start and one for each step."""
        for i, node, figures in self._waiting:
            self._ledgers[i].move(node, self._sign)
            self._points.append(self._point(self._trees[i].name, figures))
        self._waiting.clear()
        return tuple(self._points)

    @property
    def last(self) -> Point:
        """The point after the last step."""
        return self.points[-1]

    def _point(self, attribute: str | None, figures: tuple[float, ...]) -> Point:
        wide, left = np.mean([ledger.totals for ledger in self._ledgers], axis=0) / self._n_records
        entropy_left = max(float(left), 0.0) if self._has_class else None
        return Point(len(self._points) if attribute else 0, attribute, figures, 1.0 - float(wide), entropy_left)


def start_curve(problem: Problem, state: TopDown | BottomUp, *, upward: bool = False) -> SearchCurve:
    """The curve of a search that is about to begin.

    Args:
        problem: What is solved.
        state: Where it begins.
        upward: Whether it goes up from the raw values.
    """
    trees = state.trees[: problem.policy.n_cuts]
    return SearchCurve(trees, state.start, given=state.given, upward=upward, has_class=problem.has_class)
