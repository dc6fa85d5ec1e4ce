"""The SQL that recodes columns as small numbers, and counts rows and persons by them.

Each column is joined to a lookup table, or its ranges are searched.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import pyarrow as pa

from maskwise.engines.base import PERSON
from maskwise.engines.lookup_keys import number_codes

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    import ibis.expr.types as ir

    from maskwise.engines.base import Lookup, Lookups
    from maskwise.engines.dialect import Dialect
    from maskwise.engines.packed_codes import WordLayout


def coded_sql(
    dialect: Dialect,
    register: Callable[[pa.Table], str],
    records: str,
    lookups: Lookups,
    beside: Sequence[str],
    layout: WordLayout | None,
) -> str:
    """Recode columns, each under its own name, or all of them as words.

    Args:
        dialect: How the database is talked to.
        register: Makes a small table known to the database and gives its name.
        records: A query of the records.
        lookups: For each of them how it is recoded.
        beside: Columns that are left as they are.
        layout: Where the codes are put side by side; None leaves each in a column of its own.
    """
    joins, codes = [], {}
    for i, (name, how) in enumerate(lookups.items()):
        placed = how if layout is None else layout.shifted(name, how)
        join, code = _code(dialect, register, f"t.{name}", i, placed)
        joins.append(join)
        codes[name] = layout.shift_sql(name, code) if layout is not None and how.codes is None else code
    named = [f"{code} AS {name}" for name, code in codes.items()] if layout is None else layout.words_sql(codes)
    cells = [*(f"t.{name}" for name in beside), *named]
    return f"SELECT {', '.join(cells)} FROM ({records}) t {' '.join(joins)}"  # noqa: S608


def range_number(dialect: Dialect, register: Callable[[pa.Table], str], cell: str, lows: pa.Array) -> tuple[str, str]:
    """What to join to find the number of the range that a cell falls into, and the number, in SQL."""
    registered = register(pa.table({"low": lows, "code": number_codes(len(lows))}))
    return dialect.range_number(cell, lows, registered)


def _code(dialect: Dialect, register: Callable[[pa.Table], str], cell: str, i: int, how: Lookup) -> tuple[str, str]:
    """What to join to find the code of a cell, and the code, in SQL."""
    if how.codes is None:
        join, code = range_number(dialect, register, cell, how.keys)
    else:
        name = register(pa.table({f"key{i}": how.keys, f"code{i}": how.codes}))
        join, code = f"LEFT JOIN {name} ON {cell} = {name}.key{i}", f"{name}.code{i}"
    if how.codes is None or how.other is not None:
        other = code if how.other is None else f"coalesce({code}, {how.other})"
        return join, other if how.missing is None else f"CASE WHEN {cell} IS NULL THEN {how.missing} ELSE {other} END"
    return join, code if how.missing is None else f"coalesce({code}, {how.missing})"


def count_rows_sql(source: str, columns: Sequence[str], sums: Sequence[str]) -> str:
    """The SQL that counts the distinct rows of a table or query and adds up some columns."""
    # Engines add up 64-bit numbers in wider ones.
    totals = "".join(f", CAST(sum({name}) AS BIGINT) AS {name}" for name in sums)
    keys = ", ".join(columns)
    return f"SELECT {keys}, count(*) AS n{totals} FROM {source} GROUP BY {keys}"  # noqa: S608


def list_rows_sql(source: str, columns: Sequence[str], sums: Sequence[str]) -> str:
    """The SQL that lists the rows of a table as `count_rows_sql` counts them, each by itself."""
    totals = "".join(f", CAST({name} AS BIGINT) AS {name}" for name in sums)
    return f"SELECT {', '.join(columns)}, CAST(1 AS BIGINT) AS n{totals} FROM {source}"  # noqa: S608


def each_person_sql(coded: ir.Table, columns: Sequence[str], marks: Sequence[str]) -> str:
    """The SQL that lists each person once in each distinct row, with the marks of its records there."""
    keys = ", ".join((*columns, PERSON))
    marked = "".join(f", max({name}) AS {name}" for name in marks)
    return f"SELECT {keys}{marked} FROM {coded.get_name()} GROUP BY {keys}"  # noqa: S608


def list_persons_sql(coded: ir.Table, columns: Sequence[str], marks: Sequence[str]) -> str:
    """The SQL that lists the distinct rows of each person, with its marks there and a number for the person."""
    persons = f"SELECT DISTINCT {PERSON} FROM {coded.get_name()}"  # noqa: S608
    numbered = f"SELECT {PERSON}, row_number() OVER (ORDER BY {PERSON}) - 1 AS number FROM ({persons}) d"  # noqa: S608
    cells = "".join(f"p.{name}, " for name in (*columns, *marks))
    return (
        f"SELECT {cells}CAST(n.number AS BIGINT) AS number FROM ({each_person_sql(coded, columns, marks)}) p "  # noqa: S608
        f"JOIN ({numbered}) n ON p.{PERSON} = n.{PERSON}"
    )
