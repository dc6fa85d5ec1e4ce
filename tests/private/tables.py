"""Tiny tables of codes, domains for them, and mechanisms that can be repeated."""

from __future__ import annotations

import random
from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import numpy as np

from maskwise.formats.policy_file import read_policy
from maskwise.policy.policy import Policy
from maskwise.private.cells import CodedRows
from maskwise.private.domain import DeclaredDomain, domains_of
from maskwise.private.outcome import PrivateOutcome
from maskwise.private.run import release_by
from maskwise.private.utility import prior_of

Record = tuple[int, ...]
"""The leaf of each attribute, and the class last."""

ATTRIBUTES = {
    "Age": {"interval": {"range": [0, 40], "on": 10}},
    "Edu": {"taxonomy": {"ANY": {"School": ["primary", "secondary"], "University": ["bachelor", "master"]}}},
    "Job": {"suppress": ["clerk", "nurse", "trader"]},
}


def policy(epsilon: object = 1, **asked: Any) -> Policy:
    """A policy with one attribute of each kind."""
    keys = {key: asked.pop(key) for key in ("missing", "person", "drop") if key in asked}
    entry = {"epsilon": epsilon, "attributes": list(ATTRIBUTES), **asked}
    said = {"class": {"Risk": ["lo", "hi"]}, "attributes": ATTRIBUTES, "requirements": [entry]}
    return read_policy({**said, **keys}, private=True)


def domains(**asked: Any) -> tuple[DeclaredDomain, ...]:
    return domains_of(policy(**asked))


def every_record(of: Sequence[DeclaredDomain], n_classes: int) -> list[Record]:
    """Every record that the domains allow."""
    found: list[Record] = [()]
    for n in (*(domain.n_codes for domain in of), n_classes):
        found = [(*one, code) for one in found for code in range(n)]
    return found


def coded(records: Sequence[Record]) -> CodedRows:
    """Distinct rows with their counts."""
    distinct = sorted(set(records))
    columns = np.array(distinct, np.int64)
    counts = np.array([records.count(one) for one in distinct], np.int64)
    if not distinct:
        return CodedRows(tuple(np.zeros(0, np.int64) for _ in ATTRIBUTES), np.zeros(0, np.int64), counts)
    return CodedRows(tuple(columns[:, a] for a in range(columns.shape[1] - 1)), columns[:, -1], counts)


def by_mechanisms(*given: Any, mechanisms: Any, **named: Any) -> PrivateOutcome:
    """A release by mechanisms of a test."""
    return release_by(mechanisms, *given, **named)


class Repeatable:
    """Mechanisms of a seeded generator: for tests only, and not private."""

    def __init__(self, seed: int = 0) -> None:
        self.random = random.Random(seed)  # noqa: S311 - for tests

    def choose(self, scores: Sequence[int], sensitivity: int, epsilon: Fraction) -> int:
        scale = float(sensitivity / epsilon)
        noisy = [score + self.random.expovariate(1 / scale) for score in scores]
        return noisy.index(max(noisy))

    def add_noise(self, counts: Any, epsilon: Fraction) -> Any:
        scale = float(1 / epsilon)
        noise = [self.geometric(scale) - self.geometric(scale) for _ in range(len(counts))]
        return np.asarray(counts) + np.array(noise, np.int64)

    def geometric(self, scale: float) -> int:
        return int(self.random.expovariate(1 / scale))

    def coin(self, chance: Any) -> bool:
        return self.random.random() < chance()


class Exact(Repeatable):
    """No noise, the best score, and no empty cell."""

    def choose(self, scores: Sequence[int], sensitivity: int, epsilon: Fraction) -> int:
        del sensitivity, epsilon
        return max(range(len(scores)), key=scores.__getitem__)

    def add_noise(self, counts: Any, epsilon: Fraction) -> Any:
        del epsilon
        return np.asarray(counts)

    def geometric(self, scale: float) -> int:
        del scale
        return 1 << 62


class Eager(Exact):
    """The same, and it never stops: the last score is that of stopping, or of the last option."""

    def choose(self, scores: Sequence[int], sensitivity: int, epsilon: Fraction) -> int:
        return super().choose(scores[:-1] or scores, sensitivity, epsilon)


def impurity(counts: Sequence[int]) -> int:
    """The impurity of a cell by its definition: exact fractions, rounded down."""
    if not sum(counts):
        return 0
    prior = prior_of(len(counts)).tolist()

    def gini(numbers: Sequence[int]) -> int:
        total = sum(numbers)
        return int(1024 * (Fraction(total) - sum(Fraction(n * n, total) for n in numbers)) // 1)

    return gini([n + p for n, p in zip(counts, prior, strict=True)]) - gini(prior)
