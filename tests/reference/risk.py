"""The figures of risk by brute force, over lists of rows: plain Python, no engine."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any

Row = dict[str, Any]


def groups(rows: Sequence[Row], columns: Iterable[str], person: str | None = None) -> Counter[tuple[Any, ...]]:
    """The records, or distinct persons, of each combination of cells."""
    names = list(columns)
    if person is None:
        return Counter(tuple(row[name] for name in names) for row in rows)
    return Counter(key for key, _ in {(tuple(row[name] for name in names), row[person]) for row in rows})


def prosecutor(sizes: Iterable[int], limits: Iterable[float]) -> dict[str, Any]:
    """Highest, average, unique, and the share above each threshold, record by record."""
    chances = [1 / size for size in sizes for _ in range(size)]
    n = len(chances)
    return {
        "n_records": n,
        "highest": max(chances, default=0.0),
        "average": math.fsum(chances) / n if n else 0.0,
        "unique": sum(chance == 1 for chance in chances) / n if n else 0.0,
        "above": {limit: sum(chance > limit for chance in chances) / n if n else 0.0 for limit in limits},
    }


def disclosure(rows: Sequence[Row], qid: Sequence[str], column: str, person: str | None = None) -> dict[str, Any]:
    """How well a column is guessed from a QID, group by group."""
    of_group = groups(rows, qid, person)
    pairs = groups(rows, [*qid, column], person)
    within: dict[tuple[Any, ...], list[int]] = {}
    for key, n in pairs.items():
        within.setdefault(key[:-1], []).append(n)
    entropies = [-sum(n / sum(counts) * math.log(n / sum(counts)) for n in counts) for counts in within.values()]
    of_value: dict[Any, int] = {}
    for key, n in pairs.items():
        of_value[key[-1]] = of_value.get(key[-1], 0) + n
    return {
        "least_distinct": min(map(len, within.values()), default=0),
        "least_entropy": math.exp(min(entropies)) if entropies else 0.0,
        "largest_share": max((max(counts) / of_group[key] for key, counts in within.items()), default=0.0),
        "guess_rate": sum(map(max, within.values())) / sum(of_group.values()) if rows else 0.0,
        "base_rate": max(of_value.values()) / sum(of_group.values()) if rows else 0.0,
    }


def population(rows: Sequence[Row], others: Sequence[Row], qid: Sequence[str]) -> dict[str, float]:
    """Journalist and marketer, group by group."""
    here, there = groups(rows, qid), groups(others, qid)
    n = sum(here.values())
    found = sum(size / there[key] for key, size in here.items()) / n
    return {
        "journalist_highest": max(1 / there[key] for key in here),
        "journalist_average": max(len(here) / sum(there[key] for key in here), found),
        "marketer": found,
    }
