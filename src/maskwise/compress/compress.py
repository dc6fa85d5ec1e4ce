"""From records to distinct coded rows, one small table per QID.

The anonymity of a QID depends on its own attributes only, so each distinct QID
is compressed by itself: every attribute is recoded to its finest reachable
value (`forest`) and equal rows are counted. This is the last look the search
has at the records, and it happens inside the engine.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from maskwise.compress.compressed_table import Compact, Need
from maskwise.compress.recode import recode
from maskwise.compress.spill import Room
from maskwise.engines.base import Lookup
from maskwise.errors import InputError
from maskwise.values.arrow import as_numpy, from_numpy
from maskwise.values.scales import Scale

if TYPE_CHECKING:
    from collections.abc import Sequence

    import pyarrow as pa
    from numpy.typing import NDArray

    from maskwise.compress.recode import Coded
    from maskwise.profile.columns import Column, Profile
    from maskwise.search.value_trees import Tree
    from maskwise.table.table import Table


def compress(
    table: Table, profile: Profile, trees: Sequence[Tree], needs: Sequence[Need], room: Room | None = None
) -> list[Compact]:
    """Count the distinct coded rows of each QID.

    Args:
        table: The records.
        profile: Their distinct values.
        trees: The code of each value.
        needs: What is to be counted, one for each distinct QID.
        room: Where the rows are kept; None is memory without bound.

    Claim: compressing keeps counts. Every record has exactly one code per
    attribute, so the counts of a QID's rows add up to the table's.
    """
    used = sorted({a for need in needs for a in need.attributes})
    marks = list(dict.fromkeys(pair for need in needs for pair in need.sensitive))
    sensitive = [(name, profile.sensitive[name].keys_of(value)) for name, value in marks]
    lookups = {profile.columns[a].name: _lookup(profile.columns[a], trees[a]) for a in used}
    coded = recode(table, lookups, sensitive, keep=len(needs) > 1)
    room = room or Room()
    return [_count(coded, profile, trees, need, [marks.index(pair) for pair in need.sensitive], room) for need in needs]


def compress_classes(
    table: Table,
    profile: Profile,
    trees: Sequence[Tree],
    classes: Sequence[tuple[str, pa.Array | None]],
    bins: tuple[pa.Array, pa.Array] | None = None,
    room: Room | None = None,
) -> tuple[Compact, NDArray[np.int64] | None]:
    """Count the distinct coded rows of all masked attributes together, by class.

    Args:
        table: The records.
        profile: Their distinct values.
        trees: The code of each value.
        classes: The class column and the cells of each class; None are the missing ones.
        bins: What is known beforehand: numbers of records, and the bin of each.
        room: As in `compress`.

    Returns:
        The rows, whose counters are the classes, and the bin of each.
    """
    names = [column.name for column in profile.columns]
    lookups = {column.name: _lookup(column, tree) for column, tree in zip(profile.columns, trees, strict=True)}
    coded = recode(table, lookups, classes, keep=False, by_row=bins)
    room = room or Room()
    n_names, n_keys = len(names), len(names) + (bins is not None)
    rows = room.rows(n_names, _narrowest(max(tree.n_codes for tree in trees)))
    counts, of_row = room.rows(len(classes), np.int64), room.rows(1, np.int64)
    with coded.count(names, range(len(classes)), by_row=bins is not None) as batches:
        for batch in batches:
            columns = [as_numpy(column) for column in batch.columns]
            rows.add(columns[:n_names])
            counts.add(columns[n_keys + 1 :])
            of_row.add(columns[n_names:n_keys] or columns[:1])
    compact = Compact(tuple(range(n_names)), rows.finish(), counts.finish(), room)
    return compact, of_row.finish()[:, 0] if bins is not None else None


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


def _count(
    coded: Coded, profile: Profile, trees: Sequence[Tree], need: Need, marks: Sequence[int], room: Room
) -> Compact:
    qid = need.attributes
    told = list(dict.fromkeys(marks))
    rows = room.rows(len(qid), _narrowest(max(trees[a].n_codes for a in qid)))
    counts = room.rows(1 + len(marks), np.int64)
    n_null = 0
    with coded.count([profile.columns[a].name for a in qid], told) as batches:
        # Batch by batch into its place: the rows are never held twice.
        for batch in batches:
            n_null += sum(column.null_count for column in batch.columns)
            if not n_null:
                columns = [as_numpy(column) for column in batch.columns]
                rows.add(columns[: len(qid)])
                counts.add([columns[len(qid) + at] for at in (0, *(1 + told.index(mark) for mark in marks))])
    compact = Compact(qid, rows.finish(), counts.finish(), room)
    totals = compact.counts.sum(axis=0)
    if int(totals[0]) != profile.n_rows or n_null:
        msg = f"The table changed while it was read: {profile.n_rows:,} records before, {totals[0]:,} now. Try again."
        raise InputError(msg)
    for c, (name, value) in enumerate(need.sensitive, start=1):
        if int(totals[c]) != profile.sensitive[name].n_records(value):
            msg = f"A protected value of `{name}` was not found again when the table was compressed. Make it text."
            raise InputError(msg)
    return compact


def _narrowest(n_codes: int) -> type[np.unsignedinteger]:
    for dtype in (np.uint8, np.uint16):
        if n_codes <= np.iinfo(dtype).max + 1:
            return dtype
    return np.uint32
