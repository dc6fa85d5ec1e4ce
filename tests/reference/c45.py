"""C4.5 release 8 as its book and its sequel describe it, in plain Python, with no thought of speed.

A record is a weight, a mapping of values (None where one is missing) and a
class. It shares nothing with the package, so agreement between the two means
something. The tolerances are those of the published programs.
"""

from __future__ import annotations

import math
from collections import defaultdict
from itertools import pairwise
from statistics import NormalDist
from typing import Any

EQUAL = 1e-6
Record = tuple[float, dict[str, Any], str]


def weigh(records: list[Record]) -> float:
    return sum(weight for weight, _, _ in records)


def classes_of(records: list[Record]) -> dict[str, float]:
    counts: dict[str, float] = defaultdict(float)
    for weight, _, label in records:
        counts[label] += weight
    return counts


def entropy(parts: list[float]) -> float:
    whole = sum(parts)
    return -sum(part / whole * math.log2(part / whole) for part in parts if part > EQUAL)


def wrong_of(records: list[Record]) -> float:
    return weigh(records) - max(classes_of(records).values(), default=0.0)


def gain_and_ratio(records: list[Record], branches: list[list[Record]], penalty: float = 0.0) -> tuple[float, float]:
    """Gain over the records with a known value, scaled by their share; the unknown are a part of the split."""
    whole, known = weigh(records), sum(weigh(branch) for branch in branches)
    before = entropy(list(classes_of([record for branch in branches for record in branch]).values()))
    after = sum(weigh(b) / known * entropy(list(classes_of(b).values())) for b in branches if b)
    gain = known / whole * (before - after) - penalty
    split = entropy([*(weigh(branch) for branch in branches), whole - known])
    return gain, gain / split if gain > EQUAL and split > EQUAL else 0.0


def numeric_split(records: list[Record], name: str, least: int, n_classes: int) -> tuple[float, float, Any] | None:
    """Gain, ratio and the values on both sides of the best threshold."""
    known = [record for record in records if record[1][name] is not None]
    need = max(least, min(25, 0.1 * weigh(known) / n_classes))
    values = sorted({record[1][name] for record in known})
    best, n_tried = None, 0
    for low, high in pairwise(values):
        branches = [[r for r in known if r[1][name] <= low], [r for r in known if r[1][name] > low]]
        if min(map(weigh, branches)) < need - EQUAL:
            continue
        n_tried += 1
        gain, _ = gain_and_ratio(records, branches)
        if gain > (best[0] if best else 0.0) + EQUAL:
            best = gain, branches, (low, high)
    if best is None:
        return None
    gain, ratio = gain_and_ratio(records, best[1], math.log2(n_tried) / weigh(records))
    return (gain, ratio, best[2]) if gain > EQUAL else None


def category_split(
    records: list[Record], name: str, categories: list[str], least: int
) -> tuple[float, float, Any] | None:
    branches = [[r for r in records if r[1][name] == category] for category in categories]
    if sum(weigh(branch) > least - EQUAL for branch in branches) < 2:
        return None
    return (*gain_and_ratio(records, branches), None)


def pessimistic(records: list[Record], cf: float) -> float:
    """Errors plus what has to be added to be sure to `1 - cf`."""
    n, e = weigh(records), wrong_of(records)
    return e + added(n, e, cf) if n > EQUAL else 0.0


def added(n: float, e: float, cf: float) -> float:
    if e < 1:
        none = n * (1 - cf ** (1 / n))
        return none + e * (added(n, 1, cf) - none)
    if e + 0.5 >= n:
        return max(n - e, 0.0)
    f, z2 = (e + 0.5) / n, NormalDist().inv_cdf(1 - cf) ** 2
    # The p above f that solves (p - f)^2 = z^2 p (1 - p) / n.
    a, b, c = 1 + z2 / n, -(2 * f + z2 / n), f * f
    return n * (-b + math.sqrt(b * b - 4 * a * c)) / (2 * a) - e


class Plain:
    """A tree: nested lists, `attribute` None in a leaf."""

    def __init__(
        self,
        table: list[dict[str, Any]],
        labels: list[str],
        least: int = 2,
        cf: float = 0.25,
        *,
        is_pruned: bool = True,
        laplace: bool = False,
    ) -> None:
        self.least, self.cf, self.laplace = least, cf, laplace
        self.classes = sorted(set(labels))
        self.values = {name: sorted({row[name] for row in table} - {None}) for name in table[0]}
        self.n_rows = len(table)
        records = [(1.0, row, label) for row, label in zip(table, labels, strict=True)]
        self.root = self.grow(records)
        if is_pruned:
            self.collapse(self.root)
            self.prune(self.root)

    def is_number(self, name: str) -> bool:
        return not all(isinstance(value, str) for value in self.values[name])

    def is_many_valued(self, name: str) -> bool:
        return not self.is_number(name) and len(self.values[name]) >= 0.3 * self.n_rows

    def choose(self, records: list[Record]) -> tuple[str, Any] | None:
        if weigh(records) < 2 * self.least - EQUAL or wrong_of(records) < EQUAL:
            return None
        splits = {}
        for name, values in self.values.items():
            split = (
                numeric_split(records, name, self.least, len(self.classes))
                if self.is_number(name)
                else category_split(records, name, values, self.least)
            )
            if split is not None:
                splits[name] = split
        every = all(self.is_many_valued(name) for name in self.values)
        gains = [split[0] for name, split in splits.items() if every or not self.is_many_valued(name)]
        if not gains:
            return None
        average = sum(gains) / len(gains)
        best, chosen = 0.0, None
        for name, (gain, ratio, sides) in splits.items():
            if gain >= average - 1e-3 and ratio > best + EQUAL:
                best, chosen = ratio, (name, sides)
        if chosen is None or chosen[1] is None:
            return chosen
        low, high = chosen[1]
        middle = (low + high) / 2 + EQUAL * (high - low)
        return chosen[0], max(value for value in self.values[chosen[0]] if value <= middle and value < high)

    def split(self, node: dict[str, Any], records: list[Record]) -> list[list[Record]]:
        name, cut = node["attribute"], node["cut"]
        keys = self.values[name] if cut is None else [False, True]
        branches: dict[Any, list[Record]] = {key: [] for key in keys}
        for record in records:
            value = record[1][name]
            if value is not None:
                branches[value if cut is None else value > cut].append(record)
        sizes = {key: weigh(branches[key]) for key in keys}
        known = sum(sizes.values())
        shares = {key: sizes[key] / known if known > EQUAL else 1 / len(keys) for key in keys}
        for weight, row, label in records:
            if row[name] is None:
                for key in keys:
                    if shares[key] > EQUAL:
                        branches[key].append((weight * shares[key], row, label))
        return list(branches.values())

    def grow(self, records: list[Record]) -> dict[str, Any]:
        node: dict[str, Any] = {"records": records, "attribute": None, "cut": None, "branches": []}
        chosen = self.choose(records)
        if chosen is not None:
            node["attribute"], node["cut"] = chosen
            node["branches"] = [self.grow(branch) for branch in self.split(node, records)]
        return node

    def cut_off(self, node: dict[str, Any]) -> None:
        node["attribute"], node["branches"] = None, []

    def training_errors(self, node: dict[str, Any]) -> float:
        if node["attribute"] is None:
            return wrong_of(node["records"])
        return sum(map(self.training_errors, node["branches"]))

    def collapse(self, node: dict[str, Any]) -> None:
        if node["attribute"] is not None and self.training_errors(node) >= wrong_of(node["records"]) - 1e-3:
            self.cut_off(node)
        for branch in node["branches"]:
            self.collapse(branch)

    def estimate(self, node: dict[str, Any], records: list[Record]) -> float:
        """Estimated errors of a subtree on any records."""
        if node["attribute"] is None:
            return pessimistic(records, self.cf)
        parts = self.split(node, records)
        return sum(self.estimate(branch, part) for branch, part in zip(node["branches"], parts, strict=True))

    def refill(self, node: dict[str, Any], records: list[Record]) -> None:
        node["records"] = records
        if node["attribute"] is not None:
            for branch, part in zip(node["branches"], self.split(node, records), strict=True):
                self.refill(branch, part)

    def prune(self, node: dict[str, Any]) -> None:
        if node["attribute"] is None:
            return
        for branch in node["branches"]:
            self.prune(branch)
        sizes = [weigh(branch["records"]) for branch in node["branches"]]
        largest = node["branches"][max(i for i, size in enumerate(sizes) if size >= max(sizes) - EQUAL)]
        as_leaf = pessimistic(node["records"], self.cf)
        as_branch = self.estimate(largest, node["records"])
        as_tree = self.estimate(node, node["records"])
        if as_leaf <= min(as_tree, as_branch) + 0.1 + EQUAL:
            self.cut_off(node)
        elif as_branch <= as_tree + 0.1 + EQUAL:
            node["attribute"], node["cut"] = largest["attribute"], largest["cut"]
            node["branches"] = largest["branches"]
            self.refill(node, node["records"])
            self.prune(node)

    def chances(self, row: dict[str, Any]) -> list[float]:
        return self.read(self.root, row, self.root)

    def read(self, node: dict[str, Any], row: dict[str, Any], parent: dict[str, Any]) -> list[float]:
        if node["attribute"] is None:
            counts = classes_of(node["records"] or parent["records"])
            added = 1 if self.laplace else 0
            whole = sum(counts.values()) + added * len(self.classes)
            return [(counts[label] + added) / whole for label in self.classes]
        name, cut = node["attribute"], node["cut"]
        value = row[name]
        if value is not None and cut is not None:
            return self.read(node["branches"][int(value > cut)], row, node)
        if value in self.values[name] and value is not None:
            return self.read(node["branches"][self.values[name].index(value)], row, node)
        whole = weigh(node["records"])
        said = [0.0] * len(self.classes)
        for branch in node["branches"]:
            share = weigh(branch["records"]) / whole
            if share > 0:
                said = [old + share * new for old, new in zip(said, self.read(branch, row, node), strict=True)]
        return said
