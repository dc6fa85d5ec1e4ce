"""Shuffling moves records and changes none."""

from __future__ import annotations

from dataclasses import replace

import ibis
import pyarrow as pa
import pytest

from maskwise.engines.base import Feature, Gap, Relabel
from maskwise.errors import InputError
from maskwise.release import shuffle
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


LABELS = Relabel(pa.array(["a", "b", "it's", "d", "e"]), ("low", "low", "it's", "*", "e"), root="*", missing="gone")


@pytest.mark.slow
@pytest.mark.parametrize("relabel", ["few labels", "a missing one", "others", "as it is", "intervals"])
@pytest.mark.parametrize("seed", [None, 5])
def test_labels_that_are_numbers_meanwhile_are_the_same(
    monkeypatch: pytest.MonkeyPatch, relabel: str, seed: int | None
) -> None:
    letters = ["a", "b", "it's", "d", "e", "x", None]
    cells = [letters[i % (7 if relabel in {"a missing one", "others"} else 5)] for i in range(70)]
    table = read(pa.table({"Job": cells, "Age": list(range(70)), "Id": list(range(70))}))
    # As if another table were sorted than one that this process holds, whose records are put in order at once.
    table.engine.held.clear()
    how = {
        "few labels": LABELS,
        "a missing one": replace(LABELS, has_missing=True, has_others=True),
        "others": replace(LABELS, has_missing=True, missing=None, has_others=True),
        "as it is": replace(LABELS, shown=tuple(LABELS.keys.to_pylist()), has_others=True),
        "intervals": LABELS,
    }[relabel]
    ends = ((20, "[0, 20)"), (50, "[20, 50)"), (70, "[50, 70]"))
    ages = Relabel(pa.array(range(70)), (), root="", has_missing=False, intervals=ends)
    masked = table.relabel({"Job": how} | ({"Age": ages} if relabel == "intervals" else {}))
    numbered: list[bool] = []
    by_numbers = shuffle.sort_by_numbers

    def note(records: ibis.expr.types.Table, sort: object) -> ibis.expr.types.Table:
        plain: list[ibis.expr.types.Table] = []

        def spy(inner: ibis.expr.types.Table) -> ibis.expr.types.Table:
            plain.append(inner)
            return sort(inner)  # type: ignore[operator]

        found = by_numbers(records, spy)
        numbered.append(plain[0].schema()["c0"].is_integer())
        return found

    monkeypatch.setattr(shuffle, "sort_by_numbers", note)
    found = as_frame(shuffle_records(masked, seed)).to_pylist()
    monkeypatch.setattr(shuffle, "sort_by_numbers", lambda records, sort: sort(records))
    expected = as_frame(shuffle_records(masked, seed)).to_pylist()
    assert numbered == [True]
    assert sorted(found, key=lambda row: row["Id"]) == sorted(expected, key=lambda row: row["Id"])
    assert seed is None or found == expected
