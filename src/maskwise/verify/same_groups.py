"""Whether two tables show the same groups.

A requirement may speak of a column that is not released. Then the table with
that column is recounted, and the released one must show the same groups.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from maskwise.values.spelling import one_spelling, text_of

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Sequence

    from maskwise.table.table import Table


def show_same_groups(one: Table, other: Table, qid: Sequence[str]) -> bool:
    """Say whether two tables have the same combinations of values on a QID, each with as many records.

    Args:
        one: A table.
        other: Another one, maybe in another database.
        qid: The columns, which both have.

    Claim: what holds for the groups of one table then holds for the other. The
    records of a group differ in no column of the QID, so it does not matter
    which of them is which.

    Example:
        >>> import pyarrow as pa
        >>> from maskwise.table.read import read
        >>> ages = [read(pa.table({"Age": cells})) for cells in (["old", "young", "old"], ["old", "old", "young"])]
        >>> show_same_groups(*ages, ["Age"])
        True
    """
    # A csv holds numbers as texts, which spell 1 as 1.0.
    is_text = [[table.column(name).type().is_string() for name in qid] for table in (one, other)]
    numbers = frozenset(name for name, first, second in zip(qid, *is_text, strict=True) if first != second)
    return count_groups(one, qid, numbers=numbers) == count_groups(other, qid, numbers=numbers)


def count_groups(
    table: Table, qid: Sequence[str], read_text: Callable[[str], str] = str, numbers: Collection[str] = ()
) -> Counter[tuple[str | None, ...]]:
    """Count the records of every combination of values on some columns, by their spelling.

    Args:
        table: The table.
        qid: The columns.
        read_text: Reads a text as it was before it was written.
        numbers: The columns that hold numbers, be it as texts.
    """
    groups = table.engine.group(table.expr, [table.column(name) for name in qid])
    sizes: Counter[tuple[str | None, ...]] = Counter()
    *cells, n_records = (column.to_pylist() for column in groups.columns)
    for *shown, n in zip(*cells, n_records, strict=True):
        texts = [None if cell is None else read_text(text_of(cell)) for cell in shown]
        pairs = zip(qid, texts, strict=True)
        sizes[tuple(one_spelling(text) if text is not None and name in numbers else text for name, text in pairs)] += n
    return sizes
