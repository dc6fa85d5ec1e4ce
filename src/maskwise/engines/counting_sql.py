"""How rows and persons are counted, in plain SQL that every database understands."""

from __future__ import annotations

from typing import TYPE_CHECKING

from maskwise.engines.base import PERSON

if TYPE_CHECKING:
    from collections.abc import Sequence

    import ibis.expr.types as ir


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
