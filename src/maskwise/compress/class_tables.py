"""The class by the rows of all masked attributes together, grouped by what unmasked columns tell.

The records stay where they are: the engine groups them by the odds of their
values (`scored_records`), and counts the rows of each group.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from maskwise.compress.compressed_table import ClassTable, Compact
from maskwise.compress.recode import lookup_of, recode
from maskwise.compress.scored_records import score_by_odds
from maskwise.engines.value_scores import SCORE
from maskwise.errors import InputError
from maskwise.profile.sensitive import take_sensitive
from maskwise.values.arrow import as_numpy, narrowest
from maskwise.values.stages import Stage

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    import pyarrow as pa
    from numpy.typing import NDArray

    from maskwise.compress.recode import Coded
    from maskwise.compress.request import ClassRequest, Coding
    from maskwise.compress.spill import Workspace
    from maskwise.engines.base import Lookup
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
) -> ClassTable:
    """Count the distinct coded rows of all masked attributes together, by class.

    Args:
        table: The records.
        profile: Their distinct values.
        codings: The codes of every masked attribute.
        request: What is to be counted.
        workspace: Where the rows are kept.
        on_stage: Is told when it is learned what unmasked columns tell.
    """
    profile = replace(profile, columns=profile.columns[: request.n_attributes])
    codings = codings[: request.n_attributes]
    column = take_sensitive(table, request.class_name)
    classes = {value: (request.class_name, column.keys_of(value)) for value in column.values()}
    unmasked = [name for name in request.unmasked if table.is_countable(name)]
    bins = None
    if unmasked:
        on_stage(Stage.LEARN)
        needed = [*(column.name for column in profile.columns), request.class_name]
        scored = score_by_odds(table, unmasked, request.class_name, needed)
        table, bins = (table, None) if scored is None else scored
        on_stage(Stage.COMPRESS)
    return _count(table, profile, codings, classes, workspace, bins)


def _count(
    table: Table,
    profile: Profile,
    codings: Sequence[Coding],
    classes: Mapping[str | None, tuple[str, pa.Array]],
    workspace: Workspace,
    bins: Lookup | None = None,
) -> ClassTable:
    """Count the rows by class.

    Args:
        table: The records.
        profile: Their distinct values.
        codings: The code of each value.
        classes: For each class the class column and its cells; None are the missing ones.
        workspace: Where the rows are kept.
        bins: The bin of each score, by which the records are counted apart.
    """
    names = [column.name for column in profile.columns]
    lookups = {column.name: lookup_of(column, coding) for column, coding in zip(profile.columns, codings, strict=True)}
    own = {} if bins is None else {SCORE: bins}
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
    return ClassTable(compact, None if bins is None else of_row.finish()[:, 0], tuple(classes))


def _count_batches(coded: Coded, names: Sequence[str], n_classes: int, own: list[str]) -> Iterator[list[NDArray[Any]]]:
    """The distinct rows as the engine counts them, some at a time, column by column."""
    with coded.count(names, range(n_classes), beside=own) as batches:
        for batch in batches:
            if any(column.null_count for column in batch.columns[: len(names)]):
                msg = "The table changed while it was read: it has cells that were not there before. Try again."
                raise InputError(msg)
            yield [as_numpy(column) for column in batch.columns]
