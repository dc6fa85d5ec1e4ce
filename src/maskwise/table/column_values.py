"""The values of columns of a table, as taxonomies spell them: how often each occurs, and which stand together."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from maskwise.table.endpoints import closing, open_data
from maskwise.values.memory import parse_memory
from maskwise.values.spelling import text_of, value_order

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from maskwise.table.table import Table


@dataclass(frozen=True, slots=True)
class ColumnValues:
    """The values of one column."""

    n_records: Mapping[str, int]
    """Each value, with its records."""
    n_missing: int
    """The records whose cell is missing."""


def count_values(data: Any, column: str, *, engine: Any = None, memory: str | None = None) -> ColumnValues:
    """Count the records of each value of a column; the arguments are those of `anonymize`.

    Example:
        >>> import pyarrow as pa
        >>> count_values(pa.table({"Sex": ["F", "M", "F", None]}), "Sex")
        ColumnValues(n_records={'F': 2, 'M': 1}, n_missing=1)
    """
    table = open_data(data, engine, None, parse_memory(memory))
    with closing(table):
        table.require(column, "is named")
        found = table.distinct(column)
    counts: dict[str, int] = {}
    for key, n in zip(found.keys.to_pylist(), found.counts.tolist(), strict=True):
        counts[text_of(key)] = counts.get(text_of(key), 0) + n
    return ColumnValues(
        {value: counts[value] for value in sorted(counts, key=value_order(list(counts)))}, found.n_missing
    )


def count_rows(
    data: Any, columns: Sequence[str], *, engine: Any = None, memory: str | None = None
) -> dict[tuple[str | None, ...], int]:
    """Count the combinations of values that some columns have; the arguments are those of `anonymize`.

    Example:
        >>> import pyarrow as pa
        >>> count_rows(pa.table({"city": ["Salem", "Boston", "Salem"], "state": ["MA"] * 3}), ["city", "state"])
        {('Boston', 'MA'): 1, ('Salem', 'MA'): 2}
    """
    table = open_data(data, engine, None, parse_memory(memory))
    with closing(table):
        table.require_all(columns, "is named")
        return count_rows_of(table, columns)


def count_rows_of(table: Table, columns: Sequence[str]) -> dict[tuple[str | None, ...], int]:
    """Count the combinations of values of columns of an open table, in the order of the values.

    Args:
        table: The records.
        columns: The columns, the finest first: coarse ones say the order before others.
    """
    grouped = table.engine.group(table.expr, [table.column(name) for name in columns])
    cells = [
        [None if cell is None else text_of(cell) for cell in grouped.column(i).to_pylist()] for i in range(len(columns))
    ]
    keys = [value_order([cell for cell in column if cell is not None]) for column in cells]
    counted: dict[tuple[str | None, ...], int] = {}
    for *row, n in zip(*cells, grouped.column("n").to_pylist(), strict=True):
        counted[tuple(row)] = counted.get(tuple(row), 0) + n

    def order(row: tuple[str | None, ...]) -> list[Any]:
        """Coarse columns first, missing cells last."""
        pairs = list(zip(keys, row, strict=True))
        return [(cell is None, () if cell is None else key(cell)) for key, cell in reversed(pairs)]

    return {row: counted[row] for row in sorted(counted, key=order)}
