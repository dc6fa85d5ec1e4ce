"""How to search: which way, by what measure, for how long."""

from __future__ import annotations

import math
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

from maskwise.errors import InputError, quote

if TYPE_CHECKING:
    from collections.abc import Callable

    Announce = Callable[[str], None]

DEFAULT_EFFORT = 2
"""Some variants, in at most a few times the time of one search."""


class Method(StrEnum):
    """Which way the search goes."""

    TDR = "tdr"
    """Top-down refinement: from the most masked table, as long as it is safe."""
    BUG = "bug"
    """Bottom-up generalization: from the raw values, or the leaves of an interval tree, until it is safe."""


class Criterion(StrEnum):
    """How the next refinement is chosen."""

    SCORE = "score"
    """Information gained per unit of privacy lost."""
    INFOGAIN = "infogain"
    """Information gained alone."""
    CONDITIONAL = "conditional"
    """What is told beyond what is already shown, per unit of privacy lost; intervals split where it is valid."""


@dataclass(frozen=True, slots=True)
class Limits:
    """When to stop before the search ends by itself."""

    max_steps: int | None = None
    """After so many steps."""
    seconds: float | None = None
    """After so much time."""


@dataclass(frozen=True, slots=True)
class How:
    """Everything that is decided about a search but for the policy."""

    method: Method = Method.TDR
    """Which way."""
    criterion: Criterion = Criterion.SCORE
    """By what measure, top-down."""
    limits: Limits = Limits()
    """When to stop early."""
    restarts: int = 0
    """How many more times to try bottom-up, with attributes weighed at random; the best result is kept."""
    effort: int = 1
    """How hard to look, by the conditional criterion: 1 searches once, more tries variants and keeps the best."""
    seed: int = 0
    """Makes restarts, variants and folds repeatable."""


def choose_how(
    method: str = Method.TDR,
    criterion: str = Criterion.SCORE,
    max_steps: int | None = None,
    time_limit: float | None = None,
    restarts: int = 0,
    effort: int | None = None,
    seed: int | None = None,
) -> How:
    """Check the options of a search, and refuse those that do not exist or do not go together.

    >>> choose_how("bug", restarts=3).restarts
    3
    """
    if method not in set(Method):
        msg = f"The method is one of {quote(Method)}; found `{method}`."
        raise InputError(msg)
    if criterion not in set(Criterion):
        msg = f"The criterion is one of {quote(Criterion)}; found `{criterion}`."
        raise InputError(msg)
    if (max_steps is not None and max_steps < 0) or (
        time_limit is not None and (math.isnan(time_limit) or time_limit < 0)
    ):
        raise InputError("A step or time limit is a number that is at least 0.")
    if method == Method.BUG and criterion != Criterion.SCORE:
        raise InputError("A criterion is for the method `tdr`; `bug` has its own measure. Leave out one of them.")
    if restarts < 0 or (restarts and method != Method.BUG):
        raise InputError("Restarts are for the method `bug`, and at least 0.")
    if effort is not None and (effort < 1 or criterion != Criterion.CONDITIONAL):
        raise InputError("An effort is for the criterion `conditional`, and at least 1.")
    if seed is not None and seed < 0:
        raise InputError("A seed is a whole number that is at least 0.")
    limits = Limits(max_steps, time_limit)
    return How(Method(method), Criterion(criterion), limits, restarts, effort or DEFAULT_EFFORT, seed or 0)


def unheard(stage: str) -> None:
    """Announce a stage to nobody."""
    del stage


def stage_of(n: int, total: int) -> str:
    """What the stage of one search among several is called.

    >>> stage_of(3, 9), stage_of(1, 1)
    ('search 3 of 9', 'search')
    """
    return f"search {n} of {total}" if total > 1 else "search"
