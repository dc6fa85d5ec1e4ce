"""Hashes of files, and the owner's key.

The release is named by plain SHA-256, because recipients have it. The input
and the whole policy are named by HMAC under a key that the owner keeps: of a
plain hash, anybody could try guessed tables and protected values until one fits.
"""

from __future__ import annotations

import hashlib
import hmac
import os
import re
import secrets
import stat
from typing import TYPE_CHECKING

from maskwise.errors import InputError, WriteError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from pathlib import Path

_BLOCK = 1 << 20
_KEY_BYTES = 32
_KEY = re.compile(rf"[0-9a-f]{{{2 * _KEY_BYTES}}}\n?")
"""How a key is written, so that `openssl dgst -macopt hexkey:...` reads it."""


def release_digests(path: Path, name: str) -> dict[str, str]:
    """The SHA-256 of each file of a release, by its name; those of a folder by their names in it.

    Every file counts, whatever its name: some readers skip those that begin with
    `.` or `_`, and others read them.

    Args:
        path: A file, or a folder.
        name: What a file is called.
    """
    if not path.is_dir():
        return {portable_name(name): _hash_file(path, hashlib.sha256)}
    found = {}
    for file in sorted(path.rglob("*")):
        if file.is_dir() and not file.is_symlink():
            continue
        if not file.is_file():
            msg = f"`{file}` is no file. A release holds nothing but files."
            raise InputError(msg)
        found[portable_name(file.relative_to(path).as_posix())] = _hash_file(file, hashlib.sha256)
    return found


def portable_name(name: str) -> str:
    """The name of a file as text; bytes that are no text are spelled out."""
    return os.fsencode(name).decode(errors="backslashreplace")


def input_digests(files: Iterable[Path], key: bytes) -> list[str]:
    """The HMAC-SHA256 of each file, in an order that tells nothing of their names."""
    return sorted(_hash_file(path, lambda: hmac.new(key, digestmod=hashlib.sha256)) for path in files)


def text_digest(text: str, key: bytes) -> str:
    """The HMAC-SHA256 of a text."""
    return hmac.new(key, text.encode(), hashlib.sha256).hexdigest()


def _hash_file(path: Path, new: Callable[[], hashlib._Hash | hmac.HMAC]) -> str:
    """Hash a file block by block, so that it need not fit into memory."""
    made = new()
    try:
        with path.open("rb") as file:
            while block := file.read(_BLOCK):
                made.update(block)
    except OSError as error:
        msg = f"`{path}` cannot be read: {(error.strerror or 'it cannot be opened').lower()}."
        raise InputError(msg) from None
    return made.hexdigest()


def new_key() -> bytes:
    """A random key."""
    return secrets.token_bytes(_KEY_BYTES)


def read_key(path: Path) -> bytes | None:
    """Read the owner's key; None if there is none yet.

    Raises:
        InputError: The file is no key, or others can read it.
    """
    try:
        with path.open("rb") as file:
            text = file.read(1 << 10).decode(errors="replace")
            mode = os.fstat(file.fileno()).st_mode
    except FileNotFoundError:
        return None
    except OSError as error:
        msg = f"The key `{path}` cannot be read: {(error.strerror or 'it cannot be opened').lower()}."
        raise InputError(msg) from None
    if not _KEY.fullmatch(text):
        msg = f"`{path}` is no key of a certificate, which is {2 * _KEY_BYTES} hexadecimal digits. Name another file."
        raise InputError(msg)
    if os.name == "posix" and stat.S_IMODE(mode) & 0o077:
        msg = f"The key `{path}` can be read by others. Run: chmod 600 {path}"
        raise InputError(msg)
    return bytes.fromhex(text.strip())


def keep_key(path: Path, key: bytes) -> bool:
    """Write a new key for its owner alone; a key that stands there is never replaced.

    Returns:
        Whether it was written; False if there is already a file, which another run may just have made.
    """
    try:
        handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    except FileExistsError:
        return False
    except OSError as error:
        msg = f"The key cannot be written to `{path}`: {(error.strerror or 'the disk refused').lower()}."
        raise WriteError(msg) from None
    with open(handle, "w", encoding="ascii", newline="\n") as file:  # noqa: PTH123 - an open handle
        file.write(f"{key.hex()}\n")
    return True
