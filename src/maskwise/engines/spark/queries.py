"""What is asked of Spark in ways of its own: results in parts, ranges without a join, pairs by one GROUP BY.

`DataFrame.toArrow` brings a whole result, which the driver has to hold and Spark refuses above
`spark.driver.maxResultSize`. Here the workers compute as many partitions at once as have room, and the next when these
were taken.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import pyarrow as pa
from pyspark.serializers import NoOpSerializer
from pyspark.sql.pandas.types import to_arrow_schema
from pyspark.util import _load_from_socket

from maskwise.engines.pair_counts import ALONE

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from pyspark.sql import DataFrame

    from maskwise.engines.pair_counts import Target

_AT_FIRST = 4
"""So many partitions are fetched before it is known how large they are."""
_MOST_BYTES = 256 << 20
"""So many bytes are fetched at once, about."""
_MOST_PARTITIONS = 1 << 10
"""So many partitions are fetched at once."""
_ACCURACY = 1000
"""How evenly numbers are spread over ranges: the more, the longer it takes to find their ends."""


def arrow_schema(frame: DataFrame) -> pa.Schema:
    """The Arrow schema of a result, as `DataFrame.toArrow` gives it."""
    has_large_texts = frame.sparkSession._jconf.arrowUseLargeVarTypes()  # noqa: SLF001 - as `toArrow` asks
    return to_arrow_schema(
        frame.schema, error_on_duplicated_field_names_in_struct=True, prefers_large_types=has_large_texts
    )


def arrow_batches(frame: DataFrame, schema: pa.Schema) -> Iterator[pa.RecordBatch]:
    """Compute a result and give its batches, in the order of its partitions.

    Args:
        frame: The query.
        schema: Its schema.
    """
    context = frame.sparkSession.sparkContext
    # What `toArrow` collects, before it is collected: no public function gives a part of it.
    records = frame._jdf.toArrowBatchRdd().toJavaRDD()  # noqa: SLF001
    n_partitions = records.getNumPartitions()
    begin, n_next = 0, _AT_FIRST
    while begin < n_partitions:
        chosen = list(range(begin, min(begin + n_next, n_partitions)))
        socket = context._jvm.PythonRDD.runJob(context._jsc.sc(), records, chosen)  # noqa: SLF001
        n_bytes = 1
        for message in _load_from_socket(socket, NoOpSerializer()):
            n_bytes += len(message)
            yield pa.ipc.read_record_batch(pa.py_buffer(message), schema)
        begin += len(chosen)
        n_next = min(max(_MOST_BYTES * len(chosen) // n_bytes, 1), _MOST_PARTITIONS)


def signed(table: pa.Table) -> pa.Table:
    """Spark has no unsigned numbers."""
    wider = {pa.uint8(): pa.int16(), pa.uint16(): pa.int32(), pa.uint32(): pa.int64()}
    fields = [field.with_type(wider.get(field.type, field.type)) for field in table.schema]
    return table.cast(pa.schema(fields))


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


def spread_pairs_sql(records: str, targets: Sequence[Target]) -> str:
    """Count the records of each (cell of another column, label, raw cell); arguments as in `Dialect.pairs_sql`.

    Each record is spread into a row for each pair. GROUPING SETS give every one of these rows all columns: of 14
    columns that took three times as long.
    """
    rows = [
        f"{target.number}, {other}, " + ", ".join(f"BIGINT({one})" for one in (cell, target.label, target.raw))
        for target in targets
        for other, cell in {ALONE: "0", **target.beside}.items()
    ]
    names = "target, other, cell, label, raw"
    spread = f"SELECT stack({len(rows)}, {', '.join(rows)}) AS ({names}) FROM {records}"  # noqa: S608
    return f"SELECT {names}, count(*) AS n FROM ({spread}) s GROUP BY {names}"  # noqa: S608
