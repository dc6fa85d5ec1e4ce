"""What the documents for developers say about the code is so."""

from __future__ import annotations

import ast
import re
import tomllib
from pathlib import Path

import yaml

import maskwise
import maskwise.evaluation

ROOT = Path(__file__).parents[2]
SOURCE = ROOT / "src" / "maskwise"
PARTS = {path.stem for path in SOURCE.iterdir() if path.suffix == ".py" or (path / "__init__.py").exists()}
ARCHITECTURE = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
SETTINGS = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))


def names_in_source() -> set[str]:
    """Everything that has a name in the source: modules, classes, functions, fields, arguments, text values."""
    names: set[str] = set()
    for path in SOURCE.rglob("*.py"):
        names |= {path.stem, path.parent.name}
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            match node:
                case ast.ClassDef(name=name) | ast.FunctionDef(name=name) | ast.arg(arg=name) | ast.Name(id=name):
                    names.add(name)
                case ast.Attribute(attr=name):
                    names.add(name)
                case ast.Constant(value=str(text)):
                    names.add(text)
    return names


def test_the_architecture_describes_every_package_and_no_other() -> None:
    described = set(re.findall(r"^\*\*`(\w+)`\*\*", ARCHITECTURE, flags=re.MULTILINE))
    assert described == PARTS - {"__init__", "__main__"}


def test_the_architecture_shows_the_layers_that_are_checked() -> None:
    (listing,) = re.findall(r"^```\n(__main__\n.*?)^```", ARCHITECTURE, flags=re.MULTILINE | re.DOTALL)
    assert listing.splitlines() == SETTINGS["tool"]["importlinter"]["contracts"][0]["layers"]


def test_the_architecture_names_files_that_exist() -> None:
    named = {name for name in re.findall(r"`([\w.]+/[\w./]*)`", ARCHITECTURE) if "NAME" not in name}
    assert named
    assert not [name for name in named if not any((folder / name).exists() for folder in (ROOT, SOURCE))]


def test_every_package_says_what_it_is() -> None:
    for path in SOURCE.rglob("__init__.py"):
        assert ast.get_docstring(ast.parse(path.read_text(encoding="utf-8"))), path


def test_every_code_name_in_the_glossary_is_in_the_source() -> None:
    known = names_in_source()
    rows = re.findall(r"^\| (.+) \| .+ \| (.*) ?\|$", (ROOT / "docs" / "glossary.md").read_text(), flags=re.MULTILINE)
    named = [name for word, code in rows if word != "word" for name in re.findall(r"`([^`]+)`", code)]
    assert len(named) > len(rows) / 2
    assert not [name for name in named if name not in known]


def test_the_glossary_explains_each_word_once() -> None:
    rows = re.findall(r"^\| (.+?) \|", (ROOT / "docs" / "glossary.md").read_text(), flags=re.MULTILINE)
    words = [word for row in rows if row not in {"word", "---"} for word in row.split(", ")]
    assert len(words) == len(set(words))


def test_decisions_are_numbered_and_say_what_would_change_them() -> None:
    records = re.split(r"^### ", (ROOT / "docs" / "decisions.md").read_text(), flags=re.MULTILINE)[1:]
    numbers = [int(record.partition(".")[0]) for record in records]
    assert numbers == list(range(1, len(records) + 1))
    assert not [record.splitlines()[0] for record in records if "*Would change it:*" not in record]


def test_the_api_page_has_every_public_name() -> None:
    listed = set(re.findall(r"^::: maskwise\.(.+)$", (ROOT / "docs" / "api.md").read_text(), flags=re.MULTILINE))
    assert set(maskwise.__all__) <= listed
    inside = {f"evaluation.{name}" for name in maskwise.evaluation.__all__} - {"evaluation.evaluate"}
    assert inside <= listed


def test_hooks_and_make_run_the_same_commands() -> None:
    hooks = yaml.safe_load((ROOT / ".pre-commit-config.yaml").read_text())["repos"][0]["hooks"]
    recipe = re.findall(r"^lint: \.venv/ready\n((?:\t.*\n)+)", (ROOT / "Makefile").read_text(), flags=re.MULTILINE)[0]
    commands = [line.strip().replace("$(BIN)", ".venv/bin") for line in recipe.splitlines()]
    assert [hook["entry"] for hook in hooks if "stages" not in hook] == commands


def test_the_citation_and_the_changelog_name_the_version() -> None:
    version = SETTINGS["project"]["version"]
    assert yaml.safe_load((ROOT / "CITATION.cff").read_text())["version"] == version
    assert f"\n## [{version}]" in (ROOT / "CHANGELOG.md").read_text()
