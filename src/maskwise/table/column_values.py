"""The values of columns of a table, as taxonomies spell them: how often each occurs, and which stand together."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from maskwise.table.endpoints import closing, open_data
from maskwise.values.memory import parse_memory
from maskwise.values.spelling import text_of, value_order

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence


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


def distinct_rows(
    data: Any, columns: Sequence[str], *, engine: Any = None, memory: str | None = None
) -> list[tuple[str | None, ...]]:
    """List the combinations of values that some columns have, in the order of the values.

    Example:
        >>> import pyarrow as pa
        >>> distinct_rows(pa.table({"city": ["Salem", "Boston", "Salem"], "state": ["MA"] * 3}), ["city", "state"])
        [('Boston', 'MA'), ('Salem', 'MA')]
    """
    table = open_data(data, engine, None, parse_memory(memory))
    with closing(table):
        table.require_all(columns, "is named")
        grouped = table.engine.group(table.expr, [table.column(name) for name in columns])
    cells = [
        [None if cell is None else text_of(cell) for cell in grouped.column(i).to_pylist()] for i in range(len(columns))
    ]
    keys = [value_order([cell for cell in column if cell is not None]) for column in cells]

    def order(row: tuple[str | None, ...]) -> list[Any]:
        """Coarse columns first, missing cells last."""
        pairs = list(zip(keys, row, strict=True))
        return [(cell is None, () if cell is None else key(cell)) for key, cell in reversed(pairs)]

    return sorted(set(zip(*cells, strict=True)), key=order)
