"""The class by the values of each unmasked column: counted where the records are, few enough values to be weighed.

Texts that name people are left out. Many numbers are counted by ranges, of many
categories only the frequent ones are told apart.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa

from maskwise.compress.value_odds import (
    LEAST_RECORDS,
    MOST_CATEGORIES,
    MOST_COLUMNS,
    MOST_RANGES,
    information,
    may_name_people,
    number_by_quantiles,
)
from maskwise.engines.base import MOST_SETS, Lookup
from maskwise.profile.column_counts import class_numbers, count_by_class, number_classes
from maskwise.values.arrow import as_numpy, from_numpy
from maskwise.values.parsing import CODE, looks_like_code, parse_keys, patterns
from maskwise.values.spelling import text_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    import ibis.expr.types as ir
    from numpy.typing import NDArray

    from maskwise.engines.value_counts import ValueCounts
    from maskwise.profile.column_counts import ColumnCounts
    from maskwise.table.table import Table

    Ints = NDArray[np.int64]

MOST_FETCHED = 256
"""Of a column with more values than this, ranges or the frequent values are found inside the engine."""


@dataclass(frozen=True, slots=True)
class NumberedColumn:
    """An unmasked column whose values have small numbers."""

    name: str
    """The column."""
    lookup: Lookup
    """The number of each cell."""
    counts: Ints  # (n_numbers, n_classes)
    """The records of each number, by class."""


def count_unmasked(table: Table, names: Sequence[str], class_name: str) -> list[NumberedColumn]:
    """Count the class by the values of each column that may tell something of it, and keep those that tell most.

    Args:
        table: The records.
        names: The unmasked columns.
        class_name: The class.
    """
    found: list[NumberedColumn] = []
    for at in range(0, len(names), MOST_SETS):
        own = names[at : at + MOST_SETS]
        cells = [cell_of(table, name) for name in own]
        counts = table.engine.group_each(table.expr, cells, table.column(class_name))
        found += _number_columns(own, cells, counts)
        counts.drop()
    told = [information(one.counts) for one in found]
    best = sorted(range(len(found)), key=lambda i: (-told[i], i))[:MOST_COLUMNS]
    return [found[i] for i in sorted(best)]


def cell_of(table: Table, name: str) -> ir.Value:
    """The cells of a column as they are counted and looked up; those of odd types as texts."""
    cell = table.column(name)
    kind = cell.type()
    usual = (kind.is_string, kind.is_numeric, kind.is_boolean, kind.is_date, kind.is_timestamp)
    return cell if any(test() for test in usual) else cell.cast("string")


def _number_columns(names: Sequence[str], cells: Sequence[ir.Value], counts: ValueCounts) -> list[NumberedColumn]:
    """Number the values of the columns that may tell something; in few queries, as each takes a cluster a while."""
    summary = counts.by_class()
    classes = number_classes(summary.column("beside").unique().to_pylist())
    totals = np.zeros((len(names), 2, len(classes)), np.int64)
    which, is_missing, n = (as_numpy(summary.column(name)).astype(np.int64) for name in ("which", "is_missing", "n"))
    np.add.at(totals, (which, is_missing, class_numbers(summary.select(["beside", "n"]), 0, classes)), n)
    columns = [
        _Counted(name, cell, counts, i, classes, size, *totals[i])
        for i, (name, cell, size) in enumerate(zip(names, cells, counts.sizes(), strict=True))
    ]
    fetched = counts.of_columns([one.i for one in columns if one.is_short])
    numbered = (one.number(fetched.get(one.i)) for one in columns)
    return [one for one in numbered if one is not None]


@dataclass(frozen=True, slots=True)
class _Counted:
    """A column that was counted by itself."""

    name: str
    cell: ir.Value
    counts: ValueCounts
    i: int
    classes: dict[object, int]
    n_values: int
    """Its distinct values, without the missing one."""
    present: Ints  # (n_classes,)
    """The records with a value."""
    missing: Ints  # (n_classes,)
    """The records without one."""

    @property
    def may_be_names(self) -> bool:
        """Whether so many values differ that they may name people."""
        n_records = int(self.present.sum() + self.missing.sum())
        return bool(self.cell.type().is_string()) and may_name_people(self.n_values, n_records)

    @property
    def is_short(self) -> bool:
        """Whether its values may be fetched."""
        return 0 < self.n_values <= MOST_FETCHED and not self.may_be_names

    def number(self, groups: pa.Table | None) -> NumberedColumn | None:
        """Give its values numbers; None if it tells nothing.

        Args:
            groups: All its counts, if they were fetched.
        """
        if not self.n_values:
            return None
        if groups is None:
            return self._as_ranges() or self._as_frequent()
        counted = count_by_class(self.name, groups, self.classes)
        return _as_numbers(counted) or _tell_apart(counted, self.present, self.missing)

    def _as_ranges(self) -> NumberedColumn | None:
        """Count by ranges of numbers inside the engine; None if the cells are no numbers."""
        kind = self.cell.type()
        engine_type = self._type_of_texts() if kind.is_string() else None
        if kind.is_boolean() or (kind.is_string() and engine_type is None):
            return None
        ranged = self.counts.ranged(self.i, _most_ranges(int(self.present.sum())), engine_type)
        if ranged.n_odd:
            return None
        counted = count_by_class(self.name, ranged.groups, self.classes)
        parsed = parse_keys(counted.keys)
        assert parsed is not None  # noqa: S101 - the type was looked at above
        order = np.argsort(parsed.numbers, kind="stable")
        lookup = Lookup(counted.keys.take(from_numpy(order)), None, missing=len(order))
        return NumberedColumn(self.name, lookup, np.vstack([counted.counts[order], self.missing]))

    def _type_of_texts(self) -> str | None:
        """What an engine can read all texts as, where they are numbers or dates."""
        looks = patterns()
        *by_scale, n_codes = [n for n, _ in self.counts.matching(self.i, [*looks.values(), CODE])]
        fits = [scale.engine_type for scale, n in zip(looks, by_scale, strict=True) if n == self.n_values]
        return fits[0] if fits and not n_codes else None

    def _as_frequent(self) -> NumberedColumn | None:
        """Tell the frequent texts apart."""
        if self.may_be_names:
            return None
        counted = count_by_class(self.name, self.counts.frequent(self.i, LEAST_RECORDS), self.classes)
        return _tell_apart(counted, self.present, self.missing)


def _most_ranges(n_records: int) -> int:
    return min(MOST_RANGES, max(n_records // LEAST_RECORDS, 1))


def _as_numbers(counted: ColumnCounts) -> NumberedColumn | None:
    """Number the ranges of a column all of whose values are known; None if they are no numbers."""
    keys = counted.keys
    parsed = parse_keys(keys)
    if parsed is None or (pa.types.is_string(keys.type) and (not parsed.known.all() or looks_like_code(keys))):
        return None
    numbers, of_key = np.unique(parsed.numbers, return_inverse=True)
    sizes = np.bincount(of_key, counted.counts.sum(axis=1)).astype(np.int64)
    ranges = number_by_quantiles(numbers, sizes, _most_ranges(int(sizes.sum())))
    n_ranges = int(ranges[-1]) + 1
    counts = np.zeros((n_ranges + 1, counted.counts.shape[1]), np.int64)
    np.add.at(counts, ranges[of_key], counted.counts)
    counts[n_ranges] = counted.missing
    lookup = Lookup(keys, from_numpy(ranges[of_key].astype(np.int32)), missing=n_ranges)
    return NumberedColumn(counted.name, lookup, counts)


def _tell_apart(counted: ColumnCounts, totals: Ints, missing: Ints) -> NumberedColumn | None:
    """Number the most frequent categories from 1; 0 is the rest, and the last number a missing cell.

    None if every category is rare.

    Args:
        counted: The values that may have a number of their own.
        totals: The records by class of all values, without missing cells.
        missing: The records by class of missing cells.
    """
    sizes = counted.counts.sum(axis=1)
    texts = [text_of(key) for key in counted.keys.to_pylist()]
    # By frequency, then spelling, so that the order of records changes nothing.
    order = [i for i in sorted(range(len(texts)), key=lambda i: (-sizes[i], texts[i])) if sizes[i] >= LEAST_RECORDS]
    if not order:
        return None
    order = order[:MOST_CATEGORIES]
    own = counted.counts[order]
    keys = counted.keys.take(from_numpy(np.array(order)))
    lookup = Lookup(keys, from_numpy(np.arange(1, len(order) + 1, dtype=np.int32)), missing=len(order) + 1, other=0)
    return NumberedColumn(counted.name, lookup, np.vstack([totals - own.sum(axis=0), own, missing]))
