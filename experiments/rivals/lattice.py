"""The search of full-domain generalization for the best combination of levels.

Levels are chosen attribute by attribute. Three facts prune the lattice:

- Finer groups are smaller, so if the attributes chosen so far leave too many
  records in small groups, no choice for the others and no finer choice helps.
- Finer groups have fewer records outside their largest class, so if that
  number alone exceeds the best penalty, nothing coarser is as good; and above
  a combination that suppresses nothing, nothing is better.
- An attribute that fails by itself on a level fails on it in every combination.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from experiments.rivals.coded_table import count_minorities

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    Ints = NDArray[np.int64]


_MAX_BINS = 1_000_000
"""With more possible groups sorting is cheaper than an array of counters."""


@dataclass(frozen=True, slots=True)
class LevelChoice:
    """A combination of levels, and what it costs."""

    penalty: int
    """The records outside the largest class of their group, and the suppressed ones."""
    steps: int
    """The sum of the levels; of equal penalties the smaller sum is better."""
    levels: tuple[int, ...]
    """The level of each attribute."""
    n_suppressed: int
    """The records in groups below k."""
    n_groups: int
    """The number of the other groups."""


class Lattice:
    """All combinations of levels on some records.

    Attributes:
        n_nodes: The number of combinations.
        n_open: The number of combinations without the levels that fail by themselves.
        n_checked: The number of combinations, complete or partial, whose groups were counted.
    """

    def __init__(
        self, codes_by_level: Sequence[Sequence[Ints]], classes: Ints, n_classes: int, k: int, max_suppressed: int
    ) -> None:
        """Leave out the levels that fail by themselves and compress the records to the finest levels left.

        Args:
            codes_by_level: For each attribute and level, finest first, the number of each record's label.
            classes: The class of each record.
            n_classes: The number of classes.
            k: The smallest group allowed.
            max_suppressed: How many records may be in smaller groups.
        """
        self._k, self._max_suppressed, self._n_classes = k, max_suppressed, n_classes
        self.n_nodes = math.prod(len(levels) for levels in codes_by_level)
        self.n_checked = 0
        self._finest = [
            next(i for i, codes in enumerate(levels) if self._n_small(np.bincount(codes)) <= max_suppressed)
            for levels in codes_by_level
        ]
        rows = np.asarray(classes, np.int64)
        for levels, finest in zip(codes_by_level, self._finest, strict=True):
            rows = np.unique(rows * (int(levels[finest].max()) + 1) + levels[finest], return_inverse=True)[1]
        _, first, n = np.unique(rows, return_index=True, return_counts=True)
        self._n = n.astype(np.float64)
        self._classes = classes[first]
        self._codes: list[list[Ints]] = []
        for levels, finest in zip(codes_by_level, self._finest, strict=True):
            self._codes.append([np.unique(codes[first], return_inverse=True)[1] for codes in levels[finest:]])
        # Attributes with many values first: what fails, fails early.
        n_values = [int(levels[0].max()) for levels in self._codes]
        self._order = sorted(range(len(codes_by_level)), key=lambda a: -n_values[a])
        self.n_open = math.prod(len(levels) for levels in self._codes)
        self._is_pruned = np.zeros(0, np.bool_)
        self._best: LevelChoice | None = None

    def search(self) -> LevelChoice:
        """Find the best combination; the coarsest one has a single group, so there always is one."""
        self._is_pruned = np.zeros([len(self._codes[a]) for a in self._order], np.bool_)
        self._choose_next((), np.zeros(len(self._n), np.int64))
        assert self._best is not None  # noqa: S101 - see above
        return self._best

    def _n_small(self, sizes: NDArray[Any]) -> int:
        return int(sizes[sizes < self._k].sum())

    def _choose_next(self, chosen: tuple[int, ...], groups: Ints) -> None:
        """Try every level of the next attribute, finest first, so that pruning reaches the coarser ones that follow."""
        attribute = self._order[len(chosen)]
        is_last = len(chosen) + 1 == len(self._order)
        rest = (0,) * (len(self._order) - len(chosen) - 1)
        for level, codes in enumerate(self._codes[attribute]):
            extended = (*chosen, level)
            if self._is_pruned[extended + rest]:
                break
            self.n_checked += 1
            finer = groups * (int(codes.max()) + 1) + codes
            if int(finer.max()) > _MAX_BINS:
                finer = np.unique(finer, return_inverse=True)[1]
            sizes = np.bincount(finer, self._n)
            n_small = self._n_small(sizes)
            if n_small > self._max_suppressed:
                continue
            numbers = np.cumsum(sizes > 0) - 1
            if is_last:
                self._compare(extended, numbers[finer], n_small)
            else:
                self._choose_next(extended, numbers[finer])

    def _compare(self, chosen: tuple[int, ...], groups: Ints, n_small: int) -> None:
        """Keep a complete combination if it is the best so far, and prune what it rules out."""
        size, minority = count_minorities(groups, self._classes, self._n_classes, self._n)
        is_large = size >= self._k
        if n_small == 0 or n_small >= self._k:
            levels = [0] * len(chosen)
            for attribute, level in zip(self._order, chosen, strict=True):
                levels[attribute] = level + self._finest[attribute]
            penalty = n_small + int(minority[is_large].sum())
            choice = LevelChoice(penalty, sum(levels), tuple(levels), n_small, int(is_large.sum()))
            if self._best is None or _rank(choice) < _rank(self._best):
                self._best = choice
        # Nothing above has a smaller sum: it is worse than the best, or at most equal to this one with more steps.
        if n_small == 0 or (self._best is not None and int(minority.sum()) > self._best.penalty):
            self._is_pruned[tuple(slice(level, None) for level in chosen)] = True


def _rank(choice: LevelChoice) -> tuple[int, int, tuple[int, ...]]:
    return choice.penalty, choice.steps, choice.levels
