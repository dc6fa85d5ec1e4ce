"""From requirements to rules on counters, which is all the search knows of privacy.

A privacy model says what it asks as a `Rule`, and which sensitive values it
counts. Here each rule becomes a `Bound` on the counters of one compressed table;
`rule_kernels` has the arithmetic, and `verify.measures` has its own.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from maskwise.compress.request import TableRequest
from maskwise.errors import InfeasibleError
from maskwise.search import rule_kernels
from maskwise.values.compiled import plain_loop

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from maskwise.policy.policy import Policy
    from maskwise.policy.requirements.base import Part
    from maskwise.policy.requirements.rule import Rule
    from maskwise.profile.columns import Profile

Sets: TypeAlias = tuple[tuple[str, tuple[str | None, ...]], ...]
"""Sets of sensitive values, each with its column."""


@dataclass(frozen=True, slots=True)
class Bound:
    """One rule on the groups of one QID; a requirement has one or several."""

    requirement: int
    """The requirement's position in the policy."""
    table: int
    """Which compressed table its QID has."""
    rule: Rule
    """What the privacy model asks of the counters."""
    first: int = 0
    """The first counter of the compressed table that the rule is about."""
    stop: int = 0
    """One past the last."""
    counts: bool = True
    """False for a bound that another one implies: it is reported, not enforced."""

    @property
    def limit(self) -> float:
        """The largest badness allowed."""
        return self.rule.limit


def as_rules(bounds: Sequence[Bound], whole: NDArray[np.int64]) -> rule_kernels.Rules:
    """The bounds of one table as the kernels take them.

    Args:
        bounds: The bounds.
        whole: The counters of the whole table.
    """
    rules = [bound.rule for bound in bounds]
    return rule_kernels.Rules(
        kind=np.array([rule.arithmetic for rule in rules], np.int64),
        first=np.array([bound.first for bound in bounds], np.int64),
        stop=np.array([bound.stop for bound in bounds], np.int64),
        level=np.array([rule.level for rule in rules], np.int64),
        over=np.array([rule.numerator for rule in rules], np.int64),
        under=np.array([rule.denominator for rule in rules], np.int64),
        limit=np.array([rule.limit for rule in rules], np.float64),
        is_enforced=np.array([bound.counts for bound in bounds], np.bool_),
        whole=whole,
    )


def figures_of(bounds: Sequence[Bound], worst: Sequence[float]) -> tuple[float, ...]:
    """For each requirement of a policy one figure: that of the worst of its rules of the kind that comes first.

    Args:
        bounds: The rules of all requirements.
        worst: How bad the worst group is by each of them.
    """
    first: dict[int, Bound] = {}
    found: dict[int, float] = {}
    for bound, bad in zip(bounds, worst, strict=True):
        lead = first.setdefault(bound.requirement, bound)
        if lead.rule.arithmetic == bound.rule.arithmetic:
            found[bound.requirement] = max(found.get(bound.requirement, -np.inf), bad)
    return tuple(first[i].rule.to_figure(found[i]) for i in sorted(first))


def charge(
    bounds: Sequence[Bound],
    places: Sequence[tuple[int, int]],
    members: Sequence[Sequence[int]],
    room: Sequence[float],
) -> dict[int, list[tuple[int, int, float, float]]]:
    """For each attribute, of each rule that counts for it: table, rule, limit, and by what its change is divided.

    Counts and shares do not add, so where different kinds occur each change is
    divided by the room its rule had at the start: the slack above its limit
    top-down, what it lacked bottom-up. Over no room a change counts as nothing.

    Args:
        bounds: The rules of all requirements.
        places: The table of each, and which rule of the table it is.
        members: The attributes of each table.
        room: The room of each rule.
    """
    mixed = len({bound.rule.arithmetic for bound in bounds if bound.counts}) > 1
    charges: dict[int, list[tuple[int, int, float, float]]] = {}
    for bound, (t, r), own in zip(bounds, places, room, strict=True):
        by = 1.0 if not mixed else own if own > 0 else float("inf")
        for i in members[t] if bound.counts else ():
            charges.setdefault(i, []).append((t, r, bound.limit, by))
    return charges


def list_requests(profile: Profile, policy: Policy) -> tuple[TableRequest, ...]:
    """What is to be counted on each distinct QID."""
    wanted: dict[tuple[int, ...], dict[Sets, None]] = {}
    for requirement in policy.requirements:
        for part in requirement.parts:
            wanted.setdefault(_numbers(policy, part.qid), {})[_counted(part, profile)] = None
    requests = []
    for numbers, blocks in wanted.items():
        pairs: Sets = ()
        for block in sorted(blocks, key=len, reverse=True):
            pairs += block if _place(pairs, block) is None else ()
        requests.append(TableRequest(numbers, pairs))
    return tuple(requests)


def _place(pairs: Sets, block: Sets) -> int | None:
    """Where a run of sets of sensitive values stands in a longer one."""
    starts = range(len(pairs) - len(block) + 1)
    return next((start for start in starts if pairs[start : start + len(block)] == block), None)


def list_bounds(profile: Profile, policy: Policy, requests: Sequence[TableRequest]) -> list[Bound]:
    """The rules of all requirements as the search sees them."""
    at = {one.attributes: t for t, one in enumerate(requests)}
    implied = policy.implied_parts()
    bounds = []
    for i, requirement in enumerate(policy.requirements):
        for p, part in enumerate(requirement.parts):
            t = at[_numbers(policy, part.qid)]
            bounds.append(_bound(part, profile, requests[t], i, t, counts=(i, p) not in implied))
    return bounds


def list_union(profile: Profile, policy: Policy) -> tuple[TableRequest, list[TableRequest], list[Bound]]:
    """All requirements on one table: the rows of all masked attributes, with every sensitive value that any counts.

    Returns:
        What is to be counted; each distinct QID, with the same sensitive values; and the rules of all requirements,
        whose table is the number of their QID.
    """
    requests = list_requests(profile, policy)
    pairs: Sets = ()
    for one in sorted(requests, key=lambda request: len(request.sensitive), reverse=True):
        pairs += one.sensitive if _place(pairs, one.sensitive) is None else ()
    qids = [TableRequest(one.attributes, pairs) for one in requests]
    return TableRequest(tuple(range(len(policy.masked))), pairs), qids, list_bounds(profile, policy, qids)


def check_feasible(profile: Profile, policy: Policy) -> None:
    """Refuse requirements that even the most masked table violates.

    Claim: refining never makes the worst group better, so the most masked
    table, one group with all records, has the best figures of all maskings
    (KAIS 2007, Theorem 3.3). Of persons with records in several groups that is
    so for k; for shares a search that starts there has nothing to start from.
    """
    # Several requirements may complain of the same: one for the release, and the same for it with earlier ones.
    broken: dict[str, str] = {}
    for i, requirement in enumerate(policy.requirements):
        checked: set[object] = set()
        for part in requirement.parts:
            if part.subject in checked:
                continue
            checked.add(part.subject)
            counted = _counted(part, profile)
            whole = [profile.n_counted, *(profile.n_counted_with(*pair) for pair in counted)]
            counters = np.array(whole, np.int64)
            bound = _bound(part, profile, TableRequest((), counted), i, 0, counts=True)
            # One group for each rule: not worth compiling for.
            worst, is_broken = plain_loop(rule_kernels.weigh)(as_rules([bound], counters), 0, counters, counters, 0)
            if is_broken:
                best = bound.rule.to_figure(worst)
                complaint = part.cannot_be_met(requirement.name, best, policy.unit)
                broken.setdefault(complaint, policy.at(("requirements", i)) + complaint)
    if broken:
        raise InfeasibleError("\n".join(broken.values()))


def _numbers(policy: Policy, qid: Sequence[str]) -> tuple[int, ...]:
    at = {name: i for i, name in enumerate(policy.masked)}
    return tuple(sorted(at[name] for name in qid))


def _counted(part: Part, profile: Profile) -> Sets:
    """The sets of sensitive values whose records a rule counts, in the order it needs."""
    counted = part.counted
    if counted is None:
        return ()
    return tuple((counted.column, values) for values in profile.sensitive[counted.column].sets_of(counted))


def _bound(part: Part, profile: Profile, request: TableRequest, requirement: int, table: int, *, counts: bool) -> Bound:
    counted = _counted(part, profile)
    first = 1 + (_place(request.sensitive, counted) or 0)
    rule = part.rule(profile.n_counted)
    # A rule that counts no sensitive value reads only the number of records.
    first, stop = (first, first + len(counted)) if counted else (0, 0)
    return Bound(requirement, table, rule, first, stop, counts)
