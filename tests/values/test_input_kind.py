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

from maskwise.values.input_kind import InputKind, input_kind


class Cohort(pd.DataFrame):
    """A user's own kind of pandas table."""


GIVEN = {
    "text": ("people.csv", InputKind.TEXT),
    "path": (Path("people.csv"), InputKind.PATH),
    "pandas": (pd.DataFrame({"a": [1]}), InputKind.PANDAS),
    "subclass of pandas": (Cohort({"a": [1]}), InputKind.PANDAS),
    "polars": (pl.DataFrame({"a": [1]}), InputKind.POLARS),
    "arrow": (pa.table({"a": [1]}), InputKind.ARROW),
    "ibis table": (ibis.memtable(pa.table({"a": [1]})), InputKind.IBIS_TABLE),
    "ibis backend": (ibis.duckdb.connect(), InputKind.IBIS_BACKEND),
    "nothing": (None, InputKind.OTHER),
    "list": ([1], InputKind.OTHER),
}


@pytest.mark.parametrize(("data", "kind"), GIVEN.values(), ids=GIVEN.keys())
def test_data_has_a_kind(data: object, kind: InputKind) -> None:
    assert input_kind(data) is kind


def test_spark_tables_and_sessions_are_told_apart() -> None:
    sql = pytest.importorskip("pyspark.sql", reason="notyet: needs the spark extra")
    classic = pytest.importorskip("pyspark.sql.classic.dataframe")
    assert input_kind(object.__new__(sql.SparkSession)) is InputKind.SPARK_SESSION
    assert input_kind(object.__new__(classic.DataFrame)) is InputKind.SPARK_TABLE


def test_only_ibis_and_spark_tables_are_in_a_database() -> None:
    assert {kind for kind in InputKind if kind.is_database_table} == {InputKind.IBIS_TABLE, InputKind.SPARK_TABLE}


def test_nothing_is_imported_to_tell() -> None:
    code = "import sys, maskwise.values.input_kind as k; k.input_kind(3); print({'pandas', 'ibis'} & set(sys.modules))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "set()"
