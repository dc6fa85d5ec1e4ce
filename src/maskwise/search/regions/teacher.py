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

from maskwise.search.regions.region_arrays import SCALE
from maskwise.search.regions.targets import ClassTarget, NumberTarget
from maskwise.values.row_numbers import number_rows

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

    from maskwise.compress.compressed_table import ClassTable
    from maskwise.search.regions.targets import PredictedTarget

    Bools = NDArray[np.bool_]
    Floats = NDArray[np.float64]
    Ints = NDArray[np.int64]

N_FOLDS = 3
MOST_FITTED = 50_000
"""So many records are fitted at most; the others are predicted by the models of the folds."""
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
    target: PredictedTarget
    """Its class, or the number that is to be predicted."""
    unmasked: Floats  # (n_records, n_columns)
    """Its unmasked columns as small numbers."""
    is_category: Bools  # (n_columns,)
    """Whether the numbers of a column only name categories."""


def teach_counts(
    counted: ClassTable, *, is_number: Sequence[bool], seed: int, class_is_number: bool = False
) -> Lesson | None:
    """Learn from counts of rows by class; None with only one class.

    The unmasked columns stand in by their bin. A class that is a number is
    known by its bins, each of which stands for its place among them.

    Args:
        counted: The rows of all masked attributes by class, and apart by what unmasked columns tell, if they do.
        is_number: For each masked attribute whether its codes are ordered.
        seed: Makes the folds repeatable.
        class_is_number: Whether the class is a number.
    """
    codes, counts = counted.rows.codes.astype(np.int64), counted.rows.counts
    bins = np.zeros((len(codes), 0), np.int64) if counted.group_of_row is None else counted.group_of_row[:, None]
    # In an order of their own, as engines count in any order.
    order = np.lexsort((*bins.T, *codes.T))
    codes, bins, counts = codes[order], bins[order], counts[order]
    n_records = int(counts.sum())
    if n_records > MOST_TAUGHT:
        counts = np.random.default_rng(seed).binomial(counts, MOST_TAUGHT / n_records)
    row = np.repeat(np.arange(len(codes)), counts.sum(axis=1))
    classes = np.repeat(np.tile(np.arange(counts.shape[1]), len(codes)), counts.ravel())
    target: PredictedTarget
    if class_is_number:
        places = np.array([np.nan if label is None else float(label) for label in counted.labels])
        target = NumberTarget.of(places[classes])
    else:
        # A class that nobody has any more, after a draw, is none.
        present, numbered = np.unique(classes, return_inverse=True)
        target = ClassTarget(numbered.astype(np.int64), len(present))
    # A missing number stands where the mean does.
    placed = np.lexsort((target.sort_key(), row))
    row, target = row[placed], target.take(placed)
    is_category = np.zeros(bins.shape[1], np.bool_)
    return teach(codes[row], bins[row].astype(np.float64), is_category, target, is_number=is_number, seed=seed)


def teach(
    codes: Ints, unmasked: Floats, is_category: Bools, target: PredictedTarget, *, is_number: Sequence[bool], seed: int
) -> Lesson | None:
    """Fit both models and add up by row what the second one knows more; None if there is nothing to tell apart.

    Args:
        codes: (n_records, n_attributes) the masked attributes; the records stand in the order of these rows, equal
            ones in that of the unmasked columns.
        unmasked: (n_records, n_columns) the unmasked columns as small numbers.
        is_category: (n_columns,) whether the numbers of a column only name categories.
        target: What is to be predicted.
        is_number: For each masked attribute whether its codes are ordered.
        seed: Makes the folds repeatable.
    """
    if not target.can_be_told():
        return None
    without = np.repeat(target.guess()[None], len(codes), axis=0)
    if len(is_category):
        by_columns = np.lexsort((target.sort_key(), *unmasked.T))
        without[by_columns] = _predict(unmasked[by_columns], is_category, target.take(by_columns), seed)
    values = np.column_stack([unmasked, codes.astype(np.float64)])
    named = np.append(is_category, ~np.asarray(is_number, np.bool_))
    known = _predict(values, named, target, seed)
    rows, row = distinct_rows(codes)
    # Whole numbers, so that sums are exact.
    taught = np.rint(target.orders(known, without) * SCALE).astype(np.int64)
    return Lesson(rows, add_up(taught, row, len(rows)), TaughtRecords(row, taught, target, unmasked, is_category))


def _predict(values: Floats, is_category: Bools, target: PredictedTarget, seed: int) -> Floats:
    """What models predict that have not seen the record; the same for equal records, which stand side by side."""

    def predict(fitted: Bools, asked: Bools) -> Floats:
        return target.take(fitted).predict(values[fitted], is_category, values[asked])

    return alike(values, out_of_fold(len(values), len(target.guess()), seed, predict))


def out_of_fold(n_records: int, n_outputs: int, seed: int, predict: Callable[[Bools, Bools], Floats]) -> Floats:
    """What models predict that have not seen the record, (n_records, n_outputs).

    Args:
        n_records: How many records there are.
        n_outputs: How many numbers are predicted of each.
        seed: Makes the folds repeatable.
        predict: From the records that are fitted and those that are asked for, as marks, to the predictions.
    """
    rng = np.random.default_rng(seed)
    fold = rng.permutation(n_records) % N_FOLDS
    if n_records > MOST_FITTED:
        fold[rng.permutation(n_records)[MOST_FITTED:]] = -1
    predicted = np.zeros((n_records, n_outputs))
    n_models = np.zeros(n_records)
    for f in range(N_FOLDS):
        fitted = (fold != f) & (fold >= 0)
        asked = (fold == f) | (fold < 0)
        predicted[asked] += predict(fitted, asked)
        n_models[asked] += 1
    mean: Floats = predicted / n_models[:, None]
    return mean


def alike(values: Floats, chances: Floats) -> Floats:
    """The same chances for all records with the same values, which stand side by side, whatever their folds."""
    known = np.nan_to_num(values, nan=-1.0)
    is_first = np.append(True, (known[1:] != known[:-1]).any(axis=1))
    firsts = np.flatnonzero(is_first)
    sizes = np.diff(np.append(firsts, len(values)))
    mean: Floats = np.add.reduceat(chances, firsts, axis=0) / sizes[:, None]
    return np.repeat(mean, sizes, axis=0)


def distinct_rows(codes: Ints) -> tuple[Ints, Ints]:
    """The distinct rows, and which of them each record has; equal rows stand side by side."""
    is_first = np.append(True, (codes[1:] != codes[:-1]).any(axis=1))
    return codes[is_first], np.cumsum(is_first) - 1


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


def align(lesson: Lesson | None, codes: NDArray[np.unsignedinteger], *, are_distinct: bool) -> Ints:
    """What is taught of each compressed row; nothing of one that no record was drawn of.

    Args:
        lesson: What is taught.
        codes: The rows.
        are_distinct: False if several rows may be equal, as those of persons. They are always in the same region, so
            the first one has it all.
    """
    if lesson is None:
        return np.zeros((len(codes), 0, 2), np.int64)
    sums = np.zeros((len(codes), *lesson.sums.shape[1:]), np.int64)
    both = np.concatenate([codes.astype(np.int64), lesson.codes])
    key = number_rows(both.T, len(both))
    at = np.full(int(key.max(initial=0)) + 1, -1, np.int64)
    at[key[len(codes) :]] = np.arange(len(lesson.codes))
    found = at[key[: len(codes)]]
    if not are_distinct:
        is_first = np.zeros(len(codes), np.bool_)
        is_first[np.unique(key[: len(codes)], return_index=True)[1]] = True
        found[~is_first] = -1
    sums[found >= 0] = lesson.sums[found[found >= 0]]
    return sums
