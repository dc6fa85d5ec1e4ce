"""Figures of the groups on a column or a set of columns, from their sizes alone."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

    from maskwise.risks.group_sizes import GroupSizes


def count_groups(groups: GroupSizes) -> int:
    """How many groups there are."""
    return int(groups.n_groups.sum())


def separation(groups: GroupSizes) -> float:
    """The share of pairs of records that are in different groups (Motwani and Xu); 0 if there is no pair."""
    n = groups.n_records
    if n < 2:  # noqa: PLR2004
        return 0.0
    # Python's whole numbers: squares of a billion records pass 64 bits.
    alike = sum(size * (size - 1) * n_groups for size, n_groups in _pairs(groups))
    return 1 - alike / (n * (n - 1))


def entropy(groups: GroupSizes) -> float:
    """The entropy of the groups, in bits."""
    n = groups.n_records
    return max(0.0, -sum(n_groups * size / n * math.log2(size / n) for size, n_groups in _pairs(groups)))


def _pairs(groups: GroupSizes) -> Iterator[tuple[int, int]]:
    return zip(groups.sizes.tolist(), groups.n_groups.tolist(), strict=True)
