"""Check what a scikit-learn estimator is given, as scikit-learn checks it. `columns` takes tables apart."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import column_or_1d, validate_data

from maskwise.classifiers.columns import named_columns
from maskwise.errors import InputError, plural
from maskwise.values.cells import is_missing


def allow_any_table(tags: Any) -> Any:
    """Let scikit-learn's tags say that an estimator takes any table: texts, categories and missing cells."""
    tags.input_tags.allow_nan = True
    tags.input_tags.string = True
    tags.input_tags.categorical = True
    return tags


def check_training(
    classifier: Any,
    X: Any,  # noqa: N803 - scikit-learn's name
    y: Any,
) -> tuple[list[tuple[str, Any]], np.ndarray[Any, Any], np.ndarray[Any, Any]]:
    """Check training records, and return their columns, the classes, and the number of each record's class.

    Args:
        classifier: The classifier that is fitted or predicts; it stores the names of the columns.
        X: The records.
        y: Their classes.
    """
    columns = check_records(classifier, X, reset=True)
    return columns, *_check_classes(classifier, y, len(columns[0][1]))


def check_records(classifier: Any, X: Any, *, reset: bool) -> list[tuple[str, Any]]:  # noqa: N803 - scikit-learn's
    """Check records, and return their columns: the name and an Arrow array of each.

    Args:
        classifier: The classifier that is fitted or predicts; it stores the names of the columns.
        X: The records.
        reset: These are training records.
    """
    try:
        if hasattr(X, "columns"):
            validate_data(classifier, X, reset=reset, skip_check_array=True)
        else:
            X = validate_data(classifier, X, reset=reset, dtype=None, ensure_all_finite="allow-nan")  # noqa: N806
        columns = named_columns(X)
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


def _check_classes(classifier: Any, y: Any, n_rows: int) -> tuple[np.ndarray[Any, Any], np.ndarray[Any, Any]]:
    """Check the classes of records, and return them sorted, and the number of each record's class.

    Args:
        classifier: The classifier that is fitted.
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
    if any(is_missing(label) for label in y.tolist()):
        raise InputError("Input y contains NaN: the class of some records is missing. Leave these records out.")
    if y.dtype.kind == "f" and not np.isfinite(y).all():
        raise InputError("Input y contains infinity, which is no class. Leave these records out.")
    check_classification_targets(y)
    classes, labels = np.unique(y, return_inverse=True)
    return classes, labels.astype(np.int32)
