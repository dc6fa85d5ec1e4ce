"""From records to distinct coded rows, one small table per QID.

The anonymity of a QID depends on its own attributes only, so each distinct QID
is compressed by itself: every attribute is recoded to its finest reachable
value (its `Coding`) and equal rows are counted. This is the last look that a
search has at the records, and it happens inside the engine.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from maskwise.compress.class_tables import compress_classes
from maskwise.compress.compressed_table import Compact, CompressedTables
from maskwise.compress.person_rows import count_persons
from maskwise.compress.qid_tables import QidTables, counted_as
from maskwise.compress.recode import lookup_of, recode
from maskwise.compress.spill import Workspace
from maskwise.errors import InputError
from maskwise.values.arrow import as_numpy, narrowest

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from maskwise.compress.compressed_table import ClassTable
    from maskwise.compress.recode import Coded
    from maskwise.compress.request import CountRequest, TableRequest
    from maskwise.profile.columns import Profile
    from maskwise.table.table import Table
    from maskwise.values.stages import Stage


def compress(
    table: Table,
    profile: Profile,
    request: CountRequest,
    workspace: Workspace | None = None,
    on_stage: Callable[[Stage], None] = lambda _: None,
) -> CompressedTables:
    """Count everything that a search asks for.

    Args:
        table: The records.
        profile: Their distinct values.
        request: What is to be counted.
        workspace: Where the rows are kept; None is memory without bound.
        on_stage: Is told when it is learned what unmasked columns tell.

    Claim: compressing keeps counts. Every record has exactly one code per
    attribute, so the counts of a QID's rows add up to the table's.
    """
    workspace = workspace or Workspace()
    classes = None
    if request.classes is not None:
        classes = compress_classes(table, profile, request.codings, request.classes, workspace, on_stage)
    return CompressedTables(_compress_qids(table, profile, request, workspace, classes), classes, workspace)


def _compress_qids(
    table: Table,
    profile: Profile,
    request: CountRequest,
    workspace: Workspace,
    classes: ClassTable | None,
) -> Sequence[Compact]:
    """Count the rows of each QID that is asked for, or those of a wide table that several are made of."""
    if not request.tables:
        return ()
    asked = list(dict.fromkeys(counted_as(one) for one in request.tables))
    found = {} if profile.persons is not None else _counted_by_class(asked, classes)
    found = {one: _checked(compact, one, profile) for one, compact in found.items()}
    if counted := [one for one in asked if one not in found]:
        found |= _count_each(table, profile, request, counted, workspace)
    if not any(one.wide for one in request.tables):
        return tuple(found[one] for one in request.tables)
    return QidTables(request.tables, found, [coding.n_codes for coding in request.codings])


def _counted_by_class(asked: Sequence[TableRequest], classes: ClassTable | None) -> dict[TableRequest, Compact]:
    """The QIDs whose rows are counted already, because the class was counted by just these attributes."""
    if classes is None or classes.group_of_row is not None:
        return {}
    rows = classes.rows
    compact = Compact(rows.attributes, rows.codes, rows.counts.sum(axis=1, keepdims=True), rows.workspace)
    return {one: compact for one in asked if one.attributes == rows.attributes and not one.sensitive}


def _count_each(
    table: Table, profile: Profile, request: CountRequest, counted: Sequence[TableRequest], workspace: Workspace
) -> dict[TableRequest, Compact]:
    """Recode the records once, and count the rows of some QIDs."""
    pairs = list(dict.fromkeys(pair for one in counted for pair in one.sensitive))
    sensitive = [(name, profile.sensitive[name].keys_of(*values)) for name, values in pairs]
    used = sorted({a for one in counted for a in one.attributes})
    lookups = {profile.columns[a].name: lookup_of(profile.columns[a], request.codings[a]) for a in used}
    person = None if profile.persons is None else profile.persons.column
    count = _count if person is None else count_persons
    with table.engine.scratch():
        coded = recode(table, lookups, sensitive, keep=len(counted) > 1, person=person)
        return {
            one: count(coded, profile, request, one, [pairs.index(pair) for pair in one.sensitive], workspace)
            for one in counted
        }


def _count(
    coded: Coded, profile: Profile, request: CountRequest, one: TableRequest, marks: Sequence[int], workspace: Workspace
) -> Compact:
    """Count the rows of one QID.

    Args:
        coded: The records, recoded.
        profile: Their distinct values.
        request: All that is counted.
        one: The part of it that is about this QID.
        marks: Which mark of the recoded records each of its sensitive values has.
        workspace: Where the rows are kept.
    """
    qid = one.attributes
    distinct_marks = list(dict.fromkeys(marks))
    rows = workspace.rows(len(qid), narrowest(max(request.codings[a].n_codes for a in qid)))
    counts = workspace.rows(1 + len(marks), np.int64)
    n_null = 0
    names, places = [profile.columns[a].name for a in qid], [0, *(1 + distinct_marks.index(mark) for mark in marks)]
    if (counted := coded.count_here(names, distinct_marks)) is not None:
        for part in counted:
            rows.add_rows(part.codes)
            counts.add_rows(part.counts[:, places])
        return _checked(Compact(qid, rows.finish(), counts.finish(), workspace), one, profile)
    with coded.count(names, distinct_marks) as batches:
        # Batch by batch into its place: the rows are never held twice.
        for batch in batches:
            n_null += sum(column.null_count for column in batch.columns)
            if not n_null:
                columns = [as_numpy(column) for column in batch.columns]
                rows.add(columns[: len(qid)])
                counts.add([columns[len(qid) + at] for at in places])
    return _checked(Compact(qid, rows.finish(), counts.finish(), workspace), one, profile, n_null)


def _checked(compact: Compact, one: TableRequest, profile: Profile, n_null: int = 0) -> Compact:
    """The rows of a QID, if they are all records and all sensitive values that were there before."""
    totals = compact.counts.sum(axis=0)
    if int(totals[0]) != profile.n_rows or n_null:
        msg = f"The table changed while it was read: {profile.n_rows:,} records before, {totals[0]:,} now. Try again."
        raise InputError(msg)
    for c, (name, values) in enumerate(one.sensitive, start=1):
        if int(totals[c]) != profile.sensitive[name].n_records(*values):
            msg = f"A protected value of `{name}` was not found again when the table was compressed. Make it text."
            raise InputError(msg)
    return compact
