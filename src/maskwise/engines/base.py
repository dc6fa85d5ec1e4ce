"""The dialect protocol: how one kind of database is talked to, and the plain values that cross the border.

`sql.Engine` has the verbs (scan, group, relabel, write), written once for all
databases. What differs between databases is a `Dialect`: one class for each of
them, in `duckdb`, `postgres` and `spark`. Where plain Ibis or SQL will do, a
dialect takes a function of `defaults` as its method.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, Any, ClassVar, Protocol, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from contextlib import AbstractContextManager
    from pathlib import Path

    import ibis.expr.datatypes as dt
    import ibis.expr.types as ir
    import pyarrow as pa

    from maskwise.engines.pair_counts import Target
    from maskwise.values.csv_form import CsvForm
    from maskwise.values.location import Folder, TableName
    from maskwise.values.scales import Scale


ROW = "row"
"""The column that remembers the position of a record in its source."""
RECORDS = "records_of_row"
"""The column that says how many records a row stands for, in a table that holds its distinct rows."""
PERSON = "person"
"""The column that says whom a record is about, beside recoded columns."""
BATCH = 1 << 17
"""How many rows of a result are sent at once."""
MOST_SETS = 48
"""So many columns are counted in one GROUP BY; Spark takes at most 64."""


class Feature(StrEnum):
    """What not every database can do. A dialect lists in `gaps` what its database lacks."""

    FILES = "files"
    """The database reads the files that this process sees."""
    RECORD_ORDER = "record order"
    """Records stand in an order that means something."""
    LOCAL_RECORDS = "local records"
    """Single records may be looked at in this process, because they lie where it runs."""


class Gap(StrEnum):
    """Why a database lacks a feature."""

    NOTIMPL = "notimpl"
    """It could be written here."""
    NOTYET = "notyet"
    """The database or a library has to change first."""
    NEVER = "never"
    """It does not fit this kind of database."""


@dataclass(frozen=True, slots=True)
class DataFiles:
    """Files of one format that are opened as one table."""

    paths: Sequence[Path]
    """The files, in order."""
    n_columns: int
    """How many columns they have."""
    delimiter: str | None = None
    """What separates the cells of a csv; None stands for parquet files."""
    is_counted: bool = False
    """Whether nothing but counts will be asked of them. A csv may then be kept as its distinct rows, each with the
    number of its records in a last column `RECORDS`, and parquet files be read in any order."""


@dataclass(frozen=True, slots=True)
class Lookup:
    """How one column is recoded as numbers."""

    keys: pa.Array
    """Its distinct values, without the missing one; or the smallest values of ranges, ascending."""
    codes: pa.Array | None
    """The code of each; None stands for ranges, which are numbered from 0."""
    missing: int | None = None
    """The code of a missing cell, if there are some."""
    other: int | None = None
    """The code of a value that is not among the keys, if there are some."""


Lookups: TypeAlias = "Mapping[str, Lookup]"
"""For each column how it is recoded."""


@dataclass(frozen=True, slots=True)
class Relabel:
    """How one column is rewritten as text."""

    keys: pa.Array
    """Every distinct value the column holds, without the missing one."""
    shown: Sequence[str | None]
    """For each key the text that replaces it; None writes a missing cell."""
    root: str
    """The text that replaces anything else."""
    missing: str | None = None
    """The text that replaces a missing cell."""
    has_missing: bool = True
    """Whether the column has missing cells at all."""
    intervals: tuple[tuple[Any, str], ...] = ()
    """For an ordered column, instead of `shown`: ascending (exclusive upper end, text); the last end is None."""
    scale: Scale | None = None
    """What the ends of `intervals` are."""
    is_ranged: bool = False
    """Whether each key is the smallest value of a range that ends where the next begins."""
    has_others: bool = False
    """Whether the column holds more values than `keys`."""


class Dialect(Protocol):
    """How one kind of database is talked to.

    Its constructor takes `(source, *, writes, memory)`: the address, the Ibis
    backend or the session that was given, or None; whether a table of the
    database will be written; and how many bytes a run may use, or None.
    Every error of the database becomes an error of ours that quotes
    no cell (`error_messages`).
    """

    name: ClassVar[str]
    """What messages call the database, such as `PostgreSQL`."""
    gaps: ClassVar[Mapping[Feature, Gap]]
    """The features it lacks, each with the reason."""
    packs_codes: ClassVar[bool]
    """Whether rows of codes are counted faster as a few words (`packed_codes`); it needs `&` for whole numbers."""
    most_held: int
    """Files of up to so many bytes are read into memory by this process, which looks at each distinct cell once. 0
    holds nothing so, also no frame: the database may answer in another order than it was asked in."""
    fence: ClassVar[str]
    """What at the end of a subquery keeps it apart from the query around it, where several workers then compute it and
    one groups the result; empty where it would not help."""

    @property
    def backend(self) -> Any:
        """The Ibis backend, which spells expressions as SQL. Ibis is slow to import: start it at the first use."""

    def version(self) -> str:
        """Give the database's version; default: `defaults.version`, by the backend."""

    def table(self, source: Any) -> ir.Table:
        """Open a table.

        Args:
            source: The name (str) of a temporary table or view made here; a `TableName` of the owner's, which is
                refused with a suggestion if there is none; or an Ibis table, or a table of the database's own kind.
        """

    def open_files(self, name: str, files: DataFiles) -> ir.Table:
        """Open files as a temporary table or view; default: `defaults.refuse_files`, with a gap `Feature.FILES`.

        Args:
            name: What to call it.
            files: The files. The columns of a csv are texts, called c0, c1, ...; an empty cell is missing, a quoted
                empty one is a text. Those of parquet files keep their names. A further column `row` may give each
                record's position.
        """

    def stream(self, sql: str) -> AbstractContextManager[pa.RecordBatchReader]:
        """Run a query and read its result batch by batch; inside the block the database is asked nothing else."""

    def register(self, name: str, table: pa.Table) -> None:
        """Make a small Arrow table known to the database under a name, for a join."""

    def create(self, name: str, sql: str, *, view: bool) -> None:
        """Create a temporary table, or view, of a query's result."""

    def drop(self, name: str) -> None:
        """Drop what `register` or `create` made."""

    def as_native(self, name: str) -> Any:
        """Give a created table to the user as a table of the usual kind; default: `defaults.as_ibis_table`."""

    def try_cast(self, text: ir.Value, kind: str) -> ir.Value:
        """Read texts as another type; a text that cannot be read is missing; default: `defaults.try_cast`."""

    def stops_at_unreadable(self) -> bool:
        """Whether `try_cast` fails at a text that it cannot read, as old versions do; default: `defaults.no`."""

    def range_number(self, cell: str, lows: pa.Array, registered: str) -> tuple[str, str]:
        """Find the number of the range that a cell falls into: what to join, and the number, both in SQL.

        Args:
            cell: The cell, in SQL; where it is missing, the number means nothing.
            lows: Where each range begins, ascending.
            registered: The same as a registered table with the columns low and code, which numbers ranges from 0.
        """

    def code_cell(self, cell: str, kind: dt.DataType, how: Lookup) -> str | None:
        """Find the code of a cell that is one of the keys by an expression, in SQL; it is missing where the cell is.

        Default: `defaults.no_expression`, None, which stands for a join to a lookup table.

        Args:
            cell: The cell, in SQL.
            kind: Its type.
            how: Keys and codes. Where it has a code of `other` values, the expression is missing at every such value.
        """

    def values_sql(self, records: str, keys: Sequence[str], beside: Sequence[str]) -> str:
        """Count the values of each of some columns by itself, in SQL; default: `defaults.values_sql`, in one scan.

        Args:
            records: A query of the records.
            keys: The columns. A row of the result fills one of them; the column `which` says which, from 0, and `n` is
                the number of records.
            beside: The class's column, if there is one: values are counted by class.
        """

    def n_smaller_sql(self, cells: str, beside: Sequence[str]) -> str:
        """Say for each row how many records have a smaller number, in SQL; default: `defaults.n_smaller_sql`.

        Args:
            cells: A query with the columns v (a number, a date or a time), n (how many records have it), and those
                beside.
            beside: The class's column, if there is one. The result has all of these columns, and n_smaller.
        """

    def pairs_sql(self, records: str, targets: Sequence[Target]) -> str:
        """Count the records of each (cell of another column, label, raw cell), in SQL; default: `defaults.pairs_sql`.

        Args:
            records: The name of the coded records; none of their cells is missing.
            targets: The masked columns. The result has the columns target, other (`ALONE` for the target by itself),
                cell, label, raw and n.
        """

    def hash_input(self, cell: ir.Value) -> ir.Value:
        """Give what `cell_hash` takes of cells that are compared with others of their own column only.

        Default: `defaults.as_text`. Hashing numbers and dates as they are saves the time to spell them.
        """

    def cell_hash(self, cell: str, number: int) -> str:
        """Hash a text to a whole number of 64 bits, in SQL; a missing cell has a hash of its own.

        Args:
            cell: The text, in SQL, or what `hash_input` gave.
            number: Which of many hash functions that have nothing to do with each other.
        """

    def exclusive_or(self, first: str, second: str) -> str:
        """Combine the bits of two hashes, in SQL."""

    def byte_order(self, value: ir.Value) -> ir.Value:
        """Give what to sort a column by, so that texts come in the order of their bytes; default: `defaults.unchanged`.

        Every engine then names the same group as the first one.
        """

    def random_order(self) -> ir.Value:
        """Give what to sort by, so that nobody can predict the order; default: `defaults.random_order`."""

    def in_random_order(self, records: ir.Table) -> ir.Table:
        """Put records in an order that nobody can predict; default: `defaults.in_random_order`, by sorting them."""

    def write(self, sql: str, target: Path | Folder, form: CsvForm) -> None:
        """Write a query's result to a file, or as parquet files into a folder; default: `defaults.write`.

        A file's suffix gives its format. `write_files` writes them all, so that the same records give the same bytes on
        every engine.
        """

    def check_target(self, target: TableName, source: Any) -> None:
        """Refuse a table that cannot be written, or is the source, before any work is done."""

    def source_files(self, source: Any) -> Sequence[Path]:
        """List the files and folders of this machine that a table of the database, or a query of it, reads.

        No release may replace one of them. Default: `defaults.no_files`, where records are not in files of the owner's.
        """

    def draft_table(self, sql: str, target: TableName, draft: str) -> AbstractContextManager[ir.Table]:
        """Write a query's result as a table under a draft name, and rename it only if the block ends well.

        Args:
            sql: The query.
            target: The final name; what stands there is replaced. If the block fails, it stays as it was.
            draft: The draft name.
        """

    def repeats_rows(self, records: str, columns: Sequence[str]) -> bool:
        """Whether records are expected to have few distinct rows; default: `defaults.supposed_distinct`, no.

        Args:
            records: A query of the records.
            columns: Its columns.
        """

    def beside(self) -> Dialect | None:
        """Give a second connection of our own to the same database of this process; default: `defaults.nothing_beside`.

        It has temporary tables of its own; to start a second database takes longer than to count a small table.
        """

    def interrupt(self) -> None:
        """End the query that runs now, if one does, from another thread; whoever waits for it gets an error.

        The connection can be used afterwards.
        """

    def close(self) -> None:
        """End a connection of our own; leave a connection of the owner's as it was."""
