"""Number the different rows of columns of small numbers."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterable

    from numpy.typing import NDArray

    Ints = NDArray[np.int64]

_MOST_KEYS = 2**62
"""More different keys than this do not fit a 64-bit number."""
_MOST_MARKS = 1_000_000
"""So many keys, and twice as many as there are rows, may be marked; more of them are sorted."""


def number_keys(keys: Ints, n_keys: int) -> tuple[Ints, Ints]:
    """The different keys in their order, and for each key its place among them.

    Args:
        keys: Numbers from 0.
        n_keys: One past the largest that there may be.
    """
    if n_keys > _MOST_MARKS + 2 * len(keys):
        return np.unique(keys, return_inverse=True)
    # A mark for each possible key: at a million rows ten times as fast as sorting them.
    is_there = np.zeros(n_keys, np.bool_)
    is_there[keys] = True
    return np.flatnonzero(is_there), (np.cumsum(is_there) - 1)[keys]


def number_rows(columns: Iterable[NDArray[np.integer]], n_rows: int) -> Ints:
    """A number for each row of some columns; equal rows have the same, and numbers begin at 0.

    >>> number_rows([np.array([3, 1, 3]), np.array([0, 2, 0])], 3)
    array([1, 0, 1])

    Args:
        columns: Small numbers, each column with one for each row.
        n_rows: How many rows there are.
    """
    key = number_few_rows(columns, n_rows, n_rows)
    assert key is not None  # noqa: S101 - there are no more different rows than rows
    return key


def number_few_rows(columns: Iterable[NDArray[np.integer]], n_rows: int, most: int) -> Ints | None:
    """The numbers of `number_rows`; None if more rows than `most` differ, as soon as that is seen."""
    key, n_keys = np.zeros(n_rows, np.int64), 1
    for column in columns:
        n_values = int(column.max(initial=0)) + 1
        # While they can be marked, so that they need not be sorted later.
        if n_keys * n_values >= _MOST_KEYS or n_keys <= _MOST_MARKS + 2 * n_rows < n_keys * n_values:
            different, key = number_keys(key, n_keys)
            n_keys = len(different)
            if n_keys > most:
                return None
        if n_values > 1:
            key, n_keys = key * n_values + column, n_keys * n_values
    different, key = number_keys(key, n_keys)
    return key if len(different) <= most else None
