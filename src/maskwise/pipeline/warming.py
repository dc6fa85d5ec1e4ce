"""Load, and the first time compile, what a search needs, while the engine reads the table."""

from __future__ import annotations

import threading
from contextlib import suppress
from typing import TYPE_CHECKING

from maskwise.pipeline.compile_ahead import compile_ahead
from maskwise.values.stages import Stage

if TYPE_CHECKING:
    from collections.abc import Callable

    from maskwise.progress import RunProgress


class Warming:
    """A thread that warms up, once for a process."""

    def __init__(self, warm_up: Callable[[Callable[[], None]], None]) -> None:
        """Begin cold.

        Args:
            warm_up: Does it, and calls what it is given when it begins to compile.
        """
        self._warm_up = warm_up
        self._lock = threading.Lock()
        self._thread: threading.Thread | None = None
        self._is_compiling = False
        self._waiting: RunProgress | None = None

    def start(self) -> None:
        """Warm up meanwhile; the second time nothing is left to do."""
        with self._lock:
            if self._thread is None:
                self._thread = threading.Thread(target=self._run, daemon=True)
                self._thread.start()

    def finish(self, progress: RunProgress) -> bool:
        """Wait until all is warm, if somebody has started it; say what is waited for, and whether anything was."""
        thread = self._thread
        if thread is None or not thread.is_alive():
            return False
        progress.stage(Stage.LOAD)
        with self._lock:
            self._waiting, is_compiling = progress, self._is_compiling
        if is_compiling:
            progress.compiling()
        thread.join()
        return True

    def _run(self) -> None:
        # What goes wrong here goes wrong again where it is needed, and is told there.
        with suppress(Exception):
            self._warm_up(self._tell)

    def _tell(self) -> None:
        with self._lock:
            is_first, self._is_compiling = not self._is_compiling, True
            waiting = self._waiting
        if is_first and waiting is not None:
            waiting.compiling()


def _warm_up(tell: Callable[[], None]) -> None:
    # First of all: the first time it takes longest, and another process helps.
    compile_ahead(tell)
    from maskwise.engines.ibis_compilers import import_compilers_when_asked  # noqa: PLC0415 - the point

    import_compilers_when_asked()
    import ibis.backends.duckdb  # noqa: PLC0415 - the point
    import pyarrow.compute  # noqa: PLC0415 - the point

    del ibis, pyarrow


WARMING = Warming(_warm_up)
"""That of this process."""
