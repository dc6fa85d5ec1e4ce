"""Columns in no QID that are released at one depth of their taxonomy: a cut that no search moves."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from maskwise.policy.attributes import Kind
from maskwise.profile.column_counts import refuse_texts
from maskwise.profile.rule_columns import place_values
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
    tree, rule, depth = attribute.taxonomy, attribute.rule, attribute.release
    assert depth is not None  # noqa: S101 - as `policy.fixed` has it
    found = table.distinct(attribute.name)
    n_records: dict[str, int] = {}
    for key, n in zip(found.keys.to_pylist(), found.counts.tolist(), strict=True):
        n_records[text_of(key)] = n_records.get(text_of(key), 0) + n
    missing = MissingShown.ITSELF if found.n_missing else MissingShown.UNSEEN
    if rule is not None:
        counts = np.array(list(n_records.values()), np.int64)
        placed = place_values(policy, attribute.name, rule, list(n_records), counts).taxonomy
        shown = placed.level(depth)
        tree = placed.down_to(shown)
        return Cut(attribute.name, Kind.TAXONOMY, tree.root, missing, taxonomy=tree, rule=rule, shown=shown)
    assert tree is not None  # noqa: S101 - a taxonomy attribute has a tree or a rule
    if not set(n_records) <= set(tree.leaves()):
        refuse_texts(policy, attribute.name, tree, n_records)
    return Cut(attribute.name, Kind.TAXONOMY, tree.root, missing, taxonomy=tree, shown=tree.level(depth))
