"""The papers' tables: their parts, their types, and where their files come from."""

from __future__ import annotations

import csv
import hashlib
import io
import os
import random
import sys
import threading
import zipfile
from collections.abc import Callable, Iterator
from dataclasses import replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import ClassVar

import pyarrow as pa
import pytest

from maskwise import datasets
from maskwise.datasets import ADULT_CLASS, ADULT_QIDS, adult_trees, load_adult, load_crx, load_german, source
from maskwise.errors import InputError
from maskwise.formats.policy_file import read_policy

has_data = pytest.mark.skipif(not os.environ.get("MASKWISE_DATA"), reason="MASKWISE_DATA names no folder")


def crx_text(n_complete: int = 653, n_missing: int = 37) -> str:
    rng = random.Random(3)  # noqa: S311 - test data
    lines = [f"b,{i}.50,0,u,g,w,v,1.25,t,t,01,f,g,00202,{i},{'+-'[i % 2]}" for i in range(n_complete)]
    for _ in range(n_missing):
        lines.insert(rng.randrange(len(lines)), "?,58.67,4.46,u,g,q,h,3.04,t,t,06,f,g,?,560,+")
    return "\n".join(lines) + "\n\n"


def german_text(n: int = 1000) -> str:
    row = "A11 6 A34 A43 {} A65 A75 4 A93 A101 4 A121 67 A143 A152 2 A173 1 A192 A201 {}\n"
    return "".join(row.format(i, 1 + i % 3 // 2) for i in range(1, n + 1))


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "crx.data").write_text(crx_text())
    (tmp_path / "german.data").write_text(german_text())
    return tmp_path


def test_adult_comes_in_the_papers_parts() -> None:
    train, test, whole = load_adult("train"), load_adult("test"), load_adult()
    assert (train.num_rows, test.num_rows, whole.num_rows) == (30_162, 15_060, 48_842)
    assert train["income"].to_pylist().count(">50K") == 7_508
    assert test["income"].to_pylist().count(">50K") == 3_700
    assert pa.concat_tables([train, test]).equals(whole.drop_null())


def test_crx_is_split_by_its_complete_records(folder: Path) -> None:
    train, test, whole = (load_crx(split, folder=folder) for split in ("train", "test", "all"))
    assert whole.num_rows == 690
    assert whole.column_names == [f"A{i}" for i in range(1, 17)]
    assert whole["A1"].null_count == whole["A14"].null_count == 37
    assert train["A15"].to_pylist() == list(range(465))
    assert test["A15"].to_pylist() == list(range(465, 653))
    numbers = {name for name in whole.column_names if whole.schema.field(name).type != pa.string()}
    assert numbers == {"A2", "A3", "A8", "A11", "A14", "A15"}
    assert train["A14"][0].as_py() == 202


def test_german_is_split_in_file_order_or_a_given_one(folder: Path) -> None:
    assert load_german("train", folder=folder)["credit-amount"].to_pylist() == list(range(1, 667))
    assert load_german("test", folder=folder)["credit-amount"].to_pylist() == list(range(667, 1001))
    order = random.Random(1).sample(range(1, 1001), 1000)  # noqa: S311 - test data
    path = folder / "order.csv"
    path.write_text("position,uci_row,part\n" + "".join(f"{i},{row},x\n" for i, row in enumerate(order, 1)))
    assert load_german("train", folder=folder, order=path)["credit-amount"].to_pylist() == order[:666]
    assert load_german("test", folder=folder, order=path)["credit-amount"].to_pylist() == order[666:]
    whole = load_german(folder=folder)
    assert whole["class"].to_pylist()[:3] == ["good", "bad", "good"]
    assert whole.num_columns == 21


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("position,row\n1,1\n", "`uci_row`"),
        ("uci_row\none\n", "no whole number"),
        ("uci_row\n1\n1\n", "each of the 1,000 records once"),
    ],
)
def test_an_order_that_is_none_is_refused(folder: Path, text: str, says: str) -> None:
    (folder / "order.csv").write_text(text)
    with pytest.raises(InputError, match=says):
        load_german(folder=folder, order=folder / "order.csv")


@pytest.mark.parametrize(
    ("text", "says"),
    [
        (crx_text(20, 1), "20 complete records, but the papers split 653"),
        (crx_text() + "a,b\n", "line 692 has 2 cells, expected 16"),
        ("b,young,0,u,g,w,v,1.25,t,t,01,f,g,00202,1,+\n", "line 1: `A2` is no number"),
    ],
)
def test_a_file_that_is_not_whole_is_refused(tmp_path: Path, text: str, says: str) -> None:
    (tmp_path / "crx.data").write_text(text)
    with pytest.raises(InputError, match=says):
        load_crx("train", folder=tmp_path)


def test_a_part_that_does_not_exist_is_refused() -> None:
    for load in (load_adult, load_crx, load_german):
        with pytest.raises(InputError, match="Did you mean `train`"):
            load("trian")  # type: ignore[operator]


def test_the_quasi_identifiers_are_columns_and_grow(folder: Path) -> None:
    tables = {
        "ADULT": load_adult(),
        "CRX": load_crx(folder=folder),
        "GERMAN": load_german(folder=folder),
    }
    for name, table in tables.items():
        qids = getattr(datasets, f"{name}_QIDS")
        label = getattr(datasets, f"{name}_CLASS")
        assert label in table.column_names
        assert [len(qids[top]) for top in ("Top5", "Top7", "Top9")] == [5, 7, 9]
        for qid in qids.values():
            assert set(qid) <= set(table.column_names) - {label}


def test_a_folder_is_taken_from_the_environment(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MASKWISE_DATA", str(folder))
    assert load_crx().num_rows == 690


def test_a_folder_without_the_file_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "crx.dat").write_text("")
    with pytest.raises(InputError, match=r"has no file `crx.data`. Did you mean `crx.dat`\? Put it there; it is at"):
        load_crx(folder=tmp_path)
    with pytest.raises(InputError, match="There is no folder"):
        load_crx(folder=tmp_path / "none")
    monkeypatch.setenv("MASKWISE_DATA", str(tmp_path / "none"))
    with pytest.raises(InputError, match="MASKWISE_DATA"):
        load_german()


def packed(name: str, content: bytes) -> bytes:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("Index", b"")
        archive.writestr(name, content)
    return file.getvalue()


def damaged(content: bytes) -> bytes:
    middle = len(content) // 2
    return content[:middle] + bytes(50) + content[middle + 50 :]


class Answers(BaseHTTPRequestHandler):
    """Give out what a test has put at an address."""

    at: ClassVar[dict[str, bytes]] = {}
    asked: ClassVar[list[str]] = []

    def do_GET(self) -> None:
        self.asked.append(self.path)
        content = self.at.get(self.path)
        self.send_response(404 if content is None else 200)
        self.send_header("Content-Length", str(len(content or b"") + (self.path == "/cut")))
        self.end_headers()
        self.wfile.write(content or b"")

    def log_message(self, *_: object) -> None:
        """Say nothing."""


@pytest.fixture
def serve(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[..., str]]:
    """Serve contents from this machine instead of the repository, and keep them in a folder of the test."""
    monkeypatch.delenv("MASKWISE_DATA", raising=False)
    monkeypatch.setenv("no_proxy", "*")
    monkeypatch.setattr(source, "cache_folder", lambda: tmp_path / "cache")
    monkeypatch.setattr(Answers, "at", {})
    monkeypatch.setattr(Answers, "asked", [])
    server = ThreadingHTTPServer(("127.0.0.1", 0), Answers)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()

    def call(contents: dict[str, bytes], *paths: str) -> str:
        Answers.at.update(contents)
        base = f"http://127.0.0.1:{server.server_port}"
        sha256 = hashlib.sha256(crx_text().encode()).hexdigest()
        addresses = tuple(base + path for path in paths or contents)
        monkeypatch.setattr(source, "CRX", replace(source.CRX, sha256=sha256, addresses=addresses))
        return base

    yield call
    server.shutdown()
    thread.join()
    server.server_close()


def test_a_download_is_kept_and_not_repeated(serve: Callable[..., str], tmp_path: Path) -> None:
    serve({"/crx.zip": packed("crx.data", crx_text().encode())})
    assert load_crx().num_rows == 690
    assert load_crx("test").num_rows == 188
    assert Answers.asked == ["/crx.zip"]
    assert [path.name for path in (tmp_path / "cache").iterdir()] == ["crx.data"]


def test_a_damaged_cache_is_replaced(serve: Callable[..., str], tmp_path: Path) -> None:
    serve({"/crx.data": crx_text().encode()})
    (tmp_path / "cache").mkdir()
    (tmp_path / "cache" / "crx.data").write_text("half of it")
    assert load_crx().num_rows == 690


def test_the_second_address_helps_out(serve: Callable[..., str]) -> None:
    serve({"/crx.data": crx_text().encode()}, "/gone.zip", "/crx.data")
    assert load_crx().num_rows == 690
    assert Answers.asked == ["/gone.zip", "/crx.data"]


@pytest.mark.parametrize(
    ("path", "content", "says"),
    [
        ("/crx.data", crx_text().replace("00202", "00203").encode(), "its content has the sha256"),
        ("/crx.data", b"", "its content has the sha256"),
        ("/crx.zip", b"<html>", "not a whole zip file"),
        ("/crx.zip", damaged(packed("crx.data", crx_text().encode())), "not a whole zip file"),
        ("/crx.zip", packed("other.data", b""), "does not hold crx.data"),
        ("/gone", None, "the server answered 404"),
        ("/cut", b"b,1", "its content has the sha256"),
    ],
)
def test_a_download_that_fails_says_why_and_keeps_nothing(
    serve: Callable[..., str], tmp_path: Path, path: str, content: bytes | None, says: str
) -> None:
    serve({} if content is None else {path: content}, path)
    with pytest.raises(InputError, match=says) as caught:
        load_crx()
    assert "Download it by hand from https://archive.ics.uci.edu/dataset/27/credit+approval" in str(caught.value)
    assert not (tmp_path / "cache").exists()


def test_a_refused_connection_says_so(serve: Callable[..., str], monkeypatch: pytest.MonkeyPatch) -> None:
    serve({})
    with ThreadingHTTPServer(("127.0.0.1", 0), Answers) as closed:
        address = f"http://127.0.0.1:{closed.server_port}/crx.data"
    monkeypatch.setattr(source, "CRX", replace(source.CRX, addresses=(address,)))
    with pytest.raises(InputError, match="connection refused"):
        load_crx()


def test_a_cache_that_cannot_be_written_says_so(serve: Callable[..., str], tmp_path: Path) -> None:
    serve({"/crx.data": crx_text().encode()})
    (tmp_path / "cache").write_text("a file where the folder should be")
    with pytest.raises(InputError, match="cannot be written"):
        load_crx()


@pytest.mark.parametrize(
    ("platform", "setting", "where"),
    [
        ("linux", "XDG_CACHE_HOME", "maskwise"),
        ("win32", "LOCALAPPDATA", "maskwise"),
        ("darwin", "HOME", "Library/Caches/maskwise"),
    ],
)
def test_the_cache_is_the_users(
    platform: str, setting: str, where: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "platform", platform)
    monkeypatch.setenv(setting, str(tmp_path))
    assert source.cache_folder() == tmp_path / where


@has_data
def test_the_real_files_are_the_published_ones() -> None:
    assert load_crx("train")["A16"].to_pylist().count("+") + load_crx("test")["A16"].to_pylist().count("+") == 296
    assert load_german()["class"].to_pylist().count("good") == 700
    for raw in (source.CRX, source.GERMAN):
        assert hashlib.sha256(source.locate(raw).read_bytes()).hexdigest() == raw.sha256


@has_data
def test_the_bundled_adult_is_the_published_one() -> None:
    kept = Path(os.environ["MASKWISE_DATA"])
    names = load_adult().column_names
    rows = []
    for name in ("adult.data", "adult.test"):
        with (kept / name).open(newline="") as file:
            rows += [row for row in csv.reader(file, skipinitialspace=True) if len(row) == len(names)]
    spelled = {name: ["?" if cell is None else str(cell) for cell in load_adult()[name].to_pylist()] for name in names}
    for i, name in enumerate(names):
        assert spelled[name] == [row[i].rstrip(".") if name == "income" else row[i] for row in rows], name


def test_the_trees_of_adult_are_entries_for_the_columns_they_are_named_after() -> None:
    trees, table = adult_trees(), load_adult("train")
    assert list(trees) == sorted(trees)
    policy = read_policy({"attributes": trees, "requirements": [{"qid": list(trees), "k": 2}]})
    for entry in policy.attributes:
        assert entry.taxonomy is not None
        assert set(table[entry.name].to_pylist()) <= set(entry.taxonomy.leaves())


def test_benchmarks_and_experiments_ask_with_the_same_trees() -> None:
    from bench import criteria, paper_data
    from experiments import common

    qid = ADULT_QIDS["Top7"]
    data = common.adult(common.Options(sample=100), adult_trees())
    policy = data.policy([{"qid": list(qid), "k": 10}])
    assert criteria.policy_for(paper_data.ADULT.class_name, qid) == policy
    assert policy["class"] == ADULT_CLASS
