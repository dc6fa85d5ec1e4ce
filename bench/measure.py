"""Time and peak memory of whole processes, alternating so that noise hits all alike."""

from __future__ import annotations

import os
import resource
import statistics
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path

MASKWISE = str(Path(sys.executable).with_name("maskwise"))


@dataclass(frozen=True)
class Measured:
    seconds: float
    """The median of all rounds."""
    gibibytes: float
    """The largest peak of memory."""
    processor: float
    """The median of processor seconds, which other work on the machine changes less."""


def once(command: list[str], limit: int | None = None, **environment: str) -> tuple[float, float, float]:
    """Seconds from start to exit, peak resident memory in GiB, and processor seconds.

    Args:
        command: What to run.
        limit: The bytes of memory that the process may have, without the files that it maps.
        environment: More variables.
    """
    begin = time.perf_counter()
    asked = os.environ | environment
    # An installed package is compiled to bytecode; a checkout without it would be parsed anew in every run, 0.3 s.
    asked.pop("PYTHONDONTWRITEBYTECODE", None)
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, env=asked)
    if limit is not None:
        resource.prlimit(process.pid, resource.RLIMIT_DATA, (limit, limit))
    _, status, usage = os.wait4(process.pid, 0)
    seconds = time.perf_counter() - begin
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        sys.exit(f"{command} failed: {process.stderr.read().decode()}")
    return seconds, usage.ru_maxrss / 2**20, usage.ru_utime + usage.ru_stime


def side_by_side(commands: dict[str, list[str]], rounds: int = 5) -> dict[str, Measured]:
    """Run all commands in turn, `rounds` times after one run that does not count."""
    runs: dict[str, list[tuple[float, float, float]]] = {name: [] for name in commands}
    for turn in range(rounds + 1):
        for name, command in commands.items():
            measured = once(command)
            if turn:
                runs[name].append(measured)
    return {
        name: Measured(
            statistics.median(s for s, _, _ in measured),
            max(m for _, m, _ in measured),
            statistics.median(p for _, _, p in measured),
        )
        for name, measured in runs.items()
    }


def table(rows: list[tuple[object, ...]]) -> None:
    """Print a Markdown table; the first row is the header."""
    print("| " + " | ".join(map(str, rows[0])) + " |")
    print("|" + " --- |" * len(rows[0]))
    for row in rows[1:]:
        print("| " + " | ".join(f"{cell:.2f}" if isinstance(cell, float) else str(cell) for cell in row) + " |")
