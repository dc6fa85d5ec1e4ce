"""Columns that this process holds: each as its distinct cells, and the place of every record's cell among them.

A query that looks at one column at a time makes the same of equal cells. So it is asked
for the distinct cells of all columns side by side, which are thousands of rows
instead of millions, and its answers are spread over the records by their places.
`each_cell_once` counts and recodes records in this way.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
from ibis.expr import operations as ops

from maskwise.values.arrow import as_numpy, from_numpy

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from numpy.typing import NDArray

    Places = NDArray[np.int32]

_LEAST_REPEATED = 2
"""It pays if a cell stands for so many records, on average."""
_N_TRIED = 4096
"""So many cells of a long column are looked at first, and it is left alone if `_NEARLY_ALL` of them differ."""
_NEARLY_ALL = 0.99
_LONG = 16 * _N_TRIED


@dataclass(frozen=True, slots=True)
class HeldColumn:
    """One column."""

    cells: pa.Array
    """Its distinct cells, and a missing one behind them."""
    places: Places  # (n_rows,)
    """For each record which of them it has."""
    has_missing: bool
    """Whether a record has the missing one."""

    @property
    def n_occurring(self) -> int:
        """How many of the cells, from the first on, some record has."""
        return len(self.cells) - (not self.has_missing)


class HeldColumns:
    """The columns of a table in memory; each is looked through when it is first asked for."""

    def __init__(self, table: pa.Table) -> None:
        """Hold a table.

        Args:
            table: The records. A column may be a dictionary, so that its distinct cells are known.
        """
        self._table = table
        self._columns: dict[str, HeldColumn | None] = {}

    @property
    def n_rows(self) -> int:
        """How many records there are."""
        return int(self._table.num_rows)

    def whole(self, name: str) -> pa.ChunkedArray:
        """A column as it is, record by record."""
        return self._table.column(name)

    def column(self, name: str) -> HeldColumn | None:
        """A column by its distinct cells; None if it has nearly as many as there are records, or of a nested kind."""
        if name not in self._columns:
            self._columns[name] = _look_through(self._table.column(name))
        return self._columns[name]

    def side_by_side(self, names: Iterable[str]) -> pa.Table:
        """The distinct cells of some columns beside each other, under the names and types of the table.

        The other columns, and the shorter ones behind their end, have missing cells.

        Args:
            names: The columns; those of nearly as many cells as there are records count as others.
        """
        cells = {name: column.cells for name in names if (column := self.column(name)) is not None}
        n_cells = max(map(len, cells.values()), default=1)
        columns = {}
        for field in self._table.schema:
            own, kind = cells.get(field.name), field.type
            kind = kind.value_type if pa.types.is_dictionary(kind) else kind
            columns[field.name] = (
                pa.nulls(n_cells, kind)
                if own is None
                else pa.concat_arrays([own, pa.nulls(n_cells - len(own), own.type)])
            )
        return pa.table(columns)


def _look_through(column: pa.ChunkedArray) -> HeldColumn | None:
    if not pa.types.is_dictionary(column.type) and _hardly_repeats(column):
        return None
    try:
        encoded = column if pa.types.is_dictionary(column.type) else column.dictionary_encode()
    except pa.ArrowNotImplementedError:
        return None
    whole = one_array(encoded)
    known = whole.dictionary
    if len(known) * _LEAST_REPEATED > len(whole):
        return None
    places, has_missing = whole.indices.cast(pa.int32()), whole.indices.null_count > 0
    if has_missing:
        # Not by `fill_null`, which would import pandas.
        places = pa.concat_arrays([places, from_numpy(np.array([len(known)], np.int32))])
        places = places.take(
            from_numpy(np.where(as_numpy(whole.indices.is_valid()), np.arange(len(whole)), len(whole)))
        )
    numbers = as_numpy(places).astype(np.int32, copy=False)
    return HeldColumn(pa.concat_arrays([known, pa.nulls(1, known.type)]), numbers, has_missing)


def _hardly_repeats(column: pa.ChunkedArray) -> bool:
    """Whether some cells of a long column nearly all differ; to look through a million takes a tenth of a second."""
    if len(column) <= _LONG or pa.types.is_nested(column.type):
        return False
    rows = np.random.default_rng(0).integers(0, len(column), _N_TRIED)
    return len(column.take(from_numpy(rows)).unique()) >= _NEARLY_ALL * len(np.unique(rows))


def one_array(column: pa.ChunkedArray) -> pa.DictionaryArray:
    """A column of dictionaries as one array with one dictionary."""
    if column.num_chunks == 1:
        return column.chunk(0)
    unified = column.unify_dictionaries()
    if not unified.num_chunks:
        return unified.combine_chunks()
    # Arrow's own way to combine dictionaries looks at all of them once more.
    places = pa.chunked_array([chunk.indices for chunk in unified.chunks]).combine_chunks()
    return pa.DictionaryArray.from_arrays(places, unified.chunk(0).dictionary)


@dataclass(frozen=True, slots=True)
class Sources:
    """What an expression is made of."""

    table: Any
    """The operation of the table that it reads."""
    columns: Mapping[str, str | None]
    """For each column of the expression the one column of that table that it is made of; None for a constant."""
    unchanged: frozenset[str]
    """The columns of the expression that are columns of that table as they are."""


def sources_of(relation: Any) -> Sources | None:
    """Find the columns that an expression is made of, each of one other; None where it is not as simple.

    Args:
        relation: The expression's operation.
    """
    table = relation
    while isinstance(table, ops.Project | ops.DropColumns):
        table = table.parent
    if not isinstance(table, ops.DatabaseTable):
        return None
    sources: dict[str, str | None] = {}
    unchanged = []
    for name in relation.schema.names:
        found = _columns_of(relation, name)
        if found is None or len(found) > 1:
            return None
        sources[name] = next(iter(found), None)
        unchanged += [name] * _is_unchanged(relation, name)
    return Sources(table, sources, frozenset(unchanged))


def _is_unchanged(relation: Any, name: str) -> bool:
    """Whether a column is one of the table at the bottom."""
    if isinstance(relation, ops.DropColumns):
        return _is_unchanged(relation.parent, name)
    if not isinstance(relation, ops.Project):
        return True
    value = relation.values[name]
    return isinstance(value, ops.Field) and _is_unchanged(value.rel, value.name)


def _columns_of(relation: Any, name: str) -> set[str] | None:
    """The columns of the table at the bottom that a column is made of; None if it is more than a function of them."""
    if isinstance(relation, ops.DropColumns):
        return _columns_of(relation.parent, name)
    return _fields_of(relation.values[name]) if isinstance(relation, ops.Project) else {name}


def _fields_of(value: Any) -> set[str] | None:
    if isinstance(value, ops.Field):
        return _columns_of(value.rel, value.name)
    others = (ops.Impure, ops.Analytic, ops.Reduction, ops.WindowFunction, ops.Subquery, ops.Relation)
    if isinstance(value, others):
        return None
    found: set[str] = set()
    for part in value.__children__:
        of_part = _fields_of(part)
        if of_part is None:
            return None
        found |= of_part
    return found
