"""Other ways of masking in the same evaluation: tables of other tools, and other algorithms."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol, Self

import numpy as np
import pyarrow as pa

from maskwise.errors import InputError, plural
from maskwise.evaluation.predictors import distinct_texts, other_tool_predictors
from maskwise.evaluation.sample import fetch, read_numbers
from maskwise.table.read import read
from maskwise.values.arrow import from_numpy
from maskwise.values.spelling import text_of

if TYPE_CHECKING:
    from maskwise.evaluation.predictors import Predictors
    from maskwise.evaluation.sample import Sample
    from maskwise.policy.policy import Policy


def read_other_tool(sample: Sample, name: str, source: Any) -> Predictors:
    """Read another tool's masked table of the same records, in the same order.

    Args:
        sample: The records before masking.
        name: The tool's name.
        source: The masked table.
    """
    table = fetch(read(source))
    if table.num_rows not in {sample.n_read, len(sample.rows_used)}:
        msg = (
            f"The table of `{name}` has {plural(table.num_rows, 'record')}, but the data has {sample.n_read:,}. "
            "Have the tool write every record, in the same order."
        )
        raise InputError(msg)
    if table.num_rows != len(sample.rows_used):
        table = table.take(from_numpy(sample.rows_used))
    _check_same_classes(sample, name, table)
    predictors = other_tool_predictors(sample.predictors, table, sample.policy)
    if not predictors:
        msg = f"The table of `{name}` has no column of the data but the class. Is it the right file?"
        raise InputError(msg)
    return predictors


class OtherMasking(Protocol):
    """Another algorithm that masks, to compare with."""

    def fit(self, data: Any, policy: Policy) -> Self:
        """Learn from training records how to mask."""

    def transform(self, data: Any) -> Any:
        """Mask records."""


def mask_by_other(other: OtherMasking, train: pa.Table, test: pa.Table | None, policy: Policy) -> pa.Table:
    """Fit another algorithm to some records, and mask these and further records by it.

    Args:
        other: The algorithm.
        train: The records that it is fitted to.
        test: Further records, which are only masked; they come last in the result.
        policy: What it has to meet.
    """
    fitted = other.fit(train, policy)
    tables = [fetch(read(fitted.transform(table))) for table in (train, test) if table is not None]
    return pa.concat_tables(tables, promote_options="permissive").combine_chunks()


def _check_same_classes(sample: Sample, name: str, table: pa.Table) -> None:
    """Refuse a table if a record has another class than in the data: its records are others, or in another order."""
    class_name = sample.policy.class_name
    if class_name is None or class_name not in table.column_names:
        return
    if not sample.class_texts:
        _refuse_other_classes(name, int((read_numbers(table, class_name) != sample.classes).sum()))
        return
    column = table.column(class_name).combine_chunks()
    index = {text: i for i, text in enumerate(sample.class_texts)}
    if set(distinct_texts(table, class_name)) <= set(index) and not column.null_count:
        encoded = column.dictionary_encode()
        codes = np.array([index[text_of(key)] for key in encoded.dictionary.to_pylist()], np.int64)
        n_different = int((codes[np.asarray(encoded.indices)] != sample.classes).sum())
    else:
        n_different = table.num_rows
    _refuse_other_classes(name, n_different)


def _refuse_other_classes(name: str, n_different: int) -> None:
    if n_different:
        msg = (
            f"The table of `{name}` has another class than the data in {plural(n_different, 'record')}. "
            "Its records must be the data's, in the same order, with the class as it was."
        )
        raise InputError(msg)
