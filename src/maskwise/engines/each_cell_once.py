"""Count, recode, order and write the records of held columns: the database looks at each distinct cell once."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa

from maskwise.engines.held_columns import sources_of
from maskwise.engines.write_files import file_of
from maskwise.engines.write_lines import takes_lines, write_lines
from maskwise.engines.write_parquet import as_dictionary, is_written_alike, takes_dictionaries, write_dictionaries
from maskwise.values.arrow import as_numpy, from_numpy, narrowest
from maskwise.values.processors import for_each

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from pathlib import Path

    import ibis.expr.types as ir
    from numpy.typing import NDArray

    from maskwise.engines.held_columns import HeldColumn, HeldColumns, Sources
    from maskwise.engines.sql import Engine
    from maskwise.values.csv_form import CsvForm
    from maskwise.values.location import Folder

    Ints = NDArray[np.int64]

_PLACE = "place_of_cell"
"""The column that numbers the distinct cells, where rows may change their order."""
_MOST_COUNTERS = 8_000_000
"""So many pairs of a cell and a class are counted at once; more are left to the database."""
_BATCH = 100_000
"""So many cells at most are one batch, which one thread reads."""
_ROWS_FOR_THREADS = 100_000
"""From so many records on it pays to look at several columns at once."""


def count_held(engine: Engine, expr: ir.Table, keys: Sequence[str], beside: Sequence[str]) -> pa.Table | None:
    """Count the values of each of some columns by itself, as `values_sql` says; None leaves it to the database.

    Claim: the counts are those of the expression over the records. Equal cells of
    a column have equal answers, so what is counted by cells and added up by
    answers is counted by answers.

    Args:
        engine: Asks the database.
        expr: The columns, as an expression over records.
        keys: Which of them are counted.
        beside: The class's column, if there is one.
    """
    if (query := _cell_query(engine, expr)) is None:
        return None
    answers = query.ask(engine, expr)
    own = {name: _Values.of(query, answers, name) for name in (*keys, *beside)}
    by = own[beside[0]] if beside else None
    if any(own[key].n_cells * (1 if by is None else by.n_cells) > _MOST_COUNTERS for key in keys):
        return None
    counted = for_each(lambda key: own[key].count(by), keys, pays=query.pays_threads)
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


def recode_held(engine: Engine, expr: ir.Table, code: Callable[..., str], beside: Sequence[str]) -> pa.Table | None:
    """Recode the columns of records that this process holds; None leaves it to the database.

    Args:
        engine: Asks the database.
        expr: The columns, as an expression over records.
        code: Gives the SQL that recodes a query of cells, and leaves the columns `beside` as they are.
        beside: Columns that are left as they are.
    """
    if (query := _cell_query(engine, expr)) is None:
        return None
    cells = query.ask(engine, expr)
    # Rows may change their order when they are joined to their codes.
    placed = engine.register(cells.append_column(_PLACE, from_numpy(np.arange(cells.num_rows))))
    answers = engine.dialect.query(code(f"SELECT * FROM {placed.get_name()}", beside=[*beside, _PLACE]))  # noqa: S608
    ordered = answers.take(from_numpy(np.argsort(as_numpy(answers.column(_PLACE)))))
    names = [*beside, *(name for name in expr.columns if name not in beside)]
    columns = for_each(lambda name: query.spread(ordered, name), names, pays=query.pays_threads)
    return pa.table(columns, names=names)


def order_held(engine: Engine, expr: ir.Table, draw: Callable[[int], Ints]) -> ir.Table | None:
    """The records of an expression in another order, held by this process; None leaves it to the database.

    Args:
        engine: Asks the database.
        expr: An expression over records that this process holds.
        draw: Gives for so many records their order: for each place the record that comes there.
    """
    if (query := _cell_query(engine, expr, with_whole=True)) is None:
        return None
    answers, order = query.ask(engine, expr), draw(query.held.n_rows)

    def ordered(name: str) -> pa.Array | pa.ChunkedArray:
        if name in query.whole:
            return query.held.whole(query.whole[name]).take(from_numpy(order))
        column = query.column(name)
        places = np.zeros(len(order), np.int32) if column is None else column.places[order]
        return pa.DictionaryArray.from_arrays(from_numpy(places), answers.column(name).combine_chunks())

    return engine.hold(pa.table(for_each(ordered, expr.columns, pays=query.pays_threads), names=expr.columns))


def count_without_missing(engine: Engine, expr: ir.Table) -> tuple[int, int] | None:
    """The records of an expression that this process holds, and those without a missing cell; None for any other.

    Args:
        engine: Asks the database.
        expr: The columns, as an expression over records.
    """
    if (query := _cell_query(engine, expr)) is None:
        return None
    answers = query.ask(engine, expr)
    is_complete = np.ones(query.held.n_rows, np.bool_)
    for name in expr.columns:
        column = query.column(name)
        said = answers.column(name).slice(0, 1 if column is None else column.n_occurring)
        if said.null_count:
            is_there = as_numpy(said.is_valid())
            is_complete &= is_there if column is None else is_there[column.places]
    return len(is_complete), int(is_complete.sum())


def write_held(engine: Engine, expr: ir.Table, target: Path | Folder, form: CsvForm) -> bool:
    """Write records that this process holds, if they repeat; give whether they were written.

    Args:
        engine: Writes each different record once.
        expr: An expression over records.
        target: Where to.
        form: How a csv is written.
    """
    if takes_dictionaries(target):
        return _write_parquet(engine, expr, file_of(target))
    if not takes_lines(target) or (query := _cell_query(engine, expr)) is None:
        return False
    columns = [query.column(name) for name in expr.columns]
    places = [None if column is None else column.places for column in columns]

    def write(rows: pa.Table, path: Path) -> None:
        engine.dialect.write(f"SELECT * FROM {engine.register(rows).get_name()}", path, form)  # noqa: S608

    return write_lines(query.ask(engine, expr), places, target, write)


def _write_parquet(engine: Engine, expr: ir.Table, path: Path) -> bool:
    """Write a parquet file of records that this process holds, if it can; give whether it was written."""
    if (query := _cell_query(engine, expr, with_whole=True)) is None:
        return False
    whole = {name: query.held.whole(source) for name, source in query.whole.items()}
    repeated = query.ask(engine, expr)
    kinds = [whole[name].type if name in whole else repeated.column(name).type for name in expr.columns]
    if not all(map(is_written_alike, kinds)):
        return False

    def column(name: str) -> pa.Array | pa.ChunkedArray:
        if name in whole:
            return whole[name]
        source = query.column(name)
        places = np.zeros(query.held.n_rows, np.int32) if source is None else source.places
        cells = repeated.column(name).combine_chunks()
        # A file has dictionaries of its own for other types.
        return as_dictionary(cells, places) if pa.types.is_string(cells.type) else cells.take(from_numpy(places))

    constants = {name for name, source in query.sources.columns.items() if source is None}
    return write_dictionaries(expr.columns, query.held.n_rows, column, constants, path)


@dataclass(frozen=True, slots=True)
class _CellQuery:
    """An expression over records, to be asked for distinct cells instead."""

    held: HeldColumns
    """The records' columns."""
    sources: Sources
    """What each column of the expression is made of."""
    cells: pa.Table
    """The distinct cells, for the place of the records' table."""
    whole: Mapping[str, str]
    """The columns that hardly repeat, and are taken as they are, with the names that they have in that table."""

    def ask(self, engine: Engine, expr: ir.Table) -> pa.Table:
        """What the database says of each cell, in their order."""
        # Several threads, each with a batch, may change their order: not in a plain query, but where a list of values
        # becomes a join.
        parts = [self.cells.slice(start, _BATCH) for start in range(0, self.cells.num_rows, _BATCH)]
        return pa.concat_tables([self._ask(engine, expr, part) for part in parts])

    def _ask(self, engine: Engine, expr: ir.Table, cells: pa.Table) -> pa.Table:
        small = engine.register(cells)
        return engine.fetch(expr.op().replace({self.sources.table: small.op()}).to_expr())

    def column(self, name: str) -> HeldColumn | None:
        """The column that a column of the expression is made of; None for a constant."""
        source = self.sources.columns[name]
        return None if source is None else self.held.column(source)

    def spread(self, answers: pa.Table, name: str) -> pa.Array:
        """For each record what was said of its cell of a column."""
        said, column = answers.column(name).combine_chunks(), self.column(name)
        if column is None:
            return pa.repeat(said[0], self.held.n_rows)
        said = said.slice(0, column.n_occurring)
        if said.null_count or not len(said) or not pa.types.is_integer(said.type):
            return said.take(from_numpy(column.places))
        numbers = as_numpy(said)
        small = numbers.astype(narrowest(int(numbers.max()) + 1)) if numbers.min() >= 0 else numbers
        return from_numpy(small[column.places])

    @property
    def pays_threads(self) -> bool:
        """Whether several columns are worth looking at at once."""
        return self.held.n_rows >= _ROWS_FOR_THREADS


def _cell_query(engine: Engine, expr: ir.Table, *, with_whole: bool = False) -> _CellQuery | None:
    """Ask an expression for distinct cells; None if it cannot be, or that would not pay.

    Args:
        engine: Holds the records.
        expr: An expression over them.
        with_whole: Whether columns that hardly repeat may be among its columns, if they are unchanged.
    """
    sources = sources_of(expr.op()) if engine.held else None
    table = None if sources is None else engine.held.get(sources.table.name)
    if sources is None or table is None:
        return None
    used = [column for column in dict.fromkeys(sources.columns.values()) if column is not None]
    # Several at once: to look a column through takes Arrow some hundredths of a second.
    found = dict(zip(used, for_each(table.column, used, pays=table.n_rows >= _ROWS_FOR_THREADS), strict=True))
    unique = {name: source for name, source in sources.columns.items() if source and found[source] is None}
    if unique and not (with_whole and unique.keys() <= sources.unchanged):
        return None
    cells = table.side_by_side([column for column in used if found[column] is not None])
    return _CellQuery(table, sources, cells, unique)


@dataclass(frozen=True, slots=True)
class _Values:
    """What an expression makes of the cells of a column."""

    distinct: pa.Array
    """The different values, the missing one among them."""
    of_cell: Ints  # (n_cells,)
    """Which of them each cell has."""
    places: NDArray[np.int32] | None  # (n_rows,)
    """The cell of each record; None where all records have the same."""
    n_rows: int
    """How many records there are."""

    @classmethod
    def of(cls, query: _CellQuery, answers: pa.Table, name: str) -> _Values:
        column = query.column(name)
        said = answers.column(name).combine_chunks().slice(0, 1 if column is None else len(column.cells))
        encoded = said.dictionary_encode(null_encoding="encode")
        of_cell = as_numpy(encoded.indices).astype(np.int64)
        return cls(encoded.dictionary, of_cell, None if column is None else column.places, query.held.n_rows)

    @property
    def n_cells(self) -> int:
        return len(self.of_cell)

    def count(self, by: _Values | None) -> tuple[pa.Array, pa.Array | None, Ints]:
        """Each value that occurs, with a class, and the number of its records."""
        n_by = 1 if by is None else by.n_cells
        key: Any = np.zeros(self.n_rows, np.int32) if self.places is None else self.places
        if by is not None and by.places is not None:
            key = key * np.int32(n_by) + by.places
        by_cell = np.bincount(key, minlength=self.n_cells * n_by).reshape(self.n_cells, n_by)
        by_value = _merged(by_cell, self.of_cell, len(self.distinct))
        if by is not None:
            by_value = _merged(by_value.T, by.of_cell, len(by.distinct)).T
        at, of_class = np.nonzero(by_value)
        classes = None if by is None else by.distinct.take(from_numpy(of_class))
        return self.distinct.take(from_numpy(at)), classes, by_value[at, of_class]


def _merged(counts: Ints, of_row: Ints, n_rows: int) -> Ints:
    """Add up rows of counts that belong together."""
    merged = np.zeros((n_rows, counts.shape[1]), np.int64)
    np.add.at(merged, of_row, counts)
    return merged
