"""Files that a studio keeps: its private folder, and drafts."""

from __future__ import annotations

import json
import os
import stat
from pathlib import Path

import pytest

from maskwise.studio.drafts import Drafts, state_folder
from maskwise.studio.private_folder import PrivateFolder, remove_stale
from maskwise.studio.refusal import RequestError


@pytest.fixture(autouse=True)
def _own_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))


def test_a_folder_is_private_and_gone_at_the_end(tmp_path: Path) -> None:
    folder = PrivateFolder()
    inner = folder.make("upload")
    assert {stat.S_IMODE(path.stat().st_mode) for path in (folder.path, inner)} == {0o700}
    (inner / "people.csv").write_text("x")
    folder.remove()
    assert list(tmp_path.iterdir()) == []


def test_only_the_folders_of_dead_studios_are_removed(tmp_path: Path) -> None:
    alive, dead = PrivateFolder(), PrivateFolder()
    (dead.path / "people.csv").write_text("x")
    dead._lock.close()  # noqa: SLF001 - as the end of a process does
    other = tmp_path / "maskwise-studio-other"
    other.mkdir()  # without a lock it is none of ours
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    (elsewhere / "lock").write_text("")
    (tmp_path / "maskwise-studio-link").symlink_to(elsewhere)
    remove_stale()
    assert alive.path.exists()
    assert not dead.path.exists()
    assert other.exists()
    assert (elsewhere / "lock").exists()
    alive.remove()


def test_drafts_are_told_apart_by_table(tmp_path: Path) -> None:
    drafts = Drafts(tmp_path / "state")
    assert drafts.load("a") is None
    drafts.save("a", {"policy": {"ü": 1}})
    drafts.save("b", {"policy": {}})
    drafts.save("a", {"policy": {"ü": 2}})
    assert drafts.load("a") == {"policy": {"ü": 2}}
    files = list((tmp_path / "state").iterdir())
    assert len(files) == 2
    assert {stat.S_IMODE(path.stat().st_mode) for path in files} == {0o600}


@pytest.mark.parametrize("content", [b"", b"[1]", b"{", b"\xff", b"[" * 100_000])
def test_a_draft_that_cannot_be_read_is_none(tmp_path: Path, content: bytes) -> None:
    drafts = Drafts(tmp_path)
    drafts.save("a", {})
    (path,) = tmp_path.glob("*.draft.json")
    path.write_bytes(content)
    assert drafts.load("a") is None


def test_the_oldest_drafts_go(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("maskwise.studio.drafts._MOST", 2)
    drafts = Drafts(tmp_path)
    for i, source in enumerate("abac"):
        drafts.save(source, {"i": i})
        newest = max(tmp_path.glob("*.draft.json"), key=lambda path: json.loads(path.read_text())["i"])
        os.utime(newest, (i, i))
    assert [drafts.load(source) for source in "abc"] == [{"i": 2}, None, {"i": 3}]


def test_a_folder_that_cannot_be_written_is_said(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x")
    with pytest.raises(RequestError, match="could not be saved"):
        Drafts(tmp_path / "file" / "state").save("a", {})


def test_where_drafts_are(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    assert state_folder() == tmp_path / "maskwise"
    monkeypatch.setenv("XDG_STATE_HOME", "relative")
    monkeypatch.setenv("HOME", str(tmp_path))
    assert state_folder() == tmp_path / ".local" / "state" / "maskwise"
