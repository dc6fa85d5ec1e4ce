"""What a good classifier knows of each row, and the unmasked columns do not.

Two models are fitted out of fold: one on the unmasked columns alone, one on all
columns. The difference of their chances is what masked columns could add to a
record. A region is worth what its records have in common there, so the search
is led by the chances of a good model instead of single classes, which are noise.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from maskwise.search.conditional.unmasked_columns import alike, code_column, out_of_fold
from maskwise.search.regions.region_arrays import SCALE
from maskwise.values.arrow import as_numpy

if TYPE_CHECKING:
    from collections.abc import Sequence

    import pyarrow as pa
    from numpy.typing import NDArray

    Bools = NDArray[np.bool_]
    Floats = NDArray[np.float64]
    Ints = NDArray[np.int64]

MOST_TAUGHT = 200_000
"""So many records are looked at, about; of more they are drawn."""


@dataclass(frozen=True, slots=True)
class Lesson:
    """What is known of the rows of all masked attributes."""

    codes: Ints  # (n_rows, n_attributes)
    """The distinct rows."""
    sums: Ints  # (n_rows, n_targets, 2)
    """For each row and class what its records could add, and how open the class is without; summed over the records,
    in whole numbers of 1 / SCALE. Two classes share one target."""
    records: TaughtRecords
    """The records that the choice among variants is made by."""


@dataclass(frozen=True, slots=True)
class TaughtRecords:
    """Single records, as the choice among variants sees them."""

    row: Ints  # (n_records,)
    """Which row of the lesson each is in."""
    taught: Ints  # (n_records, n_targets, 2)
    """What each could add, as in the lesson's sums."""
    classes: Ints  # (n_records,)
    """The number of its class."""
    unmasked: Floats  # (n_records, n_columns)
    """Its unmasked columns as small numbers."""
    is_category: Bools  # (n_columns,)
    """Whether the numbers of a column only name categories."""


def teach_rows(
    codes: Ints,
    columns: Sequence[pa.ChunkedArray],
    classes: pa.ChunkedArray | None,
    *,
    is_number: Sequence[bool],
    seed: int,
) -> Lesson | None:
    """Learn from all records, or from many of them; None without a class, or with only one.

    Args:
        codes: (n_records, n_attributes) the code of each record on each masked attribute.
        columns: The unmasked columns.
        classes: The class of each record.
        is_number: For each masked attribute whether its codes are ordered.
        seed: Makes the folds repeatable.
    """
    if classes is None or not len(codes):
        return None
    of_class = _number_classes(classes)
    coded = [one for one in map(code_column, columns) if one is not None]
    unmasked = np.column_stack([values for values, _ in coded]) if coded else np.zeros((len(codes), 0))
    # In an order of their own, so that the order of the records changes nothing.
    order = np.lexsort((of_class, *unmasked.T, *codes.T))
    order = order[_drawn(codes[order], unmasked[order], of_class[order])]
    is_category = np.array([named for _, named in coded], np.bool_)
    return teach(codes[order], unmasked[order], is_category, of_class[order], is_number=is_number, seed=seed)


def teach(
    codes: Ints, unmasked: Floats, is_category: Bools, classes: Ints, *, is_number: Sequence[bool], seed: int
) -> Lesson | None:
    """Fit both models and add up by row what the second one knows more; None if there is only one class.

    Args:
        codes: (n_records, n_attributes) the masked attributes; the records stand in the order of these rows, equal
            ones in that of the unmasked columns.
        unmasked: (n_records, n_columns) the unmasked columns as small numbers.
        is_category: (n_columns,) whether the numbers of a column only name categories.
        classes: (n_records,) the number of each record's class.
        is_number: For each masked attribute whether its codes are ordered.
        seed: Makes the folds repeatable.
    """
    if len(np.unique(classes)) < 2:  # noqa: PLR2004 - nothing to tell apart
        return None
    n_classes = int(classes.max()) + 1
    shares = np.bincount(classes, minlength=n_classes) / len(classes)
    without = np.repeat(shares[None], len(codes), axis=0)
    if len(is_category):
        by_columns = np.lexsort((classes, *unmasked.T))
        found = out_of_fold(unmasked[by_columns], is_category, classes[by_columns], seed)
        without[by_columns] = alike(unmasked[by_columns], found)
    values = np.column_stack([unmasked, codes.astype(np.float64)])
    named = np.append(is_category, ~np.asarray(is_number, np.bool_))
    known = alike(values, out_of_fold(values, named, classes, seed))
    rows, row = distinct_rows(codes)
    targets = range(1, 2) if n_classes == 2 else range(n_classes)  # noqa: PLR2004 - two classes
    taught = np.stack([_orders(known[:, c] - without[:, c], without[:, c]) for c in targets], axis=1)
    return Lesson(rows, add_up(taught, row, len(rows)), TaughtRecords(row, taught, classes, unmasked, is_category))


def _number_classes(classes: pa.ChunkedArray) -> Ints:
    """The number of each record's class, by spelling, so that the order of the records changes nothing."""
    encoded = classes.combine_chunks().dictionary_encode(null_encoding="encode")
    place = np.argsort(np.argsort([str(text) for text in encoded.dictionary.to_pylist()], kind="stable"))
    numbers: Ints = place[as_numpy(encoded.indices)].astype(np.int64)
    return numbers


def _drawn(codes: Ints, unmasked: Floats, classes: Ints) -> Ints:
    """The places of about as many records as are looked at, drawn by a hash of what they hold."""
    if len(codes) <= MOST_TAUGHT:
        return np.arange(len(codes))
    columns = [*codes.T, *np.nan_to_num(unmasked, nan=-1.0).T, classes]
    odd = np.random.default_rng(0).integers(2**64, size=len(columns), dtype=np.uint64) | np.uint64(1)
    mixed = np.zeros(len(codes), np.uint64)
    for column, by in zip(columns, odd, strict=True):
        mixed = ((mixed ^ (mixed >> np.uint64(29))) + (column + 2).astype(np.int64).astype(np.uint64)) * by
    mixed ^= mixed >> np.uint64(32)
    return np.flatnonzero(mixed < np.uint64(int(2**64 * (MOST_TAUGHT / len(codes)))))


def distinct_rows(codes: Ints) -> tuple[Ints, Ints]:
    """The distinct rows, and which of them each record has; equal rows stand side by side."""
    is_first = np.append(True, (codes[1:] != codes[:-1]).any(axis=1))
    return codes[is_first], np.cumsum(is_first) - 1


def _orders(added: Floats, without: Floats) -> Ints:
    """First and second order of each record, as whole numbers, so that sums are exact."""
    return np.rint(np.stack([added, without * (1.0 - without)], axis=1) * SCALE).astype(np.int64)


def add_up(taught: Ints, row: Ints, n_rows: int) -> Ints:
    """What is taught of each row.

    Args:
        taught: (n_records, n_targets, 2) what is taught of each record.
        row: (n_records,) its row.
        n_rows: How many rows there are.
    """
    sums = np.zeros((n_rows, *taught.shape[1:]), np.int64)
    np.add.at(sums, row, taught)
    return sums
