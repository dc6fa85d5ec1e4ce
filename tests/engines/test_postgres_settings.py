"""What a run asks PostgreSQL for, and how its columns are counted together."""

from __future__ import annotations

import random
from collections import Counter

import psycopg
import pyarrow as pa
import pytest

from maskwise.engines.postgres.dialect import Postgres, share_memory
from maskwise.engines.sql import Engine
from tests.engines.conftest import load_postgres
from tests.engines.postgres_server import Server

GIB = 1 << 30


@pytest.mark.parametrize("memory", [1 << 20, 100 << 20, GIB, 64 * GIB, 1 << 55])
@pytest.mark.parametrize(("of_query", "of_server"), [(0, 8), (2, 8), (2, 1), (8, 8), (2, 64)])
def test_a_query_and_its_workers_share_the_memory_of_the_engine(memory: int, of_query: int, of_server: int) -> None:
    work_mem, n_workers = share_memory(memory, of_query, of_server)
    assert n_workers <= of_server
    assert bool(n_workers) == bool(of_query)
    assert 64 <= work_mem < 1 << 31
    # A hash table may have twice as many.
    assert work_mem * 1024 * 2 * (n_workers + 1) <= max(memory * 3 // 4, 64 * 1024 * 2 * (n_workers + 1))


def test_memory_is_asked_for_in_our_own_transaction_alone(server: Server) -> None:
    (before,) = server.run("SHOW work_mem")
    dialect = Postgres(server.url, memory=4 * GIB)
    with dialect.stream("SELECT current_setting('work_mem') AS a, current_setting('hash_mem_multiplier') AS b") as rows:
        assert rows.read_all().to_pylist() == [{"a": f"{share_memory(4 * GIB, 2, 8)[0]}kB", "b": "2"}]
    dialect.close()
    assert server.run("SHOW work_mem") == [before]


def test_without_memory_the_server_goes_by_its_own_settings(server: Server) -> None:
    (before,) = server.run("SHOW work_mem")
    dialect = Postgres(server.url)
    with dialect.stream("SELECT current_setting('work_mem') AS a") as rows:
        assert rows.read_all().to_pylist() == [{"a": before[0]}]
    dialect.close()


def test_the_owners_connection_keeps_its_settings(server: Server) -> None:
    import ibis

    with psycopg.connect(server.url) as connection:
        before = connection.execute("SHOW work_mem").fetchone()
        Postgres(ibis.postgres.from_connection(connection), memory=4 * GIB).close()
        assert connection.execute("SHOW work_mem").fetchone() == before


@pytest.mark.parametrize("analyzed", [True, False])
def test_every_column_is_counted_by_itself(server: Server, analyzed: bool) -> None:
    rng = random.Random(8)  # noqa: S311 - test data
    table = pa.table(
        {
            "a": [rng.choice(["x", "y", None]) for _ in range(500)],
            "b": pa.array([rng.choice([1, 2, 3, None]) for _ in range(500)], pa.int64()),
            "c": pa.array([i % 250 for i in range(500)], pa.int32()),
            "d": [rng.choice([True, False]) for _ in range(500)],
            "risk": [rng.choice(["low", "high", None]) for _ in range(500)],
        }
    )
    name = f"counted_{analyzed}".lower()
    load_postgres(server, table, name)
    if analyzed:
        server.run(f'ANALYZE "{name}"')
    engine = Engine(Postgres(server.url))
    opened = engine.dialect.table(name)
    counts = engine.group_each(opened, [opened[key] for key in "abcd"], opened["risk"])
    rows = [counts.all_of(i).to_pylist() for i in range(4)]
    engine.close()
    server.run(f'DROP TABLE "{name}"')
    for i, key in enumerate("abcd"):
        expected = Counter(zip(table[key].to_pylist(), table["risk"].to_pylist(), strict=True))
        assert Counter({(row["k"], row["beside"]): row["n"] for row in rows[i]}) == expected
        assert len(rows[i]) == len(expected)
