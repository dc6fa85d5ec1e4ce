"""Classifiers of our own, one of each kind in the whole project.

Train:
    C45Classifier: The decision tree that the papers measure with.
    NaiveBayes: The papers' other one, for numbers and categories together.

Both are scikit-learn classifiers; `columns` and `sklearn_input` read and check the tables they are
given.
"""

from __future__ import annotations

from maskwise.classifiers.c45.classifier import C45Classifier
from maskwise.classifiers.naive_bayes import NaiveBayes

__all__ = ["C45Classifier", "NaiveBayes"]
