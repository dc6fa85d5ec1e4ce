"""Whether a class can be predicted at all: the error of who always guesses the most frequent class.

Where classifiers do no better from the raw table, errors do not show what
masking costs. `run` counts them, and then measures chances as well.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from numpy.typing import NDArray

    from maskwise.evaluation.partition import TrainTestSplit
    from maskwise.evaluation.records import Record

_NEAR = 1e-9
"""Errors that differ by less are equal."""


def guess_error(classes: NDArray[Any], splits: Sequence[TrainTestSplit]) -> float:
    """The error, in percent, of guessing the most frequent class of the training records for every test record.

    Args:
        classes: The number of each record's class.
        splits: The training and test records.
    """
    n_tested = sum(len(split.test) for split in splits)
    n_wrong = sum(
        int((classes[split.test] != np.bincount(classes[split.train], minlength=1).argmax()).sum()) for split in splits
    )
    return 100 * n_wrong / max(n_tested, 1)


def is_no_better(record: Record, guess: float) -> bool:
    """Whether a classifier errs as often as guessing does, as far as its test records can tell.

    Args:
        record: One of its figures.
        guess: What `guess_error` counts.
    """
    return record.metric == "error" and record.high is not None and record.high >= guess


def note_guesses(records: Iterable[Record], guess: float | None, class_name: str) -> tuple[Record, ...]:
    """Note at the figures of the raw table where a class cannot be predicted from it.

    Args:
        records: All figures.
        guess: What `guess_error` counts; None of a class that is a number.
        class_name: The class.
    """
    return tuple(_noted(one, guess, class_name) for one in records)


def _noted(record: Record, guess: float | None, class_name: str) -> Record:
    if record.measure != "BE" or record.by is not None or record.error is None:
        return record
    if record.metric == "r2" and record.error <= _NEAR:
        text = (
            f"`{class_name}` cannot be predicted: {record.classifier} explains nothing of its variance from the raw "
            f"table (r2 {record.error:.4f}). So its other figures do not show what masking costs."
        )
        return replace(record, note=text)
    if guess is None or not is_no_better(record, guess):
        return record
    nothing = "So errors do not show what masking costs; the area under the curve and the log-loss may."
    figures = f"its error is {record.error:.2f} %, that of always guessing the most frequent class {guess:.2f} %"
    if record.error >= guess - _NEAR:
        said = f"`{class_name}` cannot be predicted from the raw table by {record.classifier}: {figures}. {nothing}"
    else:
        said = (
            f"`{class_name}` can hardly be predicted from the raw table by {record.classifier}: {figures}, which lies "
            f"within the interval. {nothing}"
        )
    return replace(record, note=said)
