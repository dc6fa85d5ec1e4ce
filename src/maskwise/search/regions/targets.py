"""What is to be predicted, a class or a number, and by what: scikit-learn's gradient boosting, with one thread.

The same input gives the same predictions for one version of scikit-learn.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
from sklearn.ensemble import HistGradientBoostingClassifier, HistGradientBoostingRegressor
from threadpoolctl import threadpool_limits

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Bools = NDArray[np.bool_]
    Floats = NDArray[np.float64]
    Ints = NDArray[np.int64]

_LEAST_CHANCE = 1e-4
"""No chance is taken to be smaller, so that one record cannot decide."""
_MOST_CATEGORIES = 255
"""As many as a column may have."""
_FAR = 50.0
"""Numbers are at most so many standard deviations from their mean, so that sums of whole numbers do not run over."""


@dataclass(frozen=True, slots=True)
class Settings:
    """How many trees of gradient boosting, and how fast they learn."""

    n_iterations: int = 60
    learning_rate: float = 0.1


USUAL = Settings()


class PredictedTarget(Protocol):
    """What each record has, and how well it is predicted."""

    def take(self, rows: Ints | Bools) -> PredictedTarget:
        """The same of some records."""

    def guess(self) -> Floats:
        """What is predicted without any column, (n_outputs,)."""

    def predict(self, values: Floats, is_category: Bools, asked: Floats, settings: Settings = USUAL) -> Floats:
        """What a model that is fitted to the values of these records predicts for others, (n_asked, n_outputs)."""

    def orders(self, known: Floats, without: Floats) -> Floats:
        """What a better prediction adds to a worse one, and how open the target is under it, (n, n_targets, 2)."""

    def losses(self, predicted: Floats) -> Floats:
        """How far each record is from what is predicted."""

    def sort_key(self) -> Floats | Ints:
        """What equal records have in common."""

    def can_be_told(self) -> bool:
        """Whether records differ in it."""


@dataclass(frozen=True, slots=True)
class ClassTarget:
    """A class; predicted are the chances of all classes."""

    classes: Ints  # (n_records,)
    """The number of each record's class."""
    n_classes: int
    """How many there are."""

    def take(self, rows: Ints | Bools) -> ClassTarget:
        """The same of some records."""
        return replace(self, classes=self.classes[rows])

    def guess(self) -> Floats:
        """The share of each class."""
        shares: Floats = np.bincount(self.classes, minlength=self.n_classes) / len(self.classes)
        return shares

    def predict(self, values: Floats, is_category: Bools, asked: Floats, settings: Settings = USUAL) -> Floats:
        """The chances of the classes; of one that these records have not it is 0."""
        present, places = np.unique(self.classes, return_inverse=True)
        chances = np.zeros((len(asked), self.n_classes))
        if len(present) == 1:
            chances[:, present] = 1.0
            return chances
        model = HistGradientBoostingClassifier(**_parameters(is_category, settings))
        with threadpool_limits(1):
            fitted = model.fit(_binned(values, values, is_category), places)
            chances[:, present] = fitted.predict_proba(_binned(asked, values, is_category))
        return chances

    def orders(self, known: Floats, without: Floats) -> Floats:
        """For each class, two of them sharing one, the difference of chances and the variance without."""
        targets = slice(1, 2) if self.n_classes == 2 else slice(None)  # noqa: PLR2004 - two classes
        before = without[:, targets]
        return np.stack([known[:, targets] - before, before * (1.0 - before)], axis=2)

    def losses(self, predicted: Floats) -> Floats:
        """The logarithmic loss, which also sees rare classes."""
        own = predicted[np.arange(len(self.classes)), self.classes]
        losses: Floats = -np.log(np.clip(own, _LEAST_CHANCE, None))
        return losses

    def sort_key(self) -> Floats | Ints:
        """The class."""
        return self.classes

    def can_be_told(self) -> bool:
        """Whether there are two classes."""
        return len(np.unique(self.classes)) > 1


@dataclass(frozen=True, slots=True)
class NumberTarget:
    """A number, in standard deviations from the mean."""

    numbers: Floats  # (n_records,)
    """The number of each record."""

    @classmethod
    def of(cls, cells: Floats) -> NumberTarget:
        """Standardize numbers; a missing one is the mean."""
        # Sorted, so that the order of the records changes no digit.
        known = np.sort(cells[np.isfinite(cells)])
        mean = float(known.mean()) if len(known) else 0.0
        scale = float(known.std()) or 1.0 if len(known) else 1.0
        standard = (np.where(np.isfinite(cells), cells, mean) - mean) / scale
        return cls(np.clip(standard, -_FAR, _FAR) + 0.0)

    def take(self, rows: Ints | Bools) -> NumberTarget:
        """The same of some records."""
        return replace(self, numbers=self.numbers[rows])

    def guess(self) -> Floats:
        """The mean."""
        return np.array([np.sort(self.numbers).mean()])

    def predict(self, values: Floats, is_category: Bools, asked: Floats, settings: Settings = USUAL) -> Floats:
        """The number."""
        if not self.numbers.any():
            return np.zeros((len(asked), 1))
        model = HistGradientBoostingRegressor(**_parameters(is_category, settings))
        with threadpool_limits(1):
            fitted = model.fit(_binned(values, values, is_category), self.numbers)
            numbers: Floats = fitted.predict(_binned(asked, values, is_category))[:, None]
        return numbers

    def orders(self, known: Floats, without: Floats) -> Floats:
        """The difference of predictions; every record counts alike."""
        return np.stack([known - without, np.ones_like(known)], axis=2)

    def losses(self, predicted: Floats) -> Floats:
        """The squared error."""
        losses: Floats = (predicted[:, 0] - self.numbers) ** 2
        return losses

    def sort_key(self) -> Floats | Ints:
        """The number."""
        return self.numbers

    def can_be_told(self) -> bool:
        """Whether there are two numbers."""
        return len(np.unique(self.numbers)) > 1


def _parameters(is_category: Bools, settings: Settings) -> dict[str, Any]:
    """What every model is made with: nothing is random, and no record is held out."""
    return {
        "max_iter": settings.n_iterations,
        "learning_rate": settings.learning_rate,
        "categorical_features": is_category,
        "early_stopping": False,
        "random_state": 0,
    }


def _binned(values: Floats, fitted: Floats, is_category: Bools) -> Floats:
    """The values with categories numbered by frequency among those that are fitted; rare ones beyond 255 are missing.

    Args:
        values: (n_records, n_columns).
        fitted: The values that a model is fitted to.
        is_category: (n_columns,) whether the numbers of a column only name categories.
    """
    binned = values.copy()
    for c in np.flatnonzero(is_category):
        distinct, sizes = np.unique(fitted[~np.isnan(fitted[:, c]), c], return_counts=True)
        rank = np.empty(len(distinct))
        rank[np.argsort(-sizes, kind="stable")] = np.arange(len(distinct))
        rank[rank >= _MOST_CATEGORIES] = np.nan
        place = np.minimum(np.searchsorted(distinct, values[:, c]), max(len(distinct) - 1, 0))
        is_known = distinct[place] == values[:, c] if len(distinct) else np.zeros(len(values), np.bool_)
        binned[:, c] = np.where(is_known, rank[place] if len(distinct) else np.nan, np.nan)
    return binned
