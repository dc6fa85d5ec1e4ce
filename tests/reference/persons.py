"""Requirements that count persons, in plain Python: a set of persons for every group; a cell may be a set of values.

`PersonReference` refines as `topdown.Reference` does. Shares of persons may get
better by refining, so a candidate that was invalid once is given up, and a
change for the better is no loss.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from tests.reference.conditional import Conditional
from tests.reference.privacy_models import Grouped, Spread
from tests.reference.topdown import AnyOf, Attribute, Candidate, K, Reference, T, not_implied, values_of

PERSON = "pid"


def groups_of(shown: list[dict[str, Any]], qid: tuple[str, ...]) -> dict[tuple[Any, ...], list[int]]:
    """The places of the records of each group."""
    found: dict[tuple[Any, ...], list[int]] = {}
    for i, record in enumerate(shown):
        found.setdefault(tuple(record[name] for name in qid), []).append(i)
    return found


@dataclass(frozen=True)
class PersonRule:
    """A rule of a requirement on persons."""

    rule: Any
    of_records: bool = False
    """Whether every person has one record, so that groups add up."""

    @property
    def qid(self) -> tuple[str, ...]:
        qid: tuple[str, ...] = self.rule.qid
        return qid

    def badness(self, shown: list[dict[str, Any]], records: list[dict[str, Any]]) -> Any:
        groups = [[records[i] for i in places] for places in groups_of(shown, self.qid).values()]
        if isinstance(self.rule, K):
            return Fraction(-min(len({record[PERSON] for record in group}) for group in groups))
        if isinstance(self.rule, T):
            data = {value for record in records for value in values_of(record[self.rule.column])}
            return max(self._share(group, data) for group in groups)
        if isinstance(self.rule, Grouped):
            column = self.rule.rule.column
            grouped = [{**record, column: self.rule.groups_of(values_of(record[column]))} for record in records]
            return PersonRule(self.rule.rule).badness(shown, grouped)
        assert isinstance(self.rule, Spread)
        whole = self._pairs(records, records)
        return max(
            self.rule.of_group(self._pairs(group, records), whole, len({record[PERSON] for record in group}))
            for group in groups
        )

    def _share(self, group: list[dict[str, Any]], data: set[Any]) -> Fraction:
        protected = self.rule.value
        having = {
            record[PERSON]
            for record in group
            for value in values_of(record[self.rule.column])
            if (protected.has(value, data) if isinstance(protected, AnyOf) else value == protected)
        }
        return Fraction(len(having), len({record[PERSON] for record in group}))

    def _pairs(self, group: list[dict[str, Any]], records: list[dict[str, Any]]) -> list[int]:
        """For each value of the sensitive column how many persons have it."""
        column = self.rule.column
        pairs = {(record[PERSON], value) for record in group for value in values_of(record[column])}
        every = [{column: value} for record in records for value in values_of(record[column])]
        return [sum(value == other for _, other in pairs) for value in self.rule.values(every)]

    def limit(self) -> Any:
        return self.rule.limit()

    def is_broken(self, badness: Any) -> bool:
        return bool(self.rule.is_broken(badness))

    def implies(self, other: PersonRule) -> bool:
        """A group on fewer attributes has all persons of its parts, but their shares say nothing of its own."""
        may = self.of_records or isinstance(self.rule, K) or set(self.qid) == set(other.qid)
        return may and bool(self.rule.implies(other.rule))


@dataclass(frozen=True)
class PersonRequirement:
    """A requirement on persons."""

    requirement: Any
    of_records: bool = False

    def parts(self) -> list[PersonRule]:
        return [PersonRule(rule, self.of_records) for rule in self.requirement.parts()]

    def figure(self, badness: list[Any]) -> Any:
        return self.requirement.figure(badness)


class _CountingPersons(Reference):
    """What the naive searches have in common once persons are counted."""

    given_up: set[Any]

    def count_persons(self, *, of_records: bool = False) -> None:
        """Count persons from now on."""
        self.requirements = [PersonRequirement(one, of_records) for one in self.requirements]
        self.active = not_implied(self.requirements)
        rules = [part.rule for part in self.active]
        self.is_mixed = len({type(getattr(rule, "rule", rule)) for rule in rules}) > 1
        self.slack = {part: part.limit() - part.badness(self.shown, self.records) for part in self.active}
        self.given_up = set()

    def is_valid(self, after: list[dict[str, Any]]) -> bool:
        return not any(part.is_broken(part.badness(after, self.records)) for part in self.active)

    def loss(self, c: Candidate, after: list[dict[str, Any]]) -> float:
        losses = []
        for part in self.active:
            if c.attribute.name in part.qid:
                now = part.badness(self.shown, self.records)
                loss = max(part.badness(after, self.records), now) - now
                if self.is_mixed:
                    loss = loss / self.slack[part] if self.slack[part] > 0 else Fraction(0)
                losses.append(loss)
        return float(sum(losses) / len(losses)) if losses else 0.0


class PersonReference(_CountingPersons):
    """The papers' way, counting persons."""

    def __init__(
        self,
        records: list[dict[str, Any]],
        attributes: list[Any],
        requirements: list[Any],
        criterion: str = "score",
        *,
        of_records: bool = False,
    ) -> None:
        super().__init__(records, attributes, requirements, "cls", criterion)
        self.count_persons(of_records=of_records)

    def weigh(self, c: Candidate) -> tuple[float, float] | None:
        key = (c.attribute.name, c.before, tuple(c.after))
        after = self.after(c)
        if key in self.given_up or not self.is_valid(after):
            self.given_up.add(key)
            return None
        weighed = super().weigh(c)
        assert weighed is not None
        return weighed[0], self.loss(c, after)


class PersonConditional(_CountingPersons, Conditional):
    """By conditional gain, counting persons: an interval is given up when no split of it is valid."""

    def __init__(self, records: list[dict[str, Any]], attributes: list[Any], requirements: list[Any]) -> None:
        Conditional.__init__(self, records, attributes, requirements, "cls")
        self.count_persons()

    def weigh(self, c: Candidate) -> tuple[float, float] | None:
        is_split = c.attribute.kind == "interval"
        key = (c.attribute.name, c.before, () if is_split else tuple(c.after))
        after = self.after(c)
        if key in self.given_up or not self.is_valid(after):
            self.given_up |= set() if is_split else {key}
            return None
        return self.open_entropy(self.shown) - self.open_entropy(after), self.loss(c, after)

    def _discretized(self, a: Attribute, showing: dict[Any, list[int]]) -> list[Candidate]:
        found = super()._discretized(a, showing)
        split = {c.before for c in found}
        self.given_up |= {(a.name, interval, ()) for interval in showing if interval not in split}
        return found
