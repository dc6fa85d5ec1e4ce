"""C4.5 as scikit-learn wants it."""

from __future__ import annotations

from typing import Any

from sklearn.base import clone
from sklearn.model_selection import cross_val_score
from sklearn.utils.estimator_checks import parametrize_with_checks

from maskwise.classifiers.c45.classifier import C45Classifier
from tests.classifiers.tables import PLAY, WEATHER


@parametrize_with_checks([C45Classifier()])
def test_scikit_learns_own_checks(estimator: Any, check: Any) -> None:
    check(estimator)


def test_cloning_and_cross_validation() -> None:
    tree = C45Classifier(min_records=3, cf=0.1).fit(WEATHER, PLAY)
    fresh = clone(tree)
    assert fresh.get_params() == {"min_records": 3, "cf": 0.1, "laplace": False}
    assert not hasattr(fresh, "tree_")
    assert cross_val_score(C45Classifier(), WEATHER, PLAY, cv=3).shape == (3,)
