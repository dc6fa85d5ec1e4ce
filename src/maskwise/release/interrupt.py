"""Ctrl-C stops the search after the current step; what was found is released."""

from __future__ import annotations

import signal
import threading
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator


@contextmanager
def stop_on_interrupt() -> Iterator[Callable[[], bool]]:
    """Let the first Ctrl-C stop the search after the current step, and a second one abort the run.

    Signals reach only the main thread of a process; elsewhere nothing changes.
    Nor does it where Ctrl-C is ignored, as in a script's command in the background.

    Yields:
        A function that tells whether Ctrl-C was pressed.
    """
    is_pressed = threading.Event()
    previous_handler = signal.getsignal(signal.SIGINT)
    if threading.current_thread() is not threading.main_thread() or previous_handler is signal.SIG_IGN:
        yield is_pressed.is_set
        return

    def on_interrupt(number: int, frame: Any) -> None:
        del number, frame
        if is_pressed.is_set():
            raise KeyboardInterrupt
        is_pressed.set()

    try:
        signal.signal(signal.SIGINT, on_interrupt)
        yield is_pressed.is_set
    finally:
        signal.signal(signal.SIGINT, previous_handler)
