"""The models that predict a class that is a number, by name; `learners` has those that predict classes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sklearn.base import is_regressor
from sklearn.ensemble import HistGradientBoostingRegressor
from sklearn.linear_model import LinearRegression
from sklearn.tree import DecisionTreeRegressor

from maskwise.errors import InputError, quote
from maskwise.evaluation import learners
from maskwise.evaluation.encoding import as_codes, as_numbers
from maskwise.evaluation.learners import Learner, import_model, wrap_estimator
from maskwise.evaluation.predictors import PredictorType

if TYPE_CHECKING:
    from maskwise.evaluation.predictors import Predictors

NAMES = ("tree", "linear-regression", "gradient-boosting")
_KIND = "model that predicts numbers"
_MIN_RECORDS = 10
"""The fewest training records in a leaf of a tree, which is not pruned."""


def find_regressor(wanted: Any) -> Learner:
    """Find a model by its name, its import path, or as a scikit-learn estimator.

    >>> find_regressor("tree").name
    'tree'
    """
    if not isinstance(wanted, str):
        return wrap_estimator(type(wanted).__name__, wanted, _is_regressor, _KIND)
    match wanted:
        case "tree":
            return Learner(wanted, _tree, as_numbers)
        case "linear-regression":
            return Learner(wanted, _linear, as_numbers)
        case "gradient-boosting":
            return Learner(wanted, _boosting, as_codes)
    if wanted in learners.NAMES:
        msg = f"`{wanted}` predicts classes, and the policy's class is a number. Use {quote(NAMES)}."
        raise InputError(msg)
    model = import_model(wanted, NAMES, _KIND, "sklearn.linear_model.Ridge")
    return wrap_estimator(wanted, model, _is_regressor, _KIND)


def _is_regressor(model: Any) -> bool:
    return bool(is_regressor(model))


def _tree(predictors: Predictors, seed: int) -> Any:
    del predictors
    return DecisionTreeRegressor(min_samples_leaf=_MIN_RECORDS, random_state=seed)


def _linear(predictors: Predictors, seed: int) -> Any:
    del predictors, seed
    return LinearRegression()


def _boosting(predictors: Predictors, seed: int) -> Any:
    return HistGradientBoostingRegressor(
        categorical_features=[p.type is PredictorType.CATEGORY for p in predictors], random_state=seed
    )
