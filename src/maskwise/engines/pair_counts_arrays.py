"""Pairs of columns counted in this process, where the records already are.

The same questions as in `pair_counts_sql`, on arrays of codes. A pair of columns
is one array of numbers; if they are small they are counted in place, else sorted.
"""

from __future__ import annotations

from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from maskwise.engines.pair_counts import Repetition, Shares, TellingGroups
from maskwise.values.arrow import as_numpy

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Sequence

    import pyarrow as pa
    from numpy.typing import NDArray

    from maskwise.engines.pair_counts import Pair, Target

    Ints = NDArray[np.int64]

_SMALL = 4
"""Up to so many possible numbers for each record are counted in place; more of them are sorted."""


class _Codes(NamedTuple):
    """A column as numbers from 0."""

    of_record: Ints  # (n_records,)
    """The number of each record's cell."""
    counts: Ints  # (n_cells,)
    """The records of each cell."""

    @property
    def n(self) -> int:
        """How many different cells there are."""
        return len(self.counts)


class _PairCells(NamedTuple):
    """The combinations of a first and a second cell that occur, sorted."""

    first: Ints
    """The number of the first cell."""
    second: Ints
    """The number of the second cell."""
    n: Ints
    """The records that have both."""


class _Behind(NamedTuple):
    """The raw cells of a masked column behind each label."""

    codes: _Codes
    """Each combination of a label and a raw cell, numbered label by label."""
    label: Ints
    """The number of the label of each combination."""
    shown: list[int]
    """Each label, by its number."""

    @classmethod
    def of(cls, shown: list[int], label: _Codes, raw: _Codes) -> _Behind:
        """Number the combinations that occur."""
        both = _count(label, raw)
        number = label.of_record * raw.n + raw.of_record
        place = np.searchsorted(both.first * raw.n + both.second, number)
        return cls(_Codes(place, both.n), both.first, shown)


class ArrayPairCounts:
    """The counts of some pairs of columns of an Arrow table."""

    def __init__(self, coded: pa.Table, targets: Sequence[Target]) -> None:
        """Keep the table; a column is looked at when it is asked for.

        Args:
            coded: The records, as whole numbers, none of them missing.
            targets: The masked columns, and what is counted beside each.
        """
        self._coded = coded
        self._targets = tuple(targets)
        self._codes: dict[str, _Codes] = {}

    @cached_property
    def _behind(self) -> dict[int, _Behind]:
        return {
            target.number: _Behind.of(
                self._coded.column(target.label).unique().to_pylist(),
                self._column(target.label),
                self._column(target.raw),
            )
            for target in self._targets
        }

    def labels(self) -> dict[Pair, Shares]:
        """How the raw cells of each target are distributed behind each of its labels: by target and label."""
        found = {}
        for target in self._targets:
            behind = self._behind[target.number]
            begins = _begins(behind.label)
            n_most = np.maximum.reduceat(behind.codes.counts, begins)
            n_squares = np.add.reduceat(behind.codes.counts**2, begins)
            n_records = np.add.reduceat(behind.codes.counts, begins)
            for label, *shares in zip(behind.label[begins], n_records, n_most, n_squares, strict=True):
                found[target.number, behind.shown[label]] = Shares(*map(int, shares))
        return found

    def telling(self, least: int, share: float) -> list[TellingGroups]:
        """The groups that share a label and another column's cell, of which enough share the raw cell too, by size."""
        return [
            groups
            for target in self._targets
            for other in target.beside
            for groups in self._tell(target, other, least, share)
        ]

    def _tell(self, target: Target, other: int, least: int, share: float) -> Iterator[TellingGroups]:
        cells, behind = self._column(target.beside[other]), self._behind[target.number]
        is_frequent = cells.counts >= least
        if not is_frequent.any():
            return
        counted = _count(cells, behind.codes, None if is_frequent.all() else is_frequent[cells.of_record])
        label = behind.label[counted.second]
        # Behind a label raw cells are numbered in a row, so that its groups stand together.
        begins = _begins(counted.first, label)
        n_records = np.add.reduceat(counted.n, begins)
        tells = (n_records >= least) & (np.maximum.reduceat(counted.n, begins) >= share * n_records)
        # One number for a label and a size: to sort rows of two took five times as long.
        n_sizes = len(cells.of_record) + 1
        found, n_groups = np.unique(label[begins][tells] * n_sizes + n_records[tells], return_counts=True)
        for number, n in zip(found.tolist(), n_groups.tolist(), strict=True):
            yield TellingGroups(target.number, other, behind.shown[number // n_sizes], number % n_sizes, n)

    def repetitions(self, others: Collection[int]) -> dict[Pair, tuple[Repetition, Repetition]]:
        """For each target and some columns beside it: whether a cell of that column has one raw cell, and back."""
        found = {}
        whole: dict[str, Repetition] = {}
        for target, other, cell in self._beside(others):
            cells, raw = self._column(cell), self._column(target.raw)
            for name, column in ((cell, cells), (target.raw, raw)):
                if name not in whole:
                    whole[name] = _repetition(column)
            both = _count(cells, raw)
            found[target.number, other] = (
                replace(whole[cell], n_single=_n_single(cells, both.first)),
                replace(whole[target.raw], n_single=_n_single(raw, both.second)),
            )
        return found

    def n_narrowed(self, target: int, other: int) -> int:
        """How many records show a label of the target behind which the other column has several cells."""
        asked = next(one for one in self._targets if one.number == target)
        label = self._column(asked.label)
        both = _count(label, self._column(asked.beside[other]))
        return int(label.counts[np.bincount(both.first, minlength=label.n) > 1].sum())

    def repeating(self, others: Collection[int]) -> list[Pair]:
        """The targets and columns beside them that are the raw cells in every record."""
        return [
            (target.number, other)
            for target, other, cell in self._beside(others)
            if self._coded.column(target.raw).equals(self._coded.column(cell))
        ]

    def drop(self) -> None:
        """Nothing was made."""

    def _beside(self, others: Collection[int]) -> Iterator[tuple[Target, int, str]]:
        for target in self._targets:
            for other, cell in target.beside.items():
                if other in others:
                    yield target, other, cell

    def _column(self, name: str) -> _Codes:
        if name not in self._codes:
            encoded = self._coded.column(name).combine_chunks().dictionary_encode()
            of_record = as_numpy(encoded.indices).astype(np.int64)
            self._codes[name] = _Codes(of_record, np.bincount(of_record, minlength=len(encoded.dictionary)))
        return self._codes[name]


def _count(first: _Codes, second: _Codes, chosen: NDArray[np.bool_] | None = None) -> _PairCells:
    """Count the records of each combination of two columns, of all or of chosen records."""
    numbers = first.of_record * second.n + second.of_record
    if chosen is not None:
        numbers = numbers[chosen]
    if first.n * second.n <= _SMALL * len(numbers):
        counts = np.bincount(numbers)
        found = np.flatnonzero(counts)
        n = counts[found]
    else:
        found, n = np.unique(numbers, return_counts=True)
    return _PairCells(*np.divmod(found, second.n), n)


def _begins(*columns: Ints) -> Ints:
    """Where sorted rows of some columns differ from those before them."""
    is_first = np.ones(len(columns[0]), np.bool_)
    is_first[1:] = np.logical_or.reduce([column[1:] != column[:-1] for column in columns])
    return np.flatnonzero(is_first)


def _repetition(of: _Codes) -> Repetition:
    """How often the cells of a column are shared, whatever other columns hold."""
    is_shared = of.counts > 1
    return Repetition(
        int(is_shared.sum()),
        int(of.counts[is_shared].sum()),
        0,
        int(of.counts.max()),
        int((of.counts**2).sum()),
        int(of.counts.sum()),
    )


def _n_single(of: _Codes, cells: Ints) -> int:
    """How many records share their cell of one column with others, all of which share that of another column.

    Args:
        of: The one column.
        cells: Its cell in each combination with the other that occurs.
    """
    return int(of.counts[(of.counts > 1) & (np.bincount(cells, minlength=of.n) == 1)].sum())
