"""Records as small numbers: recoded inside the engine, and counted there."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from maskwise.engines.base import PERSON, Feature, Lookup
from maskwise.engines.packed_codes import lay_out
from maskwise.table.marks import mark
from maskwise.values.arrow import from_numpy, narrowest
from maskwise.values.scales import Scale

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from contextlib import AbstractContextManager

    import ibis.expr.types as ir
    import pyarrow as pa

    from maskwise.compress.request import Coding
    from maskwise.engines.base import Lookups
    from maskwise.engines.coded_rows import CountedRows
    from maskwise.engines.packed_codes import WordLayout
    from maskwise.profile.columns import Column
    from maskwise.table.table import Table


@dataclass(frozen=True, slots=True)
class Coded:
    """Records whose columns hold small numbers instead of values."""

    table: Table
    """The records they were."""
    expr: ir.Table
    """The codes under the engine's column names, or as words, and the marks s0, s1, ... of sensitive cells."""
    layout: WordLayout | None = None
    """Where the codes are in the words."""

    def count(
        self, names: Sequence[str], marks: Sequence[int], *, beside: Sequence[str] = ()
    ) -> AbstractContextManager[Iterable[pa.RecordBatch]]:
        """Count the distinct rows of some columns (and of the engine's own beside them), and their marked records."""
        keys = [*(self.table.key(name) for name in names), *beside]
        return self.table.engine.count_rows(self.expr, keys, [f"s{mark}" for mark in marks], self.layout)

    def count_here(
        self, names: Sequence[str], marks: Sequence[int], *, beside: Sequence[str] = ()
    ) -> list[CountedRows] | None:
        """As `count`, in this process, if it holds the codes."""
        keys = [*(self.table.key(name) for name in names), *beside]
        return self.table.engine.count_coded(self.expr, keys, [f"s{mark}" for mark in marks])

    def count_persons(
        self, names: Sequence[str], marks: Sequence[int], *, one_by_one: bool
    ) -> AbstractContextManager[Iterable[pa.RecordBatch]]:
        """Count the persons of each distinct row, or list the rows of each person; see the engine's verbs."""
        engine = self.table.engine
        count = engine.list_persons if one_by_one else engine.count_persons
        return count(self.expr, [self.table.key(name) for name in names], [f"s{mark}" for mark in marks])


def recode(
    table: Table,
    lookups: Lookups,
    sensitive: Sequence[tuple[str, pa.Array]] = (),
    *,
    keep: bool,
    own: Lookups | None = None,
    person: str | None = None,
) -> Coded:
    """Recode columns by name and mark sensitive cells, to count the distinct coded rows.

    Args:
        table: The records.
        lookups: For each column how it is recoded.
        sensitive: Columns, and the keys of the cells that are counted in them; a missing key counts missing cells.
        keep: They will be counted more than once.
        own: How columns of the engine's own are recoded, such as the numbers of records.
        person: The column that says whom a record is about, where persons are to be counted.
    """
    marked = mark(table, sensitive)
    beside = [f"s{i}" for i in range(len(sensitive))]
    if person is not None:
        marked = replace(marked, expr=marked.expr.mutate(**{PERSON: marked.column(person)}))
        beside.append(PERSON)
    named = {table.key(name): how for name, how in lookups.items()}
    named |= own or {}
    # Persons are counted by the columns themselves.
    layout = lay_out(named) if not table.engine.can(Feature.LOCAL_RECORDS) and person is None else None
    coded = table.engine.recode(marked.normalized(lookups), named, beside, materialize=keep, layout=layout)
    return Coded(table, coded, layout)


def lookup_of(column: Column, coding: Coding) -> Lookup:
    """How the engine recodes a column."""
    missing = int(coding.code_of_value[-1]) if column.missing.any() else None
    if column.is_ranged:
        return _ranges(column, coding, missing)
    keys, codes = column.keys, coding.code_of_value[column.value_of_key]
    if column.scale is Scale.INTEGER and column.numbers.dtype == np.int64:
        # Whole numbers are joined as such, also from a csv's texts: at a million rows twice as fast.
        keys, codes = from_numpy(column.numbers), coding.code_of_value[:-1]
        if column.value_of_number is not None:
            keys, codes = from_numpy(column.cell_numbers), codes[column.value_of_number]
    # A value that the profile does not tell apart is one that may never be shown.
    other = 0 if column.n_rest else None
    return Lookup(keys, from_numpy(codes.astype(narrowest(coding.n_codes))), missing, other)


def _ranges(column: Column, coding: Coding, missing: int | None) -> Lookup:
    """The finest reachable intervals: where each begins. Codes follow the order of numbers, from 0."""
    codes = coding.code_of_value[:-1]
    first = np.flatnonzero(np.diff(codes, prepend=-1))
    assert (codes[first] == np.arange(len(first))).all()  # noqa: S101 - trees are numbered in their order
    return Lookup(column.keys.take(from_numpy(first)), None, missing)
