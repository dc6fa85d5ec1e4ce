"""Codes in words: what is unpacked is what was looked up, whatever columns are counted."""

from __future__ import annotations

import random
from collections import Counter
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
import pytest

import maskwise
from maskwise.engines.base import Lookup
from maskwise.engines.duckdb import DuckDB
from maskwise.engines.packed_codes import lay_out
from maskwise.engines.postgres.dialect import Postgres
from maskwise.engines.sql import Engine
from tests.engines.postgres_server import Server

if TYPE_CHECKING:
    from collections.abc import Sequence

N = 300


def lookups() -> dict[str, Lookup]:
    """Twelve columns of many codes, so that one word is not enough; texts, near and far numbers, and ranges."""
    words = [f"word {i}" for i in range(20)]
    found = {"c0": Lookup(pa.array(words), pa.array(range(20), pa.int32()), missing=20)}
    found["c1"] = Lookup(pa.array([5, 7, 30], pa.int64()), pa.array([2, 0, 1], pa.int32()))
    found["c2"] = Lookup(pa.array([-(10**12), 0, 10**12], pa.int64()), pa.array([900, 70_000, 3], pa.int32()))
    found["c3"] = Lookup(pa.array([0, 10, 20], pa.int64()), None, missing=3)
    many = [f"it's {i}" for i in range(400)]
    found |= {f"c{i}": Lookup(pa.array(many), pa.array(range(400), pa.int32()), other=401) for i in range(4, 12)}
    return found


def records() -> tuple[pa.Table, list[tuple[int, ...]]]:
    """Records, and their codes as plain Python finds them."""
    rng = random.Random(4)  # noqa: S311 - test data
    columns: dict[str, list[Any]] = {}
    codes = []
    for name, how in lookups().items():
        keys = how.keys.to_pylist()
        cells = [rng.choice([*keys[:3], keys[-1]]) for _ in range(N)]
        if how.missing is not None:
            cells[::7] = [None] * len(cells[::7])
        if how.other is not None:
            cells[::5] = ["something else"] * len(cells[::5])
        numbers = list(range(len(keys))) if how.codes is None else how.codes.to_pylist()
        code_of = dict(zip(keys, numbers, strict=True))
        codes.append([how.missing if cell is None else code_of.get(cell, how.other) for cell in cells])
        columns[name] = cells
    return pa.table(columns), [tuple(row) for row in zip(*codes, strict=True)]


@pytest.mark.parametrize("where", ["duckdb", "postgres"])
@pytest.mark.parametrize("chosen", [tuple(range(12)), (1, 2), (0, 3, 11)])
def test_words_are_counted_as_the_codes_that_are_in_them(where: str, chosen: tuple[int, ...], server: Server) -> None:
    table, codes = records()
    layout = lay_out(lookups())
    assert layout.n_words > 1
    engine = Engine(DuckDB("duckdb") if where == "duckdb" else Postgres(server.url, memory=1 << 30))
    try:
        coded = engine.recode(engine.register(table), lookups(), [], materialize=False, layout=layout)
        with engine.count_rows(coded, [f"c{i}" for i in chosen], [], layout) as batches:
            found = Counter({row[:-1]: row[-1] for batch in batches for row in zip(*batch.to_pydict().values())})  # noqa: B905
    finally:
        engine.close()
    assert found == Counter(tuple(row[i] for i in chosen) for row in codes)


@pytest.mark.parametrize("where", ["duckdb", "postgres"])
@pytest.mark.parametrize("keys", [[5, 7, 30], [-(10**9), 7, 10**9]])
def test_a_number_between_keys_is_none_of_them(where: str, keys: list[int], server: Server) -> None:
    how = Lookup(pa.array(keys, pa.int64()), pa.array([1, 2, 3], pa.int32()), missing=4, other=0)
    cells = [*keys, None, 6, 8, 29, keys[0] - 1, keys[2] + 1, 2**31 - 1, -(2**31)]
    engine = Engine(DuckDB("duckdb") if where == "duckdb" else Postgres(server.url, memory=1 << 30))
    try:
        records = engine.register(pa.table({"c0": pa.array(cells, pa.int32())}))
        coded = engine.recode(records, {"c0": how}, [], materialize=False)
        found = Counter(engine.fetch(coded.select("c0")).column(0).to_pylist())
    finally:
        engine.close()
    assert found == Counter({0: 7, 1: 1, 2: 1, 3: 1, 4: 1})


@pytest.mark.parametrize("codes", [range(4), [7, -(2**40), 7, 0]])
@pytest.mark.parametrize("n_more", [0, 40])
@pytest.mark.parametrize("other", [None, 9])
def test_texts_are_found_in_a_list_as_by_a_join(codes: Sequence[int], n_more: int, other: int | None) -> None:
    # Forty more texts are too many for a list, and one with a zero byte cannot be written in a query.
    texts = ["it's", "", "ß", "a, b"] + [f"x{i}" for i in range(n_more)]
    of = pa.array([*codes, *range(100, 100 + n_more)], pa.int64())
    cells = [*texts, "IT'S", " ", None, "a\0b", "ß"]
    engine = Engine(DuckDB("duckdb"))
    for keys, numbers in ((texts, of), ([*texts, "a\0b"], pa.concat_arrays([of, pa.array([50])]))):
        how = Lookup(pa.array(keys), numbers, missing=None if other is None else 8, other=other)
        coded = engine.recode(engine.register(pa.table({"c0": cells})), {"c0": how}, [], materialize=False)
        expected = [dict(zip(keys, numbers.to_pylist(), strict=True)).get(cell, other) for cell in cells]  # type: ignore[arg-type]
        expected[cells.index(None)] = how.missing
        assert Counter(engine.fetch(coded.select("c0")).column(0).to_pylist()) == Counter(expected)
    engine.close()


def test_rows_that_are_listed_one_by_one_add_up_to_the_counted_ones() -> None:
    engine = Engine(DuckDB("duckdb"))
    how = {name: Lookup(pa.array(["a", "b"]), pa.array([0, 1], pa.uint8()), missing=2) for name in ("c0", "c1")}
    table = pa.table({"c0": ["a", "b", "a", None], "c1": ["b", "b", "b", "a"], "s0": [1, 0, 1, 1]})
    coded = engine.recode(engine.register(table), how, ["s0"], materialize=False)
    found = []
    for one_by_one in (True, False):
        with engine.count_rows(coded, ["c0", "c1"], ["s0"], one_by_one=one_by_one) as batches:
            rows = [row for batch in batches for row in zip(*batch.to_pydict().values())]  # noqa: B905
        sums: dict[tuple[int, ...], tuple[int, int]] = {}
        for *key, n, marked in rows:
            before = sums.get(tuple(key), (0, 0))
            sums[tuple(key)] = before[0] + n, before[1] + marked
        found.append((len(rows), sums))
    engine.close()
    assert [n for n, _ in found] == [4, 3]
    assert found[0][1] == found[1][1] == {(0, 1): (2, 2), (1, 1): (1, 0), (2, 0): (1, 1)}


def test_a_cell_without_a_code_is_missing_in_what_is_unpacked() -> None:
    how = {"c0": Lookup(pa.array(["a"]), pa.array([0], pa.int32()))}
    layout = lay_out(how)
    engine = Engine(DuckDB("duckdb"))
    coded = engine.recode(engine.register(pa.table({"c0": ["a", "b"]})), how, [], materialize=False, layout=layout)
    with engine.count_rows(coded, ["c0"], [], layout) as batches:
        assert sum(batch.column(0).null_count for batch in batches)
    engine.close()


def test_postgresql_sends_whole_numbers_and_missing_ones_in_binary(server: Server) -> None:
    dialect = Postgres(server.url)
    sql = (
        "SELECT CASE WHEN i % 3 > 0 THEN i * 10000000000 - 7 END AS a, CAST(-i AS smallint) AS b, "
        "CASE WHEN i % 2 = 0 THEN CAST(i AS integer) END AS c FROM generate_series(0, 999) i ORDER BY i"
    )
    with dialect.stream(sql) as batches:
        found = batches.read_all()
    assert found.column(0).to_pylist() == [i * 10**10 - 7 if i % 3 else None for i in range(1000)]
    assert found.column(1).to_pylist() == [-i for i in range(1000)]
    assert found.column(2).to_pylist() == [None if i % 2 else i for i in range(1000)]
    with dialect.stream(f"SELECT * FROM ({sql}) q WHERE false") as batches:  # noqa: S608
        assert batches.read_all().num_rows == 0
    with dialect.stream("SELECT 1 AS again") as batches:
        assert np.array(batches.read_all().column(0)).tolist() == [1]
    dialect.close()


def test_postgresql_recounts_decimals_on_many_subsets(server: Server) -> None:
    columns = ", ".join(f"z{i} text" for i in range(5))
    server.run(f"CREATE TABLE prices ({columns}, price numeric(8, 2), exact numeric)")
    cells = ", ".join("'a'" for _ in range(5))
    server.run(f"INSERT INTO prices SELECT {cells}, 1.1, 1.1 FROM generate_series(1, 4)")  # noqa: S608
    server.run(f"INSERT INTO prices SELECT {cells}, NULL, 1.10 FROM generate_series(1, 3)")  # noqa: S608
    server.run(f"INSERT INTO prices SELECT {cells}, 2.5, 'NaN' FROM generate_series(1, 2)")  # noqa: S608
    attributes = [*(f"z{i}" for i in range(5)), "price", "exact"]
    asked = {"requirements": [{"lkc": {"attributes": attributes, "L": 2}, "k": 2}]}
    (finding,) = maskwise.audit("prices", asked, engine=server.url).findings
    server.run("DROP TABLE prices")
    # Ten pairs of one group, eleven of three.
    assert (finding.figure, finding.n_groups) == (2, 10 + 11 * 3)
