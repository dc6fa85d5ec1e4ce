"""What unmasked columns tell by the odds of their values, in plain Python: record by record, without an engine."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from typing import Any

SCALE, LEAST, MOST_RANGES, MOST_CATEGORIES, SMOOTHING = 256, 20, 32, 200, 10


def bins_of_records(columns: Sequence[Sequence[Any]], classes: Sequence[str]) -> list[int]:
    """The bin of each record: of equal size for two classes, else the likeliest class and how sure that is."""
    n = len(classes)
    names = sorted(set(classes))
    totals = Counter(classes)
    sums = [{c: 0 if len(names) == 2 else round(SCALE * math.log(totals[c] / n)) for c in names} for _ in classes]
    for column in columns:
        groups = groups_of_cells(column)
        if groups is None:
            continue
        by_group = Counter(zip(groups, classes, strict=True))
        sizes = Counter(groups)
        rare = {group for group in sizes if sizes[group] < LEAST}
        for i, group in enumerate(groups):
            pooled = rare if group in rare else {group}
            size = sum(sizes[one] for one in pooled)
            if size < LEAST:
                continue
            logs = {}
            for c in names:
                share = totals[c] / n
                count = sum(by_group[one, c] for one in pooled)
                logs[c] = math.log((count + SMOOTHING * share) / (size + SMOOTHING)) - math.log(share)
            if len(names) == 2:
                sums[i][names[1]] += round(SCALE * (logs[names[1]] - logs[names[0]]))
            else:
                for c in names:
                    sums[i][c] += round(SCALE * logs[c])
    if len(names) == 2:
        return numbered(parts([own[names[1]] for own in sums], 10))
    best = [max(names, key=lambda c, own=own: (own[c], -names.index(c))) for own in sums]  # type: ignore[misc]
    sure = [own[c] - max(own[d] for d in names if d != c) for own, c in zip(sums, best, strict=True)]
    return numbered([3 * names.index(c) + part for c, part in zip(best, parts(sure, 3), strict=True)])


def groups_of_cells(column: Sequence[Any]) -> list[Any] | None:
    """What each cell counts as: a range of numbers, a category, or one of the rest; None for names."""
    known = [cell for cell in column if cell is not None]
    numbers = [number_of(cell) for cell in known]
    if all(number is not None for number in numbers) and not any(is_code(cell) for cell in known):
        most = min(MOST_RANGES, max(len(known) // LEAST, 1))
        if len(set(numbers)) <= most:
            return [None if cell is None else number_of(cell) for cell in column]
        n_smaller = {v: sum(other < v for other in numbers) for v in set(numbers)}  # type: ignore[operator]
        return [None if cell is None else n_smaller[number_of(cell)] * most // len(known) for cell in column]
    counted = Counter(known)
    if all(isinstance(cell, str) for cell in known) and len(counted) > 0.5 * len(column):
        return None
    frequent = sorted((c for c in counted if counted[c] >= LEAST), key=lambda c: (-counted[c], str(c)))
    if not frequent:
        return None
    own = set(frequent[:MOST_CATEGORIES])
    return [cell if cell is None or cell in own else "the rest" for cell in column]


def number_of(cell: Any) -> float | None:
    if isinstance(cell, bool):
        return None
    try:
        return float(cell)
    except ValueError:
        return None


def is_code(cell: Any) -> bool:
    return isinstance(cell, str) and cell.strip().startswith("0") and len(cell.strip()) > 1 and "." not in cell


def parts(values: Sequence[int], n_parts: int) -> list[int]:
    """In which of some parts of equal size each value lies: after how many of the ends it comes."""
    ordered = sorted(values)
    ends = {ordered[math.ceil(part * len(values) / n_parts) - 1] for part in range(1, n_parts)}
    return [sum(end < value for end in ends) for value in values]


def numbered(bins: Sequence[int]) -> list[int]:
    place = {one: i for i, one in enumerate(sorted(set(bins)))}
    return [place[one] for one in bins]
