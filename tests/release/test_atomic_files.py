"""Files that appear whole or not at all."""

from __future__ import annotations

import errno
import os
from pathlib import Path

import pytest

from maskwise.errors import WriteError
from maskwise.release.atomic_files import atomic_file, check_target, renaming_lock, write_draft


def write_text(path: Path, text: str) -> None:
    with atomic_file(path) as draft:
        write_draft(draft, text)


def test_a_file_appears_only_when_the_block_ends(tmp_path: Path) -> None:
    target = tmp_path / "out.csv"
    target.write_text("old")
    with atomic_file(target, ".csv") as draft:
        draft.write_text("new")
        assert draft.parent == tmp_path
        assert draft.name.endswith(".csv")
        assert target.read_text() == "old"
    assert target.read_text() == "new"
    assert os.listdir(tmp_path) == ["out.csv"]  # noqa: PTH208


@pytest.mark.parametrize("stop", [ValueError, KeyboardInterrupt, SystemExit])
def test_a_block_that_fails_leaves_the_old_file_and_nothing_else(tmp_path: Path, stop: type[BaseException]) -> None:
    target = tmp_path / "out.csv"
    target.write_text("old")

    def fail() -> None:
        with atomic_file(target) as draft:
            draft.write_text("half")
            raise stop

    with pytest.raises(stop):
        fail()
    assert target.read_text() == "old"
    assert os.listdir(tmp_path) == ["out.csv"]  # noqa: PTH208


def test_two_writers_of_one_target_do_not_meet(tmp_path: Path) -> None:
    with atomic_file(tmp_path / "out.csv") as one, atomic_file(tmp_path / "out.csv") as two:
        assert one != two
        one.write_text("1")
        two.write_text("2")
    assert os.listdir(tmp_path) == ["out.csv"]  # noqa: PTH208


def test_text_is_written_as_utf_8_with_plain_newlines(tmp_path: Path) -> None:
    write_text(tmp_path / "a.json", "Łódź\n")
    assert (tmp_path / "a.json").read_bytes() == "Łódź\n".encode()


def test_a_full_disk_is_told_and_leaves_the_old_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    target = tmp_path / "a.json"
    target.write_text("old")

    really_open = os.open

    def full(path: Path, *rest: int) -> int:
        os.close(really_open(path, *rest))
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    with monkeypatch.context() as patch:
        patch.setattr(os, "open", full)
        with pytest.raises(WriteError, match="no space left on device"):
            write_text(target, "new text")
    assert target.read_text() == "old"
    assert os.listdir(tmp_path) == ["a.json"]  # noqa: PTH208


def test_a_folder_that_does_not_exist_is_refused_by_name(tmp_path: Path) -> None:
    with pytest.raises(WriteError, match="nowhere"):
        check_target(tmp_path / "nowhere" / "out.csv")


def test_a_target_that_is_a_folder_is_refused(tmp_path: Path) -> None:
    with pytest.raises(WriteError, match="is a folder"):
        check_target(tmp_path)


def test_a_folder_without_permission_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "access", lambda *_, **__: False)
    with pytest.raises(WriteError, match="cannot be written to"):
        check_target(tmp_path / "out.csv")


def test_a_folder_that_may_not_be_read_is_not_locked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> int:
        raise PermissionError(errno.EACCES, "permission denied")

    monkeypatch.setattr(os, "open", refuse)
    with renaming_lock([tmp_path / "report.json"]):
        reached = True
    assert reached
