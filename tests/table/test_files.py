"""Files opened inside an engine: which ones are meant, what their columns are called, what is refused."""

from __future__ import annotations

import errno
import gzip
import random
from collections.abc import Iterator
from datetime import date, datetime
from pathlib import Path

import pyarrow as pa
import pyarrow.ipc
import pyarrow.parquet as pq
import pytest

import maskwise
from maskwise.engines.choose import choose
from maskwise.engines.sql import Engine
from maskwise.errors import InputError
from maskwise.table.files import (
    csv_form,
    csv_header,
    delimiter_of,
    find_files,
    is_text,
    load_whole,
    looks_like_cell,
    open_arrow,
    open_files,
    parquet_schema,
)
from maskwise.table.read import read
from maskwise.values.location import Folder

PEOPLE = pa.table({"Age": [31, 42], "Sex": ["F", "M"]})


@pytest.fixture
def engine() -> Iterator[Engine]:
    started, _ = choose(None)
    yield started
    started.close()


def written(path: Path, text: str) -> Path:
    path.write_text(text, encoding="utf-8")
    return path


def rows(engine: Engine, paths: list[Path], **how: str) -> tuple[tuple[str, ...], list[list[object]]]:
    table, names = open_files(paths, engine, delimiter=how.get("delimiter"))
    columns = [f"c{i}" for i in range(len(names))]
    return names, [list(row.values()) for row in engine.fetch(table.select(*columns)).to_pylist()]


def test_a_file_is_itself(tmp_path: Path) -> None:
    assert find_files(tmp_path / "people.csv") == [tmp_path / "people.csv"]


def test_a_folder_means_its_parquet_files_by_name(tmp_path: Path) -> None:
    for name in ("b.parquet", "a.parquet", ".hidden.parquet", "_SUCCESS.parquet", "notes.txt"):
        (tmp_path / name).touch()
    assert [path.name for path in find_files(tmp_path)] == ["a.parquet", "b.parquet"]
    assert find_files(Folder(tmp_path)) == find_files(tmp_path)


def test_a_folder_without_parquet_files_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"has no parquet file\. Name files with a pattern"):
        find_files(tmp_path)


def test_a_pattern_means_the_files_that_match(tmp_path: Path) -> None:
    for name in ("b.csv", "a.csv", "c.tsv"):
        (tmp_path / name).touch()
    assert [path.name for path in find_files(tmp_path / "*.csv")] == ["a.csv", "b.csv"]


def test_a_file_whose_name_looks_like_a_pattern_is_itself(tmp_path: Path) -> None:
    for name in ("[a].csv", "a.csv"):
        (tmp_path / name).touch()
    assert find_files(tmp_path / "[a].csv") == [tmp_path / "[a].csv"]


def test_a_pattern_that_matches_nothing_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="There is no file like"):
        find_files(tmp_path / "*.csv")


def test_a_pattern_of_several_formats_is_refused(tmp_path: Path) -> None:
    for name in ("a.csv", "a.parquet"):
        (tmp_path / name).touch()
    with pytest.raises(InputError, match=r"different formats: \.csv, \.parquet"):
        find_files(tmp_path / "a.*")


@pytest.mark.parametrize(
    ("header", "expected"),
    [("a,b;c,d", ","), ("a;b;c", ";"), ("a\tb", "\t"), ("a|b|c", "|"), ("alone", ","), ('"a,b,c";d', ";")],
)
def test_the_delimiter_is_the_commonest_outside_quotes(header: str, expected: str) -> None:
    assert delimiter_of(f"{header}\n1,1,1,1,1\n") == expected


def test_a_header_is_read_without_a_byte_order_mark(tmp_path: Path) -> None:
    path = tmp_path / "in.csv"
    path.write_bytes("\ufeffAge;Zip\n1;2\n".encode())
    assert csv_header(path, ".csv", None) == (["Age", "Zip"], ";")


def test_a_header_may_be_packed_and_its_delimiter_given(tmp_path: Path) -> None:
    path = tmp_path / "in.csv.gz"
    path.write_bytes(gzip.compress(b"a;b,c\n"))
    assert csv_header(path, ".csv.gz", None) == (["a;b", "c"], ",")
    assert csv_header(path, ".csv.gz", ";") == (["a", "b,c"], ";")


def test_a_tsv_is_separated_by_tabs_whatever_its_header_holds(tmp_path: Path) -> None:
    assert csv_header(written(tmp_path / "in.tsv", "a,b,c\td\n"), ".tsv", None) == (["a,b,c", "d"], "\t")


REFUSED_HEADERS = {
    "packed by half": ("in.csv.gz", gzip.compress(b"a,b\n" * 999)[:20], "is not a whole gzip file"),
    "not packed": ("in.csv.gz", b"a,b\n", "is not a whole gzip file"),
    "another encoding": ("in.csv", "a,b\nx,München\n".encode("utf-16-le"), r"in\.csv, line 2 cannot be read: .* UTF-8"),
    "blank": ("in.csv", b" \n\n", "is empty. It needs a header"),
    "endless name": ("in.csv", b"a" * 200_000 + b"\n", r"line 1 cannot be read: a name .* longer than 128 KB"),
}


@pytest.mark.parametrize(("name", "raw", "says"), REFUSED_HEADERS.values(), ids=REFUSED_HEADERS.keys())
def test_a_header_that_cannot_be_read_is_refused(tmp_path: Path, name: str, raw: bytes, says: str) -> None:
    (tmp_path / name).write_bytes(raw)
    with pytest.raises(InputError, match=says) as caught:
        csv_header(tmp_path / name, "".join(Path(name).suffixes), None)
    assert "München" not in str(caught.value)


@pytest.mark.parametrize(
    ("name", "expected"), [("1.5", True), ("17:30", True), ("10%", True), ("", False), ("Q1", False)]
)
def test_numbers_and_dates_look_like_cells(name: str, expected: bool) -> None:
    assert looks_like_cell(name) is expected


def test_text_files_are_told_by_their_suffix() -> None:
    assert [is_text(Path(name)) for name in ("a.csv", "a.TSV.gz", "a.parquet")] == [True, True, False]


def test_csv_files_are_one_table_of_texts(tmp_path: Path, engine: Engine) -> None:
    paths = [written(tmp_path / f"{i}.csv", f"Age;Sex\n0{i};\n") for i in (1, 2)]
    assert rows(engine, paths) == (("Age", "Sex"), [["01", None], ["02", None]])


def test_a_given_delimiter_is_used(tmp_path: Path, engine: Engine) -> None:
    names, found = rows(engine, [written(tmp_path / "a.csv", "a,b,c;d\n1,2,3;4\n")], delimiter=";")
    assert (names, found) == (("a,b,c", "d"), [["1,2,3", "4"]])


@pytest.mark.parametrize("name", ["a.parquet", "a.parquet.gz", "a.arrow", "a.arrow.gz"])
def test_binary_files_keep_their_types(tmp_path: Path, engine: Engine, name: str) -> None:
    path = tmp_path / name
    inner = tmp_path / "inner"
    if ".parquet" in name:
        pq.write_table(PEOPLE, inner)
    else:
        with pa.ipc.new_file(str(inner), PEOPLE.schema) as writer:
            writer.write_table(PEOPLE)
    path.write_bytes(gzip.compress(inner.read_bytes()) if name.endswith(".gz") else inner.read_bytes())
    table, names = open_files([path], engine, delimiter=None)
    assert names == ("Age", "Sex")
    assert engine.fetch(table).select(["c0", "c1"]).to_pydict() == {"c0": [31, 42], "c1": ["F", "M"]}


def test_several_arrow_files_are_refused(engine: Engine) -> None:
    with pytest.raises(InputError, match=r"Of `\.arrow` files only one is read at a time"):
        open_files([Path("a.arrow"), Path("b.arrow")], engine, delimiter=None)


def test_files_with_other_columns_are_refused(tmp_path: Path, engine: Engine) -> None:
    paths = [written(tmp_path / "a.csv", "x,y\n1,2\n"), written(tmp_path / "b.csv", "y,x\n1,2\n")]
    with pytest.raises(InputError, match=r"`b\.csv` has other columns than `a\.csv`, or in another order"):
        open_files(paths, engine, delimiter=None)


def test_files_with_other_separators_are_refused(tmp_path: Path, engine: Engine) -> None:
    paths = [written(tmp_path / "a.csv", "x,y\n1,2\n"), written(tmp_path / "b.csv", "x;y\n1;2\n")]
    with pytest.raises(InputError, match="separated by different characters"):
        open_files(paths, engine, delimiter=None)


def test_a_file_that_is_not_there_is_refused_with_a_suggestion(tmp_path: Path, engine: Engine) -> None:
    written(tmp_path / "people.csv", "x\n1\n")
    with pytest.raises(InputError, match=r"There is no file .*poeple\.csv.* Did you mean `people\.csv`"):
        open_files([tmp_path / "poeple.csv"], engine, delimiter=None)


def test_an_empty_file_is_refused(tmp_path: Path, engine: Engine) -> None:
    with pytest.raises(InputError, match=r"is empty\. It needs a header and at least one record"):
        open_files([written(tmp_path / "a.csv", "")], engine, delimiter=None)


@pytest.mark.parametrize("name", ["a.parquet", "a.arrow", "a.parquet.gz"])
def test_a_damaged_file_is_refused(tmp_path: Path, engine: Engine, name: str) -> None:
    with pytest.raises(InputError, match=f"is not a whole {name.split('.')[1]} file"):
        open_files([written(tmp_path / name, "PAR1 or not")], engine, delimiter=None)


def test_parquet_names_come_from_the_schema(tmp_path: Path) -> None:
    pq.write_table(PEOPLE, tmp_path / "a.parquet")
    assert parquet_schema(tmp_path / "a.parquet").names == ["Age", "Sex"]
    assert load_whole(tmp_path / "a.parquet", ".parquet").equals(PEOPLE)


def test_arrow_dictionaries_are_unpacked_and_empty_columns_are_texts(engine: Engine) -> None:
    given = pa.table({"a": pa.array(["x", "y"]).dictionary_encode(), "b": pa.nulls(2)})
    found = engine.fetch(open_arrow(given, engine))
    assert [found.schema.field(name).type for name in ("c0", "c1")] == [pa.string(), pa.string()]
    assert found.column("c0").to_pylist() == ["x", "y"]


@pytest.mark.parametrize(
    ("one", "other"),
    [(pa.array([1, 2]), pa.array([1.5, 2.5])), (pa.array([date(2024, 1, 1)]), pa.array([datetime(2024, 1, 1, 5)]))],  # noqa: DTZ001 - a time of no zone
)
def test_parquet_files_with_other_types_of_a_column_are_refused(tmp_path: Path, one: pa.Array, other: pa.Array) -> None:
    pq.write_table(pa.table({"When": one}), tmp_path / "a.parquet")
    pq.write_table(pa.table({"When": other}), tmp_path / "b.parquet")
    with pytest.raises(InputError, match=r"`b.parquet` holds `When` as (double|timestamp\[us\]), `a.parquet` as"):
        read(tmp_path / "*.parquet")


def damaged(content: bytes, rng: random.Random) -> bytes:
    """Cut a file short, or change some bytes of it."""
    if rng.random() < 0.3:
        return content[: rng.randrange(1, len(content))]
    changed = bytearray(content)
    for _ in range(rng.choice([1, 3, 20])):
        changed[rng.randrange(len(changed))] = rng.randrange(256)
    return bytes(changed)


@pytest.mark.slow
@pytest.mark.parametrize("suffix", [".arrow", ".parquet", ".csv.gz", ".arrow.gz"])
def test_a_damaged_file_is_read_or_refused(tmp_path: Path, suffix: str) -> None:
    table = pa.table(
        {
            "Age": pa.array([i % 9 or None for i in range(300)]),
            "Job": pa.array(["nurse", "clerk", None] * 100),
            "Kind": pa.array(["a", "b", "c"] * 100).dictionary_encode(),
            "Visits": pa.array([[1, 2]] * 300),
        }
    )
    path = tmp_path / f"t{suffix}"
    policy = {"requirements": [{"qid": ["Job"], "k": 2}]}
    # In the order of the input: the same bytes are damaged in every run.
    maskwise.anonymize(table.select([0, 1]) if "csv" in suffix else table, policy, path, keep_order=True)
    rng = random.Random(8)  # noqa: S311 - test data
    is_packed = suffix == ".arrow.gz"
    whole = gzip.decompress(path.read_bytes()) if is_packed else path.read_bytes()
    n_refused = 0
    for _ in range(60):
        content = damaged(whole, rng)
        path.write_bytes(gzip.compress(content) if is_packed else content)
        try:
            maskwise.audit(path, policy)
        except InputError:
            n_refused += 1
    assert n_refused


def test_a_csv_that_cannot_be_opened_a_second_time_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "people.csv"
    path.write_text("a;b\n1;2\n")

    def fail(*_arguments: object) -> None:
        raise OSError(errno.EROFS, "Read-only file system")

    monkeypatch.setattr(Path, "open", fail)
    with pytest.raises(InputError, match=r"people\.csv` cannot be read: Read-only file system"):
        csv_form(path, None)
