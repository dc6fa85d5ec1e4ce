"""A csv that is read into memory has the cells that the engine would read."""

from __future__ import annotations

import gzip
from collections import Counter
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from maskwise.engines.base import RECORDS, DataFiles
from maskwise.engines.duckdb import DuckDB
from maskwise.engines.sql import Engine
from maskwise.errors import InputError
from maskwise.table import held_files
from maskwise.table.csv_records import find_facts
from maskwise.table.files import open_files
from maskwise.table.held_files import count_lines, load_csv, load_parquet
from maskwise.table.read import read
from maskwise.values.reading import Reading, Rename

MOST = 1_000_000
LINES = st.lists(st.sampled_from(["a", "b", " ", '"', '""', ",", ",", "\n", "\n", "\r\n", "é", "0"]), max_size=30).map(
    "".join
)


def files_of(path: Path, text: str | bytes, n_columns: int = 2, delimiter: str = ",") -> DataFiles:
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return DataFiles([path], n_columns, delimiter)


def rows_of(files: DataFiles) -> list[tuple[str | None, ...]] | None:
    """What DuckDB reads; None if it refuses the file."""
    engine = DuckDB()
    try:
        engine.open_files("records", files)
    except InputError:
        return None
    rows: list[tuple[str | None, ...]] = engine.connection.table("records").fetchall()
    return rows


@settings(max_examples=400)
@given(text=LINES)
@example('x,"y\nz"\n')
@example('"a""b",c\n')
@example('"a"b,c\n')
@example('a"b,c"d\n')
@example(',""\n')
@example("a,b\n\n\nc,d")
@example('"a,b\n')
@example('a,b\r\n"c\nd",e\r\n')
def test_what_is_beyond_doubt_is_read_as_the_engine_reads_it(
    tmp_path_factory: pytest.TempPathFactory, text: str
) -> None:
    path = tmp_path_factory.mktemp("read") / "table.csv"
    files = files_of(path, "n,m\n" + text)
    facts = find_facts(path, 2)
    if facts.is_doubtful or facts.has_blanks_beside_quotes or (loaded := load_csv(files, MOST)) is None:
        return
    if loaded.num_rows == facts.n_records:
        assert [tuple(row.values()) for row in loaded.to_pylist()] == rows_of(files)


CELLS = st.text(alphabet='ab ,;"\n\r\x01\x00é#', max_size=4)
ROWS = st.integers(1, 4).flatmap(lambda n: st.lists(st.lists(CELLS, min_size=n, max_size=n), min_size=1, max_size=20))


def write_rows(path: Path, rows: list[list[str]], *, end: str, delimiter: str, quotes_all: bool) -> Path:
    def spelled(text: str) -> str:
        needs_quotes = any(mark in text for mark in f'{delimiter}" \n\r')
        return '"' + text.replace('"', '""') + '"' if needs_quotes or quotes_all else text

    lines = [[f"n{i}" for i in range(len(rows[0]))], *rows]
    path.write_bytes("".join(delimiter.join(map(spelled, line)) + end for line in lines).encode())
    return path


@settings(max_examples=300)
@given(
    rows=ROWS,
    end=st.sampled_from(["\n", "\r\n", "\r"]),
    delimiter=st.sampled_from([",", ";", "\t"]),
    quotes_all=st.booleans(),
    packs=st.booleans(),
)
def test_whatever_a_csv_looks_like_its_cells_are_read_into_this_process(
    tmp_path_factory: pytest.TempPathFactory,
    rows: list[list[str]],
    end: str,
    delimiter: str,
    *,
    quotes_all: bool,
    packs: bool,
) -> None:
    path = write_rows(
        tmp_path_factory.mktemp("read") / "table.csv", rows, end=end, delimiter=delimiter, quotes_all=quotes_all
    )
    if packs:
        packed = path.with_name("table.csv.gz")
        packed.write_bytes(gzip.compress(path.read_bytes()))
        path = packed
    table = read(path, delimiter=delimiter)
    # An empty cell is missing, unless quotes stand around it; alone in its line it is missing in any case.
    empty = "" if quotes_all and len(rows[0]) > 1 else None
    found = table.engine.fetch(table.expr).drop_columns("row").to_pylist()
    assert [list(row.values()) for row in found] == [[cell or empty for cell in row] for row in rows]
    assert table.engine.held


@pytest.mark.parametrize("end", ["\n", "\r\n"])
@given(rows=ROWS.filter(lambda rows: len(rows[0]) > 1), quotes_all=st.booleans(), times=st.integers(2, 5))
def test_lines_that_repeat_are_parsed_once(
    tmp_path_factory: pytest.TempPathFactory, rows: list[list[str]], end: str, times: int, *, quotes_all: bool
) -> None:
    folder = tmp_path_factory.mktemp("lines")
    path = write_rows(folder / "table.csv", rows * times, end=end, delimiter=",", quotes_all=quotes_all)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(held_files, "_REPEATED_FROM", 0)
        counted = count_lines(DataFiles([path], len(rows[0]), ",", is_counted=True), MOST)
    expected = Counter(tuple(row) for row in rows * times)
    cells = [cell for row in rows for cell in row]
    if counted is None:
        has_marks = any(mark in cell for cell in cells for mark in "\n\r\x01")
        # The header is a line, too.
        repeats = (len(expected) + 1) * 2 <= len(rows) * times + 1
        assert has_marks or all("" in row for row in rows) or not repeats
        return
    found: Counter[tuple[str, ...]] = Counter()
    for *row, n in (row.values() for row in counted.to_pylist()):
        found[tuple(cell or "" for cell in row)] += n
    assert found == expected


def test_a_first_line_that_begins_with_the_mark_of_utf_8_keeps_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(held_files, "_REPEATED_FROM", 0)
    path = tmp_path / "table.csv"
    path.write_text("n,m\n" + "\ufeffa,b\na,b\n" * 3, "utf-8")
    table = read(path, is_counted=True)
    assert RECORDS in table.expr.columns
    found = table.distinct("n")
    assert dict(zip(found.keys.to_pylist(), found.counts.tolist(), strict=True)) == {"\ufeffa": 3, "a": 3}


@pytest.mark.parametrize(("blank", "encoding"), [("", "utf-8"), (" ", "utf-8"), ("", "cp1252")])
def test_a_line_end_in_a_cell_stays_whole_where_blocks_meet(tmp_path: Path, blank: str, encoding: str) -> None:
    start = f'n,m\n{"e" if encoding == "utf-8" else "é"},{blank}"x"\n'.encode(encoding)
    filler = b"a" * 1021 + b",b\n"
    path = tmp_path / "table.csv"
    text = start + filler * 8191
    # The letter of Windows-1252 has two bytes where Arrow reads it.
    n_bytes = (1 << 23) - (encoding == "cp1252")
    text += b"a" * (n_bytes - len(text) - len(b',"x\r')) + b',"x\r'
    path.write_bytes(text + b'\ny"\nc,d\n')
    table = read(path)
    assert "x\r\ny" in table.distinct("m").keys.to_pylist()
    assert table.n_rows() == 1 + 8191 + 2


def test_a_counted_csv_gives_all_records_whatever_its_lines_hold(tmp_path: Path) -> None:
    path = tmp_path / "table.csv"
    path.write_text("n,m\n" + 'a,"b\nc"\nd,e\n' * 1_000_000)
    table = read(path, is_counted=True)
    assert table.n_rows() == 2_000_000
    path.write_text("n,m\n" + 'a,b\nd,"e"\nd,e\n' * 1_000_000)
    table = read(path, is_counted=True)
    assert RECORDS in table.expr.columns
    assert table.distinct("n").counts.tolist() in ([1_000_000, 2_000_000], [2_000_000, 1_000_000])


def test_all_columns_are_dictionaries(tmp_path: Path) -> None:
    text = "n,m\n" + "".join(f"{i},{i % 3}\n" for i in range(1000))
    loaded = load_csv(files_of(tmp_path / "table.csv", text), MOST)
    assert loaded is not None
    assert [str(kind).partition("<")[0] for kind in loaded.schema.types] == ["dictionary"] * 2
    assert len(loaded.column(1).chunk(0).dictionary) == 3
    assert loaded.column(1).to_pylist() == [str(i % 3) for i in range(1000)]


def test_several_files_are_one_table_with_one_dictionary(tmp_path: Path) -> None:
    paths = []
    for i, letters in enumerate(["ab", "bc", "d"]):
        paths += files_of(tmp_path / f"{i}.csv", "n,m\n" + "".join(f"x,{letter}\n" for letter in letters * 9)).paths
    loaded = load_csv(DataFiles(paths, 2, ","), MOST)
    assert loaded is not None
    assert loaded.column(1).to_pylist() == [*("ab" * 9), *("bc" * 9), *("d" * 9)]


@pytest.mark.parametrize(
    ("text", "n_columns", "most"),
    [
        ("n,m\na,b\n", 2, 3),  # larger than what may be held
        ("n,m\na,b\nc\n", 2, MOST),  # a line without its second cell
        (b"n,m\na,\xe9\n", 2, MOST),  # not UTF-8
        ("", 2, MOST),  # nothing
    ],
)
def test_what_cannot_be_held_is_left_to_the_engine(
    tmp_path: Path, text: str | bytes, n_columns: int, most: int
) -> None:
    assert load_csv(files_of(tmp_path / "table.csv", text, n_columns), most) is None


def test_a_small_memory_keeps_a_csv_out_of_this_process(tmp_path: Path) -> None:
    path = tmp_path / "people.csv"
    path.write_text("n,m\n" + "1,2\n" * 100_000)
    small, large = Engine(DuckDB(memory=4_000_000)), Engine(DuckDB(memory=400_000_000))
    assert read(path, small).n_rows() == read(path, large).n_rows() == 100_000
    assert not small.held
    assert large.held


def test_columns_of_the_same_name_are_read(tmp_path: Path) -> None:
    path = tmp_path / "twice.parquet"
    cells = pa.array(["a", "b", "a"])
    pq.write_table(pa.Table.from_arrays([cells, pa.array([1, 2, 3]), cells], ["n", "m", "n"]), path)
    table = read(path, reading=Reading(rename=Rename.SUFFIX))
    assert table.names == ("n", "m", "n.1")
    assert table.engine.held
    assert [row["c2"] for row in table.engine.fetch(table.expr).to_pylist()] == ["a", "b", "a"]


def test_a_line_that_the_engine_refuses_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "long.csv"
    files_of(path, "n,m\na,b\n" + "c" * (1 << 21) + ",d\n")
    assert find_facts(path, 2).is_doubtful
    with pytest.raises(InputError, match="longer than 2 MB"):
        read(path)


def test_long_texts_of_a_parquet_file_count_as_long_as_they_are(tmp_path: Path) -> None:
    path = tmp_path / "long.parquet"
    table = pa.table({"n": [str(i) * 10_000 for i in range(100)]})
    pq.write_table(table, path, compression="zstd")
    assert path.stat().st_size < MOST
    assert load_parquet([path], table.schema, MOST) is None
    assert load_parquet([path], table.schema, 10 * MOST) is not None


@pytest.mark.parametrize("end", ["", "\n"])
def test_a_missing_cell_at_the_end_is_missing_behind_a_quoted_one(tmp_path: Path, end: str) -> None:
    path = tmp_path / "table.csv"
    path.write_text(f'n,m\nx,y\n"a",{end}')
    engine = Engine(DuckDB())
    opened, _ = open_files([path], engine, delimiter=None)
    assert engine.fetch(opened).column(1).to_pylist() == ["y", None]
