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
from maskwise.errors import InfeasibleError, InputError
from maskwise.search import rule_kernels
from maskwise.values.file_words import command_words
from maskwise.values.kernel import plain_loop

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from numpy.typing import NDArray

    from maskwise.policy.policy import Policy
    from maskwise.policy.requirements.base import Counted, Part, Requirement
    from maskwise.policy.requirements.rule import Rule
    from maskwise.profile.columns import Profile

Sets: TypeAlias = tuple[tuple[str, tuple[str | None, ...]], ...]
"""Sets of sensitive values, each with its column."""
_Place: TypeAlias = tuple[tuple[int, ...], tuple[int, ...]]
"""The attributes of a QID, and those of the wide table that it is counted from."""
MOST_SEPARATE = 16
"""So many QIDs of one requirement are counted one by one; more of them from the rows of all its attributes."""
MOST_TABLES = 2_000
"""So many QIDs can be searched one by one."""


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


def rule_places(bounds: Sequence[Bound]) -> list[tuple[int, int]]:
    """For each bound its table, and which of the table's rules it is."""
    n_rules: dict[int, int] = {}
    places = []
    for bound in bounds:
        places.append((bound.table, n_rules.setdefault(bound.table, 0)))
        n_rules[bound.table] += 1
    return places


def leading_rules(
    bounds: Sequence[Bound], places: Sequence[tuple[int, int]]
) -> list[tuple[Rule, dict[int, NDArray[np.int64]]]]:
    """For each requirement its first rule, and where the rules of the kind of that are, by group; see `figures_of`.

    Args:
        bounds: The rules of all requirements.
        places: Which groups each is about, and which of their rules it is.
    """
    first: dict[int, Rule] = {}
    found: dict[int, dict[int, list[int]]] = {}
    for bound, (t, r) in zip(bounds, places, strict=True):
        lead = first.setdefault(bound.requirement, bound.rule)
        if lead.arithmetic == bound.rule.arithmetic:
            found.setdefault(bound.requirement, {}).setdefault(t, []).append(r)
    return [(first[i], {t: np.array(own, np.int64) for t, own in found[i].items()}) for i in sorted(first)]


def charge(
    bounds: Sequence[Bound],
    places: Sequence[tuple[int, int]],
    members: Iterable[Sequence[int]],
    room: Sequence[float],
) -> dict[int, list[tuple[int, int, float, float]]]:
    """For each attribute, of each rule that counts for it: table, rule, limit, and by what its change is divided.

    Counts and shares do not add, so where different kinds occur each change is
    divided by the room its rule had at the start: the slack above its limit
    top-down, what it lacked bottom-up. Over no room a change counts as nothing.

    Args:
        bounds: The rules of all requirements.
        places: The table of each, and which rule of the table it is.
        members: The attributes of the QID of each.
        room: The room of each rule.
    """
    mixed = len({bound.rule.arithmetic for bound in bounds if bound.counts}) > 1
    charges: dict[int, list[tuple[int, int, float, float]]] = {}
    for bound, (t, r), attributes, own in zip(bounds, places, members, room, strict=True):
        by = 1.0 if not mixed else own if own > 0 else float("inf")
        for i in attributes if bound.counts else ():
            charges.setdefault(i, []).append((t, r, bound.limit, by))
    return charges


def list_requests(profile: Profile, policy: Policy, *, by_subsets: bool = False) -> tuple[TableRequest, ...]:
    """What is to be counted on each distinct QID.

    Args:
        profile: The table.
        policy: What is asked of it.
        by_subsets: Any number of QIDs will do, because the search counts those of one requirement together.
    """
    wanted: dict[_Place, dict[Sets, None]] = {}
    for requirement, places in zip(policy.requirements, _places(profile, policy, by_subsets=by_subsets), strict=True):
        counted = _counted_sets(requirement, profile)
        for part, place in zip(requirement.parts, places, strict=True):
            wanted.setdefault(place, {})[counted[part.counted]] = None
    if len(wanted) > MOST_TABLES and not by_subsets:
        msg = (
            f"The requirements stand for {len(wanted):,} quasi-identifiers. More than {MOST_TABLES:,} are searched by "
            f"a top-down search only{command_words('--method tdr')}, and without suppressed records and persons. "
            "Lower L, or name fewer attributes."
        )
        raise InputError(msg)
    requests = []
    for (numbers, wide), blocks in wanted.items():
        pairs: Sets = ()
        for block in sorted(blocks, key=len, reverse=True):
            pairs += block if _place(pairs, block) is None else ()
        requests.append(TableRequest(numbers, pairs, wide))
    return tuple(requests)


def _places(profile: Profile, policy: Policy, *, by_subsets: bool) -> list[list[_Place]]:
    """For each part of each requirement its QID, and the attributes of the wide table that it is counted from."""
    number_of = {name: i for i, name in enumerate(policy.masked)}
    found = []
    for requirement in policy.requirements:
        qids = [part.qid for part in requirement.parts]
        # Persons may have several rows, which do not add up.
        is_wide = by_subsets and profile.persons is None and len(set(qids)) > MOST_SEPARATE
        wide = tuple(sorted(number_of[name] for name in requirement.qid)) if is_wide else ()
        found.append([(tuple(sorted(number_of[name] for name in qid)), wide) for qid in qids])
    return found


def _counted_sets(requirement: Requirement, profile: Profile) -> dict[Counted | None, Sets]:
    """For what the parts of a requirement count, the sets of sensitive values in the order that their rules need."""
    return {counted: _sets_of(counted, profile) for counted in {part.counted for part in requirement.parts}}


def _place(pairs: Sets, block: Sets) -> int | None:
    """Where a run of sets of sensitive values stands in a longer one."""
    starts = range(len(pairs) - len(block) + 1)
    return next((start for start in starts if pairs[start : start + len(block)] == block), None)


def list_bounds(profile: Profile, policy: Policy, requests: Sequence[TableRequest]) -> list[Bound]:
    """The rules of all requirements as the search sees them."""
    at = {(one.attributes, one.wide): t for t, one in enumerate(requests)}
    implied = policy.implied_parts()
    bounds = []
    for i, (requirement, places) in enumerate(
        zip(policy.requirements, _places(profile, policy, by_subsets=True), strict=True)
    ):
        sets = _counted_sets(requirement, profile)
        for p, (part, place) in enumerate(zip(requirement.parts, places, strict=True)):
            # Not every search counts subsets together.
            t = at[place] if place in at else at[place[0], ()]
            bounds.append(_bound(part, profile, sets[part.counted], requests[t], i, t, counts=(i, p) not in implied))
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
            counted = _sets_of(part.counted, profile)
            whole = [profile.n_counted, *(profile.n_counted_with(*pair) for pair in counted)]
            counters = np.array(whole, np.int64)
            bound = _bound(part, profile, counted, TableRequest((), counted), i, 0, counts=True)
            # One group for each rule: not worth compiling for.
            worst, is_broken = plain_loop(rule_kernels.weigh)(as_rules([bound], counters), 0, counters, counters, 0)
            if is_broken:
                best = bound.rule.to_figure(worst)
                complaint = part.cannot_be_met(requirement.name, best, policy.unit)
                broken.setdefault(complaint, policy.at(("requirements", i)) + complaint)
    if broken:
        raise InfeasibleError("\n".join(broken.values()))


def _sets_of(counted: Counted | None, profile: Profile) -> Sets:
    """The sets of sensitive values whose records a rule counts, in the order it needs."""
    if counted is None:
        return ()
    return tuple((counted.column, values) for values in profile.sensitive[counted.column].sets_of(counted))


def _bound(
    part: Part, profile: Profile, counted: Sets, request: TableRequest, requirement: int, table: int, *, counts: bool
) -> Bound:
    first = 1 + (_place(request.sensitive, counted) or 0)
    rule = part.rule(profile.n_counted)
    # A rule that counts no sensitive value reads only the number of records.
    first, stop = (first, first + len(counted)) if counted else (0, 0)
    return Bound(requirement, table, rule, first, stop, counts)
