"""How DuckDB reads a csv: as texts, every cell, or line by line where lines repeat.

Masked records repeat: of a million lines of a release some thousands differ. To
find these and parse them alone takes a fifth of the time of parsing all lines.
"""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

from maskwise.engines.base import RECORDS
from maskwise.engines.error_messages import raise_known_causes
from maskwise.engines.write_files import path_list

if TYPE_CHECKING:
    from collections.abc import Mapping

    from maskwise.engines.base import DataFiles

_LEAST_BYTES = 8_000_000
"""Smaller files are parsed at once: it takes as long as the queries here."""
_N_TRIED = 20_000
"""So many lines are looked at to see whether lines repeat."""
_MOST_DIFFERENT = 0.5
"""Up to this share of different lines among those it pays."""
_NOWHERE = "\x01"
"""Separates nothing: a character that no line has. A file with one is parsed cell by cell."""


def csv_cells(files: DataFiles, *, parallel: bool) -> str:
    """The records of csv files, as a table function of DuckDB.

    Args:
        files: The files.
        parallel: Whether several threads read, which guess where records begin.
    """
    assert files.delimiter is not None  # noqa: S101 - else they are parquet files
    columns = {f"c{i}": "VARCHAR" for i in range(files.n_columns)}
    # A missing cell that is alone in its line is a quoted one.
    form = _form(files.delimiter, '"', is_alone=files.n_columns == 1)
    return f"read_csv({path_list(files.paths)}, {form}, {_schema(columns)}, {_packing(files)}, parallel = {parallel})"


def count_rows_of_lines(connection: Any, name: str, files: DataFiles) -> bool:
    """Make a temporary table of the distinct rows of csv files by way of their lines, with their number as `RECORDS`.

    Claim: the table has the rows and numbers that parsing every line gives. A
    line with an even number of quotes begins and ends outside of a quoted cell,
    so where all lines have one, each of them is a record; what cannot be read in
    this way is left to the parser.

    Args:
        connection: A connection to DuckDB.
        name: What to call the table.
        files: The files.

    Returns:
        Whether there is such a table: not if lines hardly repeat, or some are no records.
    """
    if files.n_columns == 1 or sum(path.stat().st_size for path in files.paths) < _LEAST_BYTES:
        return False
    lines = f"{name}_lines"
    try:
        return _pays(connection, files) and _count(connection, name, lines, files)
    except Exception as error:  # noqa: BLE001 - the database's own types
        raise_known_causes(error)
        # Whatever is wrong with it is said where it is parsed.
        return False
    finally:
        connection.execute(f"DROP TABLE IF EXISTS {lines}")


def _pays(connection: Any, files: DataFiles) -> bool:
    """Whether the first lines repeat."""
    tried = f"SELECT line FROM {_csv_lines(files)} LIMIT {_N_TRIED}"  # noqa: S608
    n_lines, n_different = connection.execute(f"SELECT count(line), count(DISTINCT line) FROM ({tried})").fetchone()  # noqa: S608
    return bool(n_different <= _MOST_DIFFERENT * n_lines)


def _count(connection: Any, name: str, lines: str, files: DataFiles) -> bool:
    """Count the different lines, and parse them with the number before each as one more cell."""
    # The parser passes over empty lines.
    connection.execute(
        f"CREATE TEMP TABLE {lines} AS SELECT line, count(*) AS n FROM {_csv_lines(files)} "  # noqa: S608
        "WHERE line IS NOT NULL GROUP BY line"
    )
    quotes = "length(line) - length(replace(line, '\"', ''))"
    (is_cut,) = connection.execute(f"SELECT bool_or({quotes} & 1 = 1) FROM {lines}").fetchone()  # noqa: S608
    if is_cut:
        return False
    with tempfile.TemporaryDirectory(prefix="maskwise-") as folder:
        different = Path(folder) / "lines.csv"
        connection.execute(
            f"COPY (SELECT n || '{files.delimiter}' || line FROM {lines}) TO '{_escaped(different)}' "  # noqa: S608
            f"(FORMAT csv, HEADER false, DELIM '{_NOWHERE}', QUOTE '', ESCAPE '')"
        )
        cells = [f"c{i}" for i in range(files.n_columns)]
        assert files.delimiter is not None  # noqa: S101 - as above
        form = _form(files.delimiter, '"', is_alone=False, header=False)
        schema = _schema({"n": "BIGINT", **dict.fromkeys(cells, "VARCHAR")})
        # Two lines may be the same row: one with quotes that the other does without.
        connection.execute(
            f"CREATE TEMP TABLE {name} AS SELECT {', '.join(cells)}, CAST(sum(n) AS BIGINT) AS {RECORDS} "  # noqa: S608
            f"FROM read_csv({path_list([different])}, {form}, {schema}, compression = 'none') GROUP BY ALL"
        )
    return True


def _csv_lines(files: DataFiles) -> str:
    form = _form(_NOWHERE, "", is_alone=False)
    return f"read_csv({path_list(files.paths)}, {form}, {_schema({'line': 'VARCHAR'})}, {_packing(files)})"


def _form(delimiter: str, quote: str, *, is_alone: bool, header: bool = True) -> str:
    return (
        f"delim = '{delimiter}', quote = '{quote}', escape = '{quote}', header = {header}, auto_detect = false, "
        f"nullstr = '', allow_quoted_nulls = {is_alone}, strict_mode = true, hive_partitioning = false"
    )


def _schema(columns: Mapping[str, str]) -> str:
    listed = ", ".join(f"'{name}': '{kind}'" for name, kind in columns.items())
    return f"columns = {{{listed}}}"


def _packing(files: DataFiles) -> str:
    return f"compression = '{'gzip' if files.paths[0].suffix.lower() == '.gz' else 'none'}'"


def _escaped(path: Path) -> str:
    return str(path).replace("'", "''")
