"""Gradient boosting for classes and for numbers.

Each tree follows the gradient of the loss that the trees before it left: logistic for
two classes, softmax for more, squared for numbers. NumPy arrays in and out, one thread,
nothing random. `tree` grows the trees.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from maskwise.classifiers.boosting.binning import bin_values, learn_binning
from maskwise.classifiers.boosting.kernels import SCALE, add_tree, to_chances
from maskwise.classifiers.boosting.tree import BinnedTable, Settings, grow

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from maskwise.classifiers.boosting.binning import Binning
    from maskwise.classifiers.boosting.tree import BoostedTree

    Bools = NDArray[np.bool_]
    Floats = NDArray[np.float64]
    Ints = NDArray[np.int64]

DEFAULT = Settings()


@dataclass(frozen=True, slots=True)
class Ensemble:
    """Trees whose values add up to scores."""

    binnings: tuple[Binning, ...]
    """How each column becomes bins."""
    start: Floats  # (n_scores,)
    """The scores before the first tree."""
    trees: tuple[tuple[BoostedTree, ...], ...]
    """For each iteration a tree for each score."""

    def predict_scores(self, values: Floats) -> Floats:
        """The scores of each record, (n_scores, n_records)."""
        bins = bin_values(values, self.binnings)
        scores = np.repeat(self.start[:, None], len(values), axis=1)
        for trees in self.trees:
            for tree, into in zip(trees, scores, strict=True):
                left = np.unpackbits(tree.left, axis=1).view(np.bool_)
                add_tree(bins, tree.columns, tree.children, left, tree.values, into)
        return scores


@dataclass(frozen=True, slots=True)
class ClassModel:
    """Predicts the chance of each class."""

    ensemble: Ensemble
    present: Ints
    """The classes of the training records, ascending; the chance of any other is 0."""
    n_classes: int

    def predict_chances(self, values: Floats) -> Floats:
        """The chance of each class for each record, (n_records, n_classes).

        Args:
            values: (n_records, n_columns), as those that were fitted. A category that was not there is missing.
        """
        chances = np.zeros((len(values), self.n_classes))
        if len(self.present) == 1:
            chances[:, self.present] = 1.0
            return chances
        shares = to_chances(self.ensemble.predict_scores(values))
        chances[:, self.present] = shares.T if len(shares) > 1 else np.column_stack([1.0 - shares[0], shares[0]])
        return chances


@dataclass(frozen=True, slots=True)
class NumberModel:
    """Predicts a number."""

    ensemble: Ensemble
    unit: float
    """What a score of 1 is worth."""

    def predict_numbers(self, values: Floats) -> Floats:
        """The number of each record, (n_records,)."""
        numbers: Floats = self.ensemble.predict_scores(values)[0] * self.unit
        return numbers


def fit(
    values: Floats, is_category: Bools, classes: Ints, n_classes: int | None = None, settings: Settings = DEFAULT
) -> ClassModel:
    """Fit a model of the classes.

    Args:
        values: (n_records, n_columns) small whole numbers, such as ranks or numbers of categories; NaN is missing.
            There is at least one record and one column.
        is_category: (n_columns,) whether a column's numbers only name categories.
        classes: (n_records,) the number of each record's class.
        n_classes: One past the largest class; by default that of the largest one here.
        settings: How many trees, and how large.

    Example:
        >>> ages, sexes = np.repeat([0.0, 1.0, 2.0, 3.0], 40), np.tile([0.0, 1.0], 80)
        >>> model = fit(np.column_stack([ages, sexes]), np.array([False, True]), np.array(ages > 1, np.int64))
        >>> model.predict_chances(np.array([[0.0, 1.0], [3.0, 0.0]])).round(2).tolist()
        [[1.0, 0.0], [0.0, 1.0]]
    """
    present, places = np.unique(classes, return_inverse=True)
    if n_classes is None:
        n_classes = int(present[-1]) + 1
    logs = np.log(np.bincount(places) / len(places))
    # Rounded, because the last digits of a logarithm differ between libraries.
    start = np.round(logs[1:] - logs[:1] if len(present) <= 2 else logs - logs.mean(), 6)  # noqa: PLR2004 - two classes
    # Two classes share a score, which is the second's.
    targets = (places == np.arange(len(present) - len(start), len(present))[:, None]).astype(np.float64)

    def gradients_of(scores: Floats) -> tuple[Floats, Floats]:
        chances = to_chances(scores)
        return chances - targets, chances * (1.0 - chances)

    return ClassModel(_boost(values, is_category, start, gradients_of, settings), present, n_classes)


def fit_numbers(values: Floats, is_category: Bools, numbers: Floats, settings: Settings = DEFAULT) -> NumberModel:
    """Fit a model of a number, with squared loss.

    Args:
        values: (n_records, n_columns), as for `fit`.
        is_category: (n_columns,) whether a column's numbers only name categories.
        numbers: (n_records,) what is predicted; finite.
        settings: How many trees, and how large.
    """
    # A power of two, so that dividing by it is exact. Predictions stay within the numbers, gradients within -2 and 2.
    unit = 2.0 ** math.frexp(float(np.abs(numbers).max()))[1]
    targets = numbers / unit
    # The mean of whole numbers: the order of the records changes nothing.
    start = np.array([np.rint(targets * SCALE).astype(np.int64).sum() / (SCALE * len(targets))])
    hessians = np.ones((1, len(targets)))
    ensemble = _boost(values, is_category, start, lambda scores: (scores - targets, hessians), settings)
    return NumberModel(ensemble, unit)


def _boost(
    values: Floats,
    is_category: Bools,
    start: Floats,
    gradients_of: Callable[[Floats], tuple[Floats, Floats]],
    settings: Settings,
) -> Ensemble:
    """Grow a tree for each score, iteration by iteration.

    Args:
        values: (n_records, n_columns).
        is_category: (n_columns,).
        start: (n_scores,) the scores before the first tree.
        gradients_of: From scores to gradients and hessians, each (n_scores, n_records).
        settings: How many trees, and how large.
    """
    binnings = tuple(
        learn_binning(column, is_category=bool(named)) for column, named in zip(values.T, is_category, strict=True)
    )
    offsets = np.cumsum([0, *(binning.n_bins + 1 for binning in binnings)]).astype(np.uint64)
    table = BinnedTable(bin_values(values, binnings), offsets, np.asarray(is_category, np.bool_))
    scores = np.repeat(start[:, None], len(values), axis=1)
    trees = []
    for _ in range(settings.n_iterations if len(start) else 0):
        # (n_scores, n_records, 2), computed before any of this iteration's trees changes a score.
        steps = np.rint(np.stack(gradients_of(scores), axis=2) * SCALE).astype(np.int32)
        trees.append(tuple(grow(table, steps[s], settings, scores[s]) for s in range(len(start))))
    return Ensemble(binnings, start, tuple(trees))
