"""The tables that a source is made of: a release must replace none of them."""

from __future__ import annotations

from typing import Any

import ibis.expr.operations as ops

from maskwise.values.input_kind import InputKind, input_kind
from maskwise.values.location import TableName


def tables_of(source: Any) -> list[TableName]:
    """The tables and views that a source names; none for anything that is no table of a database.

    Args:
        source: A table's name, an Ibis table, or records from elsewhere.

    >>> import ibis
    >>> tables_of(ibis.table({"age": "int64"}, name="people", database="public").filter(ibis._.age > 3))
    [TableName(name='people', schema='public')]
    """
    if isinstance(source, TableName):
        return [source]
    if input_kind(source) is not InputKind.IBIS_TABLE:
        return []
    named = source.op().find((ops.DatabaseTable, ops.UnboundTable))
    return [TableName(one.name, one.namespace.database) for one in named]
