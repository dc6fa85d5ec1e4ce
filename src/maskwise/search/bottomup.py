"""Bottom-up generalization (BUG): start from the raw values and generalize until the requirements hold.

Of an interval attribute the leaves of its tree stand for the raw values.
Each time the generalization that loses least information per unit of privacy
gained is performed (Wang, Yu, Chakraborty, ICDM 2004). Like `topdown` this sees
only the value trees and the compressed tables. Only the last state is safe.
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

import numpy as np

from maskwise.search.bounds import as_rules, charge, figures_of
from maskwise.search.groups.merge_kernels import NEAR, MergeCut
from maskwise.search.groups.merging import MergingGroups
from maskwise.search.preferences import above_level, no_preferences
from maskwise.search.score import entropy
from maskwise.search.ties import smallest
from maskwise.search.value_trees import flatten, gains
from maskwise.solution.cut import HIDDEN
from maskwise.solution.solution import Ending
from maskwise.solution.steps import Generalization

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from maskwise.compress.compressed_table import Compact
    from maskwise.search.bounds import Bound
    from maskwise.search.curve import SearchCurve
    from maskwise.search.interface import Watcher
    from maskwise.search.options import Limits
    from maskwise.search.preferences import Preferences
    from maskwise.search.suppression.stopping import Stopping
    from maskwise.search.value_trees import ValueTree

    Ints = NDArray[np.int64]
    Floats = NDArray[np.float64]


class BottomUp:
    """A cut on its way up, and the candidates for its next move."""

    def __init__(
        self,
        trees: Sequence[ValueTree],
        tables: Sequence[Compact],
        bounds: Sequence[Bound],
        preferences: Preferences | None = None,
        *,
        has_class: bool,
        stopping: Stopping | None = None,
    ) -> None:
        """Start at the raw values.

        Args:
            trees: The value trees, not pruned, attributes in policy order.
            tables: One compressed table per distinct QID.
            bounds: The rules of all requirements, in policy order.
            preferences: What counts more, and the levels above which nothing is generalized; None prefers nothing.
            has_class: Whether information is about a class.
            stopping: Says when what is left to do can be suppressed; None suppresses nothing.
        """
        self._stopping = stopping
        self.trees, self.bounds, self.has_class = trees, bounds, has_class
        preferred = preferences or no_preferences(len(trees))
        self.weights = preferred.weights
        flat = flatten(trees)
        self.first, self.attribute, self.rank = flat.first, flat.attribute, flat.rank.copy()
        self._flat = flat
        counts = np.concatenate([np.array([node.counts for node in tree.nodes]) for tree in trees])
        self._counts: Ints = counts
        self._n_records: Ints = counts.sum(axis=1)
        is_inner = (flat.n_children > 0) & (self._n_records > 0)
        self._may_open = is_inner.copy()
        for i, level in enumerate(preferred.levels):
            self._may_open[self.first[i] + np.array(above_level(trees[i], level), np.int64)] = False
        self._is_open = np.zeros(len(counts), np.bool_)
        self._info_loss = np.zeros(len(counts))
        # For each inner value, how many children that have records are not shown yet.
        below = np.flatnonzero(flat.parent >= 0)
        waiting = below[is_inner[below]]
        self._n_waiting = np.bincount(flat.parent[waiting], minlength=len(counts))
        self.shown: list[set[int]] = []
        self._hidden = {i: np.zeros(counts.shape[1], np.int64) for i in np.flatnonzero(flat.hides).tolist()}
        for i, tree in enumerate(trees):
            nodes = np.arange(self.first[i], self.first[i + 1])
            if flat.hides[i]:
                self._start_hiding(i, nodes)
                continue
            self._info_loss[nodes] = gains(tree, has_class=has_class)
            self._is_open[nodes] = self._may_open[nodes] & (self._n_waiting[nodes] == 0)
            self.shown.append(set(nodes[flat.n_children[nodes] == 0].tolist()))
        cut = MergeCut(flat.parent, flat.first_child, flat.n_children, flat.hides, self._is_open)
        of_table = [[bound for bound in bounds if bound.table == t] for t in range(len(tables))]
        node_of_code = [_node_of_code(tree, int(self.first[i])) for i, tree in enumerate(trees)]
        self.groups = [
            MergingGroups(table, cut, node_of_code, as_rules(of_table[t], table.whole()))
            for t, table in enumerate(tables)
        ]
        self.places = [(bound.table, of_table[bound.table].index(bound)) for bound in bounds]
        members = [self.groups[t].attributes for t, _ in self.places]
        now = [float(self.groups[t].now[r]) for t, r in self.places]
        self.charged = charge(
            bounds, self.places, members, [bad - bound.limit for bound, bad in zip(bounds, now, strict=True)]
        )
        self.suppressible = None if stopping is None else stopping.settle(self)
        self.start = self.figures()
        self.path: list[tuple[int, int]] = []
        self.given: list[tuple[int, int]] = []
        self.lost = 0.0

    def _start_hiding(self, i: int, nodes: Ints) -> None:
        """Open all values of a suppress attribute; of equal ones, the one with the fewest records is hidden first."""
        values = nodes[1:]
        self._is_open[values] = self._n_records[values] > 0
        by_size = np.lexsort((values, self._n_records[values]))
        self.rank[values[by_size]] = nodes[0] + 1 + np.arange(len(values))
        self.shown.append(set(nodes.tolist()))
        # What shows `*` from the start: cells that hold nothing else.
        self._hidden[i] = self._counts[nodes[0]] - self._counts[values].sum(axis=0)
        self._weigh_hiding(i)

    def _weigh_hiding(self, i: int) -> None:
        """Renew the information lost by hiding each value that a suppress attribute still shows."""
        values = np.arange(self.first[i] + 1, self.first[i + 1])
        values = values[self._is_open[values]]
        own, hidden = self._counts[values], self._hidden[i]
        if not self.has_class:
            self._info_loss[values] = self._n_records[values]
            return
        both = own + hidden
        parts = own.sum(axis=1) * entropy(own) + hidden.sum() * entropy(hidden[None, :])
        self._info_loss[values] = np.maximum(entropy(both) - parts / np.maximum(both.sum(axis=1), 1), 0.0)

    def figures(self) -> tuple[float, ...]:
        """For each requirement of the policy its figure now."""
        if self.suppressible is not None:
            return figures_of(self.bounds, [float(self.suppressible.figures[t].now[r]) for t, r in self.places])
        return figures_of(self.bounds, [self.groups[t].worst(r) for t, r in self.places])

    def unmet(self) -> dict[int, list[int]]:
        """For each table the rules that are still broken."""
        found: dict[int, list[int]] = {}
        for t, groups in enumerate(self.groups):
            broken = [r for r in range(len(groups.rules.kind)) if groups.is_broken(r)]
            if broken:
                found[t] = broken
        return found

    def _move(self, node: int) -> tuple[int, range, int]:
        """The attribute of a candidate, the values that it replaces, and by what."""
        i = int(self.attribute[node])
        if self._flat.hides[i]:
            return i, range(node, node + 1), int(self.first[i])
        start = int(self._flat.first_child[node])
        return i, range(start, start + int(self._flat.n_children[node])), node

    def _gains(self, frontier: Ints, unmet: dict[int, list[int]], *, prune: bool) -> Floats:
        """The privacy each candidate would gain, averaged over the rules on its attribute.

        Args:
            frontier: The candidates.
            unmet: The broken rules of each table.
            prune: Try only those that can be critical.
        """
        after: dict[tuple[int, int], Floats] = {}
        for t, rules in unmet.items():
            own = set(self.groups[t].attributes)
            tried = (
                {node for r in rules for node in self.groups[t].critical(r)}
                if prune
                else {node for node in frontier.tolist() if int(self.attribute[node]) in own}
            )
            for node in tried:
                after[t, node] = self.groups[t].after(*self._move(node))
        total = np.zeros(len(frontier))
        place = {node: p for p, node in enumerate(frontier.tolist())}
        for t, node in after:
            for other, r, limit, by in self.charged.get(int(self.attribute[node]), ()):
                if other == t:
                    now = float(self.groups[t].now[r])
                    gained = max(now, limit) - max(float(after[t, node][r]), limit)
                    total[place[node]] += gained / by if gained > NEAR else 0.0
        n_charged = np.array([max(len(self.charged.get(i, ())), 1) for i in range(len(self.trees))])
        gained_on_average: Floats = total / n_charged[self.attribute[frontier]]
        return gained_on_average

    def choose(self, *, prune: bool) -> tuple[int, float, float] | None:
        """Pick the best candidate, with its information loss and privacy gain; None if all requirements hold.

        With a budget they hold as soon as what breaks one can be suppressed.

        The least loss per gain wins, or the least loss where nothing gains;
        then the first attribute, then the first in its tree.

        Args:
            prune: Try only generalizations that can be critical.
        """
        unmet = self.unmet()
        if not unmet or self.suppressible is not None:
            return None
        useful = np.zeros(len(self.trees), np.bool_)
        useful[[i for t in unmet for i in self.groups[t].attributes]] = True
        frontier = np.flatnonzero(self._is_open)
        frontier = frontier[useful[self.attribute[frontier]]]
        gain = self._gains(frontier, unmet, prune=prune)
        loss = self._info_loss[frontier]
        weighted = loss * self.weights[self.attribute[frontier]]
        among = np.flatnonzero(gain > 0) if (gain > 0).any() else np.arange(len(frontier))
        cost = weighted[among] / gain[among] if (gain > 0).any() else weighted[among]
        equal = among[smallest(cost)]
        best = equal[np.argmin(self.rank[frontier[equal]])]
        return int(frontier[best]), float(loss[best]), float(gain[best])

    def generalize(self, node: int) -> tuple[str, tuple[str | None, ...], str | None]:
        """Perform a generalization on every table that has its attribute; return what changed."""
        i, values, target = self._move(node)
        tree, first = self.trees[i], int(self.first[i])
        for groups in self.groups:
            if i in groups.attributes:
                groups.generalize(i, values, target)
        self.path.append((i, node - first))
        n_shown = self._n_records[node] + (self._hidden[i].sum() if self._flat.hides[i] else 0)
        self.lost += self.weights[i] * self._info_loss[node] * (n_shown if self.has_class else 1)
        self._is_open[node] = False
        labels = [tree.nodes[value - first].label for value in values]
        self.shown[i] -= set(values)
        self.shown[i].add(target)
        if self._stopping is not None:
            self.suppressible = self._stopping.settle(self)
        if self._flat.hides[i]:
            self._hidden[i] += self._counts[node]
            self._weigh_hiding(i)
            return tree.name, (*labels, HIDDEN), HIDDEN
        above = int(self._flat.parent[node])
        if above >= 0:
            self._n_waiting[above] -= 1
            self._is_open[above] = self._may_open[above] and self._n_waiting[above] == 0
        return tree.name, tuple(labels), tree.nodes[node - first].label

    def run(
        self, curve: SearchCurve, limits: Limits, watch: Watcher, *, prune: bool = True
    ) -> tuple[list[Generalization], Ending]:
        """Generalize until all requirements hold, or a limit is reached.

        Args:
            curve: Takes a point for each step.
            limits: When to give up.
            watch: Called after every step; may ask to stop.
            prune: Try only generalizations that can be critical (Theorem 1); the steps are the same.
        """
        steps: list[Generalization] = []
        deadline = time.monotonic() + limits.seconds if limits.seconds is not None else None
        while True:
            best = self.choose(prune=prune)
            if best is None:
                return steps, Ending.MET
            if limits.max_steps is not None and len(steps) >= limits.max_steps:
                return steps, Ending.STEPS
            if deadline is not None and time.monotonic() >= deadline:
                return steps, Ending.TIME
            node, loss, gain = best
            name, before, after = self.generalize(node)
            ip = float(self.weights[self.attribute[node]]) * loss / gain if gain > 0 else None
            steps.append(Generalization(len(steps) + 1, name, before, after, loss, gain, ip, self.figures()))
            curve.add(*self.path[-1], steps[-1].requirements)
            if not watch(steps[-1], curve):
                return steps, Ending.INTERRUPTED


def _node_of_code(tree: ValueTree, first: int) -> Ints:
    """The finest value behind each code of an attribute."""
    nodes = np.zeros(tree.n_codes, np.int64)
    for node in np.flatnonzero(tree.n_children == 0).tolist():
        nodes[tree.codes[node, 0] : tree.codes[node, 1]] = node
    return first + nodes
