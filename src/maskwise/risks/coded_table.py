"""The cells of some columns as small numbers in this process, to count groups on very many sets of columns.

Two hundred quasi-identifiers, each with one more column, are thousands of sets, and so are a thousand columns beside
one: each GROUP BY takes milliseconds to plan, and longer to run than to count small numbers. `hashed_table` counts
fewer sets, and wherever records do not leave their database. Both offer the same.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa

from maskwise.engines.base import RECORDS
from maskwise.engines.cell_hashes import GuessCounts
from maskwise.engines.coded_columns import one_array
from maskwise.engines.distinct_rows import is_told_apart, records_of_row
from maskwise.risks.group_sizes import GroupSizes
from maskwise.risks.hashed_table import hashed, number_columns
from maskwise.values.arrow import as_numpy, narrowest
from maskwise.verify.coded_records import RecountRows
from maskwise.verify.subset_kernels import count_cells

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping, Sequence

    import ibis.expr.types as ir
    from numpy.typing import NDArray

    from maskwise.table.table import Table

    Ints = NDArray[np.int64]
    Codes = NDArray[np.unsignedinteger]
    Names = frozenset[str]

_MOST_CELLS = 1 << 27
"""So many cells are here at a time, each for a while a number of 32 bits."""
_FEW = 3
"""A set of so many columns is counted by these; of a larger one those of a quasi-identifier are one number first."""
_MOST_PLACES = 1 << 16
"""So many combinations of cells, and twice as many as there are rows, have places of their own; more are sorted."""


@dataclass(frozen=True, slots=True)
class _CodedColumns:
    """Some columns of all rows."""

    columns: Mapping[str, Codes]
    """For each row the number of its cell."""
    n_codes: Mapping[str, int]
    """How many different cells each column has."""
    counts: Ints  # (n_rows, 1)
    """The records that a row stands for."""

    def number(self, names: Collection[str]) -> tuple[Codes, int]:
        """Number the groups on some columns; give the number of each row, and how many there are.

        Each cell has a random word of 64 bits, and rows with the same exclusive or of these are taken for a group, as
        in `cell_hashes`.
        """
        key = np.zeros(len(self.counts), np.uint64)
        for name in sorted(names):
            # Of each column its own: equal columns must not cancel out.
            words = np.random.default_rng(list(name.encode())).integers(0, 1 << 64, self.n_codes[name], np.uint64)
            key ^= words[self.columns[name]]
        different, place = np.unique(key, return_inverse=True)
        return place.astype(narrowest(len(different))), len(different)

    def sizes(self, names: Collection[str]) -> GroupSizes:
        """The group sizes on some columns, of whatever number."""
        place, n_groups = self.number(names)
        return GroupSizes.of_counts(np.bincount(place, self.counts[:, 0], n_groups).astype(np.int64))

    def sizes_beside(self, qid: Names, sets: Sequence[Sequence[str]]) -> Iterator[tuple[Names, GroupSizes]]:
        """The group sizes on a quasi-identifier together with each of some sets of a few columns.

        Args:
            qid: The quasi-identifier, which is counted as one column; if it is empty, the sets are counted alone.
            sets: The columns of each set.
        """
        names = list(dict.fromkeys(name for one in sets for name in one))
        columns, n_codes = [self.columns[name] for name in names], [self.n_codes[name] for name in names]
        if qid:
            place, n_groups = self.number(qid)
            columns, n_codes = [place, *columns], [n_groups, *n_codes]
        at = {name: i for i, name in enumerate(names, start=bool(qid))}
        own = (0,) if qid else ()
        rows = RecountRows(columns, tuple(n_codes), self.counts)
        for i, sizes, n_alike in rows.alike([(*own, *(at[name] for name in one)) for one in sets]):
            yield qid.union(sets[i]), GroupSizes(sizes[:, 0], n_alike)

    def guesses(self, qid: Collection[str], column: str) -> GuessCounts:
        """How well a column can be guessed in the groups on others."""
        if not len(self.counts):
            return GuessCounts(0, 0, 0, 0.0, 0.0)
        group, n = self._pairs(qid, column)
        starts = np.flatnonzero(np.diff(group, prepend=-1))
        total, most = np.add.reduceat(n, starts), np.maximum.reduceat(n, starts)
        entropy = np.log(total) - np.add.reduceat(n * np.log(n), starts) / total
        n_values = np.diff(starts, append=len(n))
        return GuessCounts(
            int(total.sum()),
            int(most.sum()),
            int(n_values.min()),
            float(entropy.min()),
            float((most / total).max()),
        )

    def _pairs(self, qid: Collection[str], column: str) -> tuple[Ints, Ints]:
        """For each group on others, in their order, and each cell of a column in it: the group, and the records."""
        names, n_cells = [*sorted(qid), column], self.n_codes[column]
        sizes = [self.n_codes[name] for name in names]
        if math.prod(sizes) > _MOST_PLACES + 2 * len(self.counts):
            place, _ = self.number(qid)
            pairs, of_row = np.unique(place.astype(np.int64) * n_cells + self.columns[column], return_inverse=True)
            return pairs // n_cells, np.bincount(of_row, self.counts[:, 0]).astype(np.int64)
        kind = np.result_type(np.uint16, *(self.columns[name] for name in names))
        counted = np.zeros((math.prod(sizes), 1), np.int64)
        rows = np.array([self.columns[name].astype(kind, copy=False) for name in names])
        count_cells(rows, np.array(sizes, np.int64), self.counts, counted)
        found = np.flatnonzero(counted[:, 0])
        return found // n_cells, counted[found, 0]


class CodedTable:
    """A table, of which some columns at a time are fetched as small numbers and counted."""

    def __init__(self, table: Table, qids: Sequence[Sequence[str]], guessed: Sequence[str]) -> None:
        """Look at no record yet.

        Args:
            table: The table; its records may be in this process.
            qids: The quasi-identifiers, which many sets contain.
            guessed: The columns that are guessed from them.
        """
        self._table = table
        self._qids = [frozenset(qid) for qid in qids]
        self._base = frozenset(guessed).union(*self._qids)
        self._n_rows = int(table.engine.fetch(table.expr.aggregate(n=table.expr.count())).column(0)[0].as_py())
        self._coded: _CodedColumns | None = None

    @property
    def fits(self) -> bool:
        """Whether the columns of the quasi-identifiers may be in this process together."""
        return self._n_rows * 2 * len(self._base) <= _MOST_CELLS

    def sizes(self, sets: Collection[Names]) -> dict[Names, GroupSizes]:
        """The group sizes on each of some sets of columns."""
        others = sorted(frozenset().union(*sets) - self._base)
        n_together = max(_MOST_CELLS // max(self._n_rows, 1) - len(self._base), 1)
        found: dict[Names, GroupSizes] = {}
        left = list(dict.fromkeys(sets))
        for start in range(0, max(len(others), 1), n_together):
            names = self._base.union(others[start : start + n_together])
            coded = self._fetch(names)
            found |= _count(coded, [one for one in left if one <= names], self._qids)
            wider = [one for one in left if one > names]
            if wider and (sizes := coded.sizes(names)).n_unique == sizes.n_records:
                # Nobody shares these columns with another, so nobody shares more of them.
                found |= dict.fromkeys(wider, sizes)
            left = [one for one in left if one not in found]
        # Too many columns to be here at a time, and some records are alike on those that were.
        return found | {one: _count_in_engine(self._table, one) for one in left}

    def guesses(self, qid: Collection[str], column: str) -> GuessCounts:
        """How well a column can be guessed in the groups on a QID."""
        return self._own().guesses(qid, column)

    def most_frequent(self, column: str) -> int:
        """The records with the most frequent value of a column."""
        return int(self._own().sizes([column]).sizes.max(initial=0))

    def _own(self) -> _CodedColumns:
        if self._coded is None:
            self._fetch(self._base)
        assert self._coded is not None  # noqa: S101 - it was fetched
        return self._coded

    def _fetch(self, names: Names) -> _CodedColumns:
        """Fetch some columns, those of the quasi-identifiers among them, and keep the latter."""
        table = replace(self._table, forms=())
        ordered = sorted(names)
        cells = {f"h{i}": _as_input(table.column(name)) for i, name in enumerate(ordered)}
        chosen = table.expr.select(**cells, **records_of_row(table.expr))
        encoded: list[list[pa.Array]] = [[] for _ in ordered]
        counts: list[Ints] = [np.zeros(0, np.int64)]
        with table.engine.dialect.stream(str(table.engine.dialect.backend.compile(chosen))) as batches:
            for batch in batches:
                for parts, column in zip(encoded, batch.columns, strict=False):
                    parts.append(column.dictionary_encode(null_encoding="encode"))
                own = batch.column(RECORDS) if RECORDS in batch.schema.names else None
                counts.append(np.ones(batch.num_rows, np.int64) if own is None else as_numpy(own).astype(np.int64))
        columns, n_codes = {}, {}
        for name, parts in zip(ordered, encoded, strict=True):
            columns[name], n_codes[name] = _as_codes(parts)
            parts.clear()
        found = _CodedColumns(columns, n_codes, np.concatenate(counts)[:, np.newaxis])
        if self._coded is None:
            own_columns = {name: columns[name] for name in self._base}
            self._coded = _CodedColumns(own_columns, {name: n_codes[name] for name in self._base}, found.counts)
        return found


def _as_input(cell: ir.Value) -> ir.Value:
    """What is told apart of a cell: its text."""
    return cell if is_told_apart(cell.type()) else cell.cast("string")


def _as_codes(parts: list[pa.Array]) -> tuple[Codes, int]:
    """The numbers of a column's cells, and how many there are; a missing cell is one of them."""
    if not parts:
        return np.zeros(0, np.uint8), 1
    whole = one_array(pa.chunked_array(parts))
    n_codes = len(whole.dictionary)
    return as_numpy(whole.indices).astype(narrowest(n_codes)), n_codes


def _count(coded: _CodedColumns, sets: Sequence[Names], qids: Sequence[Names]) -> dict[Names, GroupSizes]:
    """Count sets of columns, together those that are counted beside the same quasi-identifier."""
    beside: dict[Names, list[list[str]]] = {}
    found = {}
    for one in sets:
        within = max((qid for qid in qids if qid <= one), key=len, default=frozenset())
        if 0 < len(one) <= _FEW:
            beside.setdefault(frozenset(), []).append(sorted(one))
        elif within and 0 < len(one - within) < _FEW:
            beside.setdefault(within, []).append(sorted(one - within))
        else:
            found[one] = coded.sizes(one)
    for qid, columns in beside.items():
        found |= dict(coded.sizes_beside(qid, columns))
    return found


def _count_in_engine(table: Table, names: Names) -> GroupSizes:
    """Count one set of columns in the engine, without a table of their hashes."""
    with hashed(table, number_columns(sorted(names)), [], None, is_kept=False) as records:
        return records.sizes([names])[names]
