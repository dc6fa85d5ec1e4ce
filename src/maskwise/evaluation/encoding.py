"""How predictors are encoded for each kind of model.

Each function learns from the training records how to encode, and returns the
function that encodes records. Which model gets which is the concern of
`learners` and `regressors`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa

from maskwise.evaluation.predictors import PredictorType
from maskwise.values.arrow import from_numpy

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from maskwise.evaluation.predictors import Predictor, Predictors

    Ints = NDArray[np.int64]

_MAX_CATEGORIES = 254
"""Gradient boosting takes no more; of a predictor with more, only the most frequent are encoded."""


def as_frame(predictors: Predictors, train: Ints, *, is_ordered: bool) -> Callable[[Ints], Any]:
    """Encode as an Arrow table: categories as text, numbers as numbers, ordered categories as positions or text."""
    del train

    def column(predictor: Predictor, rows: Ints) -> Any:
        values = predictor.values[rows]
        if predictor.type is PredictorType.NUMBER or (predictor.type is PredictorType.ORDERED and is_ordered):
            return from_numpy(values)
        texts = np.array([*predictor.labels, None], object)
        codes = np.where(np.isnan(values), len(predictor.labels), values).astype(np.int64)
        return pa.array(texts[codes], pa.large_string())

    return lambda rows: pa.table({predictor.name: column(predictor, rows) for predictor in predictors})


def as_codes(predictors: Predictors, train: Ints) -> Callable[[Ints], NDArray[np.float64]]:
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


def as_numbers(predictors: Predictors, train: Ints) -> Callable[[Ints], NDArray[np.float64]]:
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
