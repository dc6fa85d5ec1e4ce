"""What kind of data was given, told without importing the library it is from."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import ibis
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from maskwise.values.data_kind import DataKind, data_kind


class Cohort(pd.DataFrame):
    """A user's own kind of pandas table."""


GIVEN = {
    "text": ("people.csv", DataKind.TEXT),
    "path": (Path("people.csv"), DataKind.PATH),
    "pandas": (pd.DataFrame({"a": [1]}), DataKind.PANDAS),
    "subclass of pandas": (Cohort({"a": [1]}), DataKind.PANDAS),
    "polars": (pl.DataFrame({"a": [1]}), DataKind.POLARS),
    "arrow": (pa.table({"a": [1]}), DataKind.ARROW),
    "ibis table": (ibis.memtable(pa.table({"a": [1]})), DataKind.IBIS_TABLE),
    "ibis backend": (ibis.duckdb.connect(), DataKind.IBIS_BACKEND),
    "nothing": (None, DataKind.OTHER),
    "list": ([1], DataKind.OTHER),
}


@pytest.mark.parametrize(("data", "kind"), GIVEN.values(), ids=GIVEN.keys())
def test_data_has_a_kind(data: object, kind: DataKind) -> None:
    assert data_kind(data) is kind


def test_spark_tables_and_sessions_are_told_apart() -> None:
    sql = pytest.importorskip("pyspark.sql", reason="notyet: needs the spark extra")
    classic = pytest.importorskip("pyspark.sql.classic.dataframe")
    assert data_kind(object.__new__(sql.SparkSession)) is DataKind.SPARK_SESSION
    assert data_kind(object.__new__(classic.DataFrame)) is DataKind.SPARK_TABLE


def test_only_ibis_and_spark_tables_are_in_a_database() -> None:
    assert {kind for kind in DataKind if kind.is_database_table} == {DataKind.IBIS_TABLE, DataKind.SPARK_TABLE}


def test_nothing_is_imported_to_tell() -> None:
    code = "import sys, maskwise.values.data_kind as k; k.data_kind(3); print({'pandas', 'ibis'} & set(sys.modules))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "set()"
