"""Settings: defaults of options from maskwise.toml or pyproject.toml."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from maskwise.cli.app import app
from maskwise.cli.settings import SETTINGS, find_settings
from tests.conftest import Run, cells, drop_identifiers


@pytest.fixture
def place(tmp_path: Path, data: Path, policy: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with a table, a policy that nothing is to be warned of, and no settings."""
    assert data.parent == policy.parent == tmp_path
    drop_identifiers(policy)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HOME", str(tmp_path / "elsewhere"))
    return tmp_path


def report(run: Run, *options: str) -> dict[str, Any]:
    """What a run of `mask` says it did."""
    result = run("mask", "people.csv", "-p", "policy.yaml", "-o", "out.csv", "--json", *options)
    assert result.code == 0, result.err
    found: dict[str, Any] = json.loads(result.out)
    return found


@pytest.mark.slow
def test_a_setting_is_a_default_and_the_command_line_wins(place: Path, run: Run) -> None:
    (place / "maskwise.toml").write_text('method = "regions"\neffort = 1\n')
    assert report(run)["method"] == "regions"
    # An effort is for regions alone: what is set for one way to search is not used for another.
    assert report(run, "--method", "tdr")["method"] == "tdr"
    (place / "maskwise.toml").write_text("effort = 1\n")
    assert run("mask", "people.csv", "-p", "policy.yaml", "-o", "out.csv").code == 2


@pytest.mark.slow
def test_settings_stand_in_pyproject_too_and_are_named(place: Path, run: Run) -> None:
    text = '[project]\nname = "x"\n[tool.other]\nspeed = 1\n[tool.maskwise]\ncriterion = "infogain"\n'
    (place / "pyproject.toml").write_text(text)
    result = run("mask", "people.csv", "-p", "policy.yaml", "-o", "out.csv")
    assert result.code == 0
    assert f"note: criterion from `{place / 'pyproject.toml'}`." in result.err
    assert report(run)["criterion"] == "infogain"


@pytest.mark.slow
def test_a_protection_is_given_up_with_a_warning_even_if_quiet(place: Path, run: Run) -> None:
    (place / "maskwise.toml").write_text("# order\nkeep_order = true\n")
    arguments = ("mask", "people.csv", "-p", "policy.yaml", "-o", "out.csv", "--quiet")
    result = run(*arguments)
    assert "warning: maskwise.toml, line 2 sets `keep_order`" in result.err
    kept = [row[-1] for row in cells(place / "out.csv")]
    assert kept == [row[-1] for row in cells(place / "people.csv")]
    for option in ("--shuffle", "--keep-order=false", "--seed=1"):
        result = run(*arguments, option)
        assert (result.code, result.err) == (0, ""), option
        assert [row[-1] for row in cells(place / "out.csv")] != kept
    (place / "maskwise.toml").write_text("keep_order = false\n")
    assert "warning" not in run(*arguments).err


@pytest.mark.slow
def test_strict_settings_hold_and_can_be_switched_off_by_hand(place: Path, run: Run) -> None:
    assert run("mask", "people.csv", "-p", "policy.yaml", "-o", "out.csv", "-q", "--solution", "s.json").code == 0
    lines = (place / "people.csv").read_text().splitlines()
    (place / "later.csv").write_text(f"{lines[0]}\n9,N,30,no school,clerk,F,0,low\n")
    (place / "maskwise.toml").write_text("strict = true\n")
    arguments = ("apply", "later.csv", "-s", "s.json", "-o", "later-out.csv", "-q")
    assert run(*arguments).code == 2
    assert not (place / "later-out.csv").exists()
    assert run(*arguments, "--strict=false").code == 0


def test_a_command_takes_only_the_settings_it_has(place: Path, run: Run) -> None:
    (place / "maskwise.toml").write_text('method = "bug"\nmemory = "1GB"\nstrict = true\n')
    result = run("audit", "people.csv", "-p", "policy.yaml")
    assert result.code == 1
    assert "note: memory from" in result.err


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("memory = '1GB'\nmemry = '1GB'\n", "maskwise.toml, line 2: `memry` is not a setting. Did you mean `memory`?"),
        ("\nk = 2\n", "maskwise.toml, line 2: `k` is not a setting. Settings are: engine, memory"),
        ("as_published = true\n", "line 1: `as_published` is not a setting"),
        ("boundaries = 'exact'\n", "line 1: `boundaries` is not a setting"),
        ("seed = 1\n", "line 1: `seed` is not a setting"),
        ("[requirements]\nk = 2\n", "line 1: `requirements` is not a setting"),
        ("requirements.k = 2\n", "line 1: `requirements` is not a setting"),
        ("effort = 2\nmethod = 'best'\n", "line 2: `method` is one of `tdr`"),
        ("effort = true\n", "line 1: `effort` is a whole number"),
        ("keep_order = 'yes'\n", "line 1: `keep_order` is true or false"),
        ("time_limit = '5'\n", "line 1: `time_limit` is a number"),
        ("memory = 4\n", "line 1: `memory` is a text in quotes"),
        ("memory = \n", "is not TOML: Invalid value (at line 1"),
        ("memory = 'lots'\n", "`lots` is no amount of memory"),
    ],
)
def test_mistakes_are_refused_with_their_line(place: Path, run: Run, text: str, said: str) -> None:
    (place / "maskwise.toml").write_text(text)
    result = run("mask", "people.csv", "-p", "policy.yaml", "-o", "out.csv")
    assert result.code == 2
    assert result.out == ""
    assert said in result.err
    assert not (place / "out.csv").exists()


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("[tool]\nmaskwise = 1\n", "`tool.maskwise` is not a table"),
        ("[tool.maskwise]\nmethod = 'tdr'\n[tool.maskwise.mask]\nk = 2\n", "pyproject.toml, line 3: `mask`"),
        ("[a]\nk = 1\n[tool.maskwise]\nk = 2\n", "pyproject.toml, line 4: `k`"),
    ],
)
def test_mistakes_in_pyproject_are_refused_with_their_line(place: Path, run: Run, text: str, said: str) -> None:
    (place / "pyproject.toml").write_text(text)
    result = run("mask", "people.csv", "-p", "policy.yaml", "-o", "out.csv")
    assert result.code == 2
    assert said in result.err


def test_bytes_that_are_no_text_are_refused(place: Path, run: Run) -> None:
    (place / "maskwise.toml").write_bytes(b"\xff\xfe\x00")
    result = run("mask", "people.csv", "-p", "policy.yaml", "-o", "out.csv")
    assert (result.code, result.out) == (2, "")
    assert "UTF-8" in result.err


def test_a_mistake_does_not_keep_help_from_working(place: Path, run: Run) -> None:
    (place / "maskwise.toml").write_text("nonsense = 1\n")
    assert run("completion", "bash").code == 0
    for arguments in (["mask", "--help"], ["--version"]):
        assert run(*arguments).err == ""


def test_the_nearest_file_is_used_and_no_other(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    inner = tmp_path / "a" / "b"
    inner.mkdir(parents=True)
    (tmp_path / "maskwise.toml").write_text("effort = 1\n")
    found = find_settings(inner)
    assert found is not None
    assert found.path == tmp_path / "maskwise.toml"
    (tmp_path / "a" / "pyproject.toml").write_text("[tool.other]\n")
    assert find_settings(inner) == found
    (tmp_path / "a" / "pyproject.toml").write_text("[tool.maskwise]\neffort = 2\n")
    found = find_settings(inner)
    assert found is not None
    assert found.values == {"effort": 2}


def test_the_search_ends_at_the_repository_and_at_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    inner = tmp_path / "home" / "project" / "folder"
    inner.mkdir(parents=True)
    (tmp_path / "maskwise.toml").write_text("effort = 1\n")
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    assert find_settings(inner) is None
    (tmp_path / "home" / "maskwise.toml").write_text("effort = 2\n")
    assert find_settings(inner) is not None
    (inner.parent / ".git").mkdir()
    assert find_settings(inner) is None


def test_outside_of_both_only_the_folder_itself_is_looked_at(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    inner = tmp_path / "shared" / "folder"
    inner.mkdir(parents=True)
    (tmp_path / "shared" / "maskwise.toml").write_text("effort = 1\n")
    assert find_settings(inner) is None
    assert find_settings(inner.parent) is not None


def test_two_files_in_one_folder_are_refused(place: Path, run: Run) -> None:
    (place / "maskwise.toml").write_text("effort = 1\n")
    (place / "pyproject.toml").write_text("[tool.maskwise]\neffort = 2\n")
    result = run("mask", "people.csv", "-p", "policy.yaml", "-o", "out.csv")
    assert result.code == 2
    assert "Keep one of them" in result.err


def test_every_setting_is_an_option_of_a_command_and_documented() -> None:
    flags = {
        name
        for command in app
        if not command.startswith("-") and app[command].default_command
        for argument in app[command].assemble_argument_collection()
        for name in argument.names
    }
    text = (Path(__file__).parents[2] / "docs" / "reference.md").read_text()
    (table,) = [part for part in text.split("\n## ") if part.startswith("Settings\n")]
    for key in SETTINGS:
        assert f"--{key.replace('_', '-')}" in flags
        assert re.search(rf"^\|[^|]*`{key}`", table, re.MULTILINE), key
