"""The class by the values of each unmasked column: counted where the records are, few enough values to be weighed.

Texts that name people are left out. Many numbers are counted by ranges, of many
categories only the frequent ones are told apart.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from maskwise.compress.value_odds import (
    LEAST_RECORDS,
    MOST_CATEGORIES,
    MOST_COLUMNS,
    MOST_RANGES,
    information,
    number_by_quantiles,
)
from maskwise.engines.base import Lookup
from maskwise.profile.column_counts import class_numbers, count_by_class, number_classes
from maskwise.values.arrow import as_numpy, from_numpy
from maskwise.values.parsing import CODE, looks_like_code, parse_keys, patterns
from maskwise.values.spelling import text_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    import ibis.expr.types as ir
    import pyarrow as pa
    from numpy.typing import NDArray

    from maskwise.engines.value_counts import ValueCounts
    from maskwise.profile.column_counts import ColumnCounts
    from maskwise.table.table import Table

    Ints = NDArray[np.int64]

MOST_FETCHED = 256
"""Of a column with more values than this, ranges or the frequent values are found inside the engine."""
_MOST_SETS = 48
"""So many columns are counted in one GROUP BY; Spark takes at most 64."""
_MOST_NAMES = 0.5
"""A text column with more distinct values than this share of its records names people, and tells nothing of others."""


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
    n_records = table.n_rows()
    for at in range(0, len(names), _MOST_SETS):
        own = names[at : at + _MOST_SETS]
        cells = [cell_of(table, name) for name in own]
        counts = table.engine.group_each(table.expr, cells, table.column(class_name))
        classes = number_classes(counts.classes())
        few = [
            i
            for i, (cell, size) in enumerate(zip(cells, counts.sizes(), strict=True))
            if size <= MOST_FETCHED and not (cell.type().is_string() and _may_be_names(size, n_records))
        ]
        fetched = counts.of_columns(few)
        numbered = (_Counted(name, counts, i, classes, n_records).number(fetched.get(i)) for i, name in enumerate(own))
        found += [one for one in numbered if one is not None]
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


@dataclass(frozen=True, slots=True)
class _Counted:
    """A column that was counted by itself."""

    name: str
    counts: ValueCounts
    i: int
    classes: dict[object, int]
    n_records: int

    def number(self, groups: pa.Table | None) -> NumberedColumn | None:
        """Give its values numbers; None if it tells nothing.

        Args:
            groups: All its counts; None if its values are too many to be fetched, or may be names.
        """
        if groups is None:
            return self._as_ranges() or self._as_frequent()
        counted = count_by_class(self.name, groups, self.classes)
        if not len(counted.keys):
            return None
        return _as_numbers(counted) or _tell_apart(counted, counted.counts.sum(axis=0), counted.missing)

    def _as_ranges(self) -> NumberedColumn | None:
        """Count by ranges of numbers inside the engine; None if the cells are no numbers."""
        import pyarrow as pa  # noqa: PLC0415 - heavy

        kind = self.counts.type_of(self.i)
        engine_type = None
        if pa.types.is_string(kind):
            engine_type = self._type_of_texts()
            if engine_type is None:
                return None
        elif parse_keys(pa.array([], kind)) is None:
            return None
        n_records = int(self._totals().sum())
        ranged = self.counts.ranged(self.i, _most_ranges(n_records), engine_type)
        if ranged.n_odd:
            return None
        counted = count_by_class(self.name, ranged.groups, self.classes)
        parsed = parse_keys(counted.keys)
        assert parsed is not None  # noqa: S101 - the type was looked at above
        order = np.argsort(parsed.numbers, kind="stable")
        lookup = Lookup(counted.keys.take(from_numpy(order)), None, missing=len(order))
        return NumberedColumn(self.name, lookup, np.vstack([counted.counts[order], self._missing()]))

    def _type_of_texts(self) -> str | None:
        """What an engine can read all texts as, where they are numbers or dates."""
        looks = patterns()
        *by_scale, n_codes = [n for n, _ in self.counts.matching(self.i, [*looks.values(), CODE])]
        n_texts = self.counts.n_values(self.i)
        fits = [scale.engine_type for scale, n in zip(looks, by_scale, strict=True) if n == n_texts]
        return fits[0] if fits and not n_codes else None

    def _as_frequent(self) -> NumberedColumn | None:
        """Tell the frequent texts apart."""
        if _may_be_names(self.counts.n_values(self.i), self.n_records):
            return None
        counted = count_by_class(self.name, self.counts.frequent(self.i, LEAST_RECORDS), self.classes)
        return _tell_apart(counted, self._totals(), self._missing())

    def _totals(self) -> Ints:
        """The records by class whose cell is not missing."""
        found = self.counts.totals(self.i)
        totals = np.zeros(len(self.classes), np.int64)
        np.add.at(totals, class_numbers(found, 0, self.classes), as_numpy(found.column("n")).astype(np.int64))
        return totals

    def _missing(self) -> Ints:
        return count_by_class(self.name, self.counts.missing(self.i), self.classes).missing


def _may_be_names(n_values: int, n_records: int) -> bool:
    return n_values > max(_MOST_NAMES * n_records, 1)


def _most_ranges(n_records: int) -> int:
    return min(MOST_RANGES, max(n_records // LEAST_RECORDS, 1))


def _as_numbers(counted: ColumnCounts) -> NumberedColumn | None:
    """Number the ranges of a column all of whose values are known; None if they are no numbers."""
    import pyarrow as pa  # noqa: PLC0415 - heavy

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
    import pyarrow as pa  # noqa: PLC0415 - heavy

    sizes = counted.counts.sum(axis=1)
    texts = [text_of(key) for key in counted.keys.to_pylist()]
    # By frequency, then spelling, so that the order of records changes nothing.
    order = [i for i in sorted(range(len(texts)), key=lambda i: (-sizes[i], texts[i])) if sizes[i] >= LEAST_RECORDS]
    if not order:
        return None
    order = order[:MOST_CATEGORIES]
    own = counted.counts[order]
    keys = counted.keys.take(pa.array(order, pa.int64()))
    lookup = Lookup(keys, from_numpy(np.arange(1, len(order) + 1, dtype=np.int32)), missing=len(order) + 1, other=0)
    return NumberedColumn(counted.name, lookup, np.vstack([totals - own.sum(axis=0), own, missing]))
