"""A file that is read ahead is the file that is read, or it is read again."""

import os
import time

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from maskwise.engines.base import DataFiles
from maskwise.table import held_files, read_ahead
from maskwise.table.read_ahead import ReadAhead
from maskwise.values.memory import for_held_files, memory_of_run

MOST = for_held_files(memory_of_run(None))


@pytest.fixture(autouse=True)
def small_files_too(monkeypatch):
    monkeypatch.setattr(read_ahead, "_LEAST_BYTES", 1)


@pytest.fixture
def loads(monkeypatch):
    """Which files were loaded, by whichever thread."""
    found = []

    def noted(original):
        def load(*how):
            found.append(how)
            return original(*how)

        return load

    for name in ("load_numbered", "load_parquet"):
        monkeypatch.setattr(held_files, name, noted(getattr(held_files, name)))
    return found


@pytest.fixture(params=["people.csv", "people.parquet"])
def file(request, tmp_path):
    path = tmp_path / request.param
    write(path, ["a", "b", "a"])
    return path


def write(path, cells):
    if path.suffix == ".csv":
        path.write_text("x,y\n" + "".join(f"{cell},1\n" for cell in cells))
    else:
        pq.write_table(pa.table({"x": cells, "y": [1] * len(cells)}), path)


def call(path):
    """How `files` loads it."""
    if path.suffix == ".csv":
        return held_files.load_numbered, DataFiles([path], 2, ","), MOST
    return held_files.load_parquet, [path], pq.read_schema(path), MOST


def test_a_file_is_read_once_and_taken_once(file, loads):
    ahead = ReadAhead()
    ahead.start(str(file), None, None)
    load, *how = call(file)
    taken = ahead.take(load, *how)
    assert loads == [tuple(how)]
    assert taken == load(*how)
    ahead.take(load, *how)
    assert len(loads) == 3


def test_a_file_that_changed_meanwhile_is_read_again(file, loads):
    ahead = ReadAhead()
    ahead.start(str(file), None, None)
    while not loads:
        time.sleep(0.001)
    write(file, ["c", "c", "d", "d"])
    os.utime(file, ns=(1, 1))
    load, *how = call(file)
    taken = ahead.take(load, *how)
    assert len(loads) == 2
    assert taken is None or taken.num_rows == 4


def test_another_file_is_read_where_it_is_asked_for(file, loads, tmp_path):
    other = tmp_path / f"other{file.suffix}"
    write(other, ["e", "e"])
    ahead = ReadAhead()
    ahead.start(str(file), None, None)
    load, *how = call(other)
    assert ahead.take(load, *how) == load(*how)
    assert loads[1] == tuple(how)


def test_the_same_file_read_in_another_way_is_read_again(tmp_path, loads):
    path = tmp_path / "people.csv"
    path.write_text("x;y\na;1,5\nb;2,5\n")
    ahead = ReadAhead()
    ahead.start(str(path), None, None)
    ahead.take(held_files.load_numbered, DataFiles([path], 2, ","), MOST)
    assert [how[0].delimiter for how in loads] == [";", ","]


def test_what_was_read_in_vain_is_not_held_while_it_is_read_again(tmp_path):
    path, other = tmp_path / "people.parquet", tmp_path / "other.parquet"
    for one in (path, other):
        write(one, ["a"] * 1_000_000)
    ahead = ReadAhead()
    before = pa.total_allocated_bytes()
    ahead.start(str(path), None, None)
    ahead.take(lambda *_: held.append(pa.total_allocated_bytes() - before), held := [])
    assert held[0] < 1_000_000


@pytest.mark.parametrize(
    ("name", "engine"),
    [("people.csv", "postgres://host/db"), ("people.csv", "spark"), ("people.tsv", None), ("p", None)],
)
def test_what_this_process_will_not_hold_is_not_read(tmp_path, loads, name, engine):
    path = tmp_path / name
    path.write_text("x,y\na,1\n")
    ahead = ReadAhead()
    ahead.start(str(path), engine, None)
    assert not ahead.is_reading
    assert loads == []


@pytest.mark.parametrize("data", ["nowhere.csv", "x" * 5000 + ".csv", "a\0b.csv", "."])
def test_what_is_no_file_is_left_to_those_who_say_so(data):
    ahead = ReadAhead()
    ahead.start(data, None, None)
    assert not ahead.is_reading


@pytest.mark.parametrize("content", [b"", b"\xff\xfe\x00", b"PAR1"])
@pytest.mark.parametrize("name", ["broken.csv", "broken.parquet"])
def test_a_damaged_file_is_left_to_those_who_say_so(tmp_path, name, content):
    path = tmp_path / name
    path.write_bytes(content)
    ahead = ReadAhead()
    ahead.start(str(path), None, None)
    said = ahead.take(lambda *_: "what is wrong with it", [path])
    assert said == "what is wrong with it"


def test_a_pipe_is_not_opened(tmp_path):
    os.mkfifo(tmp_path / "people.csv")
    ahead = ReadAhead()
    ahead.start(str(tmp_path / "people.csv"), None, None)
    assert not ahead.is_reading
