"""Regions split one by one, in plain Python over single records, with no thought of speed.

Every figure is recounted from the records of a region. Only the order in which
candidates are listed and numbers are added up is that of the package, because it
decides between equal gains.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from tests.reference.persons import PERSON
from tests.reference.topdown import HIDDEN, Attribute

NOTHING = 1e-9


@dataclass
class Region:
    """Some records, and what they show; of a taxonomy or suppress attribute the label."""

    records: list[int]
    shown: dict[str, Any]


@dataclass
class RegionalCandidate:
    """One split of a region."""

    attribute: str
    parts: list[tuple[Any, list[int]]]
    """What each part shows, and its records."""
    rest: list[int]
    gain: float


class Regional:
    """The search, until no split of a region is valid and gains anything."""

    def __init__(
        self,
        records: list[dict[str, Any]],
        attributes: list[Attribute],
        requirements: list[Any],
        taught: list[list[tuple[int, int]]],
        depth: int,
        scale: float,
        shrinkage: float = 1.0,
        known: list[Any] | None = None,
    ) -> None:
        self.records, self.attributes, self.requirements = records, attributes, requirements
        self.taught, self.depth, self.scale, self.shrinkage = taught, depth, scale, shrinkage
        self.known = known
        self.rules = [part for one in requirements for part in one.parts()]
        self.floors = {
            a.name: max([getattr(r, "k", None) or 0 for r in requirements if a.name in r.qid], default=0)
            for a in attributes
        }
        roots = {a.name: self._root(a) for a in attributes}
        self.regions = [Region(list(range(len(records))), roots)]

    def _root(self, a: Attribute) -> Any:
        return {"taxonomy": a.root, "suppress": HIDDEN, "interval": (a.low, a.high, True)}[a.kind]

    def run(self) -> Iterator[tuple[int, str, Any, list[Any]]]:
        """Yield of each split the region, the attribute, what it showed, and what its parts show."""
        while True:
            totals = [self.choose(region) for region in self.regions]
            found = [(total, -i) for i, (total, _) in enumerate(totals) if total > 0]
            if not found:
                return
            i = -max(found)[1]
            split = totals[i][1]
            before = self.regions[i].shown[split.attribute]
            yield i, split.attribute, before, [shown for shown, _ in split.parts]
            self.regions += [
                Region(inside, self.regions[i].shown | {split.attribute: shown}) for shown, inside in split.parts
            ]
            self.regions[i].records = split.rest

    def choose(self, region: Region) -> tuple[float, Any]:
        """The best split of a region, with what greedy splitting gains below it."""
        best = [one for one in (self.best_on(region, a) for a in self.attributes) if one is not None]
        best.sort(key=lambda one: -one.gain)
        most, chosen = 0.0, None
        for one in best:
            total = one.gain + self.below(region, one, 0)
            if total > most:
                most, chosen = total, one
        return most, chosen

    def below(self, region: Region, split: RegionalCandidate, level: int) -> float:
        """What greedy splitting gains below, depth first, added up in the order in which it is found."""
        gains: list[float] = []
        self._below(region, split, level, gains)
        total = 0.0
        for gain in gains:
            total += gain
        return total

    def _below(self, region: Region, split: RegionalCandidate, level: int, gains: list[float]) -> None:
        if level >= self.depth:
            return
        parts = [(inside, region.shown | {split.attribute: shown}) for shown, inside in split.parts]
        for inside, shown in [*parts, (split.rest, region.shown)]:
            part = Region(inside, shown)
            found = [one for one in (self.best_on(part, a) for a in self.attributes) if one is not None]
            if found:
                best = max(found, key=lambda one: one.gain)
                gains.append(best.gain)
                self._below(part, best, level + 1, gains)

    def is_valid(self, inside: list[int]) -> bool:
        """Whether records that show the same satisfy every rule, those with the same known labels by themselves."""
        if self.known is None:
            return self._is_good(inside)
        blocks: dict[Any, list[int]] = {}
        for i in inside:
            blocks.setdefault(self.known[i], []).append(i)
        return all(self._is_good(block) for block in blocks.values())

    def _is_good(self, inside: list[int]) -> bool:
        """Whether records that are one group satisfy every rule, and the largest k of all."""
        if self.count(inside) < max([getattr(r, "k", None) or 1 for r in self.requirements], default=1):
            return False
        # One group: all show the same.
        shown = [dict.fromkeys(self.records[0], "same") for _ in inside]
        own = [self.records[i] for i in inside]
        return not any(rule.is_broken(rule.badness(shown, own)) for rule in self.rules)

    def count(self, inside: list[int]) -> int:
        """The records; where they are about persons, these, each once."""
        return len({self.records[i].get(PERSON, i) for i in inside})

    def worth(self, inside: list[int]) -> float:
        known = 0.0
        for t in range(len(self.taught[0])):
            first = sum(self.taught[i][t][0] for i in inside) / self.scale
            second = sum(self.taught[i][t][1] for i in inside) / self.scale
            known += first * first / (second + self.shrinkage)
        return known

    def best_on(self, region: Region, a: Attribute) -> RegionalCandidate | None:
        least = max([getattr(r, "k", None) or 1 for r in self.requirements], default=1)
        if len(region.records) < 2 * least:
            return None
        return self._best_border(region, a) if a.kind == "interval" else self._best_child(region, a)

    def _best_border(self, region: Region, a: Attribute) -> RegionalCandidate | None:
        shown = region.shown[a.name]
        if shown is None:
            return None
        low, high, closed = shown
        missing = [i for i in region.records if self.records[i][a.name] is None]
        there = [i for i in region.records if self.records[i][a.name] is not None]
        if missing and not self.is_valid(missing):
            return None
        more = [(None, missing)] if missing else []
        apart = self.worth(missing) if missing else 0.0
        whole = self.worth(region.records)
        best: RegionalCandidate | None = None

        def offer(gain: float, parts: list[Any]) -> None:
            nonlocal best
            if gain * a.weight > (NOTHING if best is None else best.gain):
                best = RegionalCandidate(a.name, parts, [], gain * a.weight)

        if missing and there and self.is_valid(there):
            offer(apart + self.worth(there) - whole, [(shown, there), *more])
        for border in sorted({self.records[i][a.name] for i in there})[1:]:
            left = [i for i in there if self.records[i][a.name] < border]
            right = [i for i in there if self.records[i][a.name] >= border]
            if self.is_valid(left) and self.is_valid(right):
                gain = apart - whole
                gain += self.worth(left) + self.worth(right)
                offer(gain, [((low, border, False), left), ((border, high, closed), right), *more])
        return best

    def _best_child(self, region: Region, a: Attribute) -> RegionalCandidate | None:
        node = region.shown[a.name]
        if node is None:
            return None
        while True:
            children = [(c, inside) for c in self._children(a, node) if (inside := self._inside(region, a, c))]
            if len(children) != 1 or len(children[0][1]) < len(region.records):
                break
            node = children[0][0]
        whole = self.worth(region.records)
        best, together = None, 0.0
        for child, inside in children:
            alone = self.worth(inside)
            together += alone
            rest = [i for i in region.records if i not in inside]
            if rest and self.is_valid(inside) and self.is_valid(rest):
                gain = (alone + self.worth(rest) - whole) * a.weight
                if gain > (NOTHING if best is None else best.gain):
                    best = RegionalCandidate(a.name, [(child, inside)], rest, gain)
        told = {i for _, inside in children for i in inside}
        rest = [i for i in region.records if i not in told]
        n_parts = len(children) + bool(rest)
        if n_parts > 1 and all(self.is_valid(inside) for _, inside in children) and (not rest or self.is_valid(rest)):
            gain = together
            gain += (self.worth(rest) if rest else 0.0) - whole
            gain *= a.weight
            if gain > NOTHING and (best is None or gain >= best.gain or n_parts == 2):
                best = RegionalCandidate(a.name, children, rest, gain)
        return best

    def _children(self, a: Attribute, node: Any) -> list[Any]:
        """The values directly below one that are frequent enough ever to be told."""
        if a.kind == "suppress":
            texts = {record[a.name] for record in self.records if record[a.name] is not None} - {HIDDEN}
            children: list[Any] = sorted(texts) if node == HIDDEN else []
        else:
            children = list(a.children.get(node, []))
        if children and node in {a.root, HIDDEN} and any(record[a.name] is None for record in self.records):
            children.append(None)
        everything = Region(list(range(len(self.records))), {})
        return [c for c in children if len(self._inside(everything, a, c)) >= max(self.floors[a.name], 1)]

    def _inside(self, region: Region, a: Attribute, node: Any) -> list[int]:
        def is_below(value: Any) -> bool:
            if node is None or value is None:
                return value is node
            return value == node if a.kind == "suppress" else node in a.path_to(value)

        return [i for i in region.records if is_below(self.records[i][a.name])]
