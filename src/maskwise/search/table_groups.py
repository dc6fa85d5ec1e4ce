"""The groups of all QIDs where a top-down search begins: QID by QID, or subset by subset of a wide table."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from maskwise.compress.qid_tables import QidTables
from maskwise.search.bounds import as_rules
from maskwise.search.groups.person_groups import PersonGroups
from maskwise.search.groups.splitting import SplittingGroups
from maskwise.search.groups.subset_groups import SubsetGroups

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from maskwise.compress.compressed_table import Compact
    from maskwise.search.bounds import Bound
    from maskwise.search.groups.split_kernels import SplitCut

    Ints = NDArray[np.int64]

QidGroups: TypeAlias = SplittingGroups | PersonGroups | SubsetGroups


@dataclass(frozen=True, slots=True)
class TableGroups:
    """The groups of all QIDs."""

    groups: list[QidGroups]
    """Those of one QID, or of many that are counted together."""
    places: list[tuple[int, int]]
    """For each bound which groups it is about, and which of their rules it is."""
    members: list[tuple[int, ...]]
    """For each bound the attributes of its QID."""


def start_tables(
    tables: Sequence[Compact], bounds: Sequence[Bound], cut: SplitCut, first: Ints, most_slots: Sequence[int]
) -> TableGroups:
    """Start with one group on each QID, which shows roots.

    Args:
        tables: One compressed table per distinct QID.
        bounds: The rules of all requirements.
        cut: The trees, with attributes numbered over the whole policy.
        first: The root of each attribute; one past the last node.
        most_slots: The largest number of children on each attribute.
    """
    of_table: list[list[int]] = [[] for _ in range(len(tables))]
    for b, bound in enumerate(bounds):
        of_table[bound.table].append(b)
    together: dict[tuple[object, ...], list[int]] = {}
    for t, own in enumerate(of_table):
        together.setdefault(_alike(tables, t, [bounds[b] for b in own]), []).append(t)
    groups: list[QidGroups] = []
    places: list[tuple[int, int]] = [(0, 0)] * len(bounds)
    members: list[tuple[int, ...]] = [()] * len(bounds)
    for alike in together.values():
        rules = [bounds[b] for b in of_table[alike[0]]]
        if len(alike) == 1:
            table = tables[alike[0]]
            attributes = [table.attributes]
            kind = SplittingGroups if table.persons is None else PersonGroups
            roots, slots = [int(first[a]) for a in table.attributes], [most_slots[a] for a in table.attributes]
            groups.append(kind(table, cut, roots, slots, as_rules(rules, table.whole())))
        else:
            assert isinstance(tables, QidTables)  # noqa: S101 - else no tables are alike
            wide = tables.wide(alike[0])
            assert wide is not None  # noqa: S101 - likewise
            attributes = [tables.attributes_of(t) for t in alike]
            is_enforced = np.array([[bounds[b].counts for b in of_table[t]] for t in alike], np.bool_)
            groups.append(SubsetGroups(wide, attributes, cut, first, as_rules(rules, wide.whole()), is_enforced))
        for n, t in enumerate(alike):
            for r, b in enumerate(of_table[t]):
                places[b] = (len(groups) - 1, n * len(rules) + r)
                members[b] = attributes[n]
    return TableGroups(groups, places, members)


def _alike(tables: Sequence[Compact], t: int, rules: Sequence[Bound]) -> tuple[object, ...]:
    """What tables have in common that are counted together: their wide table, their size and their rules."""
    wide = tables.wide(t) if isinstance(tables, QidTables) else None
    if wide is None or not rules:
        return (t,)
    assert isinstance(tables, QidTables)  # noqa: S101 - else there is no wide table
    return id(wide), len(tables.attributes_of(t)), tuple((bound.rule, bound.first, bound.stop) for bound in rules)
