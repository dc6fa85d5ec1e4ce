"""Which single change of a policy would allow a refinement that it forbids: each one is tried on the counts.

The cut stays as it was found; only the refinement is added. A change is one of
`ChangeKind`: a smaller k, a larger share, a column out of a QID, or another
attribute that shows less.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import TYPE_CHECKING

import numpy as np

from maskwise.errors import PolicyError
from maskwise.policy.implied import _implied_parts
from maskwise.policy.requirements.qid import called_briefly
from maskwise.search.bounds import as_rules
from maskwise.search.cut_groups import count_groups, weigh_groups
from maskwise.search.preferences import preferences_of
from maskwise.solution.reasons import Change, ChangeKind
from maskwise.values.row_numbers import number_keys, number_rows

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from numpy.typing import NDArray

    from maskwise.policy.requirements.base import Part, Requirement
    from maskwise.policy.taxonomy import Taxonomy
    from maskwise.search.bounds import Bound
    from maskwise.search.cut_groups import CutGroups
    from maskwise.search.interface import Problem
    from maskwise.search.refinements import Refinement
    from maskwise.solution.cut import Cut
    from maskwise.solution.reasons import Break
    from maskwise.solution.solution import Solution

    Ints = NDArray[np.int64]

_LEAST_K = 2
"""A smaller k protects nobody, so it is no change to propose."""
_PARTS = 100
"""A share that is proposed is a whole number of hundredths."""


@dataclass(frozen=True, slots=True)
class Wanted:
    """A refinement that requirements forbid, and for which a change is looked for."""

    attribute: int
    """The attribute's number in the policy."""
    shown: str
    """The value that would be refined."""
    instead: tuple[str, ...]
    """What would be shown instead."""
    refinement: Refinement
    """How."""
    breaks: tuple[Break, ...]
    """What it would break."""


def list_changes(
    problem: Problem,
    solution: Solution,
    bounds: Sequence[Bound],
    groups: Sequence[CutGroups],
    wanted: Sequence[Wanted],
) -> tuple[Change, ...]:
    """List, for some refinements, the single changes of the policy that would allow each.

    Args:
        problem: What was solved.
        solution: What was found.
        bounds: The rules of all requirements.
        groups: The groups of each QID at the cut that was found.
        wanted: The refinements.

    Claim: each change was tried: with it, the cut that was found and the refinement meet every requirement.
    """
    trials = [_ChangeTrial(problem, solution, bounds, groups, one) for one in wanted]
    return tuple(change for trial in trials for change in trial.changes())


@dataclass(frozen=True, slots=True)
class _Rows:
    """The groups of one QID, to be merged as a change asks; of persons with several rows, their rows."""

    shown: dict[int, Ints]
    """For each attribute the number of the value that each shows."""
    counts: Ints
    persons: Ints | None
    whole: Ints


class _ChangeTrial:
    """Tries changes for one refinement."""

    def __init__(
        self,
        problem: Problem,
        solution: Solution,
        bounds: Sequence[Bound],
        groups: Sequence[CutGroups],
        wanted: Wanted,
    ) -> None:
        self.problem, self.solution, self.wanted, self.bounds = problem, solution, wanted, bounds
        self.names = [column.name for column in problem.profile.columns]
        self.rows = [self._refined(own) for own in groups]
        self._bound_of: dict[int, dict[tuple[object, frozenset[str]], Bound]] = {}
        parts = [part for requirement in problem.policy.requirements for part in requirement.parts]
        for part, bound in zip(parts, bounds, strict=True):
            self._bound_of.setdefault(bound.requirement, {})[part.subject, frozenset(part.qid)] = bound

    def _refined(self, groups: CutGroups) -> _Rows:
        """The groups of one QID after the refinement."""
        part_of_code, own = self.wanted.refinement.part_of_code, self.wanted.attribute
        assert part_of_code is not None  # noqa: S101 - groups forbid only what they were asked about
        table, group = groups.table, groups.group
        part = np.zeros(len(group), np.int64)
        n_parts = int(part_of_code.max()) + 2
        if own in table.attributes:
            part = 1 + part_of_code[table.codes[:, table.attributes.index(own)]]
        keys, number = number_keys(group * n_parts + part, len(groups.counts) * n_parts)
        counts, persons = count_groups(number, table.counts, None), None
        if table.persons is not None:
            keys, counts, persons = keys[number], table.counts, table.persons
        shown = {a: values[keys // n_parts] for a, values in groups.shown.items()}
        if own in shown:
            shown[own] = np.where(keys % n_parts > 0, int(shown[own].max()) + keys % n_parts, shown[own])
        return _Rows(shown, counts, persons, groups.rules.whole)

    def changes(self) -> Iterator[Change]:
        """Every change that allows the refinement."""
        broken = [one.requirement for one in self.wanted.breaks]
        asked, own = self.problem.policy.requirements, self.names[self.wanted.attribute]
        if len(broken) == 1:
            yield from self._smaller_k(broken[0], asked[broken[0]])
            yield from self._larger_share(broken[0], asked[broken[0]])
            for name in asked[broken[0]].qid:
                if name != own:
                    yield from self._column_out(broken[0], asked[broken[0]], name)
        # An attribute that shows less helps several requirements at once.
        for name in dict.fromkeys(name for at in broken for name in asked[at].qid):
            if name != own:
                yield from self._less_shown(name)

    def _change(
        self, kind: ChangeKind, text: str, requirement: int | None, column: str | None, value: float | None
    ) -> Change:
        wanted = self.wanted
        name = self.names[wanted.attribute]
        return Change(name, wanted.shown, text, kind, wanted.instead, requirement, column, value)

    def _smaller_k(self, at: int, requirement: Requirement) -> Iterator[Change]:
        figure = self.wanted.breaks[0].figure
        if requirement.k is None or not isinstance(figure, int) or not _LEAST_K <= figure < requirement.k:
            return
        if self._is_valid(at, requirement.with_k(figure)):
            text = f"k={figure:,} instead of {requirement.k:,} on {called_briefly(requirement.qid)}"
            yield self._change(ChangeKind.K, text, at, None, figure)

    def _larger_share(self, at: int, requirement: Requirement) -> Iterator[Change]:
        figure = self.wanted.breaks[0].figure
        if len(set(requirement.confidences)) != 1 or not requirement.confidences[0] < figure < 1:
            return
        share = Fraction(math.ceil(figure * _PARTS), _PARTS)
        if share < 1 and self._is_valid(at, requirement.with_confidence(share)):
            now, qid = float(requirement.confidences[0]), called_briefly(requirement.qid)
            text = f"confidence {float(share):g} instead of {now:g} on {qid}"
            yield self._change(ChangeKind.CONFIDENCE, text, at, None, float(share))

    def _column_out(self, at: int, requirement: Requirement, name: str) -> Iterator[Change]:
        try:
            smaller: Requirement = replace(requirement, qid=tuple(one for one in requirement.qid if one != name))
        except PolicyError:
            # An attacker who knows so many attributes knows all that are left.
            return
        if self._is_valid(at, smaller):
            text = f"`{name}` out of the quasi-identifier {called_briefly(requirement.qid)}"
            yield self._change(ChangeKind.COLUMN, text, at, name, None)

    def _less_shown(self, name: str) -> Iterator[Change]:
        """Let another attribute show one level less if that is enough, or else nothing."""
        attribute = self.names.index(name)
        cut = self.solution.cuts[attribute]
        levels: list[tuple[int, Ints]] = []
        if cut.taxonomy is not None:
            depth = _depths(cut.taxonomy)
            level = max(depth[label] for label in cut.shown) - 1
            levels += [(level, _above(cut, cut.taxonomy, depth, level))] if level > 0 else []
        levels += [(0, np.zeros(len(cut.labels) + 1, np.int64))] if cut.labels != (cut.root,) else []
        for level, merged in levels:
            if self._is_valid(merged={attribute: merged}):
                text = (
                    f"`{name}` fully masked" if not level else f"`{name}` shown to level {level} of its taxonomy only"
                )
                text += " (against its at_least)" * (preferences_of(self.problem.policy).levels[attribute] > level)
                yield self._change(ChangeKind.LEVEL, text, None, name, level)
                return

    def _is_valid(
        self, at: int | None = None, changed: Requirement | None = None, merged: Mapping[int, Ints] | None = None
    ) -> bool:
        """Whether the refined cut meets every requirement if one is changed, or an attribute shows less.

        Args:
            at: Which requirement is changed; None changes none.
            changed: What it asks then.
            merged: For an attribute that shows less, what each of its shown values becomes.
        """
        policy, n_counted = self.problem.policy, self.problem.profile.n_counted
        asked = tuple(changed if i == at and changed else one for i, one in enumerate(policy.requirements))
        implied = _implied_parts(asked, policy.unit)
        trials: dict[tuple[int, tuple[int, ...]], list[Bound]] = {}
        for i, requirement in enumerate(asked):
            for p, part in enumerate(requirement.parts):
                if (i, p) in implied:
                    continue
                bound = replace(self._source(i, part), rule=part.rule(n_counted), counts=True)
                qid = tuple(sorted(self.names.index(name) for name in part.qid))
                trials.setdefault((bound.table, qid), []).append(bound)
        return not any(self._is_broken(t, qid, own, merged or {}) for (t, qid), own in trials.items())

    def _source(self, at: int, part: Part) -> Bound:
        """The rule of a requirement whose counters a part of it needs: of the same values, on all its attributes."""
        own = self._bound_of[at]
        found = own.get((part.subject, frozenset(part.qid)))
        if found is not None:
            return found
        wider = (bound for (subject, qid), bound in own.items() if subject == part.subject and qid >= set(part.qid))
        return next(wider)

    def _is_broken(self, t: int, qid: Sequence[int], bounds: Sequence[Bound], merged: Mapping[int, Ints]) -> bool:
        """Whether a group on some attributes breaks a rule."""
        rows = self.rows[t]
        shown = [merged[a][rows.shown[a]] if a in merged else rows.shown[a] for a in qid]
        counts = count_groups(number_rows(shown, len(rows.counts)), rows.counts, rows.persons)
        return bool(weigh_groups(as_rules(bounds, rows.whole), counts)[1].any())


def _depths(tree: Taxonomy) -> dict[str, int]:
    """How far each value stands below the root."""
    depth = [0] * len(tree.labels)
    for i in range(1, len(depth)):
        depth[i] = depth[tree.parents[i]] + 1
    return dict(zip(tree.labels, depth, strict=True))


def _above(cut: Cut, tree: Taxonomy, depth: Mapping[str, int], level: int) -> Ints:
    """What each shown value becomes, as a number, if none below a level is shown; missing cells stay."""
    parent = {label: tree.labels[up] for label, up in zip(tree.labels[1:], tree.parents[1:], strict=True)}
    number_of: dict[str, int] = {}
    merged = []
    for label in cut.shown:
        while depth[label] > level:
            label = parent[label]  # noqa: PLW2901 - walks up
        merged.append(number_of.setdefault(label, len(number_of)))
    return np.array([*merged, len(number_of)], np.int64)
