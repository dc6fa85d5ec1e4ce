"""Dates as countries write them, compared with Python's own calendar."""

from __future__ import annotations

import datetime as dt

import pytest

from maskwise.errors import PolicyError
from maskwise.values.date_forms import KNOWN, DateForm, forms_of

_DIRECTIVES = {"DD": "%d", "MM": "%m", "YYYY": "%Y"}


def written(moment: dt.datetime, form: str, clock: str = "") -> str:
    """A moment in a form, by `strftime`."""
    for part, directive in _DIRECTIVES.items():
        form = form.replace(part, directive)
    return moment.strftime(form + clock)


@pytest.mark.parametrize("name", KNOWN)
def test_a_date_of_each_form_is_the_one_that_python_reads(name: str) -> None:
    form = DateForm.read(name)
    for n in range(0, 40_000, 997):
        moment = dt.datetime(1931, 1, 1, 0, 7) + dt.timedelta(days=n, minutes=61 * n)  # noqa: DTZ001 - as a spreadsheet has them
        assert form.to_usual(written(moment, name)) == f"{moment:%Y-%m-%d}"
        assert form.to_usual(written(moment, name, " %H:%M")) == f"{moment:%Y-%m-%dT%H:%M}"
        assert form.to_usual(written(moment, name, "  %H:%M:%S")) == f"{moment:%Y-%m-%dT%H:%M:%S}"


def test_single_digits_are_filled_up_and_blanks_around_a_date_are_left_away() -> None:
    assert DateForm("DD.MM.YYYY").to_usual(" 7.3.2024 9:05 ") == "2024-03-07T09:05"
    assert DateForm("MM/DD/YYYY").to_usual("7/17/1971") == "1971-07-17"


@pytest.mark.parametrize("text", ["unknown", "17.07.71", "32.01.2024", "1.13.2024", "2024-03-07", "17/07/1971", ""])
def test_what_has_another_form_stays_as_it_is(text: str) -> None:
    assert DateForm("DD.MM.YYYY").to_usual(text) == text


def test_the_values_decide_whether_day_or_month_comes_first() -> None:
    assert [form.text for form in forms_of(["17/07/1971", "01/02/1980"])] == ["DD/MM/YYYY"]
    assert [form.text for form in forms_of(["7/17/1971", "1/2/1980"])] == ["MM/DD/YYYY"]
    assert [form.text for form in forms_of(["07/07/1971", "01/02/1980"])] == ["DD/MM/YYYY", "MM/DD/YYYY"]
    # Where points are written, the day comes first everywhere.
    assert [form.text for form in forms_of(["07.07.1971", "01.02.1980"])] == ["DD.MM.YYYY"]
    assert forms_of(["17/07/1971", "7/17/1971"]) == ()
    assert forms_of([]) == ()


def test_a_form_that_is_not_known_is_refused_with_those_that_are() -> None:
    with pytest.raises(PolicyError, match=r"`TT.MM.JJJJ` is no form .* `DD.MM.YYYY`"):
        DateForm.read("TT.MM.JJJJ")
    assert DateForm.read("dd/mm/yyyy hh:mm:ss").text == "DD/MM/YYYY"
