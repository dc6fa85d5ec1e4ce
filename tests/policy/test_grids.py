"""Points of a grid between two values, beside a search through all of them."""

from __future__ import annotations

import datetime as dt
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import maskwise
from maskwise.errors import PolicyError
from maskwise.policy.grids import Grid
from maskwise.values.scales import DAY, Scale

EPOCH = dt.date(1970, 1, 1)


def is_start(day: dt.date, unit: str) -> bool:
    if unit == "day":
        return True
    if unit == "week":
        return day.weekday() == 0
    months = {"month": range(1, 13), "quarter": (1, 4, 7, 10), "year": (1,)}[unit]
    return day.day == 1 and day.month in months


@pytest.mark.parametrize("unit", ["day", "week", "month", "quarter", "year"])
@pytest.mark.parametrize("scale", [Scale.DATE, Scale.TIMESTAMP])
@given(first=st.integers(-30000, 30000), gap=st.integers(1, 900))
def test_a_point_of_the_calendar_is_found_where_there_is_one(unit: str, scale: Scale, first: int, gap: int) -> None:
    each = DAY if scale is Scale.TIMESTAMP else 1
    days = [first + i + 1 for i in range(gap) if is_start(EPOCH + dt.timedelta(days=first + i + 1), unit)]
    found, points = Grid.read(unit).between(np.array([first * each]), np.array([(first + gap) * each]), scale)
    assert bool(found[0]) == bool(days)
    if days:
        assert points[0] % each == 0
        assert points[0] // each in days
        every = Grid.read(unit).points(first * each, (first + gap) * each, scale)
        assert every.tolist() == [day * each for day in days]
        if any(EPOCH + dt.timedelta(days=day) == dt.date((EPOCH + dt.timedelta(days=day)).year, 1, 1) for day in days):
            chosen = EPOCH + dt.timedelta(days=int(points[0]) // each)
            assert unit in {"day", "week"} or (chosen.month, chosen.day) == (1, 1)


@given(left=st.integers(-500, 500), gap=st.integers(1, 300), step=st.integers(1, 50))
def test_a_multiple_of_a_number_is_found_where_there_is_one(left: int, gap: int, step: int) -> None:
    grid = Grid.read(str(step))
    multiples = [n for n in range(left + 1, left + gap + 1) if n % step == 0]
    for dtype in (np.int64, np.float64):
        scale = Scale.INTEGER if dtype is np.int64 else Scale.REAL
        found, points = grid.between(np.array([left], dtype), np.array([left + gap], dtype), scale)
        assert bool(found[0]) == bool(multiples)
        assert not multiples or points[0] in multiples
    low, high = grid.round_outward(left, left + gap, Scale.INTEGER)
    assert (low, high) == (left // step * step, -(-(left + gap) // step) * step)


@given(numbers=st.tuples(st.integers(-400, 400), st.integers(1, 200)))
def test_decimal_steps_are_the_decimals_that_were_meant(numbers: tuple[int, int]) -> None:
    left, right = numbers[0] / 100, (numbers[0] + numbers[1]) / 100
    found, points = Grid.read("0.1").between(np.array([left]), np.array([right]), Scale.REAL)
    assert bool(found[0]) == any(n % 10 == 0 for n in range(numbers[0] + 1, sum(numbers) + 1))
    if found[0]:
        assert left < points[0] <= right
        assert points[0] == float(f"{points[0]:.1f}")


@pytest.mark.parametrize("text", ["fortnight", "0", "-5", "nan", "inf", ""])
def test_what_is_no_grid_is_refused(text: str) -> None:
    with pytest.raises(PolicyError, match="`on` is one of"):
        Grid.read(text)


@pytest.mark.parametrize(
    ("text", "scale", "fits"),
    [
        ("month", Scale.DATE, True),
        ("month", Scale.INTEGER, False),
        ("month", Scale.TIME, False),
        ("5", Scale.DATE, False),
        ("5", Scale.TIME, False),
        ("hour", Scale.DATE, False),
        ("hour", Scale.TIMESTAMP, True),
        ("minute", Scale.TIME, True),
        ("day", Scale.TIME, False),
        ("0.5", Scale.INTEGER, False),
        ("0.5", Scale.REAL, True),
    ],
)
def test_a_grid_fits_an_order(text: str, scale: Any, fits: bool) -> None:
    assert (Grid.read(text).misfit(scale) is None) == fits


@pytest.mark.parametrize(("unit", "minutes"), [("minute", 1), ("hour", 60)])
@pytest.mark.parametrize("scale", [Scale.TIMESTAMP, Scale.TIME])
@given(first=st.integers(0, 1000), gap=st.integers(1, 400))
def test_points_of_the_clock_are_all_that_there_are(
    unit: str, minutes: int, scale: Scale, first: int, gap: int
) -> None:
    each, grid = 60_000_000, Grid.read(unit)
    expected = [at * each for at in range(first + 1, first + gap + 1) if at % minutes == 0]
    assert grid.points(first * each, (first + gap) * each, scale).tolist() == expected
    found, points = grid.between(np.array([first * each]), np.array([(first + gap) * each]), scale)
    assert bool(found[0]) == bool(expected)
    assert not expected or points[0] in expected


def test_a_day_ends_before_midnight() -> None:
    low, high = Grid.read("hour").round_outward(5 * 60_000_000, DAY - 60_000_000, Scale.TIME)
    assert (low, high) == (0, DAY - 1)


def test_intervals_of_moments_begin_at_hours() -> None:
    start = dt.datetime(2024, 1, 1, 7, 13)  # noqa: DTZ001 - as written
    moments = [start + dt.timedelta(minutes=23 * i) for i in range(60)]
    table = pa.table({"seen": moments, "ill": ["no" if i < 31 else "yes" for i in range(60)]})
    asked = {"class": "ill", "attributes": {"seen": {"interval": {"on": "hour"}}}}
    shown = maskwise.anonymize(table, {**asked, "requirements": [{"qid": ["seen"], "k": 5}]})
    (cut,) = shown.solution.cuts
    assert len(cut.breaks) > 2
    assert all(number % 3_600_000_000 == 0 for number in cut.breaks)
