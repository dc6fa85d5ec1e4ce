"""What is measured of predictions: each metric with the interval that test records leave open.

A metric gives a figure, and for each test record how much it moves the figure
(its influence). The standard error of the figure is that of the mean of the
influences, so an interval takes one pass over the records and nothing random. For
the area under the curve this is DeLong's interval (1988), for a mean the usual
one. The error has Wilson's interval, which is right for few records too.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from maskwise.errors import InputError, did_you_mean, quote
from maskwise.evaluation.records import DEVIATE, wilson

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from numpy.typing import NDArray

    Floats = NDArray[np.float64]
    Ints = NDArray[np.int64]

N_BINS = 10
"""Into so many bins of equal width the chances are put, to compare them with what came."""
_SMALLEST = float(np.finfo(np.float64).eps)
"""A smaller chance counts as this, so that one sure mistake does not cost infinitely much."""
_ALL = "all"


@dataclass(frozen=True, slots=True)
class Predictions:
    """What was predicted of test records, and what they are."""

    expected: NDArray[np.int64] | NDArray[np.float64]  # (n_records,)
    """The class of each record, or its number."""
    predicted: NDArray[np.int64] | NDArray[np.float64]  # (n_records,)
    """What was predicted."""
    chances: Floats | None = None  # (n_records, n_classes)
    """The chance of each class; None if no metric asks for it, and for numbers."""
    watched: tuple[int, ...] = ()
    """The classes whose F1 and chances are looked at: the rarer of two, or all."""

    def take(self, rows: NDArray[Any]) -> Predictions:
        """Those of some records."""
        chances = None if self.chances is None else self.chances[rows]
        return replace(self, expected=self.expected[rows], predicted=self.predicted[rows], chances=chances)

    @property
    def n_records(self) -> int:
        """The number of records."""
        return len(self.expected)


@dataclass(frozen=True, slots=True)
class Figure:
    """A figure and its 95 % interval."""

    value: float
    low: float
    high: float


@dataclass(frozen=True, slots=True)
class Metric:
    """One way to judge predictions."""

    name: str
    """What the option calls it."""
    title: str
    """What tables and pictures call it, with its unit."""
    compute: Callable[[Predictions], tuple[float, Floats] | None]
    """The figure and each record's influence on it; None if these records have none."""
    limits: tuple[float, float]
    """The least and the largest figure that there can be."""
    needs_chances: bool = False
    """Whether the chance of each class is looked at, and not only the likeliest."""
    of_numbers: bool = False
    """Whether it is for a class that is a number."""
    has_wilson: bool = False
    """Whether the figure is a share in percent, with Wilson's interval."""

    def figure(self, predictions: Predictions) -> Figure | None:
        """The figure of some records with its interval; None if they have none."""
        n = predictions.n_records
        found = self.compute(predictions) if n else None
        if found is None:
            return None
        value, influence = found
        if self.has_wilson:
            n_wrong = round(value * n / 100)
            low, high = wilson(n_wrong, n)
            return Figure(100 * n_wrong / n, 100 * low, 100 * high)
        half_length = DEVIATE * math.sqrt(float(np.square(influence).sum())) / n
        return Figure(value, max(value - half_length, self.limits[0]), min(value + half_length, self.limits[1]))


def find_metrics(wanted: str | Iterable[str], *, of_numbers: bool = False) -> tuple[Metric, ...]:
    """Find metrics by their names, each once; `all` stands for all that the kind of class has.

    Args:
        wanted: The names, or a text such as `error,auc`; nothing takes the default.
        of_numbers: Whether the class is a number.

    >>> [metric.name for metric in find_metrics("auc,error")]
    ['auc', 'error']
    >>> [metric.name for metric in find_metrics((), of_numbers=True)]
    ['mae', 'r2']
    """
    texts = [wanted] if isinstance(wanted, str) else wanted
    names = [part.strip() for text in texts for part in text.split(",")]
    fitting = {metric.name: metric for metric in METRICS if metric.of_numbers is of_numbers}
    if not names:
        names = list(fitting) if of_numbers else ["error"]
    found: dict[str, Metric] = {}
    for name in names:
        if name == _ALL:
            found |= fitting
            continue
        if name not in fitting:
            raise InputError(_refusal(name, of_numbers=of_numbers))
        found[name] = fitting[name]
    return tuple(found.values())


def _refusal(name: str, *, of_numbers: bool) -> str:
    known = [metric.name for metric in METRICS if metric.of_numbers is of_numbers]
    if name in {metric.name for metric in METRICS}:
        kind, other = ("a number", "classes") if of_numbers else ("no number", "a class that is a number")
        return f"The measure `{name}` is for {other}, and the policy's class is {kind}. Use {quote(known)}."
    return f"There is no measure `{name}`. Known are {quote((*known, _ALL))}.{did_you_mean(name, (*known, _ALL))}"


def _error(given: Predictions) -> tuple[float, Floats]:
    is_wrong = 100.0 * (given.expected != given.predicted)
    value = float(is_wrong.mean())
    return value, is_wrong - value


def _balanced_error(given: Predictions) -> tuple[float, Floats]:
    """The mean over classes of the error among the records of each."""
    is_wrong = 100.0 * (given.expected != given.predicted)
    classes, of_record, counts = np.unique(given.expected, return_inverse=True, return_counts=True)
    errors = np.bincount(of_record, is_wrong) / counts
    share = counts / given.n_records
    return float(errors.mean()), (is_wrong - errors[of_record]) / share[of_record] / len(classes)


def _f1(given: Predictions) -> tuple[float, Floats] | None:
    """F1 of the rarer of two classes, or the mean over all classes that occur; None if none is there or predicted."""
    n = given.n_records
    occurring = np.union1d(given.expected, given.predicted)
    classes = [c for c in given.watched if c in occurring]
    if not classes:
        return None
    total, influence = 0.0, np.zeros(n)
    for c in classes:
        is_class, is_said = given.expected == c, given.predicted == c
        hits, weight = 1.0 * (is_class & is_said), 1.0 * is_class + is_said
        both = weight.sum()
        if both:
            value = 2 * float(hits.sum() / both)
            total += value / len(classes)
            influence += n / both * (2 * hits - value * weight) / len(classes)
    return total, influence


def _log_loss(given: Predictions) -> tuple[float, Floats]:
    assert given.chances is not None  # noqa: S101 - it needs chances
    said = given.chances[np.arange(given.n_records), given.expected.astype(np.int64)]
    losses = -np.log(np.clip(said, _SMALLEST, 1 - _SMALLEST))
    value = float(losses.mean())
    return value, losses - value


def _auc(given: Predictions) -> tuple[float, Floats] | None:
    """The area under the curve of each class against the rest, weighted by the shares of the classes."""
    assert given.chances is not None  # noqa: S101 - it needs chances
    n = given.n_records
    value, influence = 0.0, np.zeros(n)
    classes = np.unique(given.expected)
    if len(classes) < 2:  # noqa: PLR2004 - nothing to tell apart
        return None
    for c in classes.tolist():
        is_class = given.expected == c
        share = float(is_class.mean())
        area, moved = _area(given.chances[:, c], is_class)
        value += share * area
        influence += share * moved + (is_class - share) * area
    return value, influence


def _area(scores: Floats, is_class: NDArray[np.bool_]) -> tuple[float, Floats]:
    """The area under the curve of one class, and each record's influence on it, so that DeLong's variance results.

    A record's part of the area is the share of the other side's records that it stands above (or below), a tie
    counting half.
    """
    n, n_in = len(scores), int(is_class.sum())
    n_out = n - n_in
    inside, outside = np.sort(scores[is_class]), np.sort(scores[~is_class])
    beaten = (np.searchsorted(outside, scores, "left") + np.searchsorted(outside, scores, "right")) / (2 * n_out)
    beating = 1 - (np.searchsorted(inside, scores, "left") + np.searchsorted(inside, scores, "right")) / (2 * n_in)
    area = float(beaten[is_class].mean())
    # DeLong divides sums of squares by one less than the number of records.
    of_in = n / n_in * math.sqrt(n_in / max(n_in - 1, 1))
    of_out = n / n_out * math.sqrt(n_out / max(n_out - 1, 1))
    return area, np.where(is_class, (beaten - area) * of_in, (beating - area) * of_out)


def _calibration(given: Predictions) -> tuple[float, Floats]:
    """How far chances are from what comes: in each bin of chances the mean difference, over all records.

    Of two classes the chances of the rarer one are looked at; of more, those of each class, weighted by its share.
    """
    assert given.chances is not None  # noqa: S101 - it needs chances
    value, influence = 0.0, np.zeros(given.n_records)
    is_alone = len(given.watched) == 1
    for c in given.watched:
        is_class = given.expected == c
        share = 1.0 if is_alone else float(is_class.mean())
        said = given.chances[:, c]
        bins = np.minimum((said * N_BINS).astype(np.int64), N_BINS - 1)
        difference = said - is_class
        sign = np.sign(np.bincount(bins, difference, N_BINS))
        of_record = sign[bins] * difference
        value += share * float(of_record.mean())
        influence += share * (of_record - of_record.mean())
        influence += 0.0 if is_alone else (is_class - share) * of_record.mean()
    return value, influence


def _mean_absolute_error(given: Predictions) -> tuple[float, Floats]:
    losses = np.abs(given.expected - given.predicted).astype(np.float64)
    value = float(losses.mean())
    return value, losses - value


def _r2(given: Predictions) -> tuple[float, Floats] | None:
    """One less the share of the numbers' variance that predictions leave open."""
    left_open = np.square(given.expected - given.predicted)
    spread = np.square(given.expected - given.expected.mean())
    if not spread.any():
        return None
    ratio = float(left_open.mean() / spread.mean())
    return 1 - ratio, (ratio * spread - left_open) / spread.mean()


METRICS = (
    Metric("error", "error, %", _error, (0.0, 100.0), has_wilson=True),
    Metric("auc", "area under the curve", _auc, (0.0, 1.0), needs_chances=True),
    Metric("logloss", "log-loss", _log_loss, (0.0, math.inf), needs_chances=True),
    Metric("f1", "F1", _f1, (0.0, 1.0)),
    Metric("balanced", "balanced error, %", _balanced_error, (0.0, 100.0)),
    Metric("calibration", "calibration error", _calibration, (0.0, 1.0), needs_chances=True),
    Metric("mae", "mean absolute error", _mean_absolute_error, (0.0, math.inf), of_numbers=True),
    Metric("r2", "R²", _r2, (-math.inf, 1.0), of_numbers=True),
)
"""All metrics, in the order of `all`."""
