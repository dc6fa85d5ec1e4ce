"""Every kernel against plain Python on random input."""

from __future__ import annotations

import math

import numpy as np
import pytest

from maskwise.search import interval_split as splits


def plain_entropy(counts: list[int]) -> float:
    total = sum(counts)
    return -sum(c / total * math.log2(c / total) for c in counts if c) if total else 0.0


def plain_split(counts: list[list[int]]) -> int:
    """The split of least remaining entropy, the lowest of equal ones."""
    total = sum(map(sum, counts))
    mixed = {}
    for at in range(1, len(counts)):
        parts = [[sum(column) for column in zip(*part, strict=True)] for part in (counts[:at], counts[at:])]
        mixed[at] = sum(sum(part) / total * plain_entropy(part) for part in parts)
    least = min(mixed.values())
    return min(at for at, value in mixed.items() if value < least + 1e-12)


@pytest.mark.parametrize("seed", range(40))
def test_best_split_is_the_plain_one(seed: int) -> None:
    rng = np.random.default_rng(seed)
    counts = rng.integers(0, 4, (int(rng.integers(2, 12)), int(rng.integers(1, 4)))) + 1 * (rng.random() < 0.5)
    counts[:, 0] += 1
    assert splits.best_split(counts.astype(np.int64), 0, len(counts)) == plain_split(counts.tolist())


def test_best_split_looks_only_inside_its_interval() -> None:
    counts = np.array([[9, 0], [1, 0], [0, 1], [0, 9]], np.int64)
    assert splits.best_split(counts, 1, 3) == 2
    assert splits.best_split(counts, 2, 4) == 3


def test_equal_splits_take_the_lower_boundary() -> None:
    counts = np.array([[1, 1], [1, 1], [1, 1]], np.int64)
    assert splits.best_split(counts, 0, 3) == 1
