"""The hashes of a table's columns, some at a time: a table may have more columns than hashes fit into memory."""

from __future__ import annotations

from contextlib import ExitStack
from typing import TYPE_CHECKING, Self

from maskwise.risks.hashed_table import hashed, number_columns

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Sequence

    from maskwise.risks.group_sizes import GroupSizes
    from maskwise.risks.hashed_table import HashedTable
    from maskwise.table.table import Table

MOST_HASHED = 100
"""So many columns are hashed at a time."""


class ColumnHashes:
    """Hashes columns when they are asked for; what is there from the last time is used again."""

    def __init__(self, table: Table) -> None:
        """Hash nothing yet.

        Args:
            table: The records.
        """
        self._table = table
        self._held = ExitStack()
        self._hashes: HashedTable | None = None

    def __enter__(self) -> Self:
        """Nothing is opened."""
        return self

    def __exit__(self, *raised: object) -> None:
        """Drop the hashes."""
        self._held.close()

    def of(self, names: Collection[str]) -> HashedTable:
        """The hashes of some columns, and perhaps of others.

        Args:
            names: The columns, at most `MOST_HASHED`.
        """
        if self._hashes is None or not set(names) <= self._hashes.numbers.keys():
            self._held.close()
            numbers = number_columns([name for name in self._table.names if name in set(names)])
            self._hashes = self._held.enter_context(hashed(self._table, numbers, [], None))
        return self._hashes

    def each(self, names: Sequence[str]) -> dict[str, GroupSizes]:
        """The groups on each of many columns by itself."""
        found: dict[str, GroupSizes] = {}
        for at in range(0, len(names), MOST_HASHED):
            some = names[at : at + MOST_HASHED]
            sizes = self.of(some).sizes([frozenset({name}) for name in some])
            found |= {name: sizes[frozenset({name})] for name in some}
        return found

    def pairs(self, pairs: Sequence[frozenset[str]], one_of: int = 1) -> dict[frozenset[str], GroupSizes]:
        """The groups on each of many pairs of columns; pairs of the same column stand side by side.

        Args:
            pairs: The pairs.
            one_of: As in `HashedTable.sizes`.
        """
        found: dict[frozenset[str], GroupSizes] = {}
        for some in _batches(pairs):
            found |= self.of(frozenset[str]().union(*some)).sizes(some, one_of)
        return found


def _batches(pairs: Sequence[frozenset[str]]) -> Iterator[list[frozenset[str]]]:
    """The pairs in parts that have no more columns than are hashed at a time."""
    some: list[frozenset[str]] = []
    names: set[str] = set()
    for pair in pairs:
        if len(names | pair) > MOST_HASHED:
            yield some
            some, names = [], set()
        some.append(pair)
        names |= pair
    if some:
        yield some
