"""A csv in Windows-1252 is read with its letters; damaged UTF-8, UTF-16 and other bytes are refused."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

import maskwise
from maskwise.errors import InputError
from maskwise.table.csv_encoding import decode_start, is_windows
from maskwise.table.endpoints import closing
from maskwise.table.files import is_windows_text
from maskwise.table.read import read

if TYPE_CHECKING:
    from pathlib import Path

RECORDS = [f"{i % 3},5;Haldenstraße €;{'ja' if i % 2 else 'nein'}\r\n" for i in range(40)]
TEXT = "Größe;Straße;krank\r\n" + "".join(RECORDS)
POLICY = {
    "class": "krank",
    "numbers": {"Größe": "1234,5"},
    "attributes": {"Größe": {"interval": [0, 4]}},
    "requirements": [{"qid": ["Größe"], "k": 5}],
}


@pytest.mark.slow
def test_the_letters_of_windows_are_those_of_utf_8(tmp_path: Path) -> None:
    released = []
    for encoding in ("cp1252", "utf-8-sig"):
        source = tmp_path / f"{encoding}.csv"
        source.write_bytes(TEXT.encode(encoding))
        table = read(source)
        with closing(table):
            assert table.names == ("Größe", "Straße", "krank")
            assert table.is_windows_text == (encoding == "cp1252")
            assert table.distinct("Straße").keys.to_pylist() == ["Haldenstraße €"]
        outcome = maskwise.anonymize(source, POLICY, tmp_path / f"{encoding}-out.csv", seed=1)
        assert any("read as Windows-1252" in one.text for one in outcome.messages) == (encoding == "cp1252")
        assert not any("Windows" in (one.for_recipient or "") for one in outcome.messages)
        released.append((tmp_path / f"{encoding}-out.csv").read_bytes())
    # With a byte order mark, by which spreadsheets know UTF-8.
    assert released[0] == released[1]


@pytest.mark.parametrize(
    "damaged",
    [
        TEXT.encode() + b"\xe4\n",  # UTF-8 with a byte that is none
        TEXT.encode("utf-16"),
        TEXT.encode("cp1252") + b"\x81\n",
        TEXT.encode("cp1252") + b"\x00\n",
    ],
)
def test_what_is_neither_is_refused(tmp_path: Path, damaged: bytes) -> None:
    (tmp_path / "in.csv").write_bytes(damaged)
    assert not is_windows_text(tmp_path / "in.csv")
    with pytest.raises(InputError, match=r"in\.csv, line \d+ cannot be read: it is not UTF-8"):
        read(tmp_path / "in.csv")


def test_a_letter_that_is_cut_at_the_end_of_a_beginning_is_no_damage() -> None:
    start = "Größe".encode()[:3]
    assert decode_start(start, is_whole=False) == ("Gr", "utf-8")
    assert not is_windows(start, is_whole=False)
    assert decode_start(start, is_whole=True) == ("GrÃ", "cp1252")
