"""`mask --certificate` and `verify` on the command line."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest
import yaml

from maskwise.cli.app import main
from tests.certificate.releases import POLICY, copy_of_certified, list_signers, make_key, needs_ssh, people, write_csv


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    write_csv(tmp_path / "people.csv", people())
    (tmp_path / "policy.yaml").write_text(yaml.safe_dump(POLICY))
    return tmp_path


MASK = ["mask", "people.csv", "-p", "policy.yaml", "-o", "release.csv"]


@pytest.mark.slow
@needs_ssh
def test_a_signed_release_from_owner_to_recipient(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    signers = list_signers(folder / "signers", office=make_key(folder / "id"))
    assert main([*MASK, "--certificate", "cert.json", "--sign", "id", "--statement", "Approved."]) == 0
    said = capsys.readouterr().out
    assert all(text in said for text in ("certificate: cert.json\n", "signature: cert.json.sig", "keep it secret"))
    assert main(["verify", "cert.json", "release.csv", "--signers", str(signers)]) == 0
    said = capsys.readouterr().out
    assert all(text in said for text in ("The owner states: Approved.", "Confirmed: "))
    assert "office@example.org" in said.replace(" ", "").replace("│", "").replace("\n", "")
    everything = ["verify", "cert.json", "release.csv", "-p", "policy.yaml", "--certificate-key", "cert.json.key"]
    assert main(everything) == 0
    assert "unknown key with fingerprint SHA256:" in capsys.readouterr().err


@pytest.mark.slow
def test_a_difference_ends_with_1_and_both_values(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    copy_of_certified(folder)
    text = (folder / "cert.json").read_text()
    (folder / "cert.json").write_text(text.replace('"rows": 120', '"rows": 7654321'))
    capsys.readouterr()
    assert main(["verify", "cert.json", "release.csv"]) == 1
    done = capsys.readouterr()
    (line,) = [line for line in done.out.splitlines() if "7654321" in line]
    assert "120" in line
    assert "differs" in line
    assert "not confirmed: 1 check" in done.err
    assert "unsigned" in done.err
    assert main(["verify", "cert.json", "release.csv", "--json"]) == 1
    found = json.loads(capsys.readouterr().out)
    assert found["confirmed"] is False
    assert {"check": "rows", "stated": 7654321, "found": 120, "mark": "differs"} in found["checks"]


@pytest.mark.slow
def test_quiet_prints_warnings_and_failures_only(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    copy_of_certified(folder)
    capsys.readouterr()
    assert main(["verify", "cert.json", "release.csv", "-q"]) == 0
    done = capsys.readouterr()
    assert done.out == ""
    assert "unsigned" in done.err


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        (["verify", "people.csv", "release.csv"], "is not JSON"),
        (["verify", "nowhere.json", "release.csv"], "There is no file"),
        (["verify", "cert.json", "nowhere.csv"], "There is no file or folder"),
        (["verify", "cert.json", "release.csv", "--signers", "nowhere"], "no list of signers"),
        (["verify", "cert.json", "release.csv", "-p", "nowhere.yaml"], "nowhere.yaml"),
        (["verify", "cert.json", "release.csv", "--certificate-key", "cert.json.key"], "policy"),
        ([*MASK, "--sign", "id"], "--certificate"),
        ([*MASK, "--statement", "x"], "--certificate"),
        ([*MASK, "--certificate", "release.csv"], "named twice"),
        ([*MASK, "--certificate", "people.csv"], "is the input"),
        ([*MASK, "--certificate", "c.json", "--certificate-key", "c.json"], "different files"),
        ([*MASK, "--certificate", "nowhere/c.json"], "no folder"),
        ([*MASK, "--certificate", "c.json", "--sign", "nowhere"], "There is no key"),
        ([*MASK[:-1], "released", "--engine", "duckdb:///x.db", "--certificate", "c.json"], "table of a database"),
    ],
)
def test_bad_input_ends_with_2_and_a_sentence(
    folder: Path, capsys: pytest.CaptureFixture[str], arguments: list[str], text: str
) -> None:
    copy_of_certified(folder)
    before = {path: path.read_bytes() for path in folder.iterdir()}
    capsys.readouterr()
    assert main(arguments) == 2
    assert text in capsys.readouterr().err
    assert {path: path.read_bytes() for path in folder.iterdir()} == before


def test_a_stranger_does_not_write_to_the_terminal(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    copy_of_certified(folder)
    data = json.loads((folder / "cert.json").read_text())
    evil = "\x1b[2J\x1b]0;owned\x07[bold red]"
    data["predicate"]["claimed"]["statement"] = evil
    data["predicate"]["claimed"]["not_covered"] = [evil]
    data["predicate"]["claimed"]["options"][evil] = evil
    data["predicate"]["recounted"]["columns"]["passed"] = [evil]
    data["subject"][0]["name"] = evil
    (folder / "cert.json").write_text(json.dumps(data))
    capsys.readouterr()
    assert main(["verify", "cert.json", "release.csv"]) == 1
    said = "".join(capsys.readouterr())
    assert "\x1b" not in said
    assert "\x07" not in said
    assert "[bold red]" in said


@pytest.mark.slow
@pytest.mark.parametrize("options", [["--json"], []])
def test_other_files_of_a_run_stay_as_they_are(folder: Path, options: list[str], capsys: Any) -> None:
    """A certificate goes with every other file beside a release."""
    files = ["--solution", "s.json", "--trace", "t.jsonl", "--report", "r.md", "--owner-report", "o.md"]
    assert main([*MASK, *files, "--certificate", "cert.json", *options]) == 0
    capsys.readouterr()
    assert {path.name for path in folder.iterdir()} >= {"s.json", "t.jsonl", "r.md", "o.md", "cert.json", "release.csv"}
    shutil.copy(folder / "release.csv", folder / "copy.csv")
    assert main(["verify", "cert.json", "copy.csv", "-q"]) == 0
