"""Why regions are not split any further: for each attribute, what would happen to the largest regions.

Counted anew from the splits and the compressed rows, whichever way the search
went. A region and an attribute have one reason: of all splits there, the one that
is safe, or the one that misses what is asked by least. `explain` is for one cut.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from maskwise.errors import plural
from maskwise.policy.attributes import Kind
from maskwise.policy.requirements.qid import called_briefly
from maskwise.search import rule_kernels
from maskwise.search.bounds import as_rules, list_union
from maskwise.search.region_pieces import Piece, list_splits, number_rows
from maskwise.solution.reasons import MISSING, Break, Coarser, Reason, ReasonKind, Reasons
from maskwise.solution.region_codes import Codes
from maskwise.solution.region_rows import find_regions
from maskwise.solution.solution import Ending

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from maskwise.compress.compressed_table import CompressedTables
    from maskwise.compress.request import CountRequest
    from maskwise.search.bounds import Bound
    from maskwise.search.interface import Problem
    from maskwise.solution.solution import Solution

    Ints = NDArray[np.int64]
    Key = tuple["_Held", ...]
    """What a region holds of each attribute."""

N_REGIONS = 10
"""So many regions of each attribute have a reason: those with most records."""


def explain_regions(problem: Problem, request: CountRequest, counts: CompressedTables, solution: Solution) -> Reasons:
    """Say for each attribute why its largest regions were not split by it.

    Args:
        problem: What was solved.
        request: What was counted for the search.
        counts: The answer to it.
        solution: What was found.

    Claim: a reason names a requirement only if every split of the region by the attribute, into the pieces that the
    search tries, breaks some requirement.
    """
    return _RegionExplanation(problem, request, counts, solution).reasons()


class _Held(NamedTuple):
    """The values that a region can stand for on one attribute."""

    shown: str | None
    """What it shows; None is the missing value."""
    told: frozenset[str | None] = frozenset()
    """What was told out of it."""
    is_part: bool = True
    """Whether it was split from another region by the attribute: a value may be called like the root."""


class _RegionExplanation:
    """The regions, their groups, and what is asked of them."""

    def __init__(self, problem: Problem, request: CountRequest, counts: CompressedTables, solution: Solution) -> None:
        assert solution.regions is not None  # noqa: S101 - asked only of such solutions
        self.problem, self.request, self.solution = problem, request, solution
        (compact,) = counts.tables
        n_cuts = problem.policy.n_cuts
        self.codes, self.counts = compact.codes[:, :n_cuts].astype(np.int64), compact.counts
        self.persons = compact.persons
        columns = problem.profile.columns[:n_cuts]
        numbered = [Codes.of(cut) for cut in solution.cuts]
        rows = number_rows(columns, request.codings[:n_cuts], numbered, self.codes)
        self.of_row = find_regions(solution.regions, numbered, rows)
        self.n_regions = solution.regions.n_regions
        self.region_counts = np.zeros((self.n_regions, self.counts.shape[1]), np.int64)
        np.add.at(self.region_counts, self.of_row, self.counts)
        self.keys = _keys(solution)
        _, self.qids, self.bounds = list_union(problem.profile, problem.policy)
        whole = compact.whole()
        self.parts = [part for requirement in problem.policy.requirements for part in requirement.parts]
        self.of_table: list[list[int]] = [[] for _ in self.qids]
        for b, bound in enumerate(self.bounds):
            self.of_table[bound.table].append(b)
        self.rules = [as_rules([self.bounds[b] for b in own], whole) for own in self.of_table]
        self.every_rule = as_rules(self.bounds, whole)
        self.groups: list[dict[Key, Ints]] = []
        for qid in self.qids if self.adds_up else ():
            groups: dict[Key, Ints] = {}
            for region in range(self.n_regions):
                key = self._on(qid.attributes, self.keys[region])
                groups[key] = groups.get(key, 0) + self.region_counts[region]
            self.groups.append(groups)

    @property
    def adds_up(self) -> bool:
        """Whether pieces of regions can be weighed by adding up rows: not with known labels, or persons in several."""
        return self.persons is None and not self.problem.policy.known

    def _count(self, regions: Sequence[int]) -> int:
        """The records of some regions, or their persons, each once."""
        if self.persons is None:
            return int(self.region_counts[regions, 0].sum())
        return len(np.unique(self.persons[np.isin(self.of_row, regions)]))

    def reasons(self) -> Reasons:
        """The reasons of all attributes."""
        found: list[Reason] = []
        coarser = []
        by_size = sorted(range(self.n_regions), key=lambda region: (-int(self.region_counts[region, 0]), region))
        there = [region for region in by_size if self.region_counts[region, 0]]
        for a, cut in enumerate(self.solution.cuts):
            hiding = [region for region in there if self._hides(a, region)]
            explain = self._reason if self.adds_up else self._unexplained
            found += [explain(a, region) for region in hiding[:N_REGIONS]]
            coarser.append(Coarser(cut.attribute, self._count(hiding), len(hiding)))
        often: dict[str, Counter[int]] = {}
        for reason in found:
            if reason.breaks:
                often.setdefault(reason.attribute, Counter()).update(one.requirement for one in reason.breaks)
        binding = tuple((name, min(count, key=lambda at: (-count[at], at))) for name, count in often.items())
        return Reasons(tuple(found), binding, coarser=tuple(coarser))

    def _hides(self, a: int, region: int) -> bool:
        """Whether a region shows less than the finest value of an attribute."""
        held, cut = self.keys[region][a], self.solution.cuts[a]
        if held.shown is None:
            return False
        tree = self.problem.profile.columns[a].taxonomy
        if tree is not None:
            return held.shown not in tree.leaves()
        return cut.kind is Kind.INTERVAL or not held.is_part

    def _unexplained(self, a: int, region: int) -> Reason:
        why = "earlier releases are counted with" if self.persons is None else "persons differ from record to record"
        shown = self.keys[region][a].shown
        return Reason(
            attribute=self.problem.profile.columns[a].name,
            shown=MISSING if shown is None else shown,
            kind=ReasonKind.NOT_CONSIDERED,
            text=f"What its splits would leave is not worked out where {why}.",
            n_records=self._count([region]),
            region=region,
        )

    def _reason(self, a: int, region: int) -> Reason:
        column = self.problem.profile.columns[a]
        here = np.flatnonzero(self.of_row == region)
        shown = self.keys[region][a].shown
        floor = self.problem.policy.floors()[column.name]
        splits = list_splits(
            column, self.request.codings[a], self.codes[here, a], self.counts[here], self.solution, region, floor
        )
        tried = [(self._broken_alone(pieces), self._breaks(a, region, pieces), pieces) for pieces in splits]
        best = min(tried, key=lambda one: (one[0], _worst(one[1])), default=None)
        kind, text, breaks = self._decide(best, len(tried), floor)
        return Reason(
            attribute=column.name,
            shown=MISSING if shown is None else shown,
            kind=kind,
            text=text,
            instead=() if best is None else _labels(best[2]),
            requirement=breaks[0].requirement if breaks else None,
            figure=breaks[0].figure if breaks else None,
            n_records=int(self.region_counts[region, 0]),
            breaks=breaks,
            region=region,
        )

    def _decide(
        self, best: tuple[bool, list[tuple[float, Break]], Sequence[Piece]] | None, n_tried: int, floor: int
    ) -> tuple[ReasonKind, str, tuple[Break, ...]]:
        if best is None:
            few = f"No value or border inside it has {max(floor, 1):,} {self.problem.policy.unit.plural} on either side"
            return ReasonKind.TOO_FEW, f"{few} in the whole table, or all its records are alike.", ()
        is_broken_alone, found, pieces = best
        instead = f"If {_listed(_labels(pieces))} were shown instead"
        if found:
            breaks = tuple(one for _, one in found)
            each = f"Each of its {n_tried:,} splits would break a requirement. " if n_tried > 1 else ""
            nearest = ", which misses it by least" if n_tried > 1 else ""
            return ReasonKind.BREAKS, f"{each}{instead}{nearest}, {breaks[0].text}.", breaks
        safe = f"{instead}, every requirement would still hold."
        if self.solution.ending != Ending.MAXIMAL:
            return ReasonKind.STOPPED, f"{safe} The search was stopped before it came to that.", ()
        if is_broken_alone:
            return (
                ReasonKind.NOT_CONSIDERED,
                f"{safe} But only together with regions that show the same; it was not tried.",
                (),
            )
        about = f" about `{self.problem.profile.class_name}`" if self.problem.has_class else ""
        why = (
            f"But no safe split of it tells a classifier more{about}, or its parts are smaller than the search trusts."
        )
        return ReasonKind.TELLS_NOTHING, f"{safe} {why}", ()

    def _broken_alone(self, pieces: Sequence[Piece]) -> bool:
        """Whether some piece by itself breaks a rule, whatever other regions show."""
        counts = np.array([piece.counts for piece in pieces])
        return bool(_weigh(self.every_rule, counts)[1].any())

    def _breaks(self, a: int, region: int, pieces: Sequence[Piece]) -> list[tuple[float, Break]]:
        """The requirements that a split would break in the groups that it changes, the one that misses most first."""
        found: dict[int, tuple[float, Break]] = {}
        own = self.keys[region]
        for t, qid in enumerate(self.qids):
            if a not in qid.attributes or not self.rules[t].is_enforced.any():
                continue
            before = self._on(qid.attributes, own)
            groups: dict[Key, Ints] = {before: self.groups[t][before] - self.region_counts[region]}
            told = frozenset(piece.label for piece in pieces if not piece.is_rest)
            for piece in pieces:
                held = own[a]._replace(told=own[a].told | told) if piece.is_rest else _Held(piece.label)
                key = self._on(qid.attributes, (*own[:a], held, *own[a + 1 :]))
                groups[key] = groups.get(key, self.groups[t].get(key, 0)) + piece.counts
            counts = np.array([count for count in groups.values() if count[0] > 0])
            badness, is_broken = _weigh(self.rules[t], counts)
            for r in np.flatnonzero(is_broken.any(axis=1)).tolist():
                b = self.of_table[t][r]
                worst = float(badness[r].max())
                one = (_excess(worst, self.bounds[b].limit), self._break(b, self.bounds[b], worst))
                if one[1].requirement not in found or one[0] > found[one[1].requirement][0]:
                    found[one[1].requirement] = one
        return sorted(found.values(), key=lambda one: (-one[0], one[1].requirement))

    def _break(self, b: int, bound: Bound, worst: float) -> Break:
        part, figure = self.parts[b], bound.rule.to_figure(worst)
        text = f"{part.would_reach(figure, self.problem.policy.unit)} (on {called_briefly(part.qid)})"
        return Break(bound.requirement, part.qid, figure, text)

    @staticmethod
    def _on(attributes: Sequence[int], key: Key) -> Key:
        return tuple(key[a] for a in attributes)


def _keys(solution: Solution) -> list[Key]:
    """What each region holds of each attribute."""
    assert solution.regions is not None  # noqa: S101 - asked only of such solutions
    at = {cut.attribute: a for a, cut in enumerate(solution.cuts)}
    keys: list[Key] = [tuple(_Held(cut.root, is_part=False) for cut in solution.cuts)]
    for split in solution.regions.splits:
        a, before = at[split.attribute], keys[split.region]
        keys += [(*before[:a], _Held(part.shown), *before[a + 1 :]) for part in split.parts]
        left = before[a]._replace(told=before[a].told | {part.shown for part in split.parts})
        keys[split.region] = (*before[:a], left, *before[a + 1 :])
    return keys


def _weigh(rules: rule_kernels.Rules, counts: Ints) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
    badness = np.empty((len(rules.kind), len(counts)))
    is_broken = np.empty(badness.shape, np.bool_)
    rule_kernels.weigh_groups(rules, counts, badness, is_broken)
    return badness, is_broken & rules.is_enforced[:, None]


def _worst(breaks: Sequence[tuple[float, Break]]) -> float:
    return breaks[0][0] if breaks else 0.0


def _excess(badness: float, limit: float) -> float:
    """By what factor a figure misses its bound; the larger the worse."""
    if limit < 0:
        return float("inf") if badness >= 0 else limit / badness
    return badness / limit if limit > 0 else float("inf")


def _labels(pieces: Sequence[Piece]) -> tuple[str, ...]:
    return tuple(MISSING if piece.label is None else piece.label for piece in pieces)


def _listed(labels: Sequence[str]) -> str:
    most = 4
    more = f" and {plural(len(labels) - most, 'more value')}" if len(labels) > most else ""
    return ", ".join(labels[:most]) + more
