"""No byte of a released file holds a cell that the release does not show, in any format."""

from __future__ import annotations

import gzip
import random
import struct
from pathlib import Path
from typing import Any

import duckdb
import ibis
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import maskwise
from maskwise.engines.write_files import write_arrow, write_batches

N = 1_000
POLICY: dict[str, Any] = {
    "class": "Risk",
    "drop": ["Name"],
    "attributes": {"Code": "suppress", "Salary": {"interval": [10**12, 10**13]}},
    "requirements": [{"qid": ["Code", "Salary", "Job"], "k": 50}],
}


def secrets(seed: int) -> tuple[list[str], list[int]]:
    rng = random.Random(seed)  # noqa: S311 - test data
    return [f"S{rng.randrange(10**9):09d}" for _ in range(N)], [rng.randrange(10**12, 10**13) for _ in range(N)]


def people() -> pa.Table:
    """A table in which masked, dropped and left out cells are found by their bytes."""
    codes, salaries = secrets(5)
    rng = random.Random(6)  # noqa: S311 - test data
    return pa.table(
        {
            "Name": codes,
            "Code": [code if i % 3 else None for i, code in enumerate(codes)],
            "Salary": pa.array([salary if i % 5 else None for i, salary in enumerate(salaries)], pa.int64()),
            "Job": [rng.choice(["nurse", "clerk"]) for _ in range(N)],
            "Visits": pa.array([rng.randrange(9) if i % 2 else None for i in range(N)], pa.int64()),
            "Seen": pa.array([True if i % 4 else None for i in range(N)]),
            "Risk": [rng.choice(["high", "low"]) for _ in range(N)],
        }
    )


def found_in(content: bytes) -> list[str]:
    codes, salaries = secrets(5)
    found = [code for code in codes if code.encode() in content]
    return found + [str(n) for n in salaries if struct.pack("<q", n) in content or str(n).encode() in content]


@pytest.mark.slow
@pytest.mark.parametrize("missing", ["keep", "drop"])
@pytest.mark.parametrize("suffix", [".csv", ".tsv", ".parquet", ".arrow", ".csv.gz", ".parquet.gz", ".arrow.gz"])
def test_a_released_file_holds_no_hidden_cell(tmp_path: Path, suffix: str, missing: str) -> None:
    path = tmp_path / f"released{suffix}"
    outcome = maskwise.anonymize(people(), {**POLICY, "missing": missing}, path)
    content = gzip.decompress(path.read_bytes()) if suffix.endswith(".gz") else path.read_bytes()
    shown = "".join(label for cut in outcome.solution.cuts for label in cut.labels)
    assert [found for found in found_in(content) if found not in shown] == []


def with_cells_under_missing_ones() -> pa.RecordBatch:
    """Columns whose buffers hold other cells where one is missing, as engines leave them."""
    numbers = np.arange(1_000, dtype=np.int64) + 10**15
    is_there = pa.py_buffer(np.packbits(np.arange(1_000) % 2, bitorder="little").tobytes())
    raw = pa.py_buffer(numbers.tobytes())
    offsets = pa.py_buffer((np.arange(1_001, dtype=np.int32) * 8).tobytes())
    inside = pa.array(numbers)
    lists = pa.py_buffer(np.arange(1_001, dtype=np.int32).tobytes())
    return pa.record_batch(
        {
            "number": pa.Array.from_buffers(pa.int64(), 1_000, [is_there, raw]),
            "time": pa.Array.from_buffers(pa.timestamp("us"), 1_000, [is_there, raw]),
            "bytes": pa.Array.from_buffers(pa.binary(), 1_000, [is_there, offsets, raw]),
            "struct": pa.Array.from_buffers(pa.struct([("n", pa.int64())]), 1_000, [is_there], children=[inside]),
            "list": pa.Array.from_buffers(pa.list_(pa.int64()), 1_000, [is_there, lists], children=[inside]),
            "category": pa.array(["a", None] * 500).dictionary_encode(),
        }
    )


@pytest.mark.parametrize("is_whole", [True, False])
def test_an_arrow_file_holds_nothing_where_a_cell_is_missing(tmp_path: Path, *, is_whole: bool) -> None:
    batch = with_cells_under_missing_ones()
    path = tmp_path / "t.arrow"
    if is_whole:
        write_arrow(pa.table(batch), path, packed=False)
    else:
        write_batches(pa.RecordBatchReader.from_batches(batch.schema, [batch]), path)
    content = path.read_bytes()
    hidden = [struct.pack("<q", 10**15 + i) for i in range(0, 1_000, 2)]
    assert sum(cell in content for cell in hidden) == 0
    assert pa.ipc.open_file(path).read_all().to_pylist() == batch.to_pylist()


@pytest.mark.slow
@pytest.mark.parametrize("target", ["out.arrow", "out.parquet", "released", "other"])
def test_a_type_does_not_list_values_of_records_that_are_not_released(tmp_path: Path, target: str) -> None:
    file = tmp_path / "people.db"
    with duckdb.connect(str(file)) as database:
        database.execute("CREATE TYPE mood AS ENUM ('fine', 'poor', 'SECRET')")
        database.execute(
            "CREATE TABLE people AS SELECT CASE WHEN i > 0 THEN i % 3 END AS Age, CASE WHEN i = 0 THEN 'SECRET' "
            "WHEN i % 2 = 0 THEN 'fine' ELSE 'poor' END::mood AS Mood, [('fine')::mood] AS Moods FROM range(60) t(i)"
        )
    policy = {"requirements": [{"qid": ["Age"], "k": 2}], "missing": "drop"}
    if target == "other":
        connection = ibis.duckdb.connect(str(file))
        released = maskwise.anonymize(connection.table("people"), policy).data
        kinds = connection.con.execute(f"DESCRIBE {released.get_name()}").fetchall()
        assert "SECRET" not in str(kinds)
        return
    place = str(tmp_path / target) if "." in target else target
    maskwise.anonymize("people", policy, place, engine=f"duckdb:///{file}")
    if "." in target:
        assert b"SECRET" not in (tmp_path / target).read_bytes()
        return
    with duckdb.connect(str(file)) as database:
        assert "SECRET" not in str(database.execute("DESCRIBE released").fetchall())
        assert database.execute("SELECT count(*), count(DISTINCT Mood) FROM released").fetchone() == (59, 2)


def test_an_enum_can_be_masked_and_be_the_class(tmp_path: Path) -> None:
    file = tmp_path / "people.db"
    with duckdb.connect(str(file)) as database:
        database.execute(
            "CREATE TABLE people AS SELECT (CASE WHEN i < 30 THEN 'it''s' ELSE 'b' END)::ENUM ('it''s', 'b') AS Job, "
            "(CASE WHEN i < 28 THEN 'x' ELSE 'y' END)::ENUM ('x', 'y') AS Risk FROM range(60) t(i)"
        )
    policy = {"class": "Risk", "requirements": [{"qid": ["Job"], "k": 2}]}
    outcome = maskwise.anonymize("people", policy, str(tmp_path / "o.csv"), engine=f"duckdb:///{file}")
    assert outcome.solution.cut("Job").labels == ("b", "it's")


@pytest.mark.slow
def test_notes_of_the_maker_stay_behind(tmp_path: Path) -> None:
    table = people()
    noted = table.replace_schema_metadata({"note": "SECRET"})
    fields = [noted.schema.field(i).with_metadata({"note": "SECRET"}) for i in range(noted.num_columns)]
    noted = noted.cast(pa.schema(fields, metadata={"note": "SECRET"}))
    released = maskwise.anonymize(noted, POLICY).data
    assert "SECRET" not in released.schema.to_string(show_schema_metadata=True, show_field_metadata=True)
    pq.write_table(noted, tmp_path / "t.parquet")
    for suffix in (".parquet", ".arrow"):
        maskwise.anonymize(tmp_path / "t.parquet", POLICY, tmp_path / f"o{suffix}")
        assert b"SECRET" not in (tmp_path / f"o{suffix}").read_bytes()
    frame = table.to_pandas()
    frame.attrs["note"] = "SECRET"
    assert maskwise.anonymize(frame, POLICY).data.attrs == {}


@pytest.mark.slow
@pytest.mark.parametrize("name", ["*", "^.*$", "^N.*$"])
@pytest.mark.parametrize("kind", [pl.DataFrame, pl.LazyFrame, pd.DataFrame])
def test_a_name_is_never_an_expression(name: str, kind: Any) -> None:
    codes, _ = secrets(7)
    given = {"Name": codes, "Age": [i % 7 for i in range(N)], name: ["x", "?"] * (N // 2)}
    policy = {"drop": ["Name"], "requirements": [{"qid": ["Age"], "k": 5}], "na_values": ["?"]}
    released = maskwise.anonymize(kind(given), policy, keep_order=True).data
    released = released.collect() if isinstance(released, pl.LazyFrame) else released
    assert list(released.columns) == ["Age", name]
    assert [None if pd.isna(cell) else cell for cell in released[name].to_list()] == ["x", None] * (N // 2)
