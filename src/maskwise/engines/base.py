"""Where the records are.

Only a few verbs cross this border: scan, group, relabel, write, each of them a
pass over records inside the engine. The rest of maskwise never names a
database. `sql` has the verbs, written once; `duckdb`, `postgres` and `spark`
say how each of them is talked to, and `choose` finds the one that is meant.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from contextlib import AbstractContextManager
    from pathlib import Path

    import ibis.expr.types as ir
    import pyarrow as pa

    from maskwise.engines.value_counts import Counts
    from maskwise.values.location import TableName
    from maskwise.values.scales import Scale


ROW = "row"
"""The column that remembers where a record stood."""
BATCH = 1 << 17
"""How many rows of a large result travel at once."""


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
    steps: tuple[tuple[Any, str], ...] = ()
    """For an ordered column, instead of `shown`: ascending (exclusive upper end, text); the last end is None."""
    scale: Scale | None = None
    """What the ends of `steps` are."""
    is_ranged: bool = False
    """Whether each key is the smallest value of a range that ends where the next begins."""
    has_others: bool = False
    """Whether the column holds more values than `keys`."""


class Engine(Protocol):
    """The verbs. Tables are Ibis expressions with the columns c0, c1, ... in the source's order."""

    @property
    def merges_texts(self) -> bool:
        """Whether the database may take different texts for equal, by a collation."""

    @property
    def keeps_order(self) -> bool:
        """Whether records stand in an order that means something."""

    @property
    def reads_files(self) -> bool:
        """Whether the engine sees the files that this process sees."""

    def scan_csv(self, paths: Sequence[Path], delimiter: str, n_columns: int, *, load: bool) -> ir.Table:
        """Open csv files, every column as text; `load` them if they will be scanned more than once."""

    def scan_parquet(self, paths: Sequence[Path], n_columns: int) -> ir.Table:
        """Open parquet files."""

    def scan_arrow(self, table: pa.Table) -> ir.Table:
        """Open an Arrow table."""

    def scan_table(self, name: Any) -> ir.Table:
        """Open a table of the database, by its name or as the database's own kind, under its own column names."""

    def fetch(self, expr: ir.Table) -> pa.Table:
        """Bring a small result over."""

    def keep(self, table: ir.Table) -> ir.Table:
        """Make a table of its own from an expression."""

    def hand_over(self, table: ir.Table) -> Any:
        """Make a table of its own from an expression, as the kind of table that the database's users know."""

    def discard(self, data: Any) -> None:
        """Remove a table that `keep` made; leave anything else alone."""

    def forget(self) -> None:
        """Take back everything that was lent for lookups or made on the way."""

    def lookup(self, table: pa.Table) -> ir.Table:
        """Lend a small Arrow table to the engine for a join."""

    def by_bytes(self, value: ir.Value) -> ir.Value:
        """What to sort a column by, so that texts come in the order of their bytes."""

    def by_chance(self) -> ir.Value:
        """What to sort records by, so that they come in an order that nobody can foresee."""

    def group(self, table: ir.Table, keys: Sequence[ir.Value]) -> pa.Table:
        """Count the records of each combination of keys, as columns k0, k1, ... and n."""

    def group_each(self, table: ir.Table, keys: Sequence[ir.Value], by: ir.Value | None) -> Counts:
        """For each key by itself, count its values (by another column), and keep the counts."""

    def recode(self, table: ir.Table, lookups: Lookups, beside: Sequence[str], *, keep: bool) -> ir.Table:
        """Recode columns, with others beside them; `keep` the result if it will be counted more than once."""

    def count_rows(
        self, coded: ir.Table, columns: Sequence[str], sums: Sequence[str]
    ) -> AbstractContextManager[Iterable[pa.RecordBatch]]:
        """Count the distinct rows of some columns and add up others, as those columns, n, and the sums."""

    def relabel(self, table: ir.Table, columns: Mapping[str, Relabel]) -> ir.Table:
        """Rewrite columns as text, keeping the order of rows."""

    def write(self, table: ir.Table, path: Path, names: Sequence[str], suffix: str, source: str) -> None:
        """Write a table under `names`; the suffix tells the format, `source` is what messages call the origin."""

    def write_folder(self, table: ir.Table, folder: Path, names: Sequence[str]) -> None:
        """Write a table as parquet files into a folder."""

    def check_target(self, target: TableName, source: Any) -> None:
        """Refuse a table that cannot be written, or is the source, before any work is done."""

    def appearing(self, table: ir.Table, target: TableName, names: Sequence[str]) -> AbstractContextManager[ir.Table]:
        """Write a table under a temporary name and give it to read; it gets its name if the block ends well."""


class Database(Protocol):
    """How one kind of database is talked to; `sql.SqlEngine` makes the verbs of it."""

    merges_texts: bool
    """Whether a collation may take different texts for equal without a word."""
    keeps_order: bool
    """Whether records stand in an order that means something."""
    reads_files: bool
    """Whether it sees the files that this process sees."""

    @property
    def connection(self) -> Any:
        """The Ibis backend that spells expressions as SQL."""

    def table(self, name: Any) -> ir.Table:
        """A table or view by its name, or as the database's own kind."""

    def open_csv(self, name: str, paths: Sequence[Path], delimiter: str, n_columns: int, *, load: bool) -> ir.Table:
        """Open csv files under a name, as the columns c0, c1, ..."""

    def open_parquet(self, name: str, paths: Sequence[Path]) -> ir.Table:
        """Open parquet files under a name, under their own column names."""

    def query(self, sql: str) -> pa.Table:
        """Fetch a result."""

    def stream(self, sql: str) -> AbstractContextManager[Iterable[pa.RecordBatch]]:
        """Fetch a large result batch by batch; it must be read to its end."""

    def lend(self, name: str, table: pa.Table) -> None:
        """Make an Arrow table known under a name."""

    def make(self, name: str, sql: str, *, view: bool) -> None:
        """Make a temporary table, or view, of a query."""

    def remove(self, name: str) -> None:
        """Remove what `lend` or `make` made."""

    def native(self, name: str) -> Any:
        """A kept table as the kind that the database's users know."""

    def try_cast(self, text: ir.Value, kind: str) -> ir.Value:
        """Read texts as another type; one that cannot be read is missing, or refused by the database."""

    def range_of(self, cell: str, lows: pa.Array, lent: str) -> tuple[str, str]:
        """The number of the range that a cell falls into: what to join, and the number, in SQL.

        Args:
            cell: The cell, in SQL; where it is missing, the number means nothing.
            lows: Where each range begins, ascending.
            lent: The same as a lent table, with columns low and code, which is the number of a range, from 0.
        """

    def by_bytes(self, value: ir.Value) -> ir.Value:
        """What to sort a column by, so that texts come in the order of their bytes."""

    def by_chance(self) -> ir.Value:
        """What to sort records by, so that they come in an order that nobody can foresee."""

    def write(self, sql: str, path: Path, suffix: str) -> None:
        """Write a query's result to a file."""

    def write_folder(self, sql: str, folder: Path) -> None:
        """Write a query's result as parquet files into a folder."""

    def check_target(self, target: TableName, source: Any) -> None:
        """Refuse a target that cannot be written."""

    def appearing(self, sql: str, target: TableName, draft: str) -> AbstractContextManager[ir.Table]:
        """Write a query's result under a draft name, and rename it if the block ends well."""

    def close(self) -> None:
        """End a connection of our own."""
