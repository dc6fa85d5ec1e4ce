"""Cells read as numbers, dates or times."""

from __future__ import annotations

import datetime as dt

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from maskwise.values.parsing import looks_like_code, parse_keys
from maskwise.values.scales import Scale, as_python, bound, interval_label, label, parse_bound


@given(numbers=st.lists(st.integers(-(10**17), 10**17), min_size=1))
def test_whole_numbers_are_read_as_written(numbers: list[int]) -> None:
    parsed = parse_keys(pa.array([f" {number} " for number in numbers]))
    assert parsed is not None
    assert (parsed.scale, parsed.numbers.tolist()) == (Scale.INTEGER, numbers)


@given(numbers=st.lists(st.floats(allow_nan=False, allow_infinity=False, width=32), min_size=1))
def test_fractions_are_read_as_python_reads_them(numbers: list[float]) -> None:
    parsed = parse_keys(pa.array([f"{number:.9f}" for number in numbers]))
    assert parsed is not None
    assert parsed.known.all()
    assert parsed.numbers.tolist() == [float(f"{number:.9f}") for number in numbers]


@given(days=st.lists(st.dates(dt.date(1, 1, 1), dt.date(9999, 12, 31)), min_size=1))
def test_dates_survive_reading_and_writing(days: list[dt.date]) -> None:
    parsed = parse_keys(pa.array([day.isoformat() for day in days]))
    assert parsed is not None
    assert parsed.scale is Scale.DATE
    assert [as_python(number, Scale.DATE) for number in parsed.numbers.tolist()] == days
    assert [label(number, Scale.DATE) for number in parsed.numbers.tolist()] == [day.isoformat() for day in days]


def test_the_few_that_do_not_fit_are_known() -> None:
    parsed = parse_keys(pa.array(["1", "2", "n/a", "3"]))
    assert parsed is not None
    assert parsed.known.tolist() == [True, True, False, True]
    days = parse_keys(pa.array(["2024-02-28", "2024-02-31"]))
    assert days is not None
    assert days.known.tolist() == [True, False]


@pytest.mark.parametrize(
    ("keys", "scale"),
    [
        (pa.array([1, 2], pa.uint8()), Scale.INTEGER),
        (pa.array([1.5]), Scale.REAL),
        (pa.array([dt.date(2024, 4, 6)]), Scale.DATE),
        (pa.array([dt.datetime(2024, 4, 6, 17)]), Scale.TIMESTAMP),  # noqa: DTZ001 - as a table has it
        (pa.array([dt.time(17, 30)]), Scale.TIME),
        (pa.array(["17:30:00", "08:00"]), Scale.TIME),
        (pa.array(["2024-04-06 17:30", "2024-04-06"]), Scale.TIMESTAMP),
    ],
)
def test_a_type_has_its_scale(keys: pa.Array, scale: Scale) -> None:
    parsed = parse_keys(keys)
    assert parsed is not None
    assert parsed.scale is scale


@pytest.mark.parametrize("keys", [pa.array([True]), pa.nulls(2), pa.array([b"x"])])
def test_what_has_no_order_has_no_scale(keys: pa.Array) -> None:
    assert parse_keys(keys) is None


def test_codes_are_no_numbers() -> None:
    assert looks_like_code(pa.array(["02134", "10001"]))
    assert not looks_like_code(pa.array(["2134", "0.5", "0"]))


@pytest.mark.parametrize(
    ("text", "value"), [("99", 99), ("2.5", 2.5), ("2024-01-31", dt.date(2024, 1, 31)), ("17:30", dt.time(17, 30))]
)
def test_an_end_of_a_range_is_what_it_says(text: str, value: object) -> None:
    assert parse_bound(text) == value


def test_an_interval_is_closed_only_at_its_upper_end() -> None:
    start, stop = bound("2024-01-01", Scale.DATE), bound("2025-01-01", Scale.DATE)
    assert interval_label(start, stop, Scale.DATE, closed=False) == "[2024-01-01, 2025-01-01)"
    assert interval_label(1, 2.5, Scale.REAL, closed=True) == "[1, 2.5]"
