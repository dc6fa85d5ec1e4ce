"""Run the whole mechanism on neighbouring tables and look for results that tell them apart too well."""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

from maskwise.formats.policy_file import read_policy
from maskwise.policy.private_release import PrivateRelease
from maskwise.private.cells import CodedRows
from maskwise.private.domain import DeclaredDomain, domains_of
from maskwise.private.mechanism import release
from maskwise.private.mechanisms import OpenDPMechanisms

EPSILON = Fraction(1)
MOST_COUNT = 8
"""Noisy counts above it are one event."""
POOL = 5000
MOST_UNLIKELY = 1e-4
"""How unlikely a false alarm is, about, over all events."""


@dataclass(frozen=True)
class Pair:
    """Two tables of which one has one record more."""

    name: str
    steps: int | None
    records: tuple[tuple[int, int], ...]
    """Value and class of each record."""
    more: tuple[int, int]
    """The record that only one table has."""


PAIRS = (
    # No choice: all of epsilon is for the counts.
    Pair("counts", 0, ((0, 0), (0, 0), (1, 1)), (1, 1)),
    # The record more is a minority of the whole and the majority of its part: it changes the choice most.
    Pair("choice and counts", 1, ((0, 0),) * 12 + ((1, 1),) * 2, (1, 1)),
    Pair("choice by gini", 1, ((0, 0),) * 12, (1, 1)),
    Pair("empty table", 1, (), (0, 0)),
    # The number of records is bought, too.
    Pair("steps by size", None, ((0, 0),) * 12 + ((1, 1),) * 2, (1, 1)),
)


class PooledNoise(OpenDPMechanisms):
    """The same mechanisms; noise is drawn thousands at a time, since most of a call is its overhead."""

    def __init__(self) -> None:
        super().__init__()
        self._noise: dict[Fraction, list[int]] = {}

    def add_noise(self, counts: Any, epsilon: Fraction) -> Any:
        pool = self._noise.setdefault(epsilon, [])
        if len(pool) < len(counts):
            pool += super().add_noise(np.zeros(POOL, np.int64), epsilon).tolist()
        return np.array([n + pool.pop() for n in counts.tolist()], np.int64)


class HalvedNoise(PooledNoise):
    """The mechanisms with half of the noise they should have: what a test has to notice."""

    def choose(self, scores: Any, sensitivity: int, epsilon: Fraction) -> int:
        return super().choose(scores, sensitivity, 2 * epsilon)

    def add_noise(self, counts: Any, epsilon: Fraction) -> Any:
        return super().add_noise(counts, 2 * epsilon)


def small_domain() -> tuple[DeclaredDomain, ...]:
    said = {
        "class": {"c": ["x", "y"]},
        "attributes": {"a": {"taxonomy": {"ANY": ["p", "q"]}}},
        "requirements": [{"epsilon": 1, "attributes": ["a"]}],
        "missing": "drop",
    }
    return domains_of(read_policy(said, private=True))


def coded(records: tuple[tuple[int, int], ...]) -> CodedRows:
    distinct = sorted(set(records))
    columns = np.array(distinct, np.int64).reshape(-1, 2)
    counts = np.array([records.count(one) for one in distinct], np.int64)
    return CodedRows((columns[:, 0].copy(),), columns[:, 1].copy(), counts)


def results(pair: Pair, *, with_more: bool, n_runs: int, mechanisms: Any) -> Counter[tuple[Any, ...]]:
    """What so many runs release: what was refined, and the noisy count of every cell."""
    rows = coded((*pair.records, pair.more) if with_more else pair.records)
    asked = PrivateRelease(EPSILON, ("a",), pair.steps)
    domains = small_domain()
    found: Counter[tuple[Any, ...]] = Counter()
    for _ in range(n_runs):
        made = release(rows, domains, 2, asked, mechanisms)
        cells = {(*codes, label): n for *codes, label, n in _cells(made)}
        refined = len(made.chosen)
        every = [(i, c) for i in range(2 if refined else 1) for c in range(2)]
        found[(refined, *(min(cells.get(one, 0), MOST_COUNT) for one in every))] += 1
    return found


def _cells(made: Any) -> list[tuple[int, ...]]:
    cells = made.cells
    columns = [*cells.codes.T.tolist(), cells.classes.tolist(), cells.counts.tolist()]
    return list(zip(*columns, strict=True))


def events(found: Counter[tuple[Any, ...]]) -> Counter[Any]:
    """Events that results belong to: what was refined, alone or with one count from some number on, or up to it."""
    counted: Counter[Any] = Counter()
    for result, n in found.items():
        counted["refined", result[0]] += n
        for place, count in enumerate(result[1:]):
            for least in range(1, count + 1):
                counted["at least", result[0], place, least] += n
            for most in range(count, MOST_COUNT):
                counted["at most", result[0], place, most] += n
    return counted


def worst_ratio(
    first: Counter[tuple[Any, ...]],
    second: Counter[tuple[Any, ...]],
    n_runs: int,
    most_unlikely: float = MOST_UNLIKELY,
) -> tuple[float, list[Any]]:
    """The largest ratio of chances that is beyond doubt, and the events whose ratio is above e^epsilon beyond doubt.

    By Chernoff's bounds for any number of runs: of a count a the expected one is
    below a - z sqrt(a), or above a + z sqrt(a) + z^2, with a chance of
    exp(-z^2 / 2) at most. With two of them for each event and direction, a
    false alarm is twice as likely as `most_unlikely`.
    """
    one, other = events(first), events(second)
    every = set(one) | set(other)
    # Every event is looked at in both directions, each with its own bound.
    z = math.sqrt(2 * math.log(2 * len(every) / most_unlikely))
    worst, broken = 0.0, []
    for event in every:
        for a, b in ((one[event], other[event]), (other[event], one[event])):
            low = max(a - z * math.sqrt(a), 0.0) / n_runs
            high = (b + z * math.sqrt(b) + z * z) / n_runs
            worst = max(worst, low / high)
            if low > math.exp(EPSILON) * high:
                broken.append(event)
    return worst, broken


def compare(pair: Pair, n_runs: int, mechanisms: Any, most_unlikely: float = MOST_UNLIKELY) -> tuple[float, list[Any]]:
    """Run both tables of a pair so many times each."""
    both = [results(pair, with_more=more, n_runs=n_runs, mechanisms=mechanisms) for more in (False, True)]
    return worst_ratio(both[0], both[1], n_runs, most_unlikely)
