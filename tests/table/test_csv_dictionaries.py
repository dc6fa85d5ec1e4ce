"""A csv that is read as dictionaries has the cells that plain Python finds in it."""

from __future__ import annotations

import tracemalloc
from typing import TYPE_CHECKING

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from maskwise.engines.base import DataFiles
from maskwise.engines.duckdb import DuckDB
from maskwise.engines.sql import Engine
from maskwise.table import csv_dictionaries
from maskwise.table.csv_dictionaries import number_csv
from maskwise.table.csv_records import find_facts
from maskwise.table.files import open_files
from maskwise.table.held_files import load_numbered

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    import pyarrow as pa

CELLS = st.text(st.sampled_from('ab ,;"é\0\n\r0'), max_size=3) | st.sampled_from(
    ["", "12345678", "123456789", "a text of more than two words", "a text of more than two worlds", "ä" * 9]
)


@pytest.fixture(autouse=True)
def _in_small_parts(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Any file is taken, in three parts, and in blocks that end in the middle of many lines."""
    with monkeypatch.context() as patch:
        patch.setattr(csv_dictionaries, "_LEAST_BYTES", 0)
        patch.setattr(csv_dictionaries, "_BLOCK", 160)
        patch.setattr(csv_dictionaries, "n_processors", lambda: 3)
        yield


def rows_of(table: pa.Table) -> list[tuple[str | None, ...]]:
    return [tuple(row.values()) for row in table.to_pylist()]


def spelled(cell: str | None, *, is_quoted: bool) -> str:
    if cell is None:
        return ""
    return f'"{cell}"' if is_quoted or not cell or set(cell) & set(',"\n') else cell


@settings(max_examples=200)
@given(
    records=st.lists(st.tuples(*[st.tuples(st.none() | CELLS, st.booleans())] * 3), max_size=40),
    has_last_end=st.booleans(),
)
@example(records=[((None, False), ("", True), ("a", False))] * 5, has_last_end=False)
def test_cells_are_those_that_were_written_or_are_left_to_others(
    tmp_path_factory: pytest.TempPathFactory, *, records: list[tuple[tuple[str | None, bool], ...]], has_last_end: bool
) -> None:
    path = tmp_path_factory.mktemp("numbered") / "table.csv"
    lines = [",".join(spelled(cell, is_quoted=quoted) for cell, quoted in record) for record in records]
    text = "\n".join(["n,m,o", *lines]) + "\n" * has_last_end
    path.write_bytes(text.encode())
    numbered = number_csv(DataFiles([path], 3, ","))
    if any(cell and set(cell) & set('"\n\r') for record in records for cell, _ in record):
        assert numbered is None
    elif numbered is not None:
        assert rows_of(numbered) == [tuple(cell for cell, _ in record) for record in records]
        assert find_facts(path, 3, ",").is_regular
    else:
        # A line of another length, or none: nothing else is left to others.
        assert any(len(line.encode()) >= 100 for line in lines)


def test_dictionaries_are_in_the_order_of_the_records(tmp_path: Path) -> None:
    path = tmp_path / "table.csv"
    cells = [f"cell {i * i % 7}" for i in range(100)] + ["late", "first"] * 50
    path.write_text("n,m\n" + "".join(f"{i % 2},{cell}\n" for i, cell in enumerate(cells)))
    numbered = number_csv(DataFiles([path], 2, ","))
    assert numbered is not None
    assert numbered.column(1).to_pylist() == cells
    assert numbered.column(1).combine_chunks().dictionary.to_pylist() == list(dict.fromkeys(cells))


def test_several_files_are_one_table(tmp_path: Path) -> None:
    paths = []
    for i, letters in enumerate(["ab", "bc", "d"]):
        paths.append(tmp_path / f"{i}.csv")
        paths[-1].write_text("n;m\n" + "".join(f"x;{letter}\n" for letter in letters * 9))
    numbered = number_csv(DataFiles(paths, 2, ";"))
    assert numbered is not None
    assert numbered.column(1).to_pylist() == [*("ab" * 9), *("bc" * 9), *("d" * 9)]


@pytest.mark.parametrize(
    "line",
    [
        'a,"b\nc"',
        'a"b,c',
        '"a"b,c',
        '"a""b",c',
        ' "a",c',
        '"a" ,c',
        'a,"b',
        "a,b\r",
        "a,b,c",
        "a",
        "",
        "a," + "b" * 400,
        b"a,\xe9",
    ],
)
@pytest.mark.parametrize("at", range(0, 60, 7))
def test_what_others_might_read_differently_is_left_to_them(tmp_path: Path, line: str | bytes, at: int) -> None:
    path = tmp_path / "table.csv"
    lines = [b"x,yz"] * 60
    lines[at] = line if isinstance(line, bytes) else line.encode()
    path.write_bytes(b"n,m\n" + b"\n".join(lines) + b"\n")
    assert load_numbered(DataFiles([path], 2, ","), 1_000_000) is None


def test_a_column_whose_cells_differ_is_left_to_others(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "table.csv"
    path.write_text("n,m\n" + "".join(f"{i},x\n" for i in range(3000)))
    files = DataFiles([path], 2, ",")
    monkeypatch.setattr(csv_dictionaries, "_MOST_CELLS", (16, 512))
    assert number_csv(files) is None
    path.write_text("n,m\n" + "".join(f"{i // 20},x\n" for i in range(3000)))
    numbered = number_csv(files)
    assert numbered is not None
    assert numbered.column(0).to_pylist() == [str(i // 20) for i in range(3000)]


@pytest.mark.parametrize("end", ["\r", "\r\n", "\n\r"])
def test_no_record_is_taken_for_a_part_of_a_header_that_ends_otherwise(tmp_path: Path, end: str) -> None:
    path = tmp_path / "table.csv"
    path.write_bytes(f"n,m{end}1,first\n".encode() + b"2,other\n" * 50)
    assert load_numbered(DataFiles([path], 2, ","), 1_000_000) is None


def test_lines_that_end_as_on_old_computers_are_read(tmp_path: Path) -> None:
    path = tmp_path / "table.csv"
    path.write_bytes(b"n,m\r" + b"1,2\r" * 1000)
    engine = Engine(DuckDB())
    opened, _ = open_files([path], engine, delimiter=None)
    assert engine.fetch(opened).num_rows == 1000


def test_a_file_without_line_ends_is_not_read_as_one_line(tmp_path: Path) -> None:
    path = tmp_path / "table.csv"
    path.write_bytes(b"n,m\r" + b"1,2\r" * 1_000_000)
    tracemalloc.start()
    try:
        assert load_numbered(DataFiles([path], 2, ","), 1 << 30) is None
        assert tracemalloc.get_traced_memory()[1] < 1_000_000
    finally:
        tracemalloc.stop()


def test_room_for_any_number_of_cells_is_searched_to_its_end(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(csv_dictionaries, "_MOST_CELLS", (16, 512))
    monkeypatch.setattr(csv_dictionaries, "_MOST_IN_ALL", 2 * 300)
    # Otherwise the loop would not end, and nothing could stop it.
    for most_cells in (1, 16, 300, 512):
        cells = csv_dictionaries._arguments(2, most_cells)[5]  # noqa: SLF001 - as above
        assert cells.slots.shape[1].bit_count() == 1
    path = tmp_path / "table.csv"
    path.write_text("n,m\n" + "".join(f"{i // 10},x\n" for i in range(3000)))
    numbered = number_csv(DataFiles([path], 2, ","))
    assert numbered is not None
    assert numbered.column(0).to_pylist() == [str(i // 10) for i in range(3000)]


@pytest.mark.parametrize("n_records", [0, 1, 5_000, 10_000_000])
def test_room_for_the_cells_of_many_columns_is_bounded(n_records: int) -> None:
    for n_columns in (2, 17, 100, 1_000, 100_000):
        for room in csv_dictionaries._rooms(n_columns, n_records):  # noqa: SLF001 - memory that is taken
            assert 1 <= room <= max(n_records, 1)
            assert room * n_columns <= max(csv_dictionaries._MOST_IN_ALL, n_columns)  # noqa: SLF001 - as above
