"""The whole mechanism on tables that differ in one record.

So few runs find a mechanism whose noise is half of what it should be;
`python -m bench.private neighbours` does 200,000 of each.
"""

from __future__ import annotations

import pytest
from bench.neighbours import PAIRS, HalvedNoise, Pair, PooledNoise, compare

pytest.importorskip("opendp")
N_RUNS = 2000


@pytest.mark.slow
@pytest.mark.parametrize("pair", PAIRS[:2], ids=lambda pair: pair.name)
def test_no_result_tells_neighbours_apart_by_more_than_epsilon(pair: Pair) -> None:
    _, broken = compare(pair, N_RUNS, PooledNoise())
    assert not broken


@pytest.mark.slow
@pytest.mark.parametrize("pair", PAIRS[:2], ids=lambda pair: pair.name)
def test_half_of_the_noise_is_noticed(pair: Pair) -> None:
    _, broken = compare(pair, N_RUNS, HalvedNoise())
    assert broken
