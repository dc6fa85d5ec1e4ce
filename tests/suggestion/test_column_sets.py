"""Sets of columns that single out records, against brute force over all sets."""

from __future__ import annotations

import random
from collections import Counter
from itertools import combinations

import pyarrow as pa
import pytest

from maskwise.risks.hashed_table import hashed, number_columns
from maskwise.suggestion import column_sets
from maskwise.suggestion.column_sets import LARGEST, LEVELS, SetSearch, find_sets
from maskwise.suggestion.figures import entropy, separation
from maskwise.table.read import read


def search(cells: dict[str, list[int]]) -> SetSearch:
    table = read(pa.table(cells))
    names = list(cells)
    with hashed(table, number_columns(names), [], None) as hashes:
        sizes = hashes.sizes([frozenset({name}) for name in names])
        single = {name: sizes[frozenset({name})] for name in names}
        return find_sets(hashes, single, len(cells[names[0]]))


def brute_force(cells: dict[str, list[int]]) -> dict[float, set[frozenset[str]]]:
    """For each level all minimal sets that single out more than it."""
    n = len(next(iter(cells.values())))
    unique = {}
    for size in range(1, LARGEST + 1):
        for names in combinations(cells, size):
            groups = Counter(zip(*(cells[name] for name in names), strict=True))
            unique[frozenset(names)] = sum(count == 1 for count in groups.values()) / n
    return {
        level: {
            names
            for names, share in unique.items()
            if share > level and not any(other < names and unique[other] > level for other in unique)
        }
        for level in LEVELS
    }


@pytest.mark.parametrize("seed", range(4))
def test_sets_are_those_of_brute_force(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(column_sets, "_SHOWN", 1000)
    rng = random.Random(seed)  # noqa: S311 - no secret
    n = 300
    cells = {f"c{i}": [rng.randrange(rng.choice((2, 3, 9, 40))) for _ in range(n)] for i in range(6)}
    found = search(cells)
    assert found.is_complete
    expected = brute_force(cells)
    by_level = {level: {frozenset(one.columns) for one in found.sets if one.level == level} for level in LEVELS}
    # A set is listed under the largest level for which it is minimal.
    for level in LEVELS:
        higher = set().union(*(expected[other] for other in LEVELS if other > level))
        assert by_level[level] == expected[level] - higher


def test_figures_are_counts_of_pairs() -> None:
    rng = random.Random(9)  # noqa: S311 - no secret
    values = [rng.randrange(7) for _ in range(60)]
    table = read(pa.table({"a": values}))
    with hashed(table, {"a": 0}, [], None) as hashes:
        groups = hashes.sizes([frozenset({"a"})])[frozenset({"a"})]
    pairs = list(combinations(values, 2))
    assert separation(groups) == pytest.approx(sum(x != y for x, y in pairs) / len(pairs))
    assert 0 < entropy(groups) <= 2.81


def test_a_large_table_is_estimated_from_whole_groups(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = random.Random(5)  # noqa: S311 - no secret
    cells = {"a": [rng.randrange(300) for _ in range(20_000)], "b": [rng.randrange(100) for _ in range(20_000)]}
    exact = search(cells).sets[0].singled_out
    monkeypatch.setattr(column_sets, "_MOST_RECORDS", 4_000)
    estimated = search(cells)
    assert estimated.one_of == 5
    assert estimated.sets[0].singled_out == pytest.approx(exact, rel=0.1)
