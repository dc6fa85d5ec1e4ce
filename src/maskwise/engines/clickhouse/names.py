"""Names and texts as ClickHouse's SQL spells them, in which a backslash means something."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from maskwise.values.location import TableName


def quote_name(name: str) -> str:
    r"""A name of a column or table, letter by letter.

    >>> quote_name("a`b\\c")
    '`a\\`b\\\\c`'
    """
    escaped = name.replace("\\", "\\\\").replace("`", "\\`")
    return f"`{escaped}`"


def quote_text(text: str) -> str:
    r"""A text, letter by letter.

    >>> quote_text("it's \\N")
    "'it\\'s \\\\N'"
    """
    escaped = text.replace("\\", "\\\\").replace("'", "\\'")
    return f"'{escaped}'"


def quote_table(table: TableName) -> str:
    """A table with the database that it is in, if that is said."""
    return ".".join(quote_name(part) for part in (table.schema, table.name) if part is not None)
