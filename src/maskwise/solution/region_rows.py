"""The region of each row, from the numbers of its cells."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from numpy.typing import NDArray

    from maskwise.policy.taxonomy import Taxonomy
    from maskwise.solution.region_codes import Codes, Taken
    from maskwise.solution.regions import Regions

    Ints = NDArray[np.int64]
    SplitsOfRegion = dict[int, list[tuple[int, list[tuple[int, Taken]]]]]


def number_texts(codes: Codes, texts: Iterable[str]) -> Ints:
    """The numbers of some values as they are written."""
    return np.array([codes.of_value(text) for text in texts], np.int64)


def number_leaves(codes: Codes, texts: Iterable[str], tree: Taxonomy | None) -> Ints:
    """The numbers of the leaves of a tree, or of values without one.

    Args:
        codes: The numbers of the attribute; of one with a rule its cut has the tree only down to what is named.
        texts: The leaves.
        tree: The whole tree.
    """
    if tree is None:
        return number_texts(codes, texts)
    number: list[int] = []
    for label, parent in zip(tree.labels, tree.parents, strict=True):
        number.append(codes.of_text.get(label, number[parent] if parent >= 0 else 0))
    at = dict(zip(tree.labels, number, strict=True))
    return np.array([at.get(text, 0) for text in texts], np.int64)


def number_numbers(codes: Codes, numbers: Any) -> Ints:
    """The numbers of some numbers of an interval attribute."""
    breaks = codes.cut.breaks
    borders = np.array(breaks[1:-1])
    found = np.searchsorted(borders, numbers, side="right") if len(borders) else np.zeros(len(numbers), np.int64)
    found = np.where(numbers > breaks[-1], codes.above, found)
    return np.where(numbers < breaks[0], codes.below, found).astype(np.int64)


def find_regions(regions: Regions, codes: Sequence[Codes], rows: Ints) -> Ints:
    """The region of each row.

    Args:
        regions: The splits.
        codes: The numbers of each attribute.
        rows: (n_rows, n_attributes) the numbers of each row.

    Claim: every row is in exactly one region. The parts of a split take different
    values, and what is in none of them stays.
    """
    at = {one.cut.attribute: a for a, one in enumerate(codes)}
    splits: SplitsOfRegion = {}
    n_regions = 1
    for split in regions.splits:
        a = at[split.attribute]
        taken = [(n_regions + p, codes[a].taken(part)) for p, part in enumerate(split.parts)]
        splits.setdefault(split.region, []).append((a, [(part, one) for part, one in taken if one is not None]))
        n_regions += len(split.parts)
    return walk_splits(splits, rows)


def walk_splits(splits: SplitsOfRegion, rows: Ints) -> Ints:
    """The region in which each row ends that begins in region 0.

    Args:
        splits: Of each region its splits in order: the attribute, and of each part its region and what it takes.
        rows: (n_rows, n_attributes) the numbers of each row.
    """
    found = np.zeros(len(rows), np.int64)
    waiting = [(0, np.arange(len(rows)))]
    while waiting:
        region, here = waiting.pop()
        for a, parts in splits.get(region, ()):
            cells = rows[here, a]
            stays = np.ones(len(here), np.bool_)
            for part, (first, stop, also) in parts:
                is_inside = ((first <= cells) & (cells < stop)) | (cells == also)
                if is_inside.any():
                    waiting.append((part, here[is_inside]))
                    stays &= ~is_inside
            here = here[stays]
        found[here] = region
    return found
