"""Top-down refinement with a budget of suppressed records, in plain Python: sets of records, recounted each time."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from typing import Any

from tests.reference.privacy_models import Spread
from tests.reference.topdown import EQUAL, HIDDEN, AnyOf, Attribute, Candidate, K, Reference, T

Record = dict[str, Any]


def root_of(a: Attribute) -> Any:
    return {"taxonomy": a.root, "interval": (a.low, a.high, True), "suppress": HIDDEN}[a.kind]


class SuppressingReference(Reference):
    """Every state is the masked records and the set of those that are suppressed."""

    def __init__(self, *args: Any, most: int, as_root: bool = False, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.most, self.as_root = most, as_root
        self.gone: frozenset[int] = frozenset()

    def groups(self, part: Any, shown: list[Record], members: Iterator[int]) -> list[list[int]]:
        found: dict[tuple[Any, ...], list[int]] = {}
        for i in members:
            found.setdefault(tuple(shown[i][name] for name in part.qid), []).append(i)
        return list(found.values())

    def breaks(self, part: Any, group: list[int], whole: list[int]) -> bool:
        """Whether a group breaks a rule, if `whole` is what is released."""
        return bool(part.is_broken(self.of_group(part, group, whole)))

    def of_group(self, part: Any, group: list[int], whole: list[int]) -> Any:
        """How bad a group is by a rule."""
        if isinstance(part, K):
            return Fraction(-len(group))
        if isinstance(part, T):
            data = {record[part.column] for record in self.records}
            cells = [self.records[i][part.column] for i in group]
            hits = [
                part.value.has(cell, data) if isinstance(part.value, AnyOf) else cell == part.value for cell in cells
            ]
            return Fraction(sum(hits), len(hits))
        assert isinstance(part, Spread)
        values = part.values([self.records[i] for i in whole])
        counts, of_whole = (
            [sum(self.records[i][part.column] == value for i in among) for value in values] for among in (group, whole)
        )
        return part.of_group(counts, of_whole)

    def settle(self, shown: list[Record], gone: frozenset[int]) -> frozenset[int] | None:
        """Take broken groups away, all together, until none is broken; None if that is not allowed."""
        everybody = range(len(self.records))
        while True:
            left = [i for i in everybody if i not in gone]
            whole = list(everybody) if self.as_root else left
            broken = {
                i
                for part in self.active
                for group in self.groups(part, shown, iter(left))
                if self.breaks(part, group, whole)
                for i in group
            }
            if len(gone | broken) > self.most:
                return None
            if not broken:
                break
            gone = gone | broken
        if self.as_root and gone:
            released, _ = self.released(shown, gone)
            for part in self.active:
                roots = [{a.name: root_of(a) for a in self.attributes}[name] for name in part.qid]
                group = [i for i in everybody if [released[i][name] for name in part.qid] == roots]
                if self.breaks(part, group, whole):
                    return None
        return gone

    def released(self, shown: list[Record], gone: frozenset[int]) -> tuple[list[Record], list[Record]]:
        """What is released, and the records behind it."""
        if self.as_root:
            roots = {a.name: root_of(a) for a in self.attributes}
            return [roots if i in gone else seen for i, seen in enumerate(shown)], self.records
        left = [i for i in range(len(shown)) if i not in gone]
        return [shown[i] for i in left], [self.records[i] for i in left]

    def figure(self, requirement: Any) -> Any:
        return requirement.figure([self.badness(part, self.shown, self.gone) for part in requirement.parts()])

    def badness(self, part: Any, shown: list[Record], gone: frozenset[int]) -> Any:
        return part.badness(*self.released(shown, gone))

    def candidates(self) -> list[Candidate]:
        """Of those without a budget the ones that somebody who is left would show."""
        found = []
        for c in super().candidates():
            if c.attribute.kind == "suppress":
                value = c.after[0]
                holders = [i for i in c.moved if self.records[i][c.attribute.name] == value]
                floor = max((p.k for p in self.active if isinstance(p, K) and c.attribute.name in p.qid), default=1)
                # All records of a value that has fewer would be lost, so there is nothing to disclose.
                if len([i for i in range(len(self.records)) if self.records[i][c.attribute.name] == value]) < floor:
                    continue
            else:
                holders = list(c.moved)
            if any(i not in self.gone for i in holders):
                found.append(c)
        return found

    def price(self, c: Candidate) -> tuple[float, float, frozenset[int]] | None:
        """Gain, loss and who would be suppressed; None if the refinement is not valid."""
        after = self.after(c)
        gone = self.settle(after, self.gone)
        if gone is None:
            return None
        losses: list[Any] = []
        for part in self.active:
            if c.attribute.name in part.qid:
                # The groups count that would be suppressed too.
                everybody = range(len(self.records))
                left = [i for i in everybody if i not in self.gone]
                whole = list(everybody) if self.as_root else left
                then = max(self.of_group(part, group, whole) for group in self.groups(part, after, iter(left)))
                loss = max(then - self.badness(part, self.shown, self.gone), 0)
                if self.is_mixed:
                    loss = loss / self.slack[part] if self.slack[part] > 0 else Fraction(0)
                losses.append(loss)
        active, self.active = self.active, []
        weighed = self.weigh(c)
        self.active = active
        assert weighed is not None
        return weighed[0], float(sum(losses) / len(losses)) if losses else 0.0, gone

    def run(self) -> list[dict[str, Any]]:
        steps: list[dict[str, Any]] = []
        while True:
            options = []
            for c in self.candidates():
                priced = self.price(c)
                if priced is None:
                    continue
                gain, loss, gone = priced
                weighted = c.attribute.weight * gain
                worth = weighted / (loss + 1) if self.criterion == "score" else weighted
                options.append((worth, c, gain, loss, gone))
            if not options:
                return steps
            most = max(worth for worth, *_ in options)
            _, best, gain, loss, gone = next(o for o in options if o[0] >= most - EQUAL * max(1, abs(most)))
            self.gone = gone
            steps.append(self.take(best, gain, loss, best.attribute.weight * gain / (loss + 1)))
