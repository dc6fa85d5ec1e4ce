"""Every record of a csv is read, however its header and cells are written, or the file is refused."""

from __future__ import annotations

import csv
import gzip
import io
import json
import zlib
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from maskwise.engines.base import DataFiles
from maskwise.errors import InputError
from maskwise.table import csv_records
from maskwise.table.csv_records import CsvFacts, count_one_by_one, find_facts, refuse_other_count
from maskwise.table.read import read
from tests.conftest import Run

ENDS = {"lf": "\n", "crlf": "\r\n", "cr": "\r"}
CELLS = st.text('ab",;\n\r ', max_size=6)


def written(path: Path, rows: list[list[str]], end: str, *, quotes_all: bool = False) -> Path:
    """Write a csv; Python's own writer would leave line ends of another kind than the records' without quotes."""

    def spelled(cell: str) -> str:
        needs_quotes = quotes_all or any(letter in cell for letter in '",\r\n')
        return '"' + cell.replace('"', '""') + '"' if needs_quotes else cell

    path.write_bytes("".join(",".join(map(spelled, row)) + end for row in rows).encode())
    return path


@pytest.mark.slow
@pytest.mark.parametrize("end", ENDS.values(), ids=ENDS)
@pytest.mark.parametrize("inner", ENDS.values(), ids=ENDS)
@pytest.mark.parametrize("place", ["header", "cell", "both"])
def test_line_ends_of_any_kind_inside_cells_lose_no_record(tmp_path: Path, end: str, inner: str, place: str) -> None:
    name = f"A{inner}ge" if place != "cell" else "Age"
    cell = f"x{inner}y" if place != "header" else "xy"
    rows = [[str(i), cell] for i in range(40)]
    table = read(written(tmp_path / "t.csv", [[name, "Sex"], *rows], end))
    assert table.names == (name, "Sex")
    found = table.engine.fetch(table.expr.select("c0", "c1")).to_pylist()
    assert sorted([row["c0"], row["c1"]] for row in found) == sorted(rows)


def test_an_audit_counts_the_people_below_such_a_header(tmp_path: Path, run: Run) -> None:
    rows = [[str(i), "F"] for i in range(40)]
    written(tmp_path / "t.csv", [["Age", "S\nex"], *rows], "\r\n")
    (tmp_path / "p.yaml").write_text("requirements: [{qid: [Age], k: 2}]", encoding="utf-8")
    result = run("audit", tmp_path / "t.csv", "-p", tmp_path / "p.yaml")
    assert (result.code, "40 records" in result.out) == (1, True)


def test_all_files_of_a_pattern_are_read_whole(tmp_path: Path) -> None:
    written(tmp_path / "a.csv", [["A\nge", "Sex"], *[[str(i), "F"] for i in range(20)]], "\r\n")
    written(tmp_path / "b.csv", [["A\nge", "Sex"], *[[str(i), "M"] for i in range(20)]], "\n")
    assert read(tmp_path / "*.csv").n_rows() == 40


def test_blanks_beside_quotes_stay(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text('Name,Age\na,1\n "a",1\n"a" ,1\n"a",1\n', encoding="utf-8")
    table = read(path)
    cells = table.engine.fetch(table.expr.select("c0")).column(0).to_pylist()
    assert cells == [row[0] for row in csv.reader(io.StringIO(path.read_text("utf-8")))][1:] == ["a", ' "a"', "a ", "a"]


@pytest.mark.parametrize(
    ("text", "is_found"),
    [
        ('a,b\n1, "x"\n', True),
        ('a,b\n1,"x" \n', True),
        ('a,b\n"x" "y",1\n', True),
        ('a,b\n1," x "\n', False),
        ('a,b\n1,"say ""hi"" to"\n', False),
        ('a,b\n1,"""x"" "\n', False),
    ],
)
@pytest.mark.parametrize("block", [1, 3, 99])
def test_blanks_are_found_outside_quotes_only(tmp_path: Path, text: str, block: int, *, is_found: bool) -> None:
    path = tmp_path / "t.csv"
    path.write_text(text, encoding="utf-8")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(csv_records, "_BLOCK", block)
        assert find_facts(path, 2).has_blanks_beside_quotes is is_found


@given(
    rows=st.lists(st.lists(CELLS, min_size=2, max_size=2), min_size=1, max_size=8),
    end=st.sampled_from(sorted(ENDS.values())),
    quotes_all=st.booleans(),
    block=st.integers(1, 30),
    is_ended=st.booleans(),
)
def test_records_are_counted_from_bytes(
    tmp_path_factory: pytest.TempPathFactory,
    rows: list[list[str]],
    end: str,
    block: int,
    *,
    quotes_all: bool,
    is_ended: bool,
) -> None:
    path = tmp_path_factory.getbasetemp() / "counted.csv"
    written(path, [["p", "q"], *rows], end, quotes_all=quotes_all)
    if not is_ended:
        path.write_bytes(path.read_bytes().removesuffix(end.encode()))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(csv_records, "_BLOCK", block)
        assert find_facts(path, 2).n_records == len(rows)
    assert count_one_by_one(path, ",", 2) == len(rows)


@pytest.mark.parametrize(
    ("text", "is_doubtful"),
    [
        ("n,m\na,b\n", False),
        ("n,m\r\na,b\r\n\r\n", False),
        ("n,m\ra,b\r\r", False),
        ('n,m\n"a,b","c""d"\n"",x\n', False),
        ('n,m\r\n"a\nb","c\rd"\r\n', False),
        ('\ufeff"n","m"\na,b\n', False),
        ('n,m\na,"b"', False),
        ('n,m\na"b,c"d\n', True),
        ('n,m\n"a"b,c\n', True),
        ('n,m\n"a" ,c\n', False),
        ('n,m\na,"b\n', True),
        ("n,m\na,b\r\nc,d\n", True),
        ("n,m\r\na,b\nc,d\r\n", True),
        ("n,m\na,b\rc,d\n", True),
        ("n,m\na,b\r", True),
    ],
)
@pytest.mark.parametrize("block", [1, 2, 3, 5, 7, 64, 99])
def test_what_readers_do_not_agree_on_is_doubtful_wherever_blocks_end(
    tmp_path: Path, text: str, block: int, *, is_doubtful: bool
) -> None:
    path = tmp_path / "t.csv"
    for filled in (text, text.replace("a", "a" * 61, 1)):
        path.write_bytes(filled.encode())
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(csv_records, "_BLOCK", block)
            # A block without a line end is doubtful, too.
            found = find_facts(path, 2).is_doubtful
        assert found or not is_doubtful
        assert find_facts(path, 2).is_doubtful is is_doubtful


def test_empty_lines_are_records_of_one_column_only(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_bytes(b"Age\n\n1\n\n2\n")
    assert find_facts(path, 1).n_records == read(path).n_rows() == 4
    path.write_bytes(b"Age,Sex\n\n1,F\r\n\r\n2,M\n\n")
    assert find_facts(path, 2).n_records == count_one_by_one(path, ",", 2) == 2


def test_quotes_inside_cells_are_counted_by_a_slower_reader(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text('Size,Age\n5" pipe,1\n6 pipe,2\n', encoding="utf-8")
    assert find_facts(path, 2).n_records != 2
    assert read(path).n_rows() == 2


def test_packed_files_are_counted_too(tmp_path: Path) -> None:
    path = tmp_path / "t.csv.gz"
    path.write_bytes(gzip.compress(b'"A\nge",Sex\r\n1,F\r\n2,M\r\n'))
    assert read(path).n_rows() == 2


def test_files_that_were_read_in_part_are_refused(tmp_path: Path) -> None:
    path = written(tmp_path / "t.csv", [["Age", "Sex"], ["1", "F"], ["2", "M"]], "\n")
    files = DataFiles([path], 2, ",")
    with pytest.raises(InputError, match="has 2 records, but 1 could be read"):
        refuse_other_count(files, [CsvFacts(2, has_blanks_beside_quotes=False)], 1)


def test_a_table_without_records_is_not_audited(tmp_path: Path, run: Run) -> None:
    (tmp_path / "t.csv").write_text("Age,Sex\n", encoding="utf-8")
    (tmp_path / "p.yaml").write_text("requirements: [{qid: [Age], k: 2}]", encoding="utf-8")
    result = run("audit", tmp_path / "t.csv", "-p", tmp_path / "p.yaml")
    assert result.code == 2
    assert "no records" in result.err


@pytest.mark.slow
def test_cells_of_several_lines_that_look_like_records_are_read(tmp_path: Path, run: Run) -> None:
    lines = "\n".join(["1,text,2"] * 200)
    n = 20_000
    text = "".join(f'{i % 5},"{lines}",{i % 3}\n' for i in range(n))
    (tmp_path / "t.csv").write_text(f"Age,Note,Sex\n{text}", encoding="utf-8")
    (tmp_path / "p.yaml").write_text("requirements: [{qid: [Age, Sex], k: 2}]", encoding="utf-8")
    result = run("mask", tmp_path / "t.csv", "-p", tmp_path / "p.yaml", "-o", tmp_path / "o.csv", "--json")
    assert (result.code, json.loads(result.out)["rows"]) == (0, n)
    assert count_one_by_one(tmp_path / "o.csv", ",", 3) == n


@pytest.mark.parametrize("error", [OSError(5, "Input/output error"), EOFError(), zlib.error()])
def test_a_disk_that_fails_in_the_middle_is_said(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, error: Exception
) -> None:
    class Failing(io.BytesIO):
        def read(self, n: int | None = -1) -> bytes:
            del n
            raise error

    monkeypatch.setattr(csv_records, "opened", lambda _: Failing())
    with pytest.raises(InputError, match=r"`people.csv` could not be read to its end: i"):
        csv_records.find_facts(tmp_path / "people.csv", 2)
