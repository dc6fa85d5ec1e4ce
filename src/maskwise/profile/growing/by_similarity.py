"""Groups of texts or codes that are spelled alike, by average linkage."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    Floats = NDArray[np.float64]


def join_by_similarity(texts: Sequence[str]) -> list[tuple[int, int]]:
    """Join the two nearest groups of texts until there is one; the distance of groups is the mean of their pairs.

    Found by chains of nearest neighbours, which join the same groups as a search through all pairs in each step
    (Müllner 2011), in time that grows with the square of the number of texts.

    Args:
        texts: Different texts, in their order, which decides between equal distances.

    Returns:
        The groups that each step joins, nearest pairs first: texts by position, then the groups made, in their order.
    """
    n = len(texts)
    distances = text_distances(texts)
    np.fill_diagonal(distances, np.inf)
    sizes = np.ones(n)
    is_gone = np.zeros(n, np.bool_)
    found: list[tuple[float, int, int]] = []
    chain: list[int] = []
    for _ in range(n - 1):
        if not chain:
            chain.append(int(np.argmin(is_gone)))
        while True:
            last = chain[-1]
            row = distances[last]
            nearest = int(np.argmin(row))
            # A tie goes to the one before, or the chain would not end.
            if len(chain) > 1 and row[chain[-2]] <= row[nearest]:
                break
            chain.append(nearest)
        one, other = sorted((chain.pop(), chain.pop()))
        found.append((float(distances[one, other]), one, other))
        merged = (sizes[one] * distances[one] + sizes[other] * distances[other]) / (sizes[one] + sizes[other])
        merged[[one, other]] = np.inf
        distances[one], distances[:, one] = merged, merged
        distances[other], distances[:, other] = np.inf, np.inf
        sizes[one] += sizes[other]
        is_gone[other] = True
    return _by_distance(found, n)


def text_distances(texts: Sequence[str]) -> Floats:
    """How unlike texts are spelled, from 0 to 1: the mean of two measures, whatever the case.

    The one is the share of pairs of neighbouring letters that are not common to
    both (1 - Dice), the other the share of the longer text that follows their common beginning, which
    is what codes are alike by.
    """
    folded = [text.casefold() for text in texts]
    # A pair that stands twice in a text counts once, so that what is common is a product.
    pairs = [set(zip(f"\0{text}", f"{text}\0", strict=True)) for text in folded]
    known = {pair: i for i, pair in enumerate(sorted({pair for own in pairs for pair in own}))}
    table = np.zeros((len(texts), len(known)), np.float32)
    for i, own in enumerate(pairs):
        table[i, [known[pair] for pair in own]] = 1
    n_pairs = table.sum(axis=1).astype(np.float64)
    common = (table @ table.T).astype(np.float64)
    dice = 1 - 2 * common / (n_pairs[:, None] + n_pairs[None, :])
    lengths = np.array([max(len(text), 1) for text in folded], np.float64)
    beginning = _common_beginnings(folded) / np.maximum(lengths[:, None], lengths[None, :])
    distances: Floats = (dice + 1 - beginning) / 2
    return distances


def _common_beginnings(texts: Sequence[str]) -> Floats:
    """How many first letters every two texts share: sorted, the least that neighbours between them share."""
    order = sorted(range(len(texts)), key=texts.__getitem__)
    n = len(texts)
    shared = np.array([_n_shared(texts[a], texts[b]) for a, b in pairwise(order)], np.float64)
    found = np.zeros((n, n))
    for i, at in enumerate(order):
        found[at, at] = len(texts[at])
        ahead = np.minimum.accumulate(shared[i:])
        found[at, order[i + 1 :]] = ahead
        found[order[i + 1 :], at] = ahead
    return found


def _n_shared(one: str, other: str) -> int:
    n = 0
    for a, b in zip(one, other, strict=False):
        if a != b:
            break
        n += 1
    return n


def _by_distance(found: list[tuple[float, int, int]], n: int) -> list[tuple[int, int]]:
    """Number the groups in the order of their distances; each was named by the first text in it."""
    group_of = list(range(n))
    above = list(range(n))

    def first(text: int) -> int:
        while above[text] != text:
            above[text] = above[above[text]]
            text = above[text]
        return text

    joined: list[tuple[int, int]] = []
    for _, one, other in sorted(found, key=lambda step: step[0]):
        a, b = first(one), first(other)
        joined.append((group_of[a], group_of[b]))
        above[b] = a
        group_of[a] = n + len(joined) - 1
    return joined
