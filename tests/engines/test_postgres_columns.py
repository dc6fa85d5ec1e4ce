"""PostgreSQL's own ways for many rows: fetching, lookups, distinct rows of what was written."""

from __future__ import annotations

import random
from collections import Counter
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

import maskwise
from maskwise.engines.base import RECORDS, Lookup
from maskwise.engines.postgres.dialect import Postgres
from maskwise.engines.sql import Engine
from tests.engines.conftest import load_postgres
from tests.engines.postgres_server import Server

MANY = 25_000


@pytest.fixture
def dialect(server: Server) -> Any:
    opened = Postgres(server.url, memory=1 << 30)
    yield opened
    opened.close()


def fetch(dialect: Postgres, sql: str) -> pa.Table:
    with dialect.stream(sql) as batches:
        return batches.read_all()


def test_many_rows_come_as_they_are(dialect: Postgres) -> None:
    sql = (
        'SELECT i * 10000000000 - 7 AS "a ""b", CAST(i % 1000 - 500 AS smallint) AS b, '  # noqa: S608
        f"CASE WHEN i % 2 = 0 THEN CAST(-i AS integer) END AS c FROM generate_series(1, {MANY}) i ORDER BY -i"
    )
    found = fetch(dialect, sql)
    assert found.schema.types == [pa.int64(), pa.int16(), pa.int32()]
    order = range(MANY, 0, -1)
    assert found.column('a "b').to_pylist() == [i * 10**10 - 7 for i in order]
    assert found.column(1).to_pylist() == [i % 1000 - 500 for i in order]
    assert found.column(2).to_pylist() == [None if i % 2 else -i for i in order]
    assert fetch(dialect, f"SELECT * FROM ({sql}) q WHERE b > 1000").num_rows == 0  # noqa: S608


@pytest.mark.parametrize("n_keys", [1, 2, 41, 700, 5000])
def test_texts_are_coded_as_a_dictionary_codes_them(dialect: Postgres, n_keys: int) -> None:
    rng = random.Random(n_keys)  # noqa: S311 - test data
    keys = ["", *(f"it's {i} \\ ä" for i in range(1, n_keys))]
    codes = rng.sample(range(10 * n_keys), n_keys)
    cells = [rng.choice([*keys, None]) for _ in range(2000)]
    how = Lookup(pa.array(keys), pa.array(codes, pa.int32()), missing=10 * n_keys)
    engine = Engine(dialect)
    coded = engine.recode(engine.register(pa.table({"c0": cells})), {"c0": how}, [], materialize=False)
    code_of = dict(zip(keys, codes, strict=True)) | {None: 10 * n_keys}
    assert Counter(engine.fetch(coded.select("c0")).column(0).to_pylist()) == Counter(code_of[cell] for cell in cells)


def written(server: Server, name: str, table: pa.Table) -> None:
    load_postgres(server, table, name)
    server.run(f"ANALYZE {name}")


def test_repeated_rows_are_kept_with_their_number(server: Server) -> None:
    rows = [(("x", None, "z")[i % 3], i % 2) for i in range(600)]
    cells = [list(column) for column in zip(*rows, strict=True)]
    written(server, "repeated", pa.table({"a": cells[0], "b": pa.array(cells[1], pa.int32())}))
    engine = Engine(Postgres(server.url))
    counted = engine.counted(engine.dialect.table("repeated"))
    assert RECORDS in counted.columns
    found = {(row["a"], row["b"]): row[RECORDS] for row in engine.fetch(counted).to_pylist()}
    engine.close()
    server.run("DROP TABLE repeated")
    assert found == Counter(rows)


@pytest.mark.parametrize("kind", ["different", "spelled"])
def test_rows_that_differ_are_left_as_they_are(server: Server, kind: str) -> None:
    cell = "CAST(i AS text)" if kind == "different" else "CASE WHEN i % 2 = 0 THEN 1.5 ELSE 1.50 END"
    server.run(f"CREATE TABLE others AS SELECT {cell} AS a, i % 2 AS b FROM generate_series(1, 600) i; ANALYZE others")  # noqa: S608
    engine = Engine(Postgres(server.url))
    counted = engine.counted(engine.dialect.table("others"))
    assert RECORDS not in counted.columns
    engine.close()
    server.run("DROP TABLE others")


def test_a_release_of_repeated_rows_is_judged_as_on_duckdb(server: Server) -> None:
    rng = random.Random(11)  # noqa: S311 - test data
    ages = [rng.choice([10, 20, 30, 40, None]) for _ in range(3000)]
    table = pa.table(
        {
            "age": pa.array(ages, pa.int64()),
            "sex": [rng.choice("FM") for _ in ages],
            "ill": [rng.choice(["flu", "hiv", "flu", "cold"]) for _ in ages],
        }
    )
    written(server, "patients", table)
    policy = {
        "attributes": {"age": "interval", "sex": "suppress"},
        "requirements": [
            {"qid": ["age", "sex"], "k": 100},
            {"qid": ["sex"], "sensitive": "ill", "diversity": {"distinct": 3}},
        ],
        "missing": "keep",
    }
    here = maskwise.anonymize("patients", policy, "patients_masked", engine=server.url)
    there = maskwise.anonymize(table, policy)
    rows = server.run("SELECT * FROM patients_masked")
    server.run("DROP TABLE patients, patients_masked")
    assert Counter(rows) == Counter(zip(*(column.to_pylist() for column in there.data.columns), strict=True))
    assert (here.verdict, here.risk, here.owner_risk) == (there.verdict, there.risk, there.owner_risk)
    assert here.common == there.common


def test_a_random_order_is_another_one_each_time(server: Server) -> None:
    import ibis

    orders = []
    for _ in range(2):
        dialect = Postgres(server.url)
        numbers = ibis.range(0, 1000).unnest().name("i").as_table()
        orders.append(fetch(dialect, dialect.backend.compile(numbers.order_by(dialect.random_order()))).column(0))
        dialect.close()
    first, second = (np.array(order) for order in orders)
    assert sorted(first) == sorted(second) == list(range(1000))
    # Of independent orders the correlation is below this but for one in ten million times.
    for one, other in ((first, second), (first, np.arange(1000)), (second, np.arange(1000))):
        assert abs(np.corrcoef(one, other)[0, 1]) < 0.17


def test_a_query_that_fails_leaves_the_connection_usable(dialect: Postgres) -> None:
    with pytest.raises(maskwise.errors.InputError):
        fetch(dialect, f"SELECT 1 / (i - 5) AS a FROM generate_series(1, {MANY}) i")  # noqa: S608
    assert fetch(dialect, "SELECT 1 AS a").column(0).to_pylist() == [1]
