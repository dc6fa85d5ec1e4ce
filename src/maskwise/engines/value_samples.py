"""Some distinct values of columns with their records: chosen by their hash, so that all records of each are counted."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    import ibis.expr.types as ir

    from maskwise.engines.dialect import Dialect


def sample_values(
    dialect: Dialect, table: ir.Table, cells: Sequence[ir.Value], one_of: Sequence[int]
) -> list[list[tuple[str, int]]]:
    """Fetch the texts of some distinct values of each column, with their records, sorted; missing cells are left out.

    Args:
        dialect: How the database is talked to.
        table: The records.
        cells: The columns, a few dozen: each is a part of the query.
        one_of: One of how many values of each column is chosen; 1 takes all of them.
    """
    found: list[list[tuple[str, int]]] = [[] for _ in cells]
    records = str(dialect.backend.compile(table.select(**{f"v{i}": c.cast("string") for i, c in enumerate(cells)})))
    chosen = []
    for i, n in enumerate(one_of):
        test = f" AND {dialect.cell_hash(f'v{i}', 0)} % {n} = 0" if n > 1 else ""
        chosen.append(
            f"SELECT {i} AS which, v{i} AS cell, count(*) AS n FROM ({records}) t "  # noqa: S608
            f"WHERE v{i} IS NOT NULL{test} GROUP BY v{i}"
        )
    for row in dialect.query(" UNION ALL ".join(chosen)).to_pylist():
        found[int(row["which"])].append((row["cell"], int(row["n"])))
    return [sorted(values) for values in found]
