"""Numbers of a country are read as decimals, exactly; what is no such number stays."""

from __future__ import annotations

from decimal import Decimal, InvalidOperation

import pytest
from hypothesis import given
from hypothesis import strategies as st

from maskwise.errors import PolicyError
from maskwise.values.number_spellings import KNOWN, NumberForm, forms_of


def written(number: Decimal, form: str, *, parted: bool) -> str:
    """A number as a country writes it; plain Python, by its digits."""
    shape = NumberForm(form)
    whole, _, decimals = f"{number.copy_abs():f}".partition(".")
    if parted:
        pieces = [whole[max(end - 3, 0) : end] for end in range(len(whole), 0, -3)]
        whole = shape.thousands.join(reversed(pieces))
    return ("-" if number < 0 else "") + whole + (shape.decimal + decimals if decimals else "")


@given(
    number=st.decimals(allow_nan=False, allow_infinity=False, places=7),
    form=st.sampled_from(KNOWN),
    parted=st.booleans(),
)
def test_a_number_is_read_as_the_decimal_that_was_written(number: Decimal, form: str, *, parted: bool) -> None:
    usual = NumberForm(form).to_usual(f" {written(number, form, parted=parted)} ")
    assert Decimal(usual) == number


@pytest.mark.parametrize(
    ("form", "text", "usual"),
    [
        ("1.234,5", "3,5", "3.5"),
        ("1.234,5", "3,50", "3.5"),
        ("1.234,5", "1.234,50", "1234.5"),
        ("1.234,5", "1.234.567", "1234567"),
        ("1.234,5", "+007,0", "7"),
        ("1.234,5", "-0,00", "0"),
        ("1.234,5", ",5", "0.5"),
        ("1.234,5", "\u22123,5", "-3.5"),
        ("1 234,5", "12\u00a0345,6", "12345.6"),
        ("1 234,5", "12\u202f345,6", "12345.6"),
        ("1'234.5", "1\u2019234.5", "1234.5"),
        ("1,234.5", "1,234", "1234"),
        ("1234,5", "9007199254740993,1", "9007199254740993.1"),
    ],
)
def test_numbers_as_exports_have_them(form: str, text: str, usual: str) -> None:
    assert NumberForm(form).to_usual(text) == usual


@pytest.mark.parametrize(
    "text", ["1.23,4", "12.34", "1.2345", "0.125", "1..234", "1,2,3", "3,5 kg", "", " ", ",", "-", "k.A.", "1 234,5"]
)
def test_what_does_not_stand_every_three_digits_is_no_number_of_the_form(text: str) -> None:
    assert NumberForm("1.234,5").to_usual(text) == text


@given(st.text(alphabet="0123456789.,' -+", max_size=9), st.sampled_from(KNOWN))
def test_a_text_that_is_changed_is_a_decimal_of_the_same_digits(text: str, form: str) -> None:
    shape = NumberForm(form)
    usual = shape.to_usual(text)
    if usual == text:
        return
    plain = text.strip()
    for mark in shape.marks:
        plain = plain.replace(mark, "")
    try:
        assert Decimal(usual) == Decimal(plain.replace(shape.decimal, "."))
    except InvalidOperation:
        pytest.fail(f"{text!r} is no number, but was read as {usual!r}")


@pytest.mark.parametrize(
    ("texts", "forms"),
    [
        (["3,5", "1.234"], ["1.234,5"]),
        (["3,5", "12"], ["1234,5"]),
        (["0,125", "1,250"], ["1234,5"]),
        (["12 345,6"], ["1 234,5"]),
        (["12 345"], ["1 234,5"]),
        (["1'234.5", "7"], ["1'234.5"]),
        (["1,234.5"], ["1,234.5"]),
        (["1.234.567"], ["1.234,5"]),
        (["1,234", "12,000"], ["1234,5", "1,234.5"]),
        (["1.234", "2.5"], []),
        (["1.234"], []),
        (["3,5", "3.5"], []),
        (["3,5", "north"], []),
        ([], []),
    ],
)
def test_a_comma_somewhere_decides_how_all_are_written(texts: list[str], forms: list[str]) -> None:
    assert [form.text for form in forms_of(texts)] == forms


def test_a_form_that_is_not_known_is_refused_with_those_that_are() -> None:
    assert NumberForm.read(" 1\u00a0234,5 ").text == "1 234,5"
    with pytest.raises(PolicyError, match=r"Known are `1234,5`, `1\.234,5`"):
        NumberForm.read("1,5")
    with pytest.raises(PolicyError, match=r"1234\.5 need no form"):
        NumberForm.read("1234.5")
