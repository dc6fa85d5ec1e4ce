"""A folder of one studio that only its owner can read: uploads, scratch files, the file that opens the browser.

It is removed when the studio ends. A studio that was killed leaves its folder
behind; the next one removes it. A lock says whether a folder's studio lives.
"""

from __future__ import annotations

import os
import shutil
import tempfile
from contextlib import suppress
from pathlib import Path
from typing import IO

_PREFIX, _LOCK = "maskwise-studio-", "lock"


class PrivateFolder:
    """A folder that is there as long as a studio runs."""

    def __init__(self) -> None:
        """Make it."""
        self.path = Path(tempfile.mkdtemp(prefix=_PREFIX))  # mode 0700
        self._lock = (self.path / _LOCK).open("w")
        _is_free(self._lock)

    def make(self, name: str) -> Path:
        """Make a folder in it, of the same mode.

        Args:
            name: What the new folder is called.
        """
        made = self.path / name
        made.mkdir(mode=0o700)
        return made

    def remove(self) -> None:
        """Remove it with all that is in it."""
        self._lock.close()
        remove_folder(self.path)


def remove_folder(path: Path) -> None:
    """Remove a folder with all that is in it, as far as that is possible."""
    shutil.rmtree(path, ignore_errors=True)


def remove_stale() -> None:
    """Remove the folders of studios that live no more."""
    for path in Path(tempfile.gettempdir()).glob(f"{_PREFIX}*"):
        with suppress(OSError):
            if path.is_symlink() or not path.is_dir() or not _is_own(path):
                continue
            with (path / _LOCK).open("r+") as lock:
                is_stale = _is_free(lock)
            if is_stale:
                remove_folder(path)


def _is_own(path: Path) -> bool:
    """Whether the folder is one of this user; others' are left alone."""
    return not hasattr(os, "getuid") or path.stat().st_uid == os.getuid()


def _is_free(lock: IO[str]) -> bool:
    """Whether nobody else holds a lock; then it is held from now on, until the file is closed."""
    try:
        import fcntl  # noqa: PLC0415 - not on Windows
    except ImportError:
        import msvcrt  # noqa: PLC0415 - only on Windows

        try:
            msvcrt.locking(lock.fileno(), msvcrt.LK_NBLCK, 1)  # type: ignore[attr-defined]
        except OSError:
            return False
        return True
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    return True
