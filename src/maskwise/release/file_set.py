"""Files and folders that get their names together, or not at all.

Everything is written under a temporary name in its target's folder. When all
of it is complete and on the disk, a list of the names is written, and then the
names are given. If giving one fails, those that were given are taken back. If
the process is killed meanwhile, the next run that writes to the folder finds
the list and finishes it.
"""

from __future__ import annotations

import errno
import json
import os
import secrets
import shutil
import signal
import threading
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar, Self

from maskwise.errors import WriteError
from maskwise.release.locks import wait_for_lock
from maskwise.release.target_checks import check_folder, check_parent, check_target, not_written

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from types import TracebackType

_BINARY = getattr(os, "O_BINARY", 0)
"""Windows would write line ends of its own into what is not opened as binary."""
_PREFIX, _LIST = ".maskwise-", ".names"
"""How temporary names begin, and how lists of names that are being given end."""
_PATIENCE = 60.0
"""So many seconds another run may take to give its files their names."""
_FAILED = {errno.EIO, errno.ENOSPC, getattr(errno, "EDQUOT", errno.ENOSPC)}
"""What a disk says that cannot hold a file; Windows knows no quota."""
_SIGNALS = ("SIGINT", "SIGTERM", "SIGHUP")


@dataclass(frozen=True, slots=True)
class Sidecar:
    """A file that appears together with others, such as a release, or not at all."""

    path: Path
    """Its name."""
    text: str | bytes
    """What is written to it."""
    private: bool = False
    """Whether only the owner may read it."""


@dataclass(frozen=True, slots=True)
class _Waiting:
    """A file or folder that waits for its name."""

    draft: Path
    """Where it stands."""
    target: Path
    """Its name."""
    old: Path
    """Where the file that had the name before stands until all names are given."""


class FileSet:
    """Files and folders that get their names when a block ends well, all or none.

    Example:
        >>> import tempfile
        >>> folder = Path(tempfile.mkdtemp())
        >>> with FileSet() as files:
        ...     _ = files.file(folder / "a.txt").write_text("a")
        ...     files.write(Sidecar(folder / "b.txt", "b"))
        >>> sorted(path.name for path in folder.iterdir())
        ['a.txt', 'b.txt']
    """

    n_finished: ClassVar[int] = 0
    """How many sets this process has given their names."""

    def __init__(self) -> None:
        self._entries: list[_Waiting] = []
        self._locks = ExitStack()
        self._list: Path | None = None

    def file(self, path: Path, suffix: str = "") -> Path:
        """A temporary name for a file.

        Args:
            path: The final name; what stands there is replaced only at the end. A link stays a link.
            suffix: What the temporary name ends in, for writers that look at it.
        """
        check_target(path)
        path = Path(os.path.realpath(path)) if path.is_symlink() else path
        check_parent(path)
        return self._add(path, suffix)

    def folder(self, path: Path) -> Path:
        """A temporary name for a folder.

        Args:
            path: The final name; nothing may stand there.
        """
        check_folder(path)
        draft = self._add(path, "")
        try:
            draft.mkdir()
        except OSError as error:
            raise WriteError(not_written(path, error)) from None
        return draft

    def _add(self, target: Path, suffix: str) -> Path:
        finish_others(target.parent)
        name = f"{_PREFIX}{secrets.token_hex(8)}"
        # Short, so that no name is longer than a file system allows.
        entry = _Waiting(target.with_name(f"{name}.part{suffix}"), target, target.with_name(f"{name}.old"))
        self._entries.append(entry)
        if target.is_file():
            # From the first byte on nobody may read it who could not read the file that it replaces.
            try:
                mode = target.stat().st_mode & 0o777
                os.close(os.open(entry.draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL | _BINARY, mode))
            except OSError as error:
                raise WriteError(not_written(target, error)) from None
        return entry.draft

    def write(self, file: Sidecar) -> None:
        """Write a file of the set; a private one can be read by its owner alone from the first byte."""
        draft = self.file(file.path)
        try:
            handle = os.open(draft, os.O_WRONLY | os.O_CREAT | _BINARY, 0o600 if file.private else 0o666)
            if file.private:
                draft.chmod(0o600)
            with open(handle, "wb") as opened:  # noqa: PTH123 - an open handle
                opened.write(file.text.encode() if isinstance(file.text, str) else file.text)
        except OSError as error:
            raise WriteError(not_written(file.path, error)) from None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        """Give the names, or remove everything if the block failed."""
        with self._locks:
            try:
                if kind is None:
                    self.prepare()
                    self._give_names()
            finally:
                self._remove_drafts()

    def prepare(self) -> None:
        """Bring everything to the disk, with the list of names that are to be given; calling it twice does no harm."""
        if self._list is not None or not self._entries:
            return
        try:
            for entry in self._entries:
                if entry.target.is_file():
                    # As private as the old file was, and never less than the new one is.
                    entry.draft.chmod(entry.target.stat().st_mode & entry.draft.stat().st_mode & 0o777)
                _flush(entry.draft)
            folders = {entry.target.parent.resolve() for entry in self._entries}
            for folder in sorted(folders):
                self._locks.enter_context(_locked(folder))
            names = [[str(part.absolute()) for part in (e.draft, e.target, e.old)] for e in self._entries]
            found = self._entries[0].target.with_name(f"{_PREFIX}{secrets.token_hex(8)}{_LIST}")
            self._list = found
            draft = found.with_suffix(".part")
            draft.write_text(json.dumps({"process": os.getpid(), "names": names}), encoding="utf-8")
            _flush(draft)
            os.replace(draft, found)  # noqa: PTH105 - the atomic one
            for folder in folders:
                _flush(folder)
        except OSError as error:
            if isinstance(error, WriteError):
                raise
            raise WriteError(not_written(self._entries[0].target, error)) from None

    def _give_names(self) -> None:
        given: list[_Waiting] = []
        with _undisturbed():
            try:
                for entry in self._entries:
                    given.append(entry)
                    _keep_old(entry)
                    if entry.draft.is_dir():
                        check_folder(entry.target)
                    os.replace(entry.draft, entry.target)  # noqa: PTH105 - the atomic one
                for folder in {entry.target.parent for entry in self._entries}:
                    _flush(folder)
            except OSError as error:
                for entry in reversed(given):
                    _take_back(entry)
                if isinstance(error, WriteError):
                    raise
                raise WriteError(not_written(given[-1].target, error)) from None
            finally:
                self._forget()
        FileSet.n_finished += 1

    def _forget(self) -> None:
        """Remove the list, and what the names stood for before."""
        lists = [] if self._list is None else [self._list, self._list.with_suffix(".part")]
        for path in (*lists, *(entry.old for entry in self._entries)):
            with suppress(OSError):
                path.unlink(missing_ok=True)

    def _remove_drafts(self) -> None:
        self._forget()
        for entry in self._entries:
            _remove(entry.draft)


def write_files(files: Iterable[Sidecar]) -> None:
    """Write all files, or none."""
    with FileSet() as drafts:
        for file in files:
            drafts.write(file)


def finish_others(folder: Path) -> None:
    """Give the names that a killed run was about to give in a folder: all it had written was complete."""
    for found in sorted(folder.glob(f"{_PREFIX}*{_LIST}")):
        # A run that is at work has the lock.
        with _locked(folder.resolve()) as is_locked, suppress(OSError, ValueError, KeyError, TypeError):
            said = json.loads(found.read_text(encoding="utf-8"))
            if not is_locked and _is_running(int(said["process"])):
                continue
            for draft, target, old in said["names"]:
                if Path(draft).exists():
                    os.replace(draft, target)  # noqa: PTH105 - the atomic one
                Path(old).unlink(missing_ok=True)
            found.unlink(missing_ok=True)


def _is_running(process: int) -> bool:
    """Whether a process is there."""
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except OSError:
        pass
    return True


def _keep_old(entry: _Waiting) -> None:
    """Let the file that has the name have another one too, until all names are given."""
    if entry.target.is_file():
        try:
            os.link(entry.target, entry.old)
        except OSError:
            shutil.copy2(entry.target, entry.old)


def _take_back(entry: _Waiting) -> None:
    """Give a name back to what had it before."""
    with suppress(OSError):
        if entry.old.exists():
            os.replace(entry.old, entry.target)  # noqa: PTH105 - the atomic one
        elif not entry.draft.exists():
            _remove(entry.target)


def _remove(path: Path) -> None:
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path, ignore_errors=True)
    else:
        with suppress(OSError):
            path.unlink(missing_ok=True)


def _flush(path: Path) -> None:
    """Bring a file, or a folder with all that is in it, from memory to the disk."""
    if path.is_dir() and path.name.startswith(_PREFIX):
        for inner in path.rglob("*"):
            if inner.is_file():
                _flush(inner)
    try:
        handle = os.open(path, os.O_RDONLY)
    except OSError:
        # A folder may be closed to readers, and Windows opens none.
        return
    try:
        os.fsync(handle)
    except OSError as error:
        # Some file systems know no such order; a disk that fails is another matter.
        if error.errno in _FAILED:
            raise
    finally:
        os.close(handle)


@contextmanager
def _locked(folder: Path) -> Iterator[bool]:
    """Let other runs wait that would give files their names in a folder, so that the files of two runs do not mix.

    Some systems and file systems have no such locks, and a folder may be closed
    to readers; there the last rename wins, as everywhere else. The block is told
    whether it has the lock.
    """
    try:
        import fcntl  # noqa: PLC0415 - not on Windows

        handle = os.open(folder, os.O_RDONLY)
    except (ImportError, OSError):
        yield False
        return
    try:
        yield _has_lock(lambda: fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB), folder)
    finally:
        with suppress(OSError):
            os.close(handle)


def _has_lock(lock: Callable[[], None], folder: Path) -> bool:
    """Wait for a lock, but not for ever; False where there are none."""
    try:
        wait_for_lock(lock, f"the folder `{folder}`", _PATIENCE)
    except WriteError:
        raise
    except OSError:
        return False
    return True


@contextmanager
def _undisturbed() -> Iterator[None]:
    """Let a signal to end wait, and then pass: names are given in a moment, and then there is nothing left to end."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = {}
    for name in _SIGNALS:
        if hasattr(signal, name):
            before[getattr(signal, name)] = signal.signal(getattr(signal, name), lambda *_: None)
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
