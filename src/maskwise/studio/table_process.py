"""The server's side of the process that has the table: start it, ask it, stop it, kill it, notice its end."""

from __future__ import annotations

import asyncio
import multiprocessing
import queue
import secrets
import threading
from typing import TYPE_CHECKING, Any

from maskwise.studio.private_folder import remove_folder
from maskwise.studio.process_loop import ANSWER, EVENT, run
from maskwise.studio.refusal import BUG, RequestError

if TYPE_CHECKING:
    from collections.abc import Callable

    from maskwise.studio.private_folder import PrivateFolder

_PATIENCE = 3.0
"""So many seconds the process has to end by itself."""
_ENDED = "The process that works on the table has ended, perhaps because memory ran out."
_REMEDY = "Try again: another one is started. If it ends again, use --memory, fewer columns or fewer records."


class TableProcess:
    """A process that has a table open. Once it has ended, it stays so: another one is started instead."""

    def __init__(self, folder: PrivateFolder, on_event: Callable[[str, dict[str, Any]], None]) -> None:
        """Start it; it warms up by itself. To be called while an event loop runs.

        Args:
            folder: Where its temporary files go.
            on_event: Is called with the events of a run, inside the event loop.
        """
        # A fresh interpreter: a copy of this one would share its event loop and its sockets.
        context = multiprocessing.get_context("spawn")
        self._scratch = folder.make(f"scratch-{secrets.token_hex(8)}")
        self._pipe, theirs = context.Pipe()
        self._stop = context.Event()
        self._process = context.Process(target=run, args=(theirs, self._stop, str(self._scratch)), daemon=True)
        self._process.start()
        theirs.close()
        self._on_event = on_event
        self._waiting: dict[int, asyncio.Future[bytes]] = {}
        self._n_asked = 0
        self.is_alive = True
        """Whether it can be asked."""
        self._loop = asyncio.get_running_loop()
        # A busy process does not empty the pipe, and the event loop must not wait for it.
        self._outbox: queue.SimpleQueue[tuple[Any, ...] | None] = queue.SimpleQueue()
        for work in (self._listen, self._send):
            threading.Thread(target=work, daemon=True).start()

    @property
    def pid(self) -> int | None:
        """The number that the system gave it."""
        return self._process.pid

    async def ask(self, command: str, /, **arguments: Any) -> bytes:
        """Have a command carried out; it waits for those before it.

        Args:
            command: The command.
            arguments: What it needs.

        Returns:
            The answer as JSON.

        Raises:
            RequestError: The command failed, or the process ended.
        """
        if not self.is_alive:
            raise ended()
        self._n_asked += 1
        number = self._n_asked
        answer: asyncio.Future[bytes] = self._loop.create_future()
        self._waiting[number] = answer
        self._outbox.put((number, command, arguments))
        try:
            return await answer
        finally:
            self._waiting.pop(number, None)

    def allow(self) -> None:
        """Let the next search go on until it is asked to stop."""
        self._stop.clear()

    def stop(self) -> None:
        """Ask a search to stop after its current step."""
        self._stop.set()

    def kill(self) -> None:
        """End it at once; whoever waits for an answer is told so."""
        self._process.kill()

    def end(self) -> None:
        """End it as the studio ends: it may remove what is half written, for a moment. Blocks."""
        self.stop()
        self._process.terminate()
        self._process.join(_PATIENCE)
        if self._process.is_alive():
            self._process.kill()
            self._process.join(_PATIENCE)
        remove_folder(self._scratch)

    def _send(self) -> None:
        """Send commands, until the process ends."""
        while True:
            message = self._outbox.get()
            if message is None:
                return
            try:
                self._pipe.send(message)
            except OSError:
                return

    def _listen(self) -> None:
        """Pass on what the process sends, until it ends."""
        while True:
            try:
                message = self._pipe.recv()
            except (EOFError, OSError):
                break
            if not self._tell(self._receive, message):
                return
        self._process.join()
        self._outbox.put(None)
        remove_folder(self._scratch)
        self._tell(self._lose)

    def _tell(self, function: Callable[..., None], *arguments: Any) -> bool:
        """Call a function inside the event loop; False if that is closed."""
        try:
            self._loop.call_soon_threadsafe(function, *arguments)
        except RuntimeError:
            return False
        return True

    def _receive(self, message: tuple[Any, ...]) -> None:
        kind, about, *rest = message
        if kind == EVENT:
            self._on_event(about, rest[0])
            return
        answer = self._waiting.get(about)
        if answer is None or answer.done():
            return  # whoever asked waits no more
        if kind == ANSWER:
            answer.set_result(rest[0])
        else:
            status, error = rest
            answer.set_exception(RequestError(status, error["text"], error["remedy"], error))

    def _lose(self) -> None:
        self.is_alive = False
        for answer in self._waiting.values():
            if not answer.done():
                answer.set_exception(ended())


def ended() -> RequestError:
    """What is said to whoever waited for a process that ended."""
    return RequestError(BUG, _ENDED, _REMEDY)
