"""ClickHouse, run inside this process by chdb: the tables of a folder.

ClickHouse has no transactions. What is made on the way are temporary tables and
views of the session; a release is made under another name, recounted, and then
takes its name, or the place of the old table, in one step.
"""

from __future__ import annotations

import secrets
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Any, ClassVar

import ibis
import numpy as np
import pyarrow as pa

from maskwise.engines import defaults
from maskwise.engines.base import Feature, Gap
from maskwise.engines.clickhouse.connection import ChdbConnection, folder_of, known_tables, table_engine
from maskwise.engines.clickhouse.dependencies import reads
from maskwise.engines.clickhouse.names import quote_name, quote_table, quote_text
from maskwise.engines.error_messages import missing_table, refuse_input_as_target
from maskwise.engines.ibis_compilers import import_compilers_when_asked
from maskwise.errors import MaskwiseError, WriteError
from maskwise.values.arrow import as_numpy
from maskwise.values.input_kind import InputKind, input_kind
from maskwise.values.location import TableName

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    import ibis.expr.datatypes as dt
    import ibis.expr.types as ir

    from maskwise.engines.base import Lookup

_MOST_LISTED = 1 << 12
"""So many keys are looked up in a list; more of them by a join."""


class ClickHouse:
    """A session of our own in a folder, or the one of an Ibis backend."""

    name: ClassVar[str] = "ClickHouse"
    gaps: ClassVar[Mapping[Feature, Gap]] = {
        Feature.FILES: Gap.NOTIMPL,
        Feature.RECORD_ORDER: Gap.NEVER,
        Feature.LOCAL_RECORDS: Gap.NOTIMPL,
    }

    packs_codes: ClassVar[bool] = False
    most_held = 0
    fence: ClassVar[str] = ""

    open_files = defaults.refuse_files
    values_sql = defaults.values_sql
    pairs_sql = defaults.pairs_sql
    as_native = defaults.as_ibis_table
    try_cast = defaults.try_cast
    stops_at_unreadable = defaults.no
    byte_order = defaults.unchanged
    beside = defaults.nothing_beside
    write = defaults.write
    version = defaults.version
    source_files = defaults.no_files
    in_random_order = defaults.in_random_order
    n_smaller_sql = defaults.n_smaller_sql
    repeats_rows = defaults.supposed_distinct

    def __init__(self, source: Any, *, writes: bool = False, memory: int | None = None) -> None:
        """Open a folder.

        Args:
            source: An address such as `chdb:///folder`, or a `ChdbBackend`, whose session is used and left open.
            writes: Means nothing here: the session can write.
            memory: How many bytes a run may use; above its share of them ClickHouse uses the disk.
        """
        del writes
        self._is_own = isinstance(source, str)
        self._backend = None if self._is_own else source
        self._connection = ChdbConnection(folder_of(source), memory) if self._is_own else source.connection
        self._opened: list[str] = []

    @property
    def backend(self) -> Any:
        """The Ibis backend that spells expressions as SQL."""
        if self._backend is None:
            import_compilers_when_asked()
            from maskwise.engines.clickhouse.backend import ChdbBackend  # noqa: PLC0415 - heavy

            made = ChdbBackend()
            made.do_connect(self._connection)
            self._backend = made
        return self._backend

    def table(self, source: Any) -> ir.Table:
        """Open a table by its name, or an Ibis table, by a view of its columns as every engine has them."""
        if isinstance(source, str):
            return self.backend.table(source)
        if isinstance(source, TableName):
            if source.name not in (known := known_tables(self._connection, source.schema)):
                raise missing_table(source, known)
            query = f"SELECT * FROM {quote_table(source)}"  # noqa: S608
        else:
            query = str(self.backend.compile(source))
        zone = str(self._connection.rows("SELECT serverTimezone()")[0][0])
        columns = self._connection.describe(query)
        cells = ", ".join(f"{column.read_sql(zone)} AS {quote_name(column.name)}" for column in columns)
        name = f"maskwise_opened_{secrets.token_hex(8)}"
        self.create(name, f"SELECT {cells} FROM ({query}) q", view=True)  # noqa: S608
        self._opened.append(name)
        return self.backend.table(name)

    @contextmanager
    def stream(self, sql: str) -> Iterator[pa.RecordBatchReader]:
        """Run a query and read its result batch by batch."""
        with self._connection.stream(sql) as batches:
            yield batches

    def register(self, name: str, table: pa.Table) -> None:
        """Copy a small table into a temporary one."""
        self._connection.insert(name, table)

    def create(self, name: str, sql: str, *, view: bool) -> None:
        """Create a temporary table or view."""
        how = "VIEW" if view else "TABLE"
        self._connection.run(f"CREATE TEMPORARY {how} {name} {'' if view else table_engine()} AS {sql}")

    def drop(self, name: str) -> None:
        """Drop a temporary table or view; what is still there at the end goes with the session."""
        with suppress(MaskwiseError):
            self._connection.run(f"DROP TEMPORARY TABLE IF EXISTS {name}")

    def range_number(self, cell: str, lows: pa.Array, registered: str) -> tuple[str, str]:
        """Halve a constant list of where the ranges begin, without a join; an ASOF join needs another key."""
        del registered
        number, listed = _as_number(cell, lows.type), _as_list(lows)
        codes = f"CAST(range({len(lows)}) AS Array({_narrowest([-1, len(lows)])}))"
        return "", f"if({number} < {listed}[1], -1, transform(roundDown({number}, {listed}), {listed}, {codes}, NULL))"

    def code_cell(self, cell: str, kind: dt.DataType, how: Lookup) -> str | None:
        """Look texts and whole numbers up in a list, without a join."""
        if not 0 < len(how.keys) <= _MOST_LISTED:
            return None
        if kind.is_string() and pa.types.is_string(how.keys.type):
            keys = ", ".join(quote_text(key) for key in how.keys.to_pylist())
        elif kind.is_integer() and pa.types.is_integer(how.keys.type):
            keys = ", ".join(map(str, how.keys.to_pylist()))
        else:
            return None
        codes = as_numpy(how.codes).tolist()
        narrow = _narrowest([*codes, *(code for code in (how.missing, how.other) if code is not None)])
        return f"transform({cell}, [{keys}], CAST([{', '.join(map(str, codes))}] AS Array({narrow})), NULL)"

    def hash_input(self, cell: ir.Value) -> ir.Value:
        """Whole numbers and dates as they are."""
        return cell if cell.type().is_integer() or cell.type().is_date() else cell.cast("string")

    def cell_hash(self, cell: str, number: int) -> str:
        """Hash the cell, and its hash together with the number; a missing cell has a hash that depends on it alone."""
        # An odd number spreads the numbers over all bits.
        spread = (number + 1) * 0x9E3779B97F4A7C15 % (1 << 64)
        mixed = f"bitXor(if(isNull({cell}), toUInt64(1), xxh3(assumeNotNull({cell}))), toUInt64({spread}))"
        return f"reinterpretAsInt64(intHash64({mixed}))"

    def random_order(self) -> ir.Value:
        """Hash a random identifier with a secret: ClickHouse draws it from a generator that others could follow."""
        hashed = ibis.udf.scalar.builtin(_sha256, name="SHA256")
        return hashed(ibis.literal(secrets.token_hex(32)) + ibis.uuid().cast("string"))

    def exclusive_or(self, first: str, second: str) -> str:
        """A function; `^` is unknown."""
        return f"bitXor({first}, {second})"

    def check_target(self, target: TableName, source: Any) -> None:
        """Refuse a database that is not there, a view, and a table that the source reads."""
        database = target.schema or str(self._connection.rows("SELECT currentDatabase()")[0][0])
        if not self._connection.rows(f"SELECT 1 FROM system.databases WHERE name = {quote_text(database)}"):  # noqa: S608
            msg = f"There is no database `{database}` in the folder. Create it first."
            raise WriteError(msg)
        taken = f"database = {quote_text(database)} AND name = {quote_text(target.name)} AND engine LIKE '%View'"
        if self._connection.rows(f"SELECT 1 FROM system.tables WHERE {taken}"):  # noqa: S608
            msg = f"`{target}` is a view, so it cannot be replaced. Name another table."
            raise WriteError(msg)
        query = f"SELECT * FROM {quote_table(source)}" if isinstance(source, TableName) else None  # noqa: S608
        if query is None and input_kind(source) is InputKind.IBIS_TABLE:
            query = str(self.backend.compile(source))
        if query is not None and reads(self._connection, query, database, target.name):
            refuse_input_as_target(target)

    @contextmanager
    def draft_table(self, sql: str, target: TableName, draft: str) -> Iterator[ir.Table]:
        """Make a table under a draft name, and give it its name, or the old table's place, only at the end."""
        place = TableName(draft, target.schema)
        zone = str(self._connection.rows("SELECT serverTimezone()")[0][0])
        cells = ", ".join(column.written_sql(zone) for column in self._connection.describe(sql))
        try:
            made = f"CREATE TABLE {quote_table(place)} {table_engine()} AS SELECT {cells} FROM ({sql}) q"  # noqa: S608
            self._connection.run(made, target)
            yield self.table(place)
            self._rename(place, target)
        finally:
            with suppress(MaskwiseError):
                self._connection.run(f"DROP TABLE IF EXISTS {quote_table(place)} SYNC")

    def _rename(self, draft: TableName, target: TableName) -> None:
        """Both ways are one step; what stood under the name stands under the draft's then, and is dropped there."""
        made, name = quote_table(draft), quote_table(target)
        for is_last in (False, True):
            is_there = target.name in known_tables(self._connection, target.schema)
            how = f"EXCHANGE TABLES {made} AND {name}" if is_there else f"RENAME TABLE {made} TO {name}"
            try:
                self._connection.run(how, target)
            except WriteError:
                # Another run may have given its table the name, or dropped it, since we looked.
                if is_last:
                    raise
            else:
                return

    def interrupt(self) -> None:
        """End the query that runs now."""
        self._connection.interrupt()

    def close(self) -> None:
        """End a session of our own; leave nothing behind in another's."""
        if self._is_own:
            self._connection.close()
            return
        for name in self._opened:
            self.drop(name)
        self._opened.clear()


def _sha256(_: str) -> bytes:
    raise NotImplementedError  # the database's own


def _narrowest(codes: Sequence[int]) -> str:
    """The smallest type for some whole numbers: ClickHouse groups by small keys side by side, in one step.

    >>> _narrowest([0, 255]), _narrowest([-1, 300])
    ('UInt8', 'Int32')
    """
    kind = np.result_type(np.min_scalar_type(min(codes)), np.min_scalar_type(max(codes)))
    return f"{'UInt' if kind.kind == 'u' else 'Int'}{kind.itemsize * 8}"


def _as_number(cell: str, kind: pa.DataType) -> str:
    """A day or a moment as a number, in SQL, which lists are searched by."""
    if pa.types.is_date(kind):
        return f"toInt32({cell})"
    return f"toUnixTimestamp64Micro({cell})" if pa.types.is_timestamp(kind) else cell


def _as_list(lows: pa.Array) -> str:
    """Numbers, days or moments as a list of the numbers that `_as_number` makes, in SQL."""
    if pa.types.is_date(lows.type):
        lows = lows.cast(pa.int32())
    elif pa.types.is_timestamp(lows.type):
        lows = lows.cast(pa.timestamp("us", lows.type.tz)).cast(pa.int64())
    kind = "Float64" if pa.types.is_floating(lows.type) else "Int64"
    return f"CAST([{', '.join(map(repr, lows.to_pylist()))}] AS Array({kind}))"
