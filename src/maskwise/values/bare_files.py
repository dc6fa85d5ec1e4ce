"""Files with machine code of bare kernels: found again by later runs, by several processes and by several users.

A file is named after its loop and a digest of the types of the arguments and of what runs it (Python, numba, LLVM, the
processor). In it are a checksum, a stamp of all that the code follows from, and the code. A file that is damaged, or
that belongs to another version of the loop, is as good as none; the next one that is compiled takes its place.
"""

from __future__ import annotations

import hashlib
import os
import sys
import tempfile
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable

_MAGIC = b"maskwise machine code 1\n"
_N_DIGEST = hashlib.sha256().digest_size


def read_code(loop: Callable[..., Any], types: str, stamp: bytes) -> bytes | None:
    """What was kept of a loop, if it is still good.

    Args:
        loop: The loop.
        types: Of the arguments, and what runs it.
        stamp: What the code follows from.
    """
    for folder in _folders(loop):
        with suppress(OSError):
            kept = (folder / _name_of(loop, types)).read_bytes()
            head = _MAGIC + stamp
            rest = kept[len(head) + _N_DIGEST :]
            if kept.startswith(head) and kept[len(head) : len(head) + _N_DIGEST] == hashlib.sha256(rest).digest():
                return rest
    return None


def write_code(loop: Callable[..., Any], types: str, stamp: bytes, code: bytes) -> None:
    """Keep the code of a loop for later runs, where there is a folder for it.

    Args:
        loop: The loop.
        types: As in `read_code`.
        stamp: As in `read_code`.
        code: What `read_code` gives back.
    """
    folder = folder_to_write(loop)
    if folder is None:
        return
    with suppress(OSError):
        # Under another name first: other processes read meanwhile, and may write the same.
        handle, name = tempfile.mkstemp(dir=folder, suffix=".tmp")
        try:
            with os.fdopen(handle, "wb") as file:
                file.write(b"".join((_MAGIC, stamp, hashlib.sha256(code).digest(), code)))
            Path(name).replace(folder / _name_of(loop, types))
        except OSError:
            Path(name).unlink(missing_ok=True)
            raise


def folder_to_write(loop: Callable[..., Any]) -> Path | None:
    """Where code of a loop is kept, or None where it cannot be."""
    for folder in _folders(loop):
        with suppress(OSError):
            folder.mkdir(parents=True, exist_ok=True)
            tempfile.TemporaryFile(dir=folder).close()
            return folder
    return None


def _folders(loop: Callable[..., Any]) -> list[Path]:
    """Where code of a loop may be: as numba's own files, and first of all where the user says."""
    source = Path(loop.__code__.co_filename)
    if not source.is_file():
        return []
    # A name for the folder that the loop is in: versions of a package may be installed several times.
    own = f"{source.parent.name}_{hashlib.sha256(str(source.parent.absolute()).encode()).hexdigest()[:40]}"
    asked = os.environ.get("NUMBA_CACHE_DIR")
    if asked:
        return [Path(asked) / own]
    folders = [source.parent / "__pycache__"]
    # Without a home there is none in it.
    with suppress(RuntimeError):
        folders.append(_cache_of_user() / "maskwise" / "kernels" / own)
    return folders


def _cache_of_user() -> Path:
    if sys.platform == "win32":
        return Path(os.environ.get("LOCALAPPDATA") or Path.home() / "AppData" / "Local")
    if sys.platform == "darwin":
        return Path.home() / "Library" / "Caches"
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")


def _name_of(loop: Callable[..., Any], types: str) -> str:
    source = Path(loop.__code__.co_filename).stem
    return f"{source}.{loop.__name__.strip('<>')}-{hashlib.sha256(types.encode()).hexdigest()[:32]}.code"
