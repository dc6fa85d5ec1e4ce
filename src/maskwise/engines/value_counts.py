"""How many records each value of a column has: counted once, and kept inside the engine until they are asked for.

Of most columns all counts are fetched. Of a column with very many numbers only
ranges of them are, of one with very many texts only the frequent ones.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import ibis
import numpy as np

from maskwise.values.arrow import as_numpy, from_numpy

if TYPE_CHECKING:
    from collections.abc import Sequence

    import ibis.expr.types as ir
    import pyarrow as pa

    from maskwise.engines.dialect import Dialect

_ROWS_PER_VALUE = 4
"""How many rows are fetched at once, for each value of the limit: a value has a row for each class."""


@dataclass(frozen=True, slots=True)
class Ranged:
    """The counts of an ordered column by ranges of its numbers."""

    groups: pa.Table
    """Columns k (the smallest number of a range), beside (the class, if there is one) and n."""
    n_numbers: int
    """The distinct numbers of the column."""
    tops: pa.Table
    """For each range its smallest and its largest number."""
    n_odd: int
    """Records whose cell is no finite number of the kind; if there are some, `groups` is empty."""


class ValueCounts:
    """The counts of some columns, each by itself, in a temporary table of the database."""

    def __init__(self, dialect: Dialect, name: str, n_columns: int, beside: Sequence[str]) -> None:
        """Point at the temporary table.

        Args:
            dialect: How its database is talked to.
            name: What it is called. It has the columns k0, k1, ..., of which each row fills one; `which` is its number.
            n_columns: How many they are.
            beside: The name of the class's column, if there is one.
        """
        self._dialect = dialect
        self._name = name
        self._keys = [f"k{i}" for i in range(n_columns)]
        self._beside = list(beside)

    def up_to(self, most: int) -> list[pa.Table | None]:
        """Fetch the counts of each column, as columns k, beside and n; None for one with far more values than `most`.

        Args:
            most: How many values a column should have at most. At most a few times as many rows are fetched.
        """
        limit = _ROWS_PER_VALUE * most
        names = ", ".join([*self._keys, *self._beside, "n", "which"])
        found = self._query(f"SELECT {names} FROM {self._name} LIMIT {limit + 1}")  # noqa: S608
        if found.num_rows <= limit:
            which = as_numpy(found.column("which"))
            return [self._named(found.filter(from_numpy(which == i)), key) for i, key in enumerate(self._keys)]
        sizes = self._query(f"SELECT which, count(*) AS n FROM {self._name} GROUP BY which")  # noqa: S608
        size_of = dict(zip(sizes.column("which").to_pylist(), sizes.column("n").to_pylist(), strict=True))
        return [self.all_of(i) if size_of.get(i, 0) <= limit else None for i in range(len(self._keys))]

    def sizes(self) -> list[int]:
        """How many distinct values each column has, without the missing one."""
        names = ", ".join(self._keys)
        filled = " + ".join(f"count({key})" for key in self._keys)
        distinct = f"SELECT DISTINCT which, {names} FROM {self._name}"  # noqa: S608
        found = self._query(f"SELECT which, {filled} AS n FROM ({distinct}) d GROUP BY which")  # noqa: S608
        size_of = dict(zip(found.column("which").to_pylist(), found.column("n").to_pylist(), strict=True))
        return [int(size_of.get(i, 0)) for i in range(len(self._keys))]

    def by_class(self) -> pa.Table:
        """The records of each column by class, as columns which, is_missing (1 or 0), beside and n."""
        is_missing = " AND ".join(f"{key} IS NULL" for key in self._keys)
        marked = f"SELECT which, CASE WHEN {is_missing} THEN 1 ELSE 0 END AS is_missing, beside, n FROM {self._name}"  # noqa: S608
        return self._query(
            f"SELECT which, is_missing, beside, CAST(sum(n) AS BIGINT) AS n FROM ({marked}) m "  # noqa: S608
            "GROUP BY which, is_missing, beside"
        )

    def of_columns(self, chosen: Sequence[int]) -> dict[int, pa.Table]:
        """Fetch all counts of some columns, by their numbers."""
        names = ", ".join([*self._keys, *self._beside, "n", "which"])
        where = ", ".join(map(str, chosen)) or "-1"
        found = self._query(f"SELECT {names} FROM {self._name} WHERE which IN ({where})")  # noqa: S608
        which = as_numpy(found.column("which"))
        return {i: self._named(found.filter(from_numpy(which == i)), self._keys[i]) for i in chosen}

    def all_of(self, i: int) -> pa.Table:
        """Fetch all counts of one column."""
        names = ", ".join([self._keys[i], *self._beside, "n"])
        found = self._query(f"SELECT {names} FROM {self._name} WHERE which = {i}")  # noqa: S608
        return self._named(found, self._keys[i])

    def _named(self, found: pa.Table, key: str) -> pa.Table:
        return found.select([key, *self._beside, "n"]).rename_columns(["k", *self._beside, "n"])

    def classes(self) -> list[Any]:
        """The distinct values of the class, the missing one among them."""
        found = self._query(f"SELECT DISTINCT {self._beside[0]} FROM {self._name} WHERE which = 0")  # noqa: S608
        labels: list[Any] = found.column(0).to_pylist()
        return labels

    def n_values(self, i: int) -> int:
        """How many distinct values a column has, without the missing one."""
        found = self._query(f"SELECT count(DISTINCT {self._keys[i]}) AS n FROM {self._name} WHERE which = {i}")  # noqa: S608
        return int(found.column(0)[0].as_py())

    def type_of(self, i: int) -> pa.DataType:
        """The Arrow type that a column's values have when they are fetched."""
        return self._query(f"SELECT {self._keys[i]} FROM {self._name} LIMIT 0").schema.field(0).type  # noqa: S608

    def missing(self, i: int) -> pa.Table:
        """Fetch the counts of a column's missing cells."""
        names = ", ".join([self._keys[i], *self._beside, "n"])
        where = f"which = {i} AND {self._keys[i]} IS NULL"
        return self._named(self._query(f"SELECT {names} FROM {self._name} WHERE {where}"), self._keys[i])  # noqa: S608

    def matching(self, i: int, patterns: Sequence[str]) -> list[tuple[int, int]]:
        """How many distinct texts of a column match each pattern, and how many records do not."""
        kept = self._present(i)
        texts = kept.group_by(text=kept[self._keys[i]]).agg(n=kept["n"].sum().cast("int64"))
        hits = [texts["text"].re_search(pattern) for pattern in patterns]
        asked = {f"m{p}": hit.ifelse(1, 0).sum().cast("int64") for p, hit in enumerate(hits)}
        asked |= {f"x{p}": hit.ifelse(0, texts["n"]).sum().cast("int64") for p, hit in enumerate(hits)}
        (found,) = self._fetch(texts.aggregate(**asked)).to_pylist()
        return [(int(found[f"m{p}"] or 0), int(found[f"x{p}"] or 0)) for p in range(len(patterns))]

    def odd_texts(self, i: int, pattern: str, most: int) -> pa.Array:
        """Up to so many distinct texts that do not match a pattern."""
        kept = self._present(i)
        texts = kept.select(text=kept[self._keys[i]]).distinct()
        return self._fetch(texts.filter(~texts["text"].re_search(pattern)).limit(most)).column(0).combine_chunks()

    def ranged(self, i: int, most: int, kind: str | None) -> Ranged:
        """Count an ordered column by its numbers, or by ranges of them if there are more than `most`.

        A number falls into the range floor(m * most / n), where m of the n
        records have a smaller one: quantiles, exact and the same on every
        engine. A range is named by its smallest number.

        Args:
            i: The column.
            most: How many ranges there are at most.
            kind: What texts are read as; None takes the cells as they are.
        """
        kept = self._present(i)
        cell = kept[self._keys[i]]
        number = cell if kind is None else self._dialect.try_cast(cell, kind)
        beside = {name: kept[name] for name in self._beside}
        cells = kept.select(v=number, n=kept["n"], **beside)
        v = cells["v"]
        is_odd = v.isnull() | (v.abs() == math.inf) if v.type().is_floating() else v.isnull()
        summary = cells.aggregate(
            n_numbers=v.nunique(),
            n=cells["n"].sum().cast("int64"),
            n_odd=ibis.ifelse(is_odd, cells["n"], 0).sum().cast("int64"),
        )
        found = self._fetch(summary)
        n_numbers, n, n_odd = (int(found.column(name)[0].as_py() or 0) for name in ("n_numbers", "n", "n_odd"))
        query = self._by_number(cells) if n_numbers <= most else self._by_range(cells, most, n)
        ranges = self._query(f"{query} LIMIT 0" if n_odd else query)
        # A range has a row for each class, all with the same top. (Arrow's own GROUP BY would import pandas.)
        numbered = ranges.column("k").combine_chunks().dictionary_encode()
        _, first = np.unique(as_numpy(numbered.indices), return_index=True)
        return Ranged(ranges.drop_columns("top"), n_numbers, ranges.select(["k", "top"]).take(from_numpy(first)), n_odd)

    def _by_number(self, cells: ir.Table) -> str:
        names = ", ".join(["v", *self._beside])
        chosen = ", ".join(["v AS k", "v AS top", *self._beside])
        return f"SELECT {chosen}, CAST(sum(n) AS BIGINT) AS n FROM ({self._compile(cells)}) c GROUP BY {names}"  # noqa: S608

    def _by_range(self, cells: ir.Table, most: int, n: int) -> str:
        beside = "".join(f", {name}" for name in self._beside)
        smaller = self._dialect.n_smaller_sql(self._compile(cells), self._beside)
        placed = f"SELECT v{beside}, n, n_smaller * {most} AS x FROM ({smaller}) c"  # noqa: S608
        # Without its remainder the division is exact, whether an engine divides whole numbers or floats.
        numbered = f"SELECT v{beside}, n, CAST((x - x % {n}) / {n} AS BIGINT) AS r FROM ({placed}) p"  # noqa: S608
        ends = "min(v) AS v, max(v) AS w"
        counted = f"SELECT r{beside}, {ends}, CAST(sum(n) AS BIGINT) AS n FROM ({numbered}) q GROUP BY r{beside}"  # noqa: S608
        of_range = "min(v) OVER (PARTITION BY r) AS k, max(w) OVER (PARTITION BY r) AS top"
        return f"SELECT {of_range}{beside}, n FROM ({counted}) d"  # noqa: S608

    def frequent(self, i: int, least: int) -> pa.Table:
        """The counts of the values of a column that have at least so many records.

        Args:
            i: The column.
            least: How many records a value needs.
        """
        names = "".join(f"{name}, " for name in self._beside)
        mine = f"{self._name} WHERE which = {i}"
        often = f"SELECT {self._keys[i]} FROM {mine} GROUP BY {self._keys[i]} HAVING sum(n) >= {least}"  # noqa: S608
        return self._query(
            f"SELECT {self._keys[i]} AS k, {names}n FROM {mine} AND {self._keys[i]} IN ({often})"  # noqa: S608
        )

    def totals(self, i: int) -> pa.Table:
        """The records of all values of a column together, without the missing one, as columns beside and n."""
        names = "".join(f"{name}, " for name in self._beside)
        by = f" GROUP BY {self._beside[0]}" if self._beside else ""
        return self._query(
            f"SELECT {names}CAST(sum(n) AS BIGINT) AS n FROM {self._name} "  # noqa: S608
            f"WHERE which = {i} AND {self._keys[i]} IS NOT NULL{by}"
        )

    def agreements(self) -> list[float]:
        """How often two records have the same value of each column, the missing one among them."""
        found = self._query(
            f"SELECT which, CAST(sum(n * n) AS BIGINT) AS same, CAST(sum(n) AS BIGINT) AS n FROM {self._name} "  # noqa: S608
            "GROUP BY which ORDER BY which"
        )
        return [row["same"] / row["n"] ** 2 for row in found.to_pylist()]

    def drop(self) -> None:
        """Drop the temporary table."""
        self._dialect.drop(self._name)

    def _present(self, i: int) -> ir.Table:
        """The counts of a column's values without those of its missing cells."""
        kept = self._dialect.table(self._name)
        return kept.filter(kept["which"] == i, kept[self._keys[i]].notnull())

    def _query(self, sql: str) -> pa.Table:
        return self._dialect.query(sql)

    def _fetch(self, expr: ir.Table) -> pa.Table:
        return self._query(self._compile(expr))

    def _compile(self, expr: ir.Table) -> str:
        return str(self._dialect.backend.compile(expr))


def values_sql(records: str, keys: Sequence[str], beside: Sequence[str]) -> str:
    """Count the values of each of some columns by itself, in SQL.

    Args:
        records: A query of the records.
        keys: The columns. A row of the result fills one of them; the column `which` says which, from 0, and `n` is the
            number of records.
        beside: The class's column, if there is one: values are counted by class.
    """
    together = "".join(f", {name}" for name in beside)
    number = " ".join(f"+ {i} * (1 - grouping({key}))" for i, key in enumerate(keys))
    sets = ", ".join(f"({key}{together})" for key in keys)
    return (
        f"SELECT {', '.join(keys)}{together}, count(*) AS n, {number} AS which FROM ({records}) q "  # noqa: S608
        f"GROUP BY GROUPING SETS ({sets})"
    )
