"""Spark's own ways to count, to order and to shuffle, against plain Python."""

from __future__ import annotations

import datetime as dt
from collections import Counter
from collections.abc import Iterator
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from maskwise.engines.base import RECORDS
from maskwise.engines.choose import choose
from maskwise.engines.spark.queries import n_smaller_sql
from maskwise.engines.sql import Engine

N = 3000


@pytest.fixture
def engine(session: Any) -> Iterator[Engine]:
    started, _ = choose(None, session)
    yield started
    started.close()


def numbers(kind: str) -> list[Any]:
    """Numbers of a kind, in no order, some of them several times."""
    drawn = [int(i) for i in np.random.default_rng(3).integers(-900, 900, N)]
    if kind == "float":
        return [i / 8 for i in drawn]
    if kind == "date":
        return [dt.date(2020, 1, 1) + dt.timedelta(days=i) for i in drawn]
    if kind == "time":
        return [dt.datetime(2020, 1, 1) + dt.timedelta(seconds=7 * i, microseconds=i % 3) for i in drawn]  # noqa: DTZ001 - as owners have them
    return drawn


@pytest.mark.parametrize("kind", ["int", "float", "date", "time"])
def test_numbers_are_ordered_by_several_tasks_and_counted_exactly(engine: Engine, kind: str) -> None:
    cells, classes = numbers(kind), [i % 3 for i in range(N)]
    kept = Counter(zip(cells, classes, strict=True))
    rows = [(*key, n) for key, n in kept.items()]
    columns = [list(column) for column in zip(*rows, strict=True)]
    session = engine.dialect.session  # type: ignore[attr-defined]
    session.createDataFrame(pa.table(columns, names=["v", "beside", "n"])).createOrReplaceTempView("some_cells")
    sql = engine.dialect.n_smaller_sql("SELECT * FROM some_cells", ["beside"])
    try:
        found = session.sql(f"SELECT *, spark_partition_id() AS task FROM ({sql}) x").toArrow().to_pylist()  # noqa: S608
    finally:
        session.catalog.dropTempView("some_cells")
    ordered = np.sort(np.array(cells))
    expected = {key: int(np.searchsorted(ordered, np.array([key[0]]).astype(ordered.dtype))[0]) for key in kept}
    assert {(plain(row["v"]), row["beside"]): row["n_smaller"] for row in found} == expected
    assert Counter({(plain(row["v"]), row["beside"]): row["n"] for row in found}) == kept
    assert len({row["task"] for row in found}) > 1


def plain(cell: Any) -> Any:
    return cell.replace(tzinfo=None) if isinstance(cell, dt.datetime) else cell


@pytest.mark.parametrize("ends", [[], [5], [-100, 0, 0, 7, 9000]])
def test_any_ends_of_ranges_give_the_same_order(session: Any, ends: list[int]) -> None:
    cells = "SELECT explode(array(3, 5, 5, 9, -4, 7)) AS v, 2 AS n"
    found = session.sql(n_smaller_sql(cells, [], pa.array(ends, pa.int64()))).collect()
    assert sorted((row.v, row.n_smaller) for row in found) == [(-4, 0), (3, 2), (5, 4), (5, 4), (7, 8), (9, 10)]


def test_columns_of_any_types_are_counted_in_one_scan(engine: Engine) -> None:
    columns = {
        "whole": [i % 7 if i % 5 else None for i in range(N)],
        "float": [i % 3 / 2 for i in range(N)],
        "text": [("x", "X", "", None, "é\n")[i % 5] for i in range(N)],
        "day": [dt.date(2020, 1, 1 + i % 4) for i in range(N)],
        "truth": [i % 2 == 0 for i in range(N)],
        "more": [f"{i % 11}" for i in range(N)],
        "nothing": pa.nulls(N, pa.string()),
    }
    classes = [("yes", "no", None)[i % 3] for i in range(N)]
    table = engine.scan(pa.table({**columns, "class": classes}))
    names = [f"c{i}" for i in range(len(columns))]
    for by in (table["c7"], None):
        counts = engine.group_each(table, [table[name] for name in names], by).up_to(1000)
        for cells, found in zip(columns.values(), counts, strict=True):
            assert found is not None
            listed = cells.to_pylist() if isinstance(cells, pa.Array) else cells
            expected = Counter(zip(listed, classes, strict=True) if by is not None else ((cell,) for cell in listed))
            keys = list(zip(*(column.to_pylist() for column in found.columns[:-1]), strict=True))
            assert len(set(keys)) == len(keys)
            assert dict(zip(keys, found.column("n").to_pylist(), strict=True)) == expected


def test_records_are_shuffled(engine: Engine) -> None:
    table = engine.scan(pa.table({"place": range(N), "same": ["x"] * N}))
    orders = []
    for _ in range(2):
        shuffled = table.select("c0", "c1").order_by(engine.dialect.random_order())
        assert shuffled.columns == ("c0", "c1")
        orders.append(engine.fetch(shuffled).column(0).to_pylist())
    for order in orders:
        assert sorted(order) == list(range(N))
        # A quarter of the records comes from every quarter of the table; the chance of less than half of that is 1e-40.
        for part in np.array_split(np.array(order), 4):
            assert np.bincount(part * 4 // N, minlength=4).min() > N / 32
        steps = np.diff(order)
        assert 0.4 < (steps > 0).mean() < 0.6
    assert orders[0] != orders[1]


def test_rows_that_repeat_are_kept_once_with_their_records(engine: Engine) -> None:
    cells = [f"{i % 7}" if i % 7 else None for i in range(N)]
    days = [dt.date(2020, 1, 1 + i % 2) for i in range(N)]
    counted = engine.counted(engine.scan(pa.table({"cell": cells, "day": days})))
    assert counted.columns == ("c0", "c1", RECORDS)
    found = {(row["c0"], row["c1"]): row[RECORDS] for row in engine.fetch(counted).to_pylist()}
    assert found == Counter(zip(cells, days, strict=True))


@pytest.mark.parametrize(
    "columns", [{"cell": list(range(N))}, {"cell": [0.0, -0.0] * (N // 2)}, {"cell": pa.array([], pa.string())}]
)
def test_rows_that_differ_or_have_floats_stay_as_they_are(engine: Engine, columns: dict[str, Any]) -> None:
    table = engine.scan(pa.table(columns))
    counted = engine.counted(table)
    assert len(engine.fetch(counted.select("c0"))) == len(columns["cell"])
