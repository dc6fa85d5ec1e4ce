"""The records of a table as small numbers, to count their groups on many sets of columns.

An LKC requirement on sixty columns is about 1,770 pairs of them, and a GROUP BY
takes longer to plan than to run. So the distinct rows of all its columns come
over once, every cell as a number, and the groups of each set of columns are
counted from these rows. This is the recount's own: it shares no code with the search.
"""

from __future__ import annotations

import os
from collections import deque
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from itertools import groupby
from typing import TYPE_CHECKING

import numpy as np

from maskwise.engines.base import Lookup
from maskwise.engines.distinct_rows import marked_of_row, records_of_row
from maskwise.errors import InputError
from maskwise.values.arrow import as_numpy, from_numpy, narrowest

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from concurrent.futures import Future

    import ibis.expr.types as ir
    from numpy.typing import NDArray

    from maskwise.engines.sql import Engine

    Ints = NDArray[np.int64]

_MOST_TOGETHER = 1 << 15
"""So many cells are counted at a time for several sets of columns: they stay in a processor's own memory."""
_MOST_THREADS = 4
"""More would need more memory than they save time."""
_MOST_CELLS = 1 << 16
"""So many cells, and twice as many as there are rows, have places of their own; more of them are sorted."""


@dataclass(frozen=True, slots=True)
class RecountRows:
    """The distinct rows of some columns."""

    codes: NDArray[np.unsignedinteger]  # (n_columns, n_rows)
    """The number of each cell."""
    n_codes: tuple[int, ...]
    """How many different cells each column has."""
    counts: Ints  # (n_rows, n_counts)
    """The records of each row, and those of them with each mark."""

    def alike(self, sets: Sequence[tuple[int, ...]]) -> Iterator[tuple[int, Ints, Ints]]:
        """Count the records of each group on each of some sets of columns, and the groups with the same counts.

        Args:
            sets: The columns of each by their numbers.

        Yields:
            The place of a set, in their order, and what `count_alike` says of the counts of its groups.

        Claim: every record is in one row, and a row in one group of each set.
        """
        sharing = [(first, list(places)) for first, places in groupby(range(len(sets)), key=lambda at: sets[at][:-1])]
        n_threads = min(os.cpu_count() or 1, _MOST_THREADS)

        def count(first: tuple[int, ...], places: list[int]) -> list[tuple[int, Ints, Ints]]:
            return [(at, *count_alike(counts)) for at, counts in self._groups(first, places, sets)]

        with ThreadPoolExecutor(n_threads) as threads:
            waiting: deque[Future[list[tuple[int, Ints, Ints]]]] = deque()
            for first, places in sharing:
                waiting.append(threads.submit(count, first, places))
                # A few ahead, so that the threads are busy and what they count is not kept.
                if len(waiting) > 2 * n_threads:
                    yield from waiting.popleft().result()
            while waiting:
                yield from waiting.popleft().result()

    def _groups(
        self, first: tuple[int, ...], places: list[int], sets: Sequence[tuple[int, ...]]
    ) -> Iterator[tuple[int, Ints]]:
        """Count the groups on sets that have all columns but the last in common.

        Args:
            first: These columns.
            places: The places of the sets.
            sets: All sets.

        Yields:
            The place of a set, and (n_groups, n_counts) the counts of its groups.
        """
        key, n_keys = self._keys(first)
        while places:
            n_cells, n_together = n_keys * self.n_codes[sets[places[0]][-1]], 1
            for at in places[1:]:
                if n_cells * self.n_codes[sets[at][-1]] > min(_MOST_TOGETHER, len(key) // 4):
                    break
                n_cells, n_together = n_cells * self.n_codes[sets[at][-1]], n_together + 1
            together, places = places[:n_together], places[n_together:]
            yield from zip(together, self._count(key, n_keys, [sets[at][-1] for at in together]), strict=True)

    def _keys(self, columns: Sequence[int]) -> tuple[Ints, int]:
        """A number for what each row has on some columns, and how many numbers there may be."""
        key, n_keys = np.zeros(self.codes.shape[1], np.int64), 1
        for c in columns:
            if n_keys * self.n_codes[c] > _MOST_CELLS + 2 * len(key):
                n_keys, key = _numbered(key)
            key, n_keys = key * self.n_codes[c] + self.codes[c], n_keys * self.n_codes[c]
        return key, n_keys

    def _count(self, key: Ints, n_keys: int, last: Sequence[int]) -> Iterator[Ints]:
        """Count the groups of a key and one more column, for each of some columns."""
        from maskwise.verify.subset_kernels import count_cells  # noqa: PLC0415 - compiled code is slow to load

        sizes = [self.n_codes[c] for c in last]
        n_cells, columns, counted = n_keys * int(np.prod(sizes)), self.codes, list(last)
        if n_cells > _MOST_CELLS + 2 * len(key):
            # One column: several are counted together only where there are few cells.
            n_cells, key = _numbered(key * sizes[0] + columns[last[0]])
            n_keys, sizes, counted = n_cells, [1], []
        cells = np.zeros((n_cells, self.counts.shape[1]), np.int64)
        count_cells(key, columns, np.array(counted, np.int64), np.array(sizes, np.int64), self.counts, cells)
        by_column = cells.reshape(n_keys, *sizes, cells.shape[1])
        for c in range(len(sizes)):
            others = tuple(1 + other for other in range(len(sizes)) if other != c)
            found = by_column.sum(axis=others).reshape(-1, cells.shape[1])
            yield found[found[:, 0] > 0]


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
    """Fetch the distinct rows of some columns, every cell as a number, with the records that have each mark.

    Args:
        engine: Where they are.
        records: A table of the engine; a row may stand for many records.
        columns: Its columns that are counted by.
        marks: Its columns of ones and zeros, whose records are added up.
    """
    lookups = {}
    for column in columns:
        cells = engine.group(records, [records[column]]).column(0).combine_chunks()
        keys = cells.drop_null()
        codes = from_numpy(np.arange(len(keys), dtype=np.int32))
        lookups[column] = Lookup(keys, codes, len(keys) if cells.null_count else None)
    sizes = [len(how.keys) + (how.missing is not None) for how in lookups.values()]
    dtype = narrowest(max(sizes))
    parts: list[NDArray[np.unsignedinteger]] = []
    counts: list[Ints] = []
    beside = list(records_of_row(records))
    sums = [*beside, *marks]
    weighed = records.mutate(**{mark: marked_of_row(records, records[mark]) for mark in marks}) if beside else records
    # Where rows stand for many records, these are added up, and the rows themselves are not asked for.
    first = len(columns) + len(beside)
    with engine.scratch():
        coded = engine.recode(weighed, lookups, sums, materialize=False)
        with engine.count_rows(coded, columns, sums) as batches:
            for batch in batches:
                if any(column.null_count for column in batch.columns):
                    msg = "The table changed while it was recounted. Try again."
                    raise InputError(msg)
                found = [as_numpy(column) for column in batch.columns]
                parts.append(np.array(found[: len(columns)]).astype(dtype))
                counts.append(np.stack(found[first:], axis=1).astype(np.int64))
    codes = np.concatenate(parts, axis=1) if parts else np.zeros((len(columns), 0), dtype)
    n_counts = 1 + len(marks)
    return RecountRows(codes, tuple(sizes), np.concatenate(counts) if counts else np.zeros((0, n_counts), np.int64))
