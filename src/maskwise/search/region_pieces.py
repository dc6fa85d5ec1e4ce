"""The splits of one region by one attribute that a search for regions tries, with the counters of their pieces.

In plain Python over the codes of the region's rows, so that reasons do not rest on
the compiled loops that found the regions.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from maskwise.policy.attributes import Kind
from maskwise.solution.cut import HIDDEN
from maskwise.solution.region_rows import number_leaves, number_numbers

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from maskwise.compress.request import Coding
    from maskwise.profile.columns import Column
    from maskwise.solution.region_codes import Codes
    from maskwise.solution.solution import Solution

    Ints = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Piece:
    """A part of a split, or what is left."""

    label: str | None
    """What it shows; None is the missing value."""
    counts: Ints  # (n_counts,)
    """Its counters."""
    is_rest: bool = False
    """Whether it is what is left in the region."""


def number_rows(columns: Sequence[Column], codings: Sequence[Coding], codes: Sequence[Codes], rows: Ints) -> Ints:
    """Compressed rows in the numbers by which regions are found.

    Args:
        columns: The distinct values of each attribute.
        codings: The code of each value in the compressed rows.
        codes: The numbers of each attribute.
        rows: (n_rows, n_attributes) the compressed rows.
    """
    numbered = np.empty(rows.shape, np.int64)
    for a, (column, coding, one) in enumerate(zip(columns, codings, codes, strict=True)):
        is_interval = column.kind is Kind.INTERVAL
        of_value = (
            number_numbers(one, column.numbers) if is_interval else number_leaves(one, column.texts, column.taxonomy)
        )
        of_code = np.zeros(coding.n_codes, np.int64)
        # Values that share a code are on the same side of every split.
        of_code[coding.code_of_value[: len(of_value)]] = of_value
        if column.missing.any():
            of_code[coding.code_of_value[-1]] = _missing(one, column, coding, of_code)
        numbered[:, a] = of_code[rows[:, a]]
    return numbered


def _missing(one: Codes, column: Column, coding: Coding, of_code: Ints) -> int:
    """The number of a missing cell; one that shares its code with values is never told, and so goes with them."""
    code = coding.code_of_value[-1]
    is_shared = bool((coding.code_of_value[:-1][column.counts.any(axis=1)] == code).any()) or column.n_rest > 0
    return int(of_code[code]) if is_shared else one.missing


def list_splits(
    column: Column, coding: Coding, codes: Ints, counts: Ints, solution: Solution, region: int, floor: int
) -> list[list[Piece]]:
    """All splits of a region by an attribute.

    Args:
        column: The attribute.
        coding: The codes of its values.
        codes: (n_rows,) those of the region's rows.
        counts: (n_rows, n_counts) their counters.
        solution: The regions.
        region: The region.
        floor: What fewer records of the whole table have is never told.
    """
    by_code = np.zeros((coding.n_codes, counts.shape[1]), np.int64)
    np.add.at(by_code, codes, counts)
    if column.kind is Kind.INTERVAL:
        return _interval_splits(column, coding, by_code, _ends(column, solution, region))
    cut = solution.cut(column.name)
    assert solution.regions is not None  # noqa: S101 - asked only of such solutions
    shown = solution.regions.labels(solution.cuts)[region][solution.cuts.index(cut)]
    return _tree_splits(column, coding, by_code, shown, floor)


def _ends(column: Column, solution: Solution, region: int) -> tuple[float, float, bool]:
    """Where the interval that a region shows begins and ends, and whether it holds the end of the range."""
    assert solution.regions is not None  # noqa: S101 - asked only of such solutions
    found: list[tuple[float, float, bool]] = [(*column.range, True)]
    for split in solution.regions.splits:
        for part in split.parts:
            is_own = split.attribute == column.name and part.ends is not None
            found.append((*part.ends, part.is_last) if is_own and part.ends else found[split.region])
    return found[region]


def _interval_splits(
    column: Column, coding: Coding, by_code: Ints, ends: tuple[float, float, bool]
) -> list[list[Piece]]:
    """Every border between two bins with records; missing cells, if there are some, become a piece of their own."""
    low, high, is_last = ends
    values = coding.code_of_value[:-1]
    missing_code = int(coding.code_of_value[-1])
    n_missing = by_code[missing_code].copy() if column.missing.any() else np.zeros_like(by_code[0])
    bins = np.array(
        [code for code in np.unique(values).tolist() if by_code[code, 0] and (code != missing_code or not n_missing[0])]
    )
    apart = [Piece(None, n_missing)] if n_missing[0] else []
    splits = []
    if apart and len(bins):
        whole = column.interval_label(low, high, closed=is_last)
        splits.append([Piece(whole, by_code[bins].sum(axis=0)), *apart])
    for border in bins[1:].tolist():
        number = column.numbers[np.searchsorted(values, border)].item()
        left = Piece(column.interval_label(low, number, closed=False), by_code[bins[bins < border]].sum(axis=0))
        right = Piece(column.interval_label(number, high, closed=is_last), by_code[bins[bins >= border]].sum(axis=0))
        splits.append([left, right, *apart])
    return splits


@dataclass(frozen=True, slots=True)
class _Tree:
    """The values of a taxonomy or suppress attribute, the root first, the missing value last."""

    labels: tuple[str | None, ...]
    """What each is called."""
    parents: tuple[int, ...]
    """The value above each; -1 for the root."""
    of_value: tuple[int, ...]
    """The place of each value of the column; that of the missing value comes last."""
    n_records: Ints  # (n_nodes,)
    """The records of the whole table with each value, or one below it."""

    @classmethod
    def of(cls, column: Column) -> _Tree:
        """The tree of a column."""
        if column.taxonomy is None:
            labels: tuple[str | None, ...] = (HIDDEN, *column.texts)
            parents: tuple[int, ...] = (-1, *(0 for _ in column.texts))
            places = list(range(1, len(labels)))
        else:
            labels, parents = column.taxonomy.labels, column.taxonomy.parents
            at = {label: i for i, label in enumerate(labels)}
            places = [at.get(text, 0) for text in column.texts]
        own = np.zeros(len(labels) + 1, np.int64)
        np.add.at(own, np.array(places, np.int64), column.counts.sum(axis=1))
        own[-1] = column.missing.sum()
        parents = (*parents, 0)
        for i in range(len(labels), 0, -1):
            own[parents[i]] += own[i]
        return cls((*labels, None), parents, (*places, len(labels)), own)

    def child(self, node: int, above: int) -> int | None:
        """The child of a value that another one is at or below; None if it is not below it."""
        while node >= 0 and self.parents[node] != above:
            node = self.parents[node]
        return None if node < 0 else node


def _tree_splits(column: Column, coding: Coding, by_code: Ints, shown: str | None, floor: int) -> list[list[Piece]]:
    """All children of a value at once, or one of them told and the rest left with the value's label."""
    tree = _Tree.of(column)
    is_told = tree.n_records >= max(floor, 1)
    if column.taxonomy is None and HIDDEN in column.texts:
        # A value that is called like what hides values is never told.
        is_told[1 + column.texts.index(HIDDEN)] = False
    # Of values that share a code none is told, so any of them stands for it.
    n_values = len(coding.code_of_value) - (not column.missing.any())
    of_code = dict(zip(coding.code_of_value[:n_values].tolist(), tree.of_value, strict=False))
    there = [(of_code[code], by_code[code]) for code in of_code if by_code[code, 0]]
    total = by_code.sum(axis=0)
    node = 0 if column.taxonomy is None else tree.labels.index(shown)
    while True:
        children: dict[int, Ints] = {}
        for value, count in there:
            child = tree.child(value, node)
            if child is not None and is_told[child]:
                children[child] = children.get(child, np.zeros_like(total)) + count
        inside = [child for child, count in children.items() if count[0] == total[0]]
        if not inside or inside[0] not in tree.parents:
            break
        # All records are below one child: what stands between tells nothing.
        node = inside[0]
    return _one_or_all([Piece(tree.labels[child], children[child]) for child in sorted(children)], total, shown)


def _one_or_all(pieces: list[Piece], total: Ints, shown: str | None) -> list[list[Piece]]:
    """The pieces all at once, and each by itself; what is left keeps its label."""
    rest = total - sum((piece.counts for piece in pieces), np.zeros_like(total))
    left = [Piece(shown, rest, is_rest=True)] if rest[0] else []
    n_pieces = len(pieces) + len(left)
    splits = [[*pieces, *left]] if pieces and n_pieces > 1 else []
    if n_pieces > 2:  # noqa: PLR2004 - of two pieces telling one is the same split
        splits += [[one, Piece(shown, total - one.counts, is_rest=True)] for one in pieces]
    return splits
