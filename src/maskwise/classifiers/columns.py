"""From a data frame or an array to the codes that C4.5 and Naive Bayes work on.

Numbers, dates and times are ordered; text, categories and truth values are not.
A code is the place of a value among the training table's values.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import narwhals.stable.v1 as nw
import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from maskwise.errors import InputError, quote
from maskwise.values.arrow import as_numpy, from_numpy
from maskwise.values.cells import cells_to_arrow, mixed_types

if TYPE_CHECKING:
    from collections.abc import Iterable

    from numpy.typing import NDArray

_TEXT = pa.large_string()
_CLOCKS = (
    (pa.types.is_date, pa.timestamp("us")),
    (pa.types.is_timestamp, pa.timestamp("us")),
    (pa.types.is_duration, pa.duration("us")),
    (pa.types.is_time, pa.time64("us")),
)


@dataclass(frozen=True, slots=True)
class FeatureColumn:
    """A column of the training table."""

    name: str
    numbers: NDArray[np.float64] | None
    """Its values if they are ordered, ascending."""
    categories: tuple[str, ...]
    """Its values if they are not, in order of text."""

    @property
    def n_values(self) -> int:
        """One past the largest code."""
        return len(self.categories) if self.numbers is None else len(self.numbers)


def named_columns(table: Any) -> list[tuple[str, Any]]:
    """The columns of a frame or a two-dimensional array, each with its name and as an Arrow array."""
    if isinstance(table, np.ndarray):
        return [(f"x{i}", _array_column(table[:, i], f"x{i}")) for i in range(table.shape[1])]
    frame = nw.from_native(table, eager_only=True)
    return [(str(column.name), _frame_column(column, str(column.name))) for column in frame.iter_columns()]


def _array_column(cells: Any, name: str) -> Any:
    if cells.dtype.kind in "fiu":
        return from_numpy(cells.astype(np.float64))
    return cells_to_arrow(cells, name)


def _frame_column(column: Any, name: str) -> Any:
    try:
        return column.to_arrow()
    except (pa.ArrowException, TypeError, ValueError):
        raise InputError(mixed_types(name)) from None


def learn_features(columns: Iterable[tuple[str, Any]]) -> tuple[FeatureColumn, ...]:
    """Find each column's kind and values."""
    return tuple(_feature(name, column) for name, column in columns)


def _feature(name: str, column: Any) -> FeatureColumn:
    if _is_ordered(column.type):
        numbers = np.unique(to_floats(column, name) + 0.0)  # no -0
        return FeatureColumn(name, numbers[~np.isnan(numbers)], ())
    return FeatureColumn(name, None, tuple(sorted(pc.unique(_texts(column, name)).drop_null().to_pylist())))


def _is_ordered(kind: Any) -> bool:
    orders = (pa.types.is_integer, pa.types.is_floating, pa.types.is_decimal, pa.types.is_temporal)
    return any(is_kind(kind) for is_kind in orders)


def encode(columns: list[tuple[str, Any]], features: tuple[FeatureColumn, ...]) -> NDArray[np.int32]:
    """Code a table as (n_attributes, n_rows); missing and unknown categories are -1.

    A number between two training values has the code of the upper one, so that
    it is on the same side of each cut.
    """
    n_rows = len(columns[0][1])
    codes = np.empty((len(features), n_rows), np.int32)
    for i, (feature, (_, column)) in enumerate(zip(features, columns, strict=True)):
        if feature.numbers is not None:
            numbers = to_floats(column, feature.name)
            codes[i] = np.where(np.isnan(numbers), -1, np.searchsorted(feature.numbers, numbers))
        else:
            known = pa.array(feature.categories, _TEXT)
            codes[i] = as_numpy(pc.fill_null(pc.index_in(_texts(column, feature.name), value_set=known), -1))
    return codes


def to_floats(column: Any, name: str) -> NDArray[np.float64]:
    """The numbers of a column; NaN where one is missing."""
    kind = column.type
    try:
        if pa.types.is_dictionary(kind):
            column = column.cast(kind.value_type)
        for is_clock, unit in _CLOCKS:
            if is_clock(kind):
                column = column.cast(unit, safe=False).cast(pa.int64())
        return as_numpy(pc.fill_null(column.cast(pa.float64(), safe=False), np.nan))
    except pa.ArrowException:
        msg = f"Column `{name}` has numbers in the training table, but {kind} here. Make both alike."
        raise InputError(msg) from None


def _texts(column: Any, name: str) -> Any:
    kind = column.type
    try:
        if pa.types.is_dictionary(kind):
            column = column.cast(kind.value_type)
        return column.cast(_TEXT)
    except pa.ArrowException:
        kinds = quote(("text", "numbers", "dates", "truth values"))
        msg = f"Column `{name}` has the type {kind}. A column can hold {kinds}; drop or convert this one."
        raise InputError(msg) from None
