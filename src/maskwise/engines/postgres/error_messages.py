"""Errors of PostgreSQL as errors of ours, which quote no cell of the data, no address and no password."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING

import psycopg
from psycopg import errors

from maskwise.errors import InputError, MaskwiseError, WriteError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from maskwise.values.location import TableName

LOCK_SECONDS = 10
"""How long the release waits until others no longer use the table it replaces."""
_NO_SPACE = ("No space left on device", "File too large", "Disk quota exceeded")


@contextmanager
def translate_errors(target: TableName | None = None) -> Iterator[None]:
    """Raise an error of PostgreSQL as one of ours.

    Args:
        target: The table that is being written; None while tables are read.
    """
    try:
        yield
    except psycopg.Error as error:
        raise translated(error, target) from None


def no_right_to_read(place: TableName | str, user: str) -> str:
    """Say which right to read is missing."""
    return f"You may not read `{place}`. Ask its owner for: GRANT SELECT ON {place} TO {user}; and USAGE on its schema."


def no_right_to_temporary_tables(database: str, user: str) -> str:
    """Say which right to make temporary tables is missing."""
    right = f"GRANT TEMPORARY ON DATABASE {database} TO {user};"
    return f"You may not make temporary tables in the database, which maskwise needs. Ask its owner for: {right}"


def translated(error: psycopg.Error, target: TableName | None = None) -> MaskwiseError:
    """An error of PostgreSQL as one of ours."""
    kind = InputError if target is None else WriteError
    end = "" if target is None else " Nothing was released."
    what, remedy = _reason(error, target)
    return kind(f"{what}{end} {remedy}")


def _reason(error: psycopg.Error, target: TableName | None) -> tuple[str, str]:  # noqa: PLR0911 - a table
    """What happened, and what to do."""
    match error:
        case errors.LockNotAvailable():
            return f"`{target}` is in use by others and was not free within {LOCK_SECONDS} seconds.", "Try again."
        case errors.InsufficientPrivilege():
            if target is None:
                return "The database does not allow it: you lack a right on a table or schema.", "Ask its owner."
            return f"You may not replace `{target}`: it is another user's.", "Name another table, or ask its owner."
        case errors.ReadOnlySqlTransaction():
            what = "The database is read-only, as a replica is, and maskwise makes temporary tables in it."
            return what, "Use the primary server, or a user who may write."
        case errors.DependentObjectsStillExist():
            return f"`{target}` cannot be replaced, because views or keys depend on it.", "Name another table."
        case errors.WrongObjectType():
            return f"`{target}` is no table, so it cannot be replaced.", "Name another table."
        case errors.ConfigurationLimitExceeded():
            what = "The database reached a limit that its owner set, such as temp_file_limit."
            return what, "Ask for a higher one."
        case errors.QueryCanceled():
            what = "The database ended a query: after its statement_timeout, or an administrator did."
            return what, "Ask for more time."
        case errors.OutOfMemory() | errors.TooManyConnections():
            return "The database has no memory or connection left.", "Try again when it is less busy."
        case _ if isinstance(error, errors.DiskFull) or any(sign in str(error) for sign in _NO_SPACE):
            return "The database has no space left.", "Free some and try again."
        case psycopg.OperationalError() | psycopg.InterfaceError():
            return "The connection to the database was lost.", "Try again when it is back."
    what = f"The database could not do it ({type(error).__name__})."
    return what, "The table may be damaged or too large."
