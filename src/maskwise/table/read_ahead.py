"""A file that is read while the rest of a command is still being loaded.

To load what a run needs keeps one processor busy for a third of a second. A
large file can be read meanwhile, because how it is read depends on nothing else that
the command is told. `files` takes what was read where it would have read it.
"""

from __future__ import annotations

import os
import stat
import threading
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from maskwise.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    Read = TypeVar("Read")

_LEAST_BYTES = 1 << 22
"""Smaller files are read in no time."""


class ReadAhead:
    """At most one file that is being read in another thread, or was, and that nobody has taken yet."""

    def __init__(self) -> None:
        """Begin with none."""
        self._lock = threading.Lock()
        self._reading: _Reading | None = None

    def start(self, data: str, engine: str | None, memory: str | None) -> None:
        """Begin to read a table, if it is one csv or parquet file of some size that this process will hold.

        What is wrong with it is told where it is opened.

        Args:
            data: What the command is to read.
            engine: Where the work is done.
            memory: How much of it may be used.
        """
        path = Path(data)
        if engine not in {None, "duckdb"} or path.suffix.lower() not in {".csv", ".parquet"}:
            return
        stamp = _stamp(path)
        if stamp is None or stamp[-1] < _LEAST_BYTES:
            return
        plan = _plan(path, memory)
        if plan is not None:
            with self._lock:
                self._reading = _Reading(path, stamp, *plan)

    @property
    def is_reading(self) -> bool:
        """Whether there is a file that nobody has taken yet."""
        return self._reading is not None

    def take(self, load: Callable[..., Read], *how: Any) -> Read:
        """What was read of the same files in the same way; if nothing was, they are read now.

        Args:
            load: Reads files.
            how: What it is called with: the files' names first, or what has them.
        """
        with self._lock:
            reading, self._reading = self._reading, None
        if reading is not None:
            found: Any = reading.result(load, how)
            if found is not _NOTHING:
                return found  # type: ignore[no-any-return]
            # What was read in vain is not held while it is read again.
            reading = None
        return load(*how)


_NOTHING = object()


class _Reading:
    """A file that is being read."""

    def __init__(self, path: Path, stamp: Sequence[int], load: Any, how: tuple[Any, ...]) -> None:
        self._path, self._stamp, self._load, self._how = path, stamp, load, how
        self._found: Any = _NOTHING
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()

    def result(self, load: Any, how: tuple[Any, ...]) -> Any:
        """What was read by such a call; `_NOTHING` if it was another one, or the file has changed since."""
        self._thread.join()
        is_same = (self._load, self._how) == (load, how) and _stamp(self._path) == self._stamp
        return self._found if is_same else _NOTHING

    def _run(self) -> None:
        # It goes wrong again where the file is opened, and is told there.
        with suppress(Exception):
            self._found = self._load(*self._how)


def _plan(path: Path, memory: str | None) -> tuple[Any, tuple[Any, ...]] | None:
    """How `files` will read a file; None if something is wrong with it.

    What reading needs is imported here, not by the other thread: Python's locks do not keep two threads
    from seeing parts of a package that are not ready.
    """
    import pyarrow.parquet  # noqa: PLC0415 - not where nothing is read

    from maskwise.engines.base import DataFiles  # noqa: PLC0415 - as above
    from maskwise.table.files import csv_header, parquet_schema  # noqa: PLC0415 - as above
    from maskwise.table.held_files import load_numbered, load_parquet  # noqa: PLC0415 - as above
    from maskwise.values.memory import for_held_files, memory_of_run, parse_memory  # noqa: PLC0415 - as above

    del pyarrow
    try:
        most_bytes = for_held_files(memory_of_run(parse_memory(memory)))
        if path.suffix.lower() == ".parquet":
            return load_parquet, ([path], parquet_schema(path), most_bytes)
        header, delimiter = csv_header(path, ".csv", None)
    except (InputError, OSError):
        return None
    return load_numbered, (DataFiles([path], len(header), delimiter), most_bytes)


def _stamp(path: Path) -> tuple[int, ...] | None:
    """What tells whether a file has changed, its size last; None if it is no file."""
    try:
        found = os.stat(path)  # noqa: PTH116 - a name that is too long is an OSError, too
    except (OSError, ValueError):
        return None
    if not stat.S_ISREG(found.st_mode):
        return None
    return found.st_dev, found.st_ino, found.st_mtime_ns, found.st_size


READ_AHEAD = ReadAhead()
"""That of this process."""
