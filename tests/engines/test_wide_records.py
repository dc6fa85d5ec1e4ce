"""Records of many columns are put in order some columns at a time, and stay whole."""

from __future__ import annotations

from datetime import date
from pathlib import Path
from typing import Any

import ibis
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import maskwise
from maskwise.engines import wide_records, write_files
from maskwise.engines.base import ROW
from maskwise.engines.duckdb import DuckDB
from maskwise.engines.wide_records import order_wide
from maskwise.errors import InputError
from maskwise.table.read import read

N_ROWS = 1500
POLICY: dict[str, Any] = {
    "attributes": {"zip": "suppress", "age": {"interval": [0, 100]}},
    "requirements": [{"qid": ["zip", "age"], "k": 20}],
}


def wide_table() -> pa.Table:
    """Columns of several kinds, each of which tells the record: cells that repeat, that hardly do, that are missing."""
    rng = np.random.default_rng(5)
    places = np.arange(N_ROWS)
    columns: dict[str, Any] = {"zip": (places % 29).astype(str), "age": rng.integers(0, 100, N_ROWS)}
    for i in range(0, 180, 6):
        columns |= {
            f"place{i}": places * (i + 1),
            f"part{i}": [None if p % 7 == 0 else f"p{p % (i + 3)}" for p in places.tolist()],
            f"real{i}": rng.random(N_ROWS),
            f"flag{i}": places % (i + 2) == 0,
            f"day{i}": [date.fromordinal(730_000 + p % (i + 40)) for p in places.tolist()],
            f"long{i}": [f"{p:09}" for p in places.tolist()],
        }
    moments = pa.array(places * 86_399_000_001, pa.int64())
    columns |= {"small": pa.array(places % 250, pa.uint8()), "single": pa.array(rng.random(N_ROWS), pa.float32())}
    columns |= {unit: moments.cast(pa.timestamp(unit)) for unit in ("ms", "us", "ns")}
    return pa.table(columns)


@pytest.fixture
def source(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    # A tenth of what the table takes: some columns of all records at a time.
    monkeypatch.setattr(DuckDB, "most_held", property(lambda _: 200_000, lambda *_: None), raising=False)
    pq.write_table(wide_table(), tmp_path / "wide.parquet", row_group_size=500)
    return tmp_path / "wide.parquet"


@pytest.fixture
def ordered(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """How many groups of columns were put in order."""
    mapped: list[int] = []
    own = wide_records._map  # noqa: SLF001

    def note(table: pa.Table) -> pa.Table:
        mapped.append(table.num_columns)
        return own(table)

    monkeypatch.setattr(wide_records, "_map", note)
    return mapped


def unmasked(table: pa.Table) -> pa.Table:
    return table.drop_columns(["zip", "age"]).replace_schema_metadata()


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::maskwise.MaskwiseWarning")
@pytest.mark.parametrize("suffix", [".parquet", ".csv"])
def test_a_seed_gives_the_order_that_sorting_gives(
    source: Path, ordered: list[int], monkeypatch: pytest.MonkeyPatch, suffix: str
) -> None:
    maskwise.anonymize(source, POLICY, source.with_name(f"wide_out{suffix}"), seed=5)
    assert len(ordered) > 3
    # But for a masked column that shows the same everywhere.
    assert 185 <= sum(ordered) <= 187
    ordered.clear()
    monkeypatch.setattr(DuckDB, "most_held", property(lambda _: 0, lambda *_: None), raising=False)
    maskwise.anonymize(source, POLICY, source.with_name(f"sorted_out{suffix}"), seed=5)
    assert not ordered
    found, expected = (source.with_name(f"{name}_out{suffix}") for name in ("wide", "sorted"))
    if suffix == ".csv":
        assert found.read_bytes() == expected.read_bytes()
        return
    shown = pq.read_table(found)
    assert shown.equals(pq.read_table(expected).cast(shown.schema))
    order = np.empty(N_ROWS, np.int64)
    order[np.random.default_rng(5).permutation(N_ROWS)] = np.arange(N_ROWS)
    assert unmasked(shown).to_pylist() == unmasked(wide_table()).take(pa.array(order)).to_pylist()


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::maskwise.MaskwiseWarning")
def test_records_keep_their_order_or_get_one_that_nobody_knows(source: Path, ordered: list[int]) -> None:
    kept, one, two = (source.with_name(f"{name}.parquet") for name in ("kept", "one", "two"))
    outcome = maskwise.anonymize(source, POLICY, kept, keep_order=True)
    assert unmasked(pq.read_table(kept)).to_pylist() == unmasked(wide_table()).to_pylist()
    places = []
    for path in (one, two):
        maskwise.apply(source, outcome.solution, path)
        shown = pq.read_table(path)
        assert shown.sort_by("place0").equals(pq.read_table(kept).cast(shown.schema))
        places.append(shown.column("place0").to_pylist())
    assert len({tuple(found) for found in (*places, range(N_ROWS))}) == 3
    assert 3 * 185 <= sum(ordered) <= 3 * 187


def test_cells_find_their_record_whatever_order_a_query_has(source: Path) -> None:
    table = read(source)
    # Queries of few columns give their records in another order.
    placed = table.expr.mutate(**{ROW: ibis.row_number()}).order_by(ibis.random())
    shown = order_wide(table.engine, placed, np.arange)
    assert shown is not None
    found = table.engine.fetch(shown).drop_columns([ROW]).rename_columns(list(table.names))
    assert found.to_pylist() == wide_table().to_pylist()


def test_a_table_that_changes_meanwhile_is_refused(source: Path) -> None:
    table = read(source)
    other = table.expr.mutate(**{ROW: ibis.row_number()}).filter(ibis.random() < 0.5)
    with pytest.raises(InputError, match="changed while they were read"):
        order_wide(table.engine, other, np.arange)


def test_few_columns_and_nested_ones_are_left_to_the_database(source: Path) -> None:
    table = read(source)
    placed = table.expr.mutate(**{ROW: ibis.row_number()})
    assert order_wide(table.engine, table.expr, np.arange) is None
    assert order_wide(table.engine, placed.select("c0", ROW), np.arange) is None
    assert order_wide(table.engine, placed.mutate(nested=ibis.array([placed["c1"]])), np.arange) is None


def test_a_full_disk_is_told(source: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(**_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(wide_records.tempfile, "TemporaryFile", refuse)
    table = read(source)
    with pytest.raises(InputError, match=r"no space left on device.*set TMPDIR"):
        order_wide(table.engine, table.expr.mutate(**{ROW: ibis.row_number()}), np.arange)


def test_row_groups_of_many_columns_are_short(tmp_path: Path) -> None:
    with write_files.connect(threads=2) as database:
        for n_columns, n_rows in ((3, 122_880), (1000, 16_384)):
            cells = ", ".join(f"i AS a{c}" for c in range(n_columns))
            path = tmp_path / f"{n_columns}.parquet"
            query = f"SELECT {cells} FROM range({n_rows + 1}) t(i)"  # noqa: S608
            write_files.copy_query(database, query, path)
            metadata = pq.ParquetFile(path).metadata
            assert [metadata.row_group(i).num_rows for i in range(metadata.num_row_groups)] == [n_rows, 1]
        assert database.execute("SELECT current_setting('threads')").fetchone() == (2,)
