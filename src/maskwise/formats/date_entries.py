"""`dates` of policy and solution files: how the dates of some columns are written."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any, TypeVar

from pydantic import BeforeValidator, PlainSerializer
from pydantic_core import PydanticCustomError

from maskwise.errors import PolicyError
from maskwise.values.date_forms import DateForm

if TYPE_CHECKING:
    from collections.abc import Mapping

    from maskwise.values.reading import Reading

_Form = TypeVar("_Form")


def _read(given: object) -> Any:
    if isinstance(given, DateForm) or not isinstance(given, str):
        return given
    try:
        return DateForm.read(given)
    except PolicyError as error:
        raise PydanticCustomError("date_form", "{said}", {"said": error.mistakes[0].rstrip(".")}) from None


DateEntry = Annotated[DateForm, BeforeValidator(_read), PlainSerializer(lambda form: form.text)]
"""The form of a column's dates."""


def pairs(given: Mapping[str, _Form]) -> tuple[tuple[str, _Form], ...]:
    """The entries as `Reading` has them."""
    return tuple(given.items())


def date_data(reading: Reading) -> dict[str, str]:
    """What a file says of them."""
    return {name: form.text for name, form in reading.dates}
