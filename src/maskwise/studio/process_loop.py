"""The process that has the table: it receives commands, one at a time, and sends answers and events.

Imported by the server too, so that it can be started: everything heavy is
imported inside.
"""

from __future__ import annotations

import json
import math
import os
import signal
import sys
import tempfile
import threading
import traceback
import warnings
from typing import TYPE_CHECKING, Any

from maskwise.errors import MaskwiseError, MaskwiseWarning
from maskwise.studio.access import bug_error
from maskwise.studio.refusal import BAD, BUG, RequestError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from multiprocessing.connection import Connection
    from multiprocessing.synchronize import Event

ANSWER, ERROR, EVENT = "answer", "error", "event"
"""What is sent: (ANSWER, number, JSON), (ERROR, number, status, error) or (EVENT, run, event)."""


def run(pipe: Connection, stop: Event, scratch: str) -> None:
    """Work until the server ends.

    Args:
        pipe: To the server.
        stop: Is set by the server to stop a search.
        scratch: A folder for temporary files, which the server removes.
    """
    _settle(scratch)
    try:
        _work(pipe, stop)
    except SystemExit:
        code = 1
    else:
        code = 0
    # Tearing down the engine and the compiler takes a second, and the server removes the files.
    os._exit(code)


def _work(pipe: Connection, stop: Event) -> None:
    """Carry out commands until the server is gone."""
    sending = threading.Lock()

    def send(*message: Any) -> None:
        try:
            with sending:
                pipe.send(message)
        except (BrokenPipeError, ConnectionResetError):
            os._exit(1)  # the server is gone, and removes nothing any more: neither do we

    from maskwise.studio.commands import Commands  # noqa: PLC0415 - heavy

    commands = Commands(lambda run, event: send(EVENT, run, event), stop)
    while True:
        try:
            number, name, arguments = pipe.recv()
        except (EOFError, OSError):
            break
        send(*_answer(commands.table[name], number, arguments))
    commands.close()


def _settle(scratch: str) -> None:
    """Leave Ctrl-C to the server, say nothing on the terminal, and write temporary files where they are removed."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    # As at the end of a command: what is half written is removed.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    tempfile.tempdir = os.environ["TMPDIR"] = scratch
    warnings.simplefilter("ignore", MaskwiseWarning)
    if not os.environ.get("MASKWISE_DEBUG"):
        # Libraries may print what they choke on, and that may be a cell.
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, 1)
        os.dup2(nowhere, 2)


def to_json(data: Any) -> bytes:
    """Plain values as JSON; a number that JSON has not, such as a ratio without bound, is null.

    >>> to_json({"a": [1.5, float("inf")]})
    b'{"a": [1.5, null]}'
    """
    try:
        return json.dumps(data, allow_nan=False).encode()
    except ValueError:
        return json.dumps(_finite(data), allow_nan=False).encode()


def _finite(data: Any) -> Any:
    if isinstance(data, dict):
        return {key: _finite(value) for key, value in data.items()}
    if isinstance(data, list | tuple):
        return [_finite(value) for value in data]
    return None if isinstance(data, float) and not math.isfinite(data) else data


def _answer(command: Callable[..., Any], number: int, arguments: Mapping[str, Any]) -> tuple[Any, ...]:
    """Carry out a command; whatever goes wrong becomes a sentence."""
    from maskwise.session.remarks import remarks_of_error  # noqa: PLC0415 - heavy
    from maskwise.studio.page_words import remark_data  # noqa: PLC0415 - heavy

    try:
        data = command(**arguments)
        return ANSWER, number, to_json(data)
    except RequestError as refused:
        return ERROR, number, refused.status, refused.error
    except MaskwiseError as error:
        said = map(remark_data, remarks_of_error(error))
        first, *others = ({key: one[key] for key in ("text", "remedy", "place")} for one in said)
        return ERROR, number, BAD, {**first, "more": others}
    except MemoryError:
        text = "The table does not fit into memory."
        error_data = {"text": text, "remedy": "Use a machine with more, or fewer columns.", "place": [], "more": []}
        return ERROR, number, BAD, error_data
    except Exception as error:  # noqa: BLE001 - whatever it is, the page gets a sentence
        if os.environ.get("MASKWISE_DEBUG"):
            traceback.print_exc()
        return ERROR, number, BUG, bug_error(error)
