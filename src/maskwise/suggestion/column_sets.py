"""The smallest sets of columns that single out many records, found by counts inside the engine.

A record that is alone on some columns is alone on more columns too, so a set
that singles out enough ends its branch. What a set can single out at most
follows from the groups of its parts, so most sets need not be counted.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations
from math import comb, prod
from typing import TYPE_CHECKING

import numpy as np

from maskwise.suggestion.figures import count_groups, separation

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from maskwise.risks.group_sizes import GroupSizes
    from maskwise.risks.hashed_table import HashedTable

LEVELS = (0.01, 0.05, 0.2)
"""The shares of records that are looked for."""
LARGEST = 4
"""Sets of more columns are not looked at."""
_MOST_RECORDS = 65_536
"""Of a larger table about so many records are counted on each set: whole groups of them, chosen by their hash."""
_MOST_SETS = 600
"""So many sets are counted at most."""
_MOST_SCANNED = 40_000_000
"""And so many records are gone through for them, which takes about a second."""
_MOST_TRIED = 10_000
"""Of more sets of one size not even the room is computed."""
_SHOWN = 5
"""So many sets are kept for each share."""


@dataclass(frozen=True, slots=True)
class SinglingSet:
    """A smallest set of columns that singles out more than a share of the records."""

    columns: tuple[str, ...]
    """The columns; without any of them it would be a smaller share than `level`."""
    singled_out: float
    """The share of records that are alone on them."""
    separation: float
    """The share of pairs of records that they tell apart."""
    level: float
    """The largest share of `LEVELS` that it passes and no part of it does."""


@dataclass(frozen=True, slots=True)
class SetSearch:
    """What was found, and how far the search went."""

    sets: tuple[SinglingSet, ...]
    """The sets, smallest first."""
    n_counted: int
    """How many sets were counted."""
    is_complete: bool
    """Whether all sets of up to `LARGEST` columns were counted or ruled out."""
    one_of: int = 1
    """The figures are estimates from one of so many groups; 1 counts all of them."""


def find_sets(hashes: HashedTable, single: Mapping[str, GroupSizes], n_records: int) -> SetSearch:
    """Find the smallest sets of columns that single out more than 1, 5 and 20 % of the records.

    Args:
        hashes: The hashed cells.
        single: The groups on each column that may be in a set.
        n_records: The records of the table.

    Claim: where all groups are counted, a set that is not counted cannot be a result. A group of m records
    that a column with d values splits has at most d groups of one, and at most
    m; so a set passes a share only if the groups of its parts leave room for it.
    """
    names = sorted(single, key=lambda name: (-count_groups(single[name]), name))
    known: dict[frozenset[str], GroupSizes] = {frozenset({name}): single[name] for name in names}
    budget = min(_MOST_SETS, max(_MOST_SCANNED // max(n_records, 1), 10))
    one_of = max(round(n_records / _MOST_RECORDS), 1)
    is_complete = True
    for size in range(2, min(LARGEST, len(names)) + 1):
        if comb(len(names), size) > _MOST_TRIED:
            is_complete = False
            break
        wanted = _candidates(names, known, size, n_records)
        left = max(budget - (len(known) - len(names)), 0)
        is_complete &= len(wanted) <= left
        if wanted[:left]:
            known |= hashes.sizes(wanted[:left], one_of)
    return SetSearch(_smallest(known, names, n_records), len(known) - len(names), is_complete, one_of)


def _candidates(
    names: Sequence[str], known: Mapping[frozenset[str], GroupSizes], size: int, n_records: int
) -> list[frozenset[str]]:
    """The sets of a size that may pass a share that no part of them passes, the most promising first."""
    order = {name: i for i, name in enumerate(names)}
    n_values = {name: count_groups(known[frozenset({name})]) for name in names}
    found: dict[frozenset[str], float] = {}
    for chosen in combinations(names, size):
        columns = frozenset(chosen)
        parts = [frozenset(some) for n in range(1, size) for some in combinations(chosen, n)]
        passed = max(known[part].n_unique for part in parts if part in known) / n_records
        room = float(min(prod(n_values[name] for name in chosen), n_records))
        for name in chosen:
            if columns - {name} in known:
                room = min(room, _room(known[columns - {name}], n_values[name]))
        if any(passed <= level < room / n_records for level in LEVELS):
            found[columns] = room
    return sorted(found, key=lambda columns: (-found[columns], sorted(order[name] for name in columns)))


def _room(groups: GroupSizes, n_values: int) -> float:
    """How many records can be alone at most, if each group is split by a column with so many values."""
    alone = np.where(groups.sizes <= n_values, groups.sizes, n_values - 1)
    return float((alone * groups.n_groups).sum())


def _smallest(
    known: Mapping[frozenset[str], GroupSizes], names: Sequence[str], n_records: int
) -> tuple[SinglingSet, ...]:
    """For each share the smallest sets that pass it, and of these the ones that pass it most."""
    order = {name: i for i, name in enumerate(names)}
    unique = {columns: groups.n_unique / n_records for columns, groups in known.items()}

    def rank(columns: frozenset[str]) -> tuple[int, float, list[int]]:
        return len(columns), -unique[columns], sorted(map(order.__getitem__, columns))

    chosen: dict[frozenset[str], float] = {}
    for level in LEVELS:
        passing = [columns for columns in known if unique[columns] > level]
        minimal = [columns for columns in passing if not any(other < columns for other in passing)]
        chosen |= dict.fromkeys(sorted(minimal, key=rank)[:_SHOWN], level)
    return tuple(
        SinglingSet(
            tuple(sorted(columns, key=order.__getitem__)), unique[columns], separation(known[columns]), chosen[columns]
        )
        for columns in sorted(chosen, key=rank)
    )
