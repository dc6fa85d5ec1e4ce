"""Subsets of attributes counted by bundles, against plain Python."""

from __future__ import annotations

from collections import Counter
from itertools import combinations
from typing import Any

import numpy as np
import pytest

from maskwise.compress.spill import Workspace
from maskwise.search.groups import subset_bundles
from maskwise.search.groups.bundle_kernels import fill_tables, take_bundles
from maskwise.search.groups.subset_bundles import plan_passes
from maskwise.search.groups.subset_cells import make_buffers
from maskwise.search.groups.subset_tables import SubsetTables

N_CODES = np.array([2, 40, 3, 1, 5, 2, 7])


def count_by_bundles(codes: Any, words: Any, members: Any, passes: Any) -> SubsetTables:
    """Count every subset as `SubsetGroups` does, each with room for as many rows as there are."""
    n, n_subsets = len(codes), len(members)
    workspace = Workspace()
    tables = SubsetTables(
        np.arange(n_subsets) * n,
        np.zeros(n_subsets, np.int64),
        workspace.zeros((n_subsets * n, members.shape[1]), np.uint8),
        workspace.zeros((n_subsets * n, words.shape[1]), np.int64),
    )
    buffers = make_buffers(n, words.shape[1])
    same = np.tile(np.arange(N_CODES.max()), (len(N_CODES), 1)).astype(np.uint16)
    for bundles, combined in passes:
        numbers = np.zeros((len(bundles.size), n), np.uint16)
        span = np.array([0, len(bundles.size)])
        take_bundles(codes, np.arange(n), same, np.arange(len(N_CODES)), bundles, N_CODES, span, numbers)
        span = np.array([0, len(combined.bundles)])
        fill_tables(tables, members, combined, span, bundles, numbers, N_CODES, words, buffers)
    return tables


@pytest.mark.parametrize("most", [128, 6, 1])
@pytest.mark.parametrize("n_words", [1, 2])
@pytest.mark.parametrize("size", [1, 2, 3, 4])
def test_bundles_count_what_each_subset_has(
    monkeypatch: pytest.MonkeyPatch, size: int, n_words: int, most: int
) -> None:
    monkeypatch.setattr(subset_bundles, "_MOST_NUMBERS", most)
    rng = np.random.default_rng(size)
    codes = rng.integers(0, N_CODES, (300, len(N_CODES))).astype(np.uint8)
    words = rng.integers(1, 5, (300, n_words))
    members = np.array(list(combinations(range(len(N_CODES)), size)))
    passes, left = plan_passes(N_CODES, np.arange(len(members)), members, None, len(codes))
    assert sorted(np.concatenate([left, *(combined.subsets for _, combined in passes)])) == list(range(len(members)))
    assert not len(left) or size == 4
    tables = count_by_bundles(codes, words, members, passes)
    for s in set(range(len(members))) - set(left.tolist()):
        expected: Counter[tuple[int, ...]] = Counter()
        for row, own in zip(codes[:, members[s]].tolist(), words.tolist(), strict=True):
            for w, n in enumerate(own):
                expected[*row, w] += n
        rows = slice(tables.start[s], tables.start[s] + tables.n_rows[s])
        both = zip(tables.codes[rows].tolist(), tables.words[rows].tolist(), strict=True)
        found = {(*row, w): n for row, own in both for w, n in enumerate(own)}
        assert found == expected


def test_attributes_of_few_places_are_counted_together() -> None:
    members = np.array(list(combinations(range(60), 2)))
    passes, left = plan_passes(np.full(60, 5), np.arange(len(members)), members, None, 1_000_000)
    ((bundles, combined),) = passes
    assert not len(left)
    assert bundles.size.max() == 5**3
    assert len(combined.bundles) == 20 * 19 // 2 + 20


def test_a_shared_attribute_is_a_bundle_of_its_own() -> None:
    members = np.array([[4, 0], [4, 1], [4, 2]])
    ((bundles, combined),), left = plan_passes(np.array([3, 3, 3, 1, 2]), np.arange(3), members, 4, 10_000)
    assert bundles.members[0].tolist()[0] == 4
    assert bundles.size.tolist() == [2, 27]
    assert combined.bundles.tolist() == [[0, 1]]
    assert not len(left)


def test_too_many_cells_are_left() -> None:
    members = np.array([[0, 1], [0, 2], [1, 2]])
    passes, left = plan_passes(np.array([100, 5_000, 3]), np.arange(3), members, None, 1_000)
    assert left.tolist() == [0, 2]
    assert [combined.subsets.tolist() for _, combined in passes] == [[1]]
