"""What is asked of distinct cells and spread over the records is what the database says of the records."""

from __future__ import annotations

import datetime as dt
from collections import Counter
from pathlib import Path
from typing import Any
from unittest.mock import patch

import ibis
import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from maskwise.engines import cell_queries, local_verbs, write_lines
from maskwise.engines import labels as labels_module
from maskwise.engines.base import ROW, Lookup, Relabel
from maskwise.engines.cell_queries import sources_of
from maskwise.engines.coded_columns import CodedColumns
from maskwise.engines.duckdb import DuckDB
from maskwise.engines.sql import Engine
from maskwise.table.read import read
from maskwise.values import processors, row_numbers
from maskwise.values.csv_form import CsvForm

CELLS: dict[str, tuple[pa.DataType, st.SearchStrategy[Any]]] = {
    "text": (pa.string(), st.sampled_from(["a", "b", "7", "07", "", "é", " a"])),
    "number": (pa.int64(), st.integers(-2, 3)),
    "float": (pa.float64(), st.sampled_from([0.0, -0.0, 1.5, float("nan"), float("inf")])),
    "day": (pa.date32(), st.dates(dt.date(2020, 1, 1), dt.date(2020, 1, 3))),
    "flag": (pa.bool_(), st.booleans()),
}


@st.composite
def tables(draw: st.DrawFn) -> pa.Table:
    """Tables of columns that repeat and of some that do not, as arrays or dictionaries."""
    n_rows = draw(st.integers(1, 30))
    columns: dict[str, Any] = {}
    for i, kind in enumerate(draw(st.lists(st.sampled_from(sorted(CELLS)), min_size=2, max_size=4))):
        type_, cell = CELLS[kind]
        cells = draw(st.lists(st.none() | cell, min_size=n_rows, max_size=n_rows))
        array = pa.array(cells, type_)
        columns[f"n{i}"] = array.dictionary_encode() if kind == "text" and draw(st.booleans()) else array
    return pa.table(columns)


def both_ways(table: pa.Table) -> tuple[Any, Any]:
    """The same table twice: once held by this process, once not."""
    plain = pa.table(
        {
            name: column.cast(column.type.value_type) if pa.types.is_dictionary(column.type) else column
            for name, column in zip(table.column_names, table.columns, strict=True)
        }
    )
    engines = Engine(DuckDB()), Engine(DuckDB())
    held, other = (read(plain, engine) for engine in engines)
    (name,) = engines[0].held
    engines[0].held[name] = CodedColumns(
        table.rename_columns([f"c{i}" for i in range(table.num_columns)]).append_column(
            ROW, pa.array(np.arange(table.num_rows))
        )
    )
    engines[1].held.clear()
    return held, other


def write_held(engine: Engine, expr: Any, target: Any, form: CsvForm) -> bool:
    records = engine.local(expr)
    assert records is not None
    return local_verbs.write(engine, records, target, form)


def bag(table: pa.Table) -> Counter[str]:
    return Counter(repr(sorted(row.items())) for row in table.to_pylist())


@given(table=tables(), n_processors=st.sampled_from([1, 3]))
def test_values_are_counted_alike(table: pa.Table, n_processors: int) -> None:
    held, other = both_ways(table)
    names, by = held.names[:-1], held.names[-1]
    with (
        patch.object(processors, "n_processors", lambda: n_processors),
        patch.object(cell_queries, "_ROWS_FOR_THREADS", 0),
    ):
        for beside in (None, by):
            counted, expected = (one.count_each(names, beside) for one in (held, other))
            assert counted.sizes() == expected.sizes()
            for i in range(len(names)):
                assert bag(counted.all_of(i)) == bag(expected.all_of(i))
                assert counted.type_of(i) == expected.type_of(i)


@given(table=tables())
def test_records_without_missing_cells_are_counted_alike(table: pa.Table) -> None:
    held, other = both_ways(table)
    for names in (held.names, held.names[:1]):
        assert held.n_complete(names) == other.n_complete(names)


@given(table=tables(), data=st.data())
def test_records_are_recoded_alike(table: pa.Table, data: st.DataObject) -> None:
    coded = []
    held, other = both_ways(table)
    lookups = {}
    for i, name in enumerate(held.names[:-1]):
        keys = other.distinct(name).keys
        codes = pa.array([data.draw(st.integers(0, 3)) for _ in range(len(keys))], pa.uint8())
        lookups[f"c{i}"] = Lookup(keys, codes, missing=data.draw(st.sampled_from([4, 300])), other=5)
    for one in (held, other):
        last = one.expr[f"c{len(one.names) - 1}"]
        expr = one.normalized(one.names[:-1]).mutate(mark=last.isnull().ifelse(1, 0), same=ibis.literal(3))
        recoded = one.engine.recode(expr, lookups, ["mark", "same"], materialize=False)
        coded.append(bag(one.engine.fetch(recoded.select("mark", "same", *lookups))))
    assert coded[0] == coded[1]


@given(table=tables(), seed=st.integers(0, 5), data=st.data())
def test_records_are_put_in_order(table: pa.Table, seed: int, data: st.DataObject) -> None:
    held, other = both_ways(table)
    order = np.random.default_rng(seed).permutation(table.num_rows)
    shown = held.expr.mutate(c0=held.expr["c0"].cast("string").fill_null("none"), fixed=ibis.literal("x"))
    # A part of them is asked for in the same way.
    order = order[: data.draw(st.integers(1, table.num_rows))]
    ordered = held.engine.order(shown, lambda _: order)
    assert ordered is not None
    expected = other.engine.fetch(other.expr.mutate(c0=other.expr["c0"].cast("string").fill_null("none")).order_by(ROW))
    rows = expected.to_pylist()
    found = held.engine.fetch(ordered).to_pylist()
    assert [repr({**rows[at], "fixed": "x"}) for at in order] == [repr(row) for row in found]


@settings(max_examples=40)
@given(
    table=tables(),
    form=st.sampled_from([CsvForm(), CsvForm(delimiter=";", line_end="\r\n", has_mark=True)]),
    suffix=st.sampled_from([".csv", ".tsv"]),
)
def test_a_csv_of_repeated_lines_has_the_bytes_of_another(
    tmp_path_factory: pytest.TempPathFactory, table: pa.Table, form: CsvForm, suffix: str
) -> None:
    folder = tmp_path_factory.mktemp("written")
    many = pa.concat_tables([table] * 12)
    held, other = both_ways(many)
    names = [f"name, {i}" for i in range(table.num_columns)]
    columns = [f"c{i}" for i in range(table.num_columns)]
    by_lines, at_once = folder / f"lines{suffix}", folder / f"once{suffix}"
    with patch.object(write_lines, "_LEAST_RECORDS", 0), patch.object(write_lines, "_LEAST_REPEATED", 1):
        named = held.expr.select([held.expr[c].name(n) for c, n in zip(columns, names, strict=True)])
        assert write_held(held.engine, named, by_lines, form)
    other.engine.write(other.expr.order_by(ROW).select(*columns), at_once, names, "the table", form)
    assert by_lines.read_bytes() == at_once.read_bytes()


def test_rows_beyond_what_is_marked_are_numbered_on_the_way(tmp_path: Path) -> None:
    rng = np.random.default_rng(1)
    few = pa.table({f"n{i}": pa.array(rng.integers(0, 7, 40).astype(str)) for i in range(6)})
    held, other = both_ways(few.take(pa.array(rng.integers(0, 40, 3000))))
    with (
        patch.object(write_lines, "_LEAST_RECORDS", 0),
        patch.object(row_numbers, "_MOST_MARKS", 20 - 2 * 3000),
    ):
        assert write_held(held.engine, held.expr.drop(ROW), tmp_path / "lines.csv", CsvForm())
    columns = [f"c{i}" for i in range(6)]
    other.engine.write(other.expr.order_by(ROW).select(*columns), tmp_path / "once.csv", columns, "the table")
    assert (tmp_path / "lines.csv").read_bytes() == (tmp_path / "once.csv").read_bytes()


def test_cells_of_several_lines_and_records_that_hardly_repeat_are_written_at_once(tmp_path: Path) -> None:
    lines, _ = both_ways(pa.table({"n": ["a\nb", "c"] * 50, "m": ["x"] * 100}))
    different, _ = both_ways(pa.table({"n": [str(i) for i in range(50)] * 2, "m": [str(i) for i in range(100)]}))
    with patch.object(write_lines, "_LEAST_RECORDS", 0):
        for held in (lines, different):
            assert not write_held(held.engine, held.expr.drop(ROW), tmp_path / "people.csv", CsvForm())
    assert not (tmp_path / "people.csv").exists()


def test_what_looks_at_other_records_or_columns_is_left_to_the_database() -> None:
    held, _ = both_ways(pa.table({"n": ["a", "b"] * 10, "m": [1, 2] * 10}))
    table = held.expr
    others = [
        table.mutate(x=ibis.row_number()),
        table.mutate(x=ibis.random()),
        table.mutate(x=table["c1"].max()),
        table.mutate(x=table["c0"] + table["c1"].cast("string")),
        table.filter(table["c1"] == 1),
        table.order_by("c1"),
        table.distinct(),
        table.left_join(table.view(), "c0"),
        table.group_by("c0").agg(n=table.count()),
        table.mutate(x=table["c0"].isin(table.filter(table["c1"] == 1)["c0"])),
    ]
    assert [sources_of(expr.op()) for expr in others] == [None] * len(others)
    known = sources_of(table.mutate(x=table["c1"] + 1, y=table["c0"], z=ibis.literal(1)).drop(ROW, "c1").op())
    assert known is not None
    assert dict(known.columns) == {"c0": "c0", "x": "c1", "y": "c0", "z": None}
    assert known.unchanged == {"c0", "y"}


@given(table=tables(), data=st.data())
def test_labels_are_looked_up_alike(table: pa.Table, data: st.DataObject) -> None:
    held, other = both_ways(table)
    name = data.draw(st.sampled_from(held.names))
    keys = other.distinct(name).keys
    labels = [data.draw(st.sampled_from(["x", "y", None])) for _ in range(len(keys))]
    has_missing = data.draw(st.booleans()) or held.distinct(name).n_missing > 0
    relabel = Relabel(keys, labels, "*", data.draw(st.none() | st.just("none")), has_missing)
    shown = []
    with patch.object(labels_module, "is_expression", lambda _: False):
        for one in (held, other):
            masked = one.relabel({name: relabel})
            kept = masked.engine.fetch(masked.expr.order_by(ROW))
            shown.append(list(map(repr, kept.select([f"c{i}" for i in range(len(one.names))]).to_pylist())))
    assert shown[0] == shown[1]


@given(numbers=st.lists(st.none() | st.integers(-9, 9), min_size=1, max_size=30), data=st.data())
def test_ranges_are_looked_up_alike(numbers: list[int | None], data: st.DataObject) -> None:
    kind = data.draw(st.sampled_from([pa.int64(), pa.float64(), pa.string(), pa.date32(), pa.timestamp("us")]))
    cells = pa.array(numbers, pa.int32() if kind == pa.date32() else pa.int64()).cast(kind)
    held, other = both_ways(pa.table({"n": cells, "m": ["x"] * len(numbers)}))
    lows = [low for low in (-9, -2, 0, 5) if low >= min((n for n in numbers if n is not None), default=0) or low == -9]
    keys = pa.array(lows, pa.int32() if kind == pa.date32() else pa.int64())
    keys = keys if kind == pa.string() else keys.cast(kind)
    shown = []
    relabel = Relabel(keys, [f"from {low}" for low in lows], "*", "none", is_ranged=True)
    for one in (held, other):
        masked = one.relabel({"n": relabel})
        coded = one.engine.recode(one.expr, {"c0": Lookup(keys, None, missing=9)}, [ROW], materialize=False)
        texts = one.engine.fetch(masked.expr.order_by(ROW).select("c0")).column(0).to_pylist()
        shown.append((texts, one.engine.fetch(coded.order_by(ROW).select("c0")).column(0).to_pylist()))
    assert shown[0] == shown[1]


@given(table=tables())
def test_records_are_left_out_alike(table: pa.Table) -> None:
    held, other = both_ways(table)
    for names in (held.names, held.names[:1]):
        left = [one.without_missing(names) for one in (held, other)]
        assert left[0].engine.held
        rows = [one.engine.fetch(one.expr.order_by(ROW)).to_pylist() for one in left]
        assert list(map(repr, rows[0])) == list(map(repr, rows[1]))


def test_a_column_whose_cells_all_differ_just_has_as_many() -> None:
    n_rows = 200_000
    ids = pa.array(np.arange(n_rows)[::-1].astype(str))
    held, other = both_ways(pa.table({"id": ids, "few": np.arange(n_rows) % 1000}))
    for one in (held, other):
        counted = one.count_each(["id", "few"], None)
        assert counted.sizes() == [n_rows, 1000]
        assert counted.all_of(0).num_rows == n_rows
    assert held.engine.local(held.expr.mutate(c0=held.expr["c0"].upper())) is not None


def test_many_cells_keep_their_order() -> None:
    """More of them than a batch or a vector of the database has."""
    n_cells = 300_000
    numbers = np.tile(np.arange(n_cells)[::-1], 2)
    table = pa.table({"n": pa.array(numbers).dictionary_encode(), "m": (numbers % 7).astype(str)})
    held, other = both_ways(table)
    lookup = Lookup(pa.array(np.arange(n_cells)), pa.array(np.arange(n_cells) % 251, pa.uint8()))
    counted = []
    for one in (held, other):
        coded = one.engine.recode(one.expr, {"c0": lookup}, ["c1"], materialize=False)
        counted.append(bag(one.engine.fetch(coded.group_by("c0", "c1").agg(n=coded.count()))))
    assert counted[0] == counted[1]
    assert not other.engine.held
    assert held.engine.held


def test_lines_beyond_the_reach_of_their_offsets_are_written_at_once(tmp_path: Path) -> None:
    held, _ = both_ways(pa.table({"n": ["a", "b"] * 50, "m": ["x"] * 100}))
    with patch.object(write_lines, "_LEAST_RECORDS", 0), patch.object(write_lines, "_MOST_BYTES", 9):
        assert not write_held(held.engine, held.expr.drop(ROW), tmp_path / "people.csv", CsvForm())
    assert not (tmp_path / "people.csv").exists()


def test_a_connection_that_does_not_keep_the_order_of_rows_is_asked_for_the_records() -> None:
    owners = ibis.duckdb.connect()
    owners.con.execute("SET preserve_insertion_order = false")
    owners.con.execute("SET threads = 4")
    engine, numbers = Engine(DuckDB(owners)), np.tile(np.arange(1_000_000), 2)
    expr = engine.hold(pa.table({"c0": pa.array(numbers).dictionary_encode(), "c1": numbers % 7}))
    shown = expr.mutate(c0=expr["c0"].cast("string"))
    ordered = engine.order(shown, np.arange)
    found = engine.fetch(shown if ordered is None else ordered)
    assert np.array_equal(found["c0"].cast(pa.int64()).to_numpy() % 7, found["c1"].to_numpy())
    assert not engine.held
