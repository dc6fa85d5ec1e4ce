"""Compile what a run needs, the first time of all: one half in this process, the other in one beside it.

Numba compiles one function at a time in a process. What another process has
compiled is found in the cache that both share.
"""

from __future__ import annotations

import atexit
import subprocess
import sys
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from maskwise.values.processors import n_processors

if TYPE_CHECKING:
    from collections.abc import Callable

_SECOND_HALF = "from maskwise.pipeline.compile_ahead import compile_second_half; compile_second_half()"
_LONGEST = 60.0
"""So many seconds the other process is waited for; after that its half is compiled here as well."""


def compile_ahead(tell: Callable[[], None] = lambda: None) -> None:
    """Load what the usual run calls, and compile what nobody has compiled yet.

    What only large tables need, and what the very first run can do without, is compiled by the second.

    Args:
        tell: Is called whenever this thread begins to compile.
    """
    from maskwise.search.warm_up import warm_up_groups  # noqa: PLC0415 - compiled code is slow to load
    from maskwise.values.compiled import on_compiling  # noqa: PLC0415 - as above

    beside = _OtherProcess()

    def share() -> None:
        tell()
        beside.start()

    with on_compiling(share):
        warm_up_groups()
        beside.wait()
        compile_second_half()
    if not beside.was_asked_for:
        with on_compiling(tell):
            compile_for_large_tables()


def compile_second_half() -> None:
    """Load or compile what splitting groups does not need: gains, and the attack that every release is tried by."""
    from maskwise.attacks.downcoding_kernels import log_chance_valid  # noqa: PLC0415 - compiled code is slow to load
    from maskwise.search.warm_up import warm_up_gains  # noqa: PLC0415 - as above

    warm_up_gains()
    log_chance_valid(np.ones(1, np.int64), np.full(1, 0.5), 1)


def compile_for_large_tables() -> None:
    """Load or compile the loops that read a large csv and count coded rows; without them the engine does it."""
    from maskwise.engines import coded_rows  # noqa: PLC0415 - compiled code is slow to load
    from maskwise.table import csv_dictionaries  # noqa: PLC0415 - as above

    coded_rows.warm_up()
    csv_dictionaries.warm_up()


class _OtherProcess:
    """A process that compiles the second half; where there can be none, there is none."""

    def __init__(self) -> None:
        self._process: subprocess.Popen[bytes] | None = None
        self.was_asked_for = False
        """Whether anything had to be compiled."""

    def start(self) -> None:
        """Start it, unless it was; not where it would gain nothing."""
        if self.was_asked_for:
            return
        self.was_asked_for = True
        from maskwise.search.conditional.gain_kernels import worst_of_splits  # noqa: PLC0415 - loaded by now
        from maskwise.values.compiled import is_kept  # noqa: PLC0415 - as above

        # An application that has Python inside is no Python that could be called.
        is_python = Path(sys.executable or "").name.startswith("python")
        if not is_python or n_processors() < 2 or not is_kept(worst_of_splits):  # noqa: PLR2004 - one each
            return
        with suppress(OSError):
            # -P: nothing is imported from the folder that somebody works in.
            self._process = subprocess.Popen(  # noqa: S603 - this Python, and what is written above
                [sys.executable, "-P", "-c", _SECOND_HALF],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
            )
            atexit.register(self._end)

    def wait(self) -> None:
        """Wait for its end."""
        if self._process is not None:
            with suppress(subprocess.TimeoutExpired):
                self._process.wait(_LONGEST)
            self._end()

    def _end(self) -> None:
        if self._process is not None:
            self._process.kill()
            self._process.wait()
