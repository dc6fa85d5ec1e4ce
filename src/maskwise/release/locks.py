"""Wait for a lock that another run has: not in silence, and not for ever."""

from __future__ import annotations

import logging
import time
from typing import TYPE_CHECKING

from maskwise.errors import WriteError

if TYPE_CHECKING:
    from collections.abc import Callable

TOLD_AFTER = 2.0
"""So many seconds are waited in silence."""
_PAUSE = 0.05
"""So many seconds pass before a lock is asked for again."""


def wait_for_lock(lock: Callable[[], None], what: str, patience: float) -> None:
    """Take a lock as soon as it is free.

    Somebody who waits is told so by the logger `maskwise`, which prints to standard error unless the program has set
    up something else.

    Args:
        lock: Takes the lock, or raises BlockingIOError while another process has it.
        what: What is locked, such as "the folder `out`".
        patience: So many seconds are waited at most.

    Raises:
        WriteError: The other run still has it.
    """
    begin, is_told = time.monotonic(), False
    while True:
        try:
            lock()
        except BlockingIOError:
            waited = time.monotonic() - begin
            if waited > patience:
                msg = f"Another run has had {what} for {patience:.0f} seconds. Try again later."
                raise WriteError(msg) from None
            if waited > TOLD_AFTER and not is_told:
                text = "Another run has %s; it is waited for, %.0f seconds at most."
                logging.getLogger("maskwise").warning(text, what, patience)
                is_told = True
            time.sleep(_PAUSE)
        else:
            return
