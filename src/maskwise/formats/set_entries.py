"""`sensitive: {conditions: {set: ";"}}` in requirements: the columns whose cells hold several values.

The key says how cells are read, so it is part of a policy's `Reading`; the other keys beside it are values and bounds.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from maskwise.errors import PolicyError
from maskwise.values.set_cells import SetForm

if TYPE_CHECKING:
    from collections.abc import Iterable

    from maskwise.values.reading import Reading

SET = "set"
"""How a requirement says what separates the values of a cell."""


def without_sets(entry: Mapping[str, Any]) -> dict[str, Any]:
    """A requirement's entry without what it says of cells.

    >>> without_sets({"sensitive": {"Ill": {"set": ";", "HIV": "0.1"}}})
    {'sensitive': {'Ill': {'HIV': '0.1'}}}
    >>> without_sets({"sensitive": {"Ill": {"set": ";"}}, "diversity": {"distinct": "3"}})
    {'sensitive': 'Ill', 'diversity': {'distinct': '3'}}
    """
    sets, said = _separators(entry), entry.get("sensitive")
    if not sets or not isinstance(said, Mapping):
        return dict(entry)
    rest = {
        column: {text: bound for text, bound in values.items() if text != SET} if column in sets else values
        for column, values in said.items()
    }
    is_bare = len(rest) == 1 and not next(iter(rest.values()))
    return {**entry, "sensitive": next(iter(rest)) if is_bare else rest}


def read_sets(entries: Iterable[Any]) -> tuple[tuple[str, SetForm], ...]:
    """What the requirements of a file say of cells.

    Raises:
        PolicyError: A separator is none, or a column has two.
    """
    found: dict[str, SetForm] = {}
    for entry in entries:
        for column, separator in _separators(entry).items():
            form = SetForm(separator)
            if found.setdefault(column, form) != form:
                raise PolicyError([f"`{column}` has two separators of the values of a cell. Write the same one."])
    return tuple(found.items())


def with_sets(entry: Mapping[str, Any], reading: Reading) -> dict[str, Any]:
    """A requirement's entry with what the policy says of the cells of its sensitive columns."""
    sets, said = dict(reading.sets), entry.get("sensitive")
    columns = {said: {}} if isinstance(said, str) else said
    if not isinstance(columns, Mapping) or not sets.keys() & columns.keys():
        return dict(entry)
    told = {
        column: {SET: sets[column].separator, **values} if column in sets else values
        for column, values in columns.items()
    }
    return {**entry, "sensitive": told}


def _separators(entry: Any) -> dict[str, str]:
    """The separators in an entry; `set` with a number is a value of that name."""
    said = entry.get("sensitive") if isinstance(entry, Mapping) else None
    columns = said.items() if isinstance(said, Mapping) else ()
    return {
        column: values[SET]
        for column, values in columns
        if isinstance(values, Mapping) and isinstance(values.get(SET), str) and not _is_number(values[SET])
    }


def _is_number(text: str) -> bool:
    return any(letter.isdigit() for letter in text)
