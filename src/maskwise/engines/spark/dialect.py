"""Spark: files and tables on a cluster, or on the cores of this machine.

Spark has no transactions and no temporary tables: a view stands for a query,
cached where it is read again, and a release is made under another name and
renamed.
"""

from __future__ import annotations

import secrets
import shutil
from contextlib import contextmanager, suppress
from functools import reduce
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

import ibis
import pyarrow as pa
from py4j.protocol import Py4JError
from pyspark.errors import PySparkException
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F  # noqa: N812 - Spark's own habit
from pyspark.sql.types import StringType

from maskwise.engines.base import ROW, Feature, Gap
from maskwise.engines.dialect import Dialect
from maskwise.engines.error_messages import missing_table, refuse_input_as_target
from maskwise.engines.spark.queries import (
    arrow_batches,
    arrow_schema,
    n_smaller_sql,
    range_ends_sql,
    range_search_sql,
    signed,
    spread_pairs_sql,
)
from maskwise.engines.spark.session import (
    active_session,
    cancel_jobs,
    start_session,
    stop_session,
    temporary_folders,
    translate_errors,
    watch_workers,
)
from maskwise.engines.spark.source_places import SourcePlaces, place_of_path, places_of_frame
from maskwise.engines.write_files import merge_parquet
from maskwise.errors import WriteError
from maskwise.values.input_kind import InputKind, input_kind
from maskwise.values.location import Folder, TableName

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    import ibis.expr.types as ir

    from maskwise.engines.base import DataFiles
    from maskwise.engines.pair_counts import Target
    from maskwise.values.csv_form import CsvForm

_MISSING = "\x00missing"
"""What Spark takes for missing in a csv; no cell holds it, so that a quoted empty cell stays a text."""
_FORM_OF_TIMES = "spark.sql.parquet.outputTimestampType"
_BYTES = "UTF8_BINARY"
"""The collation that compares bytes."""
_VIEWS = {"VIEW", "TEMPORARY"}
"""What the catalog calls views."""
_MOST_ORDERED = 64
"""Of so many files the order is kept, by one scan each."""
_MOST_RANGES, _RANGES_OF_TASK = 1 << 10, 4
"""So many ranges of numbers are put in order at once, and so many for each task: chance shares them out."""


class Spark(Dialect):
    """The owner's session, or one of our own."""

    name: ClassVar[str] = "Spark"
    gaps: Mapping[Feature, Gap] = {Feature.RECORD_ORDER: Gap.NEVER, Feature.LOCAL_RECORDS: Gap.NEVER}

    def __init__(self, source: Any, *, writes: bool = False, memory: int | None = None) -> None:
        """Connect.

        Args:
            source: A session, an Ibis backend, or the address of a cluster; `spark` uses the cores of this machine.
            writes: Means nothing here: the catalog knows who may write.
            memory: How many bytes a run may use; a session of our own gets its share.
        """
        del writes
        address = source if isinstance(source, str) and source != "spark" else None
        given = active_session(address) if isinstance(source, str) else source
        self._is_own = given is None
        used = start_session(address, memory) if given is None else given
        self.session: SparkSession = used if isinstance(used, SparkSession) else used._session  # noqa: SLF001
        self._folders = temporary_folders(self.session) if self._is_own else []
        self._zone = self.session.conf.get("spark.sql.session.timeZone")
        self._tag = f"maskwise-{secrets.token_hex(6)}"
        self._frames: dict[str, DataFrame] = {}
        self._backend: Any = None

    @property
    def backend(self) -> Any:
        """The Ibis backend that spells expressions as SQL."""
        if self._backend is None:
            self._backend = ibis.pyspark.connect(self.session)
        return self._backend

    def table(self, source: Any) -> ir.Table:
        """Open a view, a table of the catalog, a Spark data frame or an Ibis table."""
        if isinstance(source, DataFrame):
            return self._as_view(_without_collations(source))
        if isinstance(source, TableName):
            with translate_errors():
                if not self.session.catalog.tableExists(_quoted(source)):
                    inside = "" if source.schema is None else f" IN {_quoted(TableName(source.schema))}"
                    known = self.session.sql(f"SHOW TABLES{inside}").collect()
                    raise missing_table(source, [found.tableName for found in known])
                frame = self.session.table(_quoted(source))
            bare = _without_collations(frame)
            if bare is not frame:
                return self._as_view(bare)
            return self.backend.table(source.name, database=source.schema)
        if isinstance(source, str):
            return self.backend.table(source)
        with translate_errors():
            frame = self.session.sql(self.backend.compile(source))
        bare = _without_collations(frame)
        return self._as_view(bare) if bare is not frame else source

    def _as_view(self, frame: DataFrame) -> ir.Table:
        view = f"maskwise_{secrets.token_hex(6)}"
        self._create_view(view, frame)
        return self.backend.table(view)

    def _create_view(self, name: str, frame: DataFrame) -> None:
        frame.createOrReplaceTempView(name)
        self._frames[name] = frame

    def open_files(self, name: str, files: DataFiles) -> ir.Table:
        """Open files where they lie; a cell of a csv may hold line ends, so each csv is parsed by one task."""
        read = self.session.read
        if files.delimiter is None:
            return self._open(name, files, lambda paths: read.parquet(*paths))
        schema = ", ".join(f"c{i} STRING" for i in range(files.n_columns))
        options = {"sep": files.delimiter, "quote": '"', "escape": '"', "header": True, "multiLine": True}
        options |= {"mode": "FAILFAST", "nullValue": _MISSING, "emptyValue": "", "encoding": "UTF-8"}
        return self._open(name, files, lambda paths: read.csv(paths, schema, **options))

    def _open(self, name: str, files: DataFiles, scan: Callable[[list[str]], DataFrame]) -> ir.Table:
        paths = [str(path) for path in files.paths]
        # A worker looks at the schema of parquet files.
        with translate_errors(), self._working():
            if len(paths) <= _MOST_ORDERED and not files.is_counted:
                frame = reduce(lambda above, below: above.unionByName(below), [scan([path]) for path in paths])
            else:
                frame = scan(paths)
            # Under names of our own first: a column of the owner's may be called as ours.
            frame = _without_collations(frame).toDF(*(f"c{i}" for i in range(files.n_columns)))
            frame = frame.withColumn(ROW, F.monotonically_increasing_id())
            self._create_view(name, frame.persist() if files.delimiter is not None else frame)
            return self.backend.table(name)

    @contextmanager
    def _working(self) -> Iterator[None]:
        """End all workers' tasks when the work ends early: they would write where everything was removed."""
        context = self.session.sparkContext
        context.addJobTag(self._tag)
        try:
            with watch_workers(context, self._tag):
                yield
        except BaseException:
            cancel_jobs(context, self._tag)
            raise
        with suppress(PySparkException, Py4JError, OSError):
            context.removeJobTag(self._tag)

    def interrupt(self) -> None:
        """Cancel the jobs that run now."""
        with suppress(PySparkException, Py4JError, OSError):
            self.session.sparkContext.cancelJobsWithTag(self._tag)

    @contextmanager
    def stream(self, sql: str) -> Iterator[pa.RecordBatchReader]:
        """Run a query and read its result as the workers compute it, some partitions at a time."""
        with translate_errors():
            frame = self.session.sql(sql)
            schema = arrow_schema(frame)
        yield pa.RecordBatchReader.from_batches(schema, self._batches(frame, schema))

    def _batches(self, frame: DataFrame, schema: pa.Schema) -> Iterator[pa.RecordBatch]:
        with translate_errors(), self._working():
            yield from arrow_batches(frame, schema)

    def register(self, name: str, table: pa.Table) -> None:
        """Send a small table to every worker."""
        with translate_errors():
            self._create_view(name, self.session.createDataFrame(signed(table)))

    def create(self, name: str, sql: str, *, view: bool) -> None:
        """Create a view, and cache it if it stands for a table."""
        with translate_errors():
            frame = self.session.sql(sql)
            self._create_view(name, frame if view else frame.persist())

    def drop(self, name: str) -> None:
        """Drop a view and what is cached of it."""
        frame = self._frames.pop(name, None)
        with suppress(PySparkException, Py4JError, OSError):
            if frame is not None and frame.is_cached:
                frame.unpersist()
            self.session.catalog.dropTempView(name)

    def as_native(self, name: str) -> DataFrame:
        """Give a created table to the user as a Spark data frame; it stays cached until the user ends that."""
        frame = self._frames.pop(name)
        self.session.catalog.dropTempView(name)
        return frame

    def pairs_sql(self, records: str, targets: Sequence[Target]) -> str:
        """Spread each record into a row for each pair, and group once."""
        return spread_pairs_sql(records, targets)

    def range_number(self, cell: str, lows: pa.Array, registered: str) -> tuple[str, str]:
        """Search a constant list: a join by comparison would try every range on every record."""
        del registered
        return "", range_search_sql(cell, lows)

    def n_smaller_sql(self, cells: str, beside: Sequence[str]) -> str:
        """Order ranges of numbers one beside the other: a window over all of them would be one task."""
        n_tasks = int(str(self.session.conf.get("spark.sql.shuffle.partitions")))
        n_ranges = min(_RANGES_OF_TASK * n_tasks, _MOST_RANGES)
        ends = self.query(range_ends_sql(cells, n_ranges)).column(0).combine_chunks()
        return n_smaller_sql(cells, beside, ends)

    def cell_hash(self, cell: str, number: int) -> str:
        """Hash the number, and the text with that as the seed; Spark's `hash` has 32 bits only."""
        # A missing cell would leave the hash as it is, which is what some text might have; two flags keep them apart.
        return f"xxhash64({number}, {cell} IS NULL, {cell})"

    def random_order(self) -> ir.Value:
        """Draw a random identifier for each record, by Spark's own function."""
        return ibis.udf.scalar.builtin(_uuid, name="uuid")()

    def write(self, sql: str, target: Path | Folder, form: CsvForm) -> None:
        """Write files: the workers write parts, and for one file this process joins them in their order."""
        if isinstance(target, Folder):
            self._write_parts(sql, target.path)
            return
        parts = target.with_name(f"{target.name}.parts")
        try:
            self._write_parts(sql, parts)
            merge_parquet(sorted(parts.glob("*.parquet")), target, form)
        finally:
            shutil.rmtree(parts, ignore_errors=True)

    def _write_parts(self, sql: str, folder: Path) -> None:
        """Write parquet files, a task each, and nothing beside them.

        A time in a zone says so, which Spark's usual form of it does not.
        """
        before = self.session.conf.get(_FORM_OF_TIMES)
        with translate_errors(str(folder.parent)), self._working():
            self.session.conf.set(_FORM_OF_TIMES, "TIMESTAMP_MICROS")
            try:
                self.session.sql(sql).write.mode("overwrite").parquet(str(folder))
            finally:
                with suppress(PySparkException, Py4JError, OSError):
                    self.session.conf.set(_FORM_OF_TIMES, str(before))
        for bookkeeping in (*folder.glob("_*"), *folder.glob(".*")):
            bookkeeping.unlink()

    def check_target(self, target: TableName, source: Any) -> None:
        """Refuse a view, and a table that the source reads: by its name, its files, or through views."""
        with translate_errors(f"the table `{target}`"):
            if not self.session.catalog.tableExists(_quoted(target)):
                return
            is_view = self.session.catalog.getTable(_quoted(target)).tableType in _VIEWS
            replaced = places_of_frame(self.session.table(_quoted(target)))
        if self._places(source).meet(replaced):
            refuse_input_as_target(target)
        if is_view:
            msg = f"`{target}` is a view, so it cannot be replaced. Name another table."
            raise WriteError(msg)

    def source_files(self, source: Any) -> list[Path]:
        """The files and folders of this machine that a table, a view or a data frame reads."""
        return self._places(source).paths()

    def _places(self, source: Any) -> SourcePlaces:
        if isinstance(source, Path | Folder):
            return place_of_path(source.path if isinstance(source, Folder) else source)
        with translate_errors():
            if isinstance(source, DataFrame):
                return places_of_frame(source)
            if isinstance(source, TableName):
                is_there = self.session.catalog.tableExists(_quoted(source))
                return places_of_frame(self.session.table(_quoted(source))) if is_there else SourcePlaces()
            if input_kind(source) is InputKind.IBIS_TABLE:
                return places_of_frame(self.session.sql(self.backend.compile(source)))
        return SourcePlaces()

    @contextmanager
    def draft_table(self, sql: str, target: TableName, draft: str) -> Iterator[ir.Table]:
        """Make a table and rename it at the end; what stood there is moved aside first and removed last."""
        made, aside = (TableName(f"{draft}{end}", target.schema) for end in ("", "_old"))
        try:
            with translate_errors(f"the table `{target}`"):
                with self._working():
                    self.session.sql(f"CREATE TABLE {_quoted(made)} USING parquet AS {sql}")
                yield self.backend.table(made.name, database=made.schema)
                self._rename(made, target, aside)
        finally:
            with suppress(PySparkException, Py4JError, OSError):
                self.session.sql(f"DROP TABLE IF EXISTS {_quoted(made)}")

    def _rename(self, made: TableName, target: TableName, aside: TableName) -> None:
        is_there = self.session.catalog.tableExists(_quoted(target))
        if is_there:
            self.rename_table(target, aside)
        try:
            self.rename_table(made, target)
        except BaseException:
            if is_there:
                self._restore(aside, target)
            raise
        if is_there:
            self.session.sql(f"DROP TABLE {_quoted(aside)}")

    def _restore(self, aside: TableName, target: TableName) -> None:
        """Give the old table its name back; if another run took the name meanwhile, that one has replaced it."""
        try:
            self.rename_table(aside, target)
        except (PySparkException, Py4JError, OSError):
            if not self.session.catalog.tableExists(_quoted(target)):
                msg = f"The release could not take the place of `{target}`. The old table is whole, and now `{aside}`."
                raise WriteError(msg) from None
            self.session.sql(f"DROP TABLE {_quoted(aside)}")

    def rename_table(self, name: TableName, new: TableName) -> None:
        """Rename a table of the catalog."""
        self.session.sql(f"ALTER TABLE {_quoted(name)} RENAME TO {_quoted(new)}")

    def close(self) -> None:
        """Remove every view, and stop a session of our own."""
        for name in list(self._frames):
            self.drop(name)
        with suppress(PySparkException, Py4JError, OSError):
            self.session.conf.set("spark.sql.session.timeZone", str(self._zone))
        if self._is_own:
            stop_session(self.session, self._folders)


def _without_collations(frame: DataFrame) -> DataFrame:
    """Read texts without a collation: one may take `hiv` and `HIV` for equal, and show only one of them."""
    kinds = {field.name: field.dataType for field in frame.schema}
    merged = [name for name, kind in kinds.items() if isinstance(kind, StringType) and kind.collation != _BYTES]
    plain = {name: F.collate(frame[_column(name)], _BYTES) for name in merged}
    return frame.withColumns(plain) if plain else frame


def _uuid() -> str:
    """Spark's function of this name, so that Ibis can call it."""
    return secrets.token_hex()


def _column(name: str) -> str:
    """A name that stands for itself, also with a dot in it."""
    return f"`{name.replace('`', '``')}`"


def _quoted(name: TableName) -> str:
    parts = [part.replace("`", "``") for part in (name.schema, name.name) if part is not None]
    return ".".join(f"`{part}`" for part in parts)
