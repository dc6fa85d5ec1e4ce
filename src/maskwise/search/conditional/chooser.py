"""The choice of refinements by conditional gain.

The papers' Score weighs each attribute by itself, so it counts the same
information twice. Here the gain of a refinement is the class entropy that it
takes from the groups already shown (and from what unmasked columns tell), and an
interval may be split wherever that is valid. The moves are those of `topdown`:
every state is safe, and the last one is maximal for these candidates.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from maskwise.policy.attributes import Kind
from maskwise.search.groups.splitting import SplittingGroups
from maskwise.search.groups.subset_groups import SubsetGroups
from maskwise.search.suppression.prices import Prices
from maskwise.search.ties import TOLERANCE, is_less, largest
from maskwise.search.topdown import Choice
from maskwise.values.processors import both, for_each

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from maskwise.search.conditional.class_groups import ClassGroups
    from maskwise.search.conditional.growing_tree import GrowingTree
    from maskwise.search.topdown import TopDown
    from maskwise.search.value_trees import AnyTree

    Floats = NDArray[np.float64]
    Ints = NDArray[np.int64]

EXACT_WORK = 2_000_000
"""Up to so many row visits for a step, every candidate is weighed anew; above, only those that look best."""
ROWS_FOR_THREADS = 50_000
"""From so many rows on, loops over them take longer than threads take to start."""


@dataclass(slots=True)
class _Weighed:
    """What a candidate was worth when it was weighed last."""

    gain: float
    """The information gained."""
    loss: float
    """The privacy lost."""
    border: int
    """Where an interval is split: the first code of its right part."""
    step: int
    """After how many steps it was weighed."""
    is_free: bool = True
    """Whether it takes no record away."""
    worst: Mapping[int, Floats] = field(default_factory=dict)
    """Of an interval: for each QID the worst figure by rule after that split."""


class ConditionalChooser:
    """Chooses refinements by conditional gain."""

    def __init__(
        self,
        state: TopDown,
        classes: ClassGroups,
        growing: Mapping[int, GrowingTree],
    ) -> None:
        """Weigh every candidate of the state that a search starts from.

        Args:
            state: The cut and its groups by QID.
            classes: The class by group over all masked attributes.
            growing: The interval trees, by attribute.
        """
        self.state, self.classes, self.growing = state, classes, growing
        self._step = 0
        self._weighed: dict[int, _Weighed] = {}
        self._open = {int(state.first[i]) for i, tree in growing.items() if tree.n_bins > 1}
        self._is_exact = classes.n_rows * len(state.trees) <= EXACT_WORK
        self._pays_threads = classes.n_rows >= ROWS_FOR_THREADS
        # Others count in buffers of their own while a candidate is weighed.
        is_plain = all(isinstance(groups, SplittingGroups) for groups in state.groups)
        self._only_reads = is_plain and state.suppressible is None
        self._is_lone = np.concatenate([_has_one_child(tree) for tree in state.trees])
        self._prices = None if state.suppressible is None else Prices(state, state.suppressible)
        for i, at in state.given:
            # What attackers know besides is not in the release, so it tells recipients nothing of the class.
            if i < classes.n_attributes:
                classes.refine(i, *self._class_parts(i, at))

    def _candidates(self) -> list[int]:
        state = self.state
        state.frontier = state.frontier[state.cut.alive[state.frontier]]
        return [*state.frontier.tolist(), *sorted(self._open)]

    def _worth(self, node: int, gain: float, loss: float) -> float:
        return float(self.state.weights[int(self.state.attribute[node])] * gain / (loss + 1.0))

    def _weigh(self, node: int) -> None:
        """Weigh one candidate anew, and with a hidden value all values hidden beside it."""
        state, i = self.state, int(self.state.attribute[node])
        tree, first = state.trees[i], int(state.first[i])
        if i in self.growing:
            self._weigh_splits(i, node)
        elif state.cut.hides[i]:
            gains = self.classes.gains_of_values(i, first, tree.n_codes)
            for other in state.frontier[state.attribute[state.frontier] == i].tolist():
                gain = float(gains[tree.codes[other - first, 0]])
                self._weighed[other] = self._if_paid(other, gain)
        else:
            n_children = int(tree.n_children[node - first])
            gain = self.classes.gain(i, node, state.cut.slot[i], n_children)
            self._weighed[node] = self._if_paid(node, gain)

    def _if_paid(self, node: int, gain: float) -> _Weighed:
        """What a candidate is worth that gains so much; nothing if it cannot be paid for now."""
        if self._prices is not None and gain > TOLERANCE and not self._prices.can_pay(node):
            gain = 0.0
        is_free = self._prices is None or bool(self._prices.is_free(np.array([node]))[0])
        return _Weighed(gain, self._loss(node), 0, self._step, is_free)

    def _loss(self, node: int) -> float:
        return float(self.state.losses(np.array([node]))[0])

    def _weigh_splits(self, i: int, node: int) -> None:
        """Find the best valid split of an interval; one that has none is closed for good."""
        state = self.state
        low, high = self.growing[i].bins_of(node - int(state.first[i]))
        if self._prices is not None:
            self._weigh_paid_splits(i, node, low, high)
            return
        losses, is_valid, worst = state.losses_of_splits(i, node, low, high)
        if not is_valid.any():
            self._open.discard(node)
            self._weighed.pop(node, None)
            return
        gains = self.classes.gains_of_splits(i, node, low, high)
        worth = np.where(is_valid, gains / (losses + 1.0), -np.inf)
        at = int(largest(worth)[0])
        reached = {t: by_split[:, at] for t, by_split in worst.items()}
        self._weighed[node] = _Weighed(float(gains[at]), float(losses[at]), low + at, self._step, worst=reached)

    def _weigh_paid_splits(self, i: int, node: int, low: int, high: int) -> None:
        """Find the best split of an interval that the budget can pay for."""
        assert self._prices is not None  # noqa: S101 - else nothing is paid for
        losses, n_lost = self._prices.losses_of_splits(i, node, low, high)
        is_valid = n_lost <= self._prices.groups.left
        is_valid[0] = False
        if not is_valid.any() and self._prices.groups.is_anti_monotone:
            self._open.discard(node)
        gains = self.classes.gains_of_splits(i, node, low, high)
        worth = np.where(is_valid & (gains > TOLERANCE), gains / (losses + 1.0), -np.inf)
        end = int(self.growing[i].codes[node - int(self.state.first[i]), 1])
        best = next(self._prices.affordable_splits(i, low, high, end, worth), None)
        at, gain = (0, 0.0) if best is None else (best, float(gains[best]))
        self._weighed[node] = _Weighed(gain, float(losses[at]), low + at, self._step, is_free=not n_lost[at])

    def choose(self) -> Choice | None:
        """Pick the valid refinement with the highest worth among those that gain information.

        A value whose records all fall under one child gives way to that child
        at once: no group changes, so it costs nothing, and what is below it
        comes within reach.

        On small tables every candidate is weighed anew at each step. On large
        ones, one that was weighed earlier is weighed again only when it looks
        best; gains seldom rise, so that is nearly always the same choice.
        """
        candidates = self._candidates()
        has_roots = self._prices is not None and self._prices.groups.shows_root
        lone = [] if has_roots else [node for node in self.state.frontier.tolist() if self._is_lone[node]]
        if lone:
            return Choice(min(lone, key=self._rank), 0.0, 0.0, 0.0)
        self._weigh_new(candidates)
        while True:
            alive = [node for node in candidates if node in self._weighed and self._is_alive(node)]
            best = self._best(alive)
            if best is None:
                stale = [node for node in alive if self._weighed[node].step < self._step]
                if not stale:
                    return None
                for node in stale:
                    # Values hidden side by side are weighed together.
                    if self._weighed[node].step < self._step:
                        self._weigh(node)
                continue
            weighed = self._weighed[best]
            if weighed.step == self._step:
                return Choice(best, weighed.gain, weighed.loss, self._worth(best, weighed.gain, weighed.loss))
            self._weigh(best)

    def _weigh_new(self, candidates: list[int]) -> None:
        """Weigh the candidates that never were, and on small tables all of them anew."""
        waiting: dict[int, int] = {}
        for node in candidates:
            weighed = self._weighed.get(node)
            if weighed is None or (self._is_exact and weighed.step < self._step):
                # Values hidden side by side are weighed together.
                i = int(self.state.attribute[node])
                waiting.setdefault(-1 - i if self.state.cut.hides[i] else node, node)
        for_each(self._weigh, list(waiting.values()), pays=self._pays_threads and self._only_reads)

    def _is_alive(self, node: int) -> bool:
        return (
            node in self._open if int(self.state.attribute[node]) in self.growing else bool(self.state.cut.alive[node])
        )

    def _best(self, alive: list[int]) -> int | None:
        """Of the candidates that gain information, the one that seems worth most; of equals the first in its tree."""
        gaining = [node for node in alive if self._weighed[node].gain > TOLERANCE]
        gaining = [node for node in gaining if self._weighed[node].is_free] or gaining
        if not gaining:
            return None
        worth = {}
        for node in gaining:
            weighed = self._weighed[node]
            is_fixed = int(self.state.attribute[node]) not in self.growing
            loss = self._loss(node) if is_fixed and weighed.step < self._step else weighed.loss
            worth[node] = self._worth(node, weighed.gain, loss)
        most = max(worth.values())
        return min((node for node in gaining if not is_less(worth[node], most)), key=self._rank)

    def _rank(self, node: int) -> tuple[int, int]:
        i = int(self.state.attribute[node])
        return i, int(self.state.trees[i].preorder[node - int(self.state.first[i])])

    def refine(self, node: int) -> tuple[str, str | None, tuple[str | None, ...]]:
        """Perform a refinement, and split the class groups with it."""
        state, i = self.state, int(self.state.attribute[node])
        first = int(state.first[i])
        if i in self.growing:
            self._grow(i, node, self._weighed[node].border)
        split_classes = partial(self.classes.refine, i, *self._class_parts(i, node - first))
        # The class is counted apart from the QIDs, so that both can be split at once.
        change, _ = both(partial(state.refine, node), split_classes, pays=self._pays_threads)
        self._weighed.pop(node, None)
        self._step += 1
        if self._prices is not None:
            self._prices.renew()
            if len(lost := self._prices.groups.last_lost):
                self.classes.take_away(lost)
        return change

    def _class_parts(self, i: int, at: int) -> tuple[int, Ints, Ints]:
        """The value that is refined, the part that each code goes to, and the value that each part shows."""
        state, tree, first = self.state, self.state.trees[i], int(self.state.first[i])
        branch = np.zeros(tree.n_codes, np.int64)
        if state.cut.hides[i]:
            branch[tree.codes[at, 0]] = 1
            return first, branch, np.array([first, first + at])
        children = np.arange(tree.first_child[at], tree.first_child[at] + tree.n_children[at])
        for b, child in enumerate(children.tolist()):
            branch[tree.codes[child, 0] : tree.codes[child, 1]] = b
        return first + at, branch, first + children

    def _grow(self, i: int, node: int, border: int) -> None:
        """Split an interval's node, set what that does to the groups of each QID, and open its parts."""
        state, tree, first = self.state, self.growing[i], int(self.state.first[i])
        for t, worst in self._weighed[node].worst.items():
            groups = state.groups[t]
            # Where persons have several rows, groups are counted anew after each refinement.
            if isinstance(groups, SplittingGroups | SubsetGroups):
                groups.set_worst(i, node, worst)
        self._open.discard(node)
        for child in tree.split(node - first, border):
            start, stop = tree.bins_of(child)
            if stop - start > 1 and tree.nodes[child].label is not None:
                self._open.add(first + child)


def _has_one_child(tree: AnyTree) -> NDArray[np.bool_]:
    """For each value of a taxonomy whether all its records fall under one child; of other trees none."""
    has_one = np.zeros(len(tree.nodes), np.bool_)
    if tree.kind is Kind.TAXONOMY:
        is_there = np.array([node.counts.sum() > 0 for node in tree.nodes])
        for at in np.flatnonzero(tree.n_children):
            first = int(tree.first_child[at])
            has_one[at] = is_there[first : first + int(tree.n_children[at])].sum() == 1
    return has_one
