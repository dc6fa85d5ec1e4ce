"""Files and folders that appear whole or not at all.

Everything is written under a temporary name in the target's folder and renamed
only when it is complete, so a reader, a full disk or a killed process never
leaves half a file under the final name.
"""

from __future__ import annotations

import os
import secrets
import shutil
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from maskwise.errors import WriteError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

_BINARY = getattr(os, "O_BINARY", 0)
"""Windows would write line ends of its own into what is not opened as binary."""
_LONGEST = 255
"""The most bytes that file systems allow in a name."""


@dataclass(frozen=True, slots=True)
class Sidecar:
    """A file that appears together with others, such as a release, or not at all."""

    path: Path
    """Its name."""
    text: str | bytes
    """What is written to it."""
    private: bool = False
    """Whether only the owner may read it."""


def write_files(files: Iterable[Sidecar]) -> None:
    """Write all files, or none."""
    with ExitStack() as names:
        stage_files(files, names)


def stage_files(files: Iterable[Sidecar], names: ExitStack) -> None:
    """Write files under temporary names.

    Args:
        files: What to write.
        names: Gives the files their names when it closes well, and removes them when it does not.
    """
    for file in files:
        write_draft(names.enter_context(atomic_file(file.path)), file.text, private=file.private)


@contextmanager
def atomic_file(path: Path, suffix: str = "") -> Iterator[Path]:
    """Give a temporary path; rename it to `path` if the block ends well, remove it if not.

    Args:
        path: The final name; what stands there is replaced only at the end.
        suffix: What the temporary name ends in, for writers that look at it.
    """
    check_target(path)
    # A link stays a link: what it points to is replaced.
    path = Path(os.path.realpath(path)) if path.is_symlink() else path
    _check_parent(path)
    draft = _draft_of(path, suffix)
    try:
        yield draft
        try:
            if path.exists():
                # As private as the old file was, and never less than the new one is.
                draft.chmod(path.stat().st_mode & draft.stat().st_mode & 0o777)
            os.replace(draft, path)  # noqa: PTH105 - the atomic one
        except OSError as error:
            raise WriteError(_not_written(path, error)) from None
    finally:
        draft.unlink(missing_ok=True)


@contextmanager
def atomic_folder(path: Path) -> Iterator[Path]:
    """Give a temporary folder; rename it to `path` if the block ends well, remove it if not.

    Args:
        path: The final name; nothing may stand there.
    """
    check_folder(path)
    draft = _draft_of(path)
    try:
        try:
            draft.mkdir()
            yield draft
            check_folder(path)
            draft.rename(path)
        except OSError as error:
            if isinstance(error, WriteError):
                raise
            raise WriteError(_not_written(path, error)) from None
    finally:
        shutil.rmtree(draft, ignore_errors=True)


def _draft_of(path: Path, suffix: str = "") -> Path:
    """A temporary name beside a final one, never longer than a file system allows."""
    return path.with_name(f".maskwise-{secrets.token_hex(8)}.part{suffix}")


@contextmanager
def renaming_lock(paths: Iterable[Path]) -> Iterator[None]:
    """Let other runs wait that would give files the same names, so that the files of two runs do not mix.

    Args:
        paths: The names. Their folders are locked, always in the same order, so that no two runs wait for each other.
    """
    with ExitStack() as locks:
        for folder in sorted({path.parent.resolve() for path in paths}):
            # Some systems and file systems have no such locks, and a folder may be closed to readers; there the last
            # rename wins, as everywhere else.
            with suppress(OSError, ImportError):
                import fcntl  # noqa: PLC0415 - not on Windows

                handle = os.open(folder, os.O_RDONLY)
                locks.callback(os.close, handle)
                fcntl.flock(handle, fcntl.LOCK_EX)
        yield


def check_folder(path: Path) -> None:
    """Refuse a folder that cannot be made, before any work is done."""
    _check_name(path)
    if path.exists():
        msg = f"There is already a `{path}`. Remove it, or name another folder."
        raise WriteError(msg)
    _check_parent(path)


def check_target(path: Path) -> None:
    """Refuse a target that cannot be written, before any work is done."""
    _check_name(path)
    if path.is_dir():
        msg = f"`{path}` is a folder. Name a file in it."
        raise WriteError(msg)
    if path.exists() and not path.is_file():
        msg = f"`{path}` is a device or a pipe. Name a file: a release is read again before it is given its name."
        raise WriteError(msg)
    _check_parent(path)


def _check_name(path: Path) -> None:
    for part in path.parts:
        if len(os.fsencode(part)) > _LONGEST:
            msg = f"`{part[:40]}…` is longer than {_LONGEST} bytes. Choose a shorter name."
            raise WriteError(msg)


def _check_parent(path: Path) -> None:
    folder = path.parent
    if not folder.is_dir():
        msg = f"There is no folder `{folder}` to write to. Create it first."
        raise WriteError(msg)
    if not os.access(folder, os.W_OK):
        msg = f"The folder `{folder}` cannot be written to. Choose another, or change its permissions."
        raise WriteError(msg)


def write_draft(draft: Path, text: str | bytes, *, private: bool = False) -> None:
    """Write a text, or bytes, under a temporary name.

    Args:
        draft: The name.
        text: The text.
        private: Let only the owner read it.
    """
    try:
        handle = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL | _BINARY, 0o600 if private else 0o666)
        with open(handle, "wb") as file:  # noqa: PTH123 - an open handle
            file.write(text.encode() if isinstance(text, str) else text)
    except OSError as error:
        raise WriteError(_not_written(draft, error)) from None


def _not_written(path: Path, error: OSError) -> str:
    reason = (error.strerror or "the disk refused").lower()
    return f"A file could not be written to `{path.parent}`: {reason}. Free space or choose another folder."
