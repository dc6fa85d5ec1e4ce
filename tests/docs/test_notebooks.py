"""The notebooks run from their first cell to their last, without Jupyter, and hold no outputs."""

from __future__ import annotations

import ast
import json
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from tests.docs.test_documents import ROOT

NOTEBOOKS = sorted((ROOT / "docs" / "notebooks").glob("*.ipynb"))


def cells_of(notebook: Path, kind: str) -> list[dict[str, Any]]:
    return [cell for cell in json.loads(notebook.read_text(encoding="utf-8"))["cells"] if cell["cell_type"] == kind]


def run_cell(source: str, name: str, names: dict[str, Any]) -> object:
    """Run a cell as a notebook does, and give what it would show: the value of its last line."""
    tree = ast.parse(source)
    *_, last = tree.body
    shown = ast.Expression(tree.body.pop().value) if isinstance(last, ast.Expr) else None  # type: ignore[attr-defined]
    exec(compile(tree, name, "exec"), names)  # noqa: S102 - our own notebook
    return None if shown is None else eval(compile(shown, name, "eval"), names)  # noqa: S307 - as above


def test_there_is_a_notebook() -> None:
    assert [path.name for path in NOTEBOOKS] == ["first-release.ipynb"]


@pytest.mark.parametrize("notebook", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_notebook_is_plain_and_holds_no_outputs(notebook: Path) -> None:
    data = json.loads(notebook.read_text(encoding="utf-8"))
    assert (data["nbformat"], data["nbformat_minor"]) == (4, 5)
    identifiers = [cell["id"] for cell in data["cells"]]
    assert len(set(identifiers)) == len(identifiers)
    assert cells_of(notebook, "markdown")
    for cell in cells_of(notebook, "code"):
        assert (cell["outputs"], cell["execution_count"]) == ([], None), cell["id"]


@pytest.mark.slow
def test_the_first_release_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (notebook,) = NOTEBOOKS
    names: dict[str, Any] = {"__name__": "__main__"}
    shown = {cell["id"]: run_cell("".join(cell["source"]), cell["id"], names) for cell in cells_of(notebook, "code")}
    ((place, text, remedy),) = shown["policy"]  # type: ignore[misc]
    assert place[0] == "requirements"
    assert "`birth`" in text + remedy
    steps, is_met = shown["again"]  # type: ignore[misc]
    assert steps[2] == 1
    assert steps[0] >= steps[1]
    assert is_met
    released = pd.read_csv(tmp_path / "first-release" / "release.csv", dtype=str)
    assert released.groupby(["zip", "born", "sex"]).size().min() == shown["write"] >= 10
    assert "name" not in released
    assert len(shown["close"]) == 1  # type: ignore[arg-type]
    assert set(shown["close"]["zip"]) <= set(shown["labels"]["zip"])  # type: ignore[index]
