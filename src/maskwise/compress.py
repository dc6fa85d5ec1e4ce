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
from maskwise.errors import InputError
from maskwise.typed import Scale

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from maskwise.forest import Tree
    from maskwise.profile import Profile
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
    return [_compress(table, profile, trees, need) for need in needs]


def _compress(table: Table, profile: Profile, trees: Sequence[Tree], need: Need) -> Compact:
    qid = need.attributes
    lookups = {}
    for a in qid:
        column, tree = profile.columns[a], trees[a]
        keys, codes = column.keys, tree.code_of_value[column.value_of_key]
        if column.scale is Scale.INTEGER and column.numbers.dtype == np.int64:
            # Whole numbers are joined as such, also from a csv's texts: at a million rows twice as fast.
            keys, codes = from_numpy(column.numbers), tree.code_of_value[:-1]
        missing = int(tree.code_of_value[-1]) if column.missing.any() else None
        lookups[column.name] = (keys, from_numpy(codes.astype(_narrowest(tree.n_codes))), missing)
    sensitive = [(name, profile.sensitive[name].keys_of(value)) for name, value in need.sensitive]
    counted = table.count_codes(lookups, sensitive)
    n_counted = int(as_numpy(counted.column(len(qid))).sum())
    if n_counted != profile.n_rows or any(column.null_count for column in counted.columns):
        msg = f"The table changed while it was read: {profile.n_rows:,} records before, {n_counted:,} now. Try again."
        raise InputError(msg)
    rows = np.empty((counted.num_rows, len(qid)), _narrowest(max(trees[a].n_codes for a in qid)))
    for p in range(len(qid)):
        rows[:, p] = as_numpy(counted.column(p))
    counts = np.empty((counted.num_rows, 1 + len(sensitive)), np.int64)
    for c in range(counts.shape[1]):
        counts[:, c] = as_numpy(counted.column(len(qid) + c))
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
