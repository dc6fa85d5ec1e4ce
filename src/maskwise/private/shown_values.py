"""What one attribute shows while a cut grows: its values, and how each could be refined.

A value is known by a number that is never used again. What may be chosen, and
its order, follows from the domain and the choices so far, never from records.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Protocol

import numpy as np

from maskwise.policy.attributes import Kind
from maskwise.private.domain import DeclaredDomain, spread
from maskwise.private.gain_kernels import boundary_gains, disclosure_gains, split_gains
from maskwise.solution.cut import HIDDEN, Cut, MissingShown, in_tree_order

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from maskwise.private.cells import SortedRows

    Ints = NDArray[np.int64]

MOST_BOUNDARIES = 31
"""Among so many boundaries of an interval one is chosen at a time."""


class ShownAttribute(Protocol):
    """What one attribute shows."""

    domain: DeclaredDomain
    """What it may show."""
    value_of_leaf: Ints  # (n_codes,)
    """Which value shows each leaf."""

    @property
    def labels(self) -> dict[int, str]:
        """The text of each value that is shown."""

    def options(self) -> dict[int, Sequence[int]]:
        """For each value that can be refined, the ways to do it."""

    def parts(self, value: int, option: int) -> list[Ints]:
        """The leaves of each value that would be shown instead."""

    def gains(self, rows: SortedRows, attribute: int, prior: Ints) -> dict[int, list[int]]:
        """For each value that can be refined, what each way to do it gains in all cells."""

    def refine(self, value: int, option: int) -> tuple[str, tuple[str, ...]]:
        """Refine a value in one way; return what was shown, and what is shown instead."""

    def cut(self) -> Cut:
        """The cut that masks later rows in the same way."""


def shown_at_first(domain: DeclaredDomain) -> ShownAttribute:
    """The most masked state of an attribute: it shows its root."""
    kinds: dict[Kind, type[ShownTaxonomy | ShownIntervals | ShownList]] = {
        Kind.TAXONOMY: ShownTaxonomy,
        Kind.INTERVAL: ShownIntervals,
        Kind.SUPPRESS: ShownList,
    }
    return kinds[domain.kind](domain)


class ShownTaxonomy:
    """The values of a taxonomy attribute."""

    def __init__(self, domain: DeclaredDomain) -> None:
        self.domain = domain
        self.value_of_leaf = np.zeros(domain.n_codes, np.int64)
        self._label = {0: domain.root}
        self._below = domain.leaves_below()
        self._children_of = _children(domain)
        self._next = 1

    @property
    def labels(self) -> dict[int, str]:
        """The text of each value; cells outside the domain are shown as the root."""
        return dict(self._label)

    def _children(self, value: int) -> tuple[str, ...]:
        is_outside = value != 0 and self._label[value] == self.domain.root
        return () if is_outside else self._children_of[self._label[value]]

    def options(self) -> dict[int, Sequence[int]]:
        """Each value with children can be replaced by them, in one way."""
        return {value: (0,) for value in self._label if self._children(value)}

    def parts(self, value: int, option: int) -> list[Ints]:
        """The leaves of each child, and what is outside where the root is refined."""
        del option
        found = [np.array(self._below[child], np.int64) for child in self._children(value)]
        if self.domain.has_outside and self.value_of_leaf[-1] == value:
            found.append(np.array([self.domain.n_leaves], np.int64))
        return found

    def gains(self, rows: SortedRows, attribute: int, prior: Ints) -> dict[int, list[int]]:
        """What replacing each value by its children gains."""
        options = self.options()
        child_of_leaf = np.full(self.domain.n_codes, -1, np.int64)
        n_parts = 1
        for value in options:
            parts = self.parts(value, 0)
            n_parts = max(n_parts, len(parts))
            for number, leaves in enumerate(parts):
                child_of_leaf[leaves] = number
        found = split_gains(
            rows.starts,
            rows.leaves[attribute],
            rows.classes,
            rows.counts,
            self.value_of_leaf,
            child_of_leaf,
            (self._next, n_parts),
            prior,
        )
        return {value: [int(found[value])] for value in options}

    def refine(self, value: int, option: int) -> tuple[str, tuple[str, ...]]:
        """Replace a value by its children."""
        parts, children = self.parts(value, option), self._children(value)
        before = self._label.pop(value)
        for leaves, label in zip(parts, (*children, self.domain.root), strict=False):
            self._label[self._next] = label
            self.value_of_leaf[leaves] = self._next
            self._next += 1
        return before, children

    def cut(self) -> Cut:
        """The labels that are shown, in the order of the tree."""
        tree = self.domain.taxonomy
        assert tree is not None  # noqa: S101 - a taxonomy attribute
        labels = set(self._label.values()) - ({self.domain.root} if len(self._label) > 1 else set())
        return Cut(
            self.domain.name,
            Kind.TAXONOMY,
            self.domain.root,
            _missing(self.domain),
            taxonomy=tree if self.domain.rule is None else tree.down_to(labels),
            rule=self.domain.rule,
            shown=in_tree_order(labels, tree),
        )


class ShownIntervals:
    """The intervals of an interval attribute."""

    def __init__(self, domain: DeclaredDomain) -> None:
        self.domain = domain
        self.value_of_leaf = np.zeros(domain.n_codes, np.int64)
        self._range = {0: (0, domain.n_leaves)}
        self._outside = 0
        self._next = 1

    @property
    def labels(self) -> dict[int, str]:
        """The text of each interval; cells that are no number are shown as the whole range."""
        cut = self.cut()
        ordered = sorted(self._range, key=lambda value: self._range[value])
        found = dict(zip(ordered, cut.labels, strict=True))
        if self.domain.has_outside and self._outside:
            found[self._outside] = self.domain.root
        return found

    def options(self) -> dict[int, Sequence[int]]:
        """Each interval can be split at some points of the grid."""
        ways = {value: spread(*ends, MOST_BOUNDARIES) for value, ends in self._range.items()}
        return {value: boundaries for value, boundaries in ways.items() if len(boundaries)}

    def parts(self, value: int, option: int) -> list[Ints]:
        """The parts on each side, and what is outside where the whole range is split."""
        first, last = self._range[value]
        found = [np.arange(first, option), np.arange(option, last)]
        if self.domain.has_outside and self.value_of_leaf[-1] == value:
            found.append(np.array([self.domain.n_leaves], np.int64))
        return found

    def gains(self, rows: SortedRows, attribute: int, prior: Ints) -> dict[int, list[int]]:
        """What splitting at each boundary gains; while nothing is split, what is outside counts as the largest."""
        found = boundary_gains(
            rows.starts,
            rows.leaves[attribute],
            rows.classes,
            rows.counts,
            self.domain.n_codes,
            prior,
        )
        return {value: [int(found[at]) for at in boundaries] for value, boundaries in self.options().items()}

    def refine(self, value: int, option: int) -> tuple[str, tuple[str, ...]]:
        """Split an interval."""
        before, parts = self.labels[value], self.parts(value, option)
        first, last = self._range.pop(value)
        made = (self._next, self._next + 1)
        self._range |= {made[0]: (first, option), made[1]: (option, last)}
        if len(parts) > len(made):
            self._outside = self._next + 2
        for number, leaves in enumerate(parts):
            self.value_of_leaf[leaves] = self._next + number
        self._next += len(parts)
        labels = self.labels
        return before, tuple(labels[one] for one in made)

    def cut(self) -> Cut:
        """The breaks; the lowest and the highest interval also hold what lies beyond the range."""
        grid = self.domain.grid
        assert grid is not None  # noqa: S101 - an interval attribute
        lows = sorted(first for first, _ in self._range.values())
        return Cut(
            self.domain.name,
            Kind.INTERVAL,
            self.domain.root,
            _missing(self.domain),
            scale=grid.scale,
            breaks=(*(grid.starts[low] for low in lows), grid.high),
            coded=(True, True),
            clips=True,
        )


class ShownList:
    """The values of a suppress attribute: shown, or hidden together."""

    def __init__(self, domain: DeclaredDomain) -> None:
        self.domain = domain
        self.value_of_leaf = np.zeros(domain.n_codes, np.int64)
        self._shown: dict[int, int] = {}

    @property
    def labels(self) -> dict[int, str]:
        """Each disclosed value, and `*` while it stands for something."""
        shown = {value: self.domain.leaves[leaf] for value, leaf in self._shown.items()}
        hides = len(self._shown) < self.domain.n_codes
        return {**({0: HIDDEN} if hides else {}), **shown}

    def options(self) -> dict[int, Sequence[int]]:
        """Each hidden value can be disclosed, while something else is left to hide."""
        hidden = [int(leaf) for leaf in np.flatnonzero(self.value_of_leaf[: self.domain.n_leaves] == 0)]
        n_hidden = len(hidden) + self.domain.has_outside
        return {0: hidden} if hidden and n_hidden > 1 else {}

    def parts(self, value: int, option: int) -> list[Ints]:
        """The disclosed value, and the others that stay hidden."""
        others = np.flatnonzero(self.value_of_leaf == value)
        return [np.array([option]), others[others != option]]

    def gains(self, rows: SortedRows, attribute: int, prior: Ints) -> dict[int, list[int]]:
        """What disclosing each hidden value gains."""
        found = disclosure_gains(
            rows.starts,
            rows.leaves[attribute],
            rows.classes,
            rows.counts,
            self.value_of_leaf == 0,
            prior,
        )
        return {value: [int(found[leaf]) for leaf in leaves] for value, leaves in self.options().items()}

    def refine(self, value: int, option: int) -> tuple[str, tuple[str, ...]]:
        """Disclose a value."""
        del value
        made = len(self._shown) + 1
        self._shown[made] = option
        self.value_of_leaf[option] = made
        return HIDDEN, (self.domain.leaves[option], HIDDEN)

    def cut(self) -> Cut:
        """The disclosed values and the hidden ones."""
        shown = set(self._shown.values())
        leaves = self.domain.leaves
        cut = Cut(self.domain.name, Kind.SUPPRESS, HIDDEN, _missing(self.domain))
        return replace(
            cut,
            shown=tuple(leaf for i, leaf in enumerate(leaves) if i in shown),
            hidden=tuple(leaf for i, leaf in enumerate(leaves) if i not in shown),
        )


def _children(domain: DeclaredDomain) -> dict[str, tuple[str, ...]]:
    """For each label of a taxonomy those right below it; asking the tree for each would take its size every time."""
    tree = domain.taxonomy
    assert tree is not None  # noqa: S101 - a taxonomy attribute
    found: dict[str, list[str]] = {label: [] for label in tree.labels}
    for label, above in zip(tree.labels, tree.parents, strict=True):
        if above >= 0:
            found[tree.labels[above]].append(label)
    return {label: tuple(below) for label, below in found.items()}


def _missing(domain: DeclaredDomain) -> MissingShown:
    return MissingShown.ROOT if domain.has_outside else MissingShown.UNSEEN
