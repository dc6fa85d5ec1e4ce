"""Errors of a database as errors of ours, which quote no cell of the data."""

from __future__ import annotations

import re
import tempfile
from contextlib import contextmanager
from typing import TYPE_CHECKING, NoReturn

from maskwise.errors import InputError, MaskwiseError, WriteError, did_you_mean

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from maskwise.values.location import TableName


@contextmanager
def translate_errors(paths: Sequence[Path] = ()) -> Iterator[None]:
    """Say that the database failed, and by which kind of error, but not its text: that can quote cells.

    Args:
        paths: The files that it reads.
    """
    try:
        yield
    except Exception as error:  # noqa: BLE001 - the database's own types
        raise_known_causes(error)
        named = [path for path in paths if str(path) in str(error)] or paths
        what = "the table" if not named else f"`{named[0].name}`" + (" or a file beside it" if named[1:] else "")
        msg = f"The database could not read {what} ({type(error).__name__}). It may be damaged or too large."
        raise InputError(msg) from None


def raise_known_causes(error: Exception) -> None:
    """Raise an error as what it is, if there was too little memory, or Ctrl-C was pressed while DuckDB worked."""
    if is_interrupt(error):
        raise KeyboardInterrupt from None
    if type(error).__name__ == "OutOfMemoryException":
        msg = (
            "The memory was too little, even with what was put on disk. Give more with --memory, such as 4GB, or free "
            f"space in `{tempfile.gettempdir()}`."
        )
        raise InputError(msg) from None


def is_interrupt(error: BaseException) -> bool:
    """Whether an error is a Ctrl-C that came while DuckDB worked; it has no type for it."""
    return isinstance(error, RuntimeError) and str(error) == "Query interrupted"


def missing_table(name: TableName, known: Sequence[str]) -> InputError:
    """Say that there is no such table, and which one may be meant.

    Args:
        name: The table that was asked for.
        known: The tables that there are.
    """
    return InputError(f"There is no table `{name}` in the database.{did_you_mean(name.name, known)}")


def refuse_input_as_target(target: TableName) -> NoReturn:
    """Say that the release would replace the table it is made from."""
    msg = f"`{target}` is the input. Write the release to another table."
    raise InputError(msg)


def system_reason(error: Exception) -> str | None:
    """The operating system's reason for an error, if it has one, without anything of the query or the data."""
    text = str(error)
    for reason in (
        "No space left on device",
        "File too large",
        "Permission denied",
        "Read-only file system",
        "Disk quota exceeded",
    ):
        if reason in text:
            return reason.lower()
    return error.strerror if isinstance(error, OSError) else None


def csv_message(paths: Sequence[Path], text: str) -> str:
    """Turn DuckDB's message about a csv, which quotes the line, into one that only gives its number.

    Args:
        paths: The files that were read.
        text: DuckDB's message.
    """
    path = next((path for path in paths if str(path) in text), paths[0])
    found = re.search(r"Line: (\d+)", text)
    line = f", line {found[1]}" if found else ""
    columns = re.search(r"Expected Number of Columns: (\d+) Found: (\d+)", text)
    if columns:
        reason = f"it has {columns[2]} cells where the header has {columns[1]}"
    elif "unicode" in text.lower() or "utf-8" in text.lower():
        reason = "it is not UTF-8 text; save the file as UTF-8"
    elif "unterminated quote" in text:
        reason = "a quoted cell is never closed"
    elif "Maximum line size" in text:
        reason = "it is longer than 2 MB; a quote may never be closed"
    elif "state machine" in text:
        reason = "its line ends are mixed, or a quote stands inside a cell; save it with one kind of line end"
    else:
        reason = "it does not follow the csv format"
    return f"{path.name}{line} cannot be read: {reason}."


@contextmanager
def translate_write_errors(path: Path, source: str) -> Iterator[None]:
    """Tell a full disk from a damaged source."""
    try:
        yield
    except MaskwiseError:
        raise
    except Exception as error:  # noqa: BLE001 - the database's, Arrow's and the system's types
        raise_known_causes(error)
        reason = system_reason(error)
        if str(path).removesuffix(".gz") in (reason or str(error)):
            reason = "no file can be made there"
        if reason is None:
            msg = f"`{source}` could not be read to its end ({type(error).__name__}). It may be damaged."
            raise InputError(msg) from None
        msg = f"The output could not be written to `{path.parent}`: {reason}. Free space or choose another folder."
        raise WriteError(msg) from None
