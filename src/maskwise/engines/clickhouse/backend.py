"""An Ibis backend for the ClickHouse of this process; Ibis's own one asks a server."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, ClassVar

import ibis
from ibis.backends.sql import SQLBackend

from maskwise.engines.clickhouse.compiler import compiler
from maskwise.engines.clickhouse.connection import known_tables
from maskwise.engines.clickhouse.names import quote_table
from maskwise.values.location import TableName

if TYPE_CHECKING:
    from collections.abc import Mapping

    import pyarrow as pa

    from maskwise.engines.clickhouse.connection import ChdbConnection


class ChdbBackend(SQLBackend):  # type: ignore[misc]
    """Spells expressions for ClickHouse, and fetches them by way of Arrow."""

    name: ClassVar[str] = "chdb"
    compiler: ClassVar[Any] = compiler

    def do_connect(self, connection: ChdbConnection) -> None:
        """Use a connection that is there."""
        self.connection = connection

    def disconnect(self) -> None:
        """End the connection."""
        self.connection.close()

    @property
    def version(self) -> str:
        """ClickHouse's version."""
        return str(self.connection.rows("SELECT version()")[0][0])

    def list_tables(self, *, like: str | None = None, database: Any = None) -> list[str]:
        """The tables and views of a database."""
        return [name for name in known_tables(self.connection, database) if like is None or re.search(like, name)]

    def get_schema(self, name: str, *, catalog: str | None = None, database: str | None = None) -> Any:
        """The columns of a table, in Ibis's types."""
        del catalog
        return self._get_schema_using_query(f"SELECT * FROM {quote_table(TableName(name, database))}")  # noqa: S608

    def _get_schema_using_query(self, query: str) -> Any:
        return ibis.schema({column.name: column.ibis_type() for column in self.connection.describe(query)})

    def to_pyarrow_batches(self, expr: Any, /, **how: Any) -> pa.RecordBatchReader:
        """Fetch an expression."""
        del how
        self._run_pre_execute_hooks(expr)
        with self.connection.stream(self.compile(expr.as_table())) as batches:
            return batches.read_all().to_reader()

    def execute(self, expr: Any, /, **how: Any) -> Any:
        """Fetch an expression as pandas has it."""
        del how
        return expr.__pandas_result__(self.to_pyarrow_batches(expr).read_pandas())

    def create_table(self, name: str, /, obj: Any = None, **how: Any) -> Any:
        """Make a temporary table of an Arrow table."""
        del how
        self.connection.insert(name, obj)
        return self.table(name)

    def _register_in_memory_table(self, op: Any) -> None:
        self.connection.insert(op.name, op.data.to_pyarrow(op.schema))

    def _make_memtable_finalizer(self, name: str) -> Mapping[str, Any] | None:
        """Temporary tables go with their session."""
        del name
        return None
