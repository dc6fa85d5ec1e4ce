"""House rules that no linter knows."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from pathlib import Path

import pytest

import maskwise
from maskwise.cli.app import app

ROOT = Path(__file__).parents[2]
SOURCES = sorted((ROOT / "src" / "maskwise").rglob("*.py"))
HEAVY = ("numba", "duckdb", "ibis", "sklearn", "pyspark", "pandas", "polars", "pyarrow", "numpy", "pydantic")


def test_help_imports_nothing_heavy() -> None:
    code = f"import sys, maskwise.cli.app as c; c.main(['--help']); print([m for m in {HEAVY!r} if m in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1] == "[]"


def test_exports_are_documented_and_there() -> None:
    for name in maskwise.__all__:
        assert getattr(maskwise, name).__doc__, name
    assert set(dir(maskwise)) == set(maskwise.__all__)
    with pytest.raises(AttributeError):
        _ = maskwise.nonsense  # type: ignore[attr-defined]


def test_every_command_and_option_is_in_the_reference() -> None:
    text = (ROOT / "docs" / "reference.md").read_text()
    for command in app:
        if not command.startswith("-"):
            assert f"maskwise {command}" in text, command
            for part in (app[command], *(app[command][name] for name in app[command] if not name.startswith("-"))):
                for argument in part.assemble_argument_collection() if part.default_command else ():
                    for flag in argument.names:
                        assert flag in text or not flag.startswith("--"), flag


def test_every_claim_is_argued_and_its_tests_exist() -> None:
    """Each function with a `Claim:` line is named in docs/claims.md, next to tests that exist."""
    text = (ROOT / "docs" / "claims.md").read_text()
    tests = "\n".join(path.read_text() for path in (ROOT / "tests").rglob("test_*.py"))
    for path in SOURCES:
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.FunctionDef | ast.ClassDef) and "Claim:" in (ast.get_docstring(node) or ""):
                assert f"`{path.stem}.{node.name}`" in text, f"{path.stem}.{node.name}"
    for name in re.findall(r"`(test_\w+)`", text):
        assert f"def {name}(" in tests, name


def test_a_class_name_stands_for_one_class() -> None:
    homes: dict[str, list[str]] = {}
    for path in SOURCES:
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.ClassDef):
                homes.setdefault(node.name, []).append(path.stem)
    assert {name: where for name, where in homes.items() if len(where) > 1} == {}


def test_no_module_grows_into_a_god_module() -> None:
    long = {path.name: n for path in SOURCES if (n := len(path.read_text().splitlines())) > 400}
    assert not long


def test_no_machine_paths_or_hosts_in_the_tree() -> None:
    foreign = re.compile(r"/(?:wor[k]|roo[t]|hom[e])/\w|[.]librar[y]|pypi[.]or[g]")
    folders = ("src", "tests", "docs", "bench", "experiments", "tools", ".ci", ".github")
    endings = {".py", ".md", ".toml", ".yaml", ".yml", ""}
    texts = [
        path for folder in folders for path in (ROOT / folder).rglob("*") if path.is_file() and path.suffix in endings
    ]
    texts = (
        [path for path in texts if "data" not in path.relative_to(ROOT).parts]
        + list(ROOT.glob("*.*d"))
        + [ROOT / "Makefile"]
    )
    assert texts
    assert not [path.name for path in texts if foreign.search(path.read_text())]
