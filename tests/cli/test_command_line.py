"""How the command is called, and where it points those who call it wrongly."""

from __future__ import annotations

import subprocess
import sys
from importlib.metadata import version
from inspect import signature
from pathlib import Path

import pytest

import maskwise
from maskwise.search.options import SearchKeywords, SearchOptions
from tests.conftest import Run


def call(*arguments: str, cwd: Path) -> str:
    done = subprocess.run(
        [sys.executable, "-m", *arguments], capture_output=True, text=True, check=True, cwd=cwd, timeout=120
    )
    return done.stdout


@pytest.mark.parametrize("module", ["maskwise", "maskwise.cli"])
def test_the_module_can_be_run(tmp_path: Path, module: str) -> None:
    assert call(module, "--version", cwd=tmp_path).strip() == version("maskwise") == maskwise.__version__


@pytest.mark.slow
def test_what_the_demo_says_at_its_end_can_be_called(tmp_path: Path) -> None:
    last = call("maskwise", "demo", cwd=tmp_path).splitlines()
    at = next(i for i, line in enumerate(last) if line.startswith("Recount it yourself: "))
    words = " ".join(last[at:]).removeprefix("Recount it yourself: ").split()
    assert words[:3] == [sys.executable, "-m", "maskwise"]
    assert subprocess.run(words, capture_output=True, check=False, cwd=tmp_path, timeout=120).returncode == 0


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["mask"], "Try `maskwise mask --help`."),
        (["mask", "x.csv", "--polcy", "p"], "Did you mean --policy instead of --polcy? Try `maskwise mask --help`."),
        (["evaluate", "x.csv", "-p", "p", "--foo"], "Try `maskwise evaluate --help`."),
        (["mask", "x.csv", "-p", "p", "-o", "o.csv", "--max-steps", "some"], "Try `maskwise mask --help`."),
        (["msk"], "Try `maskwise --help`."),
    ],
)
def test_a_wrong_option_points_to_the_help_on_its_command(run: Run, arguments: list[str], says: str) -> None:
    result = run(*arguments)
    assert result.code == 2
    assert says in result.err


def test_the_pattern_that_is_suggested_means_the_folder(
    tmp_path: Path, run: Run, policy: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "a" / "b").mkdir(parents=True)
    monkeypatch.chdir(tmp_path)
    for name, pattern in ((".", "./*.csv"), ("a/b", "a/b/*.csv")):
        result = run("mask", name, "-p", policy, "-o", "out.csv")
        assert f"such as `{pattern}`" in result.err


def test_the_seed_of_apply_is_for_its_order_alone(run: Run) -> None:
    said = " ".join(run("apply", "--help").out.split())
    assert "Makes the order repeatable" in said
    assert "regions" not in said
    assert "order of records and regions" in " ".join(run("mask", "--help").out.replace("│", " ").split())


def test_the_reference_gives_every_argument_of_the_functions() -> None:
    text = (Path(__file__).parents[2] / "docs" / "reference.md").read_text(encoding="utf-8")
    for function in (maskwise.anonymize, maskwise.apply, maskwise.audit, maskwise.evaluate):
        (line,) = [line for line in text.splitlines() if line.startswith(f"maskwise.{function.__name__}(")]
        given = [word.partition("=")[0] for word in line.partition("(")[2].partition(")")[0].split(", ")]
        assert [name.lstrip("*") for name in given if name != "*"] == list(signature(function).parameters)
    (described,) = [part for part in text.split("\n\n") if part.startswith("`**search` stands for")]
    defaults = SearchOptions()
    for name in SearchKeywords.__annotations__:
        assert f"`{name}={getattr(defaults, name)!r}`".replace("'", '"') in described
