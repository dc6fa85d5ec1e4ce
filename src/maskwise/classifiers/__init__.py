"""Classifiers of our own, one of each kind in the whole project.

Train:
    C45Classifier: The decision tree that the papers measure with.
    NaiveBayes: The papers' other one, for numbers and categories together.

Both are scikit-learn classifiers; `columns` and `sklearn_input` read and check the tables they are
given. `boosting` is gradient boosting for the search, with NumPy arrays only.

Nothing heavy is imported until it is used.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from maskwise.values.lazy_exports import lazy_exports

if TYPE_CHECKING:
    from maskwise.classifiers.c45.classifier import C45Classifier
    from maskwise.classifiers.naive_bayes import NaiveBayes

_HOME = {
    "C45Classifier": "maskwise.classifiers.c45.classifier",
    "NaiveBayes": "maskwise.classifiers.naive_bayes",
}

__all__ = ["C45Classifier", "NaiveBayes"]

__getattr__, __dir__ = lazy_exports(__name__, _HOME)
