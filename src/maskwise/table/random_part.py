"""A random part of a table, for checks whose figures need not be exact."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, NamedTuple

import ibis
import numpy as np
import pyarrow.compute as pc

from maskwise.engines.base import Feature
from maskwise.engines.distinct_rows import is_told_apart

if TYPE_CHECKING:
    from collections.abc import Iterable

    import pyarrow as pa

    from maskwise.table.table import Table

MOST_RECORDS = 50_000
"""So many records are looked at, about, whatever the size of the table: a share of them is off by half a percent."""

_MOST_TOGETHER = 64
"""So many columns are counted in one query: on DuckDB a thousand at once took 80 seconds, and 64 at a time five."""


class CellCounts(NamedTuple):
    """How many cells a column has."""

    n_cells: int
    """Those that are not missing."""
    n_values: int
    """The different ones among them."""


@dataclass(frozen=True, slots=True)
class RandomPart:
    """Some records of a table, each as likely as any other."""

    table: Table
    """The records; of its columns those whose cells can be counted."""
    n_all: int
    """The records of the whole table."""
    share: float = 1
    """How many of all records are drawn, from 0 to 1; 1 stands for all of them."""
    counted: dict[str, CellCounts] = field(default_factory=dict, compare=False)
    """The columns whose cells were counted."""

    def at_most(self, most: int) -> RandomPart:
        """Draw fewer records, if there are more than so many; they stay inside the engine."""
        expected = self.n_all * self.share
        if expected <= most:
            return self
        engine, expr = self.table.engine, self.table.expr
        drawn = engine.order(expr, lambda n: np.flatnonzero(np.random.default_rng().random(n) < most / expected))
        if drawn is None:
            drawn = engine.materialize(expr.filter(ibis.random() < most / expected))
        return RandomPart(replace(self.table, expr=drawn), self.n_all, most / self.n_all)

    def count_cells(self, names: Iterable[str]) -> dict[str, CellCounts]:
        """Count the cells of some columns, those in few queries that were not counted before.

        Args:
            names: The columns.
        """
        names = list(names)
        uncounted = [name for name in names if name not in self.counted]
        for start in range(0, len(uncounted), _MOST_TOGETHER):
            new = uncounted[start : start + _MOST_TOGETHER]
            cells = self.table.expr.select(**{f"a{i}": self.table.column(name) for i, name in enumerate(new)})
            if self.table.engine.can(Feature.LOCAL_RECORDS) and all(map(is_told_apart, cells.schema().types)):
                columns = self.table.engine.fetch(cells).columns
                self.counted.update(zip(new, map(_count_cells, columns), strict=True))
                continue
            asked = {f"n{i}": cells[f"a{i}"].count() for i in range(len(new))}
            asked |= {f"v{i}": cells[f"a{i}"].nunique() for i in range(len(new))}
            (found,) = self.table.engine.fetch(cells.aggregate(**asked)).to_pylist()
            self.counted.update({name: CellCounts(found[f"n{i}"], found[f"v{i}"]) for i, name in enumerate(new)})
        return {name: self.counted[name] for name in names}


def _count_cells(column: pa.ChunkedArray) -> CellCounts:
    """Count the cells of a column in this process, in half of the time that DuckDB takes over many columns."""
    return CellCounts(len(column) - column.null_count, pc.count_distinct(column, mode="only_valid").as_py())


def take_part(table: Table, n_rows: int) -> RandomPart:
    """Draw a part of a large table inside its engine; take a small table as it is.

    Args:
        table: The records.
        n_rows: How many they are.
    """
    names = tuple(name for name in table.names if table.is_countable(name))
    chosen = {f"c{i}": table.expr[table.key(name)] for i, name in enumerate(names)}
    return RandomPart(replace(table, expr=table.expr.select(**chosen), names=names), n_rows).at_most(MOST_RECORDS)


def one_of_each(table: Table, name: str) -> Table:
    """Draw one record of each value of a column, each of them as likely as any other."""
    # Numbers are drawn before they are sorted by: no database sorts a window by numbers that it draws meanwhile.
    drawn = table.engine.materialize(table.expr.mutate(drawn_number=ibis.random()))
    place = ibis.row_number().over(group_by=drawn[table.key(name)], order_by=drawn["drawn_number"])
    placed = drawn.mutate(place_of_record=place)
    first = placed.filter(placed["place_of_record"] == 0).drop("place_of_record", "drawn_number")
    return replace(table, expr=table.engine.materialize(first))
