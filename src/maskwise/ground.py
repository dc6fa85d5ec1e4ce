"""What all searches by the conditional criterion start from.

Everything is counted once: the compressed table of each QID, the class by the
rows of all masked attributes together, and what unmasked columns tell.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from maskwise.arrow import as_numpy
from maskwise.background import as_lookup, bin_records, free_columns
from maskwise.coding import numbered, records
from maskwise.compress import Compact, compress, compress_classes
from maskwise.elastic import plant
from maskwise.errors import InputError
from maskwise.forest import grow_forest
from maskwise.policy import Kind
from maskwise.rules import list_bounds, list_needs
from maskwise.sensitive import take_sensitive

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from maskwise.elastic import Elastic
    from maskwise.forest import Tree
    from maskwise.policy import Policy
    from maskwise.profile import Profile
    from maskwise.read import Table
    from maskwise.room import Room
    from maskwise.rules import Bound

    Ints = NDArray[np.int64]

MOST_CLASSES = 50


@dataclass(frozen=True, slots=True)
class Ground:
    """What all searches start from."""

    profile: Profile
    """One-dimensional counts."""
    policy: Policy
    """What is asked."""
    floors: dict[str, int]
    """For each attribute the largest k of its QIDs."""
    trees: tuple[Tree, ...]
    """The trees of taxonomy and suppress attributes; intervals are planted anew for each search."""
    bounds: tuple[Bound, ...]
    """The rules of all requirements."""
    tables: Sequence[Compact]
    """The compressed table of each distinct QID."""
    classes: Compact
    """The rows of all masked attributes, by class."""
    bins: Ints | None
    """What unmasked columns tell of each of those rows."""


def prepare(table: Table, profile: Profile, policy: Policy, seed: int, room: Room | None = None) -> Ground:
    """Count everything that the searches need.

    Args:
        table: The records.
        profile: Their one-dimensional counts.
        policy: What is asked.
        seed: Makes the folds of the background repeatable.
        room: Where compressed rows are kept.
    """
    if policy.class_name is None:
        raise InputError("The criterion `conditional` needs a class to tell. Name one in the policy, or use `score`.")
    found = take_sensitive(table, policy.class_name)
    values = found.values()
    if len(values) > MOST_CLASSES:
        msg = f"The criterion `conditional` takes up to {MOST_CLASSES} classes; found {len(values):,}. Use `score`."
        raise InputError(msg)
    floors = policy.floors()
    grown = grow_forest(profile, floors)
    trees = plant_all(profile, grown, floors)[0]
    needs = list_needs(profile, policy)
    bins = None
    free = free_columns(table, policy)
    if free:
        table = numbered(table)
        known = records(table, [*free, policy.class_name])
        of_class = known.column(known.num_columns - 1).combine_chunks().dictionary_encode(null_encoding="encode")
        # By spelling, so that the order of the records changes nothing.
        order = np.argsort(np.argsort([str(text) for text in of_class.dictionary.to_pylist()], kind="stable"))
        numbers = order[as_numpy(of_class.indices)].astype(np.int64)
        of_record = bin_records(known.columns[1:-1], numbers, seed)
        bins = None if of_record is None else as_lookup(as_numpy(known.column(0)).astype(np.int64), of_record)
    pairs = [(policy.class_name, found.keys_of(value)) for value in values]
    classes, of_row = compress_classes(table, profile, trees, pairs, bins, room)
    tables = compress(table, profile, trees, needs, room)
    bounds = tuple(list_bounds(profile, policy, needs))
    return Ground(profile, policy, floors, grown, bounds, tables, classes, of_row)


def plant_all(
    profile: Profile, grown: Sequence[Tree], floors: dict[str, int]
) -> tuple[tuple[Tree, ...], dict[int, Elastic]]:
    """The trees with fresh ones for intervals, and these by attribute."""
    elastic = {
        i: plant(column, floors[column.name])
        for i, column in enumerate(profile.columns)
        if column.kind is Kind.INTERVAL
    }
    trees = tuple(elastic[i].tree if i in elastic else tree for i, tree in enumerate(grown))
    return trees, elastic
