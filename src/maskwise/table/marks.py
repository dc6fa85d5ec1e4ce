"""Marks: which records hold one of the sensitive values that are counted together."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import pyarrow as pa

from maskwise.engines.lookup_keys import look_up
from maskwise.table.table import one_or_zero

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from maskwise.table.table import Table

MOST_LISTED = 256
"""Above so many cells of a column they are joined: compared with lists, 50,000 codes in 26 sets took minutes."""


@dataclass(frozen=True, slots=True)
class _Numbered:
    """A column whose cells have a number for the sets that they belong to."""

    key: str
    """The engine's name of the numbers."""
    numbers: Mapping[int, Sequence[int]]
    """For each set the numbers of its cells."""


def mark(table: Table, sensitive: Sequence[tuple[str, pa.Array]]) -> Table:
    """The records with the marks s0, s1, ... of sensitive cells.

    Args:
        table: The records.
        sensitive: For each mark a column, and the cells that it marks; a missing one is the missing cell.
    """
    listed = [keys.to_pylist() for _, keys in sensitive]
    numbered: dict[str, _Numbered] = {}
    for name in dict.fromkeys(column for column, _ in sensitive):
        own = {i: listed[i] for i, (column, _) in enumerate(sensitive) if column == name}
        if sum(key is not None for keys in own.values() for key in keys) > MOST_LISTED:
            table, numbered[name] = _number(table, name, own, f"g{len(numbered)}")
    marks = {}
    for i, (name, _) in enumerate(sensitive):
        cell, keys, found = table.column(name), listed[i], numbered.get(name)
        if found is None:
            test = cell.isin([key for key in keys if key is not None])
        else:
            test = table.expr[found.key].isin(found.numbers[i])
        marks[f"s{i}"] = one_or_zero(cell.isnull() | test if None in keys else test)
    return replace(table, expr=table.expr.mutate(**marks)) if marks else table


def _number(table: Table, name: str, own: Mapping[int, Sequence[object]], key: str) -> tuple[Table, _Numbered]:
    """Give each cell of a column a number for the sets that it belongs to."""
    sets: dict[object, tuple[int, ...]] = {}
    for i, cells in own.items():
        sets.update({cell: (*sets.get(cell, ()), i) for cell in cells if cell is not None})
    number = {belongs: at for at, belongs in enumerate(dict.fromkeys(sets.values()))}
    codes = [number[belongs] for belongs in sets.values()]
    expr = look_up(table.engine, table.expr, key, table.column(name), pa.array(list(sets)), codes)
    numbers = {i: [at for belongs, at in number.items() if i in belongs] for i in own}
    return replace(table, expr=expr), _Numbered(key, numbers)
