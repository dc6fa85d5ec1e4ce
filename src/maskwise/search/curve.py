"""What privacy costs: how much is still told after each step of a search.

The path of a search, down or up, goes through states between raw and most
masked. For each of them the requirements' figures are known from the trace;
here is added how much of the values, and of the class, is left. Both follow
from one-dimensional counts.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from maskwise.search.score import entropy
from maskwise.solution.curve import Point

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from maskwise.search.value_trees import AnyTree


class _Ledger:
    """What one attribute shows now, as sums over the records."""

    def __init__(self, tree: AnyTree, *, raw: bool) -> None:
        counts = np.array([node.counts for node in tree.nodes])
        n_records = counts.sum(axis=1)
        self.tree = tree
        self.counts = counts
        self.spread = n_records * np.array([node.spread for node in tree.nodes])
        self.entropy = n_records * entropy(counts)
        self.hides = bool(tree.kind.value == "suppress")
        self.hidden: NDArray[np.int64] = counts[0] - (counts[1:].sum(axis=0) if raw else 0)
        shown = np.flatnonzero(tree.n_children == 0) if raw else np.array([0])
        if self.hides:
            shown = np.arange(1, len(counts)) if raw else np.zeros(0, np.int64)
        self.wide, self.open = float(self.spread[shown].sum()), float(self.entropy[shown].sum())

    def move(self, node: int, sign: int) -> None:
        """Refine (sign 1) or generalize (sign -1) at a node."""
        if self.hides:
            # Disclosing takes the value's records from `*`; hiding gives them back.
            self.hidden = self.hidden - sign * self.counts[node]
            self.open += sign * float(self.entropy[node])
            return
        start = int(self.tree.first_child[node])
        below = slice(start, start + int(self.tree.n_children[node]))
        self.wide += sign * float(self.spread[below].sum() - self.spread[node])
        self.open += sign * float(self.entropy[below].sum() - self.entropy[node])

    def totals(self) -> tuple[float, float]:
        """Spread and class entropy, summed over the records."""
        if not self.hides:
            return self.wide, self.open
        n_hidden = float(self.hidden.sum())
        return n_hidden, self.open + n_hidden * float(entropy(self.hidden[None, :])[0])


def follow(
    trees: Sequence[AnyTree],
    path: Sequence[tuple[int, int]],
    figures: Sequence[tuple[float, ...]],
    *,
    given: Sequence[tuple[int, int]] = (),
    upward: bool,
    has_class: bool,
) -> tuple[Point, ...]:
    """Walk the path of a search again.

    Args:
        trees: The forest it was searched in.
        path: Of each step the attribute's number and the node that was refined, disclosed, generalized to or hidden.
        figures: The requirements' figures at the start and after each step.
        given: As `path`, what was refined before the search began.
        upward: Whether the search went up from the raw values.
        has_class: Whether the counts are by class.
    """
    ledgers = [_Ledger(tree, raw=upward) for tree in trees]
    n_records = max(int(ledgers[0].counts[0].sum()), 1)
    for i, node in given:
        ledgers[i].move(node, 1)
    points = []
    for step in range(len(path) + 1):
        if step:
            i, node = path[step - 1]
            ledgers[i].move(node, -1 if upward else 1)
        wide, left = np.mean([ledger.totals() for ledger in ledgers], axis=0) / n_records
        points.append(
            Point(
                step,
                trees[path[step - 1][0]].name if step else None,
                figures[step],
                1.0 - float(wide),
                max(float(left), 0.0) if has_class else None,
            )
        )
    return tuple(points)
