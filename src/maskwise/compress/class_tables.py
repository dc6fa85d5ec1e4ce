"""The class by the rows of all masked attributes together, grouped by what unmasked columns tell.

Here single records are looked at: the unmasked columns are fetched, a pure
function of the search numbers the records by them, and the engine counts the
rows by that number.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from maskwise.compress.compressed_table import ClassTable, Compact
from maskwise.compress.recode import fetch_records, lookup_of, narrowest, number_records, recode
from maskwise.profile.sensitive import take_sensitive
from maskwise.values.arrow import as_numpy, from_numpy
from maskwise.values.stages import Stage

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    import pyarrow as pa
    from numpy.typing import NDArray

    from maskwise.compress.request import ClassRequest, Coding, GroupRecords, RecordGroups
    from maskwise.compress.spill import Workspace
    from maskwise.profile.columns import Profile
    from maskwise.table.table import Table

    Ints = NDArray[np.int64]


def compress_classes(
    table: Table,
    profile: Profile,
    codings: Sequence[Coding],
    request: ClassRequest,
    workspace: Workspace,
    on_stage: Callable[[Stage], None] = lambda _: None,
) -> tuple[Table, tuple[ClassTable, ...]]:
    """Count the distinct coded rows of all masked attributes together, by class.

    Args:
        table: The records.
        profile: Their distinct values.
        codings: The codes of every masked attribute.
        request: What is to be counted.
        workspace: Where the rows are kept.
        on_stage: Is told when unmasked columns are looked at, record by record.

    Returns:
        The table, its records numbered if unmasked columns were looked at, and the counts for each way of grouping.
    """
    profile = replace(profile, columns=profile.columns[: request.n_attributes])
    codings = codings[: request.n_attributes]
    column = take_sensitive(table, request.class_name)
    classes = [(request.class_name, column.keys_of(value)) for value in column.values()]
    unmasked = [name for name in request.unmasked if table.is_countable(name)]
    if request.group_records is None or not unmasked:
        return table, (_count(table, profile, codings, classes, workspace),)
    table = number_records(table)
    on_stage(Stage.LEARN)
    numbers, groups = _group(table, unmasked, request.class_name, request.group_records)
    on_stage(Stage.COMPRESS)
    if not groups:
        return table, (_count(table, profile, codings, classes, workspace),)
    return table, tuple(_count(table, profile, codings, classes, workspace, (numbers, one)) for one in groups)


def _group(
    table: Table, unmasked: Sequence[str], class_name: str, group_records: GroupRecords
) -> tuple[Ints, Sequence[RecordGroups]]:
    """The number of each record, and the ways in which the records are grouped; kept where a table is asked again."""
    key = ("groups", table.expr.op(), table.column(class_name).op(), tuple(unmasked), group_records)
    return table.kept.get(key, lambda: _group_anew(table, unmasked, class_name, group_records))


def _group_anew(
    table: Table, unmasked: Sequence[str], class_name: str, group_records: GroupRecords
) -> tuple[Ints, Sequence[RecordGroups]]:
    numbers, columns, of_class = _fetch(table, unmasked, class_name)
    return numbers, group_records(columns, of_class)


def _fetch(table: Table, unmasked: Sequence[str], class_name: str) -> tuple[Ints, list[pa.ChunkedArray], Ints]:
    """Bring columns over: the number of each record, the unmasked columns, and the number of each record's class."""
    fetched = fetch_records(table, [*unmasked, class_name])
    of_class = fetched.column(fetched.num_columns - 1).combine_chunks().dictionary_encode(null_encoding="encode")
    # By spelling, so that the order of the records changes nothing.
    order = np.argsort(np.argsort([str(text) for text in of_class.dictionary.to_pylist()], kind="stable"))
    numbers = as_numpy(fetched.column(0)).astype(np.int64)
    return numbers, fetched.columns[1:-1], order[as_numpy(of_class.indices)].astype(np.int64)


def _count(
    table: Table,
    profile: Profile,
    codings: Sequence[Coding],
    classes: Sequence[tuple[str, pa.Array]],
    workspace: Workspace,
    grouped: tuple[Ints, RecordGroups] | None = None,
) -> ClassTable:
    """Count the rows by class.

    Args:
        table: The records.
        profile: Their distinct values.
        codings: The code of each value.
        classes: The class column and the cells of each class; None are the missing ones.
        workspace: Where the rows are kept.
        grouped: The numbers of the records, and how they are grouped.
    """
    names = [column.name for column in profile.columns]
    lookups = {column.name: lookup_of(column, coding) for column, coding in zip(profile.columns, codings, strict=True)}
    by_row = None if grouped is None else _as_lookup(grouped[0], grouped[1].of_record)
    n_names, n_keys = len(names), len(names) + (by_row is not None)
    rows = workspace.rows(n_names, narrowest(max(coding.n_codes for coding in codings)))
    counts, of_row = workspace.rows(len(classes), np.int64), workspace.rows(1, np.int64)
    with table.engine.scratch():
        coded = recode(table, lookups, classes, keep=False, by_row=by_row)
        with coded.count(names, range(len(classes)), by_row=by_row is not None) as batches:
            for batch in batches:
                columns = [as_numpy(column) for column in batch.columns]
                rows.add(columns[:n_names])
                counts.add(columns[n_keys + 1 :])
                of_row.add(columns[n_names:n_keys] or columns[:1])
    compact = Compact(tuple(range(n_names)), rows.finish(), counts.finish(), workspace)
    if grouped is None:
        return ClassTable(compact)
    return ClassTable(compact, of_row.finish()[:, 0], grouped[1].description)


def _as_lookup(numbers: Ints, groups: Ints) -> tuple[pa.Array, pa.Array]:
    """The group of each record by its number, as an engine joins them."""
    return from_numpy(numbers), from_numpy(groups.astype(np.uint8 if groups.max() < 256 else np.uint32))  # noqa: PLR2004 - a byte
