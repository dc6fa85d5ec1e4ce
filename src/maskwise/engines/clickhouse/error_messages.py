"""ClickHouse's errors as errors of ours: by their numbers, because their texts can quote cells."""

from __future__ import annotations

import re
import tempfile
from typing import TYPE_CHECKING

from maskwise.engines.error_messages import system_reason
from maskwise.errors import InputError, WriteError

if TYPE_CHECKING:
    from pathlib import Path

    from maskwise.errors import MaskwiseError
    from maskwise.values.location import TableName

_NUMBER = re.compile(r"Code: (\d+)\.")
_KNOWN = {
    60: ("A table that is read is gone, or a view reads one that is not there.", "Look whether it was renamed."),
    76: ("A file of the database cannot be opened.", "Look whether its folder was moved, or who may read it."),
    81: ("A database that is read is gone.", "Look whether it was renamed."),
    164: ("The database is read-only, and maskwise makes temporary tables in it.", "Open it with more rights."),
    241: (
        "The memory was too little, even with what was put on disk.",
        f"Give more with --memory, such as 4GB, or free space in `{tempfile.gettempdir()}`.",
    ),
    243: ("The disk of the database has no space left.", "Free some and try again."),
    394: ("The query was ended.", "Try again."),
    395: ("A column holds texts that are no numbers or dates.", "Clean them, or mask the column as text."),
}
"""By ClickHouse's numbers: what happened, and what to do."""


def translated(error: Exception, target: TableName | None = None) -> MaskwiseError:
    """An error of the database without its text.

    Args:
        error: What chdb raised.
        target: The table that was being written, if one was.

    >>> str(translated(RuntimeError("Code: 394. DB::Exception: Query was cancelled. (QUERY_WAS_CANCELLED)")))
    'The query was ended. Try again.'
    """
    found = _NUMBER.search(str(error))
    number = None if found is None else int(found[1])
    reason = system_reason(error)
    if reason is not None:
        what, remedy = f"The database failed: {reason}.", "Free space in its folder, or look who may write there."
    else:
        called = "an unknown error" if number is None else f"ClickHouse's error {number}"
        unknown = (f"The database could not read the table ({called}).", "It may be damaged or too large.")
        what, remedy = unknown if number is None else _KNOWN.get(number, unknown)
    if target is not None:
        return WriteError(f"The table `{target}` could not be written. {what} {remedy} Nothing was released.")
    return InputError(f"{what} {remedy}")


def cannot_open(error: Exception, folder: Path) -> InputError:
    """Say why a folder cannot be opened.

    Args:
        error: What chdb raised.
        folder: The folder.
    """
    if "already initialized with path" in str(error):
        msg = (
            f"The database `{folder}` cannot be opened: this process works in another ClickHouse folder, and can have "
            "one at a time. Close that one first."
        )
    else:
        msg = (
            f"The database `{folder}` cannot be opened: another process is using it, or it was written by a newer "
            "ClickHouse."
        )
    return InputError(msg)
