"""Which requirements follow from others."""

from __future__ import annotations

from functools import lru_cache, reduce
from operator import and_
from types import MappingProxyType
from typing import TYPE_CHECKING

from maskwise.policy.requirements.unit import Unit

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from maskwise.policy.requirements.base import Part, Requirement


@lru_cache(maxsize=16)  # the trees, the bounds and the report all ask
def _implied_parts(requirements: tuple[Requirement, ...], unit: Unit) -> Mapping[tuple[int, int], int]:
    """For each rule that another rule implies, the position of that one's requirement.

    Claim: of persons, a rule on sensitive values says nothing of other QIDs. A
    group on fewer attributes is a union of groups, but not of persons: one may
    be in several of them, so a share in the union may exceed all of theirs.
    """
    alike: dict[tuple[object, ...], list[tuple[tuple[int, int], Part]]] = {}
    for i, requirement in enumerate(requirements):
        for p, part in enumerate(requirement.parts):
            alike.setdefault(part.subject, []).append(((i, p), part))
    found: dict[tuple[int, int], int] = {}
    for rules in alike.values():
        for (place, part), wider in zip(rules, _wider([part.qid for _, part in rules]), strict=True):
            for other, stronger in (rules[at] for at in wider):
                may = unit is Unit.RECORD or part.counted is None or set(part.qid) == set(stronger.qid)
                implied = may and other != place and other not in found and stronger.implies(part)
                if implied and not (place < other and part.implies(stronger)):
                    found[place] = other[0]
                    break
    return MappingProxyType(found)


def _wider(qids: Sequence[tuple[str, ...]]) -> Iterator[Iterator[int]]:
    """For each QID the places of those that contain it, itself included, in order.

    Only a rule on as many attributes or more can imply another. An lkc
    requirement stands for up to 2,000 rules, so not every pair is compared: for
    each attribute a number has a bit for each QID that names it.
    """
    naming: dict[str, int] = {}
    for at, qid in enumerate(qids):
        for name in qid:
            naming[name] = naming.get(name, 0) | 1 << at
    for qid in qids:
        yield _ones(reduce(and_, (naming[name] for name in qid)))


def _ones(bits: int) -> Iterator[int]:
    """The places of the bits that are set, lowest first."""
    while bits:
        lowest = bits & -bits
        yield lowest.bit_length() - 1
        bits ^= lowest
