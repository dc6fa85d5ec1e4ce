"""A binary tree of a column's values, grown from their counts."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from maskwise.policy.rules.base import ROOT
from maskwise.policy.rules.grow import GrowBy
from maskwise.policy.taxonomy import Taxonomy
from maskwise.profile.growing.by_classes import split_by_classes
from maskwise.profile.growing.by_frequency import split_by_frequency
from maskwise.profile.growing.by_similarity import join_by_similarity

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from maskwise.profile.growing.units import Units

    Ints = NDArray[np.int64]
    Nodes = list[tuple[Ints, int]]


def grow_tree(units: Units, by: GrowBy, root: str = ROOT) -> Taxonomy:
    """Grow the tree of a column.

    Args:
        units: What it tells apart.
        by: What values are put together by.
        root: The label of the root.
    """
    if by is GrowBy.SIMILARITY:
        nodes = _joined(units)
    else:
        split = split_by_classes if by is GrowBy.CLASSES else split_by_frequency
        nodes = _grown(len(units.counts), lambda members: split(members, units.counts))
    labels: list[str] = []
    parents: list[int] = []
    at: list[int] = []
    taken = {root, *units.texts, *units.rest}
    for members, parent in nodes:
        above = at[parent] if parent >= 0 else -1
        is_leaf = len(members) == 1 and members[0] < len(units.texts)
        if above < 0 or not is_leaf:
            labels.append(root if above < 0 else _unlike(units.label(members.tolist()), taken))
            parents.append(above)
            above = len(labels) - 1
        at.append(above)
        if is_leaf:
            labels.append(units.texts[members[0]])
            parents.append(above)
        elif len(members) == 1:
            labels += units.rest
            parents += [above] * len(units.rest)
    return Taxonomy(tuple(labels), tuple(parents))


def _unlike(label: str, taken: set[str]) -> str:
    """The label, or where a value or another group is called so, one that is like it."""
    found, n = label, 1
    while found in taken:
        n += 1
        found = f"{label} ({n})"
    taken.add(found)
    return found


def _grown(n_units: int, split: Callable[[Ints], tuple[Ints, Ints]]) -> Nodes:
    """Split all units until each is alone: the sets of units in preorder, each with the place of the set above it."""
    nodes: Nodes = []
    stack = [(np.arange(n_units), -1)]
    while stack:
        members, parent = stack.pop()
        nodes.append((members, parent))
        if len(members) > 1:
            # The order of the parts must not tell which of them has more of a class.
            parts = sorted((np.sort(part) for part in split(members)), key=lambda part: int(part[0]))
            stack += [(part, len(nodes) - 1) for part in reversed(parts)]
    return nodes


def _joined(units: Units) -> Nodes:
    """Join units by how alike they are spelled; values that are kept together stand beside all of them."""
    n = len(units.texts)
    groups = [np.array([i]) for i in range(n)]
    parts: dict[tuple[int, ...], tuple[Ints, Ints]] = {}
    for one, other in join_by_similarity(units.texts) if n else ():
        groups.append(np.sort(np.concatenate([groups[one], groups[other]])))
        parts[tuple(groups[-1].tolist())] = (groups[one], groups[other])
    if units.rest and n:
        parts[tuple(range(n + 1))] = (np.arange(n), np.array([n]))
    return _grown(len(units.counts), lambda members: parts[tuple(members.tolist())])
