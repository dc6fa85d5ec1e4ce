"""How well a column can be guessed from what a record shows on a QID, beside guessing without it."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from maskwise.risks.risk import Disclosure

if TYPE_CHECKING:
    from collections.abc import Sequence

    from maskwise.risks.coded_table import CodedTable
    from maskwise.risks.hashed_table import HashedTable

_DIGITS = 9
"""Sums of logarithms are added up in another order on each engine, so that later digits may differ."""


def disclose(
    table: HashedTable | CodedTable, qids: Sequence[Sequence[str]], columns: Sequence[str], n_records: int
) -> tuple[Disclosure, ...]:
    """Guess each of some columns from each QID that it is not in.

    Args:
        table: The records.
        qids: The QIDs.
        columns: The columns to guess.
        n_records: The records of the table, or its persons where those are counted.
    """
    base = {column: _share(table.most_frequent(column), n_records) for column in columns}
    found = []
    for qid in qids:
        for column in columns:
            if column in qid:
                continue
            counted = table.guesses(qid, column)
            # A table without records has no group.
            least = round(math.exp(counted.least_entropy), _DIGITS) if counted.n_records else 0.0
            rate = _share(counted.n_most, counted.n_records)
            of_all = counted.n_most_of_all
            without = base[column] if of_all is None else _share(of_all, counted.n_records)
            found.append(
                Disclosure(tuple(qid), column, counted.least_values, least, counted.largest_share, rate, without)
            )
    return tuple(found)


def _share(part: int, whole: int) -> float:
    return part / whole if whole else 0.0
