"""What is exported: the bytes of the command line, and a command that gives them again."""

from __future__ import annotations

import shlex
import stat
from pathlib import Path
from typing import Any

import pytest

from maskwise.cli.app import main
from maskwise.formats.policy_file import read_policy, to_data
from maskwise.studio.exporting import policy_text
from tests.studio.conftest import POLICY, SECRET
from tests.studio.running import RunningStudio

WAYS: list[tuple[dict[str, Any], int | None, bool]] = [
    ({"seed": 7}, None, False),
    ({}, None, True),
    ({"seed": 7}, 1, False),
    ({"criterion": "conditional", "seed": 3}, 1, True),
    ({"method": "regions", "effort": 1, "seed": 3}, None, False),
    ({"method": "bug", "seed": 5}, None, False),
]


@pytest.mark.slow
@pytest.mark.parametrize(("options", "step", "keep_order"), WAYS)
def test_the_command_that_is_shown_writes_the_same_bytes(
    server: RunningStudio,
    tmp_path: Path,
    options: dict[str, Any],
    step: int | None,
    keep_order: bool,
    capsys: pytest.CaptureFixture[str],
) -> None:
    run = server.search(POLICY, **options)
    folder = tmp_path / "out folder"
    answer = server.export(run, step=step, folder=str(folder), keep_order=keep_order)
    files = {Path(file["path"]).name: file for file in answer["files"]}
    assert set(files) == {
        "release.csv",
        "solution.json",
        "trace.jsonl",
        "report.html",
        "owner-report.html",
        "policy.yaml",
    }
    for file in files.values():
        assert stat.S_IMODE(Path(file["path"]).stat().st_mode) & 0o077 == (0 if file["is_private"] else 0o044)
    assert {name for name, file in files.items() if not file["is_private"]} == {"release.csv", "report.html"}
    # Same files, written by the command into another folder.
    other = tmp_path / "again"
    other.mkdir()
    words = shlex.split(answer["command"])
    assert words[0] == "maskwise"
    written = [word.replace(str(folder), str(other)) if not _is_read(word, words[1]) else word for word in words[1:]]
    assert main(written) == 0, capsys.readouterr().err
    is_whole = words[1] == "mask" and step is None
    compared = {path.name for path in other.iterdir()} if is_whole else {"release.csv"}
    assert "release.csv" in compared
    for name in sorted(compared):
        assert (other / name).read_bytes().replace(str(other).encode(), b"") == (folder / name).read_bytes().replace(
            str(folder).encode(), b""
        ), name
    assert SECRET.encode() not in b"".join(path.read_bytes() for path in folder.iterdir())


def _is_read(word: str, command: str) -> bool:
    """Whether the command reads a file, so that it stays where it is."""
    return word.endswith(("policy.yaml", "people.csv", *(["solution.json"] if command == "apply" else [])))


@pytest.mark.slow
def test_an_export_says_how_far_it_is_and_a_page_that_is_loaded_again_finds_the_search(
    server: RunningStudio, tmp_path: Path
) -> None:
    run = server.search(POLICY)
    exporting = server.ask("export", run=run, step=None, folder=str(tmp_path), name="release.csv")["run"]
    events = list(server.events(exporting))
    assert {"mask", "verify"} <= {event["stage"] for event in events if event["kind"] == "stage"}
    assert events[-1]["kind"] == "done"
    assert (tmp_path / "release.csv").is_file()
    assert server.ask("state")["run"] == {"id": run, "kind": "search", "is_running": False}


@pytest.mark.slow
def test_a_policy_written_by_hand_is_not_replaced(server: RunningStudio, tmp_path: Path) -> None:
    run = server.search(POLICY)
    (tmp_path / "policy.yaml").write_text("requirements: [{qid: [Age], k: 2}]  # mine\n")
    answer = server.export(run, folder=str(tmp_path))
    assert answer["kind"] == "failed"
    assert "did not write" in answer["error"]["text"]
    assert [path.name for path in tmp_path.iterdir()] == ["policy.yaml"]
    (tmp_path / "policy.yaml").unlink()
    for _ in range(2):  # what the studio wrote, it replaces
        assert server.export(run, folder=str(tmp_path), files={"trace": False})["kind"] == "done"
    assert not (tmp_path / "trace.jsonl").exists()


@pytest.mark.slow
@pytest.mark.parametrize("name", ["release.csv", "report.html"])
def test_files_of_others_are_not_replaced(server: RunningStudio, tmp_path: Path, name: str) -> None:
    run = server.search(POLICY)
    elsewhere = tmp_path / "elsewhere"
    folder = tmp_path / "out"
    folder.mkdir()
    for put in (lambda path: path.write_text("mine"), lambda path: path.symlink_to(elsewhere)):
        put(folder / name)
        answer = server.export(run, folder=str(folder))
        assert answer["kind"] == "failed"
        assert "did not write" in answer["error"]["text"]
        (folder / name).unlink()
    assert not elsewhere.exists()
    assert list(folder.iterdir()) == []


@pytest.mark.slow
def test_folders_that_cannot_be_made_are_said(server: RunningStudio, people: Path) -> None:
    run = server.search(POLICY)
    for folder in (f"{people}/below", "~nobody-has-this-name/x", "a\0b", f"/tmp/{'x' * 300}", "/proc/none"):  # noqa: S108
        answer = server.export(run, folder=folder)
        assert answer["kind"] == "failed", folder
        assert answer["error"]["remedy"]


@pytest.mark.slow
def test_files_stay_in_their_folder_and_never_replace_the_table(server: RunningStudio, people: Path) -> None:
    run = server.search(POLICY)
    content = people.read_bytes()
    wrong: list[dict[str, Any]] = [
        {"name": "../release.csv"},
        {"name": "people.csv"},
        {"name": "release.csv", "files": {"solution": "people.csv"}},
        {"name": "release.csv", "files": {"solution": "/tmp/x.json"}},  # noqa: S108 - it is refused
        {"name": "release.csv", "files": {"solution": "RELEASE.csv"}},
        {"name": "policy.yaml"},
        {"name": "release.exe"},
        {"name": ".."},
        {"name": "release.csv", "files": {"trace": ".."}},
    ]
    for body in wrong:
        answer = server.export(run, folder=str(people.parent), **body)
        assert answer["kind"] == "failed", body
        assert answer["error"]["text"].endswith((".", "`"))
    assert people.read_bytes() == content
    assert [path.name for path in people.parent.iterdir()] == ["people.csv"]


def test_a_policy_file_reads_as_the_policy(tmp_path: Path) -> None:
    tricky: dict[str, Any] = {
        "class": "No",
        "attributes": {
            "A: b": {"taxonomy": {"*": {"yes": {}, "01": {}, "~": {}, "1e3": {}, "# x": {}, "ü\u2028": {}}}},
            "off": {"interval": ["0", "1.50"]},
        },
        "requirements": [{"qid": ["A: b", "off"], "k": 3}],
        "drop": ["null", "é"],
    }
    policy = read_policy(tricky)
    path = tmp_path / "policy.yaml"
    path.write_text(policy_text(policy), encoding="utf-8")
    assert to_data(read_policy(path)) == to_data(policy)
