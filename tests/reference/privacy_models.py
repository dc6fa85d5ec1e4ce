"""Diversity, closeness and LKC as their papers define them, in plain Python.

A rule here is a part for `tdr.Reference`. Everything but entropy is exact.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations
from typing import Any

from tests.reference.topdown import MISSING, K, T, protected

Record = dict[str, Any]
NEAR = 1e-12


def n_distinct(counts: Sequence[int]) -> int:
    return sum(n > 0 for n in counts)


def bits(counts: Sequence[int]) -> float:
    n = sum(counts)
    return math.fsum(c / n * math.log2(n / c) for c in counts if c)


def most_bits(counts: Sequence[int], n: int) -> float:
    """The largest entropy of one value each, where the most frequent one is as frequent as here (Fano)."""
    most = max(counts)
    if most == n:
        return 0.0
    return bits([most, n - most]) + (n - most) / n * math.log2(len(counts) - 1)


def recursive_ratio(counts: Sequence[int], level: int, n: int) -> Fraction | float:
    """The most frequent value over the l-th most frequent and all rarer ones (Machanavajjhala et al. 2007).

    Of several values in a cell, the rarer ones have no more records than those without the most frequent one.
    """
    falling = sorted(counts, reverse=True)
    tail = min(sum(falling[level - 1 :]), n - falling[0])
    return Fraction(falling[0], tail) if tail else math.inf


def equal_distance(counts: Sequence[int], whole: Sequence[int]) -> Fraction:
    """The mass that has to move, however far (Li et al. 2007)."""
    moved = [Fraction(c, sum(counts)) - Fraction(w, sum(whole)) for c, w in zip(counts, whole, strict=True)]
    return sum((abs(part) for part in moved), Fraction(0)) / 2


def ordered_distance(counts: Sequence[int], whole: Sequence[int]) -> Fraction:
    """The mass that has to move times how far, in steps of the order, over the longest way (Li et al. 2007)."""
    total = Fraction(0)
    for border in range(1, len(counts)):
        here = Fraction(sum(counts[:border]), sum(counts)) - Fraction(sum(whole[:border]), sum(whole))
        total += abs(here)
    return total / max(len(counts) - 1, 1)


@dataclass(frozen=True)
class Spread:
    """A rule on all values of a sensitive column; subclasses say how bad the counts of one group are."""

    qid: tuple[str, ...]
    column: str

    def parts(self) -> list[Any]:
        return [self]

    def values(self, records: list[Record]) -> list[Any]:
        found = {record[self.column] for record in records}
        return [*sorted(found - {MISSING}), *([MISSING] if MISSING in found else [])]

    def groups(self, shown: list[Record], records: list[Record]) -> dict[tuple[Any, ...], list[int]]:
        """For each group the records of each value, in the order of the values."""
        values = self.values(records)
        found: dict[tuple[Any, ...], list[int]] = {}
        for seen, raw in zip(shown, records, strict=True):
            counts = found.setdefault(tuple(seen[name] for name in self.qid), [0] * len(values))
            counts[values.index(raw[self.column])] += 1
        return found

    def badness(self, shown: list[Record], records: list[Record]) -> Any:
        groups = self.groups(shown, records)
        whole = [sum(of_value) for of_value in zip(*groups.values(), strict=True)]
        return max(self.of_group(counts, whole, sum(counts)) for counts in groups.values())

    def of_group(self, counts: Sequence[int], whole: Sequence[int], n: int) -> Any:
        """How bad a group of n records is; of cells with several values, each is counted for each of them."""
        raise NotImplementedError

    def limit(self) -> Any:
        raise NotImplementedError

    def is_broken(self, badness: Any) -> bool:
        return badness > self.limit()

    def figure(self, badness: list[Any]) -> Any:
        return badness[0]

    def _same(self, other: Any) -> bool:
        return type(self) is type(other) and self.column == other.column and set(other.qid) <= set(self.qid)

    def _said(self, **how: Any) -> dict[str, Any]:
        return {"qid": list(self.qid), "sensitive": self.column, **how}


@dataclass(frozen=True)
class Distinct(Spread):
    level: int

    def of_group(self, counts: Sequence[int], whole: Sequence[int], n: int) -> Fraction:
        del whole
        return Fraction(-min(n_distinct(counts), 1 + n - max(counts)))

    def limit(self) -> Fraction:
        return Fraction(-self.level)

    def figure(self, badness: list[Any]) -> Any:
        return -badness[0]

    def implies(self, other: Any) -> bool:
        return self._same(other) and other.level <= self.level

    def said(self) -> dict[str, Any]:
        return self._said(diversity={"distinct": str(self.level)})


@dataclass(frozen=True)
class Entropy(Spread):
    level: Fraction

    def of_group(self, counts: Sequence[int], whole: Sequence[int], n: int) -> float:
        """Minus the bits; those that are the limit but for rounding are the limit."""
        del whole
        found = -min(bits(counts), most_bits(counts, n) if sum(counts) > n else math.inf)
        return self.limit() if abs(found - self.limit()) < NEAR else found

    def limit(self) -> float:
        return -math.log2(self.level)

    def figure(self, badness: list[Any]) -> float:
        return float(2 ** -badness[0])

    def implies(self, other: Any) -> bool:
        return self._same(other) and other.level <= self.level

    def said(self) -> dict[str, Any]:
        return self._said(diversity={"entropy": str(self.level)})


@dataclass(frozen=True)
class Recursive(Spread):
    c: Fraction
    level: int

    def of_group(self, counts: Sequence[int], whole: Sequence[int], n: int) -> Any:
        del whole
        return recursive_ratio(counts, self.level, n)

    def limit(self) -> Fraction:
        return self.c

    def is_broken(self, badness: Any) -> bool:
        return badness >= self.c

    def implies(self, other: Any) -> bool:
        return self._same(other) and other.level <= self.level and self.c <= other.c

    def said(self) -> dict[str, Any]:
        return self._said(diversity={"recursive": {"c": str(self.c), "l": str(self.level)}})


@dataclass(frozen=True)
class Equal(Spread):
    t: Fraction

    def of_group(self, counts: Sequence[int], whole: Sequence[int], n: int) -> Fraction:
        del n
        return equal_distance(counts, whole)

    def limit(self) -> Fraction:
        return self.t

    def implies(self, other: Any) -> bool:
        return self._same(other) and self.t <= other.t

    def said(self) -> dict[str, Any]:
        return self._said(closeness=str(self.t))


@dataclass(frozen=True)
class Ordered(Spread):
    t: Fraction
    order: tuple[Any, ...] = ()

    def values(self, records: list[Record]) -> list[Any]:
        found = super().values(records)
        place = {value: at for at, value in enumerate([*self.order, MISSING])}
        return sorted(found, key=place.__getitem__) if self.order else found

    def of_group(self, counts: Sequence[int], whole: Sequence[int], n: int) -> Fraction:
        del n
        return ordered_distance(counts, whole)

    def limit(self) -> Fraction:
        return self.t

    def implies(self, other: Any) -> bool:
        return self._same(other) and self.order == other.order and self.t <= other.t

    def said(self) -> dict[str, Any]:
        order = {"order": list(self.order)} if self.order else {}
        return self._said(closeness=str(self.t), distance="ordered", **order)


@dataclass(frozen=True)
class Grouped:
    """A rule on groups of the values of a sensitive column, by their first letters or a level of their tree."""

    rule: Spread
    by: str
    above: tuple[tuple[str, str], ...] = ()
    """For a level, the group of each value of the tree."""

    @property
    def qid(self) -> tuple[str, ...]:
        return self.rule.qid

    def parts(self) -> list[Any]:
        return [self]

    def badness(self, shown: list[Record], records: list[Record]) -> Any:
        column = self.rule.column
        grouped = [{column: self._groups(record[column])} for record in records]
        return self.rule.badness(shown, grouped)

    def groups_of(self, values: frozenset[Any]) -> frozenset[Any]:
        """The groups of the values of a cell."""
        return frozenset(self._group(value, dict(self.above)) for value in values)

    def _groups(self, cell: Any) -> Any:
        return self.groups_of(cell) if isinstance(cell, frozenset) else self._group(cell, dict(self.above))

    def _group(self, value: Any, above: dict[str, str]) -> Any:
        if value is MISSING:
            return MISSING
        return above[value] if above else value[: int(self.by.split()[1])]

    def limit(self) -> Any:
        return self.rule.limit()

    def is_broken(self, badness: Any) -> bool:
        return self.rule.is_broken(badness)

    def figure(self, badness: list[Any]) -> Any:
        return self.rule.figure(badness)

    def implies(self, other: Any) -> bool:
        return isinstance(other, Grouped) and self.by == other.by and bool(self.rule.implies(other.rule))  # type: ignore[attr-defined]

    def said(self) -> dict[str, Any]:
        return {**self.rule.said(), "by": self.by}  # type: ignore[attr-defined]


@dataclass(frozen=True)
class Lkc:
    """k and confidences on every subset of L attributes (Mohammed et al. 2009)."""

    qid: tuple[str, ...]
    known: int
    k: int | None
    values: tuple[tuple[str, Any, Fraction], ...] = ()

    def parts(self) -> list[Any]:
        found: list[Any] = []
        for qid in combinations(self.qid, self.known):
            found += [K(qid, self.k)] if self.k is not None else []
            found += [T(qid, column, value, h) for column, value, h in self.values]
        return found

    def figure(self, badness: list[Any]) -> Any:
        if self.k is None:
            return max(badness)
        return min(-bad for part, bad in zip(self.parts(), badness, strict=True) if isinstance(part, K))

    def said(self) -> dict[str, Any]:
        return {
            "lkc": {"attributes": list(self.qid), "L": self.known},
            **({} if self.k is None else {"k": self.k}),
            **({"sensitive": protected(self.values)} if self.values else {}),
        }
