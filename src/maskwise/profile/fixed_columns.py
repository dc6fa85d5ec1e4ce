"""Columns in no QID that are released at one depth of their taxonomy: a cut that no search moves."""

from __future__ import annotations

from typing import TYPE_CHECKING

from maskwise.policy.attributes import Kind
from maskwise.profile.column_counts import refuse_texts
from maskwise.solution.cut import Cut, MissingShown
from maskwise.values.spelling import text_of

if TYPE_CHECKING:
    from maskwise.policy.attributes import Attribute
    from maskwise.policy.policy import Policy
    from maskwise.table.table import Table


def take_fixed(table: Table, policy: Policy) -> tuple[Cut, ...]:
    """The cuts of these columns; a value that is no leaf of its tree is refused."""
    return tuple(_fixed_cut(table, policy, attribute) for attribute in policy.fixed)


def _fixed_cut(table: Table, policy: Policy, attribute: Attribute) -> Cut:
    tree, depth = attribute.taxonomy, attribute.release
    assert tree is not None  # noqa: S101 - only a taxonomy attribute has a depth
    assert depth is not None  # noqa: S101 - as `policy.fixed` has it
    found = table.distinct(attribute.name)
    n_records: dict[str, int] = {}
    for key, n in zip(found.keys.to_pylist(), found.counts.tolist(), strict=True):
        n_records[text_of(key)] = n_records.get(text_of(key), 0) + n
    if not set(n_records) <= set(tree.leaves()):
        refuse_texts(policy, attribute.name, tree, n_records)
    missing = MissingShown.ITSELF if found.n_missing else MissingShown.UNSEEN
    return Cut(attribute.name, Kind.TAXONOMY, tree.root, missing, taxonomy=tree, shown=tree.level(depth))
