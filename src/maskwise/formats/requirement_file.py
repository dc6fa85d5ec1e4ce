"""A requirement as policy and solution files say it.

Pydantic checks the shape against the keys of all privacy models; which model an
entry is about, and what its keys mean, is the concern of `policy.requirements`.
Complaints get their line in `policy_file`.
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Annotated, Any

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, PlainValidator, TypeAdapter, create_model
from pydantic_core import PydanticCustomError

from maskwise.policy.requirements import registry
from maskwise.policy.requirements.file_form import ValueMistake

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from maskwise.policy.requirements.base import Requirement
    from maskwise.policy.requirements.file_form import Entry, Key


def check_entry(value: object) -> Entry:
    """The values of an entry, each read by its key; only those that say something.

    Args:
        value: The entry as texts, lists and mappings.
    """
    checked = _shape("RequirementEntry", registry.known_keys(), is_needed=False).model_validate(value)
    given = {name: getattr(checked, name) for name in type(checked).model_fields}
    entry = {
        name: found.model_dump() if isinstance(found, BaseModel) else found
        for name, found in given.items()
        if found is not None and found != []
    }
    mistake = registry.misfit(entry)
    if mistake is not None:
        raise PydanticCustomError("kind", mistake)
    return entry


RequirementEntry = Annotated[Any, PlainValidator(check_entry)]
"""The type of an entry in a pydantic model; the keys are those of the models that are registered then."""
_ENTRY: TypeAdapter[Any] = TypeAdapter(RequirementEntry)


def read_requirement(data: object) -> Requirement:
    """Read one entry, whose values are texts, lists and mappings.

    >>> read_requirement({"qid": ["Age"], "k": "5"})
    KAnonymity(qid=('Age',), k=5)
    """
    return registry.requirement_of(_ENTRY.validate_python(data))


def keys_at(place: Sequence[str | int]) -> tuple[Key, ...]:
    """The keys that are known at a place inside an entry.

    >>> [key.name for key in keys_at(["lkc"])]
    ['attributes', 'L']
    """
    keys = registry.known_keys()
    for step in place:
        keys = next((key.fields for key in keys if key.name == step), ())
    return keys


@lru_cache(maxsize=32)
def _shape(name: str, keys: tuple[Key, ...], *, is_needed: bool) -> type[BaseModel]:
    """The pydantic model of a mapping with these keys."""
    fields: dict[str, Any] = {key.name: _field(key, is_needed=is_needed) for key in keys}
    return create_model(name, __config__=ConfigDict(extra="forbid", arbitrary_types_allowed=True), **fields)


def _field(key: Key, *, is_needed: bool) -> tuple[Any, Any]:
    kind = _shape(f"_{key.name}", key.fields, is_needed=True) if key.fields else key.type
    kind = kind if is_needed else kind | None
    annotated = kind if key.read is None else Annotated[kind, BeforeValidator(_reader(key.read))]
    default = ... if is_needed else None
    if key.least is None:
        return annotated, Field(default)
    return annotated, Field(default, ge=key.least) if key.type is int else Field(default, min_length=key.least)


def _reader(read: Callable[[object], object]) -> Callable[[object], object]:
    """A key's reader whose complaints pydantic collects."""

    def run(value: object) -> object:
        try:
            return read(value)
        except ValueMistake as mistake:
            # The type tells `policy_file` whether the complaint may quote the value.
            raise PydanticCustomError("protected" if mistake.is_secret else "bound", str(mistake)) from None

    return run
