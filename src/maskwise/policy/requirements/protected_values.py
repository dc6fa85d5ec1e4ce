"""Protected values: what confidence and LKC have in common.

Each is a sensitive column, a value or a union of values, and the largest share.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import TYPE_CHECKING, Any, TypeAlias

from maskwise.errors import plural
from maskwise.policy.requirements.any_of import ANY, FEW, MISSING, AnyOf, Value, spelled
from maskwise.policy.requirements.base import FigureAxis
from maskwise.policy.requirements.file_form import Key, ValueMistake, share

if TYPE_CHECKING:
    from maskwise.policy.requirements.file_form import Entry

Protected: TypeAlias = tuple[tuple[str, Value, Fraction], ...]
"""Column, value or union, and largest share, for each of them; None is the missing value."""
_Read: TypeAlias = list[tuple[str | tuple[str | None, ...] | None, Fraction | None]]
"""Values of one column as they were read, unions as tuples, each with its own bound or none."""

_read_confidence = share("a confidence")


def columns_of(protected: Protected) -> list[str]:
    """The sensitive columns, each once."""
    return list(dict.fromkeys(column for column, _, _ in protected))


def name_values(protected: Sequence[tuple[str, Value, object]]) -> str:
    """Name protected columns and, if they are few, values, for the owner who wrote the policy.

    >>> name_values([("Ill", "HIV", 1), ("Ill", None, 1)]), name_values([("Ill", str(i), 1) for i in range(9)])
    ('Ill (HIV, missing)', 'Ill (9 values)')
    """
    of_column: dict[str, list[str]] = {}
    for column, value, _ in protected:
        of_column.setdefault(column, []).append(spelled(value))
    return ", ".join(
        f"{column} ({', '.join(values) if len(values) <= FEW else plural(len(values), 'value')})"
        for column, values in of_column.items()
    )


def asked_shares(protected: Protected, *, by_name: bool) -> str:
    """What is asked of the values, in a few words.

    Args:
        protected: The values.
        by_name: Name them, not only their columns.
    """
    columns = name_values(protected) if by_name else ", ".join(columns_of(protected))
    bounds = ", ".join(dict.fromkeys(f"{float(bound):g}" for _, _, bound in protected))
    return f"confidence {bounds} for {columns}"


def share_cells(protected: Protected, *, by_name: bool) -> list[str]:
    """What is asked of the values, for a table cell: a text for each bound and, without names, column.

    Args:
        protected: The values.
        by_name: Name them, not only their columns.
    """
    if not by_name:
        return list(dict.fromkeys(f"{column} at most {float(bound):.4g}" for column, _, bound in protected))
    bounds = dict.fromkeys(bound for _, _, bound in protected)
    return [
        f"{name_values([value for value in protected if value[2] == bound])} at most {float(bound):.4g}"
        for bound in bounds
    ]


def share_axis(protected: Protected) -> FigureAxis:
    """The largest share in a picture."""
    bounds = {float(bound) for _, _, bound in protected}
    return FigureAxis("largest share of a protected value", bounds.pop() if len(bounds) == 1 else None)


def with_bound(protected: Protected, bound: Fraction) -> Protected:
    """The same values, all with one bound."""
    return tuple((column, value, bound) for column, value, _ in protected)


def with_bounds(protected: Protected, bounds: Sequence[Fraction]) -> Protected:
    """The same values, each with another bound."""
    return tuple((column, value, bound) for (column, value, _), bound in zip(protected, bounds, strict=True))


def values_data(protected: Protected) -> dict[str, dict[str, Any]]:
    """The values as a policy file says them, each with its bound."""
    data: dict[str, dict[str, Any]] = {}
    for column, value, bound in protected:
        of_column = data.setdefault(column, {})
        if isinstance(value, AnyOf):
            elements = [MISSING if text is None else text for text in value.elements]
            of_column.setdefault(ANY, []).append({"values": elements, "confidence": str(bound)})
        else:
            of_column[MISSING if value is None else value] = str(bound)
    return data


def public_values_data(protected: Protected) -> list[dict[str, Any]]:
    """Their columns and bounds, without the values and how many they are."""
    shares = dict.fromkeys((column, bound) for column, _, bound in protected)
    return [{"column": column, "confidence": float(bound)} for column, bound in shares]


def read_values(entry: Entry) -> Protected:
    """The protected values of a file's entry, each with its own bound or that of `confidence`."""
    return tuple(
        (column, AnyOf(value) if isinstance(value, tuple) else value, entry["confidence"] if own is None else own)
        for column, values in entry.get("sensitive", {}).items()
        for value, own in values
    )


def column_without_values(entry: Entry) -> str | None:
    """Say so if an entry names a sensitive column and not its values."""
    if isinstance(entry.get("sensitive"), str):
        return "`sensitive` is a mapping from a column to its values, but for `diversity` and `closeness`"
    return None


def bounds_misfit(entry: Entry) -> str | None:
    """Say so if a value has no bound, or a bound has no value."""
    is_bare = [own is None for values in entry.get("sensitive", {}).values() for _, own in values]
    if any(is_bare) and "confidence" not in entry:
        return "`confidence` is missing: the largest share a sensitive value may have"
    if "confidence" in entry and is_bare and not any(is_bare):
        return "`confidence` is not used: every sensitive value has its own bound"
    return None


def _read_sensitive(value: object) -> str | dict[str, _Read]:
    """A column, or for each sensitive column its values, each with its own bound or none."""
    if isinstance(value, str):
        return value
    if not isinstance(value, Mapping):
        raise ValueMistake("`sensitive` is a mapping from a column to its values", is_secret=True)
    found: dict[str, _Read] = {}
    for column, values in value.items():
        if isinstance(values, Mapping):
            found[column] = [pair for text, bound in values.items() for pair in _read_bounded(text, bound)]
        elif isinstance(values, str | list) and all(text is None or isinstance(text, str) for text in values):
            listed = [values] if isinstance(values, str) else values
            found[column] = [(_missing_or(text), None) for text in listed]
        else:
            raise ValueMistake("the values of a sensitive column are a list, or a mapping to bounds", is_secret=True)
    return found


def _read_bounded(text: str, bound: object) -> _Read:
    """A value with its bound, or the unions of a column; `any` with a number is a value of that name."""
    if text != ANY or not (bound is None or isinstance(bound, list | Mapping)):
        return [(_missing_or(text), _read_confidence(bound))]
    is_several = isinstance(bound, list) and any(isinstance(one, list | Mapping) for one in bound)
    return [_read_union(one) for one in (bound if isinstance(bound, list) and is_several else [bound])]


def _read_union(union: object) -> tuple[tuple[str | None, ...], Fraction | None]:
    """`[A, B]`, or {values: [A, B], confidence: 0.1}."""
    bound, values = None, union
    if isinstance(union, Mapping):
        if set(union) != {"values", "confidence"}:
            raise _union_mistake()
        bound, values = _read_confidence(union["confidence"]), union["values"]
    if not isinstance(values, list) or not all(text is None or isinstance(text, str) for text in values):
        raise _union_mistake()
    return tuple(_missing_or(text) for text in values), bound


def _union_mistake() -> ValueMistake:
    return ValueMistake(
        "`any` is a list of values, {values: [...], confidence: 0.1}, or a list of those", is_secret=True
    )


def _missing_or(text: str | None) -> str | None:
    return None if text == MISSING else text


SENSITIVE = Key("sensitive", read=_read_sensitive)
"""A sensitive column, or protected values of sensitive columns."""
CONFIDENCE = Key("confidence", read=_read_confidence)
"""The largest share of each protected value that has no bound of its own."""
