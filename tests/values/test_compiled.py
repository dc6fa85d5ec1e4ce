"""How loops are compiled, and where the code is kept."""

from __future__ import annotations

import importlib
import os
import shutil
import subprocess
import sys
import threading
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

import maskwise
from maskwise.values.compiled import bare_kernel, inner_kernel, kernel, on_compiling, plain_loop, shared_kernel

if TYPE_CHECKING:
    from collections.abc import Callable

SOURCE = """
def double(n):
    return 2 * n
"""
SPLIT = """
import numpy as np
from maskwise.search.interval_split import best_split
from maskwise.search.groups.merge_kernels import is_merged_with
from maskwise.values.compiled import is_kept, on_compiling
compiled = []
with on_compiling(lambda: compiled.append(1)):
    assert best_split(np.array([[2, 0], [1, 0], [0, 3]]), 0, 3) == 2
print(is_kept(is_merged_with), len(compiled))
"""


def times_compiled(call: Callable[[], Any]) -> tuple[Any, int]:
    """What a call gives, and how many loops were compiled for it."""
    told: list[None] = []
    with on_compiling(lambda: told.append(None)):
        found = call()
    return found, len(told)


def loop_without_file() -> Any:
    """A function in no file, for which there is no folder to keep code in."""
    made: dict[str, Any] = {}
    exec(SOURCE, made)  # noqa: S102 - the point
    return made["double"]


def test_where_code_cannot_be_kept_it_is_compiled_all_the_same() -> None:
    for decorate in (kernel, bare_kernel):
        compiled = decorate(loop_without_file())
        assert times_compiled(lambda: compiled(4)) == (8, 1)  # noqa: B023 - called at once
        assert times_compiled(lambda: compiled(5)) == (10, 0)  # noqa: B023 - as above


def test_a_kernel_calls_inner_ones() -> None:
    inner = inner_kernel(loop_without_file())

    def quadruple(n: int) -> Any:
        return inner(inner(n))

    assert kernel(quadruple)(3) == 12
    assert bare_kernel(quadruple)(3) == 12
    with pytest.raises(TypeError, match="`double` is an inner kernel"):
        inner(3)


@pytest.mark.parametrize("decorator", ["kernel", "bare_kernel"])
def test_kept_code_goes_by_what_it_calls_and_by_constants(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, decorator: str
) -> None:
    monkeypatch.syspath_prepend(str(tmp_path))
    head = f"from maskwise.values.compiled import inner_kernel, {decorator}\n"
    own = f"from called_loop import STEP, add\n@{decorator}\ndef step(n):\n    return later(n) + STEP\n"
    (tmp_path / "calling_loop.py").write_text(head + own + "@inner_kernel\ndef later(n):\n    return add(n)\n")

    def run(step: int, added: int) -> tuple[int, bool]:
        text = f"{head}STEP = {step}\n@inner_kernel\ndef add(n):\n    return n + {added}\n"
        (tmp_path / "called_loop.py").write_text(text)
        for name in ("calling_loop", "called_loop"):
            sys.modules.pop(name, None)
        importlib.invalidate_caches()
        for kept in (tmp_path / "__pycache__").glob("*.pyc"):
            kept.unlink()
        step_of = importlib.import_module("calling_loop").step
        found, n_compiled = times_compiled(lambda: step_of(1))
        return found, n_compiled == 0

    assert run(100, 10) == (111, False)
    assert run(100, 10) == (111, True)
    assert run(100, 2000) == (2101, False)
    assert run(50000, 2000) == (52001, False)


def test_a_shared_kernel_is_called_by_kernels_and_by_plain_loops() -> None:
    shared = shared_kernel(loop_without_file())

    def quadruple(n: int) -> Any:
        return shared(shared(n))

    compiled = bare_kernel(quadruple)
    assert times_compiled(lambda: plain_loop(compiled)(3)) == (12, 0)
    assert compiled(3) == 12


def test_a_plain_loop_compiles_nothing() -> None:
    compiled = kernel(loop_without_file())
    assert times_compiled(lambda: plain_loop(compiled)(4)) == (8, 0)


def test_compiling_is_told_by_the_thread_that_does_it_and_only_once() -> None:
    told: list[str] = []
    other = kernel(loop_without_file())
    with on_compiling(lambda: told.append("compiling")):
        elsewhere = threading.Thread(target=lambda: other(1))
        elsewhere.start()
        elsewhere.join()
        assert told == []
        compiled = kernel(loop_without_file())
        compiled(1)
        compiled(2)
    kernel(loop_without_file())(1)
    assert told == ["compiling"]


def run_split(tmp_path: Path, home: Path, **more: str) -> list[str]:
    """Run one kernel of a copy of the package, in which no cache can be written, in a process of its own."""
    package = tmp_path / "installed" / "maskwise"
    if not package.exists():
        shutil.copytree(Path(maskwise.__file__).parent, package, ignore=shutil.ignore_patterns("__pycache__"))
        for folder in {path.parent for path in package.rglob("*.py")}:
            # A file stands where the folder would be made; root may write into every folder.
            (folder / "__pycache__").write_text("")
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("NUMBA_", "XDG_", "PYTHON"))}
    asked = kept | {"PYTHONPATH": str(package.parent), "HOME": str(home), **more}
    found = subprocess.run(
        [sys.executable, "-c", SPLIT], env=asked, check=True, capture_output=True, text=True, timeout=300
    )
    return found.stdout.split()


@pytest.mark.slow
def test_a_read_only_installation_keeps_code_in_the_cache_of_its_user(tmp_path: Path) -> None:
    first, second = tmp_path / "first", tmp_path / "second"
    for home in (first, second):
        home.mkdir()
        # Each user compiles once.
        assert [run_split(tmp_path, home) for _ in range(2)] == [["True", "1"], ["True", "0"]]
        assert list(home.rglob("*.code"))
    assert not list((tmp_path / "installed").rglob("*.code"))


@pytest.mark.slow
def test_without_any_folder_to_write_every_run_compiles(tmp_path: Path) -> None:
    home = tmp_path / "home"
    home.write_text("no folder")
    assert run_split(tmp_path, home) == run_split(tmp_path, home) == ["False", "1"]


@pytest.mark.slow
def test_two_first_runs_at_once(tmp_path: Path) -> None:
    cache = tmp_path / "cache"
    command = [sys.executable, "-c", SPLIT]
    asked = os.environ | {"NUMBA_CACHE_DIR": str(cache)}
    both = [
        subprocess.Popen(command, env=asked, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        for _ in range(2)
    ]
    for process in both:
        _, errors = process.communicate(timeout=300)
        assert process.returncode == 0, errors
    third = subprocess.run(command, env=asked, check=True, capture_output=True, text=True, timeout=300)
    assert third.stdout.split()[1] == "0"


@pytest.mark.slow
def test_kept_code_is_loaded_without_numba(tmp_path: Path) -> None:
    environment = os.environ | {"NUMBA_CACHE_DIR": str(tmp_path)}
    script = (
        "import sys, numpy as np\n"
        "from maskwise.search.interval_split import best_split\n"
        "print(best_split(np.ones((2, 1), np.int64), 0, 2), 'numba' in sys.modules)"
    )
    first, second = (
        subprocess.run([sys.executable, "-c", script], env=environment, capture_output=True, text=True, check=True)
        for _ in range(2)
    )
    found, _, is_compiling = first.stdout.strip().rpartition(" ")
    assert is_compiling == "True"
    assert second.stdout.strip() == f"{found} False"


def test_kept_code_with_a_class_that_is_gone_is_thrown_away(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(tmp_path))
    head = "from typing import NamedTuple\nfrom maskwise.values.compiled import kernel\n"

    def run(name: str) -> tuple[int, bool]:
        text = f"{head}class {name}(NamedTuple):\n    n: int\n@kernel\ndef first(pair):\n    return pair.n\n"
        (tmp_path / "renamed_class.py").write_text(text)
        sys.modules.pop("renamed_class", None)
        importlib.invalidate_caches()
        for kept in (tmp_path / "__pycache__").glob("*.pyc"):
            kept.unlink()
        module = importlib.import_module("renamed_class")
        found, n_compiled = times_compiled(lambda: module.first(getattr(module, name)(7)))
        return found, n_compiled == 0

    assert run("Before") == (7, False)
    assert run("Before") == (7, True)
    assert run("After") == (7, False)
    assert run("After") == (7, True)
