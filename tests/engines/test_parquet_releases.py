"""A parquet file that Arrow writes of held records has the cells of DuckDB's own, and is counted row by row."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any
from unittest.mock import patch

import duckdb
import numpy as np
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings

from maskwise.engines import write_parquet
from maskwise.engines.base import RECORDS
from maskwise.engines.duckdb import DuckDB
from maskwise.engines.sql import Engine
from maskwise.engines.write_parquet import as_dictionary
from maskwise.table.read import read as read_table
from maskwise.values.csv_form import CsvForm
from maskwise.values.location import Folder
from tests.engines.test_local_verbs import both_ways, tables, write_held

if TYPE_CHECKING:
    from pathlib import Path


@settings(max_examples=60)
@given(table=tables())
def test_both_writers_write_the_same_cells(tmp_path_factory: pytest.TempPathFactory, table: pa.Table) -> None:
    folder = tmp_path_factory.mktemp("written")
    held, other = both_ways(table)
    exprs = [one.expr.select(*(f"c{i}" for i in range(table.num_columns))) for one in (held, other)]
    # Constants and changed cells, too.
    exprs = [one.mutate(constant=one["c0"].isnull().ifelse("x", "x"), first=one["c0"].cast("string")) for one in exprs]
    with patch.object(write_parquet, "_LEAST_RECORDS", 1):
        is_written = write_held(held.engine, exprs[0], folder / "arrow.parquet", CsvForm())
    other.engine.dialect.write(other.engine.dialect.backend.compile(exprs[1]), folder / "duckdb.parquet", CsvForm())
    if not is_written:
        return
    paths = folder / "arrow.parquet", folder / "duckdb.parquet"
    for read in (_by_arrow, _by_duckdb, _by_polars):
        assert repr(read(paths[0])) == repr(read(paths[1]))


def _by_arrow(path: Path) -> Any:
    table = pq.read_table(path)
    return table.schema.types, table.to_pylist()


def _by_duckdb(path: Path) -> Any:
    records = duckdb.sql(f"FROM '{path}'")
    return records.dtypes, records.fetchall()


def _by_polars(path: Path) -> Any:
    frame = pl.read_parquet(path)
    return frame.schema, frame.rows()


def test_a_long_table_is_written_with_its_dictionaries(tmp_path: Path) -> None:
    texts = np.array(["a", "b", None, "é"], object)[np.random.default_rng(0).integers(0, 4, 200_000)]
    table = pa.table({"text": pa.array(texts), "number": pa.array(np.arange(200_000))})
    engine = Engine(DuckDB())
    expr = engine.hold(table)
    for target, path in ((tmp_path / "x.parquet",) * 2, (Folder(tmp_path), tmp_path / "part-0.parquet")):
        assert write_held(engine, expr, target, CsvForm())
        assert pq.read_table(path).to_pydict() == table.to_pydict()
        assert "arrow" in pq.ParquetFile(path).metadata.created_by


def test_types_that_are_spelled_in_several_ways_are_left_to_the_database(tmp_path: Path) -> None:
    cells = pa.array(["1.50", "2.00"] * 100_000).cast(pa.decimal128(5, 2))
    engine = Engine(DuckDB())
    assert not write_held(engine, engine.hold(pa.table({"n": cells})), tmp_path / "x.parquet", CsvForm())


def test_equal_and_missing_cells_of_a_dictionary_become_one() -> None:
    cells = pa.array(["a", None, "b", "a", None])
    column = as_dictionary(cells, np.array([3, 1, 0, 2, 4, 4], np.int32))
    assert column.to_pylist() == ["a", None, "a", "b", None, None]
    assert column.dictionary.to_pylist() == ["a", "b"]
    assert column.null_count == 3


def test_a_file_tells_no_cell_that_no_record_has_and_nothing_of_the_order_of_the_input(tmp_path: Path) -> None:
    path = tmp_path / "x.parquet"
    rng = np.random.default_rng(0)
    texts = pa.array(["of nobody", "first", "a", "b", None])
    # One record of the input comes before all others, and has a cell of its own.
    places = np.append(1, rng.integers(2, 5, 199_999)).astype(np.int32)
    engine = Engine(DuckDB())
    held = engine.hold(pa.table({"text": pa.DictionaryArray.from_arrays(pa.array(places), texts)}))
    released = engine.order(held, lambda n: np.random.default_rng(1).permutation(n))
    assert released is not None
    assert write_held(engine, released, path, CsvForm())
    dictionaries = [
        chunk.dictionary.to_pylist() for chunk in pq.ParquetFile(path, read_dictionary=["text"]).read()[0].chunks
    ]
    cells = [cell for cell in pq.read_table(path)["text"].to_pylist() if cell is not None]
    assert all(dictionary == list(dict.fromkeys(cells)) for dictionary in dictionaries)
    assert cells[0] != "first"
    assert b"of nobody" not in path.read_bytes()


@pytest.mark.parametrize("n_different", [7, 60_000, 200_000])
def test_rows_of_a_parquet_file_are_counted_if_they_repeat(tmp_path: Path, n_different: int) -> None:
    path = tmp_path / "x.parquet"
    numbers = np.random.default_rng(0).integers(0, n_different, 200_000)
    texts = np.array(["a", None, "b", ""], object)[numbers % 4]
    pq.write_table(pa.table({"number": numbers, "text": pa.array(texts)}), path)
    table = read_table(path, is_counted=True)
    assert (RECORDS in table.expr.columns) is (n_different == 7)
    assert table.n_rows() == 200_000
    if RECORDS in table.expr.columns:
        rows = (tuple(row.values()) for row in table.engine.fetch(table.expr).to_pylist())
        found = Counter({row[:2]: row[2] for row in rows})
        assert found == Counter(zip(numbers.tolist(), texts.tolist(), strict=True))


def test_cells_that_are_equal_but_spelled_differently_are_not_counted_together(tmp_path: Path) -> None:
    path = tmp_path / "x.parquet"
    pq.write_table(pa.table({"number": np.array([0.0, -0.0] * 100_000)}), path)
    assert RECORDS not in read_table(path, is_counted=True).expr.columns
