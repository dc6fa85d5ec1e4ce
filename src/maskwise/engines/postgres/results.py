"""The rows of a query, as they come from PostgreSQL: no row becomes Python objects.

Whole numbers come in binary, many of them column by column (`column_bytes`), else
row by row (`binary_rows`); what else there is, in the spelling of csv that COPY
writes and Arrow reads (`types`).
"""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import psycopg
import pyarrow as pa
from psycopg import sql as pg

from maskwise.engines.postgres import binary_rows, column_bytes, estimates, types

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence


@contextmanager
def read_result(connection: Any, sql: str, schema: pa.Schema) -> Iterator[pa.RecordBatchReader]:
    """Run a query and read its result batch by batch.

    Args:
        connection: The connection. What fails takes back only the query, so that the transaction stays usable.
        sql: The query.
        schema: Its columns.
    """
    is_binary = binary_rows.is_readable(schema)
    together = _fetch_together(connection, sql, schema) if is_binary else None
    if together is not None:
        yield pa.RecordBatchReader.from_batches(schema, together)
        return
    form = pg.SQL("FORMAT binary" if is_binary else "FORMAT csv, NULL '\\N'")
    out = pg.SQL("COPY ({}) TO STDOUT ({})").format(pg.SQL(sql), form)
    with (
        connection.transaction(),
        connection.cursor() as cursor,
        cursor.copy(out) as copied,
        types.refuse_unreadable_cells(),
    ):
        read = binary_rows.read_binary if is_binary else types.batches
        yield read(iter(copied), schema)


def _fetch_together(connection: Any, sql: str, schema: pa.Schema) -> Sequence[pa.RecordBatch] | None:
    """All rows of a query at once, if they are many and not too many."""
    try:
        with connection.transaction(), connection.cursor(binary=True) as cursor:
            n_rows = estimates.most_rows(connection.execute, sql)
            if not column_bytes.LEAST_ROWS <= n_rows <= column_bytes.MOST_ROWS:
                return None
            row = cursor.execute(pg.SQL(column_bytes.together_sql(sql, schema))).fetchone()
    except psycopg.errors.ProgramLimitExceeded:
        # Far more rows than the planner thought: a string has a gigabyte at most.
        return None
    return column_bytes.read_together(row, schema)
