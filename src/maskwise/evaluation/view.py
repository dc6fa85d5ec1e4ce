"""How a classifier sees a table: numbers, categories, and categories with an order.

Raw columns are numbers or categories. A masked column is a category; if it
shows intervals, their order goes with it. `learners` says what each classifier
makes of that.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import TYPE_CHECKING, Any

import numpy as np

from maskwise.errors import InputError, PolicyError
from maskwise.policy.attributes import Kind
from maskwise.values.arrow import as_numpy
from maskwise.values.parsing import looks_like_code, parse_keys
from maskwise.values.scales import Scale, bound
from maskwise.values.spelling import text_of

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    import pyarrow as pa
    from numpy.typing import NDArray

    from maskwise.policy.policy import Policy

_INTERVALS = (
    re.compile(r"[\[\](]?\s*(\S.*?)\s*(?:,|;|\.\.)\s*(\S.*?)\s*[\])\[]?"),
    re.compile(r"(\S*[0-9])\s*-\s*(\S+)"),
)
"""An interval as maskwise and other tools spell it: `[1, 37)`, `[1, 37[`, `1-36`."""


class Sort(StrEnum):
    """What the values of a column are."""

    NUMBER = "number"
    """Numbers, dates or times as they are."""
    CATEGORY = "category"
    """Values without an order."""
    ORDERED = "ordered"
    """Values with an order, such as intervals."""


@dataclass(frozen=True, slots=True)
class Seen:
    """One column."""

    name: str
    """What it is called."""
    sort: Sort
    """What its values are."""
    values: NDArray[np.float64]  # (n_rows,)
    """The numbers, or each value's place among the labels; NaN where a cell is missing."""
    labels: tuple[str, ...] = ()
    """The values of a category, those of an ordered one ascending."""

    def take(self, rows: NDArray[np.int64] | None) -> Seen:
        """The column of some records; None takes all."""
        return self if rows is None else replace(self, values=self.values[rows])


View = tuple[Seen, ...]
"""A table as classifiers see it, without the class."""


def see(table: pa.Table, policy: Policy) -> View:
    """See a raw table: what the policy masks as a category is one, anything else is what its cells are.

    Example:
        >>> import pyarrow as pa
        >>> from maskwise.policy.policy import Policy
        >>> from maskwise import KAnonymity
        >>> people = pa.table({"Age": ["31", "42"], "Zip": ["02134", "10001"], "Risk": ["lo", "hi"]})
        >>> policy = Policy((KAnonymity(("Age",), 2),), class_name="Risk")
        >>> [(seen.name, str(seen.sort)) for seen in see(people, policy)]
        [('Age', 'number'), ('Zip', 'category')]
    """
    kinds = {attribute.name: attribute.kind for attribute in policy.attributes}
    names = [name for name in table.column_names if name != policy.class_name]
    return tuple(_raw(name, table.column(name), kinds.get(name)) for name in names)


def masked(raw: View, table: pa.Table, orders: Mapping[str, Sequence[str] | None], rows: Any = None) -> View:
    """See a masked table.

    Args:
        raw: The table before it was masked.
        table: The masked table; a column that it does not have is left out.
        orders: For each masked column the labels in their order, if they have one.
        rows: Which records of the raw table these are; None means all, in their order.
    """
    there = set(table.column_names)
    return tuple(
        _shown(seen.name, table.column(seen.name), orders[seen.name]) if seen.name in orders else seen.take(rows)
        for seen in raw
        if seen.name in there
    )


def foreign(raw: View, table: pa.Table, policy: Policy) -> View:
    """See a table that another tool masked: as above, with the order that its labels tell for what was a number.

    Args:
        raw: The table before it was masked.
        table: The masked table; a column that it does not have is left out.
        policy: What was asked.
    """
    there, found = set(table.column_names), []
    for seen in raw:
        if seen.name in there and seen.name in policy.masked:
            order = order_of(texts(table, seen.name)) if seen.sort is Sort.NUMBER else None
            found.append(_shown(seen.name, table.column(seen.name), order))
        elif seen.name in there:
            found.append(_raw(seen.name, table.column(seen.name), Kind.SUPPRESS if seen.labels else None))
    return tuple(found)


def without(view: View, names: Collection[str]) -> View:
    """Leave columns out."""
    return tuple(seen for seen in view if seen.name not in names)


def order_of(labels: Sequence[str]) -> tuple[str, ...] | None:
    """The order of labels that are all numbers or intervals: by lower end, then by upper end; else None.

    >>> order_of(["[37, 99]", "[1, 37)"]), order_of(["20-29", "10-19"]), order_of(["[1, 37)", "*"])
    (('[1, 37)', '[37, 99]'), ('10-19', '20-29'), None)
    """
    for scale in (Scale.REAL, Scale.DATE, Scale.TIMESTAMP, Scale.TIME):
        try:
            ends = {label: _ends(label, scale) for label in labels}
        except PolicyError:
            continue
        return tuple(sorted(labels, key=ends.__getitem__))
    return None


def texts(table: pa.Table, name: str) -> tuple[str, ...]:
    """The different values of a column, spelled as taxonomies spell them."""
    keys = table.column(name).combine_chunks().unique().drop_null().to_pylist()
    return tuple(text_of(key) for key in keys)


def _ends(label: str, scale: Scale) -> tuple[float, float]:
    try:
        return (bound(label, scale),) * 2
    except PolicyError:
        found = next((match for form in _INTERVALS if (match := form.fullmatch(label))), None)
        if found is None:
            raise
        return bound(found[1], scale), bound(found[2], scale)


def _coded(column: pa.ChunkedArray, name: str) -> tuple[Any, NDArray[np.int64]]:
    """The distinct cells, and for each record the place of its cell; -1 where it is missing."""
    import pyarrow as pa  # noqa: PLC0415 - heavy
    import pyarrow.compute as pc  # noqa: PLC0415 - heavy

    if isinstance(column, pa.ChunkedArray):
        column = column.combine_chunks()
    kind = column.type
    if pa.types.is_dictionary(kind):
        column = column.cast(kind.value_type)
    if pa.types.is_nested(kind) or pa.types.is_binary(kind) or pa.types.is_null(kind):
        if column.null_count == len(column):
            return pa.array([], pa.string()), np.full(len(column), -1, np.int64)
        msg = f"Column `{name}` holds {kind} cells, from which no classifier learns. Drop it in the policy."
        raise InputError(msg)
    if pa.types.is_floating(kind):
        column = pc.if_else(pc.is_nan(column), pa.scalar(None, kind), column)
    coded = column.dictionary_encode()
    return coded.dictionary, as_numpy(pc.fill_null(coded.indices, -1)).astype(np.int64)


def _raw(name: str, column: pa.ChunkedArray, kind: Kind | None) -> Seen:
    keys, codes = _coded(column, name)
    is_float = str(column.type) in {"float", "double", "halffloat"}
    if kind in {None, Kind.INTERVAL} and len(keys) and not (kind is None and looks_like_code(keys)):
        parsed = parse_keys(keys)
        # Infinity among floats tells as little as a missing cell; among texts it makes them texts.
        if parsed is not None and (parsed.known.all() or (is_float and parsed.known.any())):
            numbers = np.where(parsed.known, parsed.numbers.astype(np.float64), np.nan)
            return Seen(name, Sort.NUMBER, np.append(numbers, np.nan)[codes])
    return _category(name, [text_of(key) for key in keys.to_pylist()], codes, None)


def _shown(name: str, column: pa.ChunkedArray, order: Sequence[str] | None) -> Seen:
    keys, codes = _coded(column, name)
    return _category(name, [text_of(key) for key in keys.to_pylist()], codes, order)


def _category(name: str, spelled: list[str], codes: NDArray[np.int64], order: Sequence[str] | None) -> Seen:
    """A label that has no place in an order counts as missing: the cut was not made for it."""
    labels = tuple(sorted(set(spelled))) if order is None else tuple(order)
    at = {label: i for i, label in enumerate(labels)}
    places = np.array([*(at.get(text, np.nan) for text in spelled), np.nan], np.float64)
    return Seen(name, Sort.CATEGORY if order is None else Sort.ORDERED, places[codes], labels)
