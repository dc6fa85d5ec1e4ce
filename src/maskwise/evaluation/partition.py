"""Which records a classifier learns from, and which it is tested on."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from maskwise.errors import InputError, plural

if TYPE_CHECKING:
    from numpy.typing import NDArray

SHARE = 1 / 3
"""The share of test records, if nothing else is asked for."""


@dataclass(frozen=True, slots=True)
class Split:
    """One way to part the records."""

    train: NDArray[np.int64]
    """The places of the training records, ascending."""
    test: NDArray[np.int64]
    """The places of the test records, ascending."""


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
    classes: NDArray[np.int64], n_test: int | None, share: float | None, folds: int | None, seed: int
) -> tuple[Split, ...]:
    """Part the records, every class in the same way.

    The records are put in order of class, at random within each, and every so
    many of them is a test record.

    Args:
        classes: Each record's class.
        n_test: So many records at the end are the owner's test records.
        share: The share of test records.
        folds: How many parts there are, each the test records once.
        seed: Makes it repeatable.

    Example:
        >>> (split,) = partition(np.array([0, 0, 0, 1, 1, 1]), None, 1 / 3, None, 0)
        >>> len(split.train), np.bincount(np.array([0, 0, 0, 1, 1, 1])[split.test]).tolist()
        (4, [1, 1])
    """
    n = len(classes)
    if n_test is not None:
        return (Split(np.arange(n - n_test), np.arange(n - n_test, n)),)
    if folds is not None and n < folds:
        msg = f"{plural(n, 'record')} cannot be parted into {plural(folds, 'fold')}. Ask for fewer folds."
        raise InputError(msg)
    order = np.lexsort((np.random.default_rng(seed).permutation(n), classes))
    if folds is not None:
        return tuple(_split(order, np.arange(n) % folds == fold) for fold in range(folds))
    wanted = np.floor(np.arange(n + 1) * (SHARE if share is None else share) + 0.5)
    split = _split(order, np.diff(wanted) > 0)
    if not len(split.test) or not len(split.train):
        msg = f"{plural(n, 'record')}: too few for this split, one part would be empty."
        raise InputError(msg)
    return (split,)


def _split(order: NDArray[np.int64], is_test: NDArray[np.bool_]) -> Split:
    return Split(np.sort(order[~is_test]), np.sort(order[is_test]))
