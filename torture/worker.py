"""A process that runs commands and may die of them; another one then takes its place."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from contextlib import suppress
from pathlib import Path
from typing import Any


class Worker:
    """Asks a process to run commands, one at a time."""

    def __init__(self, shim: Path | None = None) -> None:
        """Start nothing yet.

        Args:
            shim: A library that is loaded before libc.
        """
        here = str(Path(__file__).resolve().parents[1])
        self._env = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, [os.environ.get("PYTHONPATH"), here]))}
        if shim is not None:
            self._env |= {"LD_PRELOAD": str(shim), "TORTURE_SHIM": str(shim)}
        self.process: subprocess.Popen[str] | None = None

    def send(self, arguments: list[str], **more: Any) -> subprocess.Popen[str]:
        """Let a command begin, in a process that has run one before, so that nothing is loaded any more."""
        if self.process is None or self.process.poll() is not None:
            self.close()
            self.process = subprocess.Popen(
                [sys.executable, "-m", "torture.worker_process"],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                text=True,
                encoding="utf-8",
                env=self._env,
            )
        assert self.process.stdin is not None
        self.process.stdin.write(json.dumps({"arguments": [str(one) for one in arguments], **more}) + "\n")
        self.process.stdin.flush()
        return self.process

    def answer(self) -> dict[str, Any] | int:
        """How the command ended, or how the process did."""
        assert self.process is not None
        assert self.process.stdout is not None
        line = self.process.stdout.readline()
        return json.loads(line) if line else self.process.wait()

    def close(self) -> None:
        """End the process."""
        if self.process is not None:
            self.process.kill()
            for pipe in (self.process.stdin, self.process.stdout):
                with suppress(OSError):
                    if pipe is not None:
                        pipe.close()
            self.process.wait()
