"""Arguments of a bare kernel as machine words: what numba hands over for arrays, numbers and tuples of these.

An array is seven words or more: who owns it (twice nobody), how many cells, how long each is, where they are, its
shape, and its strides in bytes. A tuple is what is in it, a number itself.
"""

from __future__ import annotations

import weakref
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterator

_KINDS = frozenset(np.dtype(letter).str for letter in "?bBhHiIlLqQfd")
"""The types of cells that are known: numbers in this machine's order."""
_ARRAYS = (np.ndarray, np.memmap)
_WHOLE = (int, np.integer, np.bool_)
_C, _FORTRAN = 0x1, 0x2
_LAYOUT = _C | _FORTRAN | 0x100 | 0x400
"""Of an array's flags those that code goes by: contiguous in C's or in Fortran's order, aligned, writeable."""
_MOST = 2**63
_UNKNOWN = "unknown"
"""A type for which there is no bare code."""


def flatten(arguments: tuple[Any, ...]) -> tuple[tuple[Any, ...], list[Any]]:
    """The types of the arguments of a call, and their words.

    Two calls with equal types run the same code.

    Examples:
        >>> types, words = flatten((np.zeros((2, 3)), 5))
        >>> types, words[2:4], words[5:]
        (('<f8', 2, 1281, 'i8'), [6, 8], [2, 3, 24, 8, 5])
    """
    types: list[Any] = []
    words: list[Any] = []
    _flatten(arguments, types, words)
    return tuple(types), words


def _flatten(arguments: tuple[Any, ...], types: list[Any], words: list[Any]) -> None:
    for one in arguments:
        kind = type(one)
        if kind in _ARRAYS and (cells := one.dtype.str) in _KINDS:
            layout = one.flags.num & _LAYOUT
            # One column is in both orders.
            types += (cells, one.ndim, layout & ~_FORTRAN if layout & _C else layout)
            words += (0, 0, one.size, one.itemsize, one.__array_interface__["data"][0], *one.shape, *one.strides)
        elif isinstance(one, tuple):
            known = _SEEN.get(id(one))
            if known is None or not known.is_of(one):
                known = _flatten_tuple(one)
            types += known.types
            words += known.words
        elif isinstance(one, _WHOLE) and -_MOST <= (number := int(one)) < _MOST:
            types.append("i8")
            words.append(number)
        elif isinstance(one, float):
            types.append("f8")
            words.append(float(one))
        else:
            types += (_UNKNOWN, kind)


class _FlatTuple(NamedTuple):
    """The words of a tuple of arrays that was seen before: a search calls its kernels with the same ones again."""

    kind: type
    types: list[Any]
    words: list[Any]
    leaves: list[weakref.ref[Any]]

    def is_of(self, one: tuple[Any, ...]) -> bool:
        """Whether a tuple has this class and these arrays; their own form does not change."""
        if type(one) is not self.kind:
            return False
        leaves = list(_leaves(one))
        return len(leaves) == len(self.leaves) and all(map(_refers, self.leaves, leaves))


_SEEN: dict[int, _FlatTuple] = {}
_MOST_SEEN = 256


def _flatten_tuple(one: tuple[Any, ...]) -> _FlatTuple:
    types: list[Any] = [type(one), len(one)]
    words: list[Any] = []
    _flatten(one, types, words)
    leaves = list(_leaves(one))
    if not all(isinstance(leaf, np.ndarray) for leaf in leaves):
        return _FlatTuple(type(one), types, words, [])
    found = _FlatTuple(type(one), types, words, [weakref.ref(leaf) for leaf in leaves])
    if len(_SEEN) >= _MOST_SEEN:
        _SEEN.clear()
    # No array is kept in memory by it.
    _SEEN[id(one)] = found
    return found


def _leaves(one: tuple[Any, ...]) -> Iterator[Any]:
    for item in one:
        if isinstance(item, tuple):
            yield from _leaves(item)
        else:
            yield item


def _refers(reference: weakref.ref[Any], leaf: Any) -> bool:
    # A reference to an array that is gone gives None, which may stand in another tuple at the same address.
    return leaf is not None and reference() is leaf


def is_known(types: tuple[Any, ...]) -> bool:
    """Whether there can be bare code for types that `flatten` found."""
    return _UNKNOWN not in types


def is_whole(types: tuple[Any, ...]) -> list[bool]:
    """For each word that `flatten` makes of such types, whether it is a whole number or an address."""
    found: list[bool] = []
    at = 0
    while at < len(types):
        if types[at] in _KINDS:
            found += [True] * (5 + 2 * types[at + 1])
            at += 3
        elif isinstance(types[at], type):
            at += 2
        else:
            found.append(types[at] == "i8")
            at += 1
    return found


def spelled(types: tuple[Any, ...]) -> str:
    """The same in words: tuples by the names of their classes and fields."""
    return " ".join(
        f"{one.__module__}.{one.__qualname__}{getattr(one, '_fields', ())}" if isinstance(one, type) else str(one)
        for one in types
    )


def as_numbers(arguments: tuple[Any, ...]) -> tuple[Any, ...]:
    """The arguments with the numbers of the types that their words have."""
    return tuple(_as_number(one) for one in arguments)


def _as_number(one: Any) -> Any:
    if isinstance(one, tuple):
        values = [_as_number(value) for value in one]
        return type(one)(*values) if hasattr(one, "_fields") else tuple(values)
    if isinstance(one, np.ndarray):
        return one
    return float(one) if isinstance(one, float) else int(one)


def words_of(arguments: tuple[Any, ...]) -> list[str]:
    """How LLVM names the types of the words."""
    found: list[str] = []
    for one in arguments:
        if isinstance(one, tuple):
            found += words_of(one)
        elif isinstance(one, np.ndarray):
            found += ["ptr", "ptr", "i64", "i64", "ptr", *["i64"] * (2 * one.ndim)]
        else:
            found.append("double" if isinstance(one, float) else "i64")
    return found
