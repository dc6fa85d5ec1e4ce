"""The records of an evaluation: read once, checked, and joined with those of a test file."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa

from maskwise.engines.base import ROW
from maskwise.errors import InputError, did_you_mean, plural, quote
from maskwise.evaluation.groupings import ColumnGroups, group_records
from maskwise.evaluation.predictors import PredictorType, raw_predictors
from maskwise.policy.attributes import Missing
from maskwise.profile.class_bins import refuse_class_cells
from maskwise.profile.identifier_warning import identifiers_among
from maskwise.profile.profile import check_columns
from maskwise.table.endpoints import closing
from maskwise.table.random_part import one_of_each, take_part
from maskwise.table.read import read
from maskwise.values.arrow import as_numpy, from_numpy
from maskwise.values.parsing import parse_keys
from maskwise.values.scales import Scale
from maskwise.values.spelling import text_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from maskwise.evaluation.predictors import Predictors
    from maskwise.policy.policy import Policy
    from maskwise.table.table import Table

_N_STRATA = 10
"""A class that is a number is parted into so many bins of records, from which test records are drawn evenly."""


@dataclass(frozen=True, slots=True)
class Sample:
    """Records with a class."""

    table: pa.Table
    """The records without the columns that the policy drops; those of a test file come last."""
    policy: Policy
    """The policy; of the columns to drop only those that are sensitive, or that trees are made of."""
    classes: NDArray[Any]  # (n_rows,) int64, or float64 of a class that is a number
    """The number of each record's class; of a class that is a number, that number."""
    class_texts: tuple[str, ...]
    """The names of the classes; none of a class that is a number."""
    n_test: int | None
    """The number of records from the test file; None if there is no test file."""
    predictors: Predictors
    """All columns but the class and what is dropped."""
    n_read: int
    """The number of records that were read."""
    rows_used: NDArray[np.int64]  # (n_rows,)
    """The numbers of the records read that are in the table; `missing: drop` leaves out incomplete ones."""
    source: str
    """The name of the table."""
    notes: tuple[str, ...]
    """Remarks for the owner of the table."""
    groupings: tuple[ColumnGroups, ...] = ()
    """The groups that are measured one by one, of each column that is asked for."""
    dropped_predictors: Predictors = ()
    """The columns that the policy drops and that are no identifiers."""
    persons: NDArray[np.int64] | None = None  # (n_rows,)
    """The number of the person whom each record is about; None where the policy names no person."""

    @property
    def strata(self) -> NDArray[np.int64]:
        """The number of the class of each record, or of the bin of a class that is a number, to draw evenly from."""
        if self.class_texts:
            return self.classes
        edges = np.quantile(self.classes, np.linspace(0, 1, _N_STRATA + 1)[1:-1])
        return np.searchsorted(edges, self.classes).astype(np.int64)


def read_sample(data: Any, policy: Policy, test: Any = None, by: Sequence[str] = ()) -> Sample:
    """Read the records and check them.

    Args:
        data: The table.
        policy: The policy; it names the class.
        test: The table of test records, if there is one.
        by: The columns by whose values groups of records are measured; they may be columns that the policy drops.
    """
    class_name = policy.class_name
    if class_name is None:
        raise InputError("The policy names no class, so there is nothing to predict. Add one, such as class: income.")
    opened = read(data, reading=policy.reading)
    check_columns(opened, policy)
    dropped = policy.dropped(opened.names)
    for name in by:
        opened.require(name, "is to be grouped by", among=opened.names)
    person = None if policy.person is None else policy.person.column
    # What is dropped and sensitive is no predictor, but requirements count it; trees are made of others.
    needed = {*policy.sensitive, *policy.tree_columns, person}
    whole, source = fetch(opened), opened.source
    spare = _no_identifiers(whole, [name for name in dropped if name != person], person)
    whole = whole.drop_columns([name for name in dropped if name not in {*needed, *by, *spare}])
    notes: list[str] = []
    n_train = whole.num_rows
    if test is not None:
        opened_test = read(test, reading=policy.reading)
        tested = fetch(opened_test)
        # The policy drops it, so the test file may lack it, or have other cells there.
        spare = [name for name in spare if name in tested.column_names and _type(tested, name) == _type(whole, name)]
        gone = [name for name in dropped if name not in {*needed, *by, *spare}]
        whole = whole.drop_columns([name for name in gone if name in whole.column_names])
        test_rows, notes = _match_columns(whole, tested, opened_test.source, set(dropped), source)
        whole = pa.concat_tables([whole, test_rows]).combine_chunks()
    n_read = whole.num_rows
    rows_used = _complete_rows(whole, policy.masked) if policy.missing is Missing.DROP else np.arange(n_read)
    if len(rows_used) < n_read:
        notes.append(
            f"{plural(n_read - len(rows_used), 'record')} left out, masked or not, because a masked cell is missing."
        )
        whole = whole.take(from_numpy(rows_used))
    n_test = None if test is None else int((rows_used >= n_train).sum())
    if not len(rows_used) or n_test in {0, len(rows_used)}:
        msg = f"`{source}` and its test file need at least one record each." if test is not None else ""
        raise InputError(msg or f"`{source}` has no record to learn from.")
    groupings = tuple(group_records(whole.column(name), name) for name in dict.fromkeys(by))
    dropped_predictors = raw_predictors(whole.select(spare), replace(policy, drop=()))
    gone = [name for name in dropped if name not in needed]
    whole = whole.drop_columns([name for name in gone if name in whole.column_names])
    # The fetched cells are in the usual spelling already.
    reading = replace(policy.reading, dates=(), numbers=())
    kept = tuple(name for name in dropped if name in needed and name != person)
    policy = replace(policy, drop=kept, keep=None, reading=reading)
    is_number = policy.class_is_number
    classes, class_texts = (
        (read_numbers(whole, class_name), ()) if is_number else _code_classes(whole, class_name, n_test)
    )
    predictors = raw_predictors(whole if person is None else whole.drop_columns([person]), policy)
    if not predictors:
        raise InputError("The table has no column but the class, so there is nothing to predict it from.")
    if n_test is not None:
        notes += _note_unknown_categories(predictors, len(rows_used) - n_test)
    persons = None if person is None else _number_persons(whole, person)
    notes += [] if persons is None or n_test is None else _note_shared_persons(persons, n_test, str(person))
    records = (whole, policy, classes, class_texts, n_test, predictors, n_read, rows_used, source, tuple(notes))
    return Sample(*records, groupings, dropped_predictors, persons)


def _type(table: pa.Table, name: str) -> pa.DataType:
    return table.schema.field(name).type


def _no_identifiers(table: pa.Table, names: Sequence[str], person: str | None) -> list[str]:
    """Those of some columns that a classifier could learn from and that do not tell who is who."""
    names = [name for name in names if not pa.types.is_nested(_type(table, name))]
    if not names:
        return []
    opened = read(table.select(dict.fromkeys([*names, *([] if person is None else [person])])))
    with closing(opened):
        # Of a person's records each has the same name.
        looked_at = opened if person is None else one_of_each(opened, person)
        part = take_part(looked_at, table.num_rows)
        there = [name for name in names if name in part.table.names]
        identifiers = set(identifiers_among(part, there))
    return [name for name in there if name not in identifiers]


def _number_persons(table: pa.Table, name: str) -> NDArray[np.int64]:
    return as_numpy(table.column(name).combine_chunks().dictionary_encode().indices).astype(np.int64)


def _note_shared_persons(persons: NDArray[np.int64], n_test: int, name: str) -> list[str]:
    """Note that persons are both in the table and in the test file: what is learned of them is known there."""
    n_shared = len(np.intersect1d(persons[:-n_test], persons[-n_test:]))
    if not n_shared:
        return []
    return [f"{plural(n_shared, 'person')} of `{name}` have test records and others, so errors may be too small."]


def fetch(table: Table) -> pa.Table:
    """All records of a table, in their order, with the column names of the owner."""
    table = table.with_usual_forms()
    keys = [table.key(name) for name in table.names]
    row_number = [ROW] if ROW in table.expr.columns else []
    with closing(table):
        fetched = table.engine.fetch(table.expr.select(*keys, *row_number))
    if row_number:
        fetched = fetched.sort_by(ROW).drop_columns(row_number)
    return fetched.rename_columns(list(table.names)).combine_chunks()


def _match_columns(
    train: pa.Table, test: pa.Table, test_source: str, dropped: set[str], source: str
) -> tuple[pa.Table, list[str]]:
    """Give the test table the columns of the training table, and note which others it has."""
    absent = [name for name in train.column_names if name not in test.column_names]
    if absent:
        near = did_you_mean(absent[0], [name for name in test.column_names if name not in train.column_names])
        if 2 * len(absent) > len(train.column_names):
            near = " Is its first line a header?"  # if not, its names are cells
        msg = (
            f"The test file `{test_source}` lacks {quote(absent)}, which `{source}` has.{near} "
            "Give both the same columns."
        )
        raise InputError(msg)
    others = [name for name in test.column_names if name not in train.column_names and name not in dropped]
    notes = [f"{quote(others)} of the test file left out: `{source}` has no such column."] if others else []
    columns = []
    for field in train.schema:
        try:
            columns.append(test.column(field.name).cast(field.type))
        except pa.ArrowException:
            msg = (
                f"Column `{field.name}` holds {field.type} cells in `{source}`, but {test.column(field.name).type} "
                f"cells in the test file `{test_source}`. Make both alike."
            )
            raise InputError(msg) from None
    return pa.table(columns, schema=train.schema), notes


def _complete_rows(table: pa.Table, names: tuple[str, ...]) -> NDArray[np.int64]:
    """The records without a missing cell in these columns; a float that is not a number is missing."""
    is_complete = np.ones(table.num_rows, np.bool_)
    for name in names:
        is_complete &= ~as_numpy(table.column(name).is_null(nan_is_null=True))
    return np.flatnonzero(is_complete)


def read_numbers(table: pa.Table, name: str) -> NDArray[np.float64]:
    """The numbers of a class that is one; refuse a column with other cells, or with a single number."""
    column = table.column(name).combine_chunks()
    _refuse_missing(column, name)
    encoded = column.dictionary_encode()
    parsed = parse_keys(encoded.dictionary)
    codes = as_numpy(encoded.indices)
    known = np.zeros(len(encoded.dictionary), np.bool_)
    if parsed is not None and parsed.scale in {Scale.INTEGER, Scale.REAL}:
        known = parsed.known
    n_odd = int((~known[codes]).sum())
    if parsed is None or n_odd:
        raise InputError(refuse_class_cells(name, n_odd))
    numbers = parsed.numbers.astype(np.float64)
    if len(np.unique(numbers)) < 2:  # noqa: PLR2004
        msg = f"The class `{name}` has the same value in every record, so there is nothing to predict."
        raise InputError(msg)
    return np.asarray(numbers[codes])


def _refuse_missing(column: pa.Array, name: str) -> None:
    n_missing = int(as_numpy(column.is_null(nan_is_null=True)).sum())
    if n_missing:
        share = f"{n_missing:,} of {plural(len(column), 'record')}"
        msg = f"The class `{name}` is missing in {share}. Fill it, or leave them out."
        raise InputError(msg)


def _code_classes(table: pa.Table, name: str, n_test: int | None) -> tuple[NDArray[np.int64], tuple[str, ...]]:
    """Number the classes in the order of their names."""
    column = table.column(name).combine_chunks()
    _refuse_missing(column, name)
    encoded = column.dictionary_encode()
    texts = [text_of(key) for key in encoded.dictionary.to_pylist()]
    class_texts = sorted(set(texts))
    index = {text: i for i, text in enumerate(class_texts)}
    classes = np.array([index[text] for text in texts], np.int64)[as_numpy(encoded.indices)]
    if len(class_texts) < 2:  # noqa: PLR2004
        msg = f"The class `{name}` has the same value in every record, so there is nothing to predict."
        raise InputError(msg)
    if n_test is not None:
        n_train = len(classes) - n_test
        n_unknown = int((~np.isin(classes[n_train:], classes[:n_train])).sum())
        if n_unknown:
            msg = (
                f"The class `{name}` of {plural(n_unknown, 'record')} of the test file is a value that no training "
                "record has. Spell the classes alike in both."
            )
            raise InputError(msg)
    return classes, tuple(class_texts)


def _note_unknown_categories(predictors: Predictors, n_train: int) -> list[str]:
    """Note the columns of a test file with categories that no training record has."""
    notes = []
    for predictor in predictors:
        if predictor.type is PredictorType.CATEGORY:
            train, test = np.unique(predictor.values[:n_train]), predictor.values[n_train:]
            n_records = int((~np.isnan(test) & ~np.isin(test, train)).sum())
            if n_records:
                notes.append(
                    f"`{predictor.name}` has a category that no training record has in "
                    f"{plural(n_records, 'test record')}; to the classifiers it is unknown."
                )
    return notes
