"""A query's result as Arrow batches that come to this process a few partitions at a time; and tables sent to Spark.

`DataFrame.toArrow` brings the whole result, which the driver has to hold and
Spark refuses above `spark.driver.maxResultSize`. Here the workers compute as
many partitions at once as have room, and the next when these were taken.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import pyarrow as pa
from pyspark.serializers import NoOpSerializer
from pyspark.sql.pandas.types import to_arrow_schema
from pyspark.util import _load_from_socket

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pyspark.sql import DataFrame

_AT_FIRST = 4
"""So many partitions are fetched before it is known how large they are."""
_MOST_BYTES = 256 << 20
"""So many bytes are fetched at once, about."""
_MOST_PARTITIONS = 1 << 10
"""So many partitions are fetched at once."""


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
