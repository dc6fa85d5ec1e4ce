"""Times in a zone keep it, whatever engine writes the file."""

from __future__ import annotations

import datetime as dt
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

import maskwise

NOON = dt.datetime(2024, 1, 1, 12, tzinfo=dt.UTC)


def test_spark_writes_times_with_their_zone(session: Any, tmp_path: Path) -> None:
    zoned = pa.array([NOON] * 8, pa.timestamp("us", tz="UTC"))
    plain = pa.array([NOON.replace(tzinfo=None)] * 8, pa.timestamp("us"))
    pq.write_table(pa.table({"Age": [1] * 8, "When": zoned, "Plain": plain}), tmp_path / "people.parquet")
    before = session.conf.get("spark.sql.parquet.outputTimestampType")
    policy = {"requirements": [{"qid": ["Age"], "k": 2}]}
    for name in ("out.parquet", "out.csv"):
        maskwise.anonymize(tmp_path / "people.parquet", policy, tmp_path / name, engine=session)
    released = pq.read_table(tmp_path / "out.parquet")
    assert released.schema.field("When").type.tz == "UTC"
    assert released.schema.field("Plain").type.tz is None
    assert released.column("When").to_pylist() == [NOON] * 8
    line = (tmp_path / "out.csv").read_text().splitlines()[1]
    assert line.endswith("2024-01-01 12:00:00+00,2024-01-01 12:00:00")
    assert session.conf.get("spark.sql.parquet.outputTimestampType") == before
