"""A table as the rivals see it: every masked cell a number, every record a class.

Whether a table fits its policy is checked by `profile`, as for maskwise's own
search. `mondrian` and `fulldomain` decide what is shown; here the shown labels
become a table again.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from maskwise.engines.base import ROW
from maskwise.errors import InputError, plural
from maskwise.policy.attributes import Kind, Missing
from maskwise.profile.profile import profile
from maskwise.release.frames import as_frame
from maskwise.release.publish import given_back
from maskwise.table.read import read
from maskwise.values.arrow import as_numpy
from maskwise.values.parsing import parse_keys
from maskwise.values.scales import Scale
from maskwise.values.spelling import text_of

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    import pyarrow as pa
    from numpy.typing import NDArray

    from maskwise.policy.policy import Policy
    from maskwise.profile.columns import Column
    from maskwise.table.table import Table

    Ints = NDArray[np.int64]

UNKNOWN = -1
"""The number of a category that the training records and their tree do not have."""
_NUMBERS = {Scale.INTEGER, Scale.REAL}


@dataclass(frozen=True, slots=True)
class Cells:
    """One masked column of some records."""

    values: Any  # (n_rows,) int64, or float64 for an interval attribute of reals
    """The number of each category (see `n_values`), or the number itself of an interval attribute."""
    missing: NDArray[np.bool_]  # (n_rows,)
    """Whether the cell is missing; the number of a missing category is `n_values`."""


@dataclass(frozen=True, slots=True)
class Rows:
    """Some records, coded."""

    frame: Any
    """The records as a narwhals frame, without those that the policy leaves out and without dropped columns."""
    cells: tuple[Cells, ...]
    """Their masked columns, in policy order."""


@dataclass(frozen=True, slots=True)
class Key:
    """What the codes of later records mean."""

    policy: Policy
    """What was asked."""
    columns: tuple[Column, ...]
    """The masked attributes as `profile` found them."""


@dataclass(frozen=True, slots=True)
class Task:
    """What a rival is asked, and the records it is asked on."""

    key: Key
    """What the codes mean."""
    k: int
    """The smallest group allowed."""
    rows: Rows
    """The training records."""
    classes: Ints  # (n_rows,)
    """The class of each."""
    n_classes: int
    """How many there are."""


def n_values(column: Column) -> int:
    """How many categories are numbered: all labels of a tree, or all values in the training records."""
    return len(column.texts) if column.taxonomy is None else len(column.taxonomy.labels)


def take_task(data: Any, policy: Policy) -> Task:
    """Check training records against a policy with one k and a class, and code them."""
    from maskwise.search.bounds import check_feasible  # noqa: PLC0415 - compiled code is slow to load

    needs = policy.requirements
    k = needs[0].k
    # Where k is asked on some of the attributes, or something else beside it, the parts are not the requirement.
    parts: Sequence[object] = needs[0].parts
    if len(needs) != 1 or k is None or list(parts) != [needs[0]]:
        asked = "; ".join(need.asks() for need in needs)
        msg = f"This method takes one requirement with a k; the policy asks {asked}. Keep one such requirement."
        raise InputError(policy.at(("requirements",)) + msg)
    if policy.class_name is None:
        raise InputError("This method needs a class to look at. Name one in the policy, such as class: income.")
    frame = _as_frame(data)
    table = read(frame.to_native())
    with given_back(table):
        profiled, table = profile(table, policy, keep_rare=True)
        check_feasible(profiled, policy)
        fetched, rows = _code(table, frame, profiled.columns, policy, policy.class_name)
    spelled = [(label is None, text_of(label)) for label in fetched.dictionary.to_pylist()]
    order = sorted(range(len(spelled)), key=spelled.__getitem__)
    classes = np.argsort(np.array(order, np.int64))[as_numpy(fetched.indices)]
    return Task(Key(policy, profiled.columns), k, rows, classes, len(order))


def look(data: Any, key: Key) -> Rows:
    """Code later records in the numbers of the training records."""
    policy = key.policy
    frame = _as_frame(data)
    table = read(frame.to_native())
    for name in policy.masked:
        table.require(name)
    with given_back(table):
        if policy.missing is Missing.DROP:
            table = table.without_missing(policy.masked)
        return _code(table, frame, key.columns, policy, None)[1]


def show(rows: Rows, labels: Mapping[str, NDArray[np.object_]]) -> Any:
    """Replace masked columns by their labels; the result is of the kind that came in."""
    import narwhals.stable.v1 as nw  # noqa: PLC0415 - heavy

    backend = rows.frame.implementation
    shown = [nw.new_series(name, texts.tolist(), nw.String, backend=backend) for name, texts in labels.items()]
    return rows.frame.with_columns(*shown).to_native()


def minorities(groups: Ints, classes: Ints, n_classes: int, weights: NDArray[Any] | None = None) -> tuple[Ints, Ints]:
    """The records of each group, and those of them that are not in its largest class.

    Their sum over all groups is the penalty of Iyengar's classification metric
    (CM, KDD 2002); the metric is its share of all records.

    >>> minorities(np.array([0, 0, 0, 1]), np.array([1, 1, 0, 0]), 2)
    (array([3, 1]), array([1, 0]))
    """
    n_groups = int(groups.max()) + 1 if len(groups) else 0
    counted = np.bincount(groups * n_classes + classes, weights, n_groups * n_classes)
    by_class = counted.reshape(n_groups, n_classes).astype(np.int64)
    size: Ints = by_class.sum(axis=1)
    return size, size - by_class.max(axis=1, initial=0)


def _as_frame(data: Any) -> Any:
    import narwhals.stable.v1 as nw  # noqa: PLC0415 - heavy

    if isinstance(data, str | Path):
        table = read(data)
        data = as_frame(table)
    try:
        return nw.from_native(data, eager_only=True)
    except TypeError:
        msg = f"A rival reads a path, or a pandas, Polars or Arrow table; found {type(data).__name__}."
        raise InputError(msg) from None


def _code(
    table: Table, frame: Any, columns: Sequence[Column], policy: Policy, class_name: str | None
) -> tuple[Any, Rows]:
    """Fetch the masked columns and number their cells; also the encoded class, if one is named."""
    import narwhals.stable.v1 as nw  # noqa: PLC0415 - heavy

    names = [column.name for column in columns] + ([] if class_name is None else [class_name])
    wanted = {f"v{i}": table.column(name) for i, name in enumerate(names)}
    fetched = table.engine.fetch(table.expr.select(**wanted, **{ROW: table.expr[ROW]})).sort_by(ROW)
    encoded = [fetched.column(i).combine_chunks().dictionary_encode(null_encoding="encode") for i in range(len(names))]
    cells = tuple(_number(column, cell, policy) for column, cell in zip(columns, encoded, strict=False))
    kept = as_numpy(fetched.column(ROW))
    if len(kept) < len(frame):
        frame = frame[kept.tolist()]
    left = [name for name in frame.columns if name not in policy.drop]
    classes = None if class_name is None else encoded[-1]
    return classes, Rows(nw.maybe_reset_index(frame.select(left)), cells)


def _number(column: Column, encoded: pa.DictionaryArray, policy: Policy) -> Cells:
    keys, at = encoded.dictionary, as_numpy(encoded.indices)
    there = as_numpy(keys.is_valid())
    missing = ~there[at]
    if missing.any() and policy.missing is Missing.ERROR:
        msg = f"Column `{column.name}` has {plural(int(missing.sum()), 'missing cell')}, and the policy refuses them."
        raise InputError(msg + " Fill them first.")
    if column.kind is Kind.INTERVAL:
        numbers = _numbers(column, keys.drop_null())
        values = np.zeros(len(keys), numbers.dtype)
        values[there] = numbers
    else:
        texts = column.texts if column.taxonomy is None else column.taxonomy.labels
        known = set(texts) if column.taxonomy is None else set(column.taxonomy.leaves())
        number_of = {text: i for i, text in enumerate(texts) if text in known}
        values = np.array(
            [len(texts) if key is None else number_of.get(text_of(key), UNKNOWN) for key in keys.to_pylist()], np.int64
        )
    return Cells(values[at], missing)


def _numbers(column: Column, keys: pa.Array) -> NDArray[Any]:
    if not len(keys):
        return np.zeros(0, np.int64)
    parsed = parse_keys(keys)
    is_same = parsed is not None and (parsed.scale == column.scale or {parsed.scale, column.scale} <= _NUMBERS)
    if parsed is None or not is_same or not parsed.known.all():
        expected = "numbers" if column.scale is None else f"{column.scale.noun}s"
        msg = f"Column `{column.name}` has cells that are no {expected}, unlike the training records."
        raise InputError(msg + " Clean them.")
    return parsed.numbers


def check_fitted(key: Key | None, who: object) -> Key:
    """Refuse to mask before anything was fitted."""
    if key is None:
        msg = f"This {type(who).__name__} has not been fitted. Call `fit` with training records first."
        raise InputError(msg)
    return key
