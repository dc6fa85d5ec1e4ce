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
from maskwise.compress.record_teaching import teach
from maskwise.compress.spill import Workspace
from maskwise.errors import InputError
from maskwise.values.arrow import as_numpy, narrowest
from maskwise.values.stages import Stage

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from maskwise.compress.compressed_table import ClassTable
    from maskwise.compress.recode import Coded
    from maskwise.compress.request import CountRequest, TableRequest
    from maskwise.profile.columns import Profile
    from maskwise.table.table import Table


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
        on_stage: Is told when records are looked at one by one.

    Claim: compressing keeps counts. Every record has exactly one code per
    attribute, so the counts of a QID's rows add up to the table's.
    """
    workspace = workspace or Workspace()
    class_tables: tuple[ClassTable, ...] = ()
    if request.classes is not None:
        table, class_tables = compress_classes(table, profile, request.codings, request.classes, workspace, on_stage)
    tables = _compress_qids(table, profile, request, workspace, class_tables)
    taught = None
    if request.records is not None:
        on_stage(Stage.LEARN)
        taught = teach(table, profile, request.codings, request.records)
    return CompressedTables(tables, class_tables, workspace, taught)


def _compress_qids(
    table: Table,
    profile: Profile,
    request: CountRequest,
    workspace: Workspace,
    class_tables: Sequence[ClassTable],
) -> Sequence[Compact]:
    """Count the rows of each QID that is asked for, or those of a wide table that several are made of."""
    if not request.tables:
        return ()
    asked = list(dict.fromkeys(counted_as(one) for one in request.tables))
    found = {one: known for one in asked if (known := _known(one, profile, class_tables)) is not None}
    counted = [one for one in asked if one not in found]
    pairs = list(dict.fromkeys(pair for one in counted for pair in one.sensitive))
    sensitive = [(name, profile.sensitive[name].keys_of(*values)) for name, values in pairs]
    used = sorted({a for one in counted for a in one.attributes})
    lookups = {profile.columns[a].name: lookup_of(profile.columns[a], request.codings[a]) for a in used}
    person = None if profile.persons is None else profile.persons.column
    count = _count if person is None else count_persons
    if counted:
        with table.engine.scratch():
            coded = recode(table, lookups, sensitive, keep=len(counted) > 1, person=person)
            for one in counted:
                marks = [pairs.index(pair) for pair in one.sensitive]
                found[one] = count(coded, profile, request, one, marks, workspace)
    if not any(one.wide for one in request.tables):
        return tuple(found[one] for one in request.tables)
    return QidTables(request.tables, found, [coding.n_codes for coding in request.codings])


def _known(one: TableRequest, profile: Profile, class_tables: Sequence[ClassTable]) -> Compact | None:
    """The rows of a QID of all attributes, if these were counted by class already: every record has one class.

    Args:
        one: The QID, and what is counted of it.
        profile: The distinct values of the records.
        class_tables: The rows by class.
    """
    if profile.persons is not None or one.sensitive:
        return None
    for known in class_tables:
        rows = known.rows
        if known.group_of_row is None and rows.attributes == one.attributes:
            counts = rows.workspace.zeros((len(rows.codes), 1), np.int64)
            rows.counts.sum(axis=1, keepdims=True, out=counts)
            # If not all records are there, the table has changed; whoever counts it anew says so.
            return (
                Compact(one.attributes, rows.codes, counts, rows.workspace) if counts.sum() == profile.n_rows else None
            )
    return None


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
    with coded.count([profile.columns[a].name for a in qid], distinct_marks) as batches:
        # Batch by batch into its place: the rows are never held twice.
        for batch in batches:
            n_null += sum(column.null_count for column in batch.columns)
            if not n_null:
                columns = [as_numpy(column) for column in batch.columns]
                rows.add(columns[: len(qid)])
                places = (0, *(1 + distinct_marks.index(mark) for mark in marks))
                counts.add([columns[len(qid) + at] for at in places])
    compact = Compact(qid, rows.finish(), counts.finish(), workspace)
    totals = compact.counts.sum(axis=0)
    if int(totals[0]) != profile.n_rows or n_null:
        msg = f"The table changed while it was read: {profile.n_rows:,} records before, {totals[0]:,} now. Try again."
        raise InputError(msg)
    for c, (name, values) in enumerate(one.sensitive, start=1):
        if int(totals[c]) != profile.sensitive[name].n_records(*values):
            msg = f"A protected value of `{name}` was not found again when the table was compressed. Make it text."
            raise InputError(msg)
    return compact
