"""`dataclass`, as that of the standard library, with one method compiled for a class instead of six.

A run imports some three hundred dataclasses. The standard library writes the
methods of each as text and compiles them, a tenth of a second of a run on a
small table. Here only `__init__` is compiled, and the others are the same code
for all classes. Fields are found by the standard library, so that `replace`,
`asdict`, `match` and pickles work as they do there; type checkers see its own
`dataclass`.
"""

from __future__ import annotations

import dataclasses
import sys
from operator import attrgetter
from reprlib import recursive_repr
from typing import TYPE_CHECKING, Any

__all__ = ["dataclass"]

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from dataclasses import dataclass

    Method = Callable[..., Any]


class _Factory:
    """Stands for a value that a factory will make, in signatures too."""

    def __repr__(self) -> str:
        return "<factory>"


_MADE = _Factory()


def _dataclass(
    *,
    frozen: bool = False,
    slots: bool = False,
    kw_only: bool = False,
    repr: bool = True,  # noqa: A002 - the standard library's word
    eq: bool = True,
) -> Callable[[type], type]:
    """Make a class whose annotated names are its fields, as `dataclasses.dataclass` does.

    A method that the class has itself stays. Its bases are no dataclasses.
    """
    find_fields: Any = dataclasses.dataclass(init=False, repr=False, eq=False, kw_only=kw_only, slots=slots)

    def with_methods(written: type) -> type:
        made: type = find_fields(written)
        fields = dataclasses.fields(made)
        methods: dict[str, Any] = {"__init__": _init(made, fields, frozen=frozen)}
        if repr:
            methods["__repr__"] = _repr([field.name for field in fields if field.repr])
        if eq:
            methods |= _comparison([field.name for field in fields if field.compare], is_hashed=frozen)
        if frozen:
            methods |= {"__setattr__": _refuse_to_set, "__delattr__": _refuse_to_delete}
        if frozen and slots:
            methods |= {"__getstate__": _state, "__setstate__": _set_state}
        for name, method in methods.items():
            if name not in vars(written):
                setattr(made, name, method)
        return made

    return with_methods


if not TYPE_CHECKING:
    dataclass = _dataclass


def _init(made: type, fields: Sequence[dataclasses.Field[Any]], *, frozen: bool) -> Method:
    """Compile the `__init__` of a class.

    Args:
        made: The class.
        fields: Its fields.
        frozen: Whether attributes are set past its `__setattr__`, which refuses it.
    """
    known: dict[str, Any] = {"_set": object.__setattr__, "_made": _MADE}
    parameters: list[str] = ["self"]
    named: list[str] = []
    lines: list[str] = []
    for field in fields:
        name, default = field.name, f"_default_of_{field.name}"
        parameter = value = name
        if field.default is not dataclasses.MISSING:
            known[default] = field.default
            parameter, value = f"{name}={default}", name if field.init else default
        elif field.default_factory is not dataclasses.MISSING:
            known[default] = field.default_factory
            parameter = f"{name}=_made"
            value = f"{default}() if {name} is _made else {name}" if field.init else f"{default}()"
        elif not field.init:
            continue
        if field.init:
            (named if field.kw_only else parameters).append(parameter)
        lines.append(f"_set(self, {name!r}, {value})" if frozen else f"self.{name} = {value}")
    if hasattr(made, "__post_init__"):
        lines.append("self.__post_init__()")
    heading = f" def __init__({', '.join([*parameters, *(['*'] if named else []), *named])}):"
    source = "\n  ".join([f"def make({', '.join(known)}):\n{heading}", *(lines or ["pass"])]) + "\n return __init__"
    found: dict[str, Any] = {}
    # Among the names of the class's module, where its annotations are understood.
    exec(source, vars(sys.modules[made.__module__]), found)  # noqa: S102 - a class's own names of fields
    init: Method = found["make"](**known)
    init.__qualname__ = f"{made.__qualname__}.__init__"
    init.__annotations__ = {field.name: field.type for field in fields if field.init} | {"return": None}
    return init


def _repr(names: Sequence[str]) -> Method:
    @recursive_repr()
    def __repr__(self: Any) -> str:  # noqa: N807 - it becomes one
        shown = ", ".join(f"{name}={getattr(self, name)!r}" for name in names)
        return f"{type(self).__qualname__}({shown})"

    return __repr__


def _comparison(names: Sequence[str], *, is_hashed: bool) -> Mapping[str, Method | None]:
    values: Callable[[Any], Any] = attrgetter(*names) if names else lambda _: ()

    def __eq__(self: Any, other: object) -> bool:  # noqa: N807 - it becomes one
        return values(self) == values(other) if other.__class__ is self.__class__ else NotImplemented

    def __hash__(self: Any) -> int:  # noqa: N807 - as above
        return hash(values(self))

    return {"__eq__": __eq__, "__hash__": __hash__ if is_hashed else None}


def _refuse_to_set(self: Any, name: str, value: object) -> None:
    del self, value
    msg = f"cannot assign to field {name!r}"
    raise dataclasses.FrozenInstanceError(msg)


def _refuse_to_delete(self: Any, name: str) -> None:
    del self
    msg = f"cannot delete field {name!r}"
    raise dataclasses.FrozenInstanceError(msg)


def _state(self: Any) -> list[Any]:
    return [getattr(self, field.name) for field in dataclasses.fields(self)]


def _set_state(self: Any, state: Sequence[Any]) -> None:
    for field, value in zip(dataclasses.fields(self), state, strict=True):
        object.__setattr__(self, field.name, value)
