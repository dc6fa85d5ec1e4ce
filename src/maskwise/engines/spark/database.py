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
from typing import TYPE_CHECKING, Any

from py4j.protocol import Py4JError
from pyspark.errors import PySparkException
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F  # noqa: N812 - Spark's own habit
from pyspark.sql.types import StringType

from maskwise.engines.base import BATCH, ROW
from maskwise.engines.files import merge
from maskwise.engines.messages import missing_table
from maskwise.engines.spark.session import call_off, running, scratch_of, start, stop, told
from maskwise.errors import InputError
from maskwise.values.location import TableName

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from pathlib import Path

    import ibis.expr.types as ir
    import pyarrow as pa

_MISSING = "\x00missing"
"""What an empty cell of a csv is read as on the way, so that a quoted empty one stays a text."""
_BYTES = "UTF8_BINARY"
"""The collation that compares bytes."""
_MOST_ORDERED = 64
"""Of so many files the order is kept, by one scan each."""
_MOST_BROADCAST = 1 << 20
"""Lookups up to so many rows are sent to every worker."""


class Spark:
    """The owner's session, or one of our own."""

    keeps_order = False
    merges_texts = False
    reads_files = True

    def __init__(self, source: Any = None, *, memory: int | None = None) -> None:
        """Connect.

        Args:
            source: A session, an Ibis backend, or the address of a cluster; None uses the cores of this machine.
            memory: How many bytes of memory a run may use; a session of our own gets its share.
        """
        given = running(source) if source is None or isinstance(source, str) else source
        self._is_own = given is None
        source = start(source, memory) if given is None else given
        self.session: SparkSession = source if isinstance(source, SparkSession) else source._session  # noqa: SLF001
        self._scratch = scratch_of(self.session) if self._is_own else []
        self._zone = self.session.conf.get("spark.sql.session.timeZone")
        self._tag = f"maskwise-{secrets.token_hex(6)}"
        self._frames: dict[str, DataFrame] = {}
        self._backend: Any = None

    @property
    def connection(self) -> Any:
        """The Ibis backend that spells expressions as SQL."""
        if self._backend is None:
            import ibis  # noqa: PLC0415 - heavy

            self._backend = ibis.pyspark.connect(self.session)
        return self._backend

    def table(self, name: Any) -> ir.Table:
        """A view, a table of the catalog, or a Spark data frame."""
        if isinstance(name, DataFrame):
            return self._viewed(_by_letters(name))
        if isinstance(name, TableName):
            with told():
                if not self.session.catalog.tableExists(_quoted(name)):
                    inside = "" if name.schema is None else f" IN {_quoted(TableName(name.schema))}"
                    known = self.session.sql(f"SHOW TABLES{inside}").collect()
                    raise InputError(missing_table(name, [found.tableName for found in known]))
                frame = self.session.table(_quoted(name))
            bare = _by_letters(frame)
            return self._viewed(bare) if bare is not frame else self.connection.table(name.name, database=name.schema)
        if isinstance(name, str):
            return self.connection.table(name)
        with told():
            frame = self.session.sql(self.connection.compile(name))
        bare = _by_letters(frame)
        return self._viewed(bare) if bare is not frame else name

    def _viewed(self, frame: DataFrame) -> ir.Table:
        view = f"maskwise_{secrets.token_hex(6)}"
        self._show(view, frame)
        return self.connection.table(view)

    def _show(self, name: str, frame: DataFrame) -> None:
        frame.createOrReplaceTempView(name)
        self._frames[name] = frame

    def open_csv(self, name: str, paths: Sequence[Path], delimiter: str, n_columns: int, *, load: bool) -> ir.Table:
        """Open csv files as text; a cell may hold line ends, so each file is parsed by one task."""
        schema = ", ".join(f"c{i} STRING" for i in range(n_columns))
        options = {"sep": delimiter, "quote": '"', "escape": '"', "header": True, "multiLine": True}
        options |= {"mode": "FAILFAST", "nullValue": _MISSING, "emptyValue": "", "encoding": "UTF-8"}
        return self._open(name, [str(p) for p in paths], lambda p: self.session.read.csv(p, schema, **options), load)

    def open_parquet(self, name: str, paths: Sequence[Path]) -> ir.Table:
        """Open parquet files where they lie."""
        return self._open(name, [str(p) for p in paths], lambda p: self.session.read.parquet(*p), load=False)

    def _open(self, name: str, paths: Sequence[str], scan: Any, load: bool) -> ir.Table:  # noqa: FBT001
        with told():
            if len(paths) <= _MOST_ORDERED:
                frame = reduce(lambda above, below: above.unionByName(below), [scan([path]) for path in paths])
            else:
                frame = scan(list(paths))
            frame = _by_letters(frame).withColumn(ROW, F.monotonically_increasing_id())
            self._show(name, frame.persist() if load else frame)
            return self.connection.table(name)

    @contextmanager
    def _working(self) -> Iterator[None]:
        """Let no worker go on when the work is over: it would write where everything was removed."""
        context = self.session.sparkContext
        context.addJobTag(self._tag)
        try:
            yield
        except BaseException:
            call_off(context, self._tag)
            raise
        with suppress(PySparkException, Py4JError, OSError):
            context.removeJobTag(self._tag)

    def query(self, sql: str) -> pa.Table:
        """Fetch a result."""
        with told(), self._working():
            return self.session.sql(sql).toArrow()

    @contextmanager
    def stream(self, sql: str) -> Iterator[Iterable[pa.RecordBatch]]:
        """Fetch a result; Spark hands it over whole, in Arrow's form."""
        yield self.query(sql).to_reader(BATCH)

    def lend(self, name: str, table: pa.Table) -> None:
        """Send a small table to every worker."""
        with told():
            frame = self.session.createDataFrame(_signed(table))
            self._show(name, F.broadcast(frame) if table.num_rows <= _MOST_BROADCAST else frame)

    def make(self, name: str, sql: str, *, view: bool) -> None:
        """Make a view, and cache it if it stands for a table."""
        with told():
            frame = self.session.sql(sql)
            self._show(name, frame if view else frame.persist())

    def remove(self, name: str) -> None:
        """Remove a view and what is cached of it."""
        frame = self._frames.pop(name, None)
        with suppress(PySparkException, Py4JError, OSError):
            if frame is not None and frame.is_cached:
                frame.unpersist()
            self.session.catalog.dropTempView(name)

    def native(self, name: str) -> DataFrame:
        """A kept table as a Spark data frame; it stays cached as long as its owner wants."""
        frame = self._frames.pop(name)
        self.session.catalog.dropTempView(name)
        return frame

    def try_cast(self, text: ir.Value, kind: str) -> ir.Value:
        """Read texts as another type; one that cannot be read is missing."""
        return text.try_cast(kind)

    def range_of(self, cell: str, lows: pa.Array, lent: str) -> tuple[str, str]:
        """Halve a sorted list until the range is found: a join by comparison would try every range on every record."""
        import pyarrow as pa  # noqa: PLC0415 - heavy

        del lent
        # Folded into one constant before the query runs; a subquery may not stand in a lambda.
        spelled = ",".join(lows.cast(pa.string()).to_pylist())
        listed = f"CAST(split('{spelled}', ',') AS ARRAY<{_type_of(lows.type)}>)"
        halves = ", ".join(str(1 << bit) for bit in range(len(lows).bit_length() - 1, -1, -1))
        found = f"at + half <= {len(lows)} AND element_at({listed}, at + half) <= {cell}"
        return "", f"aggregate(array({halves}), 0, (at, half) -> IF({found}, at + half, at)) - 1"

    def by_bytes(self, value: ir.Value) -> ir.Value:
        """Spark sorts by bytes."""
        return value

    def by_chance(self) -> ir.Value:
        """Draw a number for each record."""
        import ibis  # noqa: PLC0415 - heavy

        return ibis.udf.scalar.builtin(_uuid, name="uuid")()

    def write(self, sql: str, path: Path, suffix: str) -> None:
        """Write one file: the workers write parts beside it, and this process joins them in their order."""
        parts = path.with_name(f"{path.name}.parts")
        try:
            self.write_folder(sql, parts)
            merge(sorted(parts.glob("*.parquet")), path, suffix)
        finally:
            shutil.rmtree(parts, ignore_errors=True)

    def write_folder(self, sql: str, folder: Path) -> None:
        """Write parquet files, a task each."""
        with told(str(folder.parent)), self._working():
            self.session.sql(sql).write.mode("overwrite").parquet(str(folder))

    def check_target(self, target: TableName, source: Any) -> None:
        """Refuse a table that is the source."""
        if isinstance(source, TableName):
            here = self.session.catalog.currentDatabase()
            spelled = [f"{place.schema or here}.{place.name}".casefold() for place in (source, target)]
            if spelled[0] == spelled[1]:
                msg = f"`{target}` is the input. Write the release to another table."
                raise InputError(msg)

    @contextmanager
    def appearing(self, sql: str, target: TableName, draft: str) -> Iterator[ir.Table]:
        """Make a table and rename it at the end; what stood there is moved aside first and removed last."""
        made, aside = (TableName(f"{draft}{end}", target.schema) for end in ("", "_old"))
        try:
            with told(f"the table `{target}`"):
                with self._working():
                    self.session.sql(f"CREATE TABLE {_quoted(made)} USING parquet AS {sql}")
                yield self.connection.table(made.name, database=made.schema)
                self._rename(made, target, aside)
        finally:
            with suppress(PySparkException, Py4JError, OSError):
                self.session.sql(f"DROP TABLE IF EXISTS {_quoted(made)}")

    def _rename(self, made: TableName, target: TableName, aside: TableName) -> None:
        is_there = self.session.catalog.tableExists(_quoted(target))
        if is_there:
            self.session.sql(f"ALTER TABLE {_quoted(target)} RENAME TO {_quoted(aside)}")
        try:
            self.session.sql(f"ALTER TABLE {_quoted(made)} RENAME TO {_quoted(target)}")
        except BaseException:
            if is_there:
                self.session.sql(f"ALTER TABLE {_quoted(aside)} RENAME TO {_quoted(target)}")
            raise
        if is_there:
            self.session.sql(f"DROP TABLE {_quoted(aside)}")

    def close(self) -> None:
        """Remove every view, and stop a session of our own."""
        for name in list(self._frames):
            self.remove(name)
        with suppress(PySparkException, Py4JError, OSError):
            self.session.conf.set("spark.sql.session.timeZone", str(self._zone))
        if self._is_own:
            stop(self.session, self._scratch)


def _by_letters(frame: DataFrame) -> DataFrame:
    """Read texts without a collation: one may take `hiv` and `HIV` for equal, and tell only one of them."""
    kinds = {field.name: field.dataType for field in frame.schema}
    merged = [name for name, kind in kinds.items() if isinstance(kind, StringType) and kind.collation != _BYTES]
    plain = {name: F.collate(frame[_column(name)], _BYTES) for name in merged}
    return frame.withColumns(plain) if plain else frame


def _uuid() -> str:
    """Stands for Spark's function of this name."""
    return secrets.token_hex()


def _signed(table: pa.Table) -> pa.Table:
    """Spark has no unsigned numbers."""
    import pyarrow as pa  # noqa: PLC0415 - heavy

    wider = {pa.uint8(): pa.int16(), pa.uint16(): pa.int32(), pa.uint32(): pa.int64()}
    fields = [field.with_type(wider.get(field.type, field.type)) for field in table.schema]
    return table.cast(pa.schema(fields))


def _type_of(kind: pa.DataType) -> str:
    """What Spark calls the type of an ordered column."""
    import pyarrow as pa  # noqa: PLC0415 - heavy

    if pa.types.is_timestamp(kind):
        return "TIMESTAMP_NTZ" if kind.tz is None else "TIMESTAMP"
    if pa.types.is_date(kind):
        return "DATE"
    return "DOUBLE" if pa.types.is_floating(kind) else "BIGINT"


def _column(name: str) -> str:
    """A name that stands for itself, also with a dot in it."""
    return f"`{name.replace('`', '``')}`"


def _quoted(name: TableName) -> str:
    parts = [part.replace("`", "``") for part in (name.schema, name.name) if part is not None]
    return ".".join(f"`{part}`" for part in parts)
