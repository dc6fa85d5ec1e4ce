"""The commonest rows of a release, by its masked columns.

A reader wants to see what a released row looks like. The rows that most records
share are the least personal ones, and the same for every order of the records.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import ibis

from maskwise.engines.distinct_rows import n_records
from maskwise.table.table import one_or_zero
from maskwise.values.spelling import text_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from maskwise.table.table import Table

_MOST = 5
MOST_COLUMNS = 9
"""So many columns are looked at: more stand side by side on no page, and would leave hardly two rows alike."""


@dataclass(frozen=True, slots=True)
class CommonRow:
    """What many released records show on the masked columns."""

    shown: tuple[tuple[str, str | None], ...]
    """Each column and its value; None is a missing cell."""
    n_records: int
    """How many records show all of them."""


def common_rows(table: Table, names: Sequence[str], most: int = _MOST) -> tuple[CommonRow, ...]:
    """Count the rows that occur most often; of equally frequent ones, those whose texts come first.

    Args:
        table: What was written.
        names: The masked columns, of which the first are looked at.
        most: How many rows are given.

    >>> import pyarrow as pa
    >>> from maskwise.table.read import read
    >>> common_rows(read(pa.table({"Sex": ["F", "M", "F"]})), ["Sex"])
    (CommonRow(shown=(('Sex', 'F'),), n_records=2), CommonRow(shown=(('Sex', 'M'),), n_records=1))
    """
    if not names:
        return ()
    names = names[:MOST_COLUMNS]
    keys = {f"q{i}": table.column(name) for i, name in enumerate(names)}
    counted = table.expr.group_by(**keys).aggregate(n=n_records(table.expr))
    # Engines disagree on where a missing cell is sorted, so that is said first.
    order = [
        part
        for key in keys
        for part in (one_or_zero(counted[key].isnull()), table.engine.dialect.byte_order(counted[key]))
    ]
    first = counted.order_by([ibis.desc("n"), *order]).limit(most)
    found = table.engine.fetch(first.select([*keys, "n"])).to_pylist()
    return tuple(
        CommonRow(
            tuple(
                (name, None if row[key] is None else text_of(row[key])) for name, key in zip(names, keys, strict=True)
            ),
            int(row["n"]),
        )
        for row in found
    )
