"""Searching with a budget of suppressed records, in plain Python: sets of records, recounted each time."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from tests.reference.bottomup import BottomUp
from tests.reference.privacy_models import Spread
from tests.reference.topdown import EQUAL, HIDDEN, AnyOf, Attribute, Candidate, K, Reference, T

Record = dict[str, Any]
NOBODY: frozenset[int] = frozenset()


def root_of(a: Attribute) -> Any:
    return {"taxonomy": a.root, "interval": (a.low, a.high, True), "suppress": HIDDEN}[a.kind]


@dataclass
class Budget:
    """Who has to be suppressed at a cut, and what is released then."""

    records: list[Record]
    attributes: list[Attribute]
    rules: list[Any]
    most: int
    as_root: bool = False

    @property
    def everybody(self) -> list[int]:
        return list(range(len(self.records)))

    def whole(self, gone: frozenset[int]) -> list[int]:
        """The records whose values the release has."""
        return self.everybody if self.as_root else [i for i in self.everybody if i not in gone]

    def groups(self, rule: Any, shown: list[Record], members: list[int]) -> list[list[int]]:
        found: dict[tuple[Any, ...], list[int]] = {}
        for i in members:
            found.setdefault(tuple(shown[i][name] for name in rule.qid), []).append(i)
        return list(found.values())

    def badness(self, rule: Any, group: list[int], whole: list[int]) -> Any:
        """How bad a group is by a rule, if `whole` is what is released."""
        if isinstance(rule, K):
            return Fraction(-len(group))
        cells = [self.records[i][rule.column] for i in group]
        if isinstance(rule, T):
            data = {record[rule.column] for record in self.records}
            union = rule.value if isinstance(rule.value, AnyOf) else None
            hits = [cell == rule.value if union is None else union.has(cell, data) for cell in cells]
            return Fraction(sum(hits), len(hits))
        assert isinstance(rule, Spread)
        values = rule.values([self.records[i] for i in whole])
        of_whole = [sum(self.records[i][rule.column] == value for i in whole) for value in values]
        return rule.of_group([cells.count(value) for value in values], of_whole, len(cells))

    def settle(self, shown: list[Record], gone: frozenset[int] = NOBODY) -> frozenset[int] | None:
        """Take broken groups away, all together, until none is broken; None if that is not allowed."""
        while True:
            left = [i for i in self.everybody if i not in gone]
            broken = {
                i
                for rule in self.rules
                for group in self.groups(rule, shown, left)
                if rule.is_broken(self.badness(rule, group, self.whole(gone)))
                for i in group
            }
            if len(gone | broken) > self.most:
                return None
            if not broken:
                break
            gone = gone | broken
        for rule in self.rules if self.as_root and gone else ():
            # By themselves: whoever shows roots on one QID only can be told apart from them.
            if rule.is_broken(self.badness(rule, list(gone), self.everybody)):
                return None
        return gone

    def released(self, shown: list[Record], gone: frozenset[int]) -> tuple[list[Record], list[Record]]:
        """What is released, and the records behind it."""
        if self.as_root:
            roots = {a.name: root_of(a) for a in self.attributes}
            return [roots if i in gone else seen for i, seen in enumerate(shown)], self.records
        left = [i for i in self.everybody if i not in gone]
        return [shown[i] for i in left], [self.records[i] for i in left]

    def figure(self, requirement: Any, shown: list[Record], gone: frozenset[int]) -> Any:
        return requirement.figure([part.badness(*self.released(shown, gone)) for part in requirement.parts()])


class SuppressingReference(Reference):
    """Every state is the masked records and the set of those that are suppressed."""

    def __init__(self, *args: Any, most: int, as_root: bool = False) -> None:
        super().__init__(*args)
        self.budget = Budget(self.records, self.attributes, self.active, most, as_root)
        self.gone = NOBODY

    def figure(self, requirement: Any) -> Any:
        return self.budget.figure(requirement, self.shown, self.gone)

    def candidates(self) -> list[Candidate]:
        """Of those without a budget the ones that somebody who is left would show."""
        return [c for c in super().candidates() if any(i not in self.gone for i in self.holders(c))]

    def holders(self, c: Candidate) -> list[int]:
        """The records that a refinement is for."""
        if c.attribute.kind != "suppress":
            return list(c.moved)
        own = [i for i, record in enumerate(self.records) if record[c.attribute.name] == c.after[0]]
        floor = max((part.k for part in self.active if isinstance(part, K) and c.attribute.name in part.qid), default=1)
        # All records of a value that has fewer would be lost, so there is nothing to disclose.
        return own if len(own) >= floor else []

    def key(self, part: Any, i: int) -> tuple[Any, ...]:
        """The group of a record now."""
        return tuple(self.shown[i][name] for name in part.qid)

    def weigh_all(self, c: Candidate) -> tuple[float, float, frozenset[int]] | None:
        """Gain, loss and who would be suppressed; None if the refinement is not valid."""
        budget, after = self.budget, self.after(c)
        gone = budget.settle(after, self.gone)
        if gone is None:
            return None
        told = {c.moved[i] for i in c.moved if i not in gone}
        tells = c.after[0] in told if c.attribute.kind == "suppress" else len(told) > 1
        # What takes away all but one part tells nothing of those who are left.
        if gone != self.gone and not tells:
            return None
        left = [i for i in budget.everybody if i not in self.gone]
        losses: list[Any] = []
        for part in self.active:
            if c.attribute.name in part.qid:
                # The groups count that would be suppressed too.
                changed = {self.key(part, i) for i in self.holders(c) if i in left}
                groups = budget.groups(part, after, [i for i in left if self.key(part, i) in changed])
                then = max(budget.badness(part, group, budget.whole(self.gone)) for group in groups)
                loss = max(then - part.badness(*budget.released(self.shown, self.gone)), 0)
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
                weighed = self.weigh_all(c)
                if weighed is not None:
                    gain, loss, gone = weighed
                    weighted = c.attribute.weight * gain
                    worth = weighted / (loss + 1) if self.criterion == "score" else weighted
                    options.append((worth, c, gain, loss, gone))
            # What costs nobody comes first.
            options = [option for option in options if option[-1] == self.gone] or options
            if not options:
                return steps
            most = max(worth for worth, *_ in options)
            _, best, gain, loss, self.gone = next(o for o in options if o[0] >= most - EQUAL * max(1, abs(most)))
            steps.append(self.take(best, gain, loss, best.attribute.weight * gain / (loss + 1)))


class SuppressingBottomUp(BottomUp):
    """Generalizes until what still breaks a requirement can be suppressed."""

    def __init__(self, *args: Any, most: int, as_root: bool = False) -> None:
        super().__init__(*args)
        self.budget = Budget(self.records, self.attributes, self.rules, most, as_root)

    def is_met(self, shown: list[Record]) -> bool:
        return self.budget.settle(shown) is not None

    def figures(self, shown: list[Record]) -> list[Any]:
        gone = self.budget.settle(shown)
        if gone is None:
            return super().figures(shown)
        return [self.budget.figure(requirement, shown, gone) for requirement in self.requirements]
