"""The search behind full-domain generalization: which combination of levels is best.

Levels are chosen attribute by attribute. Three facts cut the lattice down:

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

from maskwise.rivals.coded_table import minorities

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    Ints = NDArray[np.int64]


_MOST_BINS = 1_000_000
"""Above so many possible groups sorting is cheaper than an array of counters."""


@dataclass(frozen=True, slots=True)
class Found:
    """The best combination."""

    penalty: int
    """The records outside the largest class of their group, and the suppressed ones."""
    steps: int
    """The sum of the levels, which breaks ties."""
    levels: tuple[int, ...]
    """The level of each attribute."""
    n_suppressed: int
    """The records in groups below k."""
    n_groups: int
    """The other groups."""


class Lattice:
    """All combinations of levels on some records.

    Attributes:
        n_nodes: How many there are.
        n_open: How many are left without the levels that fail by themselves.
        n_checked: How many, whole or in part, were counted.
    """

    def __init__(
        self, shown: Sequence[Sequence[Ints]], classes: Ints, n_classes: int, k: int, most_suppressed: int
    ) -> None:
        """Leave out the levels that fail by themselves and compress the records to the finest that are left.

        Args:
            shown: For each attribute and level, finest first, what each record shows, as a number.
            classes: The class of each record.
            n_classes: How many there are.
            k: The smallest group allowed.
            most_suppressed: How many records may be in smaller ones.
        """
        self._k, self._most, self._n_classes = k, most_suppressed, n_classes
        self.n_nodes = math.prod(len(levels) for levels in shown)
        self.n_checked = 0
        self._finest = [
            next(i for i, codes in enumerate(levels) if self._n_small(np.bincount(codes)) <= most_suppressed)
            for levels in shown
        ]
        rows = np.asarray(classes, np.int64)
        for levels, finest in zip(shown, self._finest, strict=True):
            rows = np.unique(rows * (int(levels[finest].max()) + 1) + levels[finest], return_inverse=True)[1]
        _, first, n = np.unique(rows, return_index=True, return_counts=True)
        self._n = n.astype(np.float64)
        self._classes = classes[first]
        self._codes: list[list[Ints]] = []
        for levels, finest in zip(shown, self._finest, strict=True):
            self._codes.append([np.unique(codes[first], return_inverse=True)[1] for codes in levels[finest:]])
        # Attributes with many values first: what fails, fails early.
        cards = [int(levels[0].max()) for levels in self._codes]
        self._order = sorted(range(len(shown)), key=lambda a: -cards[a])
        self.n_open = math.prod(len(levels) for levels in self._codes)
        self._hopeless = np.zeros(0, np.bool_)
        self._best: Found | None = None

    def search(self) -> Found:
        """Find the best combination; the coarsest one has a single group, so there always is one."""
        self._hopeless = np.zeros([len(self._codes[a]) for a in self._order], np.bool_)
        self._descend((), np.zeros(len(self._n), np.int64))
        assert self._best is not None  # noqa: S101 - see above
        return self._best

    def _n_small(self, sizes: NDArray[Any]) -> int:
        return int(sizes[sizes < self._k].sum())

    def _descend(self, chosen: tuple[int, ...], groups: Ints) -> None:
        """Try every level of the next attribute, finest first, so that what is found lies below what follows."""
        attribute = self._order[len(chosen)]
        is_last = len(chosen) + 1 == len(self._order)
        rest = (0,) * (len(self._order) - len(chosen) - 1)
        for level, codes in enumerate(self._codes[attribute]):
            here = (*chosen, level)
            if self._hopeless[here + rest]:
                break
            self.n_checked += 1
            finer = groups * (int(codes.max()) + 1) + codes
            if int(finer.max()) > _MOST_BINS:
                finer = np.unique(finer, return_inverse=True)[1]
            sizes = np.bincount(finer, self._n)
            n_small = self._n_small(sizes)
            if n_small > self._most:
                continue
            numbers = np.cumsum(sizes > 0) - 1
            if is_last:
                self._judge(here, numbers[finer], n_small)
            else:
                self._descend(here, numbers[finer])

    def _judge(self, here: tuple[int, ...], groups: Ints, n_small: int) -> None:
        size, minority = minorities(groups, self._classes, self._n_classes, self._n)
        is_large = size >= self._k
        if n_small == 0 or n_small >= self._k:
            levels = [0] * len(here)
            for attribute, level in zip(self._order, here, strict=True):
                levels[attribute] = level + self._finest[attribute]
            penalty = n_small + int(minority[is_large].sum())
            found = Found(penalty, sum(levels), tuple(levels), n_small, int(is_large.sum()))
            if self._best is None or _rank(found) < _rank(self._best):
                self._best = found
        # Nothing above has a smaller sum: it is worse than the best, or at most equal to this one with more steps.
        if n_small == 0 or (self._best is not None and int(minority.sum()) > self._best.penalty):
            self._hopeless[tuple(slice(level, None) for level in here)] = True


def _rank(found: Found) -> tuple[int, int, tuple[int, ...]]:
    return found.penalty, found.steps, found.levels
