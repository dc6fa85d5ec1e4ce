"""All attacks, each with what it needs; a new one is a function and a line here."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

from maskwise.attacks import homogeneity, labels, minimality
from maskwise.attacks.attack import Attack, AttackResult
from maskwise.attacks.told import KNOWS as TOLD_KNOWS
from maskwise.attacks.told import told
from maskwise.values.message import Audience

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from maskwise.attacks.searched import Searched
    from maskwise.policy.policy import Policy
    from maskwise.release.leaks import Leak
    from maskwise.table.table import Table

NEEDS_ORIGINAL = "It needs the original table and the owner's solution: pass --original and --solution."


@dataclass(frozen=True, slots=True)
class Attacked:
    """A release, and what its owner has beside it."""

    policy: Policy
    """What was asked."""
    release: Table
    """What recipients have."""
    searched: Searched | None = None
    """The cut, and the counts of the original table; None if these are not at hand."""
    leaks: Sequence[Leak] | None = None
    """The released columns that tell a masked one, found in the original table."""
    whole: Table | None = None
    """The masked records with the columns that are not released, where the original is at hand."""


def _minimality(attacked: Attacked) -> Sequence[Attack]:
    if attacked.searched is None:
        return [Attack("minimality", minimality.KNOWS, AttackResult.NOT_RUN, NEEDS_ORIGINAL, Audience.RECIPIENT)]
    return [minimality.minimality(attacked.searched)]


def _labels(attacked: Attacked) -> Sequence[Attack]:
    if attacked.searched is None:
        return [Attack("labels", labels.KNOWS, AttackResult.NOT_RUN, NEEDS_ORIGINAL, Audience.RECIPIENT)]
    return [labels.labels_that_tell(attacked.searched)]


def _told(attacked: Attacked) -> Sequence[Attack]:
    if attacked.searched is None:
        return [Attack("told", TOLD_KNOWS, AttackResult.NOT_RUN, NEEDS_ORIGINAL, Audience.RECIPIENT)]
    return [told(attacked.leaks, attacked.policy)]


def _homogeneity(attacked: Attacked) -> Sequence[Attack]:
    policy, release = attacked.policy, attacked.release
    class_names = [] if policy.class_name is None else [policy.class_name]
    return [
        attack
        for name in dict.fromkeys([*policy.sensitive, *class_names])
        for attack in homogeneity.column_attacks(policy, name, release, attacked.whole or release)
    ]


AttackFunction: TypeAlias = "Callable[[Attacked], Sequence[Attack]]"
ATTACKS: tuple[AttackFunction, ...] = (_minimality, _labels, _told, _homogeneity)
"""All attacks, in the order in which they are tried."""


def try_all(attacked: Attacked) -> tuple[Attack, ...]:
    """Try every attack that is registered."""
    return tuple(found for function in ATTACKS for found in function(attacked))
