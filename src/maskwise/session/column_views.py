"""What is to be seen of the columns of a raw table, for its owner alone: type, counts, frequent values."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

import ibis

from maskwise.errors import InputError
from maskwise.suggestion.roles import Role
from maskwise.values.scales import Scale
from maskwise.values.spelling import text_of

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    import ibis.expr.types as ir

    from maskwise.suggestion.suggestion import ColumnSuggestion, Suggestion
    from maskwise.table.table import Table

N_FREQUENT = 12
"""So many frequent values of a column are given."""
_COLUMNS_AT_ONCE = 40
"""So many columns are asked about in one query."""
_MANY_COLUMNS, _FEW_CELLS = 100, 5_000_000
"""With more columns than the first, and no more cells than the second, fetching all costs less than asking about
each column."""
_HIDDEN = {Role.IDENTIFIER, Role.PERSON, Role.SENSITIVE, Role.FREE_TEXT, Role.UNREADABLE}
"""The roles of columns whose values are not shown unless somebody asks for them."""
_TYPES = {
    Scale.INTEGER: "whole number",
    Scale.REAL: "number",
    Scale.DATE: "date",
    Scale.TIMESTAMP: "date and time",
    Scale.TIME: "time",
}


@dataclass(frozen=True, slots=True)
class ColumnView:
    """One column of a raw table. For the owner alone."""

    name: str
    """The column."""
    type: str
    """What its cells are, in words."""
    n_distinct: int
    """The different values, without the missing one; 0 where cells cannot be counted."""
    n_missing: int
    """The records whose cell is missing."""
    frequent: tuple[tuple[str, int], ...] | None
    """The most frequent values with their records; None of a column that identifies people or is sensitive."""
    suggestion: ColumnSuggestion | None
    """The part in a policy that is suggested for it, and why; None where nothing is suggested for the table."""


def view_columns(table: Table, suggestion: Suggestion | None, roles: Mapping[str, str]) -> tuple[ColumnView, ...]:
    """Look at every column.

    Args:
        table: The records.
        suggestion: What is suggested; None where nothing is.
        roles: The roles that the owner has chosen, by column; they decide which values are shown.
    """
    for name in roles:
        table.require(name, "has a role")
    suggested = {} if suggestion is None else {column.name: column for column in suggestion.columns}
    all_roles = {name: str(one.role) for name, one in suggested.items()} | dict(roles)
    shown = [name for name in table.names if all_roles.get(name) not in _HIDDEN and table.is_countable(name)]
    if len(table.names) > _MANY_COLUMNS and len(table.names) * table.n_rows() <= _FEW_CELLS:
        counts, frequent = _count_here(table, shown)
    else:
        counts, frequent = _counts(table, suggested), {name: _keep_frequent(table, name) for name in shown}
    return tuple(
        ColumnView(
            name, _type(table, name, suggested.get(name)), *counts[name], frequent.get(name), suggested.get(name)
        )
        for name in table.names
    )


def count_values(table: Table, name: str) -> list[tuple[str, int]]:
    """All values of a column as taxonomies spell them, with their records, the most frequent first."""
    table.require(name, "is asked about")
    if not table.is_countable(name):
        msg = f"The cells of `{name}` have no spelling, so its values cannot be listed. Leave the column out."
        raise InputError(msg)
    return table.kept.get(("values", table.expr.op(), name), lambda: _count_values(table, name))


def _count_values(table: Table, name: str) -> list[tuple[str, int]]:
    counted = table.distinct(name)
    found: dict[str, int] = {}
    for key, n in zip(counted.keys.to_pylist(), counted.counts.tolist(), strict=True):
        text = text_of(key)
        found[text] = found.get(text, 0) + n
    return sorted(found.items(), key=lambda one: (-one[1], one[0]))


def _counts(table: Table, suggested: Mapping[str, ColumnSuggestion]) -> dict[str, tuple[int, int]]:
    """Different values and missing cells of each column; they are counted only where nothing is suggested."""
    if suggested:
        return {name: (one.figures.n_distinct, one.figures.n_missing) for name, one in suggested.items()}
    found = dict.fromkeys(table.names, (0, 0))
    countable = [name for name in table.names if table.is_countable(name)]
    for at in range(0, len(countable), _COLUMNS_AT_ONCE):
        some = countable[at : at + _COLUMNS_AT_ONCE]
        asked: dict[str, ir.Value] = {}
        for i, name in enumerate(some):
            column = table.column(name)
            asked |= {f"d{i}": column.nunique(), f"m{i}": column.isnull().ifelse(1, 0).sum()}
        (row,) = table.engine.fetch(table.expr.aggregate(**asked)).to_pylist()
        found |= {name: (int(row[f"d{i}"] or 0), int(row[f"m{i}"] or 0)) for i, name in enumerate(some)}
    return found


def _count_here(
    table: Table, shown: Sequence[str]
) -> tuple[dict[str, tuple[int, int]], dict[str, tuple[tuple[str, int], ...]]]:
    """Different values and missing cells of every column, and the frequent values of some, counted in this process."""
    countable = [name for name in table.names if table.is_countable(name)]
    keys = [table.key(name) for name in countable]
    cells = table.engine.fetch(table.normalized(countable).select(*keys))
    counts, frequent = dict.fromkeys(table.names, (0, 0)), {}
    for name, column in zip(countable, cells.columns, strict=True):
        found = Counter(text_of(cell) for cell in column.to_pylist() if cell is not None)
        counts[name] = len(found), column.null_count
        if name in shown:
            frequent[name] = tuple(sorted(found.items(), key=lambda one: (-one[1], one[0]))[:N_FREQUENT])
    return counts, frequent


def _keep_frequent(table: Table, name: str) -> tuple[tuple[str, int], ...]:
    """The same, kept: the roles of columns are changed again and again."""
    return table.kept.get(("frequent", table.expr.op(), name), lambda: _frequent(table, name))


def _frequent(table: Table, name: str) -> tuple[tuple[str, int], ...]:
    """The most frequent values of a column; of equally frequent ones those that come first as texts."""
    cells = table.expr.select(cell=table.column(name))
    cells = cells.filter(cells["cell"].notnull())
    counted = cells.group_by("cell").agg(n=cells.count())
    order: Sequence[ir.Value] = [ibis.desc("n"), table.engine.dialect.byte_order(counted["cell"].cast("string"))]
    found = table.engine.fetch(counted.order_by(order).limit(N_FREQUENT))
    pairs = zip(found.column("cell").to_pylist(), found.column("n").to_pylist(), strict=True)
    return tuple((text_of(cell), int(n)) for cell, n in pairs)


def _type(table: Table, name: str, one: ColumnSuggestion | None) -> str:
    """What cells are, in words; a text file's cells are what all of them look like."""
    if one is not None and one.figures.scale is not None and not one.figures.has_zeros:
        return _TYPES[one.figures.scale]
    kind = table.column(name).type() if table.is_countable(name) else None
    if kind is None:
        return "other"
    for is_kind, words in (
        (kind.is_boolean(), "yes or no"),
        (kind.is_integer(), "whole number"),
        (kind.is_numeric(), "number"),
        (kind.is_date(), "date"),
        (kind.is_timestamp(), "date and time"),
        (kind.is_time(), "time"),
    ):
        if is_kind:
            return words
    return "text"
