"""Where large arrays are kept: in memory up to a budget, beyond it in files that have no name.

The compressed tables of a run and the buffers of its search are all that grows
with the data in this process. What does not fit the budget is mapped from
temporary files, so the system moves it between memory and disk as needed and
the results stay the same. Such a file has no name from the start: however the
process ends, nothing is left behind.
"""

from __future__ import annotations

import mmap
import os
import tempfile
import threading
import weakref
from typing import TYPE_CHECKING, Any

import numpy as np

from maskwise.errors import InputError
from maskwise.values.message import private_note

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import DTypeLike, NDArray

    from maskwise.values.message import Message

_LEAST = 1 << 16
"""Smaller arrays are not worth a file."""


class Workspace:
    """Where large arrays are kept."""

    def __init__(self, budget: int | None = None) -> None:
        """Start with nothing in it.

        Args:
            budget: How many bytes may stay in memory; None sets no bound.
        """
        self._budget = budget
        self._used = 0
        # Several threads may ask for memory at once, and memory may be given back while one does.
        self._lock = threading.RLock()
        self.spilled = 0
        """How many bytes were put into files so far."""

    def zeros(self, shape: int | tuple[int, ...], dtype: DTypeLike) -> NDArray[Any]:
        """An array of zeros."""
        n_bytes = int(np.prod(shape, dtype=np.int64)) * np.dtype(dtype).itemsize
        if self.fits(n_bytes):
            array = np.zeros(shape, dtype)
            with self._lock:
                self._used += n_bytes
            weakref.finalize(array, self._return_memory, n_bytes).atexit = False
            return array
        with self.file() as file:
            return self.map(file, n_bytes, dtype).reshape(shape)

    def full(self, shape: int | tuple[int, ...], value: float, dtype: DTypeLike) -> NDArray[Any]:
        """An array that holds one value everywhere."""
        array = self.zeros(shape, dtype)
        array[...] = value
        return array

    def rows(self, n_columns: int, dtype: DTypeLike) -> RowBuffer:
        """A table that grows row by row."""
        return RowBuffer(self, n_columns, np.dtype(dtype))

    def fits(self, n_bytes: int) -> bool:
        """Whether so many bytes more may stay in memory."""
        return self._budget is None or n_bytes < _LEAST or self._used + n_bytes <= self._budget

    def file(self) -> Any:
        """A temporary file without a name, in the system's folder for such."""
        try:
            return tempfile.TemporaryFile(prefix="maskwise-")
        except OSError as error:
            msg = (
                "The compressed table does not fit the memory given, and no temporary file could be opened "
                f"({(error.strerror or 'error').lower()}). Set TMPDIR to a folder that can be written to."
            )
            raise InputError(msg) from None

    def map(self, file: Any, n_bytes: int, dtype: DTypeLike) -> NDArray[Any]:
        """A file's bytes as an array, which lives on when the file is closed."""
        try:
            # A page without space behind it would end the process when it is written.
            _reserve(file, n_bytes)
            mapped = mmap.mmap(file.fileno(), n_bytes)
        except OSError as error:
            raise InputError(_no_space(n_bytes, error)) from None
        self.spilled += n_bytes
        return np.frombuffer(mapped, dtype)

    def messages(self) -> tuple[Message, ...]:
        """Say how much was kept in files, if anything was."""
        if not self.spilled:
            return ()
        text = (
            f"The compressed table was too large for the memory given, so {self.spilled / 2**30:.2f} GiB of it and of "
            "the search's buffers were kept in temporary files. The result is the same; with more it comes faster."
        )
        return (private_note(text),)

    def _return_memory(self, n_bytes: int) -> None:
        with self._lock:
            self._used -= n_bytes


class RowBuffer:
    """A table of numbers whose rows arrive in batches."""

    def __init__(self, workspace: Workspace, n_columns: int, dtype: np.dtype[Any]) -> None:
        """Start without rows.

        Args:
            workspace: Where they are kept.
            n_columns: How many numbers a row has.
            dtype: What they are.
        """
        self._workspace = workspace
        self._n_columns = n_columns
        self._dtype = dtype
        self._parts: list[NDArray[Any]] = []
        self._file: Any = None
        self._n_rows = 0

    def add(self, columns: Sequence[NDArray[Any]]) -> None:
        """Take some rows in, column by column."""
        part = np.empty((len(columns[0]), self._n_columns), self._dtype)
        for p, column in enumerate(columns):
            part[:, p] = column
        self.add_rows(part)

    def add_rows(self, part: NDArray[Any]) -> None:
        """Take some rows in; they are not copied before the end."""
        self._n_rows += len(part)
        self._parts.append(part)
        if self._file is None and not self._workspace.fits(self._n_bytes):
            self._file = self._workspace.file()
        if self._file is not None:
            self._write()

    @property
    def _n_bytes(self) -> int:
        return self._n_rows * self._n_columns * self._dtype.itemsize

    def _write(self) -> None:
        try:
            for part in self._parts:
                self._file.write(np.ascontiguousarray(part, self._dtype).data)
        except OSError as error:
            raise InputError(_no_space(self._n_bytes, error)) from None
        self._parts.clear()

    def finish(self) -> NDArray[Any]:
        """All rows; nothing may be added any more."""
        shape = (self._n_rows, self._n_columns)
        if self._file is not None:
            with self._file as file:
                file.flush()
                return self._workspace.map(file, self._n_bytes, self._dtype).reshape(shape)
        whole = self._workspace.zeros(shape, self._dtype)
        at = 0
        # One part after the other, so that memory never holds the rows twice.
        for part in self._parts:
            whole[at : at + len(part)] = part
            at += len(part)
        self._parts.clear()
        return whole


def _reserve(file: Any, n_bytes: int) -> None:
    if hasattr(os, "posix_fallocate"):
        os.posix_fallocate(file.fileno(), 0, max(n_bytes, 1))
    else:
        file.truncate(max(n_bytes, 1))


def _no_space(n_bytes: int, error: OSError) -> str:
    return (
        f"The compressed table does not fit the memory given, and `{tempfile.gettempdir()}` has no room for its "
        f"{n_bytes / 2**30:.1f} GiB ({(error.strerror or 'error').lower()}). Free space there, or set TMPDIR."
    )
