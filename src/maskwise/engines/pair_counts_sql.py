"""Pairs of columns counted inside a database: one temporary table holds the counts of all pairs.

What they say about a masked column is asked of that table; only sums come over.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from maskwise.engines.pair_counts import ALONE, Repetition, Shares, TellingGroups

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from maskwise.engines.dialect import Dialect
    from maskwise.engines.pair_counts import Pair, Target


class SqlPairCounts:
    """The counts of some pairs of columns, in a temporary table of the database."""

    def __init__(self, dialect: Dialect, records: str, counted: str, targets: Sequence[Target]) -> None:
        """Point at the temporary tables.

        Args:
            dialect: How their database is talked to.
            records: The coded records.
            counted: Their counts; the dialect's `pairs_sql` made them.
            targets: The masked columns, and what is counted beside each.
        """
        self._dialect = dialect
        self._records = records
        self._name = counted
        self._targets = tuple(targets)

    def labels(self) -> dict[Pair, Shares]:
        """How the raw cells of each target are distributed behind each of its labels: by target and label."""
        found = self._fetch(
            f"SELECT target, label, {_sum('n')} AS n_records, max(n) AS n_most, {_sum('n * n')} AS n_squares "  # noqa: S608
            f"FROM {self._name} WHERE other = {ALONE} GROUP BY target, label"
        )
        return {(row.pop("target"), row.pop("label")): Shares(**row) for row in found}

    def telling(self, least: int, share: float) -> list[TellingGroups]:
        """The groups that share a label and another column's cell, of which enough share the raw cell too, by size."""
        groups = (
            f"SELECT target, other, label, {_sum('n')} AS n_records, max(n) AS n_most FROM {self._name} "  # noqa: S608
            f"WHERE other <> {ALONE} GROUP BY target, other, cell, label"
        )
        found = self._fetch(
            f"SELECT target, other, label, n_records, count(*) AS n_groups FROM ({groups}) g "  # noqa: S608
            f"WHERE n_records >= {least} AND n_most >= {share} * n_records GROUP BY target, other, label, n_records"
        )
        return [TellingGroups(**row) for row in found]

    def repetitions(self, others: Collection[int]) -> dict[Pair, tuple[Repetition, Repetition]]:
        """For each target and some columns beside it: whether a cell of that column has one raw cell, and back."""
        if not others:
            return {}
        by_other, by_raw = self._repetitions("cell", "raw", others), self._repetitions("raw", "cell", others)
        return {pair: (found, by_raw[pair]) for pair, found in by_other.items()}

    def _repetitions(self, of: str, with_: str, others: Collection[int]) -> dict[Pair, Repetition]:
        pairs = (
            f"SELECT target, other, {of}, {with_}, sum(n) AS n FROM {self._name} "  # noqa: S608
            f"WHERE other IN ({', '.join(map(str, sorted(others)))}) GROUP BY target, other, {of}, {with_}"
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

    def repeating(self, others: Collection[int]) -> list[Pair]:
        """The targets and columns beside them that are the raw cells in every record."""
        asked = [
            (target.raw, cell, (target.number, other))
            for target in self._targets
            for other, cell in target.beside.items()
            if other in others
        ]
        if not asked:
            return []
        differing = ", ".join(
            f"{_sum(f'CASE WHEN {raw} <> {cell} THEN 1 ELSE 0 END')} AS d{i}" for i, (raw, cell, _) in enumerate(asked)
        )
        (found,) = self._fetch(f"SELECT {differing} FROM {self._records}")  # noqa: S608
        return [pair for i, (_, _, pair) in enumerate(asked) if not found[f"d{i}"]]

    def drop(self) -> None:
        """Drop the temporary tables."""
        self._dialect.drop(self._name)
        self._dialect.drop(self._records)

    def _fetch(self, sql: str) -> list[dict[str, Any]]:
        rows: list[dict[str, Any]] = self._dialect.query(sql).to_pylist()
        return rows


def _sum(what: str) -> str:
    """A sum as a 64-bit number; engines add up 64-bit numbers in wider ones."""
    return f"CAST(sum({what}) AS BIGINT)"
