"""Bottom-up generalization as the paper writes it (ICDM 2004), in plain Python, with no thought of speed.

Every state is a list of masked records; every figure is recounted from them.
It shares nothing with the package. With the top-down reference it shares the
requirements, the entropy, and where an interval is split.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

from tests.reference.topdown import (
    EQUAL,
    HIDDEN,
    MISSING,
    Attribute,
    K,
    best_border,
    entropy,
    interval_text,
    not_implied,
)

Records = list[dict[str, Any]]


@dataclass
class Node:
    """A value of a taxonomy or interval attribute."""

    value: Any
    members: list[int]
    """The records whose raw value is at or below it."""
    children: list[Node] = field(default_factory=list)

    def preorder(self) -> Iterator[Node]:
        yield self
        for child in self.children:
            yield from child.preorder()


@dataclass
class Generalization:
    """{c} -> p: every record in `moved` shows some c now and p afterwards."""

    attribute: Attribute
    before: tuple[Any, ...]
    after: Any
    moved: list[int]


class BottomUp:
    def __init__(self, records: Records, attributes: list[Attribute], requirements: list[Any], class_name: str) -> None:
        self.records = records
        self.attributes = attributes
        self.requirements = requirements
        self.class_name = class_name
        self.rules = not_implied(requirements)
        self.is_mixed = len({type(getattr(rule, "rule", rule)) for rule in self.rules}) > 1
        self.trees = {a.name: self._tree(a) for a in attributes if a.kind != "suppress"}
        self.shown = [{a.name: self._start(a, i) for a in attributes} for i in range(len(records))]
        self.shortfall = {rule: self._shortfall(rule, self.shown) for rule in self.rules}
        self.states = [self.shown]
        """The raw state and the one after each step."""

    def _tree(self, a: Attribute) -> Node:
        everyone = list(range(len(self.records)))
        if a.kind == "interval":
            return self._interval_node(a, (a.low, a.high, True), everyone)
        root = self._taxonomy_node(a, a.root)
        absent = [i for i in everyone if self.records[i][a.name] is MISSING]
        if absent:
            root.children.append(Node(MISSING, absent))
            root.members = everyone
        return root

    def _taxonomy_node(self, a: Attribute, label: str) -> Node:
        if label not in a.children:
            return Node(label, [i for i, record in enumerate(self.records) if record[a.name] == label])
        children = [self._taxonomy_node(a, child) for child in a.children[label]]
        return Node(label, sorted(i for child in children for i in child.members), children)

    def _interval_node(self, a: Attribute, inside: tuple[float, float, bool], members: list[int]) -> Node:
        """Split as the top-down reference would, as long as each part holds what any k on it asks for."""
        low, high, closed = inside
        absent = [i for i in members if self.records[i][a.name] is MISSING]
        present = [i for i in members if self.records[i][a.name] is not MISSING]
        parts: list[tuple[Any, list[int]]] = []
        if len({self.records[i][a.name] for i in present}) > 1:
            border = best_border([(self.records[i][a.name], self.class_of(i)) for i in members])
            parts.append(((low, border, False), [i for i in present if self.records[i][a.name] < border]))
            parts.append(((border, high, closed), [i for i in present if self.records[i][a.name] >= border]))
        elif absent and present:  # as in the top-down reference, the missing value splits off from a single number
            parts.append((inside, present))
        if parts and absent:
            parts.append((MISSING, absent))
        floor = max((rule.k for rule in self.rules if isinstance(rule, K) and a.name in rule.qid), default=0)
        is_leaf = len({self.class_of(i) for i in members}) < 2 or any(len(part) < floor for _, part in parts)
        children = [
            Node(MISSING, part) if value is MISSING else self._interval_node(a, value, part)
            for value, part in ([] if is_leaf else parts)
        ]
        return Node(inside, members, children)

    def _start(self, a: Attribute, i: int) -> Any:
        """What a record shows in the raw state: the leaf it is in."""
        if a.kind == "suppress":
            return self.records[i][a.name]
        return next(node.value for node in self.trees[a.name].preorder() if not node.children and i in node.members)

    def class_of(self, i: int) -> Any:
        return self.records[i][self.class_name]

    def badness(self, rule: Any, shown: Records) -> Any:
        """Minus A(QID) of a k rule, Conf(QID -> value) of a template; a quotient without bound is above all others."""
        return min(rule.badness(shown, self.records), max(len(self.records), rule.limit()) + 1)

    def _shortfall(self, rule: Any, shown: Records) -> Any:
        """How far a state is from its bound; 0 if it does not exceed it."""
        return max(self.badness(rule, shown) - rule.limit(), Fraction(0))

    def is_met(self, shown: Records) -> bool:
        return not any(rule.is_broken(self.badness(rule, shown)) for rule in self.rules)

    def is_feasible(self) -> bool:
        """Whether the most masked table that shows all levels meets every rule."""
        return self.is_met([{a.name: a.at_level(record[a.name]) for a in self.attributes} for record in self.records])

    def figures(self, shown: Records) -> list[Any]:
        """For each requirement, implied ones included, the anonymity, the largest confidence and so on."""
        return [
            requirement.figure([part.badness(shown, self.records) for part in requirement.parts()])
            for requirement in self.requirements
        ]

    def candidates(self) -> list[Generalization]:
        """The generalizations that can be performed now, in the order that decides between equals."""
        unmet = [rule for rule in self.rules if rule.is_broken(self.badness(rule, self.shown))]
        return [
            g
            for a in self.attributes
            if any(a.name in rule.qid for rule in unmet)
            for g in (self._hidings(a) if a.kind == "suppress" else self._climbs(a))
        ]

    def _climbs(self, a: Attribute) -> list[Generalization]:
        found = []
        for parent in self.trees[a.name].preorder():
            if (
                a.kind == "taxonomy"
                and len(a.path_to(parent.value) if parent.value is not MISSING else []) <= a.at_least
            ):
                continue
            there = [child for child in parent.children if child.members]
            if there and all(self.shown[i][a.name] == child.value for child in there for i in child.members):
                before = tuple(child.value for child in parent.children)
                found.append(Generalization(a, before, parent.value, parent.members))
        return found

    def _hidings(self, a: Attribute) -> list[Generalization]:
        if a.at_least:
            return []
        showing: dict[Any, list[int]] = {}
        for i, record in enumerate(self.shown):
            showing.setdefault(record[a.name], []).append(i)
        hidden = showing.pop(HIDDEN, [])
        in_order = sorted(showing, key=lambda v: (len(showing[v]), v is MISSING, "" if v is MISSING else v))
        return [Generalization(a, (v, HIDDEN), HIDDEN, sorted(showing[v] + hidden)) for v in in_order]

    def after(self, g: Generalization) -> Records:
        moved = set(g.moved)
        return [{**record, g.attribute.name: g.after} if i in moved else record for i, record in enumerate(self.shown)]

    def info_loss(self, g: Generalization) -> float:
        """I(G) = Info(R_p) - sum over c of |R_c| / |R_p| Info(R_c)."""
        parts: dict[Any, list[Any]] = {}
        for i in g.moved:
            parts.setdefault(self.shown[i][g.attribute.name], []).append(self.class_of(i))
        inner = sum(len(classes) / len(g.moved) * entropy(classes) for classes in parts.values())
        return entropy([self.class_of(i) for i in g.moved]) - inner

    def anonymity_gain(self, g: Generalization) -> Any:
        """P(G): what is gained towards each rule on the attribute, no further than the rule asks, on average."""
        after = self.after(g)
        gains = []
        for rule in self.rules:
            if g.attribute.name not in rule.qid:
                continue
            now, then = self.badness(rule, self.shown), self.badness(rule, after)
            gain = max(now, rule.limit()) - max(then, rule.limit())
            if gain < EQUAL:
                gain = Fraction(0)
            if self.is_mixed:
                gain = gain / self.shortfall[rule] if self.shortfall[rule] else Fraction(0)
            gains.append(gain)
        return sum(gains, Fraction(0)) / len(gains)

    def choose(self) -> tuple[Generalization, float, Any]:
        """The best generalization, with its I(G) and P(G)."""
        weighed = [(g, self.info_loss(g), self.anonymity_gain(g)) for g in self.candidates()]
        critical = [(g.attribute.weight * loss / gain, g, loss, gain) for g, loss, gain in weighed if gain > 0]
        options = critical or [(g.attribute.weight * loss, g, loss, gain) for g, loss, gain in weighed]
        least = min(worth for worth, *_ in options)
        return next((g, loss, gain) for worth, g, loss, gain in options if worth < least + EQUAL * max(1, abs(least)))

    def run(self) -> list[dict[str, Any]]:
        """Algorithm 1: generalize until every requirement is met."""
        steps: list[dict[str, Any]] = []
        while not self.is_met(self.shown):
            g, loss, gain = self.choose()
            self.shown = self.after(g)
            self.states.append(self.shown)
            steps.append(
                {
                    "step": len(steps) + 1,
                    "attribute": g.attribute.name,
                    "before": tuple(self.text(g.attribute, value) for value in g.before),
                    "after": self.text(g.attribute, g.after),
                    "info_loss": loss,
                    "anonymity_gain": gain,
                    "ip": g.attribute.weight * loss / gain if gain else None,
                    "requirements": self.figures(self.shown),
                }
            )
        return steps

    def text(self, a: Attribute, value: Any) -> Any:
        return interval_text(*value) if a.kind == "interval" and value is not MISSING else value

    def masked(self) -> Records:
        return [{a.name: self.text(a, record[a.name]) for a in self.attributes} for record in self.shown]
