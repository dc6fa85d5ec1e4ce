"""The class as a policy file says it: a column, or {column: number} for a class that is a number."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Annotated, Any

from pydantic import BeforeValidator
from pydantic_core import PydanticCustomError

if TYPE_CHECKING:
    from maskwise.policy.policy import Policy

NUMBER = "number"


def _entry(value: object) -> object:
    if value is None or isinstance(value, str):
        return value
    if not isinstance(value, Mapping) or list(value.values()) != [NUMBER]:
        raise PydanticCustomError("class", "the class is a column, or {column: number} if it is a number")
    return (next(iter(value)), NUMBER)


ClassEntry = Annotated[str | tuple[str, str] | None, BeforeValidator(_entry)]


def parse_class(value: object) -> dict[str, Any]:
    """What plain values say of a policy's class, as `write_class` wrote them.

    Raises:
        ValueError: They are no class.
    """
    entry = _entry(value)
    return read_class(entry)  # type: ignore[arg-type]


def read_class(entry: str | tuple[str, str] | None) -> dict[str, Any]:
    """What an entry says of a policy.

    >>> read_class(("charges", "number"))
    {'class_name': 'charges', 'class_is_number': True}
    """
    is_number = isinstance(entry, tuple)
    return {"class_name": entry[0] if isinstance(entry, tuple) else entry, "class_is_number": is_number}


def write_class(policy: Policy) -> str | dict[str, str] | None:
    """The entry of a policy's class, as plain values."""
    return {policy.class_name: NUMBER} if policy.class_is_number and policy.class_name else policy.class_name
