"""Too little memory, and Ctrl-C at any moment, end a command with one sentence."""

from __future__ import annotations

import resource
import signal
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from maskwise.cli.limits import refuse_little_memory
from maskwise.engines import duckdb as engine
from maskwise.engines.choose import choose
from maskwise.errors import InputError
from maskwise.table.files import open_files


def limited(monkeypatch: pytest.MonkeyPatch, n_bytes: int) -> None:
    monkeypatch.setattr(resource, "getrlimit", lambda _: (n_bytes, resource.RLIM_INFINITY))


def test_a_command_under_a_low_limit_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    limited(monkeypatch, 450 << 20)
    with pytest.raises(InputError, match=r"this process may have 450 MiB.*ulimit -v"):
        refuse_little_memory(["mask", "people.csv"])
    for light in (["--help"], ["mask", "--help"], ["--version"], []):
        refuse_little_memory(light)


def test_usual_limits_are_no_matter(monkeypatch: pytest.MonkeyPatch) -> None:
    for n_bytes in (resource.RLIM_INFINITY, 4 << 30):
        limited(monkeypatch, n_bytes)
        refuse_little_memory(["mask", "people.csv"])


@pytest.mark.slow
@pytest.mark.parametrize("n_megabytes", [150, 450, 1300])
def test_a_process_under_a_low_limit_says_so(n_megabytes: int) -> None:
    n_bytes = n_megabytes << 20
    ended = subprocess.run(
        [sys.executable, "-m", "maskwise", "audit", "people.csv", "-p", "policy.yaml"],
        capture_output=True,
        text=True,
        check=False,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (n_bytes, n_bytes)),
    )
    assert ended.returncode == 2
    assert ended.stderr.startswith(f"error: The memory was too little: this process may have {n_megabytes:,} MiB")


@pytest.mark.slow
def test_an_interrupt_while_the_command_is_loaded_is_no_traceback() -> None:
    """The first heavy import is where the signal comes."""
    code = (
        "import builtins, os, signal, sys\n"
        "real = builtins.__import__\n"
        "def load(name, *rest):\n"
        "    if name == 'cyclopts':\n"
        "        os.kill(os.getpid(), signal.SIGINT)\n"
        "    return real(name, *rest)\n"
        "builtins.__import__ = load\n"
        "from maskwise.cli import run\n"
        "run()\n"
    )
    ended = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert (ended.returncode, ended.stderr) == (130, "error: Interrupted; nothing was written.\n")


def test_an_interrupt_while_a_csv_is_loaded_does_not_blame_the_csv(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "people.csv"
    path.write_text("a,b\n1,2\n")
    started, _ = choose(str(path))
    asked: list[str] = []

    class Interrupted:
        def __init__(self, connection: Any) -> None:
            self._connection = connection

        def __getattr__(self, name: str) -> Any:
            return getattr(self._connection, name)

        def execute(self, sql: str, *rest: Any) -> Any:
            if "read_csv" in sql:
                asked.append(sql)
                raise RuntimeError("Query interrupted")
            return self._connection.execute(sql, *rest)

    assert isinstance(started.dialect, engine.DuckDB)
    # As of a file that this process cannot hold.
    monkeypatch.setattr(started.dialect, "most_held", 0)
    monkeypatch.setattr(started.dialect, "_connection", Interrupted(started.dialect._connection))  # noqa: SLF001
    with pytest.raises(KeyboardInterrupt):
        open_files([path], started, delimiter=None)
    assert len(asked) == 1


@pytest.mark.slow
def test_duckdb_still_says_so_by_these_words() -> None:
    """The words that an interrupt is known by."""
    code = (
        "import duckdb, signal\n"
        # Of a command in the background a shell lets Ctrl-C be ignored.
        "signal.signal(signal.SIGINT, signal.default_int_handler)\n"
        # With more threads another one may take up the query, and the main thread hears nothing before its end.
        "connection = duckdb.connect(config={'threads': 1})\n"
        "print('begun', flush=True)\n"
        "try:\n"
        "    connection.execute('SELECT count(*) FROM range(100000000000) WHERE range % 7 = 3')\n"
        "except RuntimeError as error:\n"
        "    print(error)\n"
        "except KeyboardInterrupt:\n"
        "    print('too early')\n"
    )
    # On a busy machine the query may not have begun when the signal comes.
    said = next((said for _ in range(3) if (said := _interrupted(code)) != "too early\n"), "too early")
    assert said == "Query interrupted\n"


def _interrupted(code: str) -> str:
    """What a process says that is interrupted once it has begun; nothing if it does not hear it."""
    process = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    assert process.stdout.readline() == "begun\n"
    time.sleep(0.5)
    process.send_signal(signal.SIGINT)
    with suppress(subprocess.TimeoutExpired):
        process.wait(30)
    process.kill()
    return process.communicate()[0]
