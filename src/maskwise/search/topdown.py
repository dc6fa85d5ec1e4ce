"""Top-down refinement (TDR): start from the most masked table and refine while it is safe.

The search sees the value trees and the compressed tables, never a record, an
engine or a privacy model's name: a requirement is here only bounds on the groups
of a QID. `score_search` makes a Solution of this.
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, NamedTuple, Protocol

import numpy as np

from maskwise.policy.attributes import Kind
from maskwise.search.bounds import charge, leading_rules, rule_places
from maskwise.search.charges import Charges
from maskwise.search.groups import split_kernels
from maskwise.search.preferences import above_level, no_preferences
from maskwise.search.score import disclosure_gain, score
from maskwise.search.suppression.row_groups import QidFigures
from maskwise.search.table_groups import start_tables
from maskwise.search.ties import largest
from maskwise.search.value_trees import flatten, gains, is_beneficial
from maskwise.solution.cut import HIDDEN
from maskwise.solution.solution import Ending
from maskwise.solution.steps import Step

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from maskwise.compress.compressed_table import Compact
    from maskwise.search.bounds import Bound
    from maskwise.search.curve import SearchCurve
    from maskwise.search.interface import Watcher
    from maskwise.search.options import Limits
    from maskwise.search.preferences import Preferences
    from maskwise.search.suppression.row_groups import SuppressibleGroups
    from maskwise.search.table_groups import QidGroups
    from maskwise.search.value_trees import AnyTree


class Choice(NamedTuple):
    """The refinement that was picked."""

    node: int
    """The value that is refined or disclosed."""
    gain: float
    """The information gained."""
    loss: float
    """The privacy lost."""
    score: float
    """What it was picked for."""


class TopDown:
    """A cut on its way down, and the candidates for its next move."""

    def __init__(
        self,
        trees: Sequence[AnyTree],
        tables: Sequence[Compact],
        bounds: Sequence[Bound],
        preferences: Preferences | None = None,
        *,
        has_class: bool,
        suppressible: SuppressibleGroups | None = None,
    ) -> None:
        """Start at the most masked state, or at the levels that attributes show at least.

        Args:
            trees: The value trees, attributes in policy order.
            tables: One compressed table per distinct QID.
            bounds: The rules of all requirements, in policy order.
            preferences: What counts more, and the levels, at which the requirements hold; None prefers nothing.
            has_class: Whether gains are about a class.
            suppressible: The groups of all QIDs, where records may be suppressed; None suppresses none.
        """
        self.trees = trees
        self.bounds = bounds
        self.suppressible = suppressible
        self.has_class = has_class
        flat = flatten(trees)
        self.first, self.attribute, self.rank = flat.first, flat.attribute, flat.rank
        n_nodes = int(self.first[-1])
        self.gain = np.zeros(n_nodes)
        self.cut = split_kernels.SplitCut(
            slot=np.zeros((len(trees), max(tree.n_codes for tree in trees)), np.int32),
            base=np.zeros(len(trees), np.int64),
            hides=flat.hides,
            first_child=flat.first_child,
            n_children=flat.n_children,
            alive=np.zeros(n_nodes, np.bool_),
            worst=np.zeros((0, 0)),
        )
        self.frontier: NDArray[np.int64] = np.zeros(0, np.int64)
        self.shown: list[set[int]] = [{int(self.first[i])} for i in range(len(trees))]
        self.hidden_counts = [tree.nodes[0].counts.copy() for tree in trees]
        self.value_counts = [
            np.array([node.counts for node in tree.nodes[1:]]) if tree.kind is Kind.SUPPRESS else None for tree in trees
        ]
        for i, tree in enumerate(trees):
            if not self.cut.hides[i]:
                self.gain[self.first[i] : self.first[i + 1]] = gains(tree, has_class=has_class)
            self._open(i, int(self.first[i]))
        most_slots = [int(tree.n_children.max()) + int(tree.kind is Kind.SUPPRESS) for tree in trees]
        self.groups: list[QidGroups | QidFigures]
        if suppressible is None:
            started = start_tables(tables, bounds, self.cut, self.first, most_slots)
            self.groups, self.places, members = [*started.groups], started.places, started.members
        else:
            self.groups, self.places = [*suppressible.figures], rule_places(bounds)
            members = [self.groups[t].attributes for t, _ in self.places]
        self._leading = leading_rules(bounds, self.places)
        preferred = preferences or no_preferences(len(trees))
        self.weights = preferred.weights
        self.path: list[tuple[int, int]] = []
        for i, level in enumerate(preferred.levels):
            for node in above_level(trees[i], level):
                self.refine(int(self.first[i]) + node)
        self.given, self.path = self.path, []
        now = [float(self.groups[t].now[r]) for t, r in self.places]
        self.charged = charge(
            bounds, self.places, members, [bound.limit - bad for bound, bad in zip(bounds, now, strict=True)]
        )
        self._charges = {i: Charges.of(i, own, self.groups) for i, own in self.charged.items()}
        self.start = self.figures()

    def figures(self) -> tuple[float, ...]:
        """For each requirement of the policy its figure now."""
        return tuple(
            rule.to_figure(max(float(self.groups[t].now[own].max()) for t, own in places.items()))
            for rule, places in self._leading
        )

    @property
    def is_anti_monotone(self) -> bool:
        """Whether a refinement that is invalid now stays so, whatever is refined first."""
        return all(groups.is_anti_monotone for groups in self.groups)

    def _open(self, i: int, node: int) -> None:
        """Make a newly shown value, or the values that `*` hides, candidates, and point its codes at its children."""
        tree = self.trees[i]
        at = node - int(self.first[i])
        n_children = int(tree.n_children[at])
        if not n_children:
            return
        children = range(int(tree.first_child[at]), int(tree.first_child[at]) + n_children)
        for s, child in enumerate(children):
            self.cut.slot[i, tree.codes[child, 0] : tree.codes[child, 1]] = s
        if self.cut.hides[i]:
            self.cut.slot[i, 0] = n_children
            candidates = [int(self.first[i]) + child for child in children]
            self.cut.alive[[node, *candidates]] = True
            self.frontier = np.append(self.frontier, candidates)
            self._weigh_hidden(i)
        else:
            self.cut.alive[node] = True
            self.frontier = np.append(self.frontier, node)

    def _weigh_hidden(self, i: int) -> None:
        """Renew the gain of disclosing each value that `*` still hides on a suppress attribute."""
        root = int(self.first[i])
        tree = self.trees[i]
        hidden = self.hidden_counts[i]
        values = self.value_counts[i]
        assert values is not None  # noqa: S101 - only suppress attributes hide values
        inner = slice(root + 1, root + len(tree.nodes))
        if not is_beneficial(hidden, has_class=self.has_class):
            self.cut.alive[root] = False
            self.cut.alive[inner] = False
        live = np.flatnonzero(self.cut.alive[inner])
        self.gain[root + 1 + live] = (
            disclosure_gain(hidden, values[live]) if self.has_class else values[live].sum(axis=1)
        )

    def losses(self, frontier: NDArray[np.int64]) -> NDArray[np.float64]:
        """The privacy each candidate would cost, averaged over the requirements on its attribute."""
        loss = np.zeros(len(frontier))
        owner = self.attribute[frontier]
        for i in np.flatnonzero(np.bincount(owner)).tolist():
            mine = owner == i
            nodes = frontier[mine]
            if i in self._charges:
                loss[mine] = self._charges[i].losses(self.groups, nodes, int(self.first[i]))
        return loss

    def losses_of_splits(
        self, i: int, node: int, low: int, high: int
    ) -> tuple[NDArray[np.float64], NDArray[np.bool_], dict[int, NDArray[np.float64]]]:
        """The privacy that each split of an interval would cost, whether it breaks no rule, and the worst groups.

        The first split is none. The worst figure that each split would lead to is given by rule, for each QID with the
        attribute.

        Args:
            i: The attribute.
            node: The interval.
            low: Its first code.
            high: One past its last.
        """
        is_valid = np.ones(high - low, np.bool_)
        is_valid[0] = False
        worst: dict[int, NDArray[np.float64]] = {}
        for t, groups in enumerate(self.groups):
            if i in groups.attributes and not isinstance(groups, QidFigures):
                worst[t], fits = groups.try_splits(i, node, low, high)
                is_valid &= fits
        if i not in self._charges:
            return np.zeros(high - low), is_valid, worst
        return self._charges[i].losses_of_splits(self.groups, worst, high - low), is_valid, worst

    def refine(self, node: int) -> tuple[str, str | None, tuple[str | None, ...]]:
        """Perform a refinement on every table that has its attribute; return what changed."""
        i = int(self.attribute[node])
        tree, first = self.trees[i], int(self.first[i])
        at = node - first
        self.path.append((i, at))
        self.cut.alive[node] = False
        branch = np.zeros(tree.n_codes, np.int64)
        change: tuple[str, str | None, tuple[str | None, ...]]
        if self.cut.hides[i]:
            value, branch_node = first, np.array([first, node])
            branch[tree.codes[at, 0]] = 1
            self.hidden_counts[i] -= tree.nodes[at].counts
            self.shown[i].add(node)
            self._weigh_hidden(i)
            change = (tree.name, HIDDEN, (tree.nodes[at].label, HIDDEN))
        else:
            value, branch_node = (
                node,
                first + np.arange(tree.first_child[at], tree.first_child[at] + tree.n_children[at]),
            )
            for b, child in enumerate(branch_node - first):
                branch[tree.codes[child, 0] : tree.codes[child, 1]] = b
            self.shown[i].remove(node)
            self.shown[i].update(int(child) for child in branch_node)
            for child in branch_node:
                self._open(i, int(child))
            change = (tree.name, tree.nodes[at].label, tuple(tree.nodes[child - first].label for child in branch_node))
        if self.suppressible is not None:
            self.suppressible.refine(i, int(tree.codes[at, 0]), int(tree.codes[at, 1]), branch, branch_node)
        for groups in self.groups:
            if i in groups.attributes:
                groups.refine(i, value, node, branch, branch_node, self.cut.slot[i])
        if self.cut.hides[i] and not self.cut.alive[first + 1 : first + len(tree.nodes)].any():
            self.cut.alive[first] = False
        return change


class ScoreChooser:
    """The papers' way of choosing: by Score, or by information gain alone."""

    def __init__(self, state: TopDown, *, by_gain: bool = False) -> None:
        """Choose among the candidates of a state.

        Args:
            state: The cut.
            by_gain: Whether information gain alone decides.
        """
        self.state, self.by_gain = state, by_gain

    def choose(self) -> Choice | None:
        """Pick the best candidate.

        The highest worth wins, then the first attribute, then the first in its tree.
        """
        state = self.state
        state.frontier = frontier = state.frontier[state.cut.alive[state.frontier]]
        if not len(frontier):
            return None
        gain, loss = state.gain[frontier], state.losses(frontier)
        weighted = gain * state.weights[state.attribute[frontier]]
        scores = score(weighted, loss)
        worth = weighted if self.by_gain else scores
        equal = largest(worth)
        best = equal[np.argmin(state.rank[frontier[equal]])]
        return Choice(int(frontier[best]), float(gain[best]), float(loss[best]), float(scores[best]))

    def refine(self, node: int) -> tuple[str, str | None, tuple[str | None, ...]]:
        """Perform a refinement."""
        return self.state.refine(node)


class Chooser(Protocol):
    """Picks refinements and performs them."""

    state: TopDown
    """The cut that it moves."""

    def choose(self) -> Choice | None:
        """Pick the next refinement; None if nothing valid and beneficial is left."""

    def refine(self, node: int) -> tuple[str, str | None, tuple[str | None, ...]]:
        """Perform a refinement; return what changed."""


def descend(chooser: Chooser, curve: SearchCurve, limits: Limits, watch: Watcher) -> tuple[list[Step], Ending]:
    """Refine until nothing valid and beneficial is left, or a limit is reached.

    Args:
        chooser: Picks and performs each refinement.
        curve: Takes a point for each.
        limits: When to stop early.
        watch: Called after every step; may ask to stop.

    Claim: every state on the way meets all requirements, so the search may
    stop after any step; a candidate once invalid stays invalid, so the last
    state is maximal among the chooser's candidates. Shares of persons who are
    in several groups are an exception, which the ending tells.
    """
    steps: list[Step] = []
    deadline = time.monotonic() + limits.seconds if limits.seconds is not None else None
    while (best := chooser.choose()) is not None:
        if limits.max_steps is not None and len(steps) >= limits.max_steps:
            return steps, Ending.STEPS
        if deadline is not None and time.monotonic() >= deadline:
            return steps, Ending.TIME
        name, before, after = chooser.refine(best.node)
        figures = chooser.state.figures()
        steps.append(Step(len(steps) + 1, name, before, after, best.gain, best.loss, best.score, figures))
        curve.add(*chooser.state.path[-1], figures)
        if not watch(steps[-1], curve):
            return steps, Ending.INTERRUPTED
    return steps, Ending.MAXIMAL if chooser.state.is_anti_monotone else Ending.EXHAUSTED
