"""The engine: scan, group, recode, relabel and write, in Ibis and plain SQL, on any database that has a dialect."""

from __future__ import annotations

import secrets
from contextlib import ExitStack, contextmanager
from typing import TYPE_CHECKING, Any

import numpy as np

from maskwise.engines import code_columns, local_verbs
from maskwise.engines.base import RECORDS, ROW, DataFiles, Feature
from maskwise.engines.cell_hashes import WHO, CellHashes, hashes_query
from maskwise.engines.cell_queries import local_records
from maskwise.engines.coded_columns import CodedColumn, CodedColumns
from maskwise.engines.coded_rows import count_coded
from maskwise.engines.distinct_rows import is_told_apart, n_records, records_of_row, rows_repeat
from maskwise.engines.error_messages import translate_write_errors
from maskwise.engines.labels import label_columns
from maskwise.engines.lookup_keys import as_keys
from maskwise.engines.pair_counts_arrays import ArrayPairCounts
from maskwise.engines.pair_counts_sql import SqlPairCounts
from maskwise.engines.value_counts import ValueCounts, values_sql
from maskwise.values.arrow import from_numpy
from maskwise.values.csv_form import PLAIN
from maskwise.values.input_kind import InputKind, input_kind
from maskwise.values.location import Folder

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
    from contextlib import AbstractContextManager
    from pathlib import Path

    import ibis.expr.types as ir
    import pyarrow as pa
    from numpy.typing import NDArray

    from maskwise.engines.base import Lookups, Relabel
    from maskwise.engines.cell_queries import LocalRecords
    from maskwise.engines.coded_rows import CountedRows
    from maskwise.engines.dialect import Dialect
    from maskwise.engines.packed_codes import WordLayout
    from maskwise.engines.pair_counts import PairCounts, Target
    from maskwise.values.csv_form import CsvForm
    from maskwise.values.location import TableName


class Engine:
    """The verbs on one database. Tables are Ibis expressions with the columns c0, c1, ... in the source's order."""

    def __init__(self, dialect: Dialect) -> None:
        """Start without temporary tables.

        Args:
            dialect: How the database is talked to.
        """
        self.dialect = dialect
        self._token = secrets.token_hex(4)
        self._n_names = 0
        self._temporary: list[str] = []
        self.held: dict[str, CodedColumns] = {}
        self._coded: dict[str, pa.Table] = {}

    def can(self, feature: Feature) -> bool:
        """Whether the database has a feature that not every one has."""
        return feature not in self.dialect.gaps

    @contextmanager
    def scratch(self) -> Iterator[None]:
        """Drop what was made in the database inside a block at its end, not only when everything is closed."""
        n_before = len(self._temporary)
        try:
            yield
        finally:
            while len(self._temporary) > n_before:
                self._coded.pop(self._temporary[-1], None)
                self.dialect.drop(self._temporary.pop())

    def interrupt(self) -> None:
        """End the query that runs now, if one does, from another thread."""
        self.dialect.interrupt()

    def close(self) -> None:
        """Drop what was made in the database on the way, and end a connection of our own."""
        with ExitStack() as steps:
            # Each is tried, whatever happens to the others; the newest table goes first, the connection last.
            steps.callback(self.dialect.close)
            for name in self._temporary:
                steps.callback(self.dialect.drop, name)
            self._temporary.clear()

    def scan(self, source: Any) -> ir.Table:
        """Open records where they are.

        Args:
            source: Files, an Arrow table, or a table of the database: a `TableName`, an Ibis table or one of the
                database's own kind. Only a table of the database keeps its own column names.
        """
        if isinstance(source, DataFiles):
            return self._scan_files(source)
        if input_kind(source) is InputKind.ARROW:
            return self._scan_arrow(source)
        return self.dialect.table(source)

    def _scan_files(self, files: DataFiles) -> ir.Table:
        table = self.dialect.open_files(self._new_name(), files)
        if all(name == f"c{i}" for i, name in enumerate(table.columns[: files.n_columns])):
            # Ibis takes longer over every query of a selection than over one of a table.
            return table
        beside = {name: table[name] for name in table.columns[files.n_columns :]}
        return table.select(**{f"c{i}": table[table.columns[i]] for i in range(files.n_columns)}, **beside)

    def _scan_arrow(self, table: pa.Table) -> ir.Table:
        """Open an Arrow table; the position of each record is remembered beside its columns."""
        named = table.rename_columns([f"c{i}" for i in range(table.num_columns)])
        return self.hold(named.append_column(ROW, from_numpy(np.arange(table.num_rows))))

    def hold(self, table: pa.Table) -> ir.Table:
        """Make a table of this process known to the database, whose distinct cells can be looked at once."""
        return self._hold(CodedColumns(table))

    def _hold(self, columns: CodedColumns) -> ir.Table:
        name = self._register(columns.table)
        # Answers are told apart by their order, which a connection of the owner's may be set not to keep.
        if self.can(Feature.LOCAL_RECORDS) and self.dialect.most_held:
            self.held[name] = columns
        return self.dialect.table(name)

    def local(self, expr: ir.Table) -> LocalRecords | None:
        """The records of an expression, if they are in this process and it looks at one column at a time."""
        return local_records(self, expr)

    def hold_columns(self, columns: Mapping[str, CodedColumn]) -> ir.Table:
        """Make columns of this process known to the database."""
        return self._hold(CodedColumns.of_columns(columns))

    def order(self, expr: ir.Table, draw: Callable[[int], NDArray[np.int64]]) -> ir.Table | None:
        """Put records of this process into an order that is drawn for so many of them; None if they are not here."""
        records = self.local(expr)
        return None if records is None else self.hold_columns(local_verbs.in_order(records, draw(records.n_rows)))

    def filter(self, expr: ir.Table, tests: Sequence[ir.BooleanValue]) -> ir.Table:
        """Leave out the records that fail a test; each test looks at one column of them."""
        marked = self.local(expr.select(**{f"t{i}": test.ifelse(1, 0).cast("int8") for i, test in enumerate(tests)}))
        records = None if marked is None else self.local(expr)
        if marked is None or records is None:
            return expr.filter(tests)
        return self.hold_columns(local_verbs.in_order(records, local_verbs.rows_with(marked)))

    def fetch(self, expr: ir.Table) -> pa.Table:
        """Fetch a result as an Arrow table."""
        return self.dialect.query(self._compile(expr))

    def register(self, table: pa.Table) -> ir.Table:
        """Make a small Arrow table known to the database, for a join."""
        return self.dialect.table(self._register(table))

    def materialize(self, table: ir.Table) -> ir.Table:
        """Make a temporary table of an expression; it is dropped when it is discarded, or at the end."""
        return self.keep(self._compile(table))

    def keep(self, sql: str) -> ir.Table:
        """Make a temporary table of a query, as `materialize` does of an expression."""
        return self.dialect.table(self._create(sql, view=False))

    def counted(self, table: ir.Table) -> ir.Table:
        """Keep a table as its distinct rows, each with the number of its records, where few of them are expected.

        Nothing but counts may be asked of it. A table whose rows differ is left as it is, and so is one with numbers
        that have several spellings, because `=` does not tell 1.5 from 1.50.
        """
        if RECORDS in table.columns:
            return table
        bare = table.drop(ROW) if ROW in table.columns else table
        is_exact = all(is_told_apart(kind) for kind in bare.schema().types)
        if not is_exact or not rows_repeat(self, bare):
            return table
        return self.materialize(bare.group_by(bare.columns).agg(**{RECORDS: bare.count()}))

    def view(self, sql: str) -> ir.Table:
        """Make a temporary view of a query; it is dropped at the end."""
        return self.dialect.table(self._create(sql, view=True))

    def as_native(self, table: ir.Table) -> Any:
        """Make a table of its own from an expression, as the kind of table that the database's users know."""
        # It is not among what is dropped at the end, because it may be handed to the user.
        name = self._new_name()
        self.dialect.create(name, self._compile(table), view=False)
        return self.dialect.as_native(name)

    def discard(self, data: Any) -> None:
        """Drop a table that `materialize` or `as_native` made; leave anything else alone."""
        match input_kind(data):
            case InputKind.IBIS_TABLE:
                name = data.op().name
                self.dialect.drop(name)
                if name in self._temporary:
                    self._temporary.remove(name)
            case InputKind.SPARK_TABLE:
                data.unpersist()

    def group(self, table: ir.Table, keys: Sequence[ir.Value]) -> pa.Table:
        """Count the records of each combination of keys, as columns k0, k1, ... and n."""
        named = {f"k{i}": key for i, key in enumerate(keys)}
        return self.fetch(table.group_by(**named).agg(n=n_records(table)))

    def group_each(self, table: ir.Table, keys: Sequence[ir.Value], by: ir.Value | None) -> ValueCounts:
        """For each key by itself, count its values (by another column), all in one scan."""
        columns = {f"k{i}": key for i, key in enumerate(keys)}
        beside = {} if by is None else {"beside": by}
        chosen = table.select(**columns, **beside)
        if (records := self.local(chosen)) is not None:
            counted = local_verbs.count_values(records, list(columns), list(beside))
            return ValueCounts(self.dialect, self._register(counted), len(columns), list(beside))
        sql = values_sql(self._compile(chosen), list(columns), list(beside))
        return ValueCounts(self.dialect, self._create(sql, view=False), len(columns), list(beside))

    def count_pairs(self, coded: ir.Table, targets: Sequence[Target]) -> PairCounts:
        """Count the cells of masked columns together with those of others, one by one.

        Args:
            coded: Whole numbers, none of them missing.
            targets: The masked columns, and what is counted beside each.
        """
        if self.can(Feature.LOCAL_RECORDS):
            return ArrayPairCounts(self.fetch(coded), targets)
        records = self._create(self._compile(coded), view=False)
        counted = self._create(self.dialect.pairs_sql(records, targets), view=False)
        return SqlPairCounts(self.dialect, records, counted, targets)

    def hash_cells(
        self,
        table: ir.Table,
        cells: Mapping[int, ir.Value],
        keys: Sequence[Sequence[int]] = (),
        person: ir.Value | None = None,
        *,
        is_kept: bool = True,
    ) -> CellHashes:
        """Hash some columns, to count groups on many sets of them.

        Args:
            table: The records.
            cells: The columns by their numbers; each number is a hash function. They are texts.
            keys: Sets of columns, by their numbers, that many other sets will contain.
            person: Whom a record is about, in the same form, to count persons; None counts records.
            is_kept: Make a table of them; otherwise they are hashed whenever something is counted.
        """
        who = {} if person is None else {WHO: person}
        beside = {**who, **records_of_row(table)}
        records = self._compile(table.select(**{f"h{number}": cell for number, cell in cells.items()}, **beside))
        sql = hashes_query(self.dialect, records, list(cells), keys, beside)
        return CellHashes(self.dialect, self._create(sql, view=not is_kept), keys, beside)

    def recode(
        self,
        table: ir.Table,
        lookups: Lookups,
        beside: Sequence[str],
        *,
        materialize: bool,
        layout: WordLayout | None = None,
    ) -> ir.Table:
        """Recode columns by lookup tables, each column under its own name, with others beside them.

        Joining a small table per column took a third of the time of nested
        CASE expressions at a million rows.

        Args:
            table: The records.
            lookups: For each column how it is recoded.
            beside: Columns that are left as they are.
            materialize: Make a table of it, because it will be counted more than once.
            layout: Put the codes side by side into words, to count them by `count_rows` with the same layout.
        """
        # One flat SELECT: building fifty joins in Ibis takes longer than running them. They are left joins, because
        # DuckDB reorders inner ones, five times slower.
        chosen = {name: as_keys(table[name], how) for name, how in lookups.items()}
        records = table.select(**chosen, **{name: table[name] for name in beside})
        if (here := self.local(records)) is not None:
            coded = local_verbs.recode(here, lookups, beside)
            name = self._register(coded)
            self._coded[name] = coded
            return self.dialect.table(name)
        sql = code_columns.coded_sql(self.dialect, self._register, self._compile(records), lookups, beside, layout)
        return self.dialect.table(self._create(sql, view=not materialize))

    def count_rows(
        self,
        coded: ir.Table,
        columns: Sequence[str],
        sums: Sequence[str],
        layout: WordLayout | None = None,
        *,
        one_by_one: bool = False,
    ) -> AbstractContextManager[Iterable[pa.RecordBatch]]:
        """Count the distinct rows of some columns and add up others, as those columns, n, and the sums.

        Args:
            coded: What `recode` made.
            columns: The columns whose rows are counted.
            sums: The columns that are added up.
            layout: What `recode` was given.
            one_by_one: Each row by itself, where hardly two are alike; not with a layout.
        """
        if one_by_one:
            return self.dialect.stream(code_columns.list_rows_sql(coded.get_name(), columns, sums))
        if layout is not None:
            return layout.count(self.dialect, coded.get_name(), columns, sums)
        return self.dialect.stream(code_columns.count_rows_sql(coded.get_name(), columns, sums))

    def count_coded(self, coded: ir.Table, columns: Sequence[str], sums: Sequence[str]) -> list[CountedRows] | None:
        """As `count_rows`, of codes that this process holds; None leaves it to the database."""
        held = self._coded.get(coded.get_name())
        return None if held is None else count_coded(held, columns, sums)

    def count_persons(
        self, coded: ir.Table, columns: Sequence[str], marks: Sequence[str]
    ) -> AbstractContextManager[Iterable[pa.RecordBatch]]:
        """Count the persons of each distinct row of some columns, and those with each mark, as `count_rows` does.

        Args:
            coded: What `recode` made, with a column `PERSON`.
            columns: The columns whose rows are counted.
            marks: Columns of ones and zeros; a person has a mark if one of its records has it.
        """
        # Grouping twice took two thirds of the time of count(DISTINCT) at a million records.
        return self.dialect.stream(
            code_columns.count_rows_sql(f"({code_columns.each_person_sql(coded, columns, marks)}) p", columns, marks)
        )

    def list_persons(
        self, coded: ir.Table, columns: Sequence[str], marks: Sequence[str]
    ) -> AbstractContextManager[Iterable[pa.RecordBatch]]:
        """List the distinct rows of each person: the columns, the marks, and a number from 0 for the person.

        Args:
            coded: As for `count_persons`.
            columns: As for `count_persons`.
            marks: As for `count_persons`.
        """
        return self.dialect.stream(code_columns.list_persons_sql(coded, columns, marks))

    def relabel(self, table: ir.Table, columns: Mapping[str, Relabel]) -> ir.Table:
        """Rewrite columns as text, keeping the order of rows where there is one."""
        return label_columns(self, table, columns)

    def write(
        self, table: ir.Table, target: Path | Folder, names: Sequence[str], source: str, form: CsvForm = PLAIN
    ) -> None:
        """Write a table to a file, by its suffix, or into a folder.

        Args:
            table: The records.
            target: Where.
            names: What the columns are called.
            source: What messages call the origin of the records.
            form: How a csv is written.
        """
        with translate_write_errors(target.path if isinstance(target, Folder) else target, source):
            named = _named(table, names)
            records = self.local(named)
            if records is None or not local_verbs.write(self, records, target, form):
                self.dialect.write(self._compile(named), target, form)

    @contextmanager
    def draft_table(self, table: ir.Table, target: TableName, names: Sequence[str]) -> Iterator[ir.Table]:
        """Write a table of the database under a draft name and open it; it gets its name if the block ends well."""
        with self.dialect.draft_table(self._compile(_named(table, names)), target, self._new_name()) as written:
            yield written

    def _compile(self, expr: ir.Table) -> str:
        return str(self.dialect.backend.compile(expr))

    def _new_name(self) -> str:
        """A name that no table of the owner's has."""
        self._n_names += 1
        return f"maskwise_{self._token}_{self._n_names}"

    def _create(self, sql: str, *, view: bool) -> str:
        """Create a table or view that is dropped at the end."""
        name = self._new_name()
        self.dialect.create(name, sql, view=view)
        self._temporary.append(name)
        return name

    def _register(self, table: pa.Table) -> str:
        name = self._new_name()
        self.dialect.register(name, table)
        self._temporary.append(name)
        return name


def _named(table: ir.Table, names: Sequence[str]) -> ir.Table:
    """The same columns under other names."""
    return table.select([table[column].name(name) for name, column in zip(names, table.columns, strict=True)])
