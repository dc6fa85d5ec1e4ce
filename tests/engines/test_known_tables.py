"""What is known of a registered table is what DuckDB says of it."""

import datetime as dt

import duckdb
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from ibis.backends.duckdb import Backend

from maskwise.engines.known_tables import known_table

KINDS = [
    *(f"{sign}int{n_bits}" for sign in ("", "u") for n_bits in (8, 16, 32, 64)),
    *("bool_", "date32", "float32", "float64", "string", "large_string", "binary", "date64", "null"),
]
OTHERS = [pa.timestamp("us"), pa.timestamp("ns", "UTC"), pa.decimal128(10, 2), pa.dictionary(pa.int32(), pa.string())]


@pytest.fixture(scope="module")
def backend():
    with duckdb.connect() as connection:
        yield Backend.from_connection(connection)


@given(
    kinds=st.lists(st.sampled_from([*(getattr(pa, kind)() for kind in KINDS), *OTHERS]), min_size=1, max_size=4),
    names=st.lists(st.sampled_from(["a", "A", "b", "*", "c d", 'q"']), min_size=4, max_size=4, unique=True),
)
def test_a_registered_table_is_known_as_duckdb_describes_it(backend, kinds, names):
    table = pa.table([pa.nulls(1, kind) for kind in kinds], names=names[: len(kinds)])
    backend.con.register("given", table)
    assert known_table(backend, "given", table.schema).op() == backend.table("given").op()
    backend.con.unregister("given")


def test_a_table_that_says_that_no_cell_is_missing_is_not_believed(backend):
    fields = [pa.field("a", pa.string(), nullable=False), pa.field("b", pa.int64())]
    table = pa.table([pa.array(["x", None]), pa.array([1, 2])], schema=pa.schema(fields))
    backend.con.register("given", table)
    known = known_table(backend, "given", table.schema)
    assert known.op() == backend.table("given").op()
    backend.con.unregister("given")


def test_the_records_of_a_known_table_can_be_read(backend):
    table = pa.table({"n": pa.array([1, None], pa.int16()), "day": [dt.date(2026, 1, 2), None], "text": ["x", "ä"]})
    backend.con.register("given", table)
    known = known_table(backend, "given", table.schema)
    assert known.to_pyarrow().to_pylist() == table.to_pylist()
