"""How loops are compiled, and where the code is kept."""

from __future__ import annotations

import importlib
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

import maskwise
from maskwise.values import kernel as kernels
from maskwise.values.kernel import kernel, on_compiling, plain_loop

if TYPE_CHECKING:
    from collections.abc import Callable

SPLIT = """
import numpy as np
from maskwise.search.interval_split import best_split
from maskwise.values.kernel import on_compiling
compiled = []
with on_compiling(lambda: compiled.append(1)):
    assert best_split(np.array([[2, 0], [1, 0], [0, 3]]), 0, 3) == 2
print(len(compiled))
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
    exec("def double(n):\n    return 2 * n\n", made)  # noqa: S102 - the point
    return made["double"]


def test_where_code_cannot_be_kept_it_is_compiled_all_the_same() -> None:
    compiled = kernel(loop_without_file())
    assert times_compiled(lambda: compiled(4)) == (8, 1)
    assert times_compiled(lambda: compiled(5)) == (10, 0)


def test_a_plain_loop_compiles_nothing() -> None:
    compiled = kernel(loop_without_file())
    assert times_compiled(lambda: plain_loop(compiled)(4)) == (8, 0)


class Modules:
    """Modules of the package that are written for a test, and read again when they have changed."""

    def __init__(self, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        self.folder = folder / "maskwise"
        self.folder.mkdir()
        monkeypatch.setattr(kernels, "_FOLDER", folder)
        monkeypatch.setattr(maskwise, "__path__", [*maskwise.__path__, str(self.folder)])

    def read(self, main: str, **texts: str) -> Any:
        for name, text in texts.items():
            (self.folder / f"{name}.py").write_text(text)
        for path in self.folder.glob("*.py"):
            sys.modules.pop(f"maskwise.{path.stem}", None)
        for kept in (self.folder / "__pycache__").glob("*.pyc"):
            kept.unlink()
        kernels._stamp_of.cache_clear()  # noqa: SLF001 - modules do not change while they are used
        kernels._imported_by.cache_clear()  # noqa: SLF001 - as above
        importlib.invalidate_caches()
        return importlib.import_module(f"maskwise.{main}")


@pytest.fixture
def modules(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Modules:
    return Modules(tmp_path, monkeypatch)


DECORATED = "from maskwise.values.kernel import kernel\n"


def test_kept_code_goes_by_what_it_calls_and_by_constants(modules: Modules) -> None:
    calling = "from maskwise.called_loop import add\n@kernel\ndef step(n):\n    return add(n)\n"
    called = "from maskwise.constants import STEP\n@kernel\ndef add(n):\n    return n + STEP + {}\n"

    def run(step: int, added: int) -> tuple[int, bool]:
        module = modules.read(
            "calling_loop",
            calling_loop=DECORATED + calling,
            called_loop=DECORATED + called.format(added),
            constants=f"STEP = {step}\n",
        )
        found, n_compiled = times_compiled(lambda: module.step(1))
        return found, n_compiled == 0

    assert run(100, 10) == (111, False)
    assert run(100, 10) == (111, True)
    assert run(100, 2000) == (2101, False)
    assert run(50000, 2000) == (52001, False)


def test_kept_code_goes_by_the_order_of_the_fields_of_its_arguments(modules: Modules) -> None:
    own = (
        "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    from maskwise.pairs import Pair\n"
        "@kernel\ndef first(pair: 'Pair'):\n    return pair.first\n"
    )

    def run(fields: str) -> tuple[int, bool]:
        pairs = f"from collections import namedtuple\nPair = namedtuple('Pair', {fields!r})\n"
        module = modules.read("taking_pairs", taking_pairs=DECORATED + own, pairs=pairs)
        pair = importlib.import_module("maskwise.pairs").Pair(first=7, second=8)
        found, n_compiled = times_compiled(lambda: module.first(pair))
        return found, n_compiled == 0

    assert run("first second") == (7, False)
    assert run("first second") == (7, True)
    assert run("second first") == (7, False)


def test_kept_code_with_a_class_that_is_gone_is_thrown_away(modules: Modules) -> None:
    def run(name: str) -> tuple[int, bool]:
        text = f"from typing import NamedTuple\nclass {name}(NamedTuple):\n    n: int\n"
        module = modules.read("renamed", renamed=DECORATED + text + "@kernel\ndef first(pair):\n    return pair.n\n")
        found, n_compiled = times_compiled(lambda: module.first(getattr(module, name)(7)))
        return found, n_compiled == 0

    assert run("Before") == (7, False)
    assert run("Before") == (7, True)
    assert run("After") == (7, False)
    assert run("After") == (7, True)


@pytest.mark.parametrize("suffix", ["nbi", "nbc"])
def test_damaged_code_is_compiled_again(modules: Modules, suffix: str) -> None:
    def run() -> tuple[int, bool]:
        module = modules.read("damaged", damaged=DECORATED + "@kernel\ndef double(n):\n    return 2 * n\n")
        found, n_compiled = times_compiled(lambda: module.double(7))
        return found, n_compiled == 0

    assert run() == (14, False)
    (kept,) = (modules.folder / "__pycache__").glob(f"*.{suffix}")
    kept.write_bytes(kept.read_bytes()[:-100])
    assert run() == (14, False)
    assert run() == (14, True)


def test_a_full_disk_is_no_error(modules: Modules, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: Any) -> None:
        raise OSError("disk full")

    module = modules.read("unkept", unkept=DECORATED + "@kernel\ndef double(n):\n    return 2 * n\n")
    monkeypatch.setattr("numba.core.caching.IndexDataCacheFile._save_data", fail)
    assert times_compiled(lambda: module.double(7)) == (14, 1)


def run_split(tmp_path: Path, home: Path, **more: str) -> int:
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
    return int(found.stdout)


@pytest.mark.slow
def test_a_read_only_installation_keeps_code_in_the_cache_of_its_user(tmp_path: Path) -> None:
    first, second = tmp_path / "first", tmp_path / "second"
    for home in (first, second):
        home.mkdir()
        # Each user compiles once.
        first_run, second_run = (run_split(tmp_path, home) for _ in range(2))
        assert (first_run > 0, second_run) == (True, 0)
        assert list(home.rglob("*.nbc"))
    assert not list((tmp_path / "installed").rglob("*.nbc"))


@pytest.mark.slow
def test_without_any_folder_to_write_every_run_compiles(tmp_path: Path) -> None:
    home = tmp_path / "home"
    home.write_text("no folder")
    assert run_split(tmp_path, home) == run_split(tmp_path, home) > 0


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
    assert int(third.stdout) == 0
