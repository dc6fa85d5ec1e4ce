"""The rivals in plain Python, as slow as they are short."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Sequence
from itertools import groupby, product
from typing import Any

TREE = {"Any": {"School": ["primary", "secondary"], "University": {"Degree": ["bachelor", "master"]}, "none": None}}
PATHS: dict[str | None, list[str | None]] = {
    "primary": ["Any", "School", "primary"],
    "secondary": ["Any", "School", "secondary"],
    "bachelor": ["Any", "University", "Degree", "bachelor"],
    "master": ["Any", "University", "Degree", "master"],
    "none": ["Any", "none"],
    None: ["Any", None],
}
IN_FILE = ["Any", "School", "University", "Degree", "primary", "secondary", "bachelor", "master", "none", None]
LOW, HIGH = 0, 9
NEAR = 1e-12

Record = tuple[Any, ...]  # Age, Edu, Job, Risk
Option = tuple[float, int, list[tuple[Any, Callable[[Record], bool]]]]  # gain, attribute, parts


def entropy(records: Sequence[Record]) -> float:
    n = len(records)
    return -sum(c / n * math.log2(c / n) for c in Counter(r[3] for r in records).values())


def option(records: Sequence[Record], attribute: int, parts: list[tuple[Any, Callable[[Record], bool]]], k: int) -> Any:
    """The gain of a split, or nothing if a part is too small."""
    members = [[r for r in records if test(r)] for _, test in parts]
    if any(len(part) < k for part in members):
        return None
    gain = entropy(records) - sum(len(part) / len(records) * entropy(part) for part in members)
    return gain, attribute, parts


def splits_of_age(records: Sequence[Record], place: Any, k: int) -> list[Option]:
    if place is None:
        return []
    low, high, closed = place
    numbers = sorted({r[0] for r in records if r[0] is not None})
    lost = [(None, lambda r: r[0] is None)] if any(r[0] is None for r in records) else []
    found = []
    for border in numbers[1:]:
        parts = [
            ((low, border, False), lambda r, b=border: r[0] is not None and r[0] < b),
            ((border, high, closed), lambda r, b=border: r[0] is not None and r[0] >= b),
            *lost,
        ]
        found.append(option(records, 0, parts, k))
    if lost and numbers:
        found.append(option(records, 0, [(place, lambda r: r[0] is not None), *lost], k))
    return [one for one in found if one]


def splits_of_edu(records: Sequence[Record], k: int) -> list[Option]:
    ways = [PATHS[r[1]] for r in records]
    depth = 0
    while all(len(way) > depth and way[depth] == ways[0][depth] for way in ways):
        depth += 1
    if len(ways[0]) <= depth:
        return []
    children = sorted({way[depth] for way in ways}, key=IN_FILE.index)
    parts = [(child, lambda r, c=child, d=depth: PATHS[r[1]][d] == c) for child in children]
    found = option(records, 1, parts, k)
    return [found] if found else []


def splits_of_job(records: Sequence[Record], k: int) -> list[Option]:
    values = sorted({r[2] for r in records}, key=lambda v: (v is None, v))
    found = [option(records, 2, [(v, lambda r, v=v: r[2] == v), ("*", lambda r, v=v: r[2] != v)], k) for v in values]
    return [one for one in found if one]


def mondrian(records: Sequence[Record], k: int) -> list[tuple[Any, Any, Any]]:
    """What InfoGain Mondrian shows for each record."""
    shown: dict[int, tuple[Any, Any, Any]] = {}

    def split(members: list[Record], places: tuple[Any, Any, Any]) -> None:
        best: Option | None = None
        options = (splits_of_age(members, places[0], k), splits_of_edu(members, k), splits_of_job(members, k))
        for found in options:
            if found:
                most = max(gain for gain, _, _ in found)
                first = next(one for one in found if one[0] > most - NEAR)
                if first[0] > (NEAR if best is None else best[0] + NEAR):
                    best = first
        if best is None:
            low, high, closed = places[0] or (None, None, None)
            age = None if low is None else f"[{low}, {high}{']' if closed else ')'}"
            for r in members:
                shown[r[4]] = (age, places[1], places[2])
            return
        _, attribute, parts = best
        for place, test in parts:
            moved = list(places)
            moved[attribute] = place
            split([r for r in members if test(r)], (moved[0], moved[1], moved[2]))

    split([(*r, i) for i, r in enumerate(records)], ((LOW, HIGH, True), "Any", "*"))
    return [shown[i] for i in range(len(records))]


def at_level(record: Record, levels: Sequence[int]) -> tuple[Any, Any, Any]:
    """What a record shows; ages have four ranges, then two, then one."""
    borders = [[0, 3, 5, 7, 9], [0, 5, 9], [0, 9]][levels[0]]
    if record[0] is None and levels[0] < 2:
        age = None
    else:
        number = LOW if record[0] is None else record[0]
        i = max(i for i, border in enumerate(borders[:-1]) if border <= number)
        age = f"[{borders[i]}, {borders[i + 1]}{']' if i == len(borders) - 2 else ')'}"
    way = PATHS[record[1]]
    return age, way[min(len(way) - 1, 3 - levels[1])], "*" if levels[2] else record[2]


def full_domain(records: Sequence[Record], k: int, most_suppressed: int) -> tuple[int, tuple[int, ...], int]:
    """Penalty, levels and suppressed records of the best of all combinations."""
    best: Any = None
    for levels in product(range(3), range(4), range(2)):
        rows = sorted(((at_level(r, levels), r[3]) for r in records), key=repr)
        small = penalty = 0
        for _, group in groupby(rows, key=lambda row: row[0]):
            classes = Counter(label for _, label in group)
            if classes.total() < k:
                small += classes.total()
            else:
                penalty += classes.total() - max(classes.values())
        if small <= most_suppressed and not 0 < small < k:
            rank = (penalty + small, sum(levels), levels, small)
            best = rank if best is None else min(best, rank)
    return best[0], best[2], best[3]
