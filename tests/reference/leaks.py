"""What released columns tell of masked ones, in plain Python."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from typing import Any

Records = Sequence[Mapping[str, Any]]


def told(raw: Records, released: Records, attribute: str, column: str, k: int) -> float:
    """The share of all records whose hidden cell of an attribute follows from a released column and the label shown."""
    behind: defaultdict[Any, Counter[Any]] = defaultdict(Counter)
    groups: defaultdict[Any, Counter[Any]] = defaultdict(Counter)
    for one, shown in zip(raw, released, strict=True):
        behind[shown[attribute]][one[attribute]] += 1
        groups[shown[column], shown[attribute]][one[attribute]] += 1
    n_told = 0
    for (_, label), cells in groups.items():
        alone = behind[label]
        if max(alone.values()) >= 0.95 * alone.total():
            continue  # the label tells it without the other column
        if cells.total() >= max(k, 2) and max(cells.values()) >= 0.95 * cells.total():
            n_told += cells.total()
    return n_told / len(raw)


def likely_by_chance(raw: Records, released: Records, attribute: str, label: Any, size: int) -> float:
    """An upper bound of how likely so many records behind a label all have one raw cell."""
    cells = Counter(one[attribute] for one, shown in zip(raw, released, strict=True) if shown[attribute] == label)
    shares = [n / cells.total() for n in cells.values()]
    return sum(share**2 for share in shares) * max(shares) ** (size - 2)


def is_function(cells: Sequence[Any], of: Sequence[Any]) -> bool:
    """Whether one column follows from another."""
    found: dict[Any, Any] = {}
    return all(found.setdefault(key, cell) == cell for key, cell in zip(of, cells, strict=True))
