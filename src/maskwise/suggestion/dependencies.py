"""Columns that determine coarser ones, such as city, county and state: found by counts alone.

A column determines another if the groups on both are as many as those on the
first. Where few records share a value, that may be chance, so it has to be
confirmed by many.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from maskwise.suggestion.figures import count_groups

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from maskwise.risks.group_sizes import GroupSizes
    from maskwise.suggestion.column_hashes import ColumnHashes
    from maskwise.suggestion.evidence import ColumnEvidence

_MOST_VALUES = 100_000
"""A tree of more values is not drafted."""
_FEWEST = 4
"""With fewer values there is nothing to put together."""
_COARSER = 1.5
"""A column above has so many times fewer values."""
_BITS = 64
"""What the records that confirm it tell, at least: by chance it would happen once in 2 to the power of this."""
_MOST_COUNTED = 65_536
"""Of a larger table about so many groups are counted first."""


def find_parents(
    hashes: ColumnHashes, columns: Sequence[ColumnEvidence], sizes: Mapping[str, GroupSizes], n_records: int
) -> dict[str, tuple[str, ...]]:
    """For each column those that it determines, each of which determines the next, the finest first.

    Args:
        hashes: The hashes of the table.
        columns: The columns that have neither an order nor a rule, at most as many as are hashed at a time.
        sizes: The groups on each of them.
        n_records: The records of the table.
    """
    n_groups = {column.name: count_groups(sizes[column.name]) for column in columns}
    pairs = {
        frozenset({finer.name, coarser.name}): finer.name
        for finer in columns
        for coarser in columns
        if _FEWEST <= n_groups[finer.name] <= _MOST_VALUES
        and 1 < n_groups[coarser.name] * _COARSER <= n_groups[finer.name]
        and (n_records - n_groups[finer.name]) * _bits(coarser) >= _BITS
    }
    one_of = max(round(n_records / _MOST_COUNTED), 1)
    if one_of > 1:
        # An estimate from some groups rules most pairs out; it is off by a few times its root.
        counted = hashes.pairs(list(pairs), one_of)
        pairs = {
            pair: finer
            for pair, finer in pairs.items()
            if count_groups(counted[pair]) <= n_groups[finer] + 8 * math.sqrt(one_of * n_groups[finer]) + 8 * one_of
        }
    counted = hashes.pairs(list(pairs))
    below: dict[str, list[str]] = {}
    for pair, finer in pairs.items():
        if count_groups(counted[pair]) == n_groups[finer]:
            below.setdefault(finer, []).extend(pair - {finer})
    return {name: chain for name in below if (chain := _chain(name, below, n_groups))}


def _bits(column: ColumnEvidence) -> float:
    """What it tells that two records agree on a column: little where nearly all do."""
    return -math.log2(1 - column.separation) if column.separation < 1 else math.inf


def _chain(name: str, below: Mapping[str, Sequence[str]], n_groups: Mapping[str, int]) -> tuple[str, ...]:
    """The finest column that one determines, then the finest that this one determines, and so on."""
    found: list[str] = []
    while determined := below.get(name):
        name = max(determined, key=lambda other: (n_groups[other], other))
        found.append(name)
    return tuple(found)
