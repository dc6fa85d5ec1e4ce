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
    records: TaughtRecords | None = None
    """The records that the choice among variants is made by."""


@dataclass(frozen=True, slots=True)
class TaughtRecords:
    """Single records, as the choice among variants sees them."""

    row: Ints  # (n_records,)
    """Which row of the lesson each is in."""
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
    """Fit both models and add up by row what the second one knows more; None without a class, or with only one.

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
    codes, unmasked, of_class = codes[order], unmasked[order], of_class[order]
    if len(np.unique(of_class)) < 2:  # noqa: PLR2004 - nothing to tell apart
        return None
    is_category = np.array([named for _, named in coded], np.bool_)
    n_classes = int(of_class.max()) + 1
    shares = np.bincount(of_class, minlength=n_classes) / len(of_class)
    without = np.repeat(shares[None], len(codes), axis=0)
    if len(is_category):
        by_columns = np.lexsort((of_class, *unmasked.T))
        found = out_of_fold(unmasked[by_columns], is_category, of_class[by_columns], seed)
        without[by_columns] = alike(unmasked[by_columns], found)
    values = np.column_stack([unmasked, codes.astype(np.float64)])
    named = np.append(is_category, ~np.asarray(is_number, np.bool_))
    known = alike(values, out_of_fold(values, named, of_class, seed))
    rows, row = _distinct(codes)
    targets = range(1, 2) if n_classes == 2 else range(n_classes)  # noqa: PLR2004 - two classes
    sums = np.stack([_add_up(known[:, c] - without[:, c], without[:, c], row, len(rows)) for c in targets], axis=1)
    return Lesson(rows, sums, TaughtRecords(row, of_class, unmasked, is_category))


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


def _distinct(codes: Ints) -> tuple[Ints, Ints]:
    """The distinct rows, and which of them each record has; equal rows stand side by side."""
    is_first = np.append(True, (codes[1:] != codes[:-1]).any(axis=1))
    return codes[is_first], np.cumsum(is_first) - 1


def _add_up(added: Floats, without: Floats, row: Ints, n_rows: int) -> Ints:
    """The sums of each row, of whole numbers, so that they are exact."""
    sums = np.zeros((n_rows, 2), np.int64)
    np.add.at(sums[:, 0], row, np.rint(added * SCALE).astype(np.int64))
    np.add.at(sums[:, 1], row, np.rint(without * (1.0 - without) * SCALE).astype(np.int64))
    return sums
