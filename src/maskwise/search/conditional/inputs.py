"""What all searches by the conditional criterion start from.

Everything is counted once: the compressed table of each QID, the class by the
rows of all masked attributes together, and what unmasked columns tell.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from maskwise.compress.compress import compress, compress_classes
from maskwise.compress.recode import numbered, records
from maskwise.errors import InputError
from maskwise.policy.attributes import Kind
from maskwise.profile.sensitive import take_sensitive
from maskwise.search.bounds import list_bounds, list_needs
from maskwise.search.conditional.cross_validation import MOST_CLOSE, N_CLOSE_FOLDS, Jury
from maskwise.search.conditional.growing_tree import plant
from maskwise.search.conditional.unmasked_columns import Known, as_lookup, bin_records, free_columns, know_records
from maskwise.search.value_trees import grow_forest
from maskwise.values.arrow import as_numpy

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from maskwise.compress.compressed_table import Compact
    from maskwise.compress.spill import Room
    from maskwise.policy.policy import Policy
    from maskwise.profile.columns import Profile
    from maskwise.search.bounds import Bound
    from maskwise.search.conditional.growing_tree import Elastic
    from maskwise.search.options import How
    from maskwise.search.value_trees import Tree
    from maskwise.table.table import Table

    Ints = NDArray[np.int64]

MOST_CLASSES = 50


@dataclass(frozen=True, slots=True)
class Close:
    """The rows of all masked attributes by class and by the unmasked columns."""

    rows: Compact
    """The rows."""
    known: Known
    """The distinct rows of the unmasked columns."""
    of_row: Ints
    """Which of these each row has."""


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
    close: Close | None
    """The same rows beside the unmasked columns themselves, to judge by."""

    @property
    def is_number(self) -> list[bool]:
        """For each attribute whether its codes are ordered."""
        return [tree.kind is Kind.INTERVAL for tree in self.trees]

    def jury(self, seed: int) -> Jury:
        """Judges by masked attributes, and by what unmasked columns tell, in a word."""
        known = None
        if self.bins is not None:
            known = Known(np.arange(int(self.bins.max()) + 1, dtype=np.int32)[None], (True,))
        return Jury(self.classes, self.is_number, seed, known, self.bins)

    def close_jury(self, seed: int) -> Jury | None:
        """Judges by masked and unmasked columns, as a recipient sees them; takes longer."""
        if self.close is None:
            return None
        rows, known, of_row = self.close.rows, self.close.known, self.close.of_row
        return Jury(rows, self.is_number, seed, known, of_row, N_CLOSE_FOLDS, MOST_CLOSE)


def prepare(table: Table, profile: Profile, policy: Policy, how: How, room: Room | None = None) -> Ground:
    """Count everything that the searches need.

    Args:
        table: The records.
        profile: Their one-dimensional counts.
        policy: What is asked.
        how: How hard the search will look, and what makes folds repeatable.
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
        of_record = bin_records(known.columns[1:-1], numbers, how.seed)
        rows = as_numpy(known.column(0)).astype(np.int64)
        bins = None if of_record is None else as_lookup(rows, of_record)
    pairs = [(policy.class_name, found.keys_of(value)) for value in values]
    classes, of_row = compress_classes(table, profile, trees, pairs, bins, room)
    close = None
    if bins is not None and how.effort > 1 and (found_rows := know_records(known.columns[1:-1], MOST_CLOSE)):
        seen, of_known = found_rows
        counted, of_counted = compress_classes(table, profile, trees, pairs, as_lookup(rows, of_known), room)
        assert of_counted is not None  # noqa: S101 - it was asked by row
        close = Close(counted, seen, of_counted)
    tables = compress(table, profile, trees, needs, room)
    bounds = tuple(list_bounds(profile, policy, needs))
    return Ground(profile, policy, floors, grown, bounds, tables, classes, of_row, close)


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
