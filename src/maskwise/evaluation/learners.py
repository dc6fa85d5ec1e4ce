"""The classifiers by name, and how each takes numbers, categories and ordered categories.

C4.5 and gradient boosting split an ordered category at a place in its order, as
they split numbers. Naive Bayes counts it as any category. Logistic regression,
and other models that take numbers only, get a column per category and for an
ordered one its place as well.
"""

from __future__ import annotations

from contextlib import nullcontext
from dataclasses import dataclass
from importlib import import_module
from typing import TYPE_CHECKING, Any

import numpy as np

from maskwise.errors import InputError, MaskwiseError, did_you_mean, quote
from maskwise.evaluation.view import Sort
from maskwise.values.arrow import from_numpy

if TYPE_CHECKING:
    from collections.abc import Callable
    from contextlib import AbstractContextManager

    from numpy.typing import NDArray

    from maskwise.evaluation.partition import Split
    from maskwise.evaluation.view import Seen, View

    Ints = NDArray[np.int64]

NAMES = ("c4.5", "naive-bayes", "logistic-regression", "gradient-boosting")
DEFAULT = ("c4.5", "naive-bayes")
_MOST_CATEGORIES = 254
"""Of more categories the most frequent training ones count; gradient boosting takes no more."""

_FEW_RECORDS = 100_000
"""Up to so many training records one thread is enough."""


@dataclass(frozen=True, slots=True)
class Learner:
    """A classifier that can be trained any number of times."""

    name: str
    """What tables call it."""
    make: Callable[[View, int], Any]
    """Makes an untrained classifier for these columns with this seed."""
    encode: Callable[[View, Ints], Callable[[Ints], Any]]
    """Learns from the training records how records are handed to it."""
    is_ours: bool = True
    """Whether maskwise vouches for it."""

    def predict(self, view: View, classes: Ints, split: Split, seed: int) -> Ints:
        """Learn from the training records and say the classes of the test records.

        Without a column, or with one class only, that is the most frequent class.
        """
        known = np.bincount(classes[split.train])
        if not view or np.count_nonzero(known) == 1:
            return np.full(len(split.test), known.argmax(), np.int64)
        encode = self.encode(view, split.train)
        model = self.make(view, seed)
        try:
            with _threads(len(split.train)):
                model.fit(encode(split.train), classes[split.train])
                predicted: Ints = np.asarray(model.predict(encode(split.test)))
        except Exception as error:
            if self.is_ours or isinstance(error, MaskwiseError):
                raise
            # Its message may quote a cell.
            msg = f"The classifier `{self.name}` failed on these records ({type(error).__name__}). Choose another."
            raise InputError(msg) from None
        return predicted


def _threads(n_train: int) -> AbstractContextManager[Any]:
    """One thread for few records: on a busy machine several wait for each other, ten times as long at 30,000."""
    from threadpoolctl import threadpool_limits  # noqa: PLC0415 - comes with scikit-learn

    return threadpool_limits(1) if n_train <= _FEW_RECORDS else nullcontext()


def learner(wanted: Any) -> Learner:
    """Find a classifier by its name, its import path, or as a scikit-learn estimator.

    >>> learner("naive-bayes").name
    'naive-bayes'
    """
    if not isinstance(wanted, str):
        return _estimator(type(wanted).__name__, wanted)
    try:
        import sklearn  # noqa: PLC0415 - heavy and optional
    except ImportError:
        msg = 'Evaluating needs the `sklearn` extra. Install it with: pip install "maskwise[sklearn]"'
        raise InputError(msg) from None
    del sklearn
    match wanted:
        case "c4.5":
            return Learner(wanted, _c45, lambda view, train: _as_frame(view, train, is_ordered=True))
        case "naive-bayes":
            return Learner(wanted, _naive_bayes, lambda view, train: _as_frame(view, train, is_ordered=False))
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
    return _estimator(wanted, _imported(wanted, module, name))


def _imported(path: str, module: str, name: str) -> Any:
    try:
        found = getattr(import_module(module), name)
    except (ImportError, AttributeError, ValueError):
        msg = f"The classifier `{path}` cannot be imported. Is its package installed, and the path right?"
        raise InputError(msg) from None
    try:
        return found()
    except Exception as error:  # noqa: BLE001 - any class may be named
        msg = f"`{path}` cannot be made without arguments ({type(error).__name__}). Name a class that can."
        raise InputError(msg) from None


def _estimator(name: str, model: Any) -> Learner:
    from sklearn.base import clone, is_classifier  # noqa: PLC0415 - heavy and optional
    from sklearn.utils import get_tags  # noqa: PLC0415 - as above

    try:
        is_one = hasattr(model, "fit") and hasattr(model, "predict") and is_classifier(model)
    except Exception:  # noqa: BLE001 - any object may be named
        is_one = False
    if not is_one:
        msg = f"`{name}` is no scikit-learn classifier. Name a class with fit and predict that predicts classes."
        raise InputError(msg)

    def make(view: View, seed: int) -> Any:
        del view
        fresh = clone(model)
        return fresh.set_params(random_state=seed) if fresh.get_params().get("random_state", 0) is None else fresh

    takes_text = get_tags(model).input_tags.string
    encode = (lambda view, train: _as_frame(view, train, is_ordered=True)) if takes_text else _as_numbers
    return Learner(name, make, encode, is_ours=False)


def _c45(view: View, seed: int) -> Any:
    from maskwise.classifiers import C45Classifier  # noqa: PLC0415 - heavy and optional

    del view, seed
    return C45Classifier()


def _naive_bayes(view: View, seed: int) -> Any:
    from maskwise.classifiers import NaiveBayes  # noqa: PLC0415 - heavy and optional

    del view, seed
    return NaiveBayes()


def _logistic(view: View, seed: int) -> Any:
    from sklearn.linear_model import LogisticRegression  # noqa: PLC0415 - heavy and optional

    del view
    return LogisticRegression(max_iter=1000, random_state=seed)


def _boosting(view: View, seed: int) -> Any:
    from sklearn.ensemble import HistGradientBoostingClassifier  # noqa: PLC0415 - heavy and optional

    return HistGradientBoostingClassifier(
        categorical_features=[seen.sort is Sort.CATEGORY for seen in view], random_state=seed
    )


def _as_frame(view: View, train: Ints, *, is_ordered: bool) -> Callable[[Ints], Any]:
    """An Arrow table: categories are text, numbers are numbers, ordered categories are their places or text."""
    import pyarrow as pa  # noqa: PLC0415 - heavy

    del train

    def column(seen: Seen, rows: Ints) -> Any:
        values = seen.values[rows]
        if seen.sort is Sort.NUMBER or (seen.sort is Sort.ORDERED and is_ordered):
            return from_numpy(values)
        texts = np.array([*seen.labels, None], object)
        places = np.where(np.isnan(values), len(seen.labels), values).astype(np.int64)
        return pa.array(texts[places], pa.large_string())

    return lambda rows: pa.table({seen.name: column(seen, rows) for seen in view})


def _as_codes(view: View, train: Ints) -> Callable[[Ints], NDArray[np.float64]]:
    """A matrix of numbers, places in an order, and codes of categories; rare categories are missing."""
    codes = [_frequent(seen, train) if seen.sort is Sort.CATEGORY else None for seen in view]

    def matrix(rows: Ints) -> NDArray[np.float64]:
        columns = []
        for seen, at in zip(view, codes, strict=True):
            values = seen.values[rows]
            columns.append(values if at is None else at[np.where(np.isnan(values), -1, values).astype(np.int64)])
        return np.column_stack(columns)

    return matrix


def _as_numbers(view: View, train: Ints) -> Callable[[Ints], NDArray[np.float64]]:
    """A matrix for models that take numbers only.

    A number has mean 0 and deviation 1, with 0 and a mark of its own where it
    is missing; a category is a column of 0 and 1, a missing cell one of them; an
    ordered category has its place as well.
    """
    made = [part for seen in view for part in _number_columns(seen, train)]

    def matrix(rows: Ints) -> NDArray[np.float64]:
        return np.column_stack([part(rows) for part in made]) if made else np.zeros((len(rows), 1))

    return matrix


def _number_columns(seen: Seen, train: Ints) -> list[Callable[[Ints], NDArray[np.float64]]]:
    values, learned = seen.values, seen.values[train]
    is_missing = np.isnan(learned)
    made: list[Callable[[Ints], NDArray[np.float64]]] = []
    if seen.sort is not Sort.CATEGORY and not is_missing.all():
        mean, deviation = np.nanmean(learned), np.nanstd(learned) or 1.0
        made.append(lambda rows: np.nan_to_num((values[rows] - mean) / deviation))
    if is_missing.any():
        made.append(lambda rows: np.isnan(values[rows]).astype(np.float64))
    if seen.sort is not Sort.NUMBER:
        codes = _frequent(seen, train)
        n_codes = int(np.nan_to_num(codes, nan=-1).max()) + 1

        def marks(rows: Ints) -> NDArray[np.float64]:
            places = np.where(np.isnan(values[rows]), -1, values[rows]).astype(np.int64)
            found: NDArray[np.float64] = (codes[places][:, None] == np.arange(n_codes)).astype(np.float64)
            return found

        if n_codes:
            made.append(marks)
    return made


def _frequent(seen: Seen, train: Ints) -> NDArray[np.float64]:
    """A code for each label that training records have, the most frequent first; NaN for others, and for place -1."""
    learned = seen.values[train]
    counts = np.bincount(learned[~np.isnan(learned)].astype(np.int64), minlength=len(seen.labels))
    order = np.argsort(-counts, kind="stable")[:_MOST_CATEGORIES]
    order = order[counts[order] > 0]
    codes = np.full(len(seen.labels) + 1, np.nan)
    codes[order] = np.arange(len(order))
    return codes
