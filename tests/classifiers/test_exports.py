"""What the package offers."""

from __future__ import annotations

import maskwise.classifiers
import maskwise.evaluation


def test_there_is_one_of_each_classifier() -> None:
    assert maskwise.evaluation.C45Classifier is maskwise.classifiers.C45Classifier
    assert maskwise.evaluation.NaiveBayes is maskwise.classifiers.NaiveBayes
