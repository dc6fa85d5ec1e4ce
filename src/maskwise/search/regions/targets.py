"""What is to be predicted: a class, or a number."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Protocol

import numpy as np

from maskwise.classifiers.boosting.model import fit, fit_numbers
from maskwise.classifiers.boosting.tree import Settings

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Bools = NDArray[np.bool_]
    Floats = NDArray[np.float64]
    Ints = NDArray[np.int64]

USUAL = Settings()
_LEAST_CHANCE = 1e-4
"""No chance is taken to be smaller, so that one record cannot decide."""
_FAR = 50.0
"""Numbers are at most so many standard deviations from their mean, so that sums of whole numbers do not run over."""


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
        """The chances of the classes."""
        return fit(values, is_category, self.classes, self.n_classes, settings).predict_chances(asked)

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
        return fit_numbers(values, is_category, self.numbers, settings).predict_numbers(asked)[:, None]

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
