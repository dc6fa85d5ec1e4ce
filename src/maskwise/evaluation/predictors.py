"""Predictors, the columns from which a classifier predicts the class: numbers, categories, ordered categories.

Raw columns are numbers or categories. A masked column is a category; if it
shows intervals, it also has their order. `learners` encodes the predictors for
each classifier.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from maskwise.errors import InputError, PolicyError
from maskwise.policy.attributes import Kind
from maskwise.release.interval_labels import ORDERED, ends_of_labels, ends_on_scale
from maskwise.values.arrow import as_numpy
from maskwise.values.parsing import looks_like_code, parse_keys
from maskwise.values.spelling import text_of

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    from numpy.typing import NDArray

    from maskwise.policy.policy import Policy


class PredictorType(StrEnum):
    """What the values of a predictor are."""

    NUMBER = "number"
    """Numbers, dates or times as they are."""
    CATEGORY = "category"
    """Values without an order."""
    ORDERED = "ordered"
    """Values with an order, such as intervals."""


@dataclass(frozen=True, slots=True)
class Predictor:
    """One column from which the class is predicted."""

    name: str
    """The column's name."""
    type: PredictorType
    """What its values are."""
    values: NDArray[np.float64]  # (n_rows,)
    """The numbers, or the index of each value's label; NaN where a cell is missing."""
    labels: tuple[str, ...] = ()
    """The values of a category; those of an ordered one ascending."""

    def take(self, rows: NDArray[np.int64] | None) -> Predictor:
        """The predictor of some records; None takes all."""
        return self if rows is None else replace(self, values=self.values[rows])


Predictors = tuple[Predictor, ...]
"""The predictors of a table: all its columns but the class."""


def raw_predictors(table: pa.Table, policy: Policy) -> Predictors:
    """Make predictors of a raw table.

    A column that the policy masks as a category is one. Any other column is
    what its cells are.

    Example:
        >>> import pyarrow as pa
        >>> from maskwise.policy.policy import Policy
        >>> from maskwise.policy.requirements.k_anonymity import KAnonymity
        >>> people = pa.table({"Age": ["31", "42"], "Zip": ["02134", "10001"], "Risk": ["lo", "hi"]})
        >>> policy = Policy((KAnonymity(("Age",), 2),), class_name="Risk")
        >>> [(predictor.name, str(predictor.type)) for predictor in raw_predictors(people, policy)]
        [('Age', 'number'), ('Zip', 'category')]
    """
    kinds = {attribute.name: attribute.kind for attribute in policy.attributes}
    names = [name for name in table.column_names if name != policy.class_name and name not in policy.drop]
    return tuple(_raw_predictor(name, table.column(name), kinds.get(name)) for name in names)


def masked_predictors(
    raw: Predictors, table: pa.Table, orders: Mapping[str, Sequence[str] | None], rows: Any = None
) -> Predictors:
    """Make predictors of a table that maskwise masked.

    Args:
        raw: The predictors before masking.
        table: The masked table; a column that it does not have is left out.
        orders: For each masked column its labels in order, or None if they have no order.
        rows: Which records of the raw table these are; None means all, in the raw order.
    """
    return tuple(
        _masked_predictor(predictor.name, table.column(predictor.name), orders[predictor.name])
        if predictor.name in orders
        else predictor.take(rows)
        for predictor in raw
        if predictor.name in table.column_names
    )


def other_tool_predictors(raw: Predictors, table: pa.Table, policy: Policy) -> Predictors:
    """Make predictors of a table that another tool masked.

    A masked number is ordered if all its labels are numbers or intervals.

    Args:
        raw: The predictors before masking.
        table: The masked table; a column that it does not have is left out.
        policy: The policy that the tool had to meet.
    """
    predictors = []
    for predictor in raw:
        name = predictor.name
        if name not in table.column_names:
            continue
        if name in policy.masked:
            order = interval_order(distinct_texts(table, name)) if predictor.type is PredictorType.NUMBER else None
            predictors.append(_masked_predictor(name, table.column(name), order))
        else:
            predictors.append(_raw_predictor(name, table.column(name), Kind.SUPPRESS if predictor.labels else None))
    return tuple(predictors)


def drop_predictors(predictors: Predictors, names: Collection[str]) -> Predictors:
    """Leave out the predictors with these names."""
    return tuple(predictor for predictor in predictors if predictor.name not in names)


def interval_order(labels: Sequence[str]) -> tuple[str, ...] | None:
    """Sort labels that are all numbers or intervals by lower end, then by upper end; None if one is neither.

    >>> interval_order(["[37, 99]", "[1, 37)"]), interval_order(["20-29", "10-19"]), interval_order(["[1, 37)", "*"])
    (('[1, 37)', '[37, 99]'), ('10-19', '20-29'), None)
    """
    for scale in ORDERED:
        try:
            ends = {label: ends_on_scale(label, scale) for label in labels}
        except PolicyError:
            continue
        return tuple(sorted(labels, key=ends.__getitem__))
    return None


def sort_intervals(labels: Sequence[str]) -> tuple[str, ...]:
    """Sort the labels of a cut by the ends of their intervals, which may overlap; one that has none comes first.

    >>> sort_intervals(["[30, 50)", "≥ 50", "[20, 40)", "< 20"])
    ('< 20', '[20, 40)', '[30, 50)', '≥ 50')
    >>> sort_intervals(["[2023-05-02, 2023-05-04)", "[2023-05-01T00:00:00, 2023-05-01T12:00:00)"])
    ('[2023-05-01T00:00:00, 2023-05-01T12:00:00)', '[2023-05-02, 2023-05-04)')
    """
    ends = dict(zip(labels, ends_of_labels(labels), strict=True))
    return tuple(sorted(labels, key=lambda label: ends[label] or (-math.inf, -math.inf)))


def distinct_texts(table: pa.Table, name: str) -> tuple[str, ...]:
    """The distinct values of a column, spelled as in taxonomies."""
    keys = table.column(name).combine_chunks().unique().drop_null().to_pylist()
    return tuple(text_of(key) for key in keys)


def _encode(column: pa.ChunkedArray, name: str) -> tuple[Any, NDArray[np.int64]]:
    """The distinct cells, and for each record the index of its cell; -1 where it is missing."""
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
    encoded = column.dictionary_encode()
    return encoded.dictionary, as_numpy(pc.fill_null(encoded.indices, -1)).astype(np.int64)


def _raw_predictor(name: str, column: pa.ChunkedArray, kind: Kind | None) -> Predictor:
    keys, codes = _encode(column, name)
    is_float = str(column.type) in {"float", "double", "halffloat"}
    if kind in {None, Kind.INTERVAL} and len(keys) and not (kind is None and looks_like_code(keys)):
        parsed = parse_keys(keys)
        # In a float column infinity counts as missing; in a text column it makes the column a category.
        if parsed is not None and (parsed.known.all() or (is_float and parsed.known.any())):
            numbers = np.where(parsed.known, parsed.numbers.astype(np.float64), np.nan)
            return Predictor(name, PredictorType.NUMBER, np.append(numbers, np.nan)[codes])
    return _category(name, keys, codes, None)


def _masked_predictor(name: str, column: pa.ChunkedArray, order: Sequence[str] | None) -> Predictor:
    keys, codes = _encode(column, name)
    return _category(name, keys, codes, order)


def _category(name: str, keys: pa.Array, codes: NDArray[np.int64], order: Sequence[str] | None) -> Predictor:
    """Make a category; a label that is not in its order counts as missing, as the cut does not have it."""
    texts = [text_of(key) for key in keys.to_pylist()]
    labels = tuple(sorted(set(texts))) if order is None else tuple(order)
    index = {label: i for i, label in enumerate(labels)}
    values = np.array([*(index.get(text, np.nan) for text in texts), np.nan], np.float64)
    return Predictor(name, PredictorType.CATEGORY if order is None else PredictorType.ORDERED, values[codes], labels)
