"""SQL that finds the range that a cell falls into, and that puts numbers in order, range by range, on all workers."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pyarrow as pa

if TYPE_CHECKING:
    from collections.abc import Sequence

_ACCURACY = 1000
"""How evenly numbers are spread over ranges: the more, the longer it takes to find their ends."""


def range_search_sql(cell: str, lows: pa.Array) -> str:
    """The number of the range that a cell falls into, from 0; -1 for a cell below all.

    Args:
        cell: The cell, in SQL.
        lows: Where each range begins, ascending.
    """
    # Folded into one constant before the query runs; a subquery may not stand in a lambda.
    spelled = ",".join(lows.cast(pa.string()).to_pylist())
    listed = f"CAST(split('{spelled}', ',') AS ARRAY<{_type_of(lows.type)}>)"
    halves = ", ".join(str(1 << bit) for bit in range(len(lows).bit_length() - 1, -1, -1))
    found = f"at + half <= {len(lows)} AND element_at({listed}, at + half) <= {cell}"
    return f"aggregate(array({halves}), 0, (at, half) -> IF({found}, at + half, at)) - 1"


def range_ends_sql(cells: str, n_ranges: int) -> str:
    """Where ranges begin that hold about as many rows each, ascending; any ends will do.

    Args:
        cells: A query with a column v.
        n_ranges: How many ranges there are about.
    """
    shares = ", ".join(str(i / n_ranges) for i in range(1, max(n_ranges, 2)))
    found = f"SELECT explode(approx_percentile(v, array({shares}), {_ACCURACY})) AS low FROM ({cells}) c"  # noqa: S608
    return f"SELECT DISTINCT low FROM ({found}) e WHERE low IS NOT NULL ORDER BY low"  # noqa: S608


def n_smaller_sql(cells: str, beside: Sequence[str], ends: pa.Array) -> str:
    """Say for each row how many records have a smaller number.

    Within a range by a window of its own; what stands in the ranges below is
    added, which is one number for each range. So the ends change how the work is
    shared, and no count: a row is in one range, and all of its peers are in it.

    Args:
        cells: A query with the columns v, n and those beside.
        beside: The class's column, if there is one.
        ends: Where ranges begin, ascending.
    """
    names = "".join(f", {name}" for name in beside)
    at = range_search_sql("v", ends) if len(ends) else "0"
    placed = f"SELECT v, n{names}, {at} AS at FROM ({cells}) c"  # noqa: S608
    added = f"SELECT at, sum(n) AS n FROM ({placed}) p GROUP BY at"  # noqa: S608
    below = f"SELECT at, sum(n) OVER (ORDER BY at) - n AS n_below FROM ({added}) a"  # noqa: S608
    # Rows of one number, a row for each class, are peers: the frames take them all or none.
    window = "PARTITION BY p.at ORDER BY p.v"
    within = f"sum(p.n) OVER ({window}) - sum(p.n) OVER ({window} RANGE BETWEEN CURRENT ROW AND CURRENT ROW)"
    return (
        f"SELECT p.v, p.n{''.join(f', p.{name}' for name in beside)}, "  # noqa: S608
        f"CAST(b.n_below + {within} AS BIGINT) AS n_smaller FROM ({placed}) p JOIN ({below}) b ON p.at = b.at"
    )


def _type_of(kind: pa.DataType) -> str:
    """What Spark calls the type of an ordered column."""
    if pa.types.is_timestamp(kind):
        return "TIMESTAMP_NTZ" if kind.tz is None else "TIMESTAMP"
    if pa.types.is_date(kind):
        return "DATE"
    return "DOUBLE" if pa.types.is_floating(kind) else "BIGINT"
