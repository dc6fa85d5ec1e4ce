"""Start the studio: a port of this machine, a token, the browser; and end it so that nothing is left behind."""

from __future__ import annotations

import asyncio
import logging
import os
import secrets
import signal
import socket
import sys
import threading
import webbrowser
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from maskwise.errors import InputError
from maskwise.studio.access import Access, GuardedApp
from maskwise.studio.drafts import Drafts, state_folder
from maskwise.studio.private_folder import PrivateFolder, remove_stale
from maskwise.studio.studio import Studio

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from maskwise.studio.sources import SourceChoice

_OPENED_WITHIN = 20.0
"""So many seconds a browser has to read the file by which it is opened; then the file goes, and the address is told."""
_REDIRECT = """<!doctype html>
<meta charset="utf-8">
<meta name="referrer" content="no-referrer">
<meta http-equiv="refresh" content="0; url={address}">
<title>maskwise studio</title>
<a href="{address}">Open the studio</a>
"""


@dataclass(frozen=True, slots=True)
class StudioOptions:
    """How a studio is started."""

    source: SourceChoice | None = None
    """The table that is opened first."""
    memory: str | None = None
    """As in `anonymize`."""
    max_upload: int = 2 << 30
    """So many bytes of a file may be dropped on the page."""
    opens_browser: bool = True
    """Whether the browser is opened, instead of telling the address."""


def serve(options: StudioOptions, say: Callable[[str], None]) -> None:
    """Serve the page until Ctrl-C, or until the page asks for the end.

    Args:
        options: How.
        say: Prints a line.

    Raises:
        InputError: The extra is not installed.
    """
    try:
        import starlette  # noqa: F401, PLC0415 - an extra
        import uvicorn  # noqa: F401, PLC0415 - an extra
    except ImportError:
        msg = 'The studio needs the `studio` extra. Install it with: pip install "maskwise[studio]"'
        raise InputError(msg) from None
    remove_stale()
    folder = PrivateFolder()
    started: list[Studio] = []
    try:
        with suppress(KeyboardInterrupt):  # Ctrl-C is how it is ended
            asyncio.run(_serve(options, say, folder, started))
    finally:
        # A second Ctrl-C must not leave files behind.
        previous_handler = signal.signal(signal.SIGINT, signal.SIG_IGN)
        try:
            for studio in started:
                studio.process.end()
            folder.remove()
        finally:
            signal.signal(signal.SIGINT, previous_handler)
    say("The studio has ended.")


async def _serve(
    options: StudioOptions, say: Callable[[str], None], folder: PrivateFolder, started: list[Studio]
) -> None:
    # The process comes first: while it warms up, the rest is imported.
    studio = Studio(folder, Drafts(state_folder()), options.max_upload, options.memory)
    started.append(studio)
    if options.source is not None:
        studio.open_first(options.source)
    # asyncio sends small answers at once only where the protocol is named; else each waits 40 ms for the one before.
    with socket.socket(socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP) as listener:
        listener.bind(("127.0.0.1", 0))
        access = Access(listener.getsockname()[1], secrets.token_urlsafe(32))
        await _run_server(studio, access, listener, options, say)


async def _run_server(
    studio: Studio, access: Access, listener: socket.socket, options: StudioOptions, say: Callable[[str], None]
) -> None:
    import uvicorn  # noqa: PLC0415 - an extra

    from maskwise.studio.routes import Requests  # noqa: PLC0415 - an extra

    # What goes wrong inside may quote cells, and an access log has addresses.
    for name in ("uvicorn", "asyncio"):
        logging.getLogger(name).addHandler(logging.NullHandler())
        logging.getLogger(name).propagate = False

    def quit_() -> None:
        server.should_exit = True

    config = uvicorn.Config(
        GuardedApp(Requests(studio, quit_).app(), access),
        http="h11",
        loop="asyncio",
        ws="none",
        lifespan="off",
        access_log=False,
        log_config=None,
        server_header=False,
        date_header=False,
        proxy_headers=False,
        timeout_keep_alive=30,
        timeout_graceful_shutdown=1,
        limit_concurrency=200,
    )
    server = uvicorn.Server(config)
    listener.listen(100)
    if hasattr(signal, "SIGHUP") and signal.getsignal(signal.SIGHUP) is not signal.SIG_IGN:  # as after nohup
        # The terminal is closed: uploads must not outlive it.
        asyncio.get_running_loop().add_signal_handler(signal.SIGHUP, quit_)
    opening = asyncio.get_running_loop().create_task(_open_browser(studio, access, options, say))
    try:
        await server.serve([listener])
    finally:
        opening.cancel()


async def _open_browser(studio: Studio, access: Access, options: StudioOptions, say: Callable[[str], None]) -> None:
    """Open the browser by a file that nobody else can read: a command line with the token would be seen by `ps`."""
    if not options.opens_browser or not _has_display():
        _tell_address(access, say)
        return
    path = studio.folder.path / "open.html"
    used = asyncio.Event()
    studio.on_use = used.set
    write_redirect(path, access.address)
    try:
        say(f"The studio opens in your browser, at {access.origin}. Ctrl-C ends it.")
        waiting, opened = asyncio.create_task(used.wait()), _open_in_thread(path.as_uri())
        either: set[asyncio.Future[Any]] = {waiting, opened}
        await asyncio.wait(either, timeout=_OPENED_WITHIN, return_when=asyncio.FIRST_COMPLETED)
        if opened.done() and not opened.result():
            _tell_address(access, say)
            return
        await asyncio.wait({waiting}, timeout=_OPENED_WITHIN)
        if not used.is_set():
            # Some browsers, such as those of snap, may not read other programs' temporary files.
            say("No browser has asked for the page yet.")
            _tell_address(access, say)
    finally:
        path.unlink(missing_ok=True)


def _open_in_thread(address: str) -> asyncio.Future[bool]:
    """Open the browser in a thread that nobody has to wait for: some browsers come back only when they are closed."""
    loop = asyncio.get_running_loop()
    opened: asyncio.Future[bool] = loop.create_future()

    def tell(is_opened: bool) -> None:  # noqa: FBT001 - a callback
        if not opened.done():
            opened.set_result(is_opened)

    def open_it() -> None:
        is_opened = webbrowser.open(address)
        with suppress(RuntimeError):  # the studio has ended meanwhile
            loop.call_soon_threadsafe(tell, is_opened)

    threading.Thread(target=open_it, daemon=True).start()
    return opened


def _tell_address(access: Access, say: Callable[[str], None]) -> None:
    say(f"Open this address in a browser on this machine; whoever has it can see the table:\n{access.address}")
    say("Ctrl-C ends the studio.")


def write_redirect(path: Path, address: str) -> None:
    """Write the file that leads a browser to an address; only the owner can read it."""
    handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with open(handle, "w", encoding="utf-8") as file:  # noqa: PTH123 - an open handle
        file.write(_REDIRECT.format(address=address))


def _has_display() -> bool:
    """Whether a browser with windows can be opened; one in the terminal cannot show the page."""
    if sys.platform in {"win32", "darwin"}:
        return True
    return any(os.environ.get(name) for name in ("DISPLAY", "WAYLAND_DISPLAY", "BROWSER"))
