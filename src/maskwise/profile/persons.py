"""How many persons a table is about, and how many of them have each protected value."""

from __future__ import annotations

from typing import TYPE_CHECKING

from maskwise.errors import InputError
from maskwise.profile.columns import Persons
from maskwise.table.table import one_or_zero

if TYPE_CHECKING:
    from collections.abc import Mapping

    from maskwise.policy.policy import Policy
    from maskwise.profile.columns import Sensitive
    from maskwise.table.table import Table


def count_persons(table: Table, policy: Policy, sensitive: Mapping[str, Sensitive]) -> Persons | None:
    """Count the persons of a table; None if the policy does not say whom a record is about.

    Args:
        table: The records.
        policy: What is asked.
        sensitive: The sensitive columns.
    """
    if policy.person is None:
        return None
    name = policy.person.column
    if not table.is_countable(name):
        msg = f"Column `{name}` holds nested or binary cells, which cannot name persons. Make them text."
        raise InputError(policy.at(("person",)) + msg)
    pairs = list(dict.fromkeys(pair for pair in _counted_pairs(policy, sensitive)))
    marks = {}
    for i, (column, value) in enumerate(pairs):
        cell, keys = table.column(column), sensitive[column].keys_of(value)
        marks[f"s{i}"] = one_or_zero(cell.isnull() if keys is None else cell.isin(keys.to_pylist()))
    marked = table.expr.select(person=table.column(name), **marks)
    each = marked.group_by("person").agg(n=marked.count(), **{mark: marked[mark].max() for mark in marks})
    no_one = each["person"].isnull()
    totals = {mark: each[mark].sum() for mark in marks}
    found = each.aggregate(n_persons=each.count(), n_missing=no_one.ifelse(each["n"], 0).sum(), **totals)
    (counts,) = table.engine.fetch(found).to_pylist()
    policy.person.refuse_missing(int(counts["n_missing"] or 0))
    n_with = {pair: int(counts[f"s{i}"] or 0) for i, pair in enumerate(pairs)}
    return Persons(name, int(counts["n_persons"]), n_with)


def _counted_pairs(policy: Policy, sensitive: Mapping[str, Sensitive]) -> list[tuple[str, str | None]]:
    """Column and value of every sensitive value that a requirement counts."""
    pairs: list[tuple[str, str | None]] = []
    for part in (part for requirement in policy.requirements for part in requirement.parts):
        if (counted := part.counted) is not None:
            values = sensitive[counted.column].values(counted.order) if counted.values is None else counted.values
            pairs += [(counted.column, value) for value in values]
    return pairs
