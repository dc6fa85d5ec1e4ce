"""The verbs on records of this process: count, recode, label, order and write, as operations on codes of cells."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from maskwise.engines.coded_columns import CodedColumn, distinct_cells
from maskwise.engines.write_files import file_of
from maskwise.engines.write_lines import takes_lines, write_lines
from maskwise.engines.write_parquet import as_dictionary, is_written_alike, takes_dictionaries, write_dictionaries
from maskwise.values.arrow import as_numpy, from_numpy, narrowest
from maskwise.values.processors import for_each

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from numpy.typing import NDArray

    from maskwise.engines.base import Lookup, Lookups, Relabel
    from maskwise.engines.cell_queries import LocalRecords
    from maskwise.engines.sql import Engine
    from maskwise.values.csv_form import CsvForm
    from maskwise.values.location import Folder

    Ints = NDArray[np.int64]

_MOST_COUNTERS = 4_000_000
"""So many pairs of a cell and a class have counters of their own; of more the records are sorted."""
_UNKNOWN = -1


def count_values(records: LocalRecords, keys: Sequence[str], beside: Sequence[str]) -> pa.Table:
    """Count the values of each of some columns by itself, as `Dialect.values_sql` says.

    Args:
        records: The records.
        keys: The columns.
        beside: The class's column, if there is one.
    """
    by = records.columns[beside[0]] if beside else None
    counted = for_each(lambda key: _count(records.columns[key], by), keys, pays=records.pays_threads)
    n_of = [len(n) for _, _, n in counted]
    starts = np.cumsum([0, *n_of])
    columns: dict[str, Any] = {}
    for key, start, end, (values, _, _) in zip(keys, starts, starts[1:], counted, strict=False):
        before, behind = pa.nulls(start, values.type), pa.nulls(starts[-1] - end, values.type)
        columns[key] = pa.concat_arrays([before, values, behind])
    columns |= {name: pa.concat_arrays([classes for _, classes, _ in counted]) for name in beside}
    columns["n"] = from_numpy(np.concatenate([n for _, _, n in counted]))
    columns["which"] = from_numpy(np.repeat(np.arange(len(keys)), n_of))
    return pa.table(columns)


def _count(column: CodedColumn, by: CodedColumn | None) -> tuple[pa.Array, pa.Array | None, Ints]:
    """Each value of a column that occurs, with a class, and the number of its records."""
    n_by = 1 if by is None else len(by.cells)
    n_pairs = len(column.cells) * n_by
    key = column.codes if by is None else column.codes.astype(np.int64) * n_by + by.codes
    if n_pairs <= _MOST_COUNTERS:
        n = np.bincount(key, minlength=n_pairs)
        pairs = np.flatnonzero(n)
        n = n[pairs]
    else:
        pairs, n = np.unique(key, return_counts=True)
    # Cells that an expression makes the same of are one value.
    values, of_cell = distinct_cells(column.cells)
    classes, of_class = (None, np.zeros(1, np.int32)) if by is None else distinct_cells(by.cells)
    n_classes = 1 if classes is None else len(classes)
    both, place = np.unique(
        of_cell[pairs // n_by].astype(np.int64) * n_classes + of_class[pairs % n_by], return_inverse=True
    )
    counts = np.zeros(len(both), np.int64)
    np.add.at(counts, place, n)
    shown = None if classes is None else classes.take(from_numpy(both % n_classes))
    return values.take(from_numpy(both // n_classes)), shown, counts


def count_complete(records: LocalRecords) -> tuple[int, int]:
    """The records, and those without a missing cell."""
    is_complete = np.ones(records.n_rows, np.bool_)
    for column in records.columns.values():
        if column.cells.null_count:
            is_complete &= as_numpy(column.cells.is_valid())[column.codes]
    return len(is_complete), int(is_complete.sum())


def rows_with(records: LocalRecords) -> Ints:
    """The records for which all columns, truth values, are true."""
    is_kept = np.ones(records.n_rows, np.bool_)
    for column in records.columns.values():
        is_kept &= as_numpy(pc.equal(column.cells, pa.scalar(1, pa.int8())).fill_null(False))[column.codes]  # noqa: FBT003
    return np.flatnonzero(is_kept)


def recode(records: LocalRecords, lookups: Lookups, beside: Sequence[str]) -> pa.Table:
    """Recode columns as small numbers, each under its own name, with others beside them.

    Claim: every cell gets the code that its lookup says. It is looked up once, and
    all records that have it get what was found.

    Args:
        records: The records, their cells read as what is looked up.
        lookups: For each column how it is recoded.
        beside: Columns that are left as they are.
    """

    def coded(name: str) -> pa.Array:
        column = records.columns[name]
        cells = _codes(column.cells, lookups[name]) if name in lookups else column.cells
        if cells.null_count or not len(cells) or not pa.types.is_integer(cells.type):
            return cells.take(from_numpy(column.codes))
        numbers = as_numpy(cells)
        small = numbers.astype(narrowest(int(numbers.max()) + 1)) if numbers.min() >= 0 else numbers
        return from_numpy(small[column.codes])

    names = [*beside, *lookups]
    return pa.table(for_each(coded, names, pays=records.pays_threads), names=names)


def _codes(cells: pa.Array, how: Lookup) -> pa.Array:
    """The code of each cell; a missing one where it has none."""
    places = find_places(cells, how.keys, is_ranged=how.codes is None)
    codes = np.arange(len(how.keys)) if how.codes is None else as_numpy(how.codes).astype(np.int64)
    found = np.append(codes, how.other or 0)[places]
    is_known = (places != _UNKNOWN) | (how.other is not None)
    if cells.null_count:
        is_missing = ~as_numpy(cells.is_valid())
        found[is_missing] = how.missing or 0
        is_known[is_missing] = how.missing is not None
    if is_known.all():
        return from_numpy(found)
    return pa.array([code if known else None for code, known in zip(found.tolist(), is_known.tolist(), strict=True)])


def find_places(cells: pa.Array, keys: pa.Array, *, is_ranged: bool) -> Ints:
    """Find each cell among keys; -1 if it is none of them, or missing.

    Args:
        cells: The cells.
        keys: Distinct values; or where each range begins, ascending.
        is_ranged: Whether they are ranges.
    """
    same = cells if cells.type == keys.type else cells.cast(keys.type)
    if not is_ranged:
        found = pc.index_in(same, value_set=keys)
        return as_numpy(pc.coalesce(found, pa.scalar(_UNKNOWN, pa.int32()))).astype(np.int64)
    places = np.full(len(cells), _UNKNOWN, np.int64)
    is_there = as_numpy(cells.is_valid())
    places[is_there] = np.searchsorted(_numbers(keys), _numbers(same.drop_null()), side="right") - 1
    return places


def _numbers(cells: pa.Array) -> NDArray[Any]:
    """Numbers, dates and times as numbers in the same order."""
    if pa.types.is_temporal(cells.type):
        cells = cells.view(pa.int32() if cells.type.bit_width == 32 else pa.int64())  # noqa: PLR2004 - bits
    return as_numpy(cells)


def label(column: CodedColumn, how: Relabel) -> CodedColumn:
    """Rewrite a column as text, by its keys or by the ranges that they begin."""
    places = find_places(column.cells, how.keys, is_ranged=how.is_ranged)
    shown = [*how.shown, None]
    missing = how.missing if how.has_missing else how.root
    texts = [how.root if shown[at] is None else shown[at] for at in places.tolist()]
    if column.cells.null_count:
        is_there = as_numpy(column.cells.is_valid()).tolist()
        texts = [text if there else missing for text, there in zip(texts, is_there, strict=True)]
    return CodedColumn(pa.array(texts, pa.string()), column.codes).with_distinct_cells()


def in_order(records: LocalRecords, rows: Ints) -> dict[str, CodedColumn]:
    """The columns of some records, in their order."""
    names = list(records.columns)
    taken = for_each(lambda name: records.columns[name].take(rows), names, pays=records.pays_threads)
    return dict(zip(names, taken, strict=True))


def write(engine: Engine, records: LocalRecords, target: Path | Folder, form: CsvForm) -> bool:
    """Write records that repeat; give whether they were written.

    Args:
        engine: Writes each different record once.
        records: The records.
        target: Where to.
        form: How a csv is written.
    """
    if takes_dictionaries(target):
        return _write_parquet(records, file_of(target))
    if not takes_lines(target):
        return False

    def write_rows(rows: pa.Table, path: Path) -> None:
        engine.dialect.write(f"SELECT * FROM {engine.register(rows).get_name()}", path, form)  # noqa: S608

    return write_lines(records.columns, records.n_rows, target, write_rows)


def _write_parquet(records: LocalRecords, path: Path) -> bool:
    if not all(is_written_alike(column.cells.type) for column in records.columns.values()):
        return False

    def column(name: str) -> pa.Array:
        own = records.columns[name]
        # A file has dictionaries of its own for other types.
        return as_dictionary(own.cells, own.codes) if pa.types.is_string(own.cells.type) else own.spread()

    constants = {name for name, own in records.columns.items() if len(own.cells) == 1}
    return write_dictionaries(list(records.columns), records.n_rows, column, constants, path)
