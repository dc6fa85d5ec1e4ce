"""The cells of some columns as 64-bit hashes, so that groups on many sets of columns are counted quickly.

Each column is hashed by a function of its own. The key of a set of columns is
the exclusive or of their hashes, one whole number for a combination of any
number of cells. Of a million records with different cells, two get the same key
with a probability of 3e-8. Only sums and counts of group sizes come over.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import reduce
from operator import xor
from typing import TYPE_CHECKING, Any

import ibis
import sqlglot.expressions as sge

from maskwise.engines.base import RECORDS
from maskwise.engines.distinct_rows import n_records

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    import ibis.expr.types as ir

    from maskwise.engines.dialect import Dialect

_MOST_SETS = 32
"""So many sets of columns are counted in one query."""
WHO = "who"
"""The column of the hashes of persons."""


@dataclass(frozen=True, slots=True)
class GuessCounts:
    """How the values of one column are spread over the groups on others."""

    n_records: int
    """The records of all groups, or persons, each once in every group that it is in."""
    n_most: int
    """Those with the most frequent value of their group."""
    least_values: int
    """The fewest values in a group."""
    least_entropy: float
    """The least entropy of a group, in nats."""
    largest_share: float
    """The largest share of a value in a group."""
    n_most_of_all: int | None = None
    """Those with the value that is most frequent in all groups together; None where that of the table is the same."""


class CellHashes:
    """The hashes of some columns, in a temporary table of the database."""

    def __init__(self, dialect: Dialect, name: str, keys: Sequence[Sequence[int]], beside: Collection[str]) -> None:
        """Point at the temporary table.

        Args:
            dialect: How its database is talked to.
            name: What it is called; `hashes_query` made it.
            keys: The sets of columns whose keys it has.
            beside: The columns that it has beside hashes and keys: that of persons, where these are counted, and the
                number of records that a row stands for, where that is not one.
        """
        self._dialect = dialect
        self._name = name
        self._keys = {frozenset(numbers): f"k{i}" for i, numbers in enumerate(keys)}
        self._by_person = WHO in beside
        self._has_records = RECORDS in beside

    def sizes(self, sets: Sequence[Sequence[int]], one_of: int = 1) -> list[list[tuple[int, int]]]:
        """For each set of columns, each group size that occurs and how many groups have it.

        Args:
            sets: The columns of each set, by number; an empty one makes one group of all records.
            one_of: Only one of so many groups is counted, with all its records: those whose key is divisible by it.
        """
        found: list[list[tuple[int, int]]] = [[] for _ in sets]
        n, by = self._n(), self._counted_by()
        where = "" if one_of == 1 else f" WHERE code % {one_of} = 0"
        for at in range(0, len(sets), _MOST_SETS):
            # In DuckDB, GROUPING SETS of the same keys took a third longer.
            counted = " UNION ALL ".join(
                f"SELECT {i} AS which, n, count(*) AS n_groups FROM (SELECT {n} AS n FROM "  # noqa: S608
                f"(SELECT {self._key(numbers)} AS code{by} FROM {self._name}) r{where} GROUP BY code) g GROUP BY n"
                for i, numbers in enumerate(sets[at : at + _MOST_SETS], start=at)
            )
            for row in self._dialect.query(counted).to_pylist():
                found[int(row["which"])].append((int(row["n"]), int(row["n_groups"])))
        return [sorted(pairs) for pairs in found]

    def guesses(self, qid: Sequence[int], column: int) -> GuessCounts:
        """Count how well one column can be guessed in the groups on others.

        Args:
            qid: The columns of the groups, by number.
            column: The column that is guessed.
        """
        # In plain SQL: building the same in Ibis took 40 ms, more than counting a small table.
        number = self._double()
        n = self._n()
        records = f"(SELECT {self._key(qid)} AS code, h{column} AS cell{self._counted_by()} FROM {self._name}) r"  # noqa: S608
        pairs = f"(SELECT code, cell, {n} AS n FROM {records} GROUP BY code, cell) p"  # noqa: S608
        groups = (
            "SELECT code, count(*) AS n_values, max(n) AS n_most, CAST(sum(n) AS BIGINT) AS total, "  # noqa: S608
            f"sum(n * ln(CAST(n AS {number}))) AS logs FROM {pairs} GROUP BY code"
        )
        size, join, most_of_all = "g.total", "", "0"
        if self._by_person:
            # A person may have several values, so that its group has fewer persons than the values have.
            size = "s.n"
            join = f" JOIN (SELECT code, {n} AS n FROM {records} GROUP BY code) s ON g.code = s.code"  # noqa: S608
            # It may be in several groups, too: guesses with and without these are about the same persons.
            most_of_all = f"(SELECT max(n) FROM (SELECT sum(n) AS n FROM {pairs} GROUP BY cell) a)"  # noqa: S608
        (found,) = self._dialect.query(
            f"SELECT sum({size}) AS n_records, sum(g.n_most) AS n_most, min(g.n_values) AS least_values, "  # noqa: S608
            f"min(ln(CAST(g.total AS {number})) - g.logs / g.total) AS least_entropy, "
            f"max(CAST(g.n_most AS {number}) / {size}) AS largest_share, {most_of_all} AS n_most_of_all "
            f"FROM ({groups}) g{join}",
        ).to_pylist()
        # Engines add up 64-bit numbers in wider ones; without a record, sums are missing.
        return GuessCounts(
            int(found["n_records"] or 0),
            int(found["n_most"] or 0),
            int(found["least_values"] or 0),
            float(found["least_entropy"] or 0),
            float(found["largest_share"] or 0),
            int(found["n_most_of_all"] or 0) if self._by_person else None,
        )

    def most_frequent(self, column: int) -> int:
        """The records, or persons, with the most frequent value of a column."""
        return max((size for size, _ in self.sizes([[column]])[0]), default=0)

    def beside(self, population: CellHashes, qid: Sequence[int]) -> list[tuple[int, int, int]]:
        """How many groups have a size here and a size in a population: (here, there, groups).

        Args:
            population: The hashes of the same columns of another table, in the same database.
            qid: The columns of the groups, by number.
        """
        here = self._count(self._records(qid), ["code"])
        there = population._count(population._records(qid), ["code"]).rename(key="code", n_there="n")
        both = here.left_join(there, here["code"] == there["key"])
        both = both.select(n=both["n"], there=both["n_there"].coalesce(0))
        found = self._fetch(both.group_by(["n", "there"]).agg(n_groups=both.count()))
        return sorted((int(row["n"]), int(row["there"]), int(row["n_groups"])) for row in found)

    def drop(self) -> None:
        """Drop the temporary table."""
        self._dialect.drop(self._name)

    def _n(self) -> str:
        """The number of records, or persons, in SQL."""
        if self._by_person:
            return f"count(DISTINCT {WHO})"
        return f"CAST(sum({RECORDS}) AS BIGINT)" if self._has_records else "count(*)"

    def _counted_by(self) -> str:
        """What `_n` needs of a row beside the key."""
        return f", {WHO}" if self._by_person else f", {RECORDS}" if self._has_records else ""

    def _key(self, numbers: Sequence[int]) -> str:
        """The key of a set of columns, in SQL."""
        return combine(self._dialect, self._terms(numbers))

    def _terms(self, numbers: Sequence[int]) -> list[str]:
        """The columns whose exclusive or is the key of a set: a key that is there already, and hashes."""
        within = max((key for key in self._keys if key <= set(numbers)), key=len, default=frozenset())
        return [*([self._keys[within]] if within else []), *(f"h{i}" for i in numbers if i not in within)]

    def _double(self) -> str:
        """What the database calls a float of 64 bits."""
        return str(self._dialect.backend.compiler.type_mapper.to_string(ibis.dtype("float64")))

    def _table(self) -> ir.Table:
        return self._dialect.table(self._name)

    def _records(self, qid: Sequence[int]) -> ir.Table:
        """The key of a set of columns for each record, and its person."""
        table = self._table()
        return table.mutate(code=reduce(xor, [table[name] for name in self._terms(qid)]))

    def _count(self, records: ir.Table, keys: Sequence[str]) -> ir.Table:
        n = records[WHO].nunique() if self._by_person else n_records(records)
        return records.group_by(list(keys)).agg(n=n)

    def _fetch(self, expr: ir.Table) -> list[dict[str, Any]]:
        rows: list[dict[str, Any]] = self._dialect.query(str(self._dialect.backend.compile(expr))).to_pylist()
        return rows


def combine(dialect: Dialect, names: Sequence[str]) -> str:
    """The exclusive or of some hashes, in SQL; 0 if there are none."""
    if not names:
        return "CAST(0 AS BIGINT)"
    columns: list[sge.Expression] = [sge.column(name) for name in names]
    combined = reduce(lambda above, below: sge.BitwiseXor(this=above, expression=below), columns)
    return str(combined.sql(dialect.backend.dialect))


def hashes_query(
    dialect: Dialect, records: str, numbers: Sequence[int], keys: Sequence[Sequence[int]], beside: Collection[str]
) -> str:
    """Hash the cells of some columns, in SQL.

    Args:
        dialect: How the database is talked to.
        records: A query of the records; its columns are texts, called h0, h1, ... by their numbers.
        numbers: The numbers.
        keys: The sets of columns whose keys are made, too, because several others will be made of them.
        beside: Columns that the records have beside these: `WHO`, which is hashed too, or `RECORDS`.
    """
    hashed = [f"{dialect.cell_hash(f't.h{number}', number)} AS h{number}" for number in numbers]
    hashed += [f"{dialect.cell_hash(f't.{WHO}', max(numbers, default=0) + 1)} AS {WHO}"] * (WHO in beside)
    hashed += [f"t.{RECORDS}"] * (RECORDS in beside)
    made = [f"{combine(dialect, [f'h{number}' for number in key])} AS k{i}" for i, key in enumerate(keys)]
    return f"SELECT {', '.join(['c.*', *made])} FROM (SELECT {', '.join(hashed)} FROM ({records}) t) c"  # noqa: S608


def sample_values(
    dialect: Dialect, table: ir.Table, cells: Sequence[ir.Value], one_of: Sequence[int]
) -> list[list[tuple[str, int]]]:
    """Fetch the texts of some distinct values of each column, with their records, sorted; missing cells are left out.

    Args:
        dialect: How the database is talked to.
        table: The records.
        cells: The columns, a few dozen: each is a part of the query.
        one_of: One of how many values of each column is chosen; 1 takes all of them.
    """
    found: list[list[tuple[str, int]]] = [[] for _ in cells]
    records = str(dialect.backend.compile(table.select(**{f"v{i}": c.cast("string") for i, c in enumerate(cells)})))
    chosen = []
    for i, n in enumerate(one_of):
        test = f" AND {dialect.cell_hash(f'v{i}', 0)} % {n} = 0" if n > 1 else ""
        chosen.append(
            f"SELECT {i} AS which, v{i} AS cell, count(*) AS n FROM ({records}) t "  # noqa: S608
            f"WHERE v{i} IS NOT NULL{test} GROUP BY v{i}"
        )
    for row in dialect.query(" UNION ALL ".join(chosen)).to_pylist():
        found[int(row["which"])].append((row["cell"], int(row["n"])))
    return [sorted(values) for values in found]
