"""Which figures are equal, at every magnitude; and searches without a class, whose gains are numbers of records."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import maskwise
from maskwise.search.ties import is_less, largest, smallest, tolerance_at

MAGNITUDES = [10.0**e for e in range(13)]
SHARES = st.lists(st.floats(0, 1, allow_nan=False), min_size=1, max_size=20)


@pytest.mark.parametrize("magnitude", MAGNITUDES)
@given(shares=SHARES)
def test_the_largest_is_always_among_the_largest(magnitude: float, shares: list[float]) -> None:
    figures = np.array(shares) * magnitude
    assert int(figures.argmax()) in largest(figures)
    assert int(figures.argmin()) in smallest(figures)
    top = max(figures.tolist())
    near = [i for i, figure in enumerate(figures.tolist()) if top - figure < 1e-12 * max(1.0, top)]
    assert largest(figures).tolist() == near


@pytest.mark.parametrize("magnitude", MAGNITUDES)
def test_what_rounding_does_is_equal_and_what_is_more_is_not(magnitude: float) -> None:
    rounded = np.nextafter(magnitude, np.inf)
    assert largest(np.array([magnitude, rounded])).tolist() == [0, 1]
    assert not is_less(magnitude, rounded)
    more = magnitude * (1 + 1e-9)
    assert largest(np.array([magnitude, more])).tolist() == [1]
    assert is_less(magnitude, more)
    assert not is_less(more, magnitude)


def test_up_to_one_the_tolerance_is_the_papers() -> None:
    assert {tolerance_at(figure) for figure in (-1.0, 0.0, 1e-9, 1.0)} == {1e-12}


def people(n: int) -> pa.Table:
    rng = np.random.default_rng(5)
    return pa.table(
        {
            "age": rng.integers(17, 91, n),
            "hours": rng.normal(40, 12, n).round(1),
            "job": rng.choice(["clerk", "nurse", "farmer", "judge", "pilot"], n, p=[0.4, 0.3, 0.2, 0.09, 0.01]),
            "town": np.char.add("t", rng.integers(0, 40, n).astype(str)),
        }
    )


POLICY = {
    "attributes": {
        "age": {"interval": [0, 120]},
        "hours": "interval",
        "job": {"taxonomy": {"any": {"office": ["clerk", "judge"], "other": ["nurse", "farmer", "pilot"]}}},
        "town": "suppress",
    },
    "requirements": [{"qid": ["age", "job"], "k": 50}, {"qid": ["hours", "town"], "k": 20}],
}


@pytest.mark.slow
@pytest.mark.parametrize("options", [{}, {"criterion": "infogain"}, {"method": "bug"}], ids=str)
@pytest.mark.parametrize("n", [50_000, pytest.param(1_000_000, marks=pytest.mark.slow)])
def test_a_table_without_a_class_is_masked_whatever_its_size(n: int, options: dict[str, str]) -> None:
    limit = {} if "method" in options else {"max_steps": 25}
    outcome = maskwise.anonymize(people(n), POLICY, **options, **limit)
    assert outcome.verdict.is_met
    assert outcome.verdict.n_rows == n
    assert len(outcome.steps) > 5
