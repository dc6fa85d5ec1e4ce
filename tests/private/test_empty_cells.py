"""Noise of empty cells, found by jumping, against noise for each of them."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable
from decimal import localcontext
from fractions import Fraction

import pytest

from maskwise.private.counting import FALSE_CELLS, threshold_for
from maskwise.private.empty_cells import draw_empty_cells, tail
from maskwise.private.mechanisms import OpenDPMechanisms, exponential, toss
from tests.private.bounds import is_plausible
from tests.private.tables import Exact

pytest.importorskip("opendp")


@pytest.mark.slow
def test_jumping_draws_what_enumerating_all_cells_draws() -> None:
    n_cells, occupied, threshold, scale, n = 12, {3, 7}, 2, 1.5, 4000
    mechanisms = OpenDPMechanisms()
    alpha = math.exp(-1 / scale)
    chance = alpha**threshold / (1 + alpha)
    per_cell: Counter[int] = Counter()
    n_drawn: Counter[int] = Counter()
    noise: Counter[int] = Counter()
    for _ in range(n):
        drawn = draw_empty_cells(n_cells, occupied, threshold, scale, mechanisms)
        per_cell.update(at for at, _ in drawn)
        noise.update(count for _, count in drawn)
        n_drawn[len(drawn)] += 1
    empty = [at for at in range(n_cells) if at not in occupied]
    assert set(per_cell) <= set(empty)
    assert all(is_plausible(per_cell[at], chance, n) for at in empty)
    for k in range(5):
        binomial = math.comb(len(empty), k) * chance**k * (1 - chance) ** (len(empty) - k)
        assert is_plausible(n_drawn[k], binomial, n)
    for j in range(5):
        assert is_plausible(noise[threshold + j], (1 - alpha) * alpha**j, sum(noise.values()))


def test_a_table_of_many_cells_is_not_listed() -> None:
    n_cells, scale = 10**15, 2.0
    threshold = threshold_for(n_cells, scale)
    drawn = [draw_empty_cells(n_cells, set(), threshold, scale, OpenDPMechanisms()) for _ in range(20)]
    n = sum(map(len, drawn))
    expected = 20 * float(n_cells * tail(threshold, scale))
    # Twenty times 20 cells, about: by Chernoff's bound a false alarm is as likely as e to the power of -27.
    assert abs(n - expected) < 0.4 * expected
    assert all(0 <= at < n_cells and count >= threshold for one in drawn for at, count in one)


@pytest.mark.parametrize("digits", [2, 6])
def test_a_caller_who_computes_with_few_digits_changes_no_chance(digits: int) -> None:
    """The coin takes back exactly what jumps are too short by, in whatever decimal context the run is called."""
    asked: list[Fraction] = []

    class Watching(Exact):
        def geometric(self, scale: float) -> int:
            asked.append(Fraction(scale))
            return 0 if len(asked) == 1 else 1 << 62

        def coin(self, chance: Callable[[], Fraction]) -> bool:
            return toss(lambda: asked.append(chance()) or asked[-1], lambda n: n * 0)

    threshold, scale = 3, 1.7
    with localcontext(prec=digits):
        draw_empty_cells(10, set(), threshold, scale, Watching())
        found = threshold_for.__wrapped__(10**6, scale)
    gap, kept = asked[0], asked[1]
    with localcontext(prec=80):
        expected = tail(threshold, scale) / (1 - exponential(1 / gap))
    assert abs(kept - expected) < Fraction(1, 10**50)
    assert kept < 1
    assert found == threshold_for(10**6, scale)


@pytest.mark.parametrize("n_cells", [1, 30, 1000, 10**6, 10**18])
@pytest.mark.parametrize("scale", [0.3, 1.0, 25.5])
def test_the_threshold_is_the_smallest_that_few_empty_cells_reach(n_cells: int, scale: float) -> None:
    found = threshold_for(n_cells, scale)
    assert n_cells * tail(found, scale) <= FALSE_CELLS
    assert found == 1 or n_cells * tail(found - 1, scale) > FALSE_CELLS


def test_the_chance_to_reach_a_threshold_is_the_sum_over_all_noise() -> None:
    alpha = math.exp(-1 / 3)
    summed = sum((1 - alpha) / (1 + alpha) * alpha**j for j in range(4, 400))
    assert float(tail(4, 3.0)) == pytest.approx(summed)
    assert isinstance(tail(4, 3.0), Fraction)
