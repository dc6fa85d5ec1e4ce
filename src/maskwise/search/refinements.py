"""What each shown value hides, and which refinement of it a search tries next; all from one-dimensional counts.

A search prunes refinements that can never be valid or tell nothing, so its
trees do not say what these would have shown. Here they are listed from the
profile and the cut alone. `explain` asks what they would do to the groups.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from maskwise.policy.attributes import Boundaries, Kind
from maskwise.search.grow_trees import children_of, hiding_root, missing_node, root_of
from maskwise.search.preferences import preferences_of
from maskwise.search.score import entropy
from maskwise.search.value_trees import ValueNode, is_beneficial
from maskwise.solution.cut import HIDDEN, MissingShown
from maskwise.solution.reasons import ReasonKind

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray

    from maskwise.compress.request import Coding
    from maskwise.profile.columns import Column
    from maskwise.search.interface import Problem
    from maskwise.solution.cut import Cut

    Ints = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Refinement:
    """One way to show more of a value."""

    parts: tuple[ValueNode, ...]
    """What would be shown instead, as far as records have it."""
    part_of_code: Ints | None  # (n_codes,)
    """For each code the part that it goes to, -1 if it stays as it is; None if codes do not tell parts apart."""
    gain: float
    """What it would tell: bits of the class over all records, or without a class how much narrower they are shown."""
    is_disclosure: bool = False
    """Whether one hidden value is disclosed, and the last part is what `*` goes on hiding."""

    @property
    def labels(self) -> tuple[str | None, ...]:
        """What would be shown instead; None is a missing cell."""
        return tuple(part.label for part in self.parts)

    @property
    def smallest(self) -> ValueNode:
        """The part with the fewest records."""
        return min(self.parts, key=lambda part: int(part.counts.sum()))


@dataclass(frozen=True, slots=True)
class HiddenValue:
    """A shown value that stands for several values of the table."""

    attribute: int
    """The attribute's number in the policy."""
    shown: str
    """The value that is shown."""
    counts: Ints  # (n_classes,)
    """The records behind it, by class."""
    refinements: tuple[Refinement, ...] = ()
    """What a search tries, the one that tells most first: one, or every split of an interval where it tries all."""
    has_other_splits: bool = False
    """Whether an interval has other splits that a search does not try, with enough records on both sides."""
    n_rare: int = 0
    """How many values it hides that have fewer records than a group needs; they stand together here."""
    why_whole: tuple[ReasonKind, str] | None = None
    """Why nothing inside it can be told apart, where that is so."""

    @property
    def n_records(self) -> int:
        """The records behind it."""
        return int(self.counts.sum())


def list_hidden_values(problem: Problem, codings: Sequence[Coding], cuts: Sequence[Cut]) -> list[HiddenValue]:
    """List what every shown value hides, in the order of the policy and the trees.

    Args:
        problem: What was solved.
        codings: How the columns were coded for the search.
        cuts: What was found.
    """
    weights, floors = preferences_of(problem.policy).weights, problem.policy.floors()
    found: list[HiddenValue] = []
    for i, (column, coding, cut) in enumerate(zip(problem.profile.columns, codings, cuts, strict=True)):
        lister = _Lister(problem, i, column, coding, cut, floors[column.name], float(weights[i]))
        found += lister.list()
    return found


@dataclass(frozen=True, slots=True)
class _Lister:
    """Lists the hidden values of one attribute."""

    problem: Problem
    attribute: int
    column: Column
    coding: Coding
    cut: Cut
    floor: int
    weight: float

    def list(self) -> Iterator[HiddenValue]:
        match self.cut.kind:
            case Kind.TAXONOMY:
                return self._of_taxonomy()
            case Kind.SUPPRESS:
                return self._of_suppress()
            case Kind.INTERVAL:
                return self._of_intervals()

    def _refinement(self, counts: Ints, spread: float, parts: Sequence[ValueNode]) -> Refinement:
        """Weigh a refinement, and find out whether codes tell its parts apart."""
        there = tuple(part for part in parts if part.counts.any())
        part_of_code = np.full(self.coding.n_codes, -1, np.int64)
        is_told = True
        for p, part in enumerate(there):
            codes = np.unique(self.coding.code_of_value[part.members])
            is_told = is_told and bool((part_of_code[codes] < 0).all())
            part_of_code[codes] = p
        gain = self._worth(counts, spread) - sum(self._worth(part.counts, part.spread) for part in there)
        return Refinement(there, part_of_code if is_told else None, self.weight * max(gain, 0.0))

    def _worth(self, counts: Ints, spread: float) -> float:
        """How much is not told of some records: the bits of their class, or how widely they are shown."""
        n = int(counts.sum())
        return n * float(entropy(counts[None, :])[0]) if self.problem.has_class else n * spread

    def _of_taxonomy(self) -> Iterator[HiddenValue]:
        below = children_of(self.column, has_class=self.problem.has_class)
        shown = set(self.cut.shown)
        waiting = [root_of(self.column)]
        while waiting:
            node = waiting.pop()
            children = below(node)
            if node.label not in shown:
                waiting += reversed(children)
            elif node.counts.any() and children:
                made = self._refinement(node.counts, node.spread, children)
                yield HiddenValue(self.attribute, str(node.label), node.counts, (made,))

    def _of_suppress(self) -> Iterator[HiddenValue]:
        column, cut = self.column, self.cut
        root = hiding_root(column)
        shown = set(cut.shown)
        hidden = [i for i, text in enumerate(column.texts) if text not in shown and text != HIDDEN]
        values = [ValueNode(column.texts[i], column.counts[i], 0.0, np.array([i])) for i in hidden]
        values += [missing_node(column)] if cut.missing is MissingShown.ROOT else []
        disclosed = [i for i, text in enumerate(column.texts) if text in shown]
        counts = root.counts - column.counts[disclosed].sum(axis=0)
        counts = counts - (column.missing if cut.missing is MissingShown.ITSELF else 0)
        if not values and not column.n_rest:
            return
        if not is_beneficial(counts, has_class=self.problem.has_class):
            yield HiddenValue(self.attribute, HIDDEN, counts)
            return
        stays = np.full(self.coding.n_codes, 1, np.int64)
        stays[self.coding.code_of_value[disclosed]] = -1
        if cut.missing is MissingShown.ITSELF:
            stays[self.coding.code_of_value[-1]] = -1
        rare = np.zeros_like(counts) if column.rest is None else column.rest.copy()
        n_rare = column.n_rest
        for value in values:
            if value.counts.sum() < self.floor:
                rare, n_rare = rare + value.counts, n_rare + 1
                continue
            part_of_code = stays.copy()
            part_of_code[self.coding.code_of_value[value.members]] = 0
            left = counts - value.counts
            parts = (value, ValueNode(HIDDEN, left, 1.0, value.members)) if left.any() else (value,)
            gain = float(value.counts.sum())
            if self.problem.has_class:
                gain = self._worth(counts, 1.0) - self._worth(value.counts, 0.0) - self._worth(left, 1.0)
            made = Refinement(parts, part_of_code, self.weight * max(gain, 0.0), is_disclosure=True)
            yield HiddenValue(self.attribute, HIDDEN, value.counts, (made,))
        if n_rare:
            yield HiddenValue(self.attribute, HIDDEN, rare, n_rare=n_rare)

    def _of_intervals(self) -> Iterator[HiddenValue]:
        column, cut = self.column, self.cut
        ends = list(cut.breaks)
        starts = [0, *(np.searchsorted(column.numbers, low).item() for low in ends[1:-1]), len(column.numbers)]
        for p, label in enumerate(cut.labels):
            start, stop = starts[p], starts[p + 1]
            has_missing = cut.missing is MissingShown.ROOT and bool(column.missing.any())
            counts = column.counts[start:stop].sum(axis=0) + (column.missing if has_missing else 0)
            members = slice(start, len(column.counts) + 1 if has_missing else stop)
            inside = (ends[p], ends[p + 1], p == len(ends) - 2)
            width = (float(column.range[1]) / 2 - float(column.range[0]) / 2) or 1.0
            spread = (float(inside[1]) / 2 - float(inside[0]) / 2) / width
            node = ValueNode(label, counts, spread, members, inside)
            if counts.any():
                yield from self._of_interval(node, start, stop, has_missing=has_missing)

    def _of_interval(self, node: ValueNode, start: int, stop: int, *, has_missing: bool) -> Iterator[HiddenValue]:
        if stop - start == 1 and not has_missing:
            why = self._why_whole(start)
            if why is not None:
                yield HiddenValue(self.attribute, str(node.label), node.counts, why_whole=why)
            return
        tried: list[Refinement] = []
        if self.problem.options.search.tries_every_split:
            if stop - start == 1:
                one = ReasonKind.NOT_CONSIDERED, "this criterion splits only between numbers, and there is one"
                yield HiddenValue(self.attribute, str(node.label), node.counts, why_whole=self._why_whole(start) or one)
                return
            borders = start + 1 + np.flatnonzero(np.diff(self.coding.code_of_value[start:stop]))
            tried = [self._split(node, start, int(at), stop, has_missing=has_missing) for at in borders]
            tried.sort(key=lambda one: -one.gain)
        if not tried:
            below = children_of(self.column, has_class=self.problem.has_class)(node)
            tried = [self._refinement(node.counts, node.spread, below)]
        n_missing = int(self.column.missing.sum()) if has_missing else self.floor
        upto = np.cumsum(self.column.counts[start:stop].sum(axis=1))
        is_wide = (upto[:-1] >= self.floor) & (upto[-1] - upto[:-1] >= self.floor) & (n_missing >= self.floor)
        yield HiddenValue(
            self.attribute,
            str(node.label),
            node.counts,
            tuple(tried),
            has_other_splits=int(is_wide.sum()) > len(tried) * (tried[0].part_of_code is not None),
        )

    def _split(self, node: ValueNode, start: int, at: int, stop: int, *, has_missing: bool) -> Refinement:
        """The refinement that splits an interval before one of its values."""
        low, high, closed = node.inside
        border = self.column.numbers[at]

        def piece(first: int, last: int, inside: tuple[Any, Any, bool]) -> ValueNode:
            width = float(inside[1]) / 2 - float(inside[0]) / 2
            whole = float(high) / 2 - float(low) / 2
            label = self.column.interval_label(inside[0], inside[1], closed=inside[2])
            counts = self.column.counts[first:last].sum(axis=0)
            return ValueNode(label, counts, node.spread * width / (whole or 1.0), slice(first, last), inside)

        parts = [piece(start, at, (low, border, False)), piece(at, stop, (border, high, closed))]
        return self._refinement(node.counts, node.spread, [*parts, *([missing_node(self.column)] * has_missing)])

    def _why_whole(self, value: int) -> tuple[ReasonKind, str] | None:
        """Why no boundary lies inside one value of an interval attribute; None if it is one number."""
        column = self.column
        if column.is_ranged:
            is_range = column.tops is None or column.tops[value] != column.numbers[value]
            why = "the column has too many different numbers to tell those inside it apart"
            return (ReasonKind.NOT_CONSIDERED, why) if is_range else None
        if column.value_of_number is None:
            return None
        inside = column.cell_numbers[column.value_of_number == value]
        if len(inside) < 2:  # noqa: PLR2004 - one number is shown as well as it can be
            return None
        low, high = column.clamp
        is_beyond = (low is not None and inside[-1] <= low) or (high is not None and inside[0] >= high)
        options, policy = self.problem.options, self.problem.policy
        if is_beyond or options.boundaries_for(policy.boundaries) is Boundaries.EXACT:
            return ReasonKind.ASKED, "the policy asks for top- or bottom-coding there"
        least = f"{max(self.floor, 2):,} {policy.unit.plural}"
        return ReasonKind.TOO_FEW, f"a boundary inside it would have fewer than {least} on one side"
