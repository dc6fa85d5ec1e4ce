"""The groups of all QIDs while a search may suppress records.

A state of the search is the cut and the rows that are taken away: those in a
group that broke a requirement, in any QID, and again those in groups that
thereby broke one. What is left satisfies every requirement.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import Enum
from typing import TYPE_CHECKING

import numpy as np

from maskwise.errors import InputError
from maskwise.search import rule_kernels
from maskwise.search.bounds import as_rules
from maskwise.search.suppression import candidate_kernels, settle_kernels
from maskwise.search.suppression.requests import refuse_order_of_values
from maskwise.values.row_numbers import number_rows

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from maskwise.compress.compressed_table import Compact
    from maskwise.search.bounds import Bound
    from maskwise.search.groups.split_kernels import SplitCut

    Bools = NDArray[np.bool_]
    Floats = NDArray[np.float64]
    Ints = NDArray[np.int64]


class Affordable(Enum):
    """Whether a refinement can be paid for."""

    YES = "yes"
    NO = "no"
    """It takes too many records away, or what is left would not be valid."""
    POINTLESS = "pointless"
    """Of those whom it would tell apart it takes away all but one part."""


@dataclass(slots=True)
class QidFigures:
    """How the groups of one QID stand, and how they would stand, in the place of the groups themselves.

    They are split by `SuppressibleGroups`, all QIDs together.
    """

    attributes: tuple[int, ...]
    """The attributes by their number in the policy."""
    now: Floats  # (n_rules,)
    """How bad the worst released group is by each rule."""
    worst: Floats = field(default_factory=lambda: np.zeros((0, 0)))  # (n_rules, n_nodes)
    """The same after refining a candidate."""

    @property
    def is_anti_monotone(self) -> bool:
        """Candidates that could not be paid for are looked at again after each step, so none is given up too early."""
        return True

    def refine(self, *_: object) -> None:
        """Leave it to `SuppressibleGroups`."""


@dataclass(frozen=True, slots=True)
class SuppressedRows:
    """What is taken away, by the values that rows would show."""

    n_counted: int
    """How many records, or persons."""
    nodes: tuple[Ints, ...]  # (n_combinations, n_attributes) each
    """For each QID the distinct values of the rows that were taken away because of a group in it."""
    released: tuple[frozenset[int], ...]
    """For each attribute of the rows the values that rows show which are left."""


class SuppressibleGroups:
    """The groups of all QIDs, split as the search refines, and the rows that are taken away.

    Claim: after any sequence of refinements every group that is left meets
    every rule, and so do the suppressed records where they are shown as roots,
    unless `is_over`. No more than the budget is taken away.
    """

    def __init__(
        self,
        table: Compact,
        shown: Sequence[Ints],
        roots: Sequence[int],
        qids: Sequence[tuple[int, ...]],
        bounds: Sequence[Bound],
        most: int,
        *,
        shows_root: bool,
    ) -> None:
        """Start at a cut: of a search that goes down, with one group that shows the root of every attribute.

        Args:
            table: The rows of all attributes together.
            shown: For each attribute of the policy the value that each of its codes is shown as.
            roots: For each attribute of the policy its root.
            qids: The attributes of each QID, by their number in the policy.
            bounds: The rules of all requirements, on the counters of that table.
            most: How many records, or persons, may be suppressed.
            shows_root: Whether suppressed records are shown as roots.
        """
        refuse_persons_with_several_rows(table)
        self.attributes = table.attributes
        self.most = most
        self.is_over = False
        self._suppressed: SuppressedRows | None = None
        self.last_lost: Ints = np.zeros((0, len(table.attributes)), np.int64)
        self._place = {a: p for p, a in enumerate(table.attributes)}
        n_qids = len(qids)
        of_qid = [[bound for bound in bounds if bound.table == q] for q in range(n_qids)]
        self.first_rule = np.cumsum([0, *map(len, of_qid)])
        rules = as_rules([bound for own in of_qid for bound in own], table.whole())
        refuse_order_of_values(bounds, shows_root=shows_root)
        is_distance = np.isin(rules.kind, [rule_kernels.EQUAL, rule_kernels.ORDERED]) & rules.is_enforced
        self._checks = settle_kernels.Checks(
            rules, self.first_rule, shows_root, bool(is_distance.any()) and not shows_root
        )
        self.is_anti_monotone = bool((rules.kind == rule_kernels.K)[rules.is_enforced].all()) and not shows_root
        self._node = np.zeros((len(table.attributes), max(map(len, shown))), np.int64)
        for p, a in enumerate(table.attributes):
            self._node[p, : len(shown[a])] = shown[a]
        self.figures = [QidFigures(tuple(qid), np.zeros(len(own))) for qid, own in zip(qids, of_qid, strict=True)]
        places = [[self._place[a] for a in qid] for qid in qids]
        self._groups = _start(table, self._node, [int(roots[a]) for a in table.attributes], places)
        self._settle()

    def _settle(self) -> None:
        """Take away the rows of broken groups, and make that final."""
        n_lost = settle_kernels.settle(self._groups, self._checks, self.left)
        self.is_over = self.is_over or n_lost == settle_kernels.OVER
        self.last_lost = self._groups.codes[self._groups.lost[: self._groups.tally[2]]].astype(np.int64)
        settle_kernels.keep(self._groups)
        worst = np.empty(len(self._checks.rules.kind))
        settle_kernels.worst_groups(self._groups, self._checks, worst)
        for q, figures in enumerate(self.figures):
            figures.now = worst[self.first_rule[q] : self.first_rule[q + 1]].copy()

    @property
    def n_lost(self) -> int:
        """How many records, or persons, are taken away."""
        return int(self._groups.taken[0])

    @property
    def left(self) -> int:
        """How many more may be."""
        return self.most - self.n_lost

    @property
    def shows_root(self) -> bool:
        """Whether suppressed records are shown as roots, so that they form a group."""
        return self._checks.shows_root

    def look_at_candidates(self, cut: SplitCut) -> Ints:
        """Find what each candidate would create; return the records in broken groups, of the QID that has most.

        A candidate that no row shows which is left has -1.

        Args:
            cut: The trees, and where the cut runs, with attributes numbered over the whole policy.
        """
        own, node = list(self.attributes), self._node
        widths = [int(cut.n_children[node[p]].max()) + 1 for p in range(len(own))]
        base = np.cumsum([0, *widths])
        values = candidate_kernels.ShownValues(
            node, cut.slot[own], base, cut.hides[own], cut.first_child, cut.n_children, cut.alive
        )
        n_nodes, n_counts = len(cut.first_child), self._groups.counts.shape[1]
        worst = np.empty((len(self._checks.rules.kind), n_nodes))
        direct = np.empty((len(self.figures), n_nodes), np.int64)
        hist = np.zeros((int(base[-1]), n_counts), np.int64)
        candidate_kernels.count_candidates(self._groups, values, self._checks, hist, worst, direct)
        for q, figures in enumerate(self.figures):
            figures.worst = worst[self.first_rule[q] : self.first_rule[q + 1]]
        most: Ints = np.where((direct > 0).any(axis=0) | np.isfinite(worst).any(axis=0), direct.max(axis=0), -1)
        return most

    def look_at_splits(self, attribute: int, node: int, low: int, high: int) -> tuple[Ints, Floats]:
        """For each split of an interval the records in broken groups, of the QID that has most, and the worst others.

        Args:
            attribute: The attribute's number in the policy.
            node: The interval.
            low: Its first code.
            high: One past its last.

        Returns:
            One for each code that the right part may begin with; and by each rule of each QID in turn.
        """
        a = self._place[attribute]
        worst = np.empty((len(self._checks.rules.kind), high - low))
        direct = np.empty((len(self.figures), high - low), np.int64)
        candidate_kernels.count_splits(self._groups, self._node[a], self._checks, a, node, low, high, worst, direct)
        most: Ints = direct.max(axis=0)
        return most, worst

    def try_refinement(self, attribute: int, low: int, high: int, branch: Ints, least: int = 2) -> Affordable:
        """Whether the budget allows a refinement, what is left would be valid, and it tells something of them.

        Args:
            attribute: The attribute's number in the policy.
            low: The first code of the rows that change.
            high: One past the last.
            branch: For each code of the attribute the part that it goes to.
            least: In how many parts there have to be records that are left, where some are lost.
        """
        a = self._place[attribute]
        settle_kernels.split(self._groups, a, low, high, branch)
        n_lost = settle_kernels.settle(self._groups, self._checks, self.left)
        is_empty = n_lost > 0 and settle_kernels.count_parts(self._groups, a, low, high, branch) < least
        settle_kernels.undo(self._groups, self._checks, a, low, high)
        if n_lost == settle_kernels.OVER:
            return Affordable.NO
        return Affordable.POINTLESS if is_empty else Affordable.YES

    def refine(self, attribute: int, low: int, high: int, branch: Ints, branch_node: Ints) -> None:
        """Perform a refinement, and take away what it costs.

        Args:
            attribute: As in `try_refinement`.
            low: As in `try_refinement`.
            high: As in `try_refinement`.
            branch: As in `try_refinement`.
            branch_node: The value that each part shows.
        """
        self._node[self._place[attribute], low:high] = branch_node[branch[low:high]]
        settle_kernels.split(self._groups, self._place[attribute], low, high, branch)
        self._settle()

    def suppressed(self) -> SuppressedRows:
        """What is taken away; also after the memory of the groups was freed."""
        if self._suppressed is None:
            groups, node = self._groups, self._node
            is_left = groups.taken_in == 0
            found = []
            for q, figures in enumerate(self.figures):
                codes = groups.codes[groups.because[q]]
                places = [self._place[a] for a in figures.attributes]
                found.append(np.unique(np.stack([node[p, codes[:, p]] for p in places], axis=1), axis=0))
            released = [frozenset(node[p, np.unique(groups.codes[is_left, p])].tolist()) for p in range(len(node))]
            return SuppressedRows(self.n_lost, tuple(found), tuple(released))
        return self._suppressed


def refuse_persons_with_several_rows(table: Compact) -> None:
    """Refuse a table in which a person has several rows: some of them may be suppressed, and others not."""
    if table.persons is not None:
        raise InputError(
            "Some persons have records with different values on the quasi-identifiers, so a part of a person's records "
            "could be suppressed and counted with the rest. `suppress` does not go with that yet: delete it."
        )


def _start(table: Compact, node: Ints, roots: Sequence[int], qids: Sequence[Sequence[int]]) -> settle_kernels.RowGroups:
    """The groups of each QID at a cut, all of them still to be looked at.

    Args:
        table: The rows of all attributes together.
        node: (n_attributes, n_codes) the value that each code is shown as.
        roots: The root of each attribute.
        qids: The attributes of each QID, by their place in the table.
    """
    n_qids, (n_rows, n_attributes), n_counts = len(qids), table.codes.shape, table.counts.shape[1]
    zeros, n_codes = table.workspace.zeros, node.shape[1]
    most = 2 * n_rows + 1
    groups = settle_kernels.RowGroups(
        codes=table.codes,
        counts=table.counts,
        by_code=zeros((n_attributes, n_rows), np.int32),
        code_start=np.zeros((n_attributes, n_codes + 1), np.int64),
        member=np.zeros((n_qids, n_attributes), np.bool_),
        taken_in=zeros(n_rows, np.int32),
        because=zeros((n_qids, n_rows), np.bool_),
        group=zeros((n_qids, n_rows), np.int32),
        order=zeros((n_qids, n_rows), np.int32),
        start=zeros((n_qids, most), np.int32),
        size=zeros((n_qids, most), np.int32),
        total=zeros((n_qids, most, n_counts), np.int64),
        origin=zeros((n_qids, most), np.int32),
        first_part=table.workspace.full((n_qids, most), -1, np.int32),
        next_part=table.workspace.full((n_qids, most), -1, np.int32),
        branch=zeros((n_qids, most), np.int32),
        n_groups=np.ones(n_qids, np.int64),
        n_parts=np.zeros(n_qids, np.int64),
        root=np.full(n_qids, -1, np.int64),
        stamp=zeros((n_qids, most), np.int32),
        touched=zeros((2, n_qids * most), np.int32),
        waiting=zeros((2, n_qids * most), np.int32),
        lost=zeros(n_rows, np.int32),
        tally=np.zeros(4, np.int64),
        taken=np.zeros(n_counts, np.int64),
        buffer=zeros(n_rows, np.int32),
    )
    for a in range(n_attributes):
        groups.by_code[a] = np.argsort(table.codes[:, a], kind="stable")
        groups.code_start[a, 1:] = np.cumsum(np.bincount(table.codes[:, a], minlength=n_codes))
    for q, qid in enumerate(qids):
        groups.member[q, list(qid)] = True
        shown = [node[a, table.codes[:, a]] for a in qid]
        of_row = number_rows(shown, n_rows)
        n_groups = int(of_row.max()) + 1 if n_rows else 1
        groups.group[q] = of_row
        groups.order[q] = np.argsort(of_row, kind="stable")
        groups.size[q, :n_groups] = np.bincount(of_row, minlength=n_groups)
        groups.start[q, 1:n_groups] = np.cumsum(groups.size[q, : n_groups - 1])
        for c in range(n_counts):
            groups.total[q, :n_groups, c] = np.bincount(of_row, table.counts[:, c], n_groups)
        groups.origin[q, :n_groups] = np.arange(n_groups)
        groups.n_groups[q] = n_groups
        is_root = np.all([values == roots[a] for a, values in zip(qid, shown, strict=True)], axis=0)
        groups.root[q] = of_row[np.argmax(is_root)] if is_root.any() else -1
        for g in range(n_groups):
            settle_kernels.touch(groups, q, g, 1)
    return groups
