"""Columns of this process: each as its cells, every different one once, and for each record the number of its cell.

What is asked of records is asked of the cells: of a million records some thousands
of cells differ. A column in which all cells differ just has as many of them.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa

from maskwise.values.arrow import as_numpy, from_numpy

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    Ints = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class CodedColumn:
    """One column."""

    cells: pa.Array
    """What may stand in it, a missing cell among them if a record has one; two may be equal once they were changed."""
    codes: NDArray[np.int32]  # (n_rows,)
    """For each record which of the cells it has."""

    @classmethod
    def of(cls, column: pa.ChunkedArray) -> CodedColumn:
        """Find the different cells of a column."""
        try:
            encoded = column if pa.types.is_dictionary(column.type) else column.dictionary_encode()
        except pa.ArrowNotImplementedError:
            # Cells of a nested kind have no order and no hash: each record has its own.
            return cls(column.combine_chunks(), np.arange(len(column), dtype=np.int32))
        whole = one_array(encoded)
        codes, cells = whole.indices.cast(pa.int32()), whole.dictionary
        if not codes.null_count:
            return cls(cells, as_numpy(codes))
        # The missing cell is the last. Not by `fill_null`, which would import pandas.
        rows = np.where(as_numpy(codes.is_valid()), np.arange(len(codes)), len(codes))
        codes = pa.concat_arrays([codes, from_numpy(np.array([len(cells)], np.int32))]).take(from_numpy(rows))
        return cls(pa.concat_arrays([cells, pa.nulls(1, cells.type)]), as_numpy(codes))

    def with_distinct_cells(self) -> CodedColumn:
        """The same column without equal cells."""
        cells, of_cell = distinct_cells(self.cells)
        return CodedColumn(cells, of_cell[self.codes])

    def take(self, rows: Ints) -> CodedColumn:
        """The column of some records, in their order."""
        return CodedColumn(self.cells, self.codes[rows])

    def as_arrow(self) -> pa.DictionaryArray:
        """The column for a library that knows Arrow."""
        return pa.DictionaryArray.from_arrays(from_numpy(self.codes), self.cells)

    def spread(self) -> pa.Array:
        """The cell of each record."""
        return self.cells.take(from_numpy(self.codes))


class CodedColumns:
    """The columns of a table in memory; each is looked through when it is first asked for."""

    def __init__(self, table: pa.Table, known: Mapping[str, CodedColumn] | None = None) -> None:
        """Hold a table.

        Args:
            table: The records.
            known: The columns whose cells are known already.
        """
        self.table = table
        self._columns = dict(known or {})

    @classmethod
    def of_columns(cls, columns: Mapping[str, CodedColumn]) -> CodedColumns:
        """Make a table of columns."""
        return cls(pa.table({name: column.as_arrow() for name, column in columns.items()}), columns)

    @property
    def n_rows(self) -> int:
        """How many records there are."""
        return int(self.table.num_rows)

    def column(self, name: str) -> CodedColumn:
        """A column."""
        if name not in self._columns:
            self._columns[name] = CodedColumn.of(self.table.column(name))
        return self._columns[name]


def distinct_cells(cells: pa.Array) -> tuple[pa.Array, NDArray[np.int32]]:
    """The different ones of some cells, the missing one among them, and which of them each is."""
    encoded = cells.dictionary_encode(null_encoding="encode")
    return encoded.dictionary, as_numpy(encoded.indices)


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
