"""When a bottom-up search may stop: as soon as what still breaks a requirement can be suppressed."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from maskwise.search.preferences import depths
from maskwise.search.suppression.found import spare_records, start_groups

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from maskwise.compress.compressed_table import Compact
    from maskwise.compress.request import TableRequest
    from maskwise.search.bottomup import BottomUp
    from maskwise.search.interface import Problem
    from maskwise.search.suppression.row_groups import SuppressibleGroups
    from maskwise.search.value_trees import ValueTree

    Ints = NDArray[np.int64]


class Stopping:
    """Says whether the records in broken groups are within the budget."""

    def __init__(self, problem: Problem, requests: Sequence[TableRequest], tables: Sequence[Compact]) -> None:
        """Know the budget, and the rows of all attributes together.

        Args:
            problem: What is to be solved; its policy has a budget.
            requests: What was counted on each distinct QID.
            tables: The counts, as `with_union` asked for them.
        """
        self._problem, self._requests, self._tables = problem, requests, tables
        self._most = spare_records(problem)

    def is_reachable(self, trees: Sequence[ValueTree], levels: Sequence[int]) -> bool:
        """Whether the cut that shows no more than its levels is within the budget.

        Args:
            trees: The value trees.
            levels: For each attribute how far below its root it shows values at least.
        """
        shown = []
        for i, tree in enumerate(trees):
            depth = depths(tree)
            root = sum(len(one.nodes) for one in trees[:i])
            nodes = np.full(tree.n_codes, root, np.int64)
            for node in np.flatnonzero((depth == levels[i]) | ((depth < levels[i]) & (tree.n_children == 0))).tolist():
                nodes[tree.codes[node, 0] : tree.codes[node, 1]] = root + node
            shown.append(nodes)
        return not start_groups(self._problem, trees, self._requests, self._tables, shown)[0].is_over

    def settle(self, state: BottomUp) -> SuppressibleGroups | None:
        """Suppress what breaks a requirement; None if that is more than the budget allows.

        Args:
            state: The cut.
        """
        # Each QID by itself is quick, and nearly always enough to go on.
        if any(groups.count_broken() > self._most for groups in state.groups):
            return None
        shown = shown_values(state)
        settled, _ = start_groups(self._problem, state.trees, self._requests, self._tables, shown)
        return None if settled.is_over else settled


def shown_values(state: BottomUp) -> list[Ints]:
    """For each attribute the value that each of its codes is shown as."""
    found = []
    for i, tree in enumerate(state.trees):
        root = int(state.first[i])
        nodes = np.full(tree.n_codes, root, np.int64)
        for node in state.shown[i]:
            low, high = tree.codes[node - root].tolist()
            # `*` stands for what no other shown value stands for.
            if node != root or len(state.shown[i]) == 1:
                nodes[low:high] = node
        found.append(nodes)
    return found
