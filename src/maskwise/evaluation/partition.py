"""Which records a classifier is trained on, and which it is tested on."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from maskwise.errors import InputError, plural

if TYPE_CHECKING:
    from numpy.typing import NDArray

SHARE = 1 / 3
"""The default share of test records."""


@dataclass(frozen=True, slots=True)
class TrainTestSplit:
    """The records in two parts."""

    train: NDArray[np.int64]
    """The row numbers of the training records, ascending."""
    test: NDArray[np.int64]
    """The row numbers of the test records, ascending."""


def check_partition(share: float | None, folds: int | None, seed: int, *, has_test: bool) -> None:
    """Refuse options that do not exist or do not go together, before any work is done."""
    if sum((has_test, share is not None, folds is not None)) > 1:
        raise InputError("A test file, a split and folds are three ways to get test records. Give one of them.")
    if share is not None and not 0 < share < 1:
        msg = f"A split is the share of test records, above 0 and below 1; found {share:g}."
        raise InputError(msg)
    if folds is not None and folds < 2:  # noqa: PLR2004
        msg = f"Cross-validation needs at least 2 folds; found {folds}."
        raise InputError(msg)
    if seed < 0:
        raise InputError("A seed is a whole number that is at least 0.")


def partition(
    classes: NDArray[np.int64],
    n_test: int | None,
    share: float | None,
    folds: int | None,
    seed: int,
    persons: NDArray[np.int64] | None = None,
) -> tuple[TrainTestSplit, ...]:
    """Split the records into training and test records, stratified by class.

    The records are sorted by class, in random order within each class. Test
    records are then taken at even distances. Where records have persons, persons
    are split, each by the rarest class that a record of it has.

    Args:
        classes: The class of each record.
        n_test: How many records at the end are the test file's; None if there is no test file.
        share: The share of test records; None takes the default.
        folds: The number of folds of a cross-validation; None makes a single split.
        seed: The seed of the random order.
        persons: Whom each record is about, so that all records of a person are in one part.

    Example:
        >>> (split,) = partition(np.array([0, 0, 0, 1, 1, 1]), None, 1 / 3, None, 0)
        >>> len(split.train), np.bincount(np.array([0, 0, 0, 1, 1, 1])[split.test]).tolist()
        (4, [1, 1])
    """
    n = len(classes)
    if n_test is not None:
        return (TrainTestSplit(np.arange(n - n_test), np.arange(n - n_test, n)),)
    if persons is not None:
        rarest_first = np.argsort(np.bincount(classes)[classes], kind="stable")
        _, first, of_record = np.unique(persons[rarest_first], return_index=True, return_inverse=True)
        person = np.empty(n, np.int64)
        person[rarest_first] = of_record
        by_person = partition(classes[rarest_first[first]], None, share, folds, seed)
        are_tested = [np.isin(person, split.test) for split in by_person]
        return tuple(_split(np.arange(n), is_test) for is_test in are_tested)
    if folds is not None and n < folds:
        msg = f"{plural(n, 'record')} cannot be parted into {plural(folds, 'fold')}. Ask for fewer folds."
        raise InputError(msg)
    order = np.lexsort((np.random.default_rng(seed).permutation(n), classes))
    if folds is not None:
        return tuple(_split(order, np.arange(n) % folds == fold) for fold in range(folds))
    n_test_so_far = np.floor(np.arange(n + 1) * (SHARE if share is None else share) + 0.5)
    split = _split(order, np.diff(n_test_so_far) > 0)
    if not len(split.test) or not len(split.train):
        msg = f"{plural(n, 'record')}: too few for this split, one part would be empty."
        raise InputError(msg)
    return (split,)


def _split(order: NDArray[np.int64], is_test: NDArray[np.bool_]) -> TrainTestSplit:
    return TrainTestSplit(np.sort(order[~is_test]), np.sort(order[is_test]))
