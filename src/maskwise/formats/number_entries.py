"""`numbers` of policy and solution files: how the numbers of some columns are written."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

from pydantic import BeforeValidator, PlainSerializer
from pydantic_core import PydanticCustomError

from maskwise.errors import PolicyError
from maskwise.values.number_spellings import NumberForm

if TYPE_CHECKING:
    from maskwise.values.reading import Reading


def _read(given: object) -> Any:
    if isinstance(given, NumberForm) or not isinstance(given, str):
        return given
    try:
        return NumberForm.read(given)
    except PolicyError as error:
        raise PydanticCustomError("number_form", "{said}", {"said": error.mistakes[0].rstrip(".")}) from None


NumberEntry = Annotated[NumberForm, BeforeValidator(_read), PlainSerializer(lambda form: form.text)]
"""The form of a column's numbers."""


def number_data(reading: Reading) -> dict[str, str]:
    """What a file says of them."""
    return {name: form.text for name, form in reading.numbers}
