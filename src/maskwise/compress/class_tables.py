"""The class by the rows of all masked attributes together, grouped by what unmasked columns tell.

Either single records are looked at: the unmasked columns are fetched, a pure
function of the search numbers the records by them, and the engine counts the
rows by that number. Or the records stay where they are, and the engine groups
them itself, by the odds of their values (`scored_records`).
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from maskwise.compress.compressed_table import ClassTable, Compact
from maskwise.compress.recode import fetch_records, lookup_of, number_records, recode
from maskwise.compress.scored_records import score_by_odds
from maskwise.engines.base import ROW, Lookup
from maskwise.engines.value_scores import SCORE
from maskwise.errors import InputError
from maskwise.profile.sensitive import take_sensitive
from maskwise.values.arrow import as_numpy, from_numpy, narrowest
from maskwise.values.stages import Stage

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    import pyarrow as pa
    from numpy.typing import NDArray

    from maskwise.compress.recode import Coded
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
        on_stage: Is told when it is learned what unmasked columns tell.

    Returns:
        The table, its records numbered if unmasked columns were looked at, and the counts for each way of grouping.
    """
    profile = replace(profile, columns=profile.columns[: request.n_attributes])
    codings = codings[: request.n_attributes]
    column = take_sensitive(table, request.class_name)
    classes = {value: (request.class_name, column.keys_of(value)) for value in column.values()}
    unmasked = [name for name in request.unmasked if table.is_countable(name)]
    count = partial(_count, profile=profile, codings=codings, classes=classes, workspace=workspace)
    if not unmasked:
        return table, (count(table),)
    on_stage(Stage.LEARN)
    if request.group_records is None:
        needed = [*(column.name for column in profile.columns), request.class_name]
        scored = score_by_odds(table, unmasked, request.class_name, needed)
        on_stage(Stage.COMPRESS)
        return table, (count(table) if scored is None else count(scored[0], grouped=_Grouping(SCORE, scored[1])),)
    table = number_records(table)
    numbers, groups = _group(table, unmasked, request.class_name, request.group_records)
    on_stage(Stage.COMPRESS)
    if not groups:
        return table, (count(table),)
    return table, tuple(count(table, grouped=_by_row(numbers, one)) for one in groups)


@dataclass(frozen=True, slots=True)
class _Grouping:
    """How the records are counted apart."""

    column: str
    """A column of the engine's own."""
    lookup: Lookup
    """The group of each of its cells."""
    description: Any = None
    """What the search knows of the groups."""


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
    classes: Mapping[str | None, tuple[str, pa.Array]],
    workspace: Workspace,
    grouped: _Grouping | None = None,
) -> ClassTable:
    """Count the rows by class.

    Args:
        table: The records.
        profile: Their distinct values.
        codings: The code of each value.
        classes: For each class the class column and its cells; None are the missing ones.
        workspace: Where the rows are kept.
        grouped: How the records are counted apart.
    """
    names = [column.name for column in profile.columns]
    lookups = {column.name: lookup_of(column, coding) for column, coding in zip(profile.columns, codings, strict=True)}
    own = {} if grouped is None else {grouped.column: grouped.lookup}
    n_names, n_keys = len(names), len(names) + len(own)
    rows = workspace.rows(n_names, narrowest(max(coding.n_codes for coding in codings)))
    counts, of_row = workspace.rows(len(classes), np.int64), workspace.rows(1, np.int64)
    with table.engine.scratch():
        coded = recode(table, lookups, list(classes.values()), keep=False, own=own)
        counted = coded.count_here(names, range(len(classes)), beside=list(own))
        for part in counted or ():
            rows.add_rows(part.codes[:, :n_names])
            counts.add_rows(part.counts[:, 1:])
            of_row.add_rows(part.codes[:, n_keys - 1 : n_keys])
        if counted is None:
            for columns in _count_batches(coded, names, len(classes), list(own)):
                rows.add(columns[:n_names])
                counts.add(columns[n_keys + 1 :])
                of_row.add(columns[n_names:n_keys] or columns[:1])
    compact = Compact(tuple(range(n_names)), rows.finish(), counts.finish(), workspace)
    if grouped is None:
        return ClassTable(compact, labels=tuple(classes))
    return ClassTable(compact, of_row.finish()[:, 0], grouped.description, tuple(classes))


def _count_batches(coded: Coded, names: Sequence[str], n_classes: int, own: list[str]) -> Iterator[list[NDArray[Any]]]:
    """The distinct rows as the engine counts them, some at a time, column by column."""
    with coded.count(names, range(n_classes), beside=own) as batches:
        for batch in batches:
            if any(column.null_count for column in batch.columns[: len(names)]):
                msg = "The table changed while it was read: it has cells that were not there before. Try again."
                raise InputError(msg)
            yield [as_numpy(column) for column in batch.columns]


def _by_row(numbers: Ints, groups: RecordGroups) -> _Grouping:
    """The group of each record by its number."""
    dtype = np.uint8 if groups.of_record.max() < 256 else np.uint32  # noqa: PLR2004 - a byte
    lookup = Lookup(from_numpy(numbers), from_numpy(groups.of_record.astype(dtype)))
    return _Grouping(ROW, lookup, groups.description)
