"""Shuffling moves records and changes none."""

from __future__ import annotations

from dataclasses import replace

import ibis
import pyarrow as pa
import pytest

from maskwise.engines.base import Feature, Gap
from maskwise.errors import InputError
from maskwise.release.frames import as_frame
from maskwise.release.shuffle import shuffle_records
from maskwise.table.read import read

PEOPLE = pa.table({"Age": list(range(50)), "Job": [f"j{i}" for i in range(50)]})


def ages(seed: int | None) -> list[int]:
    shuffled = shuffle_records(read(PEOPLE), seed)
    assert shuffled.is_shuffled
    frame = as_frame(shuffled)
    assert [f"j{age}" for age in frame["Age"].to_pylist()] == frame["Job"].to_pylist()
    return frame["Age"].to_pylist()


def test_every_record_is_there_once_in_another_order() -> None:
    shown = ages(3)
    assert sorted(shown) == list(range(50))
    assert shown != list(range(50))


def test_a_seed_repeats_the_order_and_another_does_not() -> None:
    assert ages(3) == ages(3)
    assert ages(3) != ages(4)


def test_without_a_seed_two_runs_differ() -> None:
    assert ages(None) != ages(None)


def test_records_that_were_left_out_stay_out() -> None:
    table = read(pa.table({"Age": [1, None, 3, None, 5]})).without_missing(["Age"])
    assert sorted(as_frame(shuffle_records(table, 1))["Age"].to_pylist()) == [1, 3, 5]


def test_a_database_without_an_order_is_shuffled_but_takes_no_seed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("maskwise.engines.duckdb.DuckDB.gaps", {Feature.RECORD_ORDER: Gap.NEVER})
    connection = ibis.duckdb.connect()
    connection.con.register("given", PEOPLE)
    connection.con.execute("CREATE TABLE people AS FROM given")
    table = read(connection.table("people"))
    with pytest.raises(InputError, match="no seed repeats a random one"):
        shuffle_records(table, 3)
    shuffled = shuffle_records(table, None)
    assert shuffled.is_shuffled
    shown = as_frame(shuffled).to_pyarrow()["Age"].to_pylist()
    assert sorted(shown) == list(range(50))
    assert shown != list(range(50))


def test_a_column_that_is_the_same_in_every_record_is_not_sorted() -> None:
    table = read(pa.table({"a": [1, 2, 3], "b": [4, 5, 6]}))
    hidden = replace(table, expr=table.expr.mutate(c1=ibis.literal("Any")))
    sql = str(table.engine.dialect.backend.compile(shuffle_records(hidden, None).expr))
    assert sql.index("'Any'") < sql.index("FROM")
    assert "'Any'" not in sql[sql.index("FROM") :]
    assert sorted(as_frame(shuffle_records(hidden, 3))["a"].to_pylist()) == [1, 2, 3]


def test_records_that_are_all_the_same_are_all_released() -> None:
    table = read(pa.table({"a": [1, 2, 3]}))
    hidden = replace(table, expr=table.expr.mutate(c0=ibis.literal("Any")))
    shuffled = shuffle_records(hidden, None)
    assert shuffled.engine.fetch(shuffled.expr).column("c0").to_pylist() == ["Any"] * 3
