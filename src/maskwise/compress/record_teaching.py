"""What single records teach: fetched, looked at by a pure function of the search, and forgotten."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from maskwise.compress.recode import lookup_of
from maskwise.values.arrow import as_numpy

if TYPE_CHECKING:
    from collections.abc import Sequence

    from maskwise.compress.request import Coding, RecordRequest
    from maskwise.profile.columns import Profile
    from maskwise.table.table import Table


def teach(table: Table, profile: Profile, codings: Sequence[Coding], request: RecordRequest) -> Any:
    """Fetch the codes, the unmasked columns and the class of every record, and give back what they teach.

    Args:
        table: The records.
        profile: Their distinct values.
        codings: The codes of every masked attribute.
        request: Who looks at them, and at what.
    """
    columns = profile.columns[: request.n_attributes]
    lookups = {
        table.key(column.name): lookup_of(column, coding)
        for column, coding in zip(columns, codings[: request.n_attributes], strict=True)
    }
    unmasked = [name for name in request.unmasked if table.is_countable(name)]
    beside = {f"r{i}": table.column(name) for i, name in enumerate(unmasked)}
    if request.class_name is not None:
        # A class that is a number, and not the bins that other searches see of it.
        beside["of_class"] = replace(table, binned=None).column(request.class_name)
    records = replace(table, expr=table.expr.mutate(**beside)).normalized(column.name for column in columns)
    with table.engine.scratch():
        fetched = table.engine.fetch(table.engine.recode(records, lookups, list(beside), materialize=False))
    codes = np.empty((fetched.num_rows, len(lookups)), np.int64)
    for a, key in enumerate(lookups):
        codes[:, a] = as_numpy(fetched.column(key))
    classes = None if request.class_name is None else fetched.column("of_class")
    return request.teach_rows(codes, [fetched.column(f"r{i}") for i in range(len(unmasked))], classes)
