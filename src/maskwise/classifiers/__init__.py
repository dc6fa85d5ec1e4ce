"""Classifiers of our own, one of each kind in the whole project.

Train:
    C45Classifier: The decision tree that the papers measure with.
    NaiveBayes: The papers' other one, for numbers and categories together.

Both are scikit-learn classifiers; `columns` and `sklearn_input` read and check the tables they are
given. `boosting` is gradient boosting for the search, with NumPy arrays only.

Nothing heavy is imported until it is used.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from maskwise.classifiers.c45.classifier import C45Classifier
    from maskwise.classifiers.naive_bayes import NaiveBayes

_HOME = {
    "C45Classifier": "maskwise.classifiers.c45.classifier",
    "NaiveBayes": "maskwise.classifiers.naive_bayes",
}

__all__ = ["C45Classifier", "NaiveBayes"]


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        msg = f"module 'maskwise.classifiers' has no attribute {name!r}"
        raise AttributeError(msg)
    return getattr(import_module(_HOME[name]), name)


def __dir__() -> list[str]:
    return sorted(__all__)
