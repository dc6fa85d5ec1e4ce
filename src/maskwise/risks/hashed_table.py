"""A table whose cells are hashed once, to count the groups on many sets of its columns."""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from maskwise.risks.group_sizes import GroupSizes

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

    from maskwise.engines.cell_hashes import CellHashes, GuessCounts
    from maskwise.policy.person import Person
    from maskwise.table.table import Table


@dataclass(frozen=True, slots=True)
class HashedTable:
    """The hashes of some columns of a table, and their names."""

    hashes: CellHashes
    """The hashes, inside the engine."""
    numbers: Mapping[str, int]
    """The number of each column there."""

    def sizes(self, sets: Collection[frozenset[str]], one_of: int = 1) -> dict[frozenset[str], GroupSizes]:
        """The group sizes on each of some sets of columns, all counted at once.

        Args:
            sets: The sets.
            one_of: Count only one of so many groups, whole groups chosen by their hash, and take each for so many: an
                estimate that favours no size.
        """
        ordered = list(dict.fromkeys(sets))
        found = self.hashes.sizes([self._numbers(names) for names in ordered], one_of)
        return {
            names: GroupSizes.of((size, one_of * n_groups) for size, n_groups in pairs)
            for names, pairs in zip(ordered, found, strict=True)
        }

    def guesses(self, qid: Collection[str], column: str) -> GuessCounts:
        """How well a column can be guessed in the groups on a QID."""
        return self.hashes.guesses(self._numbers(qid), self.numbers[column])

    def most_frequent(self, column: str) -> int:
        """The records, or persons, with the most frequent value of a column."""
        return self.hashes.most_frequent(self.numbers[column])

    def beside(self, population: HashedTable, qid: Collection[str]) -> list[tuple[int, int, int]]:
        """How many groups on a QID have a size here and a size in a population, which shares the numbers."""
        return self.hashes.beside(population.hashes, self._numbers(qid))

    def _numbers(self, names: Collection[str]) -> list[int]:
        return sorted(self.numbers[name] for name in names)


@contextmanager
def hashed(
    table: Table,
    numbers: Mapping[str, int],
    qids: Iterable[Sequence[str]],
    person: Person | None,
    *,
    is_kept: bool = True,
) -> Iterator[HashedTable]:
    """Hash some columns of a table; the hashes are dropped at the end.

    Args:
        table: The table.
        numbers: The number of each column; a column has the same number in two tables that are compared.
        qids: The QIDs, which many sets of columns contain.
        person: Whom a record is about, to count persons; None counts records.
        is_kept: Whether a table of the hashes is made, because more than one set of columns is counted.
    """
    # Whoever holds the table tells 1,5 from 1,50.
    as_written = replace(table, forms=())
    cells = {number: as_written.column(name).cast("string") for name, number in numbers.items()}
    who = None if person is None else as_written.column(person.column).cast("string")
    keys = [[numbers[name] for name in qid] for qid in qids]
    hashes = table.engine.hash_cells(table.expr, cells, keys, who, is_kept=is_kept)
    try:
        yield HashedTable(hashes, numbers)
    finally:
        hashes.drop()


def number_columns(*names: Sequence[str]) -> dict[str, int]:
    """Number columns by first mention."""
    return {name: i for i, name in enumerate(dict.fromkeys(name for some in names for name in some))}
