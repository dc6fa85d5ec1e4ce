"""The class as a policy file says it: a column, {column: number} for a class that is a number, or with its values."""

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
    said = list(value.values()) if isinstance(value, Mapping) else []
    if len(said) == 1 and isinstance(said[0], list | tuple) and len(set(map(str, said[0]))) == len(said[0]) > 1:
        return (next(iter(value)), tuple(map(str, said[0])))  # type: ignore[call-overload]
    if said != [NUMBER]:
        raise PydanticCustomError(
            "class", "the class is a column, {column: number} if it is a number, or {column: [its different values]}"
        )
    return (next(iter(value)), NUMBER)  # type: ignore[call-overload]


ClassEntry = Annotated[str | tuple[str, str | tuple[str, ...]] | None, BeforeValidator(_entry)]


def parse_class(value: object) -> dict[str, Any]:
    """What plain values say of a policy's class, as `write_class` wrote them.

    Raises:
        ValueError: They are no class.
    """
    entry = _entry(value)
    return read_class(entry)  # type: ignore[arg-type]


def read_class(entry: str | tuple[str, str | tuple[str, ...]] | None) -> dict[str, Any]:
    """What an entry says of a policy.

    >>> read_class(("charges", "number"))
    {'class_name': 'charges', 'class_is_number': True}
    """
    name, said = entry if isinstance(entry, tuple) else (entry, None)
    listed = {"class_values": said} if isinstance(said, tuple) else {}
    return {"class_name": name, "class_is_number": said == NUMBER, **listed}


def write_class(policy: Policy) -> str | dict[str, str] | dict[str, list[str]] | None:
    """The entry of a policy's class, as plain values."""
    if policy.class_values and policy.class_name:
        return {policy.class_name: list(policy.class_values)}
    return {policy.class_name: NUMBER} if policy.class_is_number and policy.class_name else policy.class_name
