"""What a classifier is given, checked as scikit-learn checks it and taken apart into columns."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import column_or_1d, validate_data

from maskwise.classifiers.columns import columns_of
from maskwise.errors import InputError, plural


def tagged(tags: Any) -> Any:
    """scikit-learn's tags of an estimator that takes any table: texts, categories and missing cells."""
    tags.input_tags.allow_nan = True
    tags.input_tags.string = True
    tags.input_tags.categorical = True
    return tags


def checked_training(
    classifier: Any,
    X: Any,  # noqa: N803 - scikit-learn's name
    y: Any,
) -> tuple[list[tuple[str, Any]], np.ndarray[Any, Any], np.ndarray[Any, Any]]:
    """Check training records: their columns, the classes, and the number of each record's class.

    Args:
        classifier: Who asks; it learns what the columns are called.
        X: The records.
        y: Their classes.
    """
    columns = checked_columns(classifier, X, reset=True)
    return columns, *_checked_labels(classifier, y, len(columns[0][1]))


def checked_columns(classifier: Any, X: Any, *, reset: bool) -> list[tuple[str, Any]]:  # noqa: N803 - scikit-learn's
    """Check `X` as scikit-learn does and take it apart into named Arrow columns.

    Args:
        classifier: Who asks; it learns what the columns are called.
        X: The records.
        reset: These are training records.
    """
    try:
        if hasattr(X, "columns"):
            validate_data(classifier, X, reset=reset, skip_check_array=True)
        else:
            X = validate_data(classifier, X, reset=reset, dtype=None, ensure_all_finite="allow-nan")  # noqa: N806
        columns = columns_of(X)
    except InputError:
        raise
    except ValueError as error:
        raise InputError(str(error)) from None
    n_rows = len(columns[0][1]) if columns else len(X)
    if not columns or not n_rows:
        found = f"{plural(len(columns), 'column')} and {plural(n_rows, 'record')}"
        msg = f"The table has {found}. A classifier needs at least one of each."
        raise InputError(msg)
    return columns


def _checked_labels(classifier: Any, y: Any, n_rows: int) -> tuple[np.ndarray[Any, Any], np.ndarray[Any, Any]]:
    """The classes, sorted, and the number of each record's class.

    Args:
        classifier: Who asks.
        y: The classes of the training records.
        n_rows: How many records there are.
    """
    if y is None:
        msg = f"{type(classifier).__name__} requires y to be passed, but the target y is None."
        raise InputError(msg)
    y = column_or_1d(np.asarray(y), warn=True)
    if len(y) != n_rows:
        msg = f"Found input variables with inconsistent numbers of samples: [{n_rows}, {len(y)}]"
        raise InputError(msg)
    if any(label is None or label != label for label in y.tolist()):  # noqa: PLR0124 - NaN
        raise InputError("Input y contains NaN: the class of some records is missing. Leave these records out.")
    if y.dtype.kind == "f" and not np.isfinite(y).all():
        raise InputError("Input y contains infinity, which is no class. Leave these records out.")
    check_classification_targets(y)
    classes, labels = np.unique(y, return_inverse=True)
    return classes, labels.astype(np.int32)
