"""The files that a query of DuckDB reads are found, however it names them, and no release replaces one."""

from __future__ import annotations

import weakref
from pathlib import Path
from typing import Any

import ibis
import pytest
from pyarrow import dataset

import maskwise
from maskwise.engines.duckdb import DuckDB
from maskwise.engines.duckdb_sources import files_read
from maskwise.errors import InputError
from maskwise.values.location import TableName

POLICY = {"requirements": [{"qid": ["a"], "k": 2}]}


@pytest.fixture
def connection(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    """A connection of the owner's, in a folder with some files."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "folder").mkdir()
    found = ibis.duckdb.connect()
    for name in ("x.parquet", "x.csv", "other.parquet", "folder/y.parquet"):
        found.con.execute(f"COPY (SELECT range % 5 AS a FROM range(20)) TO '{name}'")  # noqa: S608
    found.con.execute("CREATE MACRO rows_below(n) AS TABLE SELECT * FROM 'x.parquet' WHERE a < n")
    found.con.execute("CREATE MACRO rows_of(name) AS TABLE SELECT * FROM read_parquet(name)")
    found.con.execute("SET VARIABLE place = 'x.parquet'")
    found.con.execute("CREATE TABLE copied AS FROM 'x.parquet'")
    return found


READS = {
    "FROM 'x.parquet'": "x.parquet",
    "FROM read_parquet('x.parquet')": "x.parquet",
    "FROM read_parquet(['folder/y.parquet', 'x.parquet'], union_by_name = true)": "x.parquet",
    "FROM parquet_scan('x*.parquet')": "x.parquet",
    "FROM read_parquet('x.par' || 'quet')": "x.parquet",
    "FROM read_parquet(getvariable('place'))": "x.parquet",
    "FROM query('FROM ''x.parquet''')": "x.parquet",
    "FROM rows_below(3)": "x.parquet",
    "FROM rows_of('x.parquet')": "x.parquet",
    "FROM read_csv('x.csv')": "x.csv",
    "FROM read_parquet('folder')": "folder/y.parquet",
    "FROM 'folder/*.parquet'": "folder/y.parquet",
    "WITH q AS (SELECT a FROM 'x.parquet') FROM q UNION ALL FROM q": "x.parquet",
    "SELECT a FROM copied WHERE a IN (SELECT a FROM 'x.parquet')": "x.parquet",
}


@pytest.mark.parametrize("query", READS)
def test_a_file_that_a_view_reads_is_not_replaced(connection: Any, query: str) -> None:
    target = Path(READS[query])
    before = target.read_bytes()
    connection.con.execute(f"CREATE VIEW first AS {query}")
    connection.con.execute("CREATE VIEW second AS SELECT * FROM first")
    for source in (connection.table("second"), connection.table("first").filter(ibis._.a < 4)):
        with pytest.raises(InputError, match="the input"):
            maskwise.anonymize(source, POLICY, target)
    assert target.read_bytes() == before


def test_what_is_read_into_a_frame_of_ibis_is_not_replaced(connection: Any) -> None:
    with pytest.raises(InputError, match="the input"):
        maskwise.anonymize(connection.read_parquet("x.parquet"), POLICY, "x.parquet")


def test_other_files_are_replaced(connection: Any) -> None:
    connection.con.execute("CREATE VIEW unrelated AS FROM 'other.parquet'")
    connection.con.execute("CREATE VIEW folder AS SELECT a, '*' AS b, 'other.parquet' AS c FROM 'x.parquet'")
    assert set(files_read(connection.con, "FROM folder")) == {Path("x.parquet")}
    assert files_read(connection.con, "FROM copied") == []
    outcome = maskwise.anonymize(connection.table("copied"), POLICY, "x.parquet")
    assert outcome.verdict.is_met


@pytest.mark.parametrize("way", ["registered", "of a variable", "two files", "a union"])
def test_a_file_of_a_registered_dataset_is_not_replaced(connection: Any, way: str) -> None:
    before = Path("x.parquet").read_bytes()
    mine = dataset.dataset(["other.parquet", "x.parquet"] if way == "two files" else "x.parquet")
    if way == "a union":
        mine = dataset.dataset([dataset.dataset("x.parquet"), dataset.dataset("other.parquet")])
    if way == "of a variable":
        connection.con.execute("SET python_enable_replacements = true; SET python_scan_all_frames = true")
        connection.con.execute("CREATE VIEW seen AS FROM mine")
    else:
        connection.con.register("seen", mine)
    connection.con.execute("CREATE VIEW second AS SELECT * FROM seen")
    assert Path("x.parquet") in files_read(connection.con, "FROM second")
    assert mine.count_rows()
    for name in ("seen", "second"):
        with pytest.raises(InputError, match="the input"):
            maskwise.anonymize(connection.table(name), POLICY, "x.parquet")
    assert Path("x.parquet").read_bytes() == before


def test_a_dataset_that_a_query_does_not_read_is_replaced(connection: Any) -> None:
    mine = dataset.dataset("x.parquet")
    connection.con.register("seen", mine)
    assert files_read(connection.con, "WITH q AS (FROM copied) FROM q") == []
    assert files_read(connection.con, "FROM other_copy") == [Path(file) for file in mine.files]
    assert maskwise.anonymize(connection.table("copied"), POLICY, "x.parquet").verdict.is_met


class _Gone:
    """Something that nobody holds."""


def test_objects_that_cannot_be_asked_what_they_are_do_no_harm(connection: Any) -> None:
    mine = dataset.dataset("x.parquet")
    connection.con.register("seen", mine)
    gone = weakref.proxy(_Gone())
    assert Path("x.parquet") in files_read(connection.con, "FROM seen")
    assert gone is not None


def test_only_a_missing_source_is_taken_for_one_that_reads_no_table(connection: Any) -> None:
    engine = DuckDB(connection)
    target = TableName("copied")
    reads = engine._reads  # noqa: SLF001 - what it answers decides whether a table is replaced
    assert reads("FROM copied", target)
    assert not reads("FROM 'no such file.parquet'", target)
    assert not reads("FROM read_parquet('no such file.parquet')", target)
    with pytest.raises(InputError, match="does not say what the source reads"):
        reads("FROM copied WHERE", target)
