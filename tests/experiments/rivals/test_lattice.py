"""The search of the lattice against a try of all combinations."""

from __future__ import annotations

from collections import Counter
from itertools import product

import numpy as np
from experiments.rivals.lattice import Lattice
from hypothesis import given, settings
from hypothesis import strategies as st

LEVELS = (lambda v: v, lambda v: v // 2, lambda v: v // 4, lambda _: 0)

records = st.lists(st.tuples(st.integers(0, 7), st.integers(0, 7), st.integers(0, 2)), min_size=1, max_size=30)


def try_all(
    rows: list[tuple[int, int, int]], k: int, max_suppressed: int
) -> tuple[int, int, tuple[int, int], int, int]:
    """Penalty, steps, levels, suppressed records and groups of the best combination."""
    choices = []
    for a, b in product(range(len(LEVELS)), repeat=2):
        groups: dict[tuple[int, int], Counter[int]] = {}
        for x, y, label in rows:
            groups.setdefault((LEVELS[a](x), LEVELS[b](y)), Counter())[label] += 1
        large = [group for group in groups.values() if group.total() >= k]
        n_small = len(rows) - sum(group.total() for group in large)
        if n_small <= max_suppressed and not 0 < n_small < k:
            penalty = n_small + sum(group.total() - max(group.values()) for group in large)
            choices.append((penalty, a + b, (a, b), n_small, len(large)))
    return min(choices)


@given(records, st.integers(1, 5), st.integers(0, 6))
@settings(deadline=None, max_examples=150)
def test_the_best_combination_is_found(rows: list[tuple[int, int, int]], k: int, max_suppressed: int) -> None:
    if k > len(rows):
        return
    columns = np.array(rows, np.int64).T
    codes = [[np.array([level(v) for v in column], np.int64) for level in LEVELS] for column in columns[:2].tolist()]
    lattice = Lattice(codes, columns[2], 3, k, max_suppressed)
    best = lattice.search()
    found = (best.penalty, best.steps, best.levels, best.n_suppressed, best.n_groups)
    assert found == try_all(rows, k, max_suppressed)
    assert lattice.n_nodes == 16 >= lattice.n_open


def test_a_level_that_fails_by_itself_is_left_out_of_all_combinations() -> None:
    unique, constant = np.arange(6), np.zeros(6, np.int64)
    lattice = Lattice([[unique, unique // 3, constant], [unique // 3, constant]], np.array([0, 0, 0, 1, 1, 1]), 2, 3, 0)
    assert (lattice.n_nodes, lattice.n_open) == (6, 4)
    assert lattice.search().levels == (1, 0)
    assert lattice.n_checked <= 4
