"""Train and test: every classifier once for each way of masking, every measure from the same predictions."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from maskwise.errors import InfeasibleError
from maskwise.evaluation.groupings import MIN_RECORDS
from maskwise.evaluation.metrics import Predictions
from maskwise.evaluation.records import Record

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from numpy.typing import NDArray

    from maskwise.evaluation.groupings import ColumnGroups
    from maskwise.evaluation.learners import Learner
    from maskwise.evaluation.metrics import Metric
    from maskwise.evaluation.partition import TrainTestSplit
    from maskwise.evaluation.predictors import Predictors

    Ints = NDArray[np.int64]

ONE_CLASS = "Where all test records have one class, or one number, some measures have no figure."
"""Why a measure has none."""
TOO_FEW = f"A group of fewer than {MIN_RECORDS} test records has no figure."
"""Why a group has none."""


@dataclass(frozen=True, slots=True)
class TrainTestData:
    """The records of one split."""

    predictors: Predictors
    """What the class is predicted from."""
    classes: NDArray[Any]  # (n_rows,)
    """The class of each record, or its number."""
    split: TrainTestSplit
    """Which records are for training and which for testing."""
    tested: Ints  # (n_test,)
    """The numbers of the test records in the sample."""


@dataclass(frozen=True, slots=True)
class Trial:
    """One way of masking to be measured."""

    measure: str
    """BE, AE, SE, UE, RE, or AE of exact boundaries or another tool."""
    protocols: tuple[str, ...]
    """The protocols under which it is listed."""
    prepare: Callable[[], Iterator[TrainTestData]]
    """Masks the records if need be, and gives those of each split."""
    k: int | None = None
    """The k of the policy, if it is the same in all its requirements."""
    h: float | None = None
    """The confidence bound, if it was varied."""
    is_masked: bool = False
    """Whether the records are masked."""

    def title(self) -> str:
        """The text that progress shows."""
        thresholds = [f"{name}={value}" for name, value in (("k", self.k), ("h", self.h)) if value is not None]
        return ", ".join([self.measure, *thresholds])


@dataclass(frozen=True, slots=True)
class Judge:
    """What is predicted of test records, and how it is measured."""

    learners: Sequence[Learner]
    """What is trained."""
    metrics: Sequence[Metric]
    """What is measured of its predictions."""
    n_classes: int | None
    """How many classes there are; None of a class that is a number."""
    watched: tuple[int, ...] = ()
    """As in `Predictions`."""
    groupings: Sequence[ColumnGroups] = ()
    """Groups of test records that are measured one by one besides."""
    seed: int = 0
    """Makes the classifiers repeatable."""

    def predict(self, learner: Learner, data: TrainTestData) -> Predictions:
        """Train once, and predict whatever some measure needs."""
        expected = data.classes[data.split.test]
        given = (data.predictors, data.classes, data.split, self.seed)
        if self.n_classes is None:
            return Predictions(expected, learner.predict_numbers(*given))
        needs_chances = any(metric.needs_chances for metric in self.metrics)
        predicted, chances = learner.predict_chances(*given, self.n_classes if needs_chances else None)
        return Predictions(expected, predicted, chances, self.watched)

    def records(self, empty: Record, predictions: Predictions, tested: Ints) -> Iterator[Record]:
        """Every figure of the same predictions: of all test records, then of each group.

        Args:
            empty: Says what was trained on what.
            predictions: What was predicted.
            tested: The numbers of the test records in the sample.
        """
        for metric in self.metrics:
            yield _fill(replace(empty, metric=metric.name), metric, predictions)
        for grouping in self.groupings:
            for label, is_member in grouping.groups(tested):
                members = predictions.take(is_member)
                for metric in self.metrics:
                    n = members.n_records
                    named = replace(empty, metric=metric.name, by=grouping.name, group=label, n=n)
                    yield _fill(named, metric, members) if n >= MIN_RECORDS else replace(named, note=TOO_FEW)


def _fill(record: Record, metric: Metric, predictions: Predictions) -> Record:
    figure = metric.figure(predictions)
    if figure is None:
        return replace(record, note=ONE_CLASS)
    return replace(record, error=figure.value, low=figure.low, high=figure.high)


def run_trials(
    trials: Sequence[Trial], judge: Judge, n_splits: int, progress: Callable[[str, int, int], None]
) -> Iterator[tuple[list[Record], str | None]]:
    """Train every classifier on every split of every trial; the predictions of all splits are measured together.

    Yields:
        The records of each trial, and why its policy cannot be met, if so.
    """
    learners = judge.learners
    n_per_trial = n_splits * len(learners)
    n_total = len(trials) * n_per_trial
    for i, trial in enumerate(trials):
        by_learner: list[list[Predictions]] = [[] for _ in learners]
        tested: list[Ints] = []
        note = None
        try:
            progress(f"{trial.title()}: mask", i * n_per_trial, n_total)
            for fold, data in enumerate(trial.prepare()):
                tested.append(data.tested)
                for j, learner in enumerate(learners):
                    n_done = i * n_per_trial + fold * len(learners) + j
                    progress(f"{trial.title()}: {learner.name}", n_done, n_total)
                    by_learner[j].append(judge.predict(learner, data))
        except InfeasibleError as error:
            note = str(error).replace("\n", " ")
        records: list[Record] = []
        for protocol in trial.protocols:
            for learner, parts in zip(learners, by_learner, strict=True):
                empty = Record(learner.name, protocol, trial.k, trial.measure, None, None, None, trial.h, note)
                if note is not None:
                    records += [replace(empty, metric=metric.name) for metric in judge.metrics]
                else:
                    records += judge.records(empty, _join(parts), np.concatenate(tested))
        yield records, note


def _join(parts: Sequence[Predictions]) -> Predictions:
    """The predictions of all folds together."""
    if len(parts) == 1:
        return parts[0]
    chances = [part.chances for part in parts if part.chances is not None]
    return replace(
        parts[0],
        expected=np.concatenate([part.expected for part in parts]),
        predicted=np.concatenate([part.predicted for part in parts]),
        chances=np.concatenate(chances) if chances else None,
    )
