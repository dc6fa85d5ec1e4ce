"""How DuckDB counts the distinct rows of a parquet file: once, where rows repeat.

A release is asked for many counts. Of a million masked records some thousands
differ: to find these takes as long as two of the counts.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from maskwise.engines.base import RECORDS
from maskwise.engines.error_messages import raise_known_causes
from maskwise.engines.write_files import path_list

if TYPE_CHECKING:
    from maskwise.engines.base import DataFiles

_LEAST_RECORDS = 100_000
"""Fewer are counted as they are."""
_N_TRIED = 20_000
"""So many records are looked at to see whether rows repeat."""
_MOST_DIFFERENT = 0.5
"""Up to this share of different rows among those it pays."""
_EXACT = {"VARCHAR", "TINYINT", "SMALLINT", "INTEGER", "BIGINT", "BOOLEAN", "DATE"}
"""Types whose cells are equal only if they are spelled alike."""


def parquet_cells(files: DataFiles) -> str:
    """The records of parquet files, as a table function of DuckDB."""
    # A folder called `Age=30` must not become the column Age, so partitions are not looked for.
    return f"read_parquet({path_list(files.paths)}, hive_partitioning = false)"


def count_rows_of_parquet(connection: Any, name: str, files: DataFiles) -> bool:
    """Make a temporary table of the distinct rows of parquet files, with their number as `RECORDS`.

    Claim: the rows and numbers are those of the records. Only types are taken
    whose cells are equal only if they are the same.

    Args:
        connection: A connection to DuckDB.
        name: What to call the table.
        files: The files.

    Returns:
        Whether there is such a table: not if rows hardly repeat, or cells that are spelled differently may be equal.
    """
    cells = parquet_cells(files)
    try:
        described = connection.execute(f"DESCRIBE SELECT * FROM {cells}").fetchall()  # noqa: S608
        if any(kind not in _EXACT for _, kind, *_ in described):
            return False
        (n_records,) = connection.execute(f"SELECT count(*) FROM {cells}").fetchone()  # noqa: S608
        if n_records < _LEAST_RECORDS:
            return False
        tried = f"SELECT DISTINCT * FROM (SELECT * FROM {cells} LIMIT {_N_TRIED})"  # noqa: S608
        (n_different,) = connection.execute(f"SELECT count(*) FROM ({tried})").fetchone()  # noqa: S608
        if n_different > _MOST_DIFFERENT * _N_TRIED:
            return False
        own = ", ".join(f"c{i}" for i in range(files.n_columns))
        connection.execute(
            f"CREATE TEMP TABLE {name} AS SELECT {own}, count(*) AS {RECORDS} "  # noqa: S608
            f"FROM (SELECT * FROM {cells}) records ({own}) GROUP BY ALL"
        )
    except Exception as error:  # noqa: BLE001 - the database's own types
        raise_known_causes(error)
        # Whatever is wrong with it is said where it is read.
        return False
    return True
