"""The records of a table as small numbers, to count their groups on many sets of columns.

An LKC requirement on sixty columns is about 1,770 pairs of them, and a GROUP BY
takes longer to plan than to run. So the rows of all its columns come
over once, every cell as a number, and the groups of each set of columns are
counted from these rows. Rows that are alike come over as one, unless the records are in this process anyway: of many
columns hardly two rows are alike. This is the recount's own: it shares no code with the search.
"""

from __future__ import annotations

import math
from collections import deque
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from maskwise.engines.base import Feature, Lookup
from maskwise.engines.distinct_rows import marked_of_row, records_of_row
from maskwise.errors import InputError
from maskwise.values.arrow import as_numpy, from_numpy, narrowest
from maskwise.values.processors import n_processors
from maskwise.verify.subset_kernels import count_cells

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from concurrent.futures import Future

    import ibis.expr.types as ir
    from numpy.typing import NDArray

    from maskwise.engines.sql import Engine

    Ints = NDArray[np.int64]

_MOST_TOGETHER = 1 << 14
"""So many cells are counted at a time for several sets of columns: they stay in a processor's own memory."""
_ROWS_OF_CELL = 4
"""And there are so many rows for each of them: cells are looked at once more for each set."""
_MOST_THREADS = 4
"""More would need more memory than they save time."""
_MOST_CELLS = 1 << 16
"""So many cells, and twice as many as there are rows, have places of their own; more of them are sorted."""
_MOST_KEYS = 1 << 62
"""More different keys than this do not fit a number of 64 bits."""
_MOST_LISTED = 1 << 28
"""So many cells of a table are fetched as they are, without a look for rows that are alike."""


class _Bundle(NamedTuple):
    """Columns that are counted as one."""

    columns: list[int]
    size: int
    """How many combinations of cells they may have."""
    numbers: NDArray[np.unsignedinteger]
    """(n_rows,) a number for the combination of each row."""


@dataclass(frozen=True, slots=True)
class RecountRows:
    """Rows of some columns; several may be alike."""

    codes: NDArray[np.unsignedinteger] | Sequence[NDArray[np.unsignedinteger]]  # (n_columns, n_rows)
    """The number of each cell, column by column."""
    n_codes: tuple[int, ...]
    """How many different cells each column has."""
    counts: Ints  # (n_rows, n_counts)
    """The records of each row, and those of them with each mark."""

    def alike(self, sets: Sequence[tuple[int, ...]]) -> Iterator[tuple[int, Ints, Ints]]:
        """Count the records of each group on each of some sets of columns, and the groups with the same counts.

        Neighbouring columns with few different cells are counted as one, and the sets that they are in from that:
        the pairs of sixty columns take some 200 passes over the rows instead of 1,770.

        Args:
            sets: The columns of each by their numbers.

        Yields:
            The place of a set, in their order, and what `count_alike` says of the counts of its groups.

        Claim: every record is in one row, and a row in one group of each set.
        """
        bundles = [self._bundle(columns) for columns in self._neighbours(max(map(len, sets), default=1))]
        bundle_of = {c: b for b, bundle in enumerate(bundles) for c in bundle.columns}
        together: dict[tuple[int, ...], list[int]] = {}
        for at, one in enumerate(sets):
            together.setdefault(tuple(sorted({bundle_of[c] for c in one})), []).append(at)
        n_threads = min(n_processors(), _MOST_THREADS)

        def count(which: tuple[int, ...], places: list[int]) -> list[tuple[int, Ints, Ints]]:
            found = self._groups([bundles[b] for b in which], [sets[at] for at in places])
            return [(at, *count_alike(counts)) for at, counts in zip(places, found, strict=True)]

        with ThreadPoolExecutor(n_threads) as threads:
            waiting: deque[Future[list[tuple[int, Ints, Ints]]]] = deque()
            kept: dict[int, tuple[Ints, Ints]] = {}
            n_done = 0
            for n_begun, (which, places) in enumerate(together.items(), start=1):
                waiting.append(threads.submit(count, which, places))
                # A few ahead, so that the threads are busy and what they count is not kept for long.
                while len(waiting) > (2 * n_threads if n_begun < len(together) else 0):
                    kept |= {at: (different, n) for at, different, n in waiting.popleft().result()}
                    while n_done in kept:
                        yield n_done, *kept.pop(n_done)
                        n_done += 1

    def _neighbours(self, size: int) -> list[list[int]]:
        """Which neighbouring columns are counted as one, where a set has so many columns."""
        room = max(min(len(self.counts) // _ROWS_OF_CELL, _MOST_TOGETHER), 1)
        most, product = room ** (1 / size), 1
        found: list[list[int]] = []
        for c, n_codes in enumerate(self.n_codes):
            if not found or product * n_codes > most:
                found.append([])
                product = 1
            found[-1].append(c)
            product *= n_codes
        return found

    def _bundle(self, columns: list[int]) -> _Bundle:
        size = math.prod(self.n_codes[c] for c in columns)
        if len(columns) == 1:
            return _Bundle(columns, size, self.codes[columns[0]])
        numbers = np.zeros(len(self.counts), narrowest(size))
        for c in columns:
            numbers *= numbers.dtype.type(self.n_codes[c])
            numbers += self.codes[c].astype(numbers.dtype)
        return _Bundle(columns, size, numbers)

    def _groups(self, bundles: Sequence[_Bundle], sets: Sequence[tuple[int, ...]]) -> Iterator[Ints]:
        """Count the groups on each of some sets of columns, from the cells of bundles that have all of these.

        Yields:
            (n_groups, n_counts) the counts of its groups.
        """
        n_rows, n_counts = self.counts.shape
        n_cells = math.prod(bundle.size for bundle in bundles)
        if n_cells > _MOST_CELLS + 2 * n_rows:
            # Several columns are counted as one only where there are few cells, so this is one set or large columns.
            yield from map(self._sorted_groups, sets)
            return
        cells = np.zeros((n_cells, n_counts), np.int64)
        numbers = [bundle.numbers for bundle in bundles]
        kind = np.result_type(np.uint16, *numbers)
        rows = np.array([one.astype(kind, copy=False) for one in numbers])
        count_cells(rows, np.array([bundle.size for bundle in bundles], np.int64), self.counts, cells)
        columns = [c for bundle in bundles for c in bundle.columns]
        by_column = cells.reshape(*(self.n_codes[c] for c in columns), n_counts)
        for one in sets:
            others = tuple(axis for axis, c in enumerate(columns) if c not in one)
            found = by_column.sum(axis=others).reshape(-1, n_counts)
            yield found[found[:, 0] > 0]

    def _sorted_groups(self, columns: Sequence[int]) -> Ints:
        """Count the groups on columns with very many different cells."""
        key, n_keys = np.zeros(len(self.counts), np.int64), 1
        for c in columns:
            if n_keys * self.n_codes[c] >= _MOST_KEYS:
                n_keys, key = _numbered(key)
            key, n_keys = key * self.n_codes[c] + self.codes[c], n_keys * self.n_codes[c]
        n_keys, key = _numbered(key)
        # Sums of whole numbers are exact as floats up to 2**53, far more than records.
        sums = [np.bincount(key, self.counts[:, j], n_keys) for j in range(self.counts.shape[1])]
        return np.stack(sums, axis=1).astype(np.int64)


def _numbered(key: Ints) -> tuple[int, Ints]:
    """How many different keys there are, and the place of each among them."""
    different, place = np.unique(key, return_inverse=True)
    return len(different), place


def count_alike(counts: Ints) -> tuple[Ints, Ints]:
    """The different rows of a table in ascending order, and how often each is there.

    >>> count_alike(np.array([[3, 1], [2, 0], [3, 1]]))
    (array([[2, 0],
           [3, 1]]), array([1, 2]))
    """
    ordered = counts[np.lexsort(counts.T[::-1])]
    starts = np.flatnonzero(np.append(True, (ordered[1:] != ordered[:-1]).any(axis=1))[: len(ordered)])
    return ordered[starts], np.diff(np.append(starts, len(ordered)))


def code_records(engine: Engine, records: ir.Table, columns: Sequence[str], marks: Sequence[str]) -> RecountRows:
    """Fetch the rows of some columns, every cell as a number, with the records that have each mark.

    Args:
        engine: Where they are.
        records: A table of the engine; a row may stand for many records.
        columns: Its columns that are counted by.
        marks: Its columns of ones and zeros, whose records are added up.
    """
    parts: list[NDArray[np.unsignedinteger]] = []
    counts: list[Ints] = []
    beside = list(records_of_row(records))
    sums = [*beside, *marks]
    weighed = records.mutate(**{mark: marked_of_row(records, records[mark]) for mark in marks}) if beside else records
    # Where rows stand for many records, these are added up, and the rows themselves are not asked for.
    first = len(columns) + len(beside)
    with engine.scratch():
        found = engine.group_each(records, [records[column] for column in columns], None).of_columns(
            range(len(columns))
        )
        lookups = {}
        for i, column in enumerate(columns):
            cells = found[i].column("k").combine_chunks()
            keys = cells.drop_null()
            codes = from_numpy(np.arange(len(keys), dtype=narrowest(len(keys))))
            lookups[column] = Lookup(keys, codes, len(keys) if cells.null_count else None)
        sizes = [len(how.keys) + (how.missing is not None) for how in lookups.values()]
        dtype = narrowest(max(sizes))
        n_rows = int(as_numpy(found[0].column("n")).sum())
        is_short = n_rows * len(columns) <= _MOST_LISTED and math.prod(sizes) > n_rows
        coded = engine.recode(weighed, lookups, sums, materialize=False)
        one_by_one = is_short and engine.can(Feature.LOCAL_RECORDS)
        with engine.count_rows(coded, columns, sums, one_by_one=one_by_one) as batches:
            for batch in batches:
                if any(column.null_count for column in batch.columns):
                    msg = "The table changed while it was recounted. Try again."
                    raise InputError(msg)
                arrays = [as_numpy(column) for column in batch.columns]
                parts.append(np.array([one.astype(dtype) for one in arrays[: len(columns)]]))
                counts.append(np.stack(arrays[first:], axis=1).astype(np.int64))
    codes = np.concatenate(parts, axis=1) if parts else np.zeros((len(columns), 0), dtype)
    n_counts = 1 + len(marks)
    return RecountRows(codes, tuple(sizes), np.concatenate(counts) if counts else np.zeros((0, n_counts), np.int64))
