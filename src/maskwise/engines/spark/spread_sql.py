"""SQL that spreads each record into several rows and groups once.

A GROUP BY for each column scans the records as often, and GROUPING SETS give
every one of these rows all columns: of 14 columns both took far longer.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from maskwise.engines.pair_counts import ALONE

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from maskwise.engines.pair_counts import Target


def spread_values_sql(records: str, keys: Mapping[str, str], beside: Sequence[str]) -> str:
    """Count the values of each column by itself: a record becomes a row for each, with a place for each type.

    Args:
        records: A query of the records.
        keys: The columns, each with what Spark calls its type.
        beside: The class's column, if there is one.
    """
    place_of = {kind: f"of_type_{i}" for i, kind in enumerate(dict.fromkeys(keys.values()))}
    rows = [
        ", ".join([str(i), *(key if kind == own else f"CAST(NULL AS {kind})" for kind in place_of)])
        for i, (key, own) in enumerate(keys.items())
    ]
    together = "".join(f", {name}" for name in beside)
    names = ", ".join(["which", *place_of.values()])
    spread = f"SELECT stack({len(rows)}, {', '.join(rows)}) AS ({names}){together} FROM ({records}) q"  # noqa: S608
    counted = f"SELECT {names}{together}, count(*) AS n FROM ({spread}) s GROUP BY {names}{together}"  # noqa: S608
    cells = ", ".join(f"IF(which = {i}, {place_of[kind]}, NULL) AS {key}" for i, (key, kind) in enumerate(keys.items()))
    return f"SELECT {cells}{together}, n, which FROM ({counted}) c"  # noqa: S608


def spread_pairs_sql(records: str, targets: Sequence[Target]) -> str:
    """Count the records of each (cell of another column, label, raw cell); arguments as in `Dialect.pairs_sql`."""
    rows = [
        f"{target.number}, {other}, " + ", ".join(f"BIGINT({one})" for one in (cell, target.label, target.raw))
        for target in targets
        for other, cell in {ALONE: "0", **target.beside}.items()
    ]
    names = "target, other, cell, label, raw"
    spread = f"SELECT stack({len(rows)}, {', '.join(rows)}) AS ({names}) FROM {records}"  # noqa: S608
    return f"SELECT {names}, count(*) AS n FROM ({spread}) s GROUP BY {names}"  # noqa: S608
