"""Files that are dropped on the page: they stream into the private folder, up to a limit."""

from __future__ import annotations

import asyncio
import os
import re
import secrets
from contextlib import suppress
from typing import IO, TYPE_CHECKING
from urllib.parse import unquote

from maskwise.studio.private_folder import remove_folder
from maskwise.studio.refusal import BAD, TOO_LARGE, TOO_SLOW, RequestError

if TYPE_CHECKING:
    from collections.abc import AsyncIterator
    from pathlib import Path

    from maskwise.studio.private_folder import PrivateFolder

PATIENCE = 30.0
"""So many seconds may pass until the next bytes of a request come."""
_LONGEST = 120
_STRANGE = re.compile(r"[^\w .()+,@=-]")
"""What is replaced in a file's name."""


def safe_name(given: str) -> str:
    r"""A name for a file that leads nowhere else.

    >>> safe_name("people.csv"), safe_name("..%2F..%2Fetc%2Fpasswd"), safe_name("C%3A%5Ca%0Ab.csv"), safe_name("%2E%2E")
    ('people.csv', 'passwd', 'a_b.csv', 'table')
    """
    last = re.split(r"[/\\]", unquote(given))[-1]
    name = _STRANGE.sub("_", last).lstrip(". ")
    return name[-_LONGEST:].lstrip(". ") or "table"


async def receive_upload(
    chunks: AsyncIterator[bytes], n_promised: int | None, name: str, folder: PrivateFolder, most: int
) -> Path:
    """Write a file as it comes.

    Args:
        chunks: What comes.
        n_promised: How many bytes were promised, if that was said.
        name: What the file is called.
        folder: Where it goes, into a folder of its own.
        most: So many bytes are taken.

    Raises:
        RequestError: It is larger, or stops on the way.
    """
    if n_promised is not None and n_promised > most:
        await _pass_over(chunks)
        raise _too_large(most)
    place = folder.make(f"upload-{secrets.token_hex(8)}")
    path = place / name
    try:
        handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0), 0o600)
        with os.fdopen(handle, "wb") as file:
            await _write(chunks, file, most)
    except OSError as error:
        remove_folder(place)
        text = f"The file could not be kept: {(error.strerror or 'refused').lower()}."
        raise RequestError(BAD, text, "Free space, or open it by its path instead.") from None
    except BaseException:
        remove_folder(place)
        raise
    return path


async def _write(chunks: AsyncIterator[bytes], file: IO[bytes], most: int) -> None:
    n_bytes = 0
    while (chunk := await next_chunk(chunks)) is not None:
        n_bytes += len(chunk)
        if n_bytes > most:
            await _pass_over(chunks)
            raise _too_large(most)
        file.write(chunk)
    if not n_bytes:
        raise RequestError(BAD, "The file is empty.", "Choose another one.")


async def _pass_over(chunks: AsyncIterator[bytes]) -> None:
    """Take what comes and forget it: a browser that cannot send all of a file hears no answer."""
    with suppress(TimeoutError, RequestError):
        async with asyncio.timeout(PATIENCE):
            while await next_chunk(chunks) is not None:
                pass


async def next_chunk(chunks: AsyncIterator[bytes]) -> bytes | None:
    """The next bytes of a request; None at its end.

    Raises:
        RequestError: Nothing comes.
    """
    try:
        return await asyncio.wait_for(anext(chunks, None), PATIENCE)
    except TimeoutError:
        raise RequestError(TOO_SLOW, "The request stopped on its way.", "Send it again.") from None


def _too_large(most: int) -> RequestError:
    text = f"The file is larger than the {most / 1e6:,.0f} MB that may be dropped here."
    return RequestError(TOO_LARGE, text, "Open it by its path, or start the studio with a larger --max-upload.")
