"""A csv that is read into memory has the cells that the engine would read."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from maskwise.engines.base import DataFiles
from maskwise.engines.duckdb import DuckDB
from maskwise.engines.sql import Engine
from maskwise.errors import InputError
from maskwise.table.csv_records import find_facts
from maskwise.table.files import open_files
from maskwise.table.held_files import load_csv, load_parquet
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
def test_what_is_regular_is_read_as_the_engine_reads_it(tmp_path_factory: pytest.TempPathFactory, text: str) -> None:
    path = tmp_path_factory.mktemp("regular") / "table.csv"
    files = files_of(path, "n,m\n" + text)
    if not find_facts(path, 2, ",").is_regular or (loaded := load_csv(files, MOST)) is None:
        return
    assert [tuple(row.values()) for row in loaded.to_pylist()] == rows_of(files)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("text", "is_regular"),
    [
        ("n,m\na,b\n", True),
        ('n,m\n"a,b","c""d"\n"",x\n', True),
        ('\ufeff"n","m"\na,b\n', True),
        ('n,m\na,"b"', True),
        ('n,m\na,"b\nc"\n', False),
        ('n,m\na"b,c"d\n', False),
        ('n,m\n"a"b,c\n', False),
        ('n,m\n "a",c\n', False),
        ('n,m\n"a" ,c\n', False),
        ('n,m\na,"b\n', False),
        ("n,m\r\na,b\r\n", False),
    ],
)
@pytest.mark.parametrize("at", [0, 1, 40, 63, 64, 65, (1 << 20) - 8, (1 << 20) - 7, (1 << 20) - 6, (1 << 20) - 5])
def test_regular_files_are_told_wherever_their_blocks_end(
    tmp_path: Path, text: str, *, is_regular: bool, at: int
) -> None:
    """What decides it stands at the ends of words and of blocks."""
    header, _, rest = text.partition("\n")
    filled = f"{header}\n" + ("x," + "y" * (at - 3) + "\n" if at > 3 else "") + rest
    files_of(tmp_path / "table.csv", filled)
    assert find_facts(tmp_path / "table.csv", 2, ",").is_regular is is_regular


def test_texts_that_repeat_are_dictionaries_and_others_are_not(tmp_path: Path) -> None:
    text = "n,m\n" + "".join(f"{i},{i % 3}\n" for i in range(1000))
    loaded = load_csv(files_of(tmp_path / "table.csv", text), MOST)
    assert loaded is not None
    assert [str(kind).partition("<")[0] for kind in loaded.schema.types] == ["string", "dictionary"]
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
        ("n\na\n\n", 1, MOST),  # an empty line is a record
        ("n,m\na,b\nc\n", 2, MOST),  # a line without its second cell
        (b"n,m\na,\xe9\n", 2, MOST),  # not UTF-8
        ("", 2, MOST),  # nothing
    ],
)
def test_what_cannot_be_held_is_left_to_the_engine(
    tmp_path: Path, text: str | bytes, n_columns: int, most: int
) -> None:
    assert load_csv(files_of(tmp_path / "table.csv", text, n_columns), most) is None


def test_an_irregular_csv_is_read_by_the_engine(tmp_path: Path) -> None:
    path = tmp_path / "people.csv"
    path.write_text('n,m\n1,"x\ny"\n2,z\n')
    engine = Engine(DuckDB())
    table = read(path, engine)
    assert engine.held == {}
    assert [row["c1"] for row in engine.fetch(table.expr).to_pylist()] == ["x\ny", "z"]


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


def test_a_line_that_the_engine_refuses_is_not_regular(tmp_path: Path) -> None:
    path = tmp_path / "long.csv"
    files_of(path, "n,m\na,b\n" + "c" * (1 << 21) + ",d\n")
    assert not find_facts(path, 2, ",").is_regular
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
