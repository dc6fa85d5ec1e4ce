"""Errors of SQLite as errors of ours, which quote no cell of the data."""

from __future__ import annotations

import sqlite3
from contextlib import contextmanager
from typing import TYPE_CHECKING

from maskwise.errors import InputError, MaskwiseError, WriteError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from maskwise.values.location import TableName

_PRIMARY = 0xFF
"""The bits of an error's code that tell what it is; the others tell where it came from."""


@contextmanager
def translate_errors(target: TableName | None = None) -> Iterator[None]:
    """Raise an error of SQLite as one of ours.

    Args:
        target: The table that is being written; None while tables are read.
    """
    try:
        yield
    except sqlite3.Error as error:
        if code_of(error) == sqlite3.SQLITE_INTERRUPT:
            raise KeyboardInterrupt from None
        raise translated(error, target) from None


def code_of(error: sqlite3.Error) -> int:
    """What kind of error it is, by SQLite's number; 0 for one of Python's own."""
    return int(getattr(error, "sqlite_errorcode", 0) or 0) & _PRIMARY


def is_busy(error: sqlite3.Error) -> bool:
    """Whether another connection has the database."""
    return code_of(error) in {sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED}


def translated(error: sqlite3.Error, target: TableName | None = None) -> MaskwiseError:
    """An error of SQLite as one of ours."""
    what, remedy = _reason(error)
    if target is None:
        return InputError(f"The database could not be read: {what}. {remedy}")
    return WriteError(f"The table `{target}` could not be written: {what}. Nothing was released. {remedy}")


def _reason(error: sqlite3.Error) -> tuple[str, str]:  # noqa: PLR0911 - a table
    """What happened, and what to do."""
    match code_of(error):
        case sqlite3.SQLITE_BUSY | sqlite3.SQLITE_LOCKED:
            return "another program is using it", "Try again when it is free."
        case sqlite3.SQLITE_NOTADB:
            return "it is no SQLite database, or it is encrypted", "Check the file."
        case sqlite3.SQLITE_CORRUPT:
            return "the file is damaged", "Check it with: PRAGMA integrity_check;"
        case sqlite3.SQLITE_READONLY:
            return "it may not be written to", "Change the rights of the file and its folder, or name another database."
        case sqlite3.SQLITE_CANTOPEN | sqlite3.SQLITE_PERM | sqlite3.SQLITE_AUTH:
            what = "the file, or one that SQLite keeps beside it, cannot be opened"
            return what, "Check the rights of the file and its folder, or copy it elsewhere."
        case sqlite3.SQLITE_FULL:
            return "no space left on device", "Free some and try again."
        case sqlite3.SQLITE_IOERR:
            return "the disk is full, or it failed", "Free space, or use another disk."
        case sqlite3.SQLITE_NOMEM | sqlite3.SQLITE_TOOBIG:
            return "a cell or the table is too large for the memory", "Leave large columns out by a view."
        case sqlite3.SQLITE_CONSTRAINT:
            return "other tables refer to the one that it replaces", "Name another table."
    return f"SQLite stopped ({type(error).__name__})", "The table or a view may be damaged."
