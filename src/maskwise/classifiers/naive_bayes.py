"""Naive Bayes for numbers and categories together, as a scikit-learn classifier.

scikit-learn has one for numbers and one for categories; neither takes missing
cells or categories that the training table does not have. Here such a cell is left
out of the product. The papers do not say how their Naive Bayes takes numbers.
"""

from __future__ import annotations

from numbers import Real
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.validation import check_is_fitted

from maskwise.classifiers.columns import encode, learn_features, to_floats
from maskwise.classifiers.sklearn_input import allow_any_table, check_records, check_training
from maskwise.errors import InputError

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from maskwise.classifiers.columns import FeatureColumn

_SMALLEST = 1e-9
"""Added to a variance, as a share of the whole column's.

scikit-learn takes a share of the largest column's instead, which drowns small numbers beside large ones.
"""


class NaiveBayes(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """Naive Bayes: smoothed frequencies for categories, normal distributions for numbers.

    Text, categories and truth values are categories; numbers, dates and times
    are normally distributed in each class. A missing cell and a category that
    the training table does not have are left out.

    Args:
        alpha: How many records each category has in each class before one is seen; 1 is Laplace's.

    Attributes:
        classes_: The classes, sorted.
        n_features_in_: Columns seen in `fit`.
        feature_names_in_: Their names, where they had some.
        features_: Their kinds and values.

    Example:
        >>> import pandas as pd
        >>> people = pd.DataFrame({"age": [23, 25, 41, 47], "sex": list("FMFM")})
        >>> NaiveBayes().fit(people, ["lo", "lo", "hi", "hi"]).predict(
        ...     pd.DataFrame({"age": [26, 44], "sex": ["X", None]})
        ... ).tolist()
        ['lo', 'hi']
    """

    def __init__(self, *, alpha: float = 1.0) -> None:
        self.alpha = alpha

    def __sklearn_tags__(self) -> Any:
        return allow_any_table(super().__sklearn_tags__())

    def fit(self, X: Any, y: Any) -> Self:  # noqa: N803 - scikit-learn's name
        """Count categories, and compute means and variances of numbers.

        Args:
            X: The training records: a pandas, Polars or Arrow table, or a two-dimensional array.
            y: Their classes.
        """
        if not isinstance(self.alpha, Real) or not self.alpha > 0:
            msg = f"`alpha` is above 0; found {self.alpha!r}."
            raise InputError(msg)
        columns, classes, labels = check_training(self, X, y)
        self.classes_: np.ndarray[Any, Any] = classes
        n_classes = len(self.classes_)
        self.features_: tuple[FeatureColumn, ...] = learn_features(columns)
        codes = encode(columns, self.features_)
        self.log_prior_: NDArray[np.float64] = np.log(np.bincount(labels, minlength=n_classes) / len(labels))
        numbers = {
            i: to_floats(column, name)
            for i, ((name, column), feature) in enumerate(zip(columns, self.features_, strict=True))
            if feature.numbers is not None
        }
        # For each column its log frequencies (n_classes, n_values), or means and variances (n_classes,).
        self.tables_: list[Any] = []
        for i, feature in enumerate(self.features_):
            if i in numbers:
                self.tables_.append(_moments(numbers[i], labels, n_classes))
                continue
            known = codes[i] >= 0
            counts = np.zeros((n_classes, feature.n_values))
            np.add.at(counts, (labels[known], codes[i][known]), 1)
            counts += float(self.alpha)
            total = np.maximum(counts.sum(axis=1, keepdims=True), _SMALLEST)  # a column of missing cells has none
            self.tables_.append(np.log(counts) - np.log(total))
        return self

    def predict_joint_log_proba(self, X: Any) -> NDArray[np.float64]:  # noqa: N803 - scikit-learn's name
        """The logarithm of each class's chance times that of the record, given the class."""
        check_is_fitted(self, "tables_")
        columns = check_records(self, X, reset=False)
        codes = encode(columns, self.features_)
        total = np.tile(self.log_prior_, (codes.shape[1], 1))
        for i, (feature, table) in enumerate(zip(self.features_, self.tables_, strict=True)):
            if feature.numbers is not None:
                values = to_floats(columns[i][1], feature.name)[:, None]
                mean, variance = table
                log_density = -0.5 * (np.log(2 * np.pi * variance) + (values - mean) ** 2 / variance)
                total += np.where(np.isnan(log_density).any(axis=1, keepdims=True), 0.0, log_density)
            elif feature.n_values:
                known = codes[i] >= 0
                total[known] += table[:, codes[i][known]].T
        return total

    def predict_proba(self, X: Any) -> NDArray[np.float64]:  # noqa: N803 - scikit-learn's name
        """The chance of each class."""
        joint = self.predict_joint_log_proba(X)
        chances: NDArray[np.float64] = np.exp(joint - joint.max(axis=1, keepdims=True))
        chances /= chances.sum(axis=1, keepdims=True)
        return chances

    def predict(self, X: Any) -> np.ndarray[Any, Any]:  # noqa: N803 - scikit-learn's name
        """The likeliest class of each record."""
        joint = self.predict_joint_log_proba(X)
        likeliest: np.ndarray[Any, Any] = self.classes_[joint.argmax(axis=1)]
        return likeliest


def _moments(
    values: NDArray[np.float64], labels: NDArray[np.int32], n_classes: int
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Mean and variance in each class; NaN, so that the column is left out, where a class has no number."""
    mean, variance = np.full(n_classes, np.nan), np.full(n_classes, np.nan)
    is_known = ~np.isnan(values)
    least = _SMALLEST * float(values[is_known].var()) if is_known.any() else 0.0
    for c in range(n_classes):
        known = values[(labels == c) & is_known]
        if len(known):
            mean[c], variance[c] = known.mean(), known.var() + least
    # A column that is the same number everywhere is left out too.
    return mean, np.where(variance > 0, variance, np.nan)
