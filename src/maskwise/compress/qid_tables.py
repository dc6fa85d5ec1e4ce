"""The compressed tables of many QIDs that are subsets of the same attributes.

An attacker who knows any two of sixty columns stands for 1,770 QIDs. Their
records are counted once, on all columns together; the rows of one QID are made
of those rows when somebody asks for them, and are not kept.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, overload

import numpy as np

from maskwise.compress.compressed_table import Compact
from maskwise.compress.request import TableRequest

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    Ints = NDArray[np.int64]

_MOST_KEYS = 2**62
"""More different keys than this do not fit a 64-bit number."""
_MOST_MARKS = 1 << 16
"""So many keys, and twice as many as there are rows, are counted in their places; more of them are sorted."""


def counted_as(request: TableRequest) -> TableRequest:
    """What is counted by the engine to answer a request: the QID itself, or all attributes of its wide table.

    >>> counted_as(TableRequest((1, 3), wide=(0, 1, 3))).attributes
    (0, 1, 3)
    """
    return TableRequest(request.wide, request.sensitive) if request.wide else request


class QidTables(Sequence[Compact]):
    """The tables of all QIDs, some of which are made when they are asked for.

    Claim: a table that is made of a wide one is the one that would have been
    counted. Every record is in one row of the wide table, and that row's codes on
    the QID are the record's.
    """

    def __init__(
        self, requests: Sequence[TableRequest], counted: Mapping[TableRequest, Compact], n_codes: Sequence[int]
    ) -> None:
        """Keep what was counted.

        Args:
            requests: The tables.
            counted: What was counted, by what `counted_as` says.
            n_codes: The codes of each masked attribute.
        """
        self._requests, self._counted, self._codes_of = requests, counted, n_codes

    def __len__(self) -> int:
        return len(self._requests)

    @overload
    def __getitem__(self, at: int) -> Compact: ...

    @overload
    def __getitem__(self, at: slice) -> QidTables: ...

    def __getitem__(self, at: int | slice) -> Compact | QidTables:
        if isinstance(at, slice):
            return QidTables(self._requests[at], self._counted, self._codes_of)
        request = self._requests[at]
        counted = self._counted[counted_as(request)]
        return counted if not request.wide else project(counted, request.attributes, self._codes_of)

    @property
    def counted(self) -> tuple[Compact, ...]:
        """What was counted by the engine."""
        return tuple(self._counted.values())

    @property
    def n_codes(self) -> int:
        """At most so many codes the tables have together, without making them."""
        return sum(len(request.attributes) * self._n_rows(request) for request in self._requests)

    def _n_rows(self, request: TableRequest) -> int:
        n_rows, n_keys = len(self._counted[counted_as(request)].codes), 1
        for a in request.attributes:
            n_keys *= self._codes_of[a]
        return min(n_rows, n_keys)

    def attributes_of(self, at: int) -> tuple[int, ...]:
        """The attributes of the table at a place, which is not made for that."""
        return self._requests[at].attributes

    def wide(self, at: int) -> Compact | None:
        """The wide table that the table at a place is made of; None if it was counted by itself."""
        request = self._requests[at]
        return self._counted[counted_as(request)] if request.wide else None


def project(wide: Compact, attributes: Sequence[int], n_codes: Sequence[int]) -> Compact:
    """Count the distinct rows of some attributes of a table.

    Args:
        wide: The table, which counts records.
        attributes: Some of its attributes, ascending.
        n_codes: The codes of each masked attribute.

    >>> rows = np.array([[0, 1, 0], [0, 0, 0], [0, 1, 1]], np.uint8)
    >>> pairs = project(Compact((0, 1, 2), rows, np.array([[2], [3], [4]])), (0, 1), [1, 2, 2])
    >>> pairs.codes.tolist(), pairs.counts.tolist()
    ([[0, 0], [0, 1]], [[3], [6]])
    """
    columns = [wide.attributes.index(a) for a in attributes]
    key, n_keys = np.zeros(len(wide.codes), np.int64), 1
    for a, p in zip(attributes, columns, strict=True):
        if n_keys * n_codes[a] >= _MOST_KEYS:
            n_keys, key = _numbered(key)
        key, n_keys = key * n_codes[a] + wide.codes[:, p], n_keys * n_codes[a]
    if n_keys > _MOST_MARKS + 2 * len(key):
        n_keys, key = _numbered(key)
    some_row = np.full(n_keys, -1, np.int64)
    some_row[key] = np.arange(len(key))
    there = some_row >= 0
    codes = wide.codes[some_row[there]][:, columns]
    # Sums of whole numbers are exact as floats up to 2**53, far more than records.
    sums = [np.bincount(key, wide.counts[:, c], n_keys)[there] for c in range(wide.counts.shape[1])]
    counts = np.ascontiguousarray(np.stack(sums, axis=1)).astype(np.int64)
    return Compact(tuple(attributes), np.ascontiguousarray(codes), counts, wide.workspace)


def _numbered(key: Ints) -> tuple[int, Ints]:
    """How many different keys there are, and the place of each among them."""
    different, place = np.unique(key, return_inverse=True)
    return len(different), place
