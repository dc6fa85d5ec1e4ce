"""Ranges that tell no extreme."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from maskwise.suggestion.masking import round_outward
from maskwise.values.scales import Scale, bound


@given(st.integers(-(10**9), 10**9), st.integers(0, 10**9))
def test_a_range_of_numbers_holds_all_and_tells_no_end(low: int, span: int) -> None:
    high = low + span
    first, last = (bound(end, Scale.INTEGER) for end in round_outward(low, high, Scale.INTEGER))
    assert first < low or first == low == 0
    assert last > high


@given(st.floats(-1e6, 1e6), st.floats(0, 1e6))
def test_a_range_of_floats_holds_all(low: float, span: float) -> None:
    high = low + span
    first, last = (bound(end, Scale.REAL) for end in round_outward(low, high, Scale.REAL))
    assert first <= low
    assert last >= high


@given(st.integers(-600_000, 2_000_000), st.integers(0, 80_000))
def test_a_range_of_dates_holds_all_and_tells_no_end(first_day: int, days: int) -> None:
    low, high = first_day, min(first_day + days, 2_900_000)
    first, last = (bound(end, Scale.DATE) for end in round_outward(low, high, Scale.DATE))
    assert first < low
    assert last > high
