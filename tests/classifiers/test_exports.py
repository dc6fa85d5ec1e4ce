"""What the package offers, and what importing it costs."""

from __future__ import annotations

import subprocess
import sys

import pytest

import maskwise.classifiers
import maskwise.evaluation


def test_importing_the_package_imports_nothing_heavy() -> None:
    heavy = ("sklearn", "numba", "numpy")
    packages = "maskwise, maskwise.classifiers, maskwise.evaluation"
    code = f"import sys, {packages}; print([m for m in {heavy} if m in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
    for package in (maskwise.classifiers, maskwise.evaluation):
        assert {"C45Classifier", "NaiveBayes"} <= set(dir(package))
        with pytest.raises(AttributeError):
            _ = package.nonsense


def test_there_is_one_of_each_classifier() -> None:
    assert maskwise.evaluation.C45Classifier is maskwise.classifiers.C45Classifier
    assert maskwise.evaluation.NaiveBayes is maskwise.classifiers.NaiveBayes
