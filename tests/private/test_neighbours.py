"""The whole mechanism on tables that differ in one record.

So few runs find a mechanism whose noise is half of what it should be;
`python -m bench.private neighbours` does 200,000 of each. A false alarm has a
chance of 2 * 10^-9. That half of the noise is not noticed would need both
counts to be five standard deviations from where they are expected.
"""

from __future__ import annotations

import pytest
from bench.neighbours import PAIRS, HalvedNoise, Pair, PooledNoise, compare

pytest.importorskip("opendp")
N_RUNS, MOST_UNLIKELY = 2000, 1e-9


@pytest.mark.slow
@pytest.mark.parametrize("pair", PAIRS[:2], ids=lambda pair: pair.name)
def test_no_result_tells_neighbours_apart_by_more_than_epsilon(pair: Pair) -> None:
    _, broken = compare(pair, N_RUNS, PooledNoise(), MOST_UNLIKELY)
    assert not broken


@pytest.mark.slow
def test_half_of_the_noise_is_noticed() -> None:
    """In the counts; `test_choices_have_the_exact_chances_of_noisy_max` notices it in choices."""
    _, broken = compare(PAIRS[0], N_RUNS, HalvedNoise(), MOST_UNLIKELY)
    assert broken
