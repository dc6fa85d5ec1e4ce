"""OpenDP's mechanisms as they are called here, against exact chances."""

from __future__ import annotations

import itertools
import math
from collections import Counter
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

import maskwise.private
from maskwise.private.mechanisms import OpenDPMechanisms, gap_scale, noise_scale, toss
from tests.private.bounds import agree, is_plausible

pytest.importorskip("opendp")
N = 4000


def noisy_max_chances(scores: list[int], scale: float) -> list[float]:
    """Noisy max with exponential noise is permute-and-flip: in random order, each is taken with its own chance."""
    best = max(scores)
    take = [math.exp((score - best) / scale) for score in scores]
    orders = list(itertools.permutations(range(len(scores))))
    chances = [0.0] * len(scores)
    for order in orders:
        left = 1.0
        for i in order:
            chances[i] += left * take[i] / len(orders)
            left *= 1 - take[i]
    return chances


def exponential_chances(scores: list[int], scale: float) -> list[float]:
    weights = [math.exp(score / scale) for score in scores]
    return [weight / sum(weights) for weight in weights]


@pytest.mark.slow
def test_choices_have_the_exact_chances_of_noisy_max() -> None:
    scores, epsilon = [0, 1500, 2048, 1000], Fraction(1)
    scale = 1024
    mechanisms = OpenDPMechanisms()
    drawn = Counter(mechanisms.choose(scores, 1024, epsilon) for _ in range(N))
    assert agree(drawn, noisy_max_chances(scores, scale), N)
    # With half the noise the same counts would not agree.
    assert not agree(drawn, noisy_max_chances(scores, scale / 2), N)


@pytest.mark.parametrize("scores", [[0, 3, 5], [5, 5, 0], [0, 0, 0], [1, 9, 2]])
def test_noisy_max_is_never_worse_than_the_exponential_mechanism_and_as_private(scores: list[int]) -> None:
    """In its expected score at the same epsilon; and over all neighbours its chances stay within the factor."""
    scale = 2.0
    flip, gumbel = noisy_max_chances(scores, scale), exponential_chances(scores, scale)
    assert sum(flip) == pytest.approx(1)

    def expected(chances: list[float]) -> float:
        return sum(chance * score for chance, score in zip(chances, scores, strict=True))

    assert expected(flip) >= expected(gumbel) - 1e-12
    for change in itertools.product((0, 1), repeat=len(scores)):
        other = noisy_max_chances([score + more for score, more in zip(scores, change, strict=True)], scale)
        assert all(max(a / b, b / a) <= math.exp(1 / scale) + 1e-12 for a, b in zip(flip, other, strict=True))


@pytest.mark.slow
def test_noise_is_discrete_laplace() -> None:
    epsilon = Fraction(1, 2)
    noisy = OpenDPMechanisms().add_noise(np.full(N, 7, np.int64), epsilon) - 7
    alpha = math.exp(-0.5)
    shift = 8
    counted = Counter(int(n) + shift for n in noisy if abs(n) <= shift)
    assert agree(counted, [(1 - alpha) / (1 + alpha) * alpha ** abs(i - shift) for i in range(2 * shift + 1)], N)


def test_geometric_draws_are_geometric() -> None:
    mechanisms = OpenDPMechanisms()
    counted = Counter(mechanisms.geometric(1.5) for _ in range(4000))
    alpha = math.exp(-1 / 1.5)
    assert agree(counted, [(1 - alpha) * alpha**i for i in range(6)], 4000)


def test_very_wide_gaps_can_be_drawn() -> None:
    drawn = [OpenDPMechanisms().geometric(gap_scale(1e-300)) for _ in range(20)]
    assert all(draw >= 0 for draw in drawn)
    # Each is smaller with a chance of one in a thousand, all of them with one of 10^-60.
    assert max(drawn) > 1 << 50


def test_no_scale_spends_more_than_asked() -> None:
    for epsilon in (Fraction(1, 3), Fraction(1, 10), Fraction(7, 9), Fraction(10)):
        assert 1 / Fraction(noise_scale(epsilon)) <= epsilon


def test_an_exact_coin_looks_at_more_bits_where_the_first_do_not_decide() -> None:
    asked = []

    def bits(n: int) -> int:
        asked.append(n)
        # One third is 0.010101... in binary: the first draw ties with it, the second is below.
        return int(Fraction(1, 3) * 2**n) if len(asked) == 1 else 0

    assert toss(lambda: Fraction(1, 3), bits)
    assert len(asked) == 2


def test_an_exact_coin_has_its_chance() -> None:
    mechanisms = OpenDPMechanisms()
    n = sum(mechanisms.coin(lambda: Fraction(1, 5)) for _ in range(5000))
    assert is_plausible(n, 0.2, 5000)


def test_nothing_but_the_mechanisms_draws() -> None:
    """No module of `private` knows another source of randomness; the ledger names temporary files at random."""
    folder = Path(maskwise.private.__file__).parent
    found = {}
    for path in folder.glob("*.py"):
        text = path.read_text()
        drawn = [word for word in ("import random", "np.random", "secrets", "default_rng", "uuid") if word in text]
        if drawn:
            found[path.name] = drawn
    assert found == {"mechanisms.py": ["secrets"], "ledger.py": ["secrets"]}
