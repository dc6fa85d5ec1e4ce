"""The records that an evaluation is about: read once, checked, those with a test file's put together."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from maskwise.engines.base import ROW
from maskwise.errors import InputError, did_you_mean, plural, quote
from maskwise.evaluation.view import Sort, see
from maskwise.policy.attributes import Missing
from maskwise.profile.profile import check_columns
from maskwise.table.endpoints import closing
from maskwise.table.read import read
from maskwise.values.arrow import as_numpy, from_numpy
from maskwise.values.spelling import text_of

if TYPE_CHECKING:
    import pyarrow as pa
    from numpy.typing import NDArray

    from maskwise.evaluation.view import View
    from maskwise.policy.policy import Policy
    from maskwise.table.table import Table


@dataclass(frozen=True, slots=True)
class Sample:
    """Records with a class."""

    table: pa.Table
    """The records without the columns that the policy drops; those of a test file come last."""
    policy: Policy
    """What was asked, with nothing left to drop."""
    classes: NDArray[np.int64]  # (n_rows,)
    """The number of each record's class."""
    class_texts: tuple[str, ...]
    """What the classes are called."""
    n_test: int | None
    """How many records are of a test file; None if there is none."""
    view: View
    """The records as classifiers see them."""
    n_read: int
    """How many records were read."""
    kept: NDArray[np.int64]  # (n_rows,)
    """Which of them have all masked cells, if the policy leaves the others out."""
    source: str
    """What the table is called."""
    notes: tuple[str, ...]
    """What the owner should know."""


def take_sample(data: Any, policy: Policy, test: Any = None) -> Sample:
    """Read and check everything.

    Args:
        data: The table.
        policy: What is asked.
        test: The table of test records, if they have one of their own.
    """
    class_name = policy.class_name
    if class_name is None:
        raise InputError("The policy names no class, so there is nothing to predict. Add one, such as class: income.")
    opened = read(data)
    check_columns(opened, policy)
    whole, source = fetch(opened).drop_columns(list(policy.drop)), opened.source
    notes: list[str] = []
    n_first = whole.num_rows
    if test is not None:
        later = read(test)
        rows, notes = _alike(whole, fetch(later), later.source, set(policy.drop), source)
        whole = _stack(whole, rows)
    policy = replace(policy, drop=())
    kept = _complete(whole, policy.masked) if policy.missing is Missing.DROP else np.arange(whole.num_rows)
    n_read = whole.num_rows
    if len(kept) < n_read:
        notes.append(
            f"{plural(n_read - len(kept), 'record')} left out, masked or not, because a masked cell is missing."
        )
        whole = whole.take(from_numpy(kept))
    n_test = None if test is None else int((kept >= n_first).sum())
    if not len(kept) or n_test in {0, len(kept)}:
        msg = f"`{source}` and its test file need at least one record each." if test is not None else ""
        raise InputError(msg or f"`{source}` has no record to learn from.")
    classes, texts = _classes(whole, class_name, n_test)
    view = see(whole, policy)
    if not view:
        raise InputError("The table has no column but the class, so there is nothing to predict it from.")
    if n_test is not None:
        notes += _unseen(view, len(kept) - n_test)
    return Sample(whole, policy, classes, texts, n_test, view, n_read, kept, source, tuple(notes))


def fetch(table: Table) -> pa.Table:
    """All records of a table, in their order, under the owner's names."""
    keys = [table.key(name) for name in table.names]
    rows = [ROW] if ROW in table.expr.columns else []
    with closing(table):
        fetched = table.engine.fetch(table.expr.select(*keys, *rows))
    if rows:
        fetched = fetched.sort_by(ROW).drop_columns(rows)
    return fetched.rename_columns(list(table.names)).combine_chunks()


def _alike(whole: pa.Table, rows: pa.Table, called: str, dropped: set[str], source: str) -> tuple[pa.Table, list[str]]:
    """A test table with the columns of the other one, and notes on what else it has."""
    import pyarrow as pa  # noqa: PLC0415 - heavy

    lacking = [name for name in whole.column_names if name not in rows.column_names]
    if lacking:
        near = did_you_mean(lacking[0], [name for name in rows.column_names if name not in whole.column_names])
        if 2 * len(lacking) > len(whole.column_names):
            near = " Is its first line a header?"  # if not, its names are cells
        msg = (
            f"The test file `{called}` lacks {quote(lacking)}, which `{source}` has.{near} Give both the same columns."
        )
        raise InputError(msg)
    others = [name for name in rows.column_names if name not in whole.column_names and name not in dropped]
    notes = [f"{quote(others)} of the test file left out: `{source}` has no such column."] if others else []
    columns = []
    for field in whole.schema:
        try:
            columns.append(rows.column(field.name).cast(field.type))
        except pa.ArrowException:
            msg = (
                f"Column `{field.name}` holds {field.type} cells in `{source}`, but {rows.column(field.name).type} "
                f"cells in the test file `{called}`. Make both alike."
            )
            raise InputError(msg) from None
    return pa.table(columns, schema=whole.schema), notes


def _stack(first: pa.Table, second: pa.Table) -> pa.Table:
    import pyarrow as pa  # noqa: PLC0415 - heavy

    return pa.concat_tables([first, second]).combine_chunks()


def _complete(table: pa.Table, names: tuple[str, ...]) -> NDArray[np.int64]:
    """The records without a missing cell in these columns; a float that is not a number is missing."""
    there = np.ones(table.num_rows, np.bool_)
    for name in names:
        there &= ~as_numpy(table.column(name).is_null(nan_is_null=True))
    return np.flatnonzero(there)


def _classes(table: pa.Table, name: str, n_test: int | None) -> tuple[NDArray[np.int64], tuple[str, ...]]:
    coded = table.column(name).combine_chunks()
    n_missing = int(as_numpy(coded.is_null(nan_is_null=True)).sum())
    if n_missing:
        found = f"{n_missing:,} of {plural(len(coded), 'record')}"
        msg = f"The class `{name}` is missing in {found}. Fill it, or leave them out."
        raise InputError(msg)
    coded = coded.dictionary_encode()
    texts = [text_of(key) for key in coded.dictionary.to_pylist()]
    order = sorted(set(texts))
    at = {text: i for i, text in enumerate(order)}
    classes = np.array([at[text] for text in texts], np.int64)[as_numpy(coded.indices)]
    if len(order) < 2:  # noqa: PLR2004
        msg = f"The class `{name}` has the same value in every record, so there is nothing to predict."
        raise InputError(msg)
    if n_test is not None:
        split = len(classes) - n_test
        n_unknown = int((~np.isin(classes[split:], classes[:split])).sum())
        if n_unknown:
            msg = (
                f"The class `{name}` of {plural(n_unknown, 'record')} of the test file is a value that no training "
                "record has. Spell the classes alike in both."
            )
            raise InputError(msg)
    return classes, tuple(order)


def _unseen(view: View, split: int) -> list[str]:
    """Say which columns of a test file have categories that no training record has."""
    notes = []
    for seen in view:
        if seen.sort is Sort.CATEGORY:
            known, later = np.unique(seen.values[:split]), seen.values[split:]
            n_records = int((~np.isnan(later) & ~np.isin(later, known)).sum())
            if n_records:
                notes.append(
                    f"`{seen.name}` has a category that no training record has in {plural(n_records, 'test record')}; "
                    "to the classifiers it is unknown."
                )
    return notes
