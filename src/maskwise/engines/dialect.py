"""What a kind of database must provide: an abstract class, and what plain Ibis and SQL do on most of them.

`sql.Engine` has the verbs (scan, group, relabel, write), written once for all databases. What differs between
databases is a `Dialect`: a class for each of them, in `duckdb`, `postgres` and `spark`. The abstract methods are what a
new one must write; the others are written here, and a database replaces one where it cannot do it so, or not fast.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, Any, ClassVar

import ibis

from maskwise.engines.base import MOST_SETS, Feature, Gap
from maskwise.engines.pair_counts import ALONE
from maskwise.engines.write_files import file_of, write_batches
from maskwise.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from contextlib import AbstractContextManager
    from pathlib import Path

    import ibis.expr.types as ir
    import pyarrow as pa

    from maskwise.engines.base import DataFiles
    from maskwise.engines.pair_counts import Target
    from maskwise.values.csv_form import CsvForm
    from maskwise.values.location import Folder, TableName


class Dialect(ABC):
    """How one kind of database is talked to.

    Its constructor takes `(source, *, writes, memory)`: the address, the Ibis backend or the session that was given, or
    None; whether a table of the database will be written; and how many bytes a run may use, or None. Every error of the
    database becomes an error of ours that quotes no cell (`error_messages`).
    """

    name: ClassVar[str]
    """What messages call the database, such as `PostgreSQL`."""
    gaps: Mapping[Feature, Gap]
    """The features it lacks, each with the reason."""
    most_held: int = 0
    """Files of up to so many bytes are read into memory by this process, which looks at each distinct cell once. 0
    holds nothing so, also no frame: the database may answer in another order than it was asked in."""

    @property
    @abstractmethod
    def backend(self) -> Any:
        """The Ibis backend, which spells expressions as SQL."""

    @abstractmethod
    def table(self, source: Any) -> ir.Table:
        """Open a table; its texts are compared by their letters.

        Args:
            source: The name (str) of a temporary table or view made here; a `TableName` of the owner's, which is
                refused with a suggestion if there is none; or an Ibis table, or a table of the database's own kind.
        """

    @abstractmethod
    def stream(self, sql: str) -> AbstractContextManager[pa.RecordBatchReader]:
        """Run a query and read its result batch by batch; inside the block the database is asked nothing else."""

    @abstractmethod
    def register(self, name: str, table: pa.Table) -> None:
        """Make a small Arrow table known to the database under a name, for a join."""

    @abstractmethod
    def create(self, name: str, sql: str, *, view: bool) -> None:
        """Create a temporary table, or view, of a query's result."""

    @abstractmethod
    def drop(self, name: str) -> None:
        """Drop what `register` or `create` made."""

    @abstractmethod
    def range_number(self, cell: str, lows: pa.Array, registered: str) -> tuple[str, str]:
        """Find the number of the range that a cell falls into: what to join, and the number, both in SQL.

        Args:
            cell: The cell, in SQL; where it is missing, the number means nothing.
            lows: Where each range begins, ascending.
            registered: The same as a registered table with the columns low and code, which numbers ranges from 0.
        """

    @abstractmethod
    def cell_hash(self, cell: str, number: int) -> str:
        """Hash a text to a whole number of 64 bits, in SQL; a missing cell has a hash of its own.

        Args:
            cell: The text, in SQL.
            number: Which of many hash functions that have nothing to do with each other.
        """

    @abstractmethod
    def check_target(self, target: TableName, source: Any) -> None:
        """Refuse a table that cannot be written, or is the source, before any work is done."""

    @abstractmethod
    def draft_table(self, sql: str, target: TableName, draft: str) -> AbstractContextManager[ir.Table]:
        """Write a query's result as a table under a draft name, and rename it only if the block ends well.

        Args:
            sql: The query.
            target: The final name; what stands there is replaced. If the block fails, it stays as it was.
            draft: The draft name.
        """

    @abstractmethod
    def interrupt(self) -> None:
        """End the query that runs now, if one does, from another thread; whoever waits for it gets an error.

        The connection can be used afterwards.
        """

    @abstractmethod
    def close(self) -> None:
        """End a connection of our own; leave a connection of the owner's as it was."""

    # What follows does on most databases.

    def query(self, sql: str) -> pa.Table:
        """Run a query and fetch its whole result."""
        with self.stream(sql) as batches:
            return batches.read_all()

    def open_files(self, name: str, files: DataFiles) -> ir.Table:  # noqa: ARG002 - for those that see files
        """Open files as a temporary table or view; a database that does not see them has a gap `Feature.FILES`.

        Args:
            name: What to call it.
            files: The files. The columns of a csv are texts, called c0, c1, ...; an empty cell is missing, a quoted
                empty one is a text. Those of parquet files keep their names. A further column `row` may give each
                record's position.
        """
        msg = (
            f"{self.name} reads tables, and `{files.paths[0].name}` is a file. Load it into a table, or use --engine "
            "duckdb."
        )
        raise InputError(msg)

    def as_native(self, name: str) -> Any:
        """Give a created table to the user as a table of the usual kind."""
        return self.table(name)

    def write(self, sql: str, target: Path | Folder, form: CsvForm) -> None:
        """Write a query's result to a file, or as parquet files into a folder.

        A file's suffix gives its format. `write_files` writes them all, so that the same records give the same bytes on
        every engine. Here the records stream through this process.
        """
        with self.stream(sql) as batches:
            write_batches(batches, file_of(target), form)

    def source_files(self, source: Any) -> Sequence[Path]:  # noqa: ARG002 - for those that read files
        """List the files and folders of this machine that a table of the database, or a query of it, reads.

        No release may replace one of them. None where records are not in files of the owner's.
        """
        return ()

    def beside(self) -> Dialect | None:
        """Give a second connection of our own to the same database of this process, if it is one.

        It has temporary tables of its own; to start a second database takes longer than to count a small table.
        """
        return None

    def try_cast(self, text: ir.Value, kind: str) -> ir.Value:
        """Read texts as another type; one that cannot be read is missing; or `Feature.UNREADABLE_TEXTS` is a gap."""
        return text.try_cast(kind)

    def byte_order(self, value: ir.Value) -> ir.Value:
        """Give what to sort a column by, so that texts come in the order of their bytes.

        Every engine then names the same group as the first one.
        """
        return value

    def random_order(self) -> ir.Value:
        """Give what to sort by, so that nobody can predict the order."""
        return ibis.uuid()

    def n_smaller_sql(self, cells: str, beside: Sequence[str]) -> str:
        """Say for each row how many records have a smaller number, in SQL.

        Args:
            cells: A query with the columns v (a number, a date or a time), n (how many records have it), and those
                beside.
            beside: The class's column, if there is one. The result has all of these columns, and n_smaller.
        """
        # Rows of one number, a row for each class, are peers: the frames take them all or none.
        smaller = "sum(n) OVER (ORDER BY v) - sum(n) OVER (ORDER BY v RANGE BETWEEN CURRENT ROW AND CURRENT ROW)"
        together = "".join(f", {name}" for name in beside)
        return f"SELECT v, n{together}, CAST({smaller} AS BIGINT) AS n_smaller FROM ({cells}) c"  # noqa: S608

    def pairs_sql(self, records: str, targets: Sequence[Target]) -> str:
        """Count the records of each (cell of another column, label, raw cell), in SQL.

        Args:
            records: The name of the coded records; none of their cells is missing.
            targets: The masked columns. The result has the columns target, other (`ALONE` for the target by itself),
                cell, label, raw and n.
        """
        counted = []
        for target in targets:
            numbers = list(target.beside)
            own = f"{target.label}, {target.raw}"
            for at in range(0, max(len(numbers), 1), MOST_SETS):
                beside = {number: target.beside[number] for number in numbers[at : at + MOST_SETS]}
                number = " ".join(f"+ {i - ALONE} * (1 - grouping({name}))" for i, name in beside.items())
                sets = [f"({name}, {own})" for name in beside.values()] + [f"({own})"] * (at == 0)
                counted.append(
                    f"SELECT {target.number} AS target, {ALONE} {number} AS other, "  # noqa: S608
                    f"coalesce({', '.join([*beside.values(), '0'])}) AS cell, "
                    f"{target.label} AS label, {target.raw} AS raw, count(*) AS n FROM {records} "
                    f"GROUP BY GROUPING SETS ({', '.join(sets)})"
                )
        return " UNION ALL ".join(counted)
