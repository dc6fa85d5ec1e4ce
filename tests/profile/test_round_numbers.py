"""The roundest value between two values."""

from __future__ import annotations

import datetime as dt
from decimal import Decimal

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from maskwise.profile.round_numbers import round_between
from maskwise.values.scales import Scale, as_python, bound

integers = st.integers(-(10**12), 10**12)
floats = st.floats(-1e12, 1e12, allow_nan=False)


def between(left: float, right: float, scale: Scale) -> float:
    kind = np.float64 if scale is Scale.REAL else np.int64
    return round_between(np.array([left], kind), np.array([right], kind), scale)[0].item()


def between_texts(left: str, right: str, scale: Scale) -> str:
    found = as_python(between(bound(left, scale), bound(right, scale), scale), scale)
    assert isinstance(found, dt.date | dt.time)
    return found.isoformat()


@given(integers, integers)
def test_a_whole_number_lies_between_and_none_there_has_more_zeros(one: int, other: int) -> None:
    assume(one != other)
    left, right = sorted((one, other))
    found = between(left, right, Scale.INTEGER)
    assert left < found <= right
    assert (found == right) is (right - left == 1)
    n_zeros = len(str(found)) - len(str(found).rstrip("0")) if found else 99
    for power in range(n_zeros + 1, 14):
        assert not left < (right - 1) // 10**power * 10**power < right


@given(floats, floats)
def test_a_decimal_lies_between_and_none_there_is_shorter(one: float, other: float) -> None:
    assume(one != other)
    left, right = sorted((one, other))
    found = between(left, right, Scale.REAL)
    assert left < found <= right
    are_whole = left == int(left) and right == int(right)
    assert found < right or (are_whole and right - left == 1) or abs(right - left) <= 2e-16 * abs(right) + 1e-20
    assume(found not in (0, right) and not are_whole)
    places = -int(Decimal(repr(found)).normalize().as_tuple().exponent)
    for fewer in range(-12, min(places, 15)):
        step = Decimal(1).scaleb(-fewer)
        whole = (Decimal(repr(right)) / step).to_integral_value("ROUND_FLOOR")
        assert not any(left < float(multiple * step) < right for multiple in (whole, whole - 1))


@pytest.mark.parametrize(
    ("left", "right", "scale", "expected"),
    [
        ("1949-07-02", "1965-03-04", Scale.DATE, "1965-01-01"),
        ("1965-01-01", "1965-03-04", Scale.DATE, "1965-03-01"),
        ("1965-03-01", "1965-03-04", Scale.DATE, "1965-03-02"),
        ("1964-12-31", "1965-01-01", Scale.DATE, "1965-01-01"),
        ("1901-05-05", "1904-02-29", Scale.DATE, "1904-01-01"),
        ("2024-02-03T10:11:12", "2024-02-03T17:45:09", Scale.TIMESTAMP, "2024-02-03T17:00:00"),
        ("2024-02-03T17:11:12", "2024-02-03T17:45:09", Scale.TIMESTAMP, "2024-02-03T17:45:00"),
        ("2024-02-03T17:45:03", "2024-02-03T17:45:09.5", Scale.TIMESTAMP, "2024-02-03T17:45:06"),
        ("2024-02-03T17:45:03", "2024-02-05T09:00:01", Scale.TIMESTAMP, "2024-02-05T00:00:00"),
        ("2024-01-31T17:45:03", "2024-02-05T09:00:01", Scale.TIMESTAMP, "2024-02-01T00:00:00"),
        ("08:12", "17:45:09", Scale.TIME, "17:00:00"),
        ("17:45:02", "17:45:09", Scale.TIME, "17:45:05"),
    ],
)
def test_a_date_or_time_is_the_coarsest_that_fits(left: str, right: str, scale: Scale, expected: str) -> None:
    assert between_texts(left, right, scale) == expected


def test_neighbouring_floats_leave_no_room() -> None:
    left = 0.1
    right = np.nextafter(left, 1.0).item()
    assert between(left, right, Scale.REAL) == right
    assert between(-1.5, 2.5, Scale.REAL) == 0
    assert between(1e300, 2.5e300, Scale.REAL) == 2e300


def test_floats_that_are_whole_numbers_are_parted_as_such() -> None:
    assert between(21.0, 22.0, Scale.REAL) == 22
    assert between(36.0, 44.0, Scale.REAL) == 40
    assert between(21.0, 22.5, Scale.REAL) == 22
