"""The classifiers by name, and which encoding of the predictors each of them gets.

C4.5 and gradient boosting split an ordered category at a position in its order,
as they split numbers. Naive Bayes counts it as any category. Logistic
regression, and other models that take numbers only, get a column per category,
and for an ordered one its position as well.
"""

from __future__ import annotations

from contextlib import contextmanager, nullcontext
from dataclasses import dataclass
from importlib import import_module
from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.base import clone, is_classifier
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.utils import get_tags
from threadpoolctl import threadpool_limits

from maskwise.classifiers.c45.classifier import C45Classifier
from maskwise.classifiers.naive_bayes import NaiveBayes
from maskwise.errors import InputError, MaskwiseError, did_you_mean, quote
from maskwise.evaluation.encoding import as_codes, as_frame, as_numbers
from maskwise.evaluation.predictors import PredictorType

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from contextlib import AbstractContextManager

    from numpy.typing import NDArray

    from maskwise.evaluation.partition import TrainTestSplit
    from maskwise.evaluation.predictors import Predictors

    Floats = NDArray[np.float64]
    Ints = NDArray[np.int64]

NAMES = ("c4.5", "naive-bayes", "logistic-regression", "gradient-boosting")
DEFAULT = ("c4.5", "naive-bayes")
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
        return self.predict_chances(predictors, classes, split, seed, None)[0]

    @property
    def tells_chances(self) -> bool:
        """Whether it tells how likely each class is."""
        return self.is_builtin or hasattr(self.make((), 0), "predict_proba")

    def predict_chances(
        self, predictors: Predictors, classes: Ints, split: TrainTestSplit, seed: int, n_classes: int | None
    ) -> tuple[Ints, Floats | None]:
        """Train once, and predict the classes of the test records and the chance of each class.

        Args:
            predictors: What the class is predicted from.
            classes: The class of each record.
            split: Which records are for training and which for testing.
            seed: Makes the classifier repeatable.
            n_classes: How many classes there are, also those that no training record has; None leaves out the chances.
        """
        counts = np.bincount(classes[split.train], minlength=n_classes or 0)
        n_test = len(split.test)
        if not predictors or np.count_nonzero(counts) == 1:
            chances = None if n_classes is None else np.tile(counts / counts.sum(), (n_test, 1))
            return np.full(n_test, counts.argmax(), np.int64), chances
        with self._naming_failures():
            encode = self.encode(predictors, split.train)
            model = self.make(predictors, seed)
            if n_classes is not None and not hasattr(model, "predict_proba"):
                msg = f"The classifier `{self.name}` tells no chances. Measure `error`, or choose another classifier."
                raise InputError(msg)
            with limit_threads(len(split.train)):
                model.fit(encode(split.train), classes[split.train])
                tested = encode(split.test)
                predicted: Ints = np.asarray(model.predict(tested))
                if n_classes is None:
                    return predicted, None
                chances = np.zeros((n_test, n_classes))
                chances[:, np.asarray(model.classes_)] = model.predict_proba(tested)
        return predicted, chances

    def predict_numbers(self, predictors: Predictors, numbers: Floats, split: TrainTestSplit, seed: int) -> Floats:
        """Train on the training records and predict the numbers of the test records; without a predictor the mean."""
        if not predictors:
            return np.full(len(split.test), numbers[split.train].mean())
        with self._naming_failures(), limit_threads(len(split.train)):
            encode = self.encode(predictors, split.train)
            model = self.make(predictors, seed).fit(encode(split.train), numbers[split.train])
            return np.asarray(model.predict(encode(split.test)), np.float64)

    @contextmanager
    def _naming_failures(self) -> Iterator[None]:
        """Name a model of the caller's that fails; its own message may quote a cell."""
        try:
            yield
        except Exception as error:
            if self.is_builtin or isinstance(error, MaskwiseError):
                raise
            msg = f"The classifier `{self.name}` failed on these records ({type(error).__name__}). Choose another."
            raise InputError(msg) from None


def limit_threads(n_train: int) -> AbstractContextManager[Any]:
    """Use one thread for few records: on a busy machine several threads took ten times as long at 30,000 records."""
    return threadpool_limits(1) if n_train <= _MAX_RECORDS_ONE_THREAD else nullcontext()


def find_learner(wanted: Any) -> Learner:
    """Find a classifier by its name, its import path, or as a scikit-learn estimator.

    >>> find_learner("naive-bayes").name
    'naive-bayes'
    """
    if not isinstance(wanted, str):
        return wrap_estimator(type(wanted).__name__, wanted, _is_classifier, "classifier")
    match wanted:
        case "c4.5":
            return Learner(wanted, _c45, lambda predictors, train: as_frame(predictors, train, is_ordered=True))
        case "naive-bayes":
            return Learner(
                wanted, _naive_bayes, lambda predictors, train: as_frame(predictors, train, is_ordered=False)
            )
        case "logistic-regression":
            return Learner(wanted, _logistic, as_numbers)
        case "gradient-boosting":
            return Learner(wanted, _boosting, as_codes)
    example = "sklearn.tree.DecisionTreeClassifier"
    return wrap_estimator(wanted, import_model(wanted, NAMES, "classifier", example), _is_classifier, "classifier")


def _is_classifier(model: Any) -> bool:
    return bool(is_classifier(model))


def import_model(path: str, known: Sequence[str], kind: str, example: str) -> Any:
    """Import a class by its path and make a model of it.

    Args:
        path: The path, such as `package.module.Class` or `package.module:Class`.
        known: The models that have a name, for the message that refuses another.
        kind: What is asked for.
        example: A path that could be given.
    """
    module, dot, name = path.rpartition(":" if ":" in path else ".")
    if not dot or not module:
        msg = (
            f"There is no {kind} `{path}`. Known are {quote(known)}, and any scikit-learn {kind} by its "
            f"import path, such as {example}.{did_you_mean(path, known)}"
        )
        raise InputError(msg)
    try:
        make = getattr(import_module(module), name)
    except (ImportError, AttributeError, ValueError):
        msg = f"The {kind} `{path}` cannot be imported. Is its package installed, and the path right?"
        raise InputError(msg) from None
    try:
        return make()
    except Exception as error:  # noqa: BLE001 - any class may be named
        msg = f"`{path}` cannot be made without arguments ({type(error).__name__}). Name a class that can."
        raise InputError(msg) from None


def wrap_estimator(name: str, model: Any, is_kind: Callable[[Any], bool], kind: str) -> Learner:
    """Make a learner of a scikit-learn model.

    Args:
        name: What the results call it.
        model: The model; copies of it are trained.
        is_kind: Whether a model is one of those that are asked for.
        kind: What those are, for the message that refuses another.
    """
    try:
        is_usable = hasattr(model, "fit") and hasattr(model, "predict") and is_kind(model)
    except Exception:  # noqa: BLE001 - any object may be named
        is_usable = False
    if not is_usable:
        predicts = "classes" if kind == "classifier" else "numbers"
        msg = f"`{name}` is no scikit-learn {kind}. Name a class with fit and predict that predicts {predicts}."
        raise InputError(msg)

    def make(predictors: Predictors, seed: int) -> Any:
        del predictors
        fresh = clone(model)
        return fresh.set_params(random_state=seed) if fresh.get_params().get("random_state", 0) is None else fresh

    takes_text = get_tags(model).input_tags.string
    encode = (lambda predictors, train: as_frame(predictors, train, is_ordered=True)) if takes_text else as_numbers
    return Learner(name, make, encode, is_builtin=False)


def _c45(predictors: Predictors, seed: int) -> Any:
    del predictors, seed
    return C45Classifier(laplace=True)


def _naive_bayes(predictors: Predictors, seed: int) -> Any:
    del predictors, seed
    return NaiveBayes()


def _logistic(predictors: Predictors, seed: int) -> Any:
    del predictors
    return LogisticRegression(max_iter=1000, random_state=seed)


def _boosting(predictors: Predictors, seed: int) -> Any:
    return HistGradientBoostingClassifier(
        categorical_features=[p.type is PredictorType.CATEGORY for p in predictors], random_state=seed
    )
