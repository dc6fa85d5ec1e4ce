"""A table in codes for the rivals: a number for every masked cell, a class for every record.

`profile` checks whether a table fits its policy, as for maskwise's own search.
`mondrian` and `full_domain` choose the labels; `with_labels` makes a table of
them.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import narwhals.stable.v1 as nw
import numpy as np

from maskwise.engines.base import ROW
from maskwise.errors import InputError
from maskwise.policy.attributes import Kind, Missing
from maskwise.profile.profile import profile
from maskwise.release.frames import as_frame
from maskwise.release.mask import refuse_missing_cells
from maskwise.search.bounds import check_feasible
from maskwise.table.endpoints import closing
from maskwise.table.read import read
from maskwise.values.arrow import as_numpy
from maskwise.values.parsing import parse_keys
from maskwise.values.reading import AS_IT_IS
from maskwise.values.scales import Scale
from maskwise.values.spelling import text_of

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    import pyarrow as pa
    from numpy.typing import NDArray

    from maskwise.policy.policy import Policy
    from maskwise.profile.columns import Column
    from maskwise.table.table import Table
    from maskwise.values.reading import Reading

    Ints = NDArray[np.int64]

UNKNOWN = -1
"""The code of a category that the training records and their tree do not have."""
_NUMERIC = {Scale.INTEGER, Scale.REAL}


@dataclass(frozen=True, slots=True)
class CodedColumn:
    """One masked column of some records, in codes."""

    values: Any  # (n_rows,) int64, or float64 for an interval attribute of reals
    """The code of each category (see `n_values`), or the number itself of an interval attribute."""
    missing: NDArray[np.bool_]  # (n_rows,)
    """Whether the cell is missing; the code of a missing category is `n_values`."""


@dataclass(frozen=True, slots=True)
class CodedRecords:
    """Some records, in codes."""

    frame: Any
    """The records as a narwhals frame, without those that the policy leaves out and without dropped columns."""
    columns: tuple[CodedColumn, ...]
    """Their masked columns, in policy order."""


@dataclass(frozen=True, slots=True)
class TableCoding:
    """The meaning of the codes; further records are coded in the same way."""

    policy: Policy
    """The policy of the training records."""
    columns: tuple[Column, ...]
    """The masked attributes of the training records, as `profile` counted them."""


@dataclass(frozen=True, slots=True)
class TrainingSet:
    """The records that a rival is fitted to."""

    coding: TableCoding
    """The meaning of the codes."""
    k: int
    """The smallest group allowed."""
    records: CodedRecords
    """The training records."""
    classes: Ints  # (n_rows,)
    """The class of each record."""
    n_classes: int
    """The number of classes."""


def n_values(column: Column) -> int:
    """The number of categories with a code: all labels of a tree, or all values in the training records."""
    return len(column.texts) if column.taxonomy is None else len(column.taxonomy.labels)


def code_training_set(data: Any, policy: Policy) -> TrainingSet:
    """Check training records against a policy with one k and a class, and code them."""
    if policy.person is not None:
        msg = f"This method counts records, but the policy asks to count persons. Drop `{policy.person.column}`."
        raise InputError(msg)
    requirements = policy.requirements
    k = requirements[0].k
    # Where k is asked on some of the attributes, or something else beside it, the parts are not the requirement.
    parts: Sequence[object] = requirements[0].parts
    if len(requirements) != 1 or k is None or list(parts) != [requirements[0]]:
        texts = "; ".join(requirement.asks() for requirement in requirements)
        msg = f"This method takes one requirement with a k; the policy asks {texts}. Keep one such requirement."
        raise InputError(policy.at(("requirements",)) + msg)
    if policy.class_name is None:
        raise InputError("This method needs a class to look at. Name one in the policy, such as class: income.")
    frame = _as_frame(data, policy.reading)
    table = read(frame.to_native())
    with closing(table):
        profiled, table = profile(table, policy, keep_rare=True)
        check_feasible(profiled, policy)
        encoded_classes, records = _code(table, frame, profiled.columns, policy, policy.class_name)
    sort_keys = [(label is None, text_of(label)) for label in encoded_classes.dictionary.to_pylist()]
    order = sorted(range(len(sort_keys)), key=sort_keys.__getitem__)
    classes = np.argsort(np.array(order, np.int64))[as_numpy(encoded_classes.indices)]
    return TrainingSet(TableCoding(policy, profiled.columns), k, records, classes, len(order))


def code_records(data: Any, coding: TableCoding) -> CodedRecords:
    """Code further records in the codes of the training records."""
    policy = coding.policy
    frame = _as_frame(data, policy.reading)
    table = read(frame.to_native())
    for name in policy.masked:
        table.require(name)
    with closing(table):
        if policy.missing is Missing.DROP:
            table = table.without_missing(policy.masked)
        return _code(table, frame, coding.columns, policy, None)[1]


def with_labels(records: CodedRecords, labels: Mapping[str, NDArray[np.object_]]) -> Any:
    """Replace the masked columns by their labels; the result is a table of the kind that was given."""
    backend = records.frame.implementation
    columns = [nw.new_series(name, texts.tolist(), nw.String, backend=backend) for name, texts in labels.items()]
    return records.frame.with_columns(*columns).to_native()


def count_minorities(
    groups: Ints, classes: Ints, n_classes: int, weights: NDArray[Any] | None = None
) -> tuple[Ints, Ints]:
    """Count the records of each group, and those of them that are not in its largest class.

    The sum of the second is the penalty of Iyengar's classification metric
    (CM, KDD 2002); the metric is its share of all records.

    >>> count_minorities(np.array([0, 0, 0, 1]), np.array([1, 1, 0, 0]), 2)
    (array([3, 1]), array([1, 0]))
    """
    n_groups = int(groups.max()) + 1 if len(groups) else 0
    counts = np.bincount(groups * n_classes + classes, weights, n_groups * n_classes)
    by_class = counts.reshape(n_groups, n_classes).astype(np.int64)
    size: Ints = by_class.sum(axis=1)
    return size, size - by_class.max(axis=1, initial=0)


def _as_frame(data: Any, reading: Reading) -> Any:
    if isinstance(data, str | Path) or reading != AS_IT_IS:
        data = as_frame(read(data, reading=reading).with_usual_forms())
    try:
        return nw.from_native(data, eager_only=True)
    except TypeError:
        msg = f"A rival reads a path, or a pandas, Polars or Arrow table; found {type(data).__name__}."
        raise InputError(msg) from None


def _code(
    table: Table, frame: Any, columns: Sequence[Column], policy: Policy, class_name: str | None
) -> tuple[Any, CodedRecords]:
    """Fetch the masked columns and code their cells; the first result is the encoded class, if one is named."""
    names = [column.name for column in columns] + ([] if class_name is None else [class_name])
    selected = {f"v{i}": table.column(name) for i, name in enumerate(names)}
    fetched = table.engine.fetch(table.expr.select(**selected, **{ROW: table.expr[ROW]})).sort_by(ROW)
    encoded = [fetched.column(i).combine_chunks().dictionary_encode(null_encoding="encode") for i in range(len(names))]
    coded = tuple(_code_column(column, cells, policy) for column, cells in zip(columns, encoded, strict=False))
    row_numbers = as_numpy(fetched.column(ROW))
    if len(row_numbers) < len(frame):
        frame = frame[row_numbers.tolist()]
    dropped = policy.dropped(frame.columns)
    names_kept = [name for name in frame.columns if name not in dropped]
    classes = None if class_name is None else encoded[-1]
    return classes, CodedRecords(
        nw.maybe_reset_index(frame.select(*(frame.get_column(name) for name in names_kept))), coded
    )


def _code_column(column: Column, encoded: pa.DictionaryArray, policy: Policy) -> CodedColumn:
    keys, key_of = encoded.dictionary, as_numpy(encoded.indices)
    is_present = as_numpy(keys.is_valid())
    missing = ~is_present[key_of]
    if policy.missing is Missing.ERROR:
        refuse_missing_cells(column.name, int(missing.sum()))
    if column.kind is Kind.INTERVAL:
        numbers = _parse_numbers(column, keys.drop_null())
        values = np.zeros(len(keys), numbers.dtype)
        values[is_present] = numbers
    else:
        texts = column.texts if column.taxonomy is None else column.taxonomy.labels
        known = set(texts) if column.taxonomy is None else set(column.taxonomy.leaves())
        code_of = {text: i for i, text in enumerate(texts) if text in known}
        spelled = [None if key is None else _finest(column, text_of(key)) for key in keys.to_pylist()]
        values = np.array([len(texts) if text is None else code_of.get(text, UNKNOWN) for text in spelled], np.int64)
    return CodedColumn(values[key_of], missing)


def _finest(column: Column, text: str) -> str:
    """The value that a cell stands for; one that a rule has no place for is nowhere in its tree."""
    if column.rule is None:
        return text
    path = column.rule.path(text)
    return "" if path is None else path[-1]


def _parse_numbers(column: Column, keys: pa.Array) -> NDArray[Any]:
    if not len(keys):
        return np.zeros(0, np.int64)
    parsed = parse_keys(keys)
    is_same = parsed is not None and (parsed.scale == column.scale or {parsed.scale, column.scale} <= _NUMERIC)
    if parsed is None or not is_same or not parsed.known.all():
        expected = "numbers" if column.scale is None else f"{column.scale.noun}s"
        msg = f"Column `{column.name}` has cells that are no {expected}, unlike the training records."
        raise InputError(msg + " Clean them.")
    return parsed.numbers


def check_fitted(coding: TableCoding | None, rival: object) -> TableCoding:
    """Refuse to mask before `fit` was called."""
    if coding is None:
        msg = f"This {type(rival).__name__} has not been fitted. Call `fit` with training records first."
        raise InputError(msg)
    return coding
