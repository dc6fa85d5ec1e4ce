"""Files as DuckDB and Arrow write them for every engine."""

from __future__ import annotations

import csv
import errno
import gzip
from pathlib import Path

import pyarrow as pa
import pyarrow.ipc
import pyarrow.parquet as pq
import pytest

from maskwise.engines import write_files
from maskwise.values.location import Folder

TABLE = pa.table({"Age": ["[1, 37)", None, ""], "note": ['say "hi"', "it's, so", "two\nlines"]})
FORMATS = [".csv", ".csv.gz", ".tsv", ".parquet", ".parquet.gz", ".arrow", ".arrow.gz", ".feather"]


def loaded(path: Path) -> pa.Table:
    """A written table, read without DuckDB."""
    raw = gzip.decompress(path.read_bytes()) if path.suffix == ".gz" else path.read_bytes()
    inner = path.with_suffix("") if path.suffix == ".gz" else path
    if inner.suffix in {".csv", ".tsv"}:
        text = raw.decode()
        separator = "," if inner.suffix == ".csv" else "\t"
        header, *rows = csv.reader(text.splitlines(keepends=True), delimiter=separator)
        return pa.table({name: [row[i] for row in rows] for i, name in enumerate(header)})
    if inner.suffix == ".parquet":
        return pq.read_table(pa.BufferReader(raw))
    return pa.ipc.open_file(pa.BufferReader(raw)).read_all()


def copied(path: Path) -> None:
    with write_files.connect() as database:
        database.register("given", TABLE)
        write_files.copy_query(database, "SELECT * FROM given", path)


def streamed(path: Path) -> None:
    write_files.write_batches(TABLE.to_reader(1), path)


@pytest.mark.parametrize("suffix", FORMATS)
@pytest.mark.parametrize("write", [copied, streamed])
def test_the_suffix_gives_the_format(tmp_path: Path, suffix: str, write: object) -> None:
    path = tmp_path / f"out{suffix}"
    assert callable(write)
    write(path)
    is_text = suffix.startswith((".csv", ".tsv"))
    expected = pa.table({**TABLE.to_pydict(), "Age": ["[1, 37)", "", ""]}) if is_text else TABLE
    assert loaded(path).to_pydict() == expected.to_pydict()
    assert [p.name for p in tmp_path.iterdir()] == [path.name]


@pytest.mark.parametrize("suffix", FORMATS[:5])
def test_the_same_records_give_the_same_bytes(tmp_path: Path, suffix: str) -> None:
    written = []
    for i, write in enumerate((copied, copied, streamed)):
        write(tmp_path / f"{i}{suffix}")
        written.append((tmp_path / f"{i}{suffix}").read_bytes())
    assert written[0] == written[1] == written[2]


def test_a_missing_cell_is_bare_and_an_empty_text_is_quoted(tmp_path: Path) -> None:
    copied(tmp_path / "out.csv")
    assert (tmp_path / "out.csv").read_text().splitlines()[2:4] == [',"it\'s, so"', '"","two']


def test_parts_are_merged_in_their_order(tmp_path: Path) -> None:
    parts = [tmp_path / f"part [{i}]*.parquet" for i in (2, 1)]
    for i, part in enumerate(parts):
        pq.write_table(pa.table({"n": [i]}), part)
    write_files.merge_parquet(parts, tmp_path / "out.csv")
    assert (tmp_path / "out.csv").read_text() == "n\n0\n1\n"


def test_a_folder_gets_one_parquet_file(tmp_path: Path) -> None:
    assert write_files.file_of(Folder(tmp_path)) == tmp_path / "part-0.parquet"
    assert write_files.file_of(tmp_path / "out.csv") == tmp_path / "out.csv"


def test_duckdb_fetches_nothing_from_anywhere() -> None:
    with write_files.connect() as database:
        settings = "current_setting('autoinstall_known_extensions'), current_setting('autoload_known_extensions')"
        assert database.execute(f"SELECT {settings}").fetchone() == (False, False)


def test_what_is_packed_does_not_stay_if_it_cannot_be_removed_at_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    really, asked = Path.unlink, []

    def fail_once(path: Path, **how: bool) -> None:
        asked.append(path)
        if len(asked) == 1:
            raise OSError(errno.EACCES, "Permission denied")
        really(path, **how)

    monkeypatch.setattr(Path, "unlink", fail_once)
    with pytest.raises(OSError, match="Permission denied"):
        copied(tmp_path / "out.parquet.gz")
    assert len(asked) == 2
    assert not (tmp_path / "out.parquet").exists()
