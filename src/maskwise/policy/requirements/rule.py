"""A part of a requirement as the search sees it: which arithmetic on the counters of a group, and its limits.

The arithmetic itself is compiled, in `search.rule_kernels.weigh`; a new kind needs an entry here and a branch there.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

MAX_RECORDS = 2**62
"""More than any table has, and still a 64-bit number."""


class Arithmetic(IntEnum):
    """How the badness of a group follows from its counters; `search.rule_kernels` computes it."""

    K = 0
    """The number of records, negated."""
    SHARE = 1
    """The share of a sensitive value."""
    DISTINCT = 2
    """The number of sensitive values, negated."""
    ENTROPY = 3
    """Their entropy in bits, negated."""
    RECURSIVE = 4
    """The records of the most frequent value over those of the rare ones."""
    EQUAL = 5
    """The distance from the whole table, all values equally far apart."""
    ORDERED = 6
    """The distance from the whole table, values as far apart as their places in their order."""


def same_figure(badness: float) -> float:
    """A badness that people read as it is: a share, a quotient, a distance."""
    return badness


def negated_count(badness: float) -> float:
    """A badness that is a negated count.

    >>> negated_count(-5.0)
    5
    """
    return -int(badness)


@dataclass(frozen=True, slots=True)
class Rule:
    """What the search needs to know of a part of a requirement."""

    arithmetic: Arithmetic
    """How the badness of a group is computed."""
    limit: float
    """The largest badness allowed."""
    numerator: int = 0
    """The bound's numerator, where counts are compared: k, l, or that of a share or of c."""
    denominator: int = 1
    """Its denominator."""
    level: int = 0
    """From which place on values are rare, for RECURSIVE."""
    to_figure: Callable[[float], float] = same_figure
    """Turns the badness of the worst group into the figure that people read."""
