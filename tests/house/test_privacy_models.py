"""Outside its own files, nothing names a privacy model."""

from __future__ import annotations

import ast
from pathlib import Path

SOURCE = Path(__file__).parents[2] / "src" / "maskwise"
MODELS = {"KAnonymity", "Template", "Confidence", "Diversity", "Closeness", "LKC"}
HOMES = ("policy/requirements/", "verify/measures/")
EXPORTS = {"__init__.py", "sklearn.py"}
"""The package's exports, and the default policy of its transformer."""


def names_in(path: Path) -> set[str]:
    """Every name that the code of a module uses; examples in docstrings may use a model."""
    names: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Name):
            names.add(node.id)
        elif isinstance(node, ast.Attribute):
            names.add(node.attr)
        elif isinstance(node, ast.alias):
            names.update(node.name.split("."))
        elif isinstance(node, ast.Constant) and isinstance(node.value, str) and node.value in MODELS:
            names.add(node.value)
    return names


def test_no_module_but_a_models_own_names_it() -> None:
    found = {
        str(path.relative_to(SOURCE)): sorted(names_in(path) & MODELS)
        for path in SOURCE.rglob("*.py")
        if not path.relative_to(SOURCE).as_posix().startswith(HOMES)
        and path.relative_to(SOURCE).as_posix() not in EXPORTS
    }
    assert {path: names for path, names in found.items() if names} == {}


def test_the_check_sees_a_name(tmp_path: Path) -> None:
    path = tmp_path / "module.py"
    path.write_text("from maskwise import KAnonymity as k\nis_it = type(x).__name__ == 'LKC' or m.Diversity\n")
    assert names_in(path) & MODELS == {"KAnonymity", "LKC", "Diversity"}
