"""Where a release goes is known, and refused if it cannot go there, before any work is done."""

from __future__ import annotations

from pathlib import Path

import pytest

from maskwise.errors import InputError, WriteError
from maskwise.release.target import resolve_target
from maskwise.values.location import Folder, TableName

DATA = "people.csv"


def test_a_file_a_folder_and_a_table_are_told_apart(tmp_path: Path) -> None:
    assert resolve_target(f"{tmp_path}/out.csv", DATA, None) == tmp_path / "out.csv"
    assert resolve_target(f"{tmp_path}/out/", DATA, None) == Folder(tmp_path / "out")
    assert resolve_target("released", "people", "duckdb:///people.db") == TableName("released")


def test_a_plain_word_is_a_file_where_the_engine_has_no_tables() -> None:
    with pytest.raises(InputError, match="format of `released` is not known"):
        resolve_target("released", DATA, None)


@pytest.mark.parametrize("output", ["nowhere/out.csv", "nowhere/out/"])
def test_a_folder_that_is_not_there_is_refused(tmp_path: Path, output: str) -> None:
    with pytest.raises(WriteError, match="There is no folder"):
        resolve_target(f"{tmp_path}/{output}", DATA, None)


def test_a_folder_that_is_there_is_not_replaced(tmp_path: Path) -> None:
    (tmp_path / "out").mkdir()
    with pytest.raises(WriteError, match="There is already"):
        resolve_target(f"{tmp_path}/out/", DATA, None)


def test_the_input_is_not_replaced_by_whatever_name_it_is_called(tmp_path: Path) -> None:
    data = tmp_path / "people.csv"
    data.write_text("Age\n1\n")
    link = tmp_path / "link.csv"
    link.symlink_to(data)
    for output in (data, link, tmp_path / "." / "people.csv"):
        with pytest.raises(InputError, match="is the input"):
            resolve_target(output, str(data), None)
    other = tmp_path / "other.csv"
    other.write_text("Age\n2\n")
    assert resolve_target(other, str(data), None) == other
