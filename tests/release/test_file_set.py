"""Files that get their names together, or not at all, whatever fails on the way."""

from __future__ import annotations

import errno
import os
import signal
import stat
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from maskwise.errors import WriteError
from maskwise.release import file_set
from maskwise.release.file_set import FileSet, Sidecar, finish_others, write_files
from maskwise.release.target_checks import check_folder, check_target

NAMES = ("release.csv", "solution.json", "report.md")


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def write_all(folder: Path, text: str) -> None:
    with FileSet() as files:
        files.file(folder / NAMES[0], ".csv").write_text(text)
        for name in NAMES[1:]:
            files.write(Sidecar(folder / name, text, private=name.endswith("json")))


def contents(folder: Path) -> list[str | None]:
    return [(folder / name).read_text() if (folder / name).exists() else None for name in NAMES]


def test_a_file_appears_only_when_the_block_ends(tmp_path: Path) -> None:
    target = tmp_path / "out.csv"
    target.write_text("old")
    with FileSet() as files:
        draft = files.file(target, ".csv")
        draft.write_text("new")
        assert (draft.parent, draft.suffix) == (tmp_path, ".csv")
        assert target.read_text() == "old"
    assert target.read_text() == "new"
    assert names(tmp_path) == ["out.csv"]


@pytest.mark.parametrize("stop", [ValueError, KeyboardInterrupt, SystemExit])
@pytest.mark.parametrize("is_prepared", [True, False])
def test_a_block_that_fails_leaves_the_old_files_and_nothing_else(
    tmp_path: Path, stop: type[BaseException], *, is_prepared: bool
) -> None:
    write_all(tmp_path, "old")

    def fail() -> None:
        with FileSet() as files:
            for name in NAMES:
                files.file(tmp_path / name).write_text("half")
            if is_prepared:
                files.prepare()
            raise stop

    with pytest.raises(stop):
        fail()
    assert contents(tmp_path) == ["old"] * 3
    assert names(tmp_path) == sorted(NAMES)


def test_two_writers_of_one_target_do_not_meet(tmp_path: Path) -> None:
    with FileSet() as one, FileSet() as two:
        drafts = [files.file(tmp_path / "out.csv") for files in (one, two)]
        assert drafts[0] != drafts[1]
        for draft in drafts:
            draft.write_text("x")
    assert names(tmp_path) == ["out.csv"]


def test_text_is_written_as_utf_8_with_plain_newlines(tmp_path: Path) -> None:
    write_files([Sidecar(tmp_path / "a.json", "Łódź\n")])
    assert (tmp_path / "a.json").read_bytes() == "Łódź\n".encode()


@pytest.mark.parametrize("has_old", [True, False])
@pytest.mark.parametrize("call", ["replace", "link", "fsync", "open", "chmod", "close"])
def test_whatever_call_fails_the_set_is_all_old_or_all_new(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, call: str, *, has_old: bool
) -> None:
    """Each call fails once: the first, the second, and so on until none is left."""
    for n in range(100):
        folder = tmp_path / str(n)
        folder.mkdir()
        if has_old:
            write_all(folder, "old")
        really, calls = getattr(os, call), [0]

        def fail(
            *rest: Any, _really: Callable[..., Any] = really, _calls: list[int] = calls, _n: int = n, **more: Any
        ) -> Any:
            _calls[0] += 1
            if _calls[0] == _n + 1:
                raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
            return _really(*rest, **more)

        is_done = True
        with monkeypatch.context() as patch:
            patch.setattr(os, call, fail)
            try:
                write_all(folder, "new")
            except WriteError:
                is_done = False
        old = ["old"] * 3 if has_old else [None] * 3
        assert contents(folder) == (["new"] * 3 if is_done else old), (call, n)
        assert [name for name in names(folder) if name not in NAMES] == [], (call, n)
        if calls[0] <= n:
            assert n > 0 or call in {"link", "chmod"}
            return
    pytest.fail("always another call")


KILLED = """
import os, sys
from pathlib import Path
from maskwise.release.file_set import FileSet, Sidecar
folder, n, call = Path(sys.argv[1]), int(sys.argv[2]), sys.argv[3]
really, calls = getattr(os, call), [0]
def kill(*rest, **more):
    calls[0] += 1
    if calls[0] == n:
        os.kill(os.getpid(), 9)
    return really(*rest, **more)
setattr(os, call, kill)
with FileSet() as files:
    files.file(folder / "release.csv", ".csv").write_text("new")
    for name in ("solution.json", "report.md"):
        files.write(Sidecar(folder / name, "new"))
"""


@pytest.mark.slow
@pytest.mark.parametrize("call", ["replace", "link", "fsync"])
def test_a_killed_run_is_finished_or_forgotten_by_the_next(tmp_path: Path, call: str) -> None:
    for n in range(1, 20):
        folder = tmp_path / str(n)
        folder.mkdir()
        write_all(folder, "old")
        ended = subprocess.run([sys.executable, "-c", KILLED, str(folder), str(n), call], check=False)
        finish_others(folder)
        found = contents(folder)
        assert found in (["old"] * 3, ["new"] * 3), (call, n)
        if ended.returncode == 0:
            assert found == ["new"] * 3
            return
        assert ended.returncode == -signal.SIGKILL
    pytest.fail("never ended well")


def test_a_run_that_is_at_work_is_not_finished_by_another(tmp_path: Path) -> None:
    with FileSet() as files:
        files.file(tmp_path / "a").write_text("new")
        files.prepare()
        other = threading.Thread(target=finish_others, args=(tmp_path,))
        other.start()
        other.join(0.3)
        assert other.is_alive()
        assert not (tmp_path / "a").exists()
    other.join(5)
    assert not other.is_alive()
    assert names(tmp_path) == ["a"]


def test_another_run_is_not_waited_for_in_silence_for_ever(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(file_set, "_PATIENCE", 0.1)
    with FileSet() as one:
        one.file(tmp_path / "a").write_text("1")
        one.prepare()
        with pytest.raises(WriteError, match="Another run has had the folder"):
            finish_others(tmp_path)


def test_a_signal_while_names_are_given_waits_and_passes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    really = os.replace

    def interrupted(*rest: Any) -> None:
        os.kill(os.getpid(), signal.SIGINT)
        really(*rest)

    handler = signal.getsignal(signal.SIGINT)
    monkeypatch.setattr(os, "replace", interrupted)
    with FileSet() as files:
        files.file(tmp_path / "a").write_text("1")
        files.write(Sidecar(tmp_path / "b", "2"))
        monkeypatch.setattr(os, "replace", really)
        files.prepare()
        monkeypatch.setattr(os, "replace", interrupted)
    assert names(tmp_path) == ["a", "b"]
    assert signal.getsignal(signal.SIGINT) == handler


@pytest.mark.parametrize("mode", [0o600, 0o644])
def test_nobody_reads_a_draft_who_could_not_read_the_old_file(tmp_path: Path, mode: int) -> None:
    target = tmp_path / "out.csv"
    target.write_text("old")
    target.chmod(mode)
    with FileSet() as files:
        draft = files.file(target, ".csv")
        assert stat.S_IMODE(draft.stat().st_mode) & ~mode == 0
        draft.write_text("new")
    assert stat.S_IMODE(target.stat().st_mode) == mode


def test_a_private_file_stays_private(tmp_path: Path) -> None:
    (tmp_path / "s.json").write_text("old")
    (tmp_path / "s.json").chmod(0o644)
    write_files([Sidecar(tmp_path / "s.json", "new", private=True)])
    assert stat.S_IMODE((tmp_path / "s.json").stat().st_mode) == 0o600


def test_a_folder_appears_whole_or_not_at_all(tmp_path: Path) -> None:
    with FileSet() as files:
        (files.folder(tmp_path / "released") / "part-0.parquet").write_text("x")
        files.write(Sidecar(tmp_path / "s.json", "y"))
        assert not (tmp_path / "released").exists()
    assert names(tmp_path) == ["released", "s.json"]
    with pytest.raises(WriteError, match="already"):
        FileSet().folder(tmp_path / "released")


def test_a_folder_that_came_meanwhile_is_left_and_nothing_else_is_written(tmp_path: Path) -> None:
    def collide() -> None:
        with FileSet() as files:
            files.write(Sidecar(tmp_path / "s.json", "y"))
            (files.folder(tmp_path / "released") / "part-0.parquet").write_text("x")
            (tmp_path / "released").mkdir()

    with pytest.raises(WriteError, match="already"):
        collide()
    assert names(tmp_path) == ["released"]


def test_a_folder_that_does_not_exist_is_refused_by_name(tmp_path: Path) -> None:
    with pytest.raises(WriteError, match="nowhere"):
        check_target(tmp_path / "nowhere" / "out.csv")


def test_a_target_that_is_a_folder_is_refused(tmp_path: Path) -> None:
    with pytest.raises(WriteError, match="is a folder"):
        check_target(tmp_path)
    with pytest.raises(WriteError, match="already"):
        check_folder(tmp_path)


def test_a_folder_without_permission_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "access", lambda *_, **__: False)
    with pytest.raises(WriteError, match="cannot be written to"):
        check_target(tmp_path / "out.csv")
