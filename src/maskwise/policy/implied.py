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
            alike.setdefault(_family(part), []).append(((i, p), part))
    found: dict[tuple[int, int], int] = {}
    for rules in alike.values():
        for (place, part), wider in zip(rules, _wider([_items(part) for _, part in rules]), strict=True):
            for other, stronger in (rules[at] for at in wider):
                may = unit is Unit.RECORD or part.counted is None or set(part.qid) == set(stronger.qid)
                implied = may and other != place and other not in found and stronger.implies(part)
                if implied and not (place < other and part.implies(stronger)):
                    found[place] = other[0]
                    break
    return MappingProxyType(found)


def _family(part: Part) -> tuple[object, ...]:
    """Rules of the same type on the same sensitive column: only these can imply each other."""
    return type(part), None if part.counted is None else part.counted.column


def _items(part: Part) -> tuple[object, ...]:
    """What a rule names: only one that names all of them can imply it."""
    elements = () if part.counted is None else part.counted.elements
    return (*part.qid, *(("value", element) for element in elements))


def _wider(named: Sequence[tuple[object, ...]]) -> Iterator[Iterator[int]]:
    """For each rule the places of those that name all that it names, itself included, in order.

    Only a rule on as many attributes or more can imply another. An lkc
    requirement stands for up to 2,000 rules, so not every pair is compared: for
    each attribute a number has a bit for each rule that names it.
    """
    naming: dict[object, int] = {}
    for at, items in enumerate(named):
        for item in items:
            naming[item] = naming.get(item, 0) | 1 << at
    for items in named:
        yield _ones(reduce(and_, (naming[item] for item in items)))


def _ones(bits: int) -> Iterator[int]:
    """The places of the bits that are set, lowest first."""
    while bits:
        lowest = bits & -bits
        yield lowest.bit_length() - 1
        bits ^= lowest
