"""Pairs of columns counted in a database and on arrays, against plain Python."""

from __future__ import annotations

import random
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator
from typing import Any

import pyarrow as pa
import pytest

from maskwise.engines.choose import choose
from maskwise.engines.pair_counts import PairCounts, Repetition, Shares, Target, TellingGroups
from maskwise.engines.pair_counts_arrays import ArrayPairCounts
from maskwise.engines.pair_counts_sql import SqlPairCounts
from maskwise.engines.sql import Engine

TARGETS = (
    Target(0, "raw_0", "label_0", {1: "label_1", 2: "cell_2", 3: "cell_3"}),
    Target(1, "raw_1", "label_1", {0: "label_0", 2: "cell_2", 3: "cell_3"}),
)
UNMASKED = {2, 3}


def records(seed: int, n: int) -> dict[str, list[int]]:
    """Two masked columns, of which the second shows labels that do not follow from its cells, and two others."""
    rng = random.Random(seed)  # noqa: S311 - test data
    raw = [rng.randrange(12) - 6 for _ in range(n)]
    return {
        "raw_0": raw,
        "label_0": [cell // 3 for cell in raw],
        "raw_1": [rng.choice([2**62, 7, 9, -(2**62)]) for _ in range(n)],
        "label_1": [rng.randrange(2) for _ in range(n)],
        "cell_2": raw if seed % 2 else [cell % 4 for cell in raw],
        "cell_3": [rng.randrange(5 * n) for _ in range(n)],
    }


@pytest.fixture(scope="module")
def engine() -> Iterator[Engine]:
    started, _ = choose(None)
    yield started
    started.close()


def in_database(engine: Engine, table: pa.Table) -> PairCounts:
    dialect = engine.dialect
    coded = engine.materialize(engine.register(table)).get_name()
    dialect.create(f"{coded}_counted", dialect.pairs_sql(coded, TARGETS), view=False)
    return SqlPairCounts(dialect, coded, f"{coded}_counted", TARGETS)


def on_arrays(engine: Engine, table: pa.Table) -> PairCounts:
    del engine
    return ArrayPairCounts(table, TARGETS)


@pytest.mark.parametrize("count", [in_database, on_arrays])
@pytest.mark.parametrize(("seed", "n"), [(0, 1), (1, 2), (2, 60), (3, 400)])
def test_pairs_are_counted_as_in_plain_python(
    engine: Engine, count: Callable[[Engine, pa.Table], PairCounts], seed: int, n: int
) -> None:
    columns = records(seed, n)
    counts = count(engine, pa.table(columns))
    labels = counts.labels()
    telling = {(one.target, one.other, one.label, one.n_records): one for one in counts.telling(2, 0.6)}
    repetitions = counts.repetitions(UNMASKED)
    assert labels == {
        (target.number, label): shares for target in TARGETS for label, shares in plain_shares(columns, target).items()
    }
    assert telling == plain_telling(columns, 2, 0.6)
    assert set(repetitions) == {(target.number, other) for target in TARGETS for other in UNMASKED}
    for target in TARGETS:
        for other in UNMASKED:
            raw, cell, label = columns[target.raw], columns[target.beside[other]], columns[target.label]
            by_other, by_raw = repetitions[target.number, other]
            assert by_other == plain_repetition(cell, raw)
            assert by_raw == plain_repetition(raw, cell)
            behind: defaultdict[int, set[int]] = defaultdict(set)
            for shown, other_cell in zip(label, cell, strict=True):
                behind[shown].add(other_cell)
            narrowed = sum(len(behind[shown]) > 1 for shown in label)
            assert counts.n_narrowed(target.number, other) == narrowed
    same = [(0, other) for other in UNMASKED if columns[f"cell_{other}"] == columns["raw_0"]]
    same += [(1, other) for other in UNMASKED if columns[f"cell_{other}"] == columns["raw_1"]]
    assert sorted(counts.repeating(UNMASKED)) == sorted(same)
    assert counts.repetitions(()) == {}
    assert counts.repeating(()) == []
    counts.drop()


def plain_shares(columns: dict[str, list[int]], target: Target) -> dict[int, Shares]:
    behind: defaultdict[int, Counter[int]] = defaultdict(Counter)
    for label, raw in zip(columns[target.label], columns[target.raw], strict=True):
        behind[label][raw] += 1
    return {
        label: Shares(cells.total(), max(cells.values()), sum(n * n for n in cells.values()))
        for label, cells in behind.items()
    }


def plain_telling(columns: dict[str, list[int]], least: int, share: float) -> dict[tuple[int, ...], TellingGroups]:
    found: Counter[tuple[int, int, int, int]] = Counter()
    for target in TARGETS:
        for other, cell in target.beside.items():
            groups: defaultdict[Any, Counter[int]] = defaultdict(Counter)
            for key, label, raw in zip(columns[cell], columns[target.label], columns[target.raw], strict=True):
                groups[key, label][raw] += 1
            for (_, label), cells in groups.items():
                if cells.total() >= least and max(cells.values()) >= share * cells.total():
                    found[target.number, other, label, cells.total()] += 1
    return {key: TellingGroups(*key, n) for key, n in found.items()}


def plain_repetition(first: list[int], second: list[int]) -> Repetition:
    counts = Counter(first)
    beside: defaultdict[int, set[int]] = defaultdict(set)
    for one, other in zip(first, second, strict=True):
        beside[one].add(other)
    shared = {cell: n for cell, n in counts.items() if n > 1}
    single = sum(n for cell, n in shared.items() if len(beside[cell]) == 1)
    squares = sum(n * n for n in counts.values())
    return Repetition(len(shared), sum(shared.values()), single, max(counts.values()), squares, counts.total())
