"""Tables of DuckDB whose columns are known, because this process registered them: Ibis need not ask for them.

To ask takes Ibis a millisecond for a table, and a run of a small table registers twenty.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import ibis.expr.types as ir
    import pyarrow as pa

_SAME = frozenset(
    ["bool", "date32[day]", "double", "float", "string"]
    + [f"{sign}int{n_bits}" for sign in ("", "u") for n_bits in (8, 16, 32, 64)]
)
"""Arrow's types that are the same for DuckDB and for Ibis; others may become something else, such as a dictionary."""


def known_table(backend: Any, name: str, schema: pa.Schema) -> ir.Table:
    """Open a registered table; one with other than plain columns is asked for.

    Args:
        backend: Ibis's DuckDB.
        name: What the table was registered as.
        schema: Its columns.
    """
    # DuckDB renames columns that differ by the case of their letters only.
    n_names = len({column.casefold() for column in schema.names})
    # And it does not believe that no cell is missing, whatever a table says.
    is_plain = all(field.nullable and str(field.type) in _SAME for field in schema)
    if n_names < len(schema.names) or not is_plain:
        return backend.table(name)
    from ibis.expr.operations import DatabaseTable, Namespace  # noqa: PLC0415 - heavy
    from ibis.formats.pyarrow import PyArrowSchema  # noqa: PLC0415 - heavy

    nowhere = Namespace(catalog=None, database=None)
    return DatabaseTable(name, schema=PyArrowSchema.to_ibis(schema), source=backend, namespace=nowhere).to_expr()
