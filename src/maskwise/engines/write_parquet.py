"""A parquet file of columns whose cells repeat: its dictionaries are those that this process has already.

DuckDB looks for the distinct cells of each column anew. Its own file takes three
times as long, and the cells that are read from both are the same.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from maskwise.values.arrow import as_numpy, from_numpy
from maskwise.values.location import Folder, suffix_of
from maskwise.values.processors import for_each

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Sequence
    from pathlib import Path

    from numpy.typing import NDArray

_LEAST_RECORDS = 100_000
"""Fewer are written as fast by the database."""
_ROW_GROUP = 122_880
"""So many records are one part of the file, as DuckDB has them."""


def takes_dictionaries(target: Path | Folder) -> bool:
    """Whether a target is a parquet file, or a folder of them, and not packed."""
    return isinstance(target, Folder) or suffix_of(target) == ".parquet"


def is_written_alike(kind: pa.DataType) -> bool:
    """Whether cells of a type are the same in a file of Arrow's as in one of DuckDB's."""
    tests = (pa.types.is_string, pa.types.is_signed_integer, pa.types.is_float64, pa.types.is_boolean)
    return any(test(kind) for test in (*tests, pa.types.is_date32))


def write_dictionaries(
    names: Sequence[str],
    n_records: int,
    column: Callable[[str], pa.Array | pa.ChunkedArray],
    constants: Collection[str],
    path: Path,
) -> bool:
    """Write a parquet file, if there are enough records and their types are plain; give whether it was written.

    Args:
        names: The columns.
        n_records: How many records there are.
        column: Makes a column.
        constants: The columns that have the same cell in all records.
        path: Where to.
    """
    if n_records < _LEAST_RECORDS:
        return False
    columns = for_each(column, names)
    # A column that is the same everywhere is said to have no missing cells, as DuckDB says it.
    fields = [
        pa.field(name, one.type, nullable=name not in constants or one.null_count > 0)
        for name, one in zip(names, columns, strict=True)
    ]
    table = pa.table(columns, schema=pa.schema(fields))
    # Without Arrow's own schema: whoever reads the file finds texts, not categories.
    pq.write_table(table, path, row_group_size=_ROW_GROUP, store_schema=False)
    return True


def as_dictionary(cells: pa.Array, places: NDArray[np.int32]) -> pa.DictionaryArray:
    """A column as a dictionary of the cells that records have, each once, in the order in which they come.

    Claim: it tells nothing but the records. Arrow writes the whole dictionary into a file: one in
    the order of the input would tell cells of its first records, and cells of no record would be released.

    Args:
        cells: What may stand in the column; some may be equal, or missing.
        places: (n_records,) which of them each record has.
    """
    n_records = len(places)
    first = np.full(len(cells), n_records)
    # Backwards: of several records with a cell, the first one is written last.
    first[places[::-1]] = np.arange(n_records)[::-1]
    used = np.argsort(first, kind="stable")[: np.count_nonzero(first < n_records)]
    encoded = cells.take(from_numpy(used)).dictionary_encode()
    is_there = np.ones(len(cells), np.bool_)
    is_there[used] = as_numpy(encoded.indices.is_valid())
    number = np.zeros(len(cells), np.int32)
    number[used[is_there[used]]] = as_numpy(encoded.indices.drop_null())
    indices, valid = number[places], None
    if not is_there.all():
        valid = pa.py_buffer(np.packbits(is_there[places], bitorder="little"))
    whole = pa.Array.from_buffers(pa.int32(), n_records, [valid, from_numpy(indices).buffers()[1]])
    return pa.DictionaryArray.from_arrays(whole, encoded.dictionary)
