"""Lines that are counted before they are parsed give the rows that the parser gives."""

from __future__ import annotations

import gzip
from collections import Counter
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from maskwise.engines import csv_reading
from maskwise.engines.base import RECORDS, DataFiles
from maskwise.engines.csv_reading import count_rows_of_lines
from maskwise.engines.duckdb import DuckDB

CELLS = st.text(alphabet='ab ,;"\n\r\x01\x00é#', max_size=4)
ROWS = st.integers(2, 4).flatmap(
    lambda n: st.lists(st.tuples(st.lists(CELLS, min_size=n, max_size=n).map(tuple), st.integers(1, 3)), max_size=8)
)


@pytest.fixture(autouse=True)
def _small_files(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let small files count as large ones that repeat."""
    monkeypatch.setattr(csv_reading, "_LEAST_BYTES", 0)
    monkeypatch.setattr(csv_reading, "_MOST_DIFFERENT", 1)


def written(
    path: Path, rows: list[tuple[str, ...]], n_columns: int, ends: str = "\n", *, quotes_all: bool = False
) -> DataFiles:
    def cell(text: str) -> str:
        quoted = '"' + text.replace('"', '""') + '"'
        return quoted if quotes_all or any(mark in text for mark in ',"\n\r') else text

    lines = [",".join(map(cell, row)) for row in [tuple(f"n{i}" for i in range(n_columns)), *rows]]
    path.write_bytes("".join(line + ends for line in lines).encode())
    return DataFiles([path], n_columns, ",", is_counted=True)


def counted(engine: DuckDB, name: str) -> Counter[tuple[str, ...]]:
    """The rows of a table with their numbers; a missing cell counts as an empty one."""
    rows = engine.connection.table(name).fetchall()
    found: Counter[tuple[str, ...]] = Counter()
    for *cells, n in rows:
        found[tuple(cell or "" for cell in cells)] += n
    return found


@given(rows=ROWS, ends=st.sampled_from(["\n", "\r\n"]), quotes_all=st.booleans())
def test_lines_give_the_rows_that_were_written(
    tmp_path_factory: pytest.TempPathFactory, rows: list[tuple[tuple[str, ...], int]], ends: str, *, quotes_all: bool
) -> None:
    path = tmp_path_factory.mktemp("lines") / "table.csv"
    records = [row for row, n in rows for _ in range(n)]
    n_columns = len(rows[0][0]) if rows else 2
    files = written(path, records, n_columns, ends, quotes_all=quotes_all)
    engine = DuckDB()
    is_counted = count_rows_of_lines(engine.connection, "by_lines", files)
    is_plain = not any(mark in cell for row in records for cell in row for mark in "\n\r\x01")
    assert is_counted or not is_plain
    if is_counted:
        assert counted(engine, "by_lines") == Counter(records)
    # However it was read, a caller gets the same rows.
    opened = engine.open_files("opened", files)
    assert opened.columns[-1] == RECORDS
    assert counted(engine, "opened") == Counter(records)


def test_rows_that_are_written_in_two_ways_are_one(tmp_path: Path) -> None:
    path = tmp_path / "table.csv"
    path.write_text('a,b\nx,1\n"x",1\n\n"x","1"\ny,2\n')
    engine = DuckDB()
    assert count_rows_of_lines(engine.connection, "by_lines", DataFiles([path], 2, ",", is_counted=True))
    assert counted(engine, "by_lines") == {("x", "1"): 3, ("y", "2"): 1}
    assert engine.connection.execute("SELECT count(*) FROM by_lines").fetchone() == (2,)


def test_packed_files_and_several_are_counted_together(tmp_path: Path) -> None:
    paths = [tmp_path / "one.csv.gz", tmp_path / "two.csv.gz"]
    for path in paths:
        path.write_bytes(gzip.compress(b"a;b\nx;1\nx;1\ny;2\n"))
    engine = DuckDB()
    assert count_rows_of_lines(engine.connection, "by_lines", DataFiles(paths, 2, ";", is_counted=True))
    assert counted(engine, "by_lines") == {("x", "1"): 4, ("y", "2"): 2}


@pytest.mark.parametrize(
    "text",
    [
        'a,b\n1,"x\ny"\n3,4\n',  # a cell of two lines
        '"a\nb",c\n1,2\n',  # a name of two lines
        "a,b\n1,x\x01y\n3,4\n",  # the character that separates nothing
        "a,b\n1\n1,2\n",  # a line without its second cell
        "a,b\n1,2,3\n1,2\n",  # a line with a third one
        b"a,b\n1,\xe9\n",  # not UTF-8
    ],
)
def test_lines_that_are_no_records_are_left_to_the_parser(tmp_path: Path, text: str | bytes) -> None:
    path = tmp_path / "table.csv"
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    connection = DuckDB().connection
    assert not count_rows_of_lines(connection, "by_lines", DataFiles([path], 2, ",", is_counted=True))
    assert connection.execute("SHOW TABLES").fetchall() == []


def test_lines_that_hardly_repeat_are_left_to_the_parser(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(csv_reading, "_MOST_DIFFERENT", 0.5)
    files = written(tmp_path / "table.csv", [("x", str(i)) for i in range(100)], 2)
    assert not count_rows_of_lines(DuckDB().connection, "by_lines", files)


def test_a_lone_column_is_left_to_the_parser(tmp_path: Path) -> None:
    files = written(tmp_path / "table.csv", [("x",), ("x",)], 1)
    assert not count_rows_of_lines(DuckDB().connection, "by_lines", files)
