"""How many persons a table is about, and how many of them have each protected value."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from maskwise.engines.base import PERSON, Lookup
from maskwise.errors import InputError
from maskwise.policy.attributes import Boundaries, Kind
from maskwise.profile.boundaries import limit_boundaries
from maskwise.profile.columns import Persons
from maskwise.table.marks import mark
from maskwise.values.arrow import as_numpy, from_numpy

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from numpy.typing import NDArray

    from maskwise.policy.policy import Policy
    from maskwise.profile.columns import Column, Profile, Sensitive
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
    sets = list(dict.fromkeys(_counted_sets(policy, sensitive)))
    with_marks = mark(table, [(column, sensitive[column].keys_of(*values)) for column, values in sets])
    marks = [f"s{i}" for i in range(len(sets))]
    expr = with_marks.expr
    marked = expr.select(person=with_marks.column(name), **{mark: expr[mark] for mark in marks})
    each = marked.group_by("person").agg(n=marked.count(), **{mark: marked[mark].max() for mark in marks})
    no_one = each["person"].isnull()
    totals = {mark: each[mark].sum() for mark in marks}
    found = each.aggregate(n_persons=each.count(), n_missing=no_one.ifelse(each["n"], 0).sum(), **totals)
    (counts,) = table.engine.fetch(found).to_pylist()
    policy.person.refuse_missing(int(counts["n_missing"] or 0))
    n_with = {one: int(counts[f"s{i}"] or 0) for i, one in enumerate(sets)}
    return Persons(name, int(counts["n_persons"]), n_with)


def _counted_sets(policy: Policy, sensitive: Mapping[str, Sensitive]) -> Iterator[tuple[str, tuple[str | None, ...]]]:
    """Column and values of every set of sensitive values that a requirement counts together."""
    for part in (part for requirement in policy.requirements for part in requirement.parts):
        if (counted := part.counted) is not None:
            yield from ((counted.column, values) for values in sensitive[counted.column].sets_of(counted))


def with_boundaries(profile: Profile, table: Table, policy: Policy, boundaries: Boundaries) -> Profile:
    """Merge the values of interval attributes between which no boundary may lie, counting persons where they count.

    Args:
        profile: The counts of every masked attribute.
        table: The records.
        policy: What is asked.
        boundaries: Whether boundaries are safe, or any number of the data.
    """
    persons = None
    if profile.persons is not None and boundaries is Boundaries.SAFE:
        intervals = [column for column in profile.columns if column.kind is Kind.INTERVAL]
        persons = {one.name: count_at_smallest(table, one, profile.persons.column) for one in intervals}
    return limit_boundaries(profile, policy.floors(), boundaries, persons)


def count_at_smallest(table: Table, column: Column, person: str) -> NDArray[np.int64]:
    """Count persons by the values of an interval attribute, each at the smallest value that it has.

    Args:
        table: The records.
        column: The attribute.
        person: The column that names persons.

    Returns:
        (n_values,) how many persons are counted at each value. Neighbouring values together have at least as many
        different persons as the sum of their counts.
    """
    codes = None if column.is_ranged else from_numpy(column.value_of_key)
    key, lookup = table.key(column.name), Lookup(column.keys, codes, -1 if column.missing.any() else None)
    records = table.normalized([column.name])
    records = records.mutate(**{PERSON: table.column(person)})
    coded = table.engine.recode(records, {key: lookup}, [PERSON], materialize=False)
    present = coded.filter(coded[key] >= 0)
    each = present.group_by(PERSON).agg(smallest=present[key].min())
    found = table.engine.group(each, [each["smallest"]])
    counts = np.zeros(len(column.numbers), np.int64)
    counts[as_numpy(found.column(0)).astype(np.int64)] = as_numpy(found.column("n"))
    return counts
