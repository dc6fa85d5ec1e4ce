"""What is said of cells in the spelling of a country, in words that are right in a file and on a page."""

from __future__ import annotations

import pyarrow as pa

from maskwise.profile.spelling_advice import advise_on_dates, advise_on_numbers, foreign_spelling
from maskwise.values.date_forms import DateForm
from maskwise.values.file_words import command_words, file_words, without_file_words
from maskwise.values.number_spellings import NumberForm
from maskwise.values.reading import AS_IT_IS, Reading


def test_advice_names_the_form_or_asks_for_it() -> None:
    assert "`dates: {Seen: DD.MM.YYYY}`" in advise_on_dates("Seen", ["17.07.1971"], AS_IT_IS)
    assert "day or month comes first" in advise_on_dates("Seen", ["01/02/1980"], AS_IT_IS)
    assert "2024-03-09 13:02" in advise_on_dates("Seen", ["soon"], AS_IT_IS)
    assert "MM/DD/YYYY" in advise_on_dates("Seen", ["soon"], AS_IT_IS)
    assert '`numbers: {Cost: "1.234,5"}`' in advise_on_numbers("Cost", ["1.204,50"], AS_IT_IS)
    assert "before decimals or thousands" in advise_on_numbers("Cost", ["1,204"], AS_IT_IS)
    assert advise_on_numbers("Cost", ["much"], AS_IT_IS) == "Write them as 2.5."


def test_where_a_form_is_given_already_it_is_not_advised_again() -> None:
    given = Reading(dates=(("Seen", DateForm("DD.MM.YYYY")),), numbers=(("Cost", NumberForm("1.234,5")),))
    for said in (advise_on_dates("Seen", ["31.02.1980"], given), advise_on_numbers("Cost", ["k.A."], given)):
        assert "say so in the policy" not in said
        assert "The policy says that its" in said


def test_a_spelling_that_is_not_read_is_named_if_all_values_have_it() -> None:
    assert "numbers written 1.234,5" in foreign_spelling("cost", pa.array(["1.204,50", "7,25"]))
    assert "dates written DD.MM.YYYY" in foreign_spelling("seen", pa.array(["06.04.2024"]))
    assert foreign_spelling("cost", pa.array(["7.25"])) == ""
    assert foreign_spelling("cost", pa.array([7.25])) == ""


def test_a_page_leaves_out_how_a_file_says_it() -> None:
    said = advise_on_dates("last, (first)", ["01/02/1980"], AS_IT_IS)
    assert "`dates:" in said
    assert "`" not in without_file_words(said)
    assert without_file_words(f"Try it{command_words('maskwise attack')}.") == "Try it."
    assert without_file_words(f"Choose{file_words('a: 1', 'b: 2')} or leave (it).") == "Choose or leave (it)."
