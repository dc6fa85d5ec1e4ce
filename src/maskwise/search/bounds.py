"""From requirements to rules on counters, which is all the search knows of privacy.

Here, and in `verify` by other means, a privacy model gets its arithmetic. Each
rule becomes a `Bound` on one compressed table.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import isfinite, log2
from typing import TYPE_CHECKING

import numpy as np

from maskwise.compress.request import TableRequest
from maskwise.errors import WHOLE, InfeasibleError, plural
from maskwise.policy.requirements.closeness import Closeness, Distance
from maskwise.policy.requirements.confidence import Template
from maskwise.policy.requirements.diversity import Diversity, Measure
from maskwise.policy.requirements.k_anonymity import KAnonymity
from maskwise.search import rule_kernels

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from maskwise.policy.policy import Policy
    from maskwise.policy.requirements.all import Part, Requirement
    from maskwise.profile.columns import Profile

_DIVERSITIES = {
    Measure.DISTINCT: rule_kernels.DISTINCT,
    Measure.ENTROPY: rule_kernels.ENTROPY,
    Measure.RECURSIVE: rule_kernels.RECURSIVE,
}
_DISTANCES = {Distance.EQUAL: rule_kernels.EQUAL, Distance.ORDERED: rule_kernels.ORDERED}
_MOST_RECORDS = 2**62
"""More than any table has, and still a 64-bit number."""


@dataclass(frozen=True, slots=True)
class Bound:
    """One rule on the groups of one QID; a requirement has one or several."""

    requirement: int
    """The requirement's position in the policy."""
    table: int
    """Which compressed table its QID has."""
    kind: int
    """One of the kinds in `badness`."""
    limit: float
    """The largest badness allowed."""
    over: int = 0
    """The bound's numerator, where counts are compared: k, l, or that of a share or of c."""
    under: int = 1
    """Its denominator."""
    level: int = 0
    """From which place on values are rare, for recursive diversity."""
    first: int = 0
    """The first counter of the compressed table that the rule is about."""
    stop: int = 0
    """One past the last."""
    counts: bool = True
    """False for a bound that another one implies: it is reported, not enforced."""

    def figure(self, worst: float) -> float:
        """The badness of the worst group as people read it: the anonymity, a share, how diverse, how far."""
        if self.kind in {rule_kernels.K, rule_kernels.DISTINCT}:
            return -int(worst)
        return float(2**-worst) if self.kind == rule_kernels.ENTROPY else worst


def as_rules(bounds: Sequence[Bound], whole: NDArray[np.int64]) -> rule_kernels.Rules:
    """The bounds of one table as the kernels take them.

    Args:
        bounds: The bounds.
        whole: The counters of the whole table.
    """

    def each(name: str, dtype: type) -> NDArray[np.generic]:
        return np.array([getattr(bound, name) for bound in bounds], dtype)

    numbers = {name: each(name, np.int64) for name in ("kind", "first", "stop", "level", "over", "under")}
    return rule_kernels.Rules(
        **numbers, limit=each("limit", np.float64), is_enforced=each("counts", np.bool_), whole=whole
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
        if lead.kind == bound.kind:
            found[bound.requirement] = max(found.get(bound.requirement, -np.inf), bad)
    return tuple(first[i].figure(found[i]) for i in sorted(first))


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
    mixed = len({bound.kind for bound in bounds if bound.counts}) > 1
    charges: dict[int, list[tuple[int, int, float, float]]] = {}
    for bound, (t, r), own in zip(bounds, places, room, strict=True):
        by = 1.0 if not mixed else own if own > 0 else float("inf")
        for i in members[t] if bound.counts else ():
            charges.setdefault(i, []).append((t, r, bound.limit, by))
    return charges


def list_requests(profile: Profile, policy: Policy) -> tuple[TableRequest, ...]:
    """What is to be counted on each distinct QID."""
    wanted: dict[tuple[int, ...], dict[tuple[tuple[str, str | None], ...], None]] = {}
    for requirement in policy.requirements:
        for part in requirement.parts:
            wanted.setdefault(_numbers(policy, part.qid), {})[_counted(part, profile)] = None
    requests = []
    for numbers, blocks in wanted.items():
        pairs: tuple[tuple[str, str | None], ...] = ()
        for block in sorted(blocks, key=len, reverse=True):
            pairs += block if _place(pairs, block) is None else ()
        requests.append(TableRequest(numbers, pairs))
    return tuple(requests)


def _place(pairs: tuple[tuple[str, str | None], ...], block: tuple[tuple[str, str | None], ...]) -> int | None:
    """Where a run of sensitive values stands in a longer one."""
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


def check_feasible(profile: Profile, policy: Policy) -> None:
    """Refuse requirements that even the most masked table violates.

    Claim: refining never makes the worst group better, so the most masked
    table, one group with all records, has the best figures of all maskings
    (KAIS 2007, Theorem 3.3).
    """
    broken = []
    for i, requirement in enumerate(policy.requirements):
        checked: set[object] = set()
        for part in requirement.parts:
            if part.subject in checked:
                continue
            checked.add(part.subject)
            counted = _counted(part, profile)
            whole = [profile.n_rows, *(profile.sensitive[column].n_records(value) for column, value in counted)]
            counters = np.array(whole, np.int64)
            bound = _bound(part, profile, TableRequest((), counted), i, 0, counts=True)
            worst, is_broken = rule_kernels.weigh(as_rules([bound], counters), 0, counters, counters, 0)
            if is_broken:
                broken.append(policy.at(("requirements", i)) + _infeasible(requirement, part, bound.figure(worst)))
    if broken:
        raise InfeasibleError("\n".join(broken))


def _infeasible(requirement: Requirement, part: Part, best: float) -> str:
    """Say which requirement no masking can meet, and what is the best that can be reached."""
    match part:
        case KAnonymity():
            return (
                f"k={part.k} cannot be met on {requirement.name}: {WHOLE} has {plural(int(best), 'record')}, "
                "so that is the best that can be reached. Lower k or drop the requirement."
            )
        case Template():
            return (
                f"Confidence {float(part.bound):g} cannot be met on {requirement.name}: {_value(part)} of "
                f"`{part.sensitive}` has a share of {best:.4f} in {WHOLE}, and no "
                "masking can reach less. Raise its bound or drop it."
            )
        case Diversity():
            return (
                f"{part.level()} cannot be met on {requirement.name}: in {WHOLE} `{part.sensitive}` "
                f"{_most_diverse(part, best)}, "
                "and no masking can reach more diversity. Ask for less or drop the requirement."
            )
        case Closeness():
            raise AssertionError("the whole table is as close to itself as can be")


def _value(part: Template) -> str:
    """A protected value as the policy names it."""
    return "the missing value" if part.value is None else f"`{part.value}`"


def _most_diverse(part: Diversity, best: float) -> str:
    """How diverse a column is in the whole table."""
    match part.measure:
        case Measure.DISTINCT:
            return f"has {plural(int(best), 'value')}"
        case Measure.ENTROPY:
            return f"is as diverse as {best:.4f} equally frequent values"
        case Measure.RECURSIVE if isfinite(best):
            return f"has its most frequent value {best:.4f} times as often as the rare ones"
        case Measure.RECURSIVE:
            return f"has fewer than {part.l} values"


def _numbers(policy: Policy, qid: Sequence[str]) -> tuple[int, ...]:
    at = {name: i for i, name in enumerate(policy.masked)}
    return tuple(sorted(at[name] for name in qid))


def _counted(part: Part, profile: Profile) -> tuple[tuple[str, str | None], ...]:
    """The sensitive values whose records a rule counts, in the order it needs."""
    match part:
        case KAnonymity():
            return ()
        case Template():
            return ((part.sensitive, part.value),)
        case Diversity() | Closeness():
            order = part.order if isinstance(part, Closeness) else ()
            return tuple((part.sensitive, value) for value in profile.sensitive[part.sensitive].values(order))


def _bound(part: Part, profile: Profile, request: TableRequest, requirement: int, table: int, *, counts: bool) -> Bound:
    counted = _counted(part, profile)
    first = 1 + (_place(request.sensitive, counted) or 0)
    stop = first + len(counted)
    match part:
        case KAnonymity():
            k = min(part.k, _MOST_RECORDS)
            return Bound(requirement, table, rule_kernels.K, -float(k), k, counts=counts)
        case Template():
            kind, limit, (over, under), level = rule_kernels.SHARE, float(part.bound), part.bound.as_integer_ratio(), 0
        case Diversity():
            kind, level = _DIVERSITIES[part.measure], int(part.l)
            over, under = (part.c if part.measure is Measure.RECURSIVE else part.l).as_integer_ratio()
            limit = {
                Measure.DISTINCT: -float(part.l),
                Measure.ENTROPY: -log2(part.l),
                Measure.RECURSIVE: float(part.c),
            }[part.measure]
        case Closeness():
            kind, limit, over, under, level = _DISTANCES[part.distance], float(part.bound), 0, 1, 0
    return Bound(requirement, table, kind, limit, over, under, level, first, stop, counts)
