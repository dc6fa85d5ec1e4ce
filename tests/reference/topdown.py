"""Top-down refinement as the paper writes it, in plain Python, with no thought of speed.

Every state is a list of masked records; every figure is recounted from them.
It shares nothing with the package, so agreement between the two means something.
"""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

EQUAL = 1e-12
HIDDEN = "*"
MISSING = None


@dataclass
class Attribute:
    """How the reference masks a column: kind is taxonomy, interval or suppress."""

    name: str
    kind: str
    children: dict[str, list[str]] = field(default_factory=dict)  # taxonomy: label to labels
    root: str = ""
    low: float = 0
    high: float = 0
    weight: float = 1.0
    at_least: int = 0

    def at_level(self, value: Any) -> Any:
        """What a record with this value shows if the attribute shows no more than its level asks for."""
        if self.kind == "suppress":
            return value if self.at_least else HIDDEN
        if self.kind == "interval":
            return (self.low, self.high, True)
        if value is MISSING:
            return MISSING if self.at_least else self.root
        return self.path_to(value)[: self.at_least + 1][-1]

    def path_to(self, value: Any) -> list[Any]:
        """The values from the root of a taxonomy down to one of its values."""
        path = [value]
        while path[0] != self.root:
            path.insert(0, next(label for label, below in self.children.items() if path[0] in below))
        return path


@dataclass
class Candidate:
    attribute: Attribute
    order: int
    """Place among the candidates of its attribute."""
    before: Any
    after: list[Any]
    moved: dict[int, Any]
    """For each record that shows `before`, what it shows afterwards."""


def entropy(classes: list[Any]) -> float:
    n = len(classes)
    return -sum(c / n * math.log2(c / n) for c in Counter(classes).values()) if n else 0.0


def anonymity(shown: list[dict[str, Any]], qid: tuple[str, ...]) -> int:
    return min(Counter(tuple(record[name] for name in qid) for record in shown).values())


@dataclass(frozen=True)
class K:
    """A k-anonymity requirement, or the one rule of it."""

    qid: tuple[str, ...]
    k: int

    def parts(self) -> list[K]:
        return [self]

    def figure(self, badness: list[Any]) -> Any:
        return -badness[0]

    def said(self) -> dict[str, Any]:
        return {"qid": list(self.qid), "k": self.k}

    def badness(self, shown: list[dict[str, Any]], records: list[dict[str, Any]]) -> Fraction:
        del records
        return Fraction(-anonymity(shown, self.qid))

    def limit(self) -> Fraction:
        return Fraction(-self.k)

    def is_broken(self, badness: Any) -> bool:
        return badness > self.limit()

    def implies(self, other: Any) -> bool:
        return isinstance(other, K) and set(other.qid) <= set(self.qid) and other.k <= self.k


def values_of(cell: Any) -> frozenset[Any]:
    """The values of a cell; a set without any is missing."""
    return (cell or frozenset({MISSING})) if isinstance(cell, frozenset) else frozenset({cell})


@dataclass(frozen=True)
class AnyOf:
    """A union of sensitive values."""

    elements: tuple[Any, ...]
    below: tuple[tuple[str, tuple[str, ...]], ...] = ()
    """Every value of the column's tree, with itself and all values below it."""

    def has(self, value: Any, data: set[Any]) -> bool:
        return any(self._stands_for(element, value, data) for element in self.elements)

    def _stands_for(self, element: Any, value: Any, data: set[Any]) -> bool:
        tree = dict(self.below)
        if element is MISSING or value is MISSING:
            return element is value
        if element in tree:
            return value in tree[element]
        if element in data or not element.endswith("*"):
            return bool(value == element)
        return bool(value.startswith(element[:-1]))


@dataclass(frozen=True)
class T:
    """A privacy template for one value, or a union of values."""

    qid: tuple[str, ...]
    column: str
    value: Any
    h: Fraction

    def badness(self, shown: list[dict[str, Any]], records: list[dict[str, Any]]) -> Fraction:
        groups: dict[tuple[Any, ...], list[bool]] = {}
        union = self.value if isinstance(self.value, AnyOf) else None
        data = {value for record in records for value in values_of(record[self.column])}
        for seen, raw in zip(shown, records, strict=True):
            held = values_of(raw[self.column])
            hit = self.value in held if union is None else any(union.has(value, data) for value in held)
            groups.setdefault(tuple(seen[name] for name in self.qid), []).append(hit)
        return max(Fraction(sum(hits), len(hits)) for hits in groups.values())

    def limit(self) -> Fraction:
        return self.h

    def is_broken(self, badness: Any) -> bool:
        return badness > self.limit()

    def implies(self, other: Any) -> bool:
        same = isinstance(other, T) and self.column == other.column and self._holds(other.value)
        return same and set(other.qid) <= set(self.qid) and self.h <= other.h

    def _holds(self, other: Any) -> bool:
        if not isinstance(self.value, AnyOf):
            return bool(self.value == other)
        return {*(other.elements if isinstance(other, AnyOf) else [other])} <= {*self.value.elements}


@dataclass(frozen=True)
class Templates:
    """A confidence requirement: a template for each of its values."""

    qid: tuple[str, ...]
    values: tuple[tuple[str, Any, Fraction], ...]

    def parts(self) -> list[T]:
        return [T(self.qid, column, value, h) for column, value, h in self.values]

    def figure(self, badness: list[Any]) -> Any:
        return max(badness)

    def said(self) -> dict[str, Any]:
        return {"qid": list(self.qid), "sensitive": protected(self.values)}


def protected(values: tuple[tuple[str, Any, Fraction], ...]) -> dict[str, dict[str, Any]]:
    """Sensitive values and their bounds, as a policy says them."""
    said: dict[str, dict[str, Any]] = {}
    for column, value, h in values:
        of_column = said.setdefault(column, {})
        if isinstance(value, AnyOf):
            of_column.setdefault("any", []).append({"values": list(value.elements), "confidence": str(h)})
        else:
            of_column["~" if value is MISSING else value] = str(h)
    return said


def not_implied(requirements: list[Any]) -> list[Any]:
    """The rules that count: of equal ones the first, and none that another one implies."""
    parts = [part for requirement in requirements for part in requirement.parts()]
    gone: set[int] = set()
    for at, part in enumerate(parts):
        for other_at, other in enumerate(parts):
            if other_at == at or other_at in gone or not other.implies(part):
                continue
            if not part.implies(other) or other_at < at:
                gone.add(at)
                break
    return [part for at, part in enumerate(parts) if at not in gone]


def best_border(members: list[tuple[Any, Any]]) -> Any:
    """Where to split (number, class) pairs so that the class is told best; of equal borders the lowest."""
    numbers = sorted({number for number, _ in members} - {MISSING})
    splits = []
    for border in numbers[1:]:
        left = [label for number, label in members if number is not MISSING and number < border]
        right = [label for number, label in members if number is not MISSING and number >= border]
        splits.append((len(left) * entropy(left) + len(right) * entropy(right), border))
    n = len(members)
    least = min(mixed for mixed, _ in splits)
    return min(border for mixed, border in splits if mixed / n < least / n + EQUAL)


def interval_text(low: float, high: float, closed: bool) -> str:
    return f"[{low}, {high}{']' if closed else ')'}"


class Reference:
    def __init__(
        self,
        records: list[dict[str, Any]],
        attributes: list[Attribute],
        requirements: list[Any],
        class_name: str,
        criterion: str = "score",
    ) -> None:
        self.records = records
        self.attributes = attributes
        self.requirements = requirements
        self.class_name = class_name
        self.criterion = criterion
        self.shown = [{a.name: a.at_level(record[a.name]) for a in attributes} for record in records]
        self.active = not_implied(requirements)
        self.is_mixed = len({type(getattr(part, "rule", part)) for part in self.active}) > 1
        self.slack = {part: part.limit() - part.badness(self.shown, records) for part in self.active}

    def figure(self, requirement: Any) -> Any:
        return requirement.figure([part.badness(self.shown, self.records) for part in requirement.parts()])

    def is_feasible(self) -> bool:
        return not any(part.is_broken(part.badness(self.shown, self.records)) for part in self.active)

    def text(self, a: Attribute, value: Any) -> Any:
        return interval_text(*value) if a.kind == "interval" and value is not MISSING else value

    def class_of(self, i: int) -> Any:
        return self.records[i][self.class_name]

    def candidates(self) -> list[Candidate]:
        found = []
        for a in self.attributes:
            showing: dict[Any, list[int]] = {}
            for i, record in enumerate(self.shown):
                showing.setdefault(record[a.name], []).append(i)
            make = {"taxonomy": self._generalized, "interval": self._discretized, "suppress": self._suppressed}[a.kind]
            found += make(a, showing)
        return [c for c in found if len({self.class_of(i) for i in c.moved}) > 1]

    def _generalized(self, a: Attribute, showing: dict[Any, list[int]]) -> list[Candidate]:
        order: list[str] = []
        stack = [a.root]
        while stack:
            label = stack.pop()
            order.append(label)
            stack += reversed(a.children.get(label, []))
        found = []
        for place, label in enumerate(order):
            children = list(a.children.get(label, []))
            if label not in showing or not children:
                continue
            below = {leaf: child for child in children for leaf in self._leaves(a, child)}
            moved = {i: below.get(self.records[i][a.name]) for i in showing[label]}
            if label == a.root and any(r[a.name] is MISSING for r in self.records):
                children.append(MISSING)
            found.append(Candidate(a, place, label, children, moved))
        return found

    def _leaves(self, a: Attribute, label: str) -> list[str]:
        children = a.children.get(label, [])
        return [leaf for child in children for leaf in self._leaves(a, child)] if children else [label]

    def _discretized(self, a: Attribute, showing: dict[Any, list[int]]) -> list[Candidate]:
        found = []
        intervals = sorted(v for v in showing if v is not MISSING)
        for place, (low, high, closed) in enumerate(intervals):
            members = showing[low, high, closed]
            numbers = sorted({self.records[i][a.name] for i in members} - {MISSING})
            absent = [MISSING] if any(self.records[i][a.name] is MISSING for i in members) else []
            if len(numbers) < 2:
                if absent and numbers:
                    moved = {i: MISSING if self.records[i][a.name] is MISSING else (low, high, closed) for i in members}
                    found.append(Candidate(a, place, (low, high, closed), [(low, high, closed), MISSING], moved))
                continue
            border = best_border([(self.records[i][a.name], self.class_of(i)) for i in members])
            parts = [(low, border, False), (border, high, closed)]

            def part(i: int, border: Any = border, parts: Any = parts) -> Any:
                number = self.records[i][a.name]
                return MISSING if number is MISSING else parts[number >= border]

            found.append(Candidate(a, place, (low, high, closed), parts + absent, {i: part(i) for i in members}))
        return found

    def _suppressed(self, a: Attribute, showing: dict[Any, list[int]]) -> list[Candidate]:
        members = showing.get(HIDDEN, [])
        values = {self.records[i][a.name] for i in members}
        ordered = sorted(values - {MISSING}) + ([MISSING] if MISSING in values else [])
        return [
            Candidate(
                a, place, HIDDEN, [v, HIDDEN], {i: v if self.records[i][a.name] == v else HIDDEN for i in members}
            )
            for place, v in enumerate(ordered)
        ]

    def after(self, c: Candidate) -> list[dict[str, Any]]:
        return [
            {**record, c.attribute.name: c.moved[i]} if i in c.moved else record for i, record in enumerate(self.shown)
        ]

    def weigh(self, c: Candidate) -> tuple[float, float] | None:
        """Gain and loss, or None if the refinement is not valid."""
        after = self.after(c)
        losses: list[Any] = []
        for part in self.active:
            then = part.badness(after, self.records)
            if part.is_broken(then):
                return None
            if c.attribute.name in part.qid:
                loss = then - part.badness(self.shown, self.records)
                if self.is_mixed:
                    loss = loss / self.slack[part] if self.slack[part] > 0 else Fraction(0)
                losses.append(loss)
        members = list(c.moved)
        gain = entropy([self.class_of(i) for i in members])
        for value in set(c.moved.values()):
            part = [self.class_of(i) for i in members if c.moved[i] == value]
            gain -= len(part) / len(members) * entropy(part)
        return gain, float(sum(losses) / len(losses)) if losses else 0.0

    def run(self) -> list[dict[str, Any]]:
        steps: list[dict[str, Any]] = []
        while True:
            options = []
            for rank, c in enumerate(self.candidates()):
                weighed = self.weigh(c)
                if weighed is not None:
                    gain, loss = weighed
                    weighted = c.attribute.weight * gain
                    worth = weighted / (loss + 1) if self.criterion == "score" else weighted
                    options.append((worth, rank, c, gain, loss))
            if not options:
                return steps
            most = max(worth for worth, *_ in options)
            _, _, best, gain, loss = next(option for option in options if option[0] > most - EQUAL * max(1, abs(most)))
            steps.append(self.take(best, gain, loss, best.attribute.weight * gain / (loss + 1)))

    def take(self, best: Candidate, gain: float, loss: float, score: float) -> dict[str, Any]:
        """Perform a refinement, and tell of it as a trace does."""
        self.shown = self.after(best)
        return {
            "attribute": best.attribute.name,
            "from": self.text(best.attribute, best.before),
            "to": [self.text(best.attribute, value) for value in best.after],
            "info_gain": gain,
            "loss": loss,
            "score": score,
            "requirements": [float(self.figure(requirement)) for requirement in self.requirements],
        }

    def masked(self) -> list[dict[str, Any]]:
        return [{a.name: self.text(a, record[a.name]) for a in self.attributes} for record in self.shown]
