"""Why each masked value is shown as it is, whichever search found the cut.

`refinements` lists what each shown value hides and what a search tries next,
`cut_groups` counts what that would do to the groups of each QID, and
`single_changes` looks for a change of the policy that would allow it. All of it
rests on raw counts, so it is for the owner.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from maskwise.errors import plural
from maskwise.policy.requirements.qid import called_briefly
from maskwise.search.bounds import as_rules, list_bounds
from maskwise.search.cut_groups import CutGroups, places_of
from maskwise.search.known_labels import with_known_labels
from maskwise.search.refinements import list_hidden_values
from maskwise.search.single_changes import Wanted, list_changes
from maskwise.search.value_trees import is_beneficial
from maskwise.solution.reasons import MISSING, Break, Reason, ReasonKind, Reasons
from maskwise.solution.solution import Ending

if TYPE_CHECKING:
    from collections.abc import Sequence

    from maskwise.compress.compressed_table import CompressedTables
    from maskwise.compress.request import CountRequest
    from maskwise.policy.requirements.base import Part
    from maskwise.search.bounds import Bound
    from maskwise.search.interface import Problem
    from maskwise.search.refinements import HiddenValue, Refinement
    from maskwise.solution.solution import Solution

N_WANTED = 3
"""For so many values a change of the policy is looked for: those whose refinement would tell most."""
_MOST_LABELS = 4
"""So many values are listed in a sentence; of more, the rest is counted."""
_OTHER_SPLIT = " This split tells most, and the search tries no other; another one might be safe."


def explain(problem: Problem, request: CountRequest, counts: CompressedTables, solution: Solution) -> Reasons:
    """Say why each shown value that hides something was not refined any further.

    Args:
        problem: What was solved.
        request: What was counted for the search.
        counts: The answer to it.
        solution: What was found.

    Claim: every shown value that hides something has one reason, and so has every value that `*` hides and that is
    frequent enough to be shown. If no requirement would break and refining can tell something, the reason is that the
    search was stopped, or had passed it.
    """
    whole = replace(solution, cuts=with_known_labels(solution.cuts, problem.profile.columns))
    return _Explanation.start(problem, request, counts, whole).reasons()


@dataclass(frozen=True, slots=True)
class _Decision:
    """Why a value is not refined, without what it shows."""

    kind: ReasonKind
    text: str
    requirement: int | None = None
    figure: float | None = None


@dataclass(frozen=True, slots=True)
class _Explanation:
    """What is asked while reasons are found."""

    problem: Problem
    request: CountRequest
    solution: Solution
    bounds: list[Bound]
    parts: list[Part]
    groups: list[CutGroups]
    of_table: list[list[int]]
    """For each table the places of its bounds."""

    @classmethod
    def start(
        cls, problem: Problem, request: CountRequest, counts: CompressedTables, solution: Solution
    ) -> _Explanation:
        """Count the groups of every QID at the cut."""
        profile, policy = problem.profile, problem.policy
        bounds = list_bounds(profile, policy, request.tables)
        places = [
            places_of(column, cut, coding)
            for column, cut, coding in zip(profile.columns, solution.cuts, request.codings, strict=True)
        ]
        of_table: list[list[int]] = [[] for _ in counts.tables]
        for b, bound in enumerate(bounds):
            of_table[bound.table].append(b)
        groups = [
            CutGroups(table, places, as_rules([bounds[b] for b in own], table.whole()))
            for table, own in zip(counts.tables, of_table, strict=True)
        ]
        parts = [part for requirement in policy.requirements for part in requirement.parts]
        return cls(problem, request, solution, bounds, parts, groups, of_table)

    def reasons(self) -> Reasons:
        """All reasons, and the changes that would help most."""
        found: list[Reason] = []
        stopped: list[tuple[int, Wanted]] = []
        for hidden in list_hidden_values(self.problem, self.request.codings, self.solution.cuts):
            reason, tried = self._reason(hidden)
            if tried is not None and reason.breaks:
                wanted = Wanted(hidden.attribute, hidden.shown, _texts(tried.labels), tried, reason.breaks)
                stopped.append((len(found), wanted))
            found.append(reason)
        # Of equal gains the first in the policy and its tree.
        # Together with earlier releases, a change of one requirement would be one of two; none is tried.
        n_wanted = 0 if self.problem.policy.known else N_WANTED
        wanted_most = sorted(stopped, key=lambda one: -one[1].refinement.gain)[:n_wanted]
        changes = list_changes(self.problem, self.solution, self.bounds, self.groups, [one for _, one in wanted_most])
        return Reasons(tuple(found), self._binding(found), changes, tuple(place for place, _ in wanted_most))

    def _called(self, qid: Sequence[str]) -> str:
        """What a sentence calls the columns of a QID, the owner's and what earlier releases show of them."""
        own = [name for name in qid if name not in self.problem.policy.known]
        return called_briefly(own) + ("" if len(own) == len(qid) else ", together with earlier releases")

    def _binding(self, reasons: Sequence[Reason]) -> tuple[tuple[str, int], ...]:
        """For each attribute that requirements hold back, the one that does so most often; of equals the first."""
        often: dict[str, Counter[int]] = {}
        for reason in reasons:
            broken = {one.requirement for one in reason.breaks}
            broken |= set() if reason.requirement is None else {reason.requirement}
            if broken:
                often.setdefault(reason.attribute, Counter()).update(sorted(broken))
        return tuple((name, min(counter, key=lambda at: (-counter[at], at))) for name, counter in often.items())

    def _reason(self, hidden: HiddenValue) -> tuple[Reason, Refinement | None]:
        """The reason of one value, and the refinement that it is about if groups decide."""
        tried = hidden.refinements[0] if hidden.refinements else None
        if (decided := self._decided_before(hidden)) is not None:
            return self._made(hidden, decided, tried), None
        first: tuple[Refinement, tuple[Break, ...]] | None = None
        for refinement in hidden.refinements:
            breaks = self._breaks(hidden.attribute, refinement)
            if not breaks:
                return self._made(hidden, self._not_refined(refinement), refinement), refinement
            first = first or (refinement, breaks)
        assert first is not None  # noqa: S101 - a value without refinements is decided before
        refinement, breaks = first
        return self._made(hidden, _broken(hidden, refinement, breaks), refinement, breaks), refinement

    def _made(
        self, hidden: HiddenValue, decided: _Decision, tried: Refinement | None, breaks: tuple[Break, ...] = ()
    ) -> Reason:
        return Reason(
            attribute=self.problem.profile.columns[hidden.attribute].name,
            shown=hidden.shown,
            kind=decided.kind,
            text=decided.text,
            instead=() if tried is None else _texts(tried.labels),
            requirement=decided.requirement,
            figure=decided.figure,
            n_records=hidden.n_records,
            breaks=breaks,
            gain=None if tried is None else tried.gain,
        )

    def _decided_before(self, hidden: HiddenValue) -> _Decision | None:
        """What one-dimensional counts decide; None if that is up to the groups."""
        if hidden.why_whole is not None or hidden.n_rare:
            return self._undivided(hidden)
        if hidden.refinements and hidden.refinements[0].is_disclosure:
            # What `*` hides may be told apart, and the value is frequent enough: only groups can forbid it.
            return None
        if not is_beneficial(hidden.counts, has_class=self.problem.has_class):
            whose = "its record has" if hidden.n_records == 1 else f"all {hidden.n_records:,} records have"
            text = f"Showing more tells nothing about {self._class()}: {whose} the same one."
            return _Decision(ReasonKind.TELLS_NOTHING, text)
        if all(one.smallest.counts.sum() < self._floor(hidden) for one in hidden.refinements):
            return self._too_few(hidden)
        if all(one.part_of_code is None for one in hidden.refinements):
            text = "This criterion looks at a limited number of boundaries, and none of them lies inside it."
            return _Decision(ReasonKind.NOT_CONSIDERED, text)
        return None

    def _floor(self, hidden: HiddenValue) -> int:
        """The largest k that is asked with an attribute."""
        return self.problem.policy.floors()[self.problem.profile.columns[hidden.attribute].name]

    def _undivided(self, hidden: HiddenValue) -> _Decision:
        """Say why a search has nothing to try, or how many values are too rare ever to be shown."""
        at_fault = self._strictest(hidden.attribute)
        if hidden.why_whole is not None:
            kind, why = hidden.why_whole
            return _Decision(kind, f"It is not split: {why}.", at_fault if kind is ReasonKind.TOO_FEW else None)
        few = f"fewer than {max(self._floor(hidden), 1):,} records"
        values, in_all = plural(hidden.n_rare, "hidden value"), plural(hidden.n_records, "record")
        text = (
            f"{values} has {few}: {in_all}." if hidden.n_rare == 1 else f"{values} have {few} each, {in_all} together."
        )
        return _Decision(ReasonKind.TOO_FEW, text, at_fault)

    def _too_few(self, hidden: HiddenValue) -> _Decision:
        """Say which part of a refinement has too few records in the whole table."""
        tried, at_fault = hidden.refinements[0], self._strictest(hidden.attribute)
        smallest = tried.smallest
        n = int(smallest.counts.sum())
        where = "" if at_fault is None else f" (on {self._called(self.problem.policy.requirements[at_fault].qid)})"
        what = "nothing" if smallest.label is None else smallest.label
        text = (
            f"{_if_shown(tried)}, only {plural(n, 'record')} of the whole table would show {what}; "
            f"{self._floor(hidden):,} {self.problem.policy.unit.plural} are asked{where}."
        )
        if hidden.has_other_splits:
            return _Decision(ReasonKind.NOT_CONSIDERED, text + _OTHER_SPLIT, at_fault, n)
        return _Decision(ReasonKind.TOO_FEW, text, at_fault, n)

    def _breaks(self, attribute: int, refinement: Refinement) -> tuple[Break, ...]:
        """The requirements that a refinement would break, the one that it breaks most first."""
        assert refinement.part_of_code is not None  # noqa: S101 - decided before
        worst_of: dict[int, tuple[float, Break]] = {}
        for t, groups in enumerate(self.groups):
            if attribute not in groups.table.attributes or not groups.rules.is_enforced.any():
                continue
            worst, is_broken = groups.after(attribute, refinement.part_of_code, rest=refinement.is_disclosure)
            own = self.of_table[t]
            for r in np.flatnonzero(is_broken).tolist():
                bound = self.bounds[own[r]]
                excess = _excess(float(worst[r]), bound.limit)
                part, figure = self.parts[own[r]], bound.rule.to_figure(float(worst[r]))
                text = f"{part.would_reach(figure, self.problem.policy.unit)} (on {self._called(part.qid)})"
                found = Break(bound.requirement, part.qid, figure, text)
                if bound.requirement not in worst_of or excess > worst_of[bound.requirement][0]:
                    worst_of[bound.requirement] = excess, found
        ordered = sorted(worst_of.values(), key=lambda one: (-one[0], one[1].requirement))
        return tuple(one for _, one in ordered)

    def _not_refined(self, refinement: Refinement) -> _Decision:
        """Why a refinement that breaks nothing and may tell something was not made."""
        safe = f"{_if_shown(refinement)}, every requirement would still hold."
        match self.solution.ending:
            case Ending.MAXIMAL:
                text = (
                    f"{_if_shown(refinement)}, nothing more would be told about {self._class()} than is shown already."
                )
                return _Decision(ReasonKind.TELLS_NOTHING, text)
            case Ending.MET:
                why = "The search went up from the raw values and does not turn back; `tdr` goes on while it is safe."
                return _Decision(ReasonKind.PASSED, f"{safe} {why}")
            case Ending.EXHAUSTED:
                why = "When the search tried it, that was not so: shares of persons may change back, and it tries once."
                return _Decision(ReasonKind.PASSED, f"{safe} {why}")
            case ending:
                return _Decision(
                    ReasonKind.STOPPED, f"{safe} The search was stopped before it came to that ({ending})."
                )

    def _class(self) -> str:
        return f"`{self.problem.profile.class_name}`"

    def _strictest(self, attribute: int) -> int | None:
        """The requirement that asks for the largest groups with an attribute; of equals the first."""
        name = self.problem.profile.columns[attribute].name
        asked = [
            (-part.min_group, bound.requirement)
            for part, bound in zip(self.parts, self.bounds, strict=True)
            if bound.counts and name in part.qid and part.min_group
        ]
        return min(asked)[1] if asked else None


def _broken(hidden: HiddenValue, refinement: Refinement, breaks: tuple[Break, ...]) -> _Decision:
    """Say what a refinement would break."""
    worst = breaks[0]
    others = len(breaks) - 1
    also = f" {plural(others, 'other requirement')} would break as well." if others else ""
    n_tried = len(hidden.refinements)
    kind, text = ReasonKind.BREAKS, f"{_if_shown(refinement)}, {worst.text}.{also}"
    if n_tried > 1:
        text = f"Each of its {n_tried:,} splits would break a requirement. {text}"
    elif hidden.has_other_splits:
        kind, text = ReasonKind.NOT_CONSIDERED, text + _OTHER_SPLIT
    return _Decision(kind, text, worst.requirement, worst.figure)


def _excess(badness: float, limit: float) -> float:
    """By what factor a figure misses its bound; the larger the worse."""
    if limit < 0:
        return float("inf") if badness >= 0 else limit / badness
    return badness / limit if limit > 0 else float("inf")


def _texts(labels: Sequence[str | None]) -> tuple[str, ...]:
    return tuple(MISSING if label is None else label for label in labels)


def _listed(labels: Sequence[str | None]) -> str:
    """Values in a sentence, shortened."""
    texts = _texts(labels)
    more = f" and {len(texts) - _MOST_LABELS} more" if len(texts) > _MOST_LABELS else ""
    return ", ".join(texts[:_MOST_LABELS]) + more


def _if_shown(refinement: Refinement) -> str:
    """How a sentence about a refinement begins."""
    if refinement.is_disclosure:
        return f"If {_listed(refinement.labels[:1])} were shown"
    return f"If {_listed(refinement.labels)} were shown instead"
