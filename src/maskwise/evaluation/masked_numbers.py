"""How a classifier sees a masked number: as a label, or as numbers that stand for its interval.

A recipient can read the ends of an interval off its label, and take its middle.
The mean of the numbers behind it only the owner knows; it shows what releasing
means beside labels would be worth.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from maskwise.evaluation.predictors import Predictor, PredictorType
from maskwise.release.interval_labels import ends_of_labels
from maskwise.values.number_forms import Numbers

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from maskwise.evaluation.predictors import Predictors

    Floats = NDArray[np.float64]


def represent(masked: Predictors, raw: Predictors, numbers: Numbers, n_train: int | None) -> Predictors:
    """Put numbers in the place of the labels of masked numbers; what is no interval stays as it is.

    Args:
        masked: The predictors after masking.
        raw: The predictors of the same records before masking.
        numbers: What stands for a masked number.
        n_train: How many records, the first ones, are training records; None if all count.
    """
    if numbers is Numbers.LABEL:
        return masked
    raw_of = {predictor.name: predictor for predictor in raw}
    return tuple(
        part for predictor in masked for part in _represent(predictor, raw_of[predictor.name], numbers, n_train)
    )


def _represent(masked: Predictor, raw: Predictor, numbers: Numbers, n_train: int | None) -> list[Predictor]:
    if masked.type is not PredictorType.ORDERED or raw.type is not PredictorType.NUMBER:
        return [masked]
    as_number = replace(masked, type=PredictorType.NUMBER, labels=())
    if numbers is Numbers.MEAN:
        return [replace(as_number, values=_look_up(_means(masked, raw, n_train), masked.values))]
    ends = np.array([one or (np.nan, np.nan) for one in ends_of_labels(masked.labels)]).reshape(-1, 2)
    if numbers is Numbers.BOUNDS:
        return [
            replace(as_number, name=f"{masked.name}, {side} end", values=_look_up(ends[:, at], masked.values))
            for at, side in enumerate(("lower", "upper"))
        ]
    return [replace(as_number, values=_look_up(ends.mean(axis=1), masked.values))]


def _means(masked: Predictor, raw: Predictor, n_train: int | None) -> Floats:
    """The mean of the training records' numbers under each label; NaN of one that none has."""
    labels, values = masked.values[:n_train], raw.values[:n_train]
    known = ~np.isnan(labels) & ~np.isnan(values)
    codes = labels[known].astype(np.int64)
    n_labels = len(masked.labels)
    counts = np.bincount(codes, minlength=n_labels)
    sums = np.bincount(codes, values[known], n_labels)
    return np.where(counts > 0, sums / np.maximum(counts, 1), np.nan)


def _look_up(of_label: Floats, labels: Floats) -> Floats:
    """The number of each record's label; NaN where the cell is missing."""
    return np.append(of_label, np.nan)[np.where(np.isnan(labels), -1, labels).astype(np.int64)]
