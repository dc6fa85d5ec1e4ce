"""Scores of records: whole numbers that belong to the values of several columns, joined by value and added up.

Only whole numbers are added, so that every engine finds the same sums.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa

from maskwise.engines import local_verbs
from maskwise.engines.base import Lookup
from maskwise.engines.coded_columns import CodedColumn
from maskwise.engines.lookup_keys import as_keys
from maskwise.values.arrow import as_numpy, from_numpy

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    import ibis.expr.types as ir
    from numpy.typing import NDArray

    from maskwise.engines.base import Lookups
    from maskwise.engines.sql import Engine

    Ints = NDArray[np.int64]

SCORE = "score"
"""The column that has a record's score."""


def score_records(
    engine: Engine, table: ir.Table, lookups: Lookups, scores: Mapping[str, Ints], start: Sequence[int], step: int
) -> ir.Table:
    """The records with a column `SCORE`, to be looked at more than once, without the columns that the scores belong to.

    With one score for each value it is their sum. With several, one for each
    class, it says which class has the largest sum (of equal ones the first),
    and by how much that is larger than the next: step x class + difference.

    Args:
        engine: Where the records are.
        table: The records.
        lookups: For each column how its cells are numbered.
        scores: For each column the scores of each number, (n_numbers, n_scores).
        start: What is added to each sum.
        step: More than any difference of two sums.
    """
    others = [name for name in table.columns if name not in lookups]
    read = table.select(**{name: as_keys(table[name], how) for name, how in lookups.items()})
    kept, asked = engine.local(table.select(others)), engine.local(read)
    if kept is not None and asked is not None:
        numbers = local_verbs.recode(asked, lookups, [])
        found = _add_up({name: as_numpy(numbers.column(name)) for name in lookups}, scores, start, step)
        return engine.hold_columns({**kept.columns, SCORE: CodedColumn.of(pa.chunked_array([from_numpy(found)]))})
    # A single score is looked up at once; several scores, and those of ranges, by the number of the cell.
    at_once = {name for name, how in lookups.items() if len(start) == 1 and how.codes is not None}
    coded = {name: _as_scores(how, scores[name]) if name in at_once else how for name, how in lookups.items()}
    numbered = engine.recode(table, coded, others, materialize=False).get_name()
    joins, columns = [], range(len(start))
    sums = [" + ".join([str(n), *(f"t.{name}" for name in scores if name in at_once)]) for n in start]
    for i, (name, own) in enumerate(scores.items()):
        if name in at_once:
            continue
        by_number = {f"v{c}": from_numpy(own[:, c].astype(np.int32)) for c in columns}
        small = engine.register(pa.table({"number": from_numpy(np.arange(len(own), dtype=np.int32)), **by_number}))
        joins.append(f"LEFT JOIN {small.get_name()} j{i} ON t.{name} = j{i}.number")
        sums = [f"{so_far} + j{i}.v{c}" for c, so_far in enumerate(sums)]
    names_of_others = ", ".join(others)
    listed = ", ".join(f"{one} AS sum{c}" for c, one in enumerate(sums))
    added = f"SELECT {', '.join(f't.{name}' for name in others)}, {listed} FROM {numbered} t {' '.join(joins)}"  # noqa: S608
    if len(start) == 1:
        return engine.keep(f"SELECT {names_of_others}, CAST(sum0 AS BIGINT) AS {SCORE} FROM ({added}) a")  # noqa: S608
    names = [f"sum{c}" for c in columns]
    largest = f"SELECT {names_of_others}, {', '.join(names)}, greatest({', '.join(names)}) AS most FROM ({added}) a"  # noqa: S608
    first = " ".join(f"WHEN {name} = most THEN {c}" for c, name in enumerate(names))
    told = f"SELECT {names_of_others}, {', '.join(names)}, most, CASE {first} END AS class_number FROM ({largest}) b"  # noqa: S608
    rest = ", ".join(f"CASE WHEN class_number = {c} THEN most - {step} ELSE {name} END" for c, name in enumerate(names))
    score = f"CAST(class_number AS BIGINT) * {step} + (most - greatest({rest}))"
    return engine.keep(f"SELECT {names_of_others}, CAST({score} AS BIGINT) AS {SCORE} FROM ({told}) d")  # noqa: S608


def _add_up(codes: Mapping[str, Ints], scores: Mapping[str, Ints], start: Sequence[int], step: int) -> Ints:
    """The score of each record of this process; the arguments are those of `score_records`."""
    n_rows = len(next(iter(codes.values())))
    sums = np.tile(np.array(start, np.int64), (n_rows, 1))
    for name, of_record in codes.items():
        sums += scores[name][of_record]
    if len(start) == 1:
        return sums[:, 0].copy()
    best = sums.argmax(axis=1)
    most = sums[np.arange(n_rows), best]
    sums[np.arange(n_rows), best] -= step
    found: Ints = best * step + (most - sums.max(axis=1))
    return found


def _as_scores(how: Lookup, scores: Ints) -> Lookup:
    """The same lookup with scores in place of numbers."""
    own = scores[:, 0].astype(np.int32)
    missing, other = (None if code is None else int(own[code]) for code in (how.missing, how.other))
    return Lookup(how.keys, from_numpy(own[as_numpy(how.codes)]), missing, other)


def count_scores(engine: Engine, scored: ir.Table) -> tuple[Ints, Ints]:
    """The distinct scores, ascending, and the records of each."""
    found = engine.group(scored, [scored[SCORE]])
    values, counts = (as_numpy(found.column(name)).astype(np.int64, copy=False) for name in ("k0", "n"))
    order = np.argsort(values)
    return values[order], counts[order]
