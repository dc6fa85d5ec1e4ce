"""When two spellings are one value, and in which order values come."""

from __future__ import annotations

import datetime as dt
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from maskwise.values.spelling import has_order, is_spelled, one_spelling, telling_apart, text_of, value_order

NUMBERS = st.floats(allow_nan=False, allow_infinity=False, min_value=-1e9, max_value=1e9).map(lambda x: round(x, 6))


@given(number=NUMBERS)
def test_a_number_is_one_value_however_types_write_it(number: float) -> None:
    spellings = {repr(number), f"{Decimal(repr(number)):e}", f"{Decimal(repr(number)):E}"}
    spellings |= {f"{number:.0f}", f"{number:.3f}"} if number.is_integer() else set()
    assert len({one_spelling(text) for text in spellings}) == 1
    assert all(is_spelled(text, repr(number)) for text in spellings)


@given(number=st.integers(-(10**25), 10**25))
def test_whole_numbers_beyond_floats_are_told_apart(number: int) -> None:
    assert one_spelling(str(number)) != one_spelling(str(number + 1))
    assert one_spelling(f"{number}.0") == one_spelling(str(number))


@pytest.mark.parametrize(
    ("one", "other"), [("01", "1"), ("250.1", "250.10"), ("1.50", "1.5"), ("+1", "1"), (".5", "0.5")]
)
def test_codes_are_told_apart(one: str, other: str) -> None:
    assert not is_spelled(one, other)


@given(texts=st.lists(st.text(min_size=1), min_size=1))
def test_texts_are_one_value_only_if_they_are_equal(texts: list[str]) -> None:
    for text in texts:
        assert [is_spelled(other, text) for other in texts] == [
            other == text or (one_spelling(other) == one_spelling(text)) for other in texts
        ]
    assert not is_spelled("HIV", "hiv")


@given(numbers=st.lists(st.integers(-1000, 1000), min_size=1))
def test_numbers_are_sorted_by_size_and_texts_by_letters(numbers: list[int]) -> None:
    texts = [str(number) for number in numbers]
    assert [int(text) for text in sorted(texts, key=value_order(texts))] == sorted(numbers)
    mixed = [*texts, "x"]
    assert sorted(mixed, key=value_order(mixed)) == sorted(mixed)


@pytest.mark.parametrize(
    ("cell", "text"),
    [(True, "true"), (3.0, "3"), (0.1, "0.1"), (dt.date(2024, 4, 6), "2024-04-06"), ("x", "x"), (7, "7")],
)
def test_a_cell_is_spelled_as_outputs_spell_it(cell: object, text: str) -> None:
    assert text_of(cell) == text


def test_an_order_needs_all_values_to_have_it() -> None:
    assert has_order(["1", "2.5", "1e3"])
    assert has_order(["2024-01-31", "2023-02-01"])
    assert not has_order(["1", "high"])
    assert not has_order(["2024-01-31T10:00", "2024-01-31 11:00"])


@pytest.mark.parametrize(
    ("texts", "one", "other", "same"),
    [
        (["250", "250.0"], "250", "250.0", False),
        (["1e3", "1000"], "1e3", "1000", False),
        (["250.1", "250.10"], "250.1", "250.10", False),
        (["01", "1"], "01", "1", False),
        (["9007199254740992", "9007199254740993"], "9007199254740992", "9007199254740993", False),
        (["0.0", "-0.0", "2.5"], "0.0", "-0.0", True),
        (["1.50", "2.00"], "1.5", "1.50", True),
        (["1.0", "1e+20", "inf"], "1", "1.0", True),
        (["1", "2", "x"], "1", "1.0", False),
    ],
)
def test_texts_are_one_value_only_where_the_whole_column_is_written_as_numbers(
    texts: list[str], one: str, other: str, same: bool
) -> None:
    value_of = telling_apart(texts, is_text=True)
    assert (value_of(one) == value_of(other)) is same


def test_typed_numbers_are_one_value_however_they_are_spelled() -> None:
    assert telling_apart(["250", "250.0"], is_text=False)("250.0") == "250"
