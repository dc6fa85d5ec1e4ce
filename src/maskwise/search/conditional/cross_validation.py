"""Cross-validation of cuts: the log-loss of a classifier on records that it has not learned from.

A C4.5 tree is grown on some folds of the training records and tested on the
rest. It is judged by its chances, because a rare class is never the likeliest:
all cuts would have the same errors. A masked table has few distinct rows, so
the trees grow from these, each weighted by its records, which takes
milliseconds however many records there are.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from maskwise.classifiers.c45.record_kernels import walk
from maskwise.classifiers.c45.tree import Records, grow, smooth

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from maskwise.compress.compressed_table import Compact
    from maskwise.search.conditional.unmasked_columns import UnmaskedRows

    Ints = NDArray[np.int64]

N_FOLDS = 5
MAX_RECORDS = 100_000
"""About so many records are used at most; of a larger table they are drawn at random."""
N_DETAILED_FOLDS, MAX_DETAILED_RECORDS = 3, 30_000
"""The same where the trees also see the unmasked columns themselves: few distinct rows are alike then."""
MIN_RECORDS = 20
"""What at least two branches of a split must weigh: the trees are not pruned, and leaves of few records say little.

With 5 and 50 the cuts that were chosen on Adult had nearly the same test errors (0.03 and 0.01 points more).
"""
_MOST_KEYS = 2**62


class CrossValidation:
    """The training records, dealt into folds."""

    def __init__(
        self,
        classes: Compact,
        is_number: Sequence[bool],
        seed: int,
        unmasked: UnmaskedRows | None = None,
        of_row: Ints | None = None,
        n_folds: int = N_FOLDS,
        max_records: int = MAX_RECORDS,
    ) -> None:
        """Deal the records.

        Args:
            classes: The distinct rows of all masked attributes, by class.
            is_number: For each attribute whether its codes are ordered.
            seed: Makes the folds repeatable.
            unmasked: The unmasked columns that a classifier sees besides.
            of_row: Which row of `unmasked` each of the rows has; those past the last are left out.
            n_folds: How many folds.
            max_records: About so many records are dealt at most.
        """
        order = _in_own_order(classes.codes, of_row)
        if unmasked is not None and of_row is not None:
            order = order[of_row[order] < unmasked.codes.shape[1]]
        counts = classes.counts[order]
        rng = np.random.default_rng(seed)
        n_records = int(counts.sum())
        if n_records > max_records:
            counts = rng.binomial(counts, max_records / n_records)
        has_records = counts.any(axis=1)
        order, counts = order[has_records], counts[has_records]
        self.n_folds = n_folds
        self._codes = classes.codes[order]
        self._unmasked = unmasked
        self._of_row = None if of_row is None else of_row[order]
        self._is_number = [*is_number, *(unmasked.is_number if unmasked else ())]
        self._dealt = rng.multinomial(counts, [1 / n_folds] * n_folds)  # (n_rows, n_classes, n_folds)

    def log_loss(self, place_of_code: Sequence[Ints]) -> float:
        """The mean of -log2 of the chances that the trees give to the classes of held-out records: bits per record.

        Args:
            place_of_code: For each attribute the shown value that each code falls under, as a number; those of
                intervals ascend.
        """
        cells, dealt = self._group(place_of_code)
        n_groups, n_classes, _ = dealt.shape
        labels = np.tile(np.arange(n_classes, dtype=np.int32), n_groups)
        codes = np.repeat(cells, n_classes, axis=1)
        n_values = np.maximum(cells.max(axis=1), 0).astype(np.int64) + 1
        numbers = tuple(
            np.arange(n, dtype=np.float64) if ordered else None
            for n, ordered in zip(n_values.tolist(), self._is_number, strict=True)
        )
        whole = dealt.sum(axis=2)
        bits = 0.0
        for fold in range(self.n_folds):
            held_out = dealt[:, :, fold]
            weights = (whole - held_out).ravel().astype(np.float64)
            trained = np.flatnonzero(weights)
            if not len(trained):
                continue
            records = Records(
                np.ascontiguousarray(codes[:, trained]), labels[trained], n_classes, numbers, n_values, weights[trained]
            )
            chances = walk(cells, *smooth(grow(records, MIN_RECORDS))[:6])
            bits -= float((held_out * np.log2(chances)).sum())
        return bits / max(int(whole.sum()), 1)

    def _group(self, place_of_code: Sequence[Ints]) -> tuple[NDArray[np.int32], Ints]:
        """The distinct masked rows, and the records of each by class and fold."""
        columns = [places[self._codes[:, i]] for i, places in enumerate(place_of_code)]
        columns += [] if self._of_row is None else [self._of_row]
        key, n_keys = np.zeros(len(self._codes), np.int64), 1
        for column in columns:
            n_values = int(column.max(initial=0)) + 1
            if n_keys > _MOST_KEYS // n_values:
                _, key = np.unique(key, return_inverse=True)
                n_keys = int(key.max()) + 1
            n_keys *= n_values
            key = key * n_values + column
        _, first, group = np.unique(key, return_index=True, return_inverse=True)
        cells = np.stack([column[first] for column in columns[: len(place_of_code)]]).astype(np.int32)
        if self._unmasked is not None and self._of_row is not None:
            cells = np.concatenate([cells, self._unmasked.codes[:, self._of_row[first]]])
        by_row = self._dealt.reshape(len(group), -1)
        dealt = np.stack([np.bincount(group, n, len(first)) for n in by_row.T], axis=1).astype(np.int64)
        return cells, dealt.reshape(len(first), *self._dealt.shape[1:])


def _in_own_order(codes: NDArray[np.unsignedinteger], of_row: Ints | None) -> Ints:
    """The rows by a hash of what they hold, as engines count in any order; sorting by all columns took seconds."""
    # Any odd numbers: those of different columns are far apart.
    odd = np.random.default_rng(0).integers(2**64, size=codes.shape[1] + 1, dtype=np.uint64) | np.uint64(1)
    key = np.zeros(len(codes), np.uint64)
    for j in range(codes.shape[1]):
        key += codes[:, j].astype(np.uint64) * odd[j]
    if of_row is not None:
        key += of_row.astype(np.uint64) * odd[-1]
    return np.argsort(key, kind="stable")
