"""Gradient boosting in plain Python: lists, sets and whole numbers, every sum made anew from the records.

The twin of `maskwise.classifiers.boosting`. A table is a list of rows of cells; None is missing.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import pairwise

SCALE = 2**29
MAX_BINS = 255


@dataclass
class Column:
    """The bins of a column; the bin of missing cells is None."""

    is_category: bool
    borders: list[float]

    def bin_of(self, cell: float | None) -> int | None:
        if cell is None:
            return None
        if self.is_category:
            return self.borders.index(cell) if cell in self.borders else None
        return sum(border < cell for border in self.borders)

    def all_bins(self) -> list[int]:
        return list(range(len(self.borders) + (not self.is_category)))


def learn_column(cells: list[float | None], is_category: bool) -> Column:
    known = sorted(cell for cell in cells if cell is not None)
    distinct = sorted(set(known))
    if is_category:
        frequent = sorted(distinct, key=lambda value: (-known.count(value), value))[:MAX_BINS]
        return Column(True, sorted(frequent))
    ends = set(distinct[:-1])
    if len(distinct) > MAX_BINS:
        # The value at which at least a part of the records is reached.
        wanted = [Fraction(j * len(known), MAX_BINS) for j in range(1, MAX_BINS)]
        ends &= {known[math.ceil(place) - 1] for place in wanted}
    above = dict(pairwise(distinct))
    return Column(False, sorted((end + above[end]) / 2 for end in ends))


def exponential(x: float) -> float:
    x = min(max(x, -40.0), 40.0)
    doublings = math.floor(x * 1.4426950408889634 + 0.5)
    rest = x - doublings * 0.693147180369123816490 - doublings * 1.90821492927058770002e-10
    power = 1.0
    for term in range(14, 0, -1):
        power = 1.0 + power * rest / term
    return power * 2.0**doublings


def chances_of(scores: list[float]) -> list[float]:
    """The chances of the classes; from one score that of the second of two."""
    if len(scores) == 1:
        return [1.0 / (1.0 + exponential(-scores[0]))]
    raised = [exponential(score - max(scores)) for score in scores]
    total = 0.0
    for part in raised:
        total += part
    return [part / total for part in raised]


@dataclass
class Node:
    number: int
    rows: list[int]
    gradient: int
    hessian: int
    gain: float = -1.0
    column: int = -1
    left: set[int | None] = field(default_factory=set)
    children: list[Node] = field(default_factory=list)
    value: float = 0.0


def sums(rows: list[int], steps: list[tuple[int, int]]) -> tuple[int, int]:
    return sum(steps[row][0] for row in rows), sum(steps[row][1] for row in rows)


def orders(
    columns: list[Column],
    c: int,
    table: list[list[int | None]],
    steps: list[tuple[int, int]],
    rows: list[int],
) -> list[list[set[int | None]]]:
    """The left sides that are tried, in two turns."""
    bins: list[int | None] = [*columns[c].all_bins()]
    if not columns[c].is_category:
        lower = [set(bins[: i + 1]) for i in range(len(bins))]
        return [lower, [{None}, *({None} | side for side in lower)]]
    _, hessian = sums(rows, steps)
    means: dict[int | None, float] = {}
    for b in [*bins, None]:
        of_bin = sums([row for row in rows if table[row][c] == b], steps)
        if float(of_bin[1]) * len(rows) >= 10.0 * hessian:
            means[b] = of_bin[0] / (float(of_bin[1]) + 10.0 * SCALE)
    rising = sorted(means, key=lambda b: means[b])
    falling = sorted(means, key=lambda b: -means[b])
    half = (len(means) + 1) // 2
    return [[set(rising[: i + 1]) for i in range(half)], [set(falling[: i + 1]) for i in range(half - 1)]]


def weigh(
    node: Node, columns: list[Column], table: list[list[int | None]], steps: list[tuple[int, int]], least: int
) -> None:
    """Find the best split of a node."""
    if len(node.rows) < 2 * least or node.hessian < 2 * int(1e-3 * SCALE):
        return
    best = 1e-9 * SCALE
    for c in range(len(columns)):
        has_missing = any(table[row][c] is None for row in node.rows)
        for side in [side for turn in orders(columns, c, table, steps, node.rows) for side in turn]:
            there = [row for row in node.rows if table[row][c] in side]
            g, h = sums(there, steps)
            if min(len(there), len(node.rows) - len(there)) < least or min(h, node.hessian - h) < int(1e-3 * SCALE):
                continue
            right, whole = float(node.gradient - g), float(node.gradient)
            gain = (
                float(g) * float(g) / float(h)
                + right * right / float(node.hessian - h)
                - whole * whole / float(node.hessian)
            )
            if gain > best:
                best = gain
                node.gain, node.column, node.left = gain, c, set(side)
                if not has_missing and 2 * len(there) > len(node.rows):
                    node.left.add(None)


def grow(
    columns: list[Column],
    table: list[list[int | None]],
    steps: list[tuple[int, int]],
    n_leaves: int,
    least: int,
    rate: float,
) -> list[Node]:
    """All nodes, in the order in which they are made."""
    root = Node(0, list(range(len(table))), *sums(list(range(len(table))), steps))
    weigh(root, columns, table, steps, least)
    nodes = [root]
    while len(nodes) < 2 * n_leaves - 1:
        leaves = [node for node in nodes if not node.children and node.column >= 0]
        if not leaves:
            break
        node = max(leaves, key=lambda leaf: leaf.gain)
        for is_left in (True, False):
            rows = [row for row in node.rows if (table[row][node.column] in node.left) == is_left]
            node.children.append(Node(len(nodes), rows, *sums(rows, steps)))
            nodes.append(node.children[-1])
            weigh(nodes[-1], columns, table, steps, least)
    for node in nodes:
        if not node.children and node.hessian >= int(1e-3 * SCALE):
            node.value = -rate * (node.gradient / node.hessian)
    return nodes


def leaf_value(root: Node, bins: list[int | None]) -> float:
    node = root
    while node.children:
        node = node.children[0 if bins[node.column] in node.left else 1]
    return node.value


class Plain:
    """Gradient boosting for classes (logistic or softmax) or numbers (squared loss)."""

    def __init__(
        self,
        rows: list[list[float | None]],
        is_category: list[bool],
        targets: list[float],
        n_iterations: int,
        n_leaves: int,
        least: int,
        *,
        is_number: bool = False,
    ) -> None:
        self.columns = [learn_column([row[c] for row in rows], is_category[c]) for c in range(len(is_category))]
        self.is_number = is_number
        self.present = [] if is_number else sorted(set(targets))
        table = [self.bins(row) for row in rows]
        if is_number:
            largest = max(abs(target) for target in targets)
            self.unit = min(2.0**power for power in range(-99, 99) if 2.0**power > largest) if largest else 1.0
            goals = [[target / self.unit] for target in targets]
            self.start = [sum(round(goal[0] * SCALE) for goal in goals) / (SCALE * len(goals))]
        else:
            logs = [math.log(targets.count(label) / len(targets)) for label in self.present]
            mean = sum(logs) / len(logs)
            self.start = [round(log - mean, 6) for log in logs]
            if len(logs) <= 2:
                self.start = [round(log - logs[0], 6) for log in logs[1:]]
            scored = self.present[len(self.present) - len(self.start) :]
            goals = [[float(target == label) for label in scored] for target in targets]
        scores = [list(self.start) for _ in rows]
        self.trees: list[list[list[Node]]] = []
        for _ in range(n_iterations if self.start else 0):
            shares = [row if is_number else chances_of(row) for row in scores]
            trees = []
            for s in range(len(self.start)):
                steps = [
                    (
                        round((share[s] - goal[s]) * SCALE),
                        SCALE if is_number else round(share[s] * (1.0 - share[s]) * SCALE),
                    )
                    for share, goal in zip(shares, goals, strict=True)
                ]
                nodes = grow(self.columns, table, steps, n_leaves, least, 0.1)
                for bins, row in zip(table, scores, strict=True):
                    row[s] += leaf_value(nodes[0], bins)
                trees.append(nodes)
            self.trees.append(trees)

    def bins(self, row: list[float | None]) -> list[int | None]:
        return [column.bin_of(cell) for column, cell in zip(self.columns, row, strict=True)]

    def scores(self, row: list[float | None]) -> list[float]:
        scores = list(self.start)
        for trees in self.trees:
            for s, nodes in enumerate(trees):
                scores[s] += leaf_value(nodes[0], self.bins(row))
        return scores

    def number(self, row: list[float | None]) -> float:
        return self.scores(row)[0] * self.unit

    def chances(self, row: list[float | None]) -> dict[float, float]:
        if len(self.present) == 1:
            return {self.present[0]: 1.0}
        shares = chances_of(self.scores(row))
        if len(shares) == 1:
            shares = [1.0 - shares[0], shares[0]]
        return dict(zip(self.present, shares, strict=True))
