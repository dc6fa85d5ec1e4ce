"""What plain Ibis and SQL do on most databases: functions that a dialect takes as its methods.

A dialect writes `try_cast = defaults.try_cast` where the default will do, and a
method of its own where it will not.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NoReturn

import ibis

from maskwise.engines.base import MOST_SETS
from maskwise.engines.pair_counts import ALONE
from maskwise.engines.write_files import file_of, write_batches
from maskwise.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    import ibis.expr.datatypes as dt
    import ibis.expr.types as ir
    import pyarrow as pa

    from maskwise.engines.base import DataFiles, Dialect, Lookup
    from maskwise.engines.pair_counts import Target
    from maskwise.values.csv_form import CsvForm
    from maskwise.values.location import Folder


def query(dialect: Dialect, sql: str) -> pa.Table:
    """Run a query and fetch its whole result."""
    with dialect.stream(sql) as batches:
        return batches.read_all()


def refuse_files(dialect: Dialect, name: str, files: DataFiles) -> NoReturn:
    """Refuse files, because the database does not see those of this process."""
    del name
    msg = (
        f"{dialect.name} reads tables, and `{files.paths[0].name}` is a file. Load it into a table, or use --engine "
        "duckdb."
    )
    raise InputError(msg)


def as_ibis_table(dialect: Dialect, name: str) -> Any:
    """Give a created table to the user as an Ibis table."""
    return dialect.table(name)


def try_cast(dialect: Dialect, text: ir.Value, kind: str) -> ir.Value:
    """Read texts as another type; a text that cannot be read is missing."""
    del dialect
    return text.try_cast(kind)


def version(dialect: Dialect) -> str:
    """The version that the Ibis backend tells."""
    return str(dialect.backend.version)


def no(dialect: Dialect) -> bool:
    """It does not."""
    del dialect
    return False


def no_files(dialect: Dialect, source: Any) -> Sequence[Path]:
    """List none: the records are in the database's own files."""
    del dialect, source
    return ()


def no_expression(dialect: Dialect, cell: str, kind: dt.DataType, how: Lookup) -> None:
    """Join a lookup table instead."""
    del dialect, cell, kind, how


def values_sql(dialect: Dialect, records: str, keys: Sequence[str], beside: Sequence[str]) -> str:
    """Count the values of each column by itself in one scan."""
    del dialect
    together = "".join(f", {name}" for name in beside)
    number = " ".join(f"+ {i} * (1 - grouping({key}))" for i, key in enumerate(keys))
    sets = ", ".join(f"({key}{together})" for key in keys)
    return (
        f"SELECT {', '.join(keys)}{together}, count(*) AS n, {number} AS which FROM ({records}) q "  # noqa: S608
        f"GROUP BY GROUPING SETS ({sets})"
    )


def n_smaller_sql(dialect: Dialect, cells: str, beside: Sequence[str]) -> str:
    """Order all numbers by one window."""
    del dialect
    # Rows of one number, a row for each class, are peers: the frames take them all or none.
    smaller = "sum(n) OVER (ORDER BY v) - sum(n) OVER (ORDER BY v RANGE BETWEEN CURRENT ROW AND CURRENT ROW)"
    together = "".join(f", {name}" for name in beside)
    return f"SELECT v, n{together}, CAST({smaller} AS BIGINT) AS n_smaller FROM ({cells}) c"  # noqa: S608


def pairs_sql(dialect: Dialect, records: str, targets: Sequence[Target]) -> str:
    """Count the records of each (cell of another column, label, raw cell), in SQL.

    Args:
        dialect: How the database is talked to.
        records: The name of the coded records; none of their cells is missing.
        targets: The masked columns.
    """
    del dialect
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


def as_text(dialect: Dialect, cell: ir.Value) -> ir.Value:
    """Hash a cell as its text."""
    del dialect
    return cell.cast("string")


def unchanged(dialect: Dialect, value: ir.Value) -> ir.Value:
    """Sort a column by itself, where the database sorts texts by their bytes."""
    del dialect
    return value


def random_order(dialect: Dialect) -> ir.Value:
    """Draw a random identifier for each record."""
    del dialect
    return ibis.uuid()


def in_random_order(dialect: Dialect, records: ir.Table) -> ir.Table:
    """Sort records by what is drawn for each."""
    return records.order_by(dialect.random_order())


def supposed_distinct(dialect: Dialect, records: str, columns: Sequence[str]) -> bool:
    """Suppose that rows hardly repeat, where the database cannot tell without counting them."""
    del dialect, records, columns
    return False


def nothing_beside(dialect: Dialect) -> Dialect | None:
    """Give no second connection: the database is another process's, or its owner's."""
    del dialect
    return None


def write(dialect: Dialect, sql: str, target: Path | Folder, form: CsvForm) -> None:
    """Write one file: the records stream through this process, batch by batch."""
    with dialect.stream(sql) as batches:
        write_batches(batches, file_of(target), form)
