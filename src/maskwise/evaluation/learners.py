"""The classifiers by name, and how predictors are encoded for each of them.

C4.5 and gradient boosting split an ordered category at a position in its order,
as they split numbers. Naive Bayes counts it as any category. Logistic
regression, and other models that take numbers only, get a column per category,
and for an ordered one its position as well.
"""

from __future__ import annotations

from contextlib import nullcontext
from dataclasses import dataclass
from importlib import import_module
from typing import TYPE_CHECKING, Any

import numpy as np

from maskwise.errors import InputError, MaskwiseError, did_you_mean, quote
from maskwise.evaluation.predictors import PredictorType
from maskwise.values.arrow import from_numpy

if TYPE_CHECKING:
    from collections.abc import Callable
    from contextlib import AbstractContextManager

    from numpy.typing import NDArray

    from maskwise.evaluation.partition import TrainTestSplit
    from maskwise.evaluation.predictors import Predictor, Predictors

    Ints = NDArray[np.int64]

NAMES = ("c4.5", "naive-bayes", "logistic-regression", "gradient-boosting")
DEFAULT = ("c4.5", "naive-bayes")
_MAX_CATEGORIES = 254
"""Gradient boosting takes no more; of a predictor with more, only the most frequent are encoded."""

_MAX_RECORDS_ONE_THREAD = 100_000
"""Up to this number of training records one thread is used."""


@dataclass(frozen=True, slots=True)
class Learner:
    """A classifier that can be trained any number of times."""

    name: str
    """Its name in the results."""
    make: Callable[[Predictors, int], Any]
    """Makes an untrained classifier for these predictors with this seed."""
    encode: Callable[[Predictors, Ints], Callable[[Ints], Any]]
    """Learns from the training records how to encode records; returns the function that encodes them."""
    is_builtin: bool = True
    """Whether it is one of the classifiers that maskwise names; a failure of another one is the caller's."""

    def predict(self, predictors: Predictors, classes: Ints, split: TrainTestSplit, seed: int) -> Ints:
        """Train on the training records and predict the classes of the test records.

        Without a predictor, or with a single class, predict the most frequent class.
        """
        counts = np.bincount(classes[split.train])
        if not predictors or np.count_nonzero(counts) == 1:
            return np.full(len(split.test), counts.argmax(), np.int64)
        encode = self.encode(predictors, split.train)
        model = self.make(predictors, seed)
        try:
            with _threads(len(split.train)):
                model.fit(encode(split.train), classes[split.train])
                predicted: Ints = np.asarray(model.predict(encode(split.test)))
        except Exception as error:
            if self.is_builtin or isinstance(error, MaskwiseError):
                raise
            # Its own message may quote a cell.
            msg = f"The classifier `{self.name}` failed on these records ({type(error).__name__}). Choose another."
            raise InputError(msg) from None
        return predicted


def _threads(n_train: int) -> AbstractContextManager[Any]:
    """Use one thread for few records: on a busy machine several threads took ten times as long at 30,000 records."""
    from threadpoolctl import threadpool_limits  # noqa: PLC0415 - comes with scikit-learn

    return threadpool_limits(1) if n_train <= _MAX_RECORDS_ONE_THREAD else nullcontext()


def find_learner(wanted: Any) -> Learner:
    """Find a classifier by its name, its import path, or as a scikit-learn estimator.

    >>> find_learner("naive-bayes").name
    'naive-bayes'
    """
    if not isinstance(wanted, str):
        return _wrap_estimator(type(wanted).__name__, wanted)
    try:
        import sklearn  # noqa: PLC0415 - heavy and optional
    except ImportError:
        msg = 'Evaluating needs the `sklearn` extra. Install it with: pip install "maskwise[sklearn]"'
        raise InputError(msg) from None
    del sklearn
    match wanted:
        case "c4.5":
            return Learner(wanted, _c45, lambda predictors, train: _as_frame(predictors, train, is_ordered=True))
        case "naive-bayes":
            return Learner(
                wanted, _naive_bayes, lambda predictors, train: _as_frame(predictors, train, is_ordered=False)
            )
        case "logistic-regression":
            return Learner(wanted, _logistic, _as_numbers)
        case "gradient-boosting":
            return Learner(wanted, _boosting, _as_codes)
    module, dot, name = wanted.rpartition(":" if ":" in wanted else ".")
    if not dot or not module:
        msg = (
            f"There is no classifier `{wanted}`. Known are {quote(NAMES)}, and any scikit-learn classifier by its "
            f"import path, such as sklearn.tree.DecisionTreeClassifier.{did_you_mean(wanted, NAMES)}"
        )
        raise InputError(msg)
    return _wrap_estimator(wanted, _import_classifier(wanted, module, name))


def _import_classifier(path: str, module: str, name: str) -> Any:
    try:
        make = getattr(import_module(module), name)
    except (ImportError, AttributeError, ValueError):
        msg = f"The classifier `{path}` cannot be imported. Is its package installed, and the path right?"
        raise InputError(msg) from None
    try:
        return make()
    except Exception as error:  # noqa: BLE001 - any class may be named
        msg = f"`{path}` cannot be made without arguments ({type(error).__name__}). Name a class that can."
        raise InputError(msg) from None


def _wrap_estimator(name: str, model: Any) -> Learner:
    from sklearn.base import clone, is_classifier  # noqa: PLC0415 - heavy and optional
    from sklearn.utils import get_tags  # noqa: PLC0415 - as above

    try:
        is_sklearn_classifier = hasattr(model, "fit") and hasattr(model, "predict") and is_classifier(model)
    except Exception:  # noqa: BLE001 - any object may be named
        is_sklearn_classifier = False
    if not is_sklearn_classifier:
        msg = f"`{name}` is no scikit-learn classifier. Name a class with fit and predict that predicts classes."
        raise InputError(msg)

    def make(predictors: Predictors, seed: int) -> Any:
        del predictors
        fresh = clone(model)
        return fresh.set_params(random_state=seed) if fresh.get_params().get("random_state", 0) is None else fresh

    takes_text = get_tags(model).input_tags.string
    encode = (lambda predictors, train: _as_frame(predictors, train, is_ordered=True)) if takes_text else _as_numbers
    return Learner(name, make, encode, is_builtin=False)


def _c45(predictors: Predictors, seed: int) -> Any:
    from maskwise.classifiers import C45Classifier  # noqa: PLC0415 - heavy and optional

    del predictors, seed
    return C45Classifier()


def _naive_bayes(predictors: Predictors, seed: int) -> Any:
    from maskwise.classifiers import NaiveBayes  # noqa: PLC0415 - heavy and optional

    del predictors, seed
    return NaiveBayes()


def _logistic(predictors: Predictors, seed: int) -> Any:
    from sklearn.linear_model import LogisticRegression  # noqa: PLC0415 - heavy and optional

    del predictors
    return LogisticRegression(max_iter=1000, random_state=seed)


def _boosting(predictors: Predictors, seed: int) -> Any:
    from sklearn.ensemble import HistGradientBoostingClassifier  # noqa: PLC0415 - heavy and optional

    return HistGradientBoostingClassifier(
        categorical_features=[p.type is PredictorType.CATEGORY for p in predictors], random_state=seed
    )


def _as_frame(predictors: Predictors, train: Ints, *, is_ordered: bool) -> Callable[[Ints], Any]:
    """Encode as an Arrow table: categories as text, numbers as numbers, ordered categories as positions or text."""
    import pyarrow as pa  # noqa: PLC0415 - heavy

    del train

    def column(predictor: Predictor, rows: Ints) -> Any:
        values = predictor.values[rows]
        if predictor.type is PredictorType.NUMBER or (predictor.type is PredictorType.ORDERED and is_ordered):
            return from_numpy(values)
        texts = np.array([*predictor.labels, None], object)
        codes = np.where(np.isnan(values), len(predictor.labels), values).astype(np.int64)
        return pa.array(texts[codes], pa.large_string())

    return lambda rows: pa.table({predictor.name: column(predictor, rows) for predictor in predictors})


def _as_codes(predictors: Predictors, train: Ints) -> Callable[[Ints], NDArray[np.float64]]:
    """Encode as a matrix of numbers, positions in an order, and codes of categories; rare categories are missing."""
    codes = [
        _codes_by_frequency(predictor, train) if predictor.type is PredictorType.CATEGORY else None
        for predictor in predictors
    ]

    def matrix(rows: Ints) -> NDArray[np.float64]:
        columns = []
        for predictor, code_of in zip(predictors, codes, strict=True):
            values = predictor.values[rows]
            columns.append(values if code_of is None else code_of[_label_index(values)])
        return np.column_stack(columns)

    return matrix


def _as_numbers(predictors: Predictors, train: Ints) -> Callable[[Ints], NDArray[np.float64]]:
    """Encode as a matrix for models that take numbers only.

    A number is scaled to mean 0 and deviation 1. A missing one is 0, and a column
    of 0 and 1 marks it. A category is a column of 0 and 1 for each label. An
    ordered category has its scaled position as well.
    """
    encoders = [encoder for predictor in predictors for encoder in _number_encoders(predictor, train)]

    def matrix(rows: Ints) -> NDArray[np.float64]:
        if not encoders:
            return np.zeros((len(rows), 1))
        return np.column_stack([encoder(rows) for encoder in encoders])

    return matrix


def _number_encoders(predictor: Predictor, train: Ints) -> list[Callable[[Ints], NDArray[np.float64]]]:
    values, in_training = predictor.values, predictor.values[train]
    is_missing = np.isnan(in_training)
    encoders: list[Callable[[Ints], NDArray[np.float64]]] = []
    if predictor.type is not PredictorType.CATEGORY and not is_missing.all():
        mean, deviation = np.nanmean(in_training), np.nanstd(in_training) or 1.0
        encoders.append(lambda rows: np.nan_to_num((values[rows] - mean) / deviation))
    if is_missing.any():
        encoders.append(lambda rows: np.isnan(values[rows]).astype(np.float64))
    if predictor.type is not PredictorType.NUMBER:
        codes = _codes_by_frequency(predictor, train)
        n_codes = int(np.nan_to_num(codes, nan=-1).max()) + 1

        def indicators(rows: Ints) -> NDArray[np.float64]:
            is_label = codes[_label_index(values[rows])][:, None] == np.arange(n_codes)
            return np.asarray(is_label, np.float64)

        if n_codes:
            encoders.append(indicators)
    return encoders


def _label_index(values: NDArray[np.float64]) -> Ints:
    """The index of each label; -1 where a cell is missing."""
    return np.where(np.isnan(values), -1, values).astype(np.int64)


def _codes_by_frequency(predictor: Predictor, train: Ints) -> NDArray[np.float64]:
    """The code of each label, by its frequency in training records; NaN if none has it, and at index -1."""
    in_training = predictor.values[train]
    counts = np.bincount(in_training[~np.isnan(in_training)].astype(np.int64), minlength=len(predictor.labels))
    order = np.argsort(-counts, kind="stable")[:_MAX_CATEGORIES]
    order = order[counts[order] > 0]
    codes = np.full(len(predictor.labels) + 1, np.nan)
    codes[order] = np.arange(len(order))
    return codes
