"""The command, called in this process: what it printed, and how it ended."""

from __future__ import annotations

import contextlib
import io
import os
import signal
import traceback
import warnings
from collections.abc import Iterator
from dataclasses import dataclass

from maskwise.cli.app import main

CODES = frozenset({0, 1, 2, 3})
"""How a command may end."""


@dataclass(frozen=True)
class Ended:
    """How a command ended."""

    code: int
    said: str
    """Everything that it printed."""
    crash: str | None
    """What must not be: a traceback, an exit code that no command has, a refusal without a sentence."""


def call(*arguments: object) -> Ended:
    """Call `maskwise` with these arguments."""
    out, err = io.StringIO(), io.StringIO()
    crash, code = None, -1
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err), warnings.catch_warnings(), _debugging():
        warnings.simplefilter("ignore")
        try:
            code = main([str(one) for one in arguments])
        except SystemExit as error:
            code = int(error.code or 0)
        except BaseException as error:
            last = traceback.extract_tb(error.__traceback__)[-1]
            crash = f"{type(error).__name__} at {last.filename.rpartition('/')[2]}:{last.lineno}: {str(error)[:200]}"
    said = out.getvalue() + err.getvalue()
    if crash is None and code not in CODES:
        crash = f"exit code {code}: {said[-300:].strip()}"
    if crash is None and code and not err.getvalue().strip() and not out.getvalue().strip():
        crash = f"exit code {code} without a word"
    if crash is None and "Traceback (most recent call last)" in said:
        crash = f"a traceback: {said[-300:]}"
    return Ended(code, said, crash)


@contextlib.contextmanager
def _debugging() -> Iterator[None]:
    """Let bugs come out as they are, and leave signals as they were."""
    handlers = {number: signal.getsignal(number) for number in (signal.SIGTERM, signal.SIGHUP, signal.SIGINT)}
    before = os.environ.get("MASKWISE_DEBUG")
    os.environ["MASKWISE_DEBUG"] = "1"
    try:
        yield
    finally:
        if before is None:
            del os.environ["MASKWISE_DEBUG"]
        for number, handler in handlers.items():
            signal.signal(number, handler)
