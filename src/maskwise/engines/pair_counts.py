"""How many records each pair of values of two columns has, for many pairs of columns: what is asked, and the answers.

The cells are whole numbers, such as hashes. A server counts them where they are
(`pair_counts_sql`); records of this process are counted in it
(`pair_counts_arrays`), in a fifth of the time.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

    Pair = tuple[int, int]  # the numbers of a target and of a column beside it

ALONE = -1
"""The number of the column beside a target where there is none: the target is counted by itself."""


@dataclass(frozen=True, slots=True)
class Target:
    """A masked column of coded records, and the columns that are counted beside it."""

    number: int
    """What results call it."""
    raw: str
    """The column of its raw cells."""
    label: str
    """The column of what it shows instead."""
    beside: Mapping[int, str]
    """The other columns, by the number that results call them."""


@dataclass(frozen=True, slots=True)
class Shares:
    """How the raw cells behind one label are distributed."""

    n_records: int
    """The records that show the label."""
    n_most: int
    """Those of its most frequent raw cell."""
    n_squares: int
    """The squares of the records of each raw cell, added up."""


@dataclass(frozen=True, slots=True)
class TellingGroups:
    """Groups of records that share a label and a cell of another column, nearly all with one raw cell."""

    target: int
    """The masked column."""
    other: int
    """The other column."""
    label: int
    """What the masked column shows."""
    n_records: int
    """The records of each group."""
    n_groups: int
    """The groups of that size."""


@dataclass(frozen=True, slots=True)
class Repetition:
    """Whether the records that share a cell of one column share that of another."""

    n_values: int
    """The cells that two or more records share."""
    n_records: int
    """Those records."""
    n_single: int
    """The records among them whose value occurs with one cell of the other column only."""
    n_most: int
    """The records of the most frequent cell, shared or not."""
    n_squares: int
    """The squares of the records of each cell, added up."""
    n_all: int
    """All records."""


class PairCounts(Protocol):
    """The counts of some masked columns, each together with the columns beside it."""

    def labels(self) -> dict[Pair, Shares]:
        """How the raw cells of each target are distributed behind each of its labels: by target and label."""

    def telling(self, least: int, share: float) -> list[TellingGroups]:
        """The groups that share a label and another column's cell, of which enough share the raw cell too, by size.

        Args:
            least: How many records are looked at, at least.
            share: Which part of them has to have one raw cell.
        """

    def repetitions(self, others: Collection[int]) -> dict[Pair, tuple[Repetition, Repetition]]:
        """For each target and some columns beside it: whether a cell of that column has one raw cell, and back.

        Args:
            others: The numbers of the other columns.
        """

    def n_narrowed(self, target: int, other: int) -> int:
        """How many records show a label of the target behind which the other column has several cells."""

    def repeating(self, others: Collection[int]) -> list[Pair]:
        """The targets and columns beside them that are the raw cells in every record.

        Args:
            others: As in `repetitions`.
        """

    def drop(self) -> None:
        """Drop what was made to count."""
