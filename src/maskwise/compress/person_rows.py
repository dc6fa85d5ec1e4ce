"""The coded rows of a QID where persons are counted, not records.

Most persons have one row on a QID, however many records: sex and birth date do
not change. Then rows add up as those of records do. Where a person has several
rows, they are listed one by one, so that a search can count each person once.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from maskwise.compress.compressed_table import Compact
from maskwise.errors import InputError
from maskwise.values.arrow import as_numpy, narrowest

if TYPE_CHECKING:
    from collections.abc import Sequence

    from maskwise.compress.recode import Coded
    from maskwise.compress.request import CountRequest, TableRequest
    from maskwise.compress.spill import Workspace
    from maskwise.profile.columns import Profile


def count_persons(
    coded: Coded, profile: Profile, request: CountRequest, one: TableRequest, marks: Sequence[int], workspace: Workspace
) -> Compact:
    """Count the persons of each row of one QID; where a person has several rows, list them instead.

    Args:
        coded: The records, recoded.
        profile: Their distinct values.
        request: All that is counted.
        one: The part of it that is about this QID.
        marks: Which mark of the recoded records each of its sensitive values has.
        workspace: Where the rows are kept.

    Claim: counts of persons add up if and only if every person has one row,
    that is if the persons of all rows are as many as those of the table.
    """
    compact = _count(coded, profile, request, one, marks, workspace, one_by_one=False)
    n_counted = int(compact.counts[:, 0].sum())
    if n_counted > profile.n_counted:
        compact = _count(coded, profile, request, one, marks, workspace, one_by_one=True)
    whole = compact.whole()
    if int(whole[0]) != profile.n_counted or n_counted < profile.n_counted:
        raise InputError("The table changed while it was read: it is about other persons now. Try again.")
    for c, (name, value) in enumerate(one.sensitive, start=1):
        if int(whole[c]) != profile.n_counted_with(name, value):
            msg = f"A protected value of `{name}` was not found again when the table was compressed. Make it text."
            raise InputError(msg)
    return compact


def _count(
    coded: Coded,
    profile: Profile,
    request: CountRequest,
    one: TableRequest,
    marks: Sequence[int],
    workspace: Workspace,
    *,
    one_by_one: bool,
) -> Compact:
    qid = one.attributes
    distinct_marks = list(dict.fromkeys(marks))
    rows = workspace.rows(len(qid), narrowest(max(request.codings[a].n_codes for a in qid)))
    counts = workspace.rows(1 + len(marks), np.int64)
    persons = workspace.rows(1, np.int64)
    names = [profile.columns[a].name for a in qid]
    with coded.count_persons(names, distinct_marks, one_by_one=one_by_one) as batches:
        for batch in batches:
            if any(column.null_count for column in batch.columns):
                raise InputError("The table changed while it was read: it has other values now. Try again.")
            columns = [as_numpy(column) for column in batch.columns]
            codes, others = columns[: len(qid)], columns[len(qid) :]
            rows.add(codes)
            if one_by_one:
                *marked, person = others
                persons.add([person])
                n = np.ones(len(person), np.int64)
            else:
                n, *marked = others
            counts.add([n, *(marked[distinct_marks.index(mark)] for mark in marks)])
    who = persons.finish()
    return Compact(qid, rows.finish(), counts.finish(), workspace, who[:, 0] if one_by_one else None)
