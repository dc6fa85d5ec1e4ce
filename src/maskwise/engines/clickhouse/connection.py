"""A connection to the ClickHouse that chdb runs in this process: one folder, settings of its own, queries by Arrow.

All connections of a process share the folder, and each has temporary tables of its own.
"""

from __future__ import annotations

import io
import json
import secrets
from concurrent.futures import ThreadPoolExecutor, wait
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Any, TypeVar

import chdb
import pyarrow as pa

from maskwise.engines.clickhouse.error_messages import cannot_open, translated
from maskwise.engines.clickhouse.names import quote_name, quote_text
from maskwise.engines.clickhouse.types import ResultColumn, as_sent, known_types, sql_type
from maskwise.errors import InputError
from maskwise.values.location import database_file
from maskwise.values.memory import for_engine

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from pathlib import Path

    from maskwise.values.location import TableName

_T = TypeVar("_T")
_MOST_IN_MEMORY = 1 << 20
"""A table of so many rows at most is kept in memory; a larger one on disk."""
_LARGEST = 1 << 40
"""No limit: queries list thousands of values."""
SETTINGS: dict[str, Any] = {
    # What SQL means by a missing cell.
    "join_use_nulls": 1,
    "group_by_use_nulls": 1,
    "aggregate_functions_null_for_empty": 1,
    "transform_null_in": 0,
    "cast_keep_nullable": 1,
    # A name means a column, also where an expression beside it has the same name.
    "prefer_column_name_to_alias": 1,
    # No figure is an estimate, and none runs over silently.
    "count_distinct_implementation": "uniqExact",
    "precise_float_parsing": 1,
    "decimal_check_overflow": 1,
    "date_time_overflow_behavior": "throw",
    "enable_extended_results_for_datetime_functions": 1,
    "output_format_decimal_trailing_zeros": 1,
    "session_timezone": "UTC",
    "output_format_arrow_string_as_string": 1,
    "output_format_arrow_low_cardinality_as_dictionary": 0,
    "max_query_size": _LARGEST,
    "max_ast_elements": _LARGEST,
    "max_expanded_ast_elements": _LARGEST,
    "max_execution_time": 0,
}
"""What a session sets for itself; nobody else's session changes by it."""


class ChdbConnection:
    """One session in a folder."""

    def __init__(self, folder: Path, memory: int | None = None) -> None:
        """Open the folder, or join the sessions of this process in it.

        Args:
            folder: Where chdb keeps the database.
            memory: How many bytes a run may use; above a share of them sorting and grouping go to disk.
        """
        self._folder = folder
        self._session = _open(folder)
        self._tag = f"maskwise-{secrets.token_hex(8)}"
        # chdb hears no Ctrl-C while a query runs, so another thread waits for it than the one that is asked.
        self._worker = ThreadPoolExecutor(1, thread_name_prefix="maskwise-chdb")
        self._is_open = True
        settings = {**SETTINGS, "log_comment": self._tag, **({} if memory is None else _limits(memory))}
        spelled = (f"{name} = {quote_text(str(value))}" for name, value in settings.items())
        self.run(f"SET {', '.join(spelled)}")

    def run(self, sql: str, target: TableName | None = None) -> None:
        """Run a statement that has no result.

        Args:
            sql: The statement.
            target: The table that is being written, for messages.
        """
        self._wait(lambda: self._session.query(sql, "Null"), target)

    def rows(self, sql: str) -> list[list[Any]]:
        """Fetch a small result as plain values; numbers of 64 bits are texts."""
        found = self._wait(lambda: self._session.query(sql, "JSONCompact").bytes())
        listed: list[list[Any]] = json.loads(found)["data"] if found else []
        return listed

    def describe(self, sql: str) -> list[ResultColumn]:
        """The columns of a query's result."""
        return [ResultColumn.of(str(row[0]), str(row[1])) for row in self.rows(f"DESCRIBE TABLE ({sql})")]

    @contextmanager
    def stream(self, sql: str) -> Iterator[pa.RecordBatchReader]:
        """Run a query and read its result batch by batch."""
        schema = pa.schema([(column.name, column.arrow_type() or pa.string()) for column in self.describe(sql)])
        result = self._wait(lambda: self._session.send_query(sql, "Arrow"))
        try:
            yield pa.RecordBatchReader.from_batches(schema, self._batches(result, schema))
        finally:
            with suppress(RuntimeError):  # it may be over already
                result.close()

    def _batches(self, result: Any, schema: pa.Schema) -> Iterator[pa.RecordBatch]:
        while (sent := self._wait(result.fetch)) is not None:
            # A result without rows has no bytes either.
            if spelled := sent.bytes():
                for batch in pa.ipc.open_file(spelled).read_all().to_batches():
                    yield as_sent(batch, schema)

    def insert(self, name: str, table: pa.Table) -> None:
        """Make a temporary table of an Arrow table.

        Args:
            name: What to call it.
            table: The rows.
        """
        known = known_types(table)
        columns = ", ".join(f"{quote_name(field.name)} {sql_type(field.type)}" for field in known.schema)
        self.run(f"CREATE TEMPORARY TABLE {name} ({columns}) {table_engine(known.num_rows)}")
        if not known.num_rows:
            return
        sink = io.BytesIO()
        with pa.ipc.new_stream(sink, known.schema) as writer:
            writer.write_table(known)
        self._wait(lambda: self._insert(name, sink.getvalue()))

    def _insert(self, name: str, spelled: bytes) -> None:
        with self._session.send_insert(f"INSERT INTO {name}", "ArrowStream") as rows:
            rows.append(spelled)
            rows.finish()

    def interrupt(self) -> None:
        """End the query that runs now, from another thread, by a session of its own."""
        with suppress(RuntimeError):  # the query may be over already
            other = chdb.connect(str(self._folder))
            try:
                other.query(f"KILL QUERY WHERE Settings['log_comment'] = {quote_text(self._tag)} ASYNC", "Null")
            finally:
                other.close()

    def close(self) -> None:
        """End the session, and with it its temporary tables."""
        if self._is_open:
            self._is_open = False
            self._worker.shutdown()
            self._session.close()

    def _wait(self, work: Callable[[], _T], target: TableName | None = None) -> _T:
        """Do something in the other thread; whatever ends the waiting early ends the query too."""
        if not self._is_open:
            raise InputError("The session in the ClickHouse folder was closed.")
        running = self._worker.submit(work)
        try:
            return running.result()
        except RuntimeError as error:
            raise translated(error, target) from None
        finally:
            if not running.done():
                self.interrupt()
                wait([running])


def folder_of(address: str) -> Path:
    """The folder of `chdb:///folder`, here or from the root.

    >>> folder_of("chdb:///people").name
    'people'
    """
    folder = database_file(address)
    if folder is None:
        raise InputError("The address of a ClickHouse folder is written as chdb:///folder.")
    return folder


def table_engine(n_rows: int | None = None) -> str:
    """How a temporary table is kept: a small one in memory, one of unknown size on disk."""
    is_small = n_rows is not None and n_rows <= _MOST_IN_MEMORY
    return "ENGINE = Memory" if is_small else "ENGINE = MergeTree ORDER BY tuple()"


def known_tables(connection: ChdbConnection, schema: str | None) -> Sequence[str]:
    """The tables and views of a database, or of the one that is looked at first."""
    database = "currentDatabase()" if schema is None else quote_text(schema)
    found = connection.rows(f"SELECT name FROM system.tables WHERE database = {database} AND NOT is_temporary")  # noqa: S608
    return [str(row[0]) for row in found]


def _open(folder: Path) -> Any:
    if not (folder / "metadata").is_dir():
        # chdb would make a new database of any folder.
        msg = f"There is no ClickHouse database in `{folder}`. Name the folder that chdb keeps one in."
        raise InputError(msg)
    path = str(folder.resolve())
    if "?" in path:
        msg = f"chdb cannot open `{folder}`, because its path has a question mark. Rename the folder."
        raise InputError(msg)
    try:
        return chdb.connect(path)
    except RuntimeError as error:
        raise cannot_open(error, folder) from None


def _limits(memory: int) -> dict[str, Any]:
    """How much a query may use, and from where on it uses the disk."""
    share = for_engine(memory)
    return {
        "max_memory_usage": share,
        "max_bytes_before_external_group_by": share // 2,
        "max_bytes_before_external_sort": share // 2,
        "max_bytes_in_join": share // 2,
        "join_algorithm": "grace_hash,hash",
    }
