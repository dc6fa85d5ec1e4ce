"""What to say of cells that look like dates or numbers in the spelling of some country: which one, and what to do."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pyarrow as pa

from maskwise.errors import quote
from maskwise.values import date_forms, number_spellings
from maskwise.values.file_words import file_words
from maskwise.values.yaml_spelling import spelled

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from maskwise.values.date_forms import DateForm
    from maskwise.values.number_spellings import NumberForm
    from maskwise.values.reading import Reading


def foreign_spelling(column: str, keys: pa.Array) -> str:
    """Say that all texts look like numbers or dates in a spelling that is not read; nothing if they do not.

    Args:
        column: Where they stand.
        keys: Its distinct cells.

    >>> import pyarrow as pa
    >>> foreign_spelling("Cost", pa.array(["1.204,50", "7,25"]))
    'They look like numbers written 1.234,5: say so in the policy (in the file: `numbers: {Cost: "1.234,5"}`).'
    >>> foreign_spelling("Cost", pa.array(["north", "7,25"]))
    ''
    """
    if not pa.types.is_string(keys.type):
        return ""
    texts = keys.to_pylist()
    if numbers := number_spellings.forms_of(texts):
        return name_number_forms(column, numbers)
    dates = date_forms.forms_of(texts)
    return name_date_forms(column, dates) if dates else ""


def advise_on_dates(column: str, texts: Iterable[str], reading: Reading) -> str:
    """What to do where texts should be dates and cannot be read.

    Args:
        column: Where they stand.
        texts: What could not be read.
        reading: How the policy says that cells are written.

    >>> from maskwise.values.reading import AS_IT_IS
    >>> advise_on_dates("Seen", ["17.07.1971"], AS_IT_IS)
    'They look like dates written DD.MM.YYYY: say so in the policy (in the file: `dates: {Seen: DD.MM.YYYY}`).'
    """
    if form := dict(reading.dates).get(column):
        return f"The policy says that its dates are written {form.text}, and these are none, or no days of a calendar."
    if found := date_forms.forms_of(texts):
        return name_date_forms(column, found)
    return (
        "Dates are read as 2024-03-09 or 2024-03-09 13:02; where they are written in another form, say so in the "
        f"policy{file_words(f'dates: {{{spelled(column)}: FORM}}')}: as one of {quote(date_forms.KNOWN)}."
    )


def advise_on_numbers(column: str, texts: Iterable[str], reading: Reading) -> str:
    """What to do where texts should be numbers and cannot be read; `column`, `texts` and `reading` as for dates.

    >>> from maskwise.values.reading import AS_IT_IS
    >>> advise_on_numbers("Cost", ["north"], AS_IT_IS)
    'Write them as 2.5.'
    """
    if form := dict(reading.numbers).get(column):
        return f"The policy says that its numbers are written {form.text}, and these are none."
    found = number_spellings.forms_of(texts)
    return name_number_forms(column, found) if found else "Write them as 2.5."


def name_date_forms(column: str, found: Sequence[DateForm]) -> str:
    """What to write where texts are dates of one of some forms; `column` as in `advise_on_dates`."""
    asked = "" if len(found) == 1 else " No value tells whether day or month comes first, so you have to say it."
    return _name("dates", column, [form.text for form in found], [form.text for form in found], asked)


def name_number_forms(column: str, found: Sequence[NumberForm]) -> str:
    """What to write where texts are numbers of one of some forms; `column` as in `advise_on_dates`."""
    asked = (
        ""
        if len(found) == 1
        else " No value tells whether a comma stands before decimals or thousands, so you have to say it."
    )
    return _name("numbers", column, [form.text for form in found], [f'"{form.text}"' for form in found], asked)


def _name(key: str, column: str, forms: Sequence[str], in_file: Sequence[str], asked: str) -> str:
    lines = (f"{key}: {{{spelled(column)}: {form}}}" for form in in_file)
    say = "say so in the policy" if len(forms) == 1 else "say in the policy which"
    return f"They look like {key} written {' or '.join(forms)}: {say}{file_words(*lines)}.{asked}"
