"""From records to distinct coded rows, one small table per QID.

The anonymity of a QID depends on its own attributes only, so each distinct QID
is compressed by itself: every attribute is recoded to its finest reachable
value (`forest`) and equal rows are counted. This is the last look the search
has at the records, and it happens inside the engine.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from maskwise.arrow import as_numpy, from_numpy
from maskwise.coding import recode
from maskwise.engines import Lookup
from maskwise.errors import InputError
from maskwise.typed import Scale

if TYPE_CHECKING:
    from collections.abc import Sequence

    import pyarrow as pa
    from numpy.typing import NDArray

    from maskwise.coding import Coded
    from maskwise.forest import Tree
    from maskwise.profile import Column, Profile
    from maskwise.read import Table


@dataclass(frozen=True, slots=True)
class Need:
    """What the search wants to know of one QID."""

    attributes: tuple[int, ...]
    """The QID's attributes by their number in the policy, ascending."""
    sensitive: tuple[tuple[str, str | None], ...] = ()
    """Column and value of each sensitive value whose records are counted."""


@dataclass(frozen=True, slots=True)
class Compact:
    """The distinct coded rows of one QID."""

    attributes: tuple[int, ...]
    """The QID's attributes by their number in the policy, ascending."""
    codes: NDArray[np.unsignedinteger]  # (n_rows, n_attributes)
    """Finest reachable value of each row on each attribute."""
    counts: NDArray[np.int64]  # (n_rows, 1 + n_sensitive)
    """Records behind each row, then those of them with each protected sensitive value."""


def compress(table: Table, profile: Profile, trees: Sequence[Tree], needs: Sequence[Need]) -> list[Compact]:
    """Count the distinct coded rows of each QID.

    Args:
        table: The records.
        profile: Their distinct values.
        trees: The code of each value.
        needs: What is to be counted, one for each distinct QID.

    Claim: compressing keeps counts. Every record has exactly one code per
    attribute, so the counts of a QID's rows add up to the table's.
    """
    used = sorted({a for need in needs for a in need.attributes})
    marks = list(dict.fromkeys(pair for need in needs for pair in need.sensitive))
    sensitive = [(name, profile.sensitive[name].keys_of(value)) for name, value in marks]
    lookups = {profile.columns[a].name: _lookup(profile.columns[a], trees[a]) for a in used}
    coded = recode(table, lookups, sensitive, keep=len(needs) > 1)
    return [_count(coded, profile, trees, need, [marks.index(pair) for pair in need.sensitive]) for need in needs]


def compress_classes(
    table: Table,
    profile: Profile,
    trees: Sequence[Tree],
    classes: Sequence[tuple[str, pa.Array | None]],
    bins: tuple[pa.Array, pa.Array] | None = None,
) -> tuple[Compact, NDArray[np.int64] | None]:
    """Count the distinct coded rows of all masked attributes together, by class.

    Args:
        table: The records.
        profile: Their distinct values.
        trees: The code of each value.
        classes: The class column and the cells of each class; None are the missing ones.
        bins: What is known beforehand: numbers of records, and the bin of each.

    Returns:
        The rows, whose counters are the classes, and the bin of each.
    """
    names = [column.name for column in profile.columns]
    lookups = {column.name: _lookup(column, tree) for column, tree in zip(profile.columns, trees, strict=True)}
    coded = recode(table, lookups, classes, keep=False, by_row=bins)
    counted = coded.count(names, range(len(classes)), by_row=bins is not None)
    rows = np.empty((counted.num_rows, len(names)), _narrowest(max(tree.n_codes for tree in trees)))
    for p in range(len(names)):
        rows[:, p] = as_numpy(counted.column(p))
    first = counted.num_columns - len(classes)
    counts = np.stack([as_numpy(counted.column(first + c)) for c in range(len(classes))], axis=1)
    of_row = as_numpy(counted.column(len(names))).astype(np.int64) if bins is not None else None
    return Compact(tuple(range(len(names))), rows, np.ascontiguousarray(counts)), of_row


def _lookup(column: Column, tree: Tree) -> Lookup:
    missing = int(tree.code_of_value[-1]) if column.missing.any() else None
    if column.is_ranged:
        return _ranges(column, tree, missing)
    keys, codes = column.keys, tree.code_of_value[column.value_of_key]
    if column.scale is Scale.INTEGER and column.numbers.dtype == np.int64:
        # Whole numbers are joined as such, also from a csv's texts: at a million rows twice as fast.
        keys, codes = from_numpy(column.numbers), tree.code_of_value[:-1]
    # A value that is not told is one that may never be shown.
    other = 0 if column.n_rest else None
    return Lookup(keys, from_numpy(codes.astype(_narrowest(tree.n_codes))), missing, other)


def _ranges(column: Column, tree: Tree, missing: int | None) -> Lookup:
    """The finest reachable intervals: where each begins. Codes follow the order of numbers, from 0."""
    codes = tree.code_of_value[:-1]
    first = np.flatnonzero(np.diff(codes, prepend=-1))
    assert (codes[first] == np.arange(len(first))).all()  # noqa: S101 - trees are numbered in their order
    return Lookup(column.keys.take(from_numpy(first)), None, missing)


def _count(coded: Coded, profile: Profile, trees: Sequence[Tree], need: Need, marks: Sequence[int]) -> Compact:
    qid = need.attributes
    told = list(dict.fromkeys(marks))
    counted = coded.count([profile.columns[a].name for a in qid], told)
    n_counted = int(as_numpy(counted.column(len(qid))).sum())
    if n_counted != profile.n_rows or any(column.null_count for column in counted.columns):
        msg = f"The table changed while it was read: {profile.n_rows:,} records before, {n_counted:,} now. Try again."
        raise InputError(msg)
    rows = np.empty((counted.num_rows, len(qid)), _narrowest(max(trees[a].n_codes for a in qid)))
    for p in range(len(qid)):
        rows[:, p] = as_numpy(counted.column(p))
    counts = np.empty((counted.num_rows, 1 + len(marks)), np.int64)
    for c, at in enumerate([0, *(1 + told.index(mark) for mark in marks)]):
        counts[:, c] = as_numpy(counted.column(len(qid) + at))
    for c, (name, value) in enumerate(need.sensitive, start=1):
        if int(counts[:, c].sum()) != profile.sensitive[name].n_records(value):
            msg = f"A protected value of `{name}` was not found again when the table was compressed. Make it text."
            raise InputError(msg)
    return Compact(qid, rows, counts)


def _narrowest(n_codes: int) -> type[np.unsignedinteger]:
    for dtype in (np.uint8, np.uint16):
        if n_codes <= np.iinfo(dtype).max + 1:
            return dtype
    return np.uint32
