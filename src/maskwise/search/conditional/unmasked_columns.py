"""What the unmasked columns already tell of the class.

A recipient gets them as they are, so a masked column is worth only what it adds.
A quick classifier is fitted on them, out of fold, and its prediction binned:
records in one bin are equally well predicted without any masked column.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa

from maskwise.classifiers.boosting.model import fit
from maskwise.compress.value_odds import MOST_CATEGORIES, N_BINS, may_name_people
from maskwise.values.arrow import as_numpy
from maskwise.values.parsing import looks_like_code, parse_keys

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

    Bools = NDArray[np.bool_]
    Floats = NDArray[np.float64]
    Ints = NDArray[np.int64]

N_FOLDS = 3
MOST_FITTED = 50_000
"""So many records are fitted at most; the others are predicted by the models of the folds."""


def bin_records(columns: Sequence[pa.ChunkedArray], classes: Ints, seed: int) -> Ints | None:
    """For each record the bin of what its unmasked columns tell of the class; None if they tell nothing.

    Args:
        columns: The unmasked columns.
        classes: (n_records,) the number of each record's class.
        seed: Makes the folds repeatable.
    """
    table = [coded for coded in (code_column(column) for column in columns) if coded is not None]
    if not table or len(np.unique(classes)) < 2 or len(classes) < 2 * N_FOLDS:  # noqa: PLR2004 - nothing to tell apart
        return None
    values = np.column_stack([values for values, _ in table])
    is_category = np.array([is_category for _, is_category in table])
    # In an order of their own, so that the order of the records changes nothing.
    order = np.lexsort((classes, *values.T))
    chances = np.empty((len(classes), int(classes.max()) + 1))
    sorted_values, sorted_classes = values[order], classes[order]
    n_classes = chances.shape[1]

    def predict(fitted: Bools, asked: Bools) -> Floats:
        model = fit(sorted_values[fitted], is_category, sorted_classes[fitted], n_classes)
        return model.predict_chances(sorted_values[asked])

    chances[order] = alike(sorted_values, out_of_fold(len(classes), n_classes, seed, predict))
    if chances.shape[1] == 2:  # noqa: PLR2004 - two classes
        edges = np.unique(np.quantile(chances[:, 1], np.linspace(0, 1, N_BINS + 1)[1:-1]))
        bins = np.searchsorted(edges, chances[:, 1])
    else:
        sure = chances.max(axis=1)
        bins = 3 * chances.argmax(axis=1) + np.searchsorted(np.quantile(sure, [1 / 3, 2 / 3]), sure)
    _, numbered = np.unique(bins, return_inverse=True)
    return numbered.astype(np.int64) if numbered.max() > 0 else None


def code_column(column: pa.ChunkedArray) -> tuple[Floats, bool] | None:
    """A column as numbers, and whether they only name categories; a missing cell is not a number."""
    kind = column.type
    if pa.types.is_integer(kind) or pa.types.is_floating(kind) or pa.types.is_decimal(kind):
        numbers = as_numpy(column.cast(pa.float64(), safe=False).fill_null(np.nan)).astype(np.float64)
        return None if np.isnan(numbers).all() else (_ranks(numbers), False)
    coded = column.combine_chunks().dictionary_encode()
    parsed = parse_keys(coded.dictionary)
    if parsed is not None and parsed.known.any() and parsed.known.all() and not looks_like_code(coded.dictionary):
        # A csv holds its numbers as texts; they are worth the same as those of any other table.
        return _ranks(np.append(parsed.numbers.astype(np.float64), np.nan)[_indices(coded)]), False
    if may_name_people(len(coded.dictionary), len(column)):
        return None
    codes = _indices(coded)
    spelled = np.argsort(np.argsort([str(text) for text in coded.dictionary.to_pylist()], kind="stable"))
    size = np.bincount(codes, minlength=len(coded.dictionary) + 1)
    # By frequency, then spelling, so that the order of records changes nothing.
    order = np.lexsort((np.append(spelled, len(spelled)), -size))
    rank = np.empty(len(order), np.int64)
    rank[order] = np.arange(len(order))
    return np.minimum(rank[codes], MOST_CATEGORIES).astype(np.float64), True


def _indices(coded: pa.DictionaryArray) -> Ints:
    """The number of each cell's value; a missing cell has one past the last."""
    return as_numpy(coded.indices.fill_null(len(coded.dictionary))).astype(np.int64)


def _ranks(numbers: Floats) -> Floats:
    """Each number's place among the distinct ones: models ask only which is larger, and some fail at infinity."""
    known = ~np.isnan(numbers)
    places = np.full(len(numbers), np.nan)
    places[known] = np.unique(numbers[known], return_inverse=True)[1]
    return places


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
