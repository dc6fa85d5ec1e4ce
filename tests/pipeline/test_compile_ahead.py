"""The first run of all compiles in two processes."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from maskwise.datasets import adult_folder
from maskwise.pipeline import compile_ahead as ahead
from maskwise.search import warm_up
from maskwise.values.compiled import tell_that_it_compiles

_COMPILE = """
import sys
from numba.core import event
from maskwise.pipeline import compile_ahead as ahead

class Compiled(event.Listener):
    def on_start(self, one): print(one.data["dispatcher"].py_func.__name__)
    def on_end(self, one): pass

event.register("numba:compile", Compiled())
ahead.n_processors = lambda: 2
ahead.compile_ahead()
"""
KNOWN = {"split_all", "worst_of_splits", "log_chance_valid", "number_cells", "count_distinct"}


def _compiled_by(folder: Path) -> set[str]:
    """What a process compiles whose cache is a folder."""
    environment = os.environ | {"NUMBA_CACHE_DIR": str(folder)}
    ended = subprocess.run(
        [sys.executable, "-c", _COMPILE], env=environment, capture_output=True, text=True, check=True, timeout=300
    )
    assert not ended.stderr
    return KNOWN & set(ended.stdout.split())


@pytest.mark.slow
def test_another_process_compiles_the_second_half_and_the_next_run_what_large_tables_need(tmp_path: Path) -> None:
    assert _compiled_by(tmp_path) == {"split_all"}
    assert _compiled_by(tmp_path) == {"number_cells", "count_distinct"}
    assert _compiled_by(tmp_path) == set()


@pytest.mark.parametrize(
    ("changed", "n_started"),
    [
        ({"executable": "/somewhere/an-application"}, 0),
        ({"n_cores": 1}, 0),
        ({"executable": "/nowhere/python3"}, 0),
        ({"code": "raise ImportError"}, 1),
        ({"code": "import time; time.sleep(600)", "longest": 0.1}, 1),
    ],
)
def test_what_the_other_process_does_not_compile_is_compiled_here(
    monkeypatch: pytest.MonkeyPatch, changed: dict[str, Any], n_started: int
) -> None:
    started: list[subprocess.Popen[bytes]] = []
    done: list[str] = []

    def start(*arguments: Any, **options: Any) -> subprocess.Popen[bytes]:
        started.append(subprocess.Popen(*arguments, **options))
        return started[-1]

    def compile_something() -> None:
        done.append("first half")
        tell_that_it_compiles()

    monkeypatch.setattr(warm_up, "warm_up_groups", compile_something)
    monkeypatch.setattr(ahead, "compile_second_half", lambda: done.append("second half"))
    monkeypatch.setattr(ahead, "subprocess", SimpleNamespace(**vars(subprocess) | {"Popen": start}))
    monkeypatch.setattr(ahead, "n_processors", lambda: changed.get("n_cores", 2))
    monkeypatch.setattr(ahead, "_SECOND_HALF", changed.get("code", "pass"))
    monkeypatch.setattr(ahead, "_LONGEST", changed.get("longest", 60.0))
    monkeypatch.setattr(sys, "executable", changed.get("executable", sys.executable))
    ahead.compile_ahead()
    assert done == ["first half", "second half"]
    assert [one.poll() is not None for one in started] == [True] * n_started


def test_nothing_is_started_where_everything_is_compiled(monkeypatch: pytest.MonkeyPatch) -> None:
    ahead.compile_ahead()
    started: list[object] = []
    monkeypatch.setattr(ahead.subprocess, "Popen", lambda *arguments, **_: started.append(arguments))
    ahead.compile_ahead()
    assert not started


@pytest.mark.slow
def test_the_usual_run_imports_no_pandas_and_numba_only_to_compile(tmp_path: Path) -> None:
    ahead.compile_ahead()
    (tmp_path / "policy.yaml").write_text(
        "class: income\nrequirements:\n  - {qid: [age, workclass, education, sex], k: 50}\n"
    )
    script = (
        "import sys, maskwise\n"
        f"maskwise.anonymize({str(adult_folder() / 'adult.parquet')!r}, 'policy.yaml', output='a.csv')\n"
        "print({'numba', 'pandas', 'sklearn', 'polars', 'pyspark'} & set(sys.modules))\n"
    )
    ended = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", script],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
    )
    assert (ended.stdout, (tmp_path / "a.csv").exists()) == ("set()\n", True), ended.stderr
