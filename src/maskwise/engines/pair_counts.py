"""How many records each pair of values of two columns has: counted for many pairs of columns at once, in the engine.

The cells are whole numbers, such as hashes, so that one temporary table holds
the counts of all pairs. What they say about a masked column is asked of that
table; only sums come over.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from maskwise.engines.defaults import query

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from maskwise.engines.base import Dialect

_ALONE = -1
"""The number of the column beside a target where there is none: the target is counted by itself."""
_MOST_SETS = 48
"""So many columns are counted in one GROUP BY; Spark takes at most 64."""


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


class PairCounts:
    """The counts of some pairs of columns, in a temporary table of the database."""

    def __init__(self, dialect: Dialect, name: str) -> None:
        """Point at the temporary table.

        Args:
            dialect: How its database is talked to.
            name: What it is called; `pairs_query` made it.
        """
        self._dialect = dialect
        self._name = name

    def labels(self) -> dict[tuple[int, int], Shares]:
        """How the raw cells of each target are distributed behind each of its labels."""
        found = self._fetch(
            f"SELECT target, label, {_sum('n')} AS n_records, max(n) AS n_most, {_sum('n * n')} AS n_squares "  # noqa: S608
            f"FROM {self._name} WHERE other = {_ALONE} GROUP BY target, label"
        )
        return {(row.pop("target"), row.pop("label")): Shares(**row) for row in found}

    def telling(self, least: int, share: float) -> list[TellingGroups]:
        """The groups that share a label and another column's cell, of which enough share the raw cell too, by size.

        Args:
            least: How many records are looked at, at least.
            share: Which part of them has to have one raw cell.
        """
        groups = (
            f"SELECT target, other, label, {_sum('n')} AS n_records, max(n) AS n_most FROM {self._name} "  # noqa: S608
            f"WHERE other <> {_ALONE} GROUP BY target, other, cell, label"
        )
        found = self._fetch(
            f"SELECT target, other, label, n_records, count(*) AS n_groups FROM ({groups}) g "  # noqa: S608
            f"WHERE n_records >= {least} AND n_most >= {share} * n_records GROUP BY target, other, label, n_records"
        )
        return [TellingGroups(**row) for row in found]

    def other_repeats(self) -> dict[tuple[int, int], Repetition]:
        """For each target and other column: whether a cell of the other column has one raw cell."""
        return self._repetitions("cell", "raw")

    def raw_repeats(self) -> dict[tuple[int, int], Repetition]:
        """For each target and other column: whether a raw cell has one cell of the other column."""
        return self._repetitions("raw", "cell")

    def _repetitions(self, of: str, with_: str) -> dict[tuple[int, int], Repetition]:
        pairs = (
            f"SELECT target, other, {of}, {with_}, sum(n) AS n FROM {self._name} "  # noqa: S608
            f"WHERE other <> {_ALONE} GROUP BY target, other, {of}, {with_}"
        )
        values = f"SELECT target, other, count(*) AS n_with, sum(n) AS n FROM ({pairs}) p GROUP BY target, other, {of}"  # noqa: S608
        found = self._fetch(
            f"SELECT target, other, {_sum('CASE WHEN n > 1 THEN 1 ELSE 0 END')} AS n_values, "  # noqa: S608
            f"{_sum('CASE WHEN n > 1 THEN n ELSE 0 END')} AS n_records, "
            f"{_sum('CASE WHEN n > 1 AND n_with = 1 THEN n ELSE 0 END')} AS n_single, "
            f"CAST(max(n) AS BIGINT) AS n_most, {_sum('n * n')} AS n_squares, {_sum('n')} AS n_all "
            f"FROM ({values}) v GROUP BY target, other"
        )
        return {(row.pop("target"), row.pop("other")): Repetition(**row) for row in found}

    def n_narrowed(self, target: int, other: int) -> int:
        """How many records show a label of the target behind which the other column has several cells."""
        labels = (
            f"SELECT sum(n) AS n FROM {self._name} WHERE target = {target} AND other = {other} "  # noqa: S608
            "GROUP BY label HAVING min(cell) < max(cell)"
        )
        (found,) = self._fetch(f"SELECT coalesce({_sum('n')}, 0) AS n FROM ({labels}) l")  # noqa: S608
        return int(found["n"])

    def drop(self) -> None:
        """Drop the temporary table."""
        self._dialect.drop(self._name)

    def _fetch(self, sql: str) -> list[dict[str, Any]]:
        rows: list[dict[str, Any]] = query(self._dialect, sql).to_pylist()
        return rows


def pairs_query(records: str, targets: Sequence[Target]) -> str:
    """Count the records of each (cell of another column, label, raw cell), in SQL.

    Args:
        records: The name of the coded records; none of their cells is missing.
        targets: The masked columns.
    """
    counted = []
    for target in targets:
        numbers = list(target.beside)
        own = f"{target.label}, {target.raw}"
        for at in range(0, max(len(numbers), 1), _MOST_SETS):
            beside = {number: target.beside[number] for number in numbers[at : at + _MOST_SETS]}
            number = " ".join(f"+ {i - _ALONE} * (1 - grouping({name}))" for i, name in beside.items())
            sets = [f"({name}, {own})" for name in beside.values()] + [f"({own})"] * (at == 0)
            counted.append(
                f"SELECT {target.number} AS target, {_ALONE} {number} AS other, "  # noqa: S608
                f"coalesce({', '.join([*beside.values(), '0'])}) AS cell, "
                f"{target.label} AS label, {target.raw} AS raw, count(*) AS n FROM {records} "
                f"GROUP BY GROUPING SETS ({', '.join(sets)})"
            )
    return " UNION ALL ".join(counted)


def _sum(what: str) -> str:
    """A sum as a 64-bit number; engines add up 64-bit numbers in wider ones."""
    return f"CAST(sum({what}) AS BIGINT)"
