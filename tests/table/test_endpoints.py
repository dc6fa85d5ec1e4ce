"""Both ends of a run: the files that are read, and data opened in an engine."""

from __future__ import annotations

from pathlib import Path

import duckdb
import pyarrow as pa
import pytest

from maskwise import anonymize, audit
from maskwise.engines.duckdb import DuckDB
from maskwise.errors import InputError, WriteError
from maskwise.table.endpoints import input_files, open_data, source_files
from maskwise.values.location import TableName


@pytest.fixture
def closed(monkeypatch: pytest.MonkeyPatch) -> list[DuckDB]:
    """The connections that were ended."""
    ended: list[DuckDB] = []
    close = DuckDB.close

    def watch(dialect: DuckDB) -> None:
        ended.append(dialect)
        close(dialect)

    monkeypatch.setattr(DuckDB, "close", watch)
    return ended


@pytest.fixture
def database(tmp_path: Path) -> str:
    path = tmp_path / "people.db"
    with duckdb.connect(str(path)) as connection:
        connection.execute("CREATE TABLE people AS SELECT 31 AS Age")
    return f"duckdb:///{path}"


def test_the_files_of_a_pattern_are_read(tmp_path: Path) -> None:
    for name in ("a.csv", "b.csv"):
        (tmp_path / name).touch()
    assert source_files(str(tmp_path / "*.csv"), None) == [tmp_path / "a.csv", tmp_path / "b.csv"]
    assert source_files(tmp_path / "a.csv", None) == [tmp_path / "a.csv"]


def test_a_name_without_a_suffix_may_be_a_file() -> None:
    assert source_files("people", None) == [Path("people")]


def test_a_pattern_that_matches_nothing_is_taken_by_its_letters(tmp_path: Path) -> None:
    assert source_files(str(tmp_path / "*.csv"), None) == [tmp_path / "*.csv"]


def test_the_file_of_a_database_is_read_too() -> None:
    assert source_files("duckdb:///a.db#people", None) == [Path("a.db")]
    assert source_files("people", "duckdb:///a.db") == [Path("a.db"), Path("people")]


def test_tables_elsewhere_have_no_files() -> None:
    assert source_files("postgres://h/x#people", None) == []
    assert source_files(pa.table({"a": [1]}), "spark") == []


def test_data_is_opened_in_the_engine_that_was_asked_for(database: str) -> None:
    table = open_data("people", database, None, 500_000_000)
    assert (table.names, table.source, table.n_rows()) == (("Age",), "people", 1)
    table.engine.close()


def test_an_amount_of_memory_that_cannot_be_read_starts_nothing(closed: list[DuckDB]) -> None:
    policy = {"requirements": [{"qid": ["Age"], "k": 2}]}
    for run in (anonymize, audit):
        with pytest.raises(InputError, match="`lots` is no amount of memory"):
            run("people.csv", policy, memory="lots")
    assert not closed


def test_an_engine_is_closed_when_the_data_cannot_be_read(closed: list[DuckDB], tmp_path: Path) -> None:
    with pytest.raises(InputError, match="There is no file"):
        open_data(str(tmp_path / "nowhere.csv"), None, None, None)
    assert len(closed) == 1


def test_the_input_is_no_target(database: str, closed: list[DuckDB]) -> None:
    with pytest.raises(InputError, match="`people` is the input"):
        open_data("people", database, TableName("people"), None)
    assert len(closed) == 1


def test_a_table_needs_a_database_to_be_written_to(closed: list[DuckDB]) -> None:
    with pytest.raises(WriteError, match="`released` is no file"):
        open_data(pa.table({"a": [1]}), None, TableName("released"), None)
    assert len(closed) == 1


def test_the_files_of_records_are_those_that_are_read_and_not_a_database(tmp_path: Path, database: str) -> None:
    for name in ("b.csv", "a.csv", "people"):
        (tmp_path / name).write_text("x")
    both = (tmp_path / "a.csv", tmp_path / "b.csv")
    assert input_files(f"{tmp_path}/?.csv", None) == both
    assert input_files(tmp_path / "people", None) == (tmp_path / "people",)
    assert input_files(str(tmp_path / "a.csv"), database) == both[:1]
    assert input_files("people", database) == ()
    assert input_files(f"{database}#people", None) == ()
    assert input_files(pa.table({"Age": [31]}), None) == ()
