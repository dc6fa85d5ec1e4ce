"""Suppressed records in an evaluation: a classifier does not learn from them, or learns from roots.

Test records show the labels of the cut, suppressed or not: whoever uses a
classifier on other people knows what the release shows, and not whom it lacks.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from maskwise.evaluation.partition import TrainTestSplit
from maskwise.evaluation.sample import fetch
from maskwise.policy.budget import Suppressed
from maskwise.release import mask as masking
from maskwise.release.suppress import FLAG, mark_suppressed
from maskwise.table.read import read

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from maskwise.solution.solution import Solution

    Bools = NDArray[np.bool_]


def mask_all_rows(records: Any, solution: Solution) -> tuple[Any, Bools | None]:
    """Mask records by a solution, none of them suppressed; say which ones are.

    Args:
        records: An Arrow table.
        solution: What to show, and what to suppress.

    Returns:
        The masked records in their order, and for each whether it is suppressed; None if none is.
    """
    masked = masking.apply(read(records), replace(solution, suppression=None)).table
    said = solution.suppression
    if said is None or not said.combinations:
        return fetch(masked), None
    marked = mark_suppressed(masked, said.combinations).expr
    is_gone = np.array(masked.engine.fetch(marked.select(FLAG)).column(0).to_pylist()) == 1
    return fetch(masked), is_gone


def show_roots(masked: Any, solution: Solution, is_gone: Bools) -> Any:
    """Show records as the root on every masked attribute.

    Args:
        masked: An Arrow table.
        solution: What is shown.
        is_gone: For each record whether it is to be shown so.
    """
    flags = pa.array(is_gone)
    for cut in solution.cuts:
        at = masked.column_names.index(cut.attribute)
        masked = masked.set_column(at, cut.attribute, pc.if_else(flags, cut.root, masked.column(at)))
    return masked


def suppress_training_rows(masked: Any, solution: Solution, is_gone: Bools | None, n_train: int) -> tuple[Any, Any]:
    """Suppress training records as the release does.

    Args:
        masked: The masked records, an Arrow table, training records first.
        solution: What is shown, and what becomes of suppressed records.
        is_gone: For each record whether it is suppressed.
        n_train: How many are training records.

    Returns:
        The records, and for each whether the release leaves it out; None if it leaves none out.
    """
    said = solution.suppression
    if is_gone is None or said is None:
        return masked, None
    is_trained = is_gone & (np.arange(len(is_gone)) < n_train)
    if said.shown_as is Suppressed.REMOVED:
        return masked, is_trained
    return show_roots(masked, solution, is_trained), None


def without_rows(split: TrainTestSplit, is_gone: Bools | None) -> TrainTestSplit:
    """The split without the training records that are left out.

    Args:
        split: The numbers of training and test records.
        is_gone: For each record whether it is left out.
    """
    return split if is_gone is None else TrainTestSplit(split.train[~is_gone[split.train]], split.test)
