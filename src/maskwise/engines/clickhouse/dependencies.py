"""Which tables a query reads, also through views: a release must replace none of them."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from maskwise.engines.clickhouse.names import quote_text
from maskwise.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from maskwise.engines.clickhouse.connection import ChdbConnection

_IN_TREE = re.compile(r"^ *TABLE id: \d+,.* table_name: (.*)$")
_IN_PLAN = re.compile(r"ReadFrom\w+ \((.*)\)$")


def reads(connection: ChdbConnection, query: str, database: str, name: str) -> bool:
    """Whether a query reads a table: itself, through views, or through tables that stand for others.

    Args:
        connection: Where.
        query: The query.
        database: The database that the table is in.
        name: What it is called.
    """
    target = f"{database}.{name}"
    seen: set[str] = set()
    left = [query]
    try:
        while left:
            for table in _tables(connection, left.pop()):
                if table == target:
                    return True
                if table not in seen:
                    seen.add(table)
                    left += _definition(connection, table)
        # Tables that merge or buffer others are resolved only when a query is planned.
        planned = (_IN_PLAN.search(line) for line in _explain(connection, "PLAN", query))
        return any(found is not None and found[1] == target for found in planned)
    except InputError:
        # What cannot be explained cannot be read either, which is said where it is opened.
        return False


def _tables(connection: ChdbConnection, query: str) -> Iterator[str]:
    for line in _explain(connection, "QUERY TREE", query):
        if (found := _IN_TREE.match(line)) is not None:
            yield found[1]


def _explain(connection: ChdbConnection, what: str, query: str) -> list[str]:
    return [line for row in connection.rows(f"EXPLAIN {what} {query}") for line in str(row[0]).splitlines()]


def _definition(connection: ChdbConnection, table: str) -> list[str]:
    """The query of a view; nothing for a table."""
    found = connection.rows(
        "SELECT as_select FROM system.tables "  # noqa: S608
        f"WHERE concat(database, '.', name) = {quote_text(table)} AND as_select != ''"
    )
    return [str(row[0]) for row in found]
