"""An independent recount: does a table meet the requirements?

Nothing here knows how a table was masked. The verdict comes from plain GROUP
BYs over the table as it was written, so it also audits what other tools made.
"""

from __future__ import annotations

from collections import Counter
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from maskwise.table.table import one_or_zero
from maskwise.values.arrow import as_numpy
from maskwise.values.spelling import text_of
from maskwise.verify.counted_values import Cells
from maskwise.verify.measures.registry import measure_groups
from maskwise.verify.measures.spectrum import Spectrum
from maskwise.verify.verdict import Finding, Tightest, Verdict

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    import ibis.expr.types as ir

    from maskwise.engines.sql import Engine
    from maskwise.policy.requirements.base import Counted, Part, Requirement
    from maskwise.policy.taxonomy import Taxonomy
    from maskwise.table.table import Table
    from maskwise.verify.counted_values import Values


def verify(
    table: Table,
    requirements: Sequence[Requirement],
    trees: Mapping[str, Taxonomy | None] | None = None,
    read_text: Callable[[str], str] = str,
) -> Verdict:
    """Recount a table from nothing but its cells.

    Args:
        table: The table.
        requirements: What is asked of it.
        trees: The taxonomies of sensitive columns, if requirements name values in them.
        read_text: Reads a cell as it was before it was written, where writing changed cells.

    Claim: a requirement holds if and only if its finding has no violating
    group, because every record is in exactly one group of the recount.

    Example:
        >>> import pyarrow as pa
        >>> from maskwise import KAnonymity
        >>> from maskwise.table.read import read
        >>> masked = pa.table({"Age": ["[1, 40)", "[1, 40)", "[40, 99]"]})
        >>> verify(read(masked), [KAnonymity(("Age",), 2)]).is_met
        False
    """
    for requirement in requirements:
        for name in requirement.qid:
            table.require(name)
        for name in requirement.columns:
            if name not in requirement.qid:
                table.require_sensitive(name)
    findings = tuple(_recount(table, requirement, trees or {}, read_text) for requirement in requirements)
    return Verdict(findings[0].n_rows if findings else table.n_rows(), findings)


def _recount(
    table: Table, requirement: Requirement, trees: Mapping[str, Taxonomy | None], read_text: Callable[[str], str]
) -> Finding:
    of_qid: dict[tuple[str, ...], list[Part]] = {}
    for part in requirement.parts:
        of_qid.setdefault(part.qid, []).append(part)
    worst: dict[object, tuple[float, Tightest, ir.Table]] = {}
    sizes: Counter[int] = Counter()
    n_broken = n_records = n_rows = 0
    cells = {
        name: _cells(table, name, trees.get(name), read_text) for name in requirement.columns[len(requirement.qid) :]
    }
    with _marked(table, requirement, cells, keep=len(of_qid) > 1) as records:
        for qid, parts in of_qid.items():
            groups = records.groups(qid)
            spectrum = records.spectrum(groups)
            n_rows = int((spectrum.n_groups * spectrum.n_records).sum())
            for size, n in zip(spectrum.n_records.tolist(), spectrum.n_groups.tolist(), strict=True):
                sizes[size] += n
            is_broken = np.zeros(len(spectrum.n_groups), np.bool_)
            for part in parts if n_rows else ():
                measured = measure_groups(part, spectrum, records.values_of(part))
                is_broken |= measured.is_broken
                at = measured.worst(spectrum.n_records)
                figure = measured.figures[at].item()
                bad = -figure if measured.is_low_bad else figure
                if part.subject not in worst or bad > worst[part.subject][0]:
                    worst[part.subject] = (
                        bad,
                        Tightest(part, figure, int(spectrum.n_records[at]), ()),
                        (records.like(groups, spectrum, at)),
                    )
            n_broken += int(spectrum.n_groups[is_broken].sum())
            n_records += int((spectrum.n_groups * spectrum.n_records)[is_broken].sum())
        listed = list(worst.values()) if requirement.lists_worst_groups else []
        tightest = tuple(
            replace(tight, shown=records.first(tight.part.qid, alike) if _may_show(tight) else ())
            for _, tight, alike in listed
        )
    # One figure for the requirement: the worst by the kind of rule that comes first in it.
    leading = [
        (bad, tight.figure) for bad, tight, _ in worst.values() if type(tight.part) is type(requirement.parts[0])
    ]
    figure = max(leading)[1] if leading else 0
    group_sizes = tuple(sorted(sizes.items()))
    return Finding(requirement, figure, sum(sizes.values()), n_broken, n_records, group_sizes, tightest, n_rows)


def _may_show(tight: Tightest) -> bool:
    """Whether to say what a group shows: not if that tells a sensitive value of one person."""
    return tight.n_records > 1 or tight.part.counted is None


@dataclass(frozen=True, slots=True)
class _Marked:
    """The records with a mark for each sensitive value that is counted."""

    expr: ir.Table
    """The QID's columns as q0, q1, ... and the marks as s0, s1, ..."""
    engine: Engine
    columns: tuple[str, ...]
    """The QID's columns."""
    marks: tuple[tuple[str, Values], ...]
    """Column and values of each mark."""
    values: Mapping[Counted, tuple[Values, ...]]
    """The values that are counted, in their order, those in one tuple that are counted together."""

    def values_of(self, part: Part) -> tuple[Values, ...]:
        """The values a rule looks at, in its order."""
        return () if part.counted is None else self.values[part.counted]

    def groups(self, qid: Sequence[str]) -> ir.Table:
        """The counts of each group."""
        keys = [f"q{self.columns.index(name)}" for name in qid]
        sums = {f"s{i}": self.expr[f"s{i}"].sum() for i in range(len(self.marks))}
        return self.expr.group_by(keys).agg(n=self.expr.count(), **sums)

    def spectrum(self, groups: ir.Table) -> Spectrum:
        """How many groups have the same counts; only this leaves the engine."""
        marks = [f"s{i}" for i in range(len(self.marks))]
        counted = self.engine.fetch(groups.group_by(["n", *marks]).agg(groups=groups.count()))
        column = {name: as_numpy(counted.column(name).cast("int64")) for name in ("n", "groups", *marks)}
        order = np.lexsort([column[name] for name in (*reversed(marks), "n")])
        n_values = {pair: column[mark][order] for mark, pair in zip(marks, self.marks, strict=True)}
        return Spectrum(column["groups"][order], column["n"][order], n_values)

    def like(self, groups: ir.Table, spectrum: Spectrum, at: int) -> ir.Table:
        """The groups with the same counts as one of them."""
        same = [groups["n"] == int(spectrum.n_records[at])]
        same += [groups[f"s{i}"] == int(spectrum.n_values[pair][at]) for i, pair in enumerate(self.marks)]
        return groups.filter(same)

    def first(self, qid: Sequence[str], groups: ir.Table) -> tuple[str | None, ...]:
        """What the first of some groups shows."""
        keys = [f"q{self.columns.index(name)}" for name in qid]
        ordered = groups.order_by([self.engine.dialect.byte_order(groups[key]) for key in keys])
        row = self.engine.fetch(ordered.select(keys).limit(1)).to_pylist()[0]
        return tuple(None if row[key] is None else text_of(row[key]) for key in keys)


@contextmanager
def _marked(table: Table, requirement: Requirement, cells: Mapping[str, Cells], *, keep: bool) -> Iterator[_Marked]:
    """Mark the records that have each sensitive value; `keep` them as a table where many QIDs will be counted."""
    values: dict[Counted, tuple[Values, ...]] = {}
    marks: dict[tuple[str, Values], None] = {}
    for part in requirement.parts:
        counted = part.counted
        if counted is not None and counted not in values:
            values[counted] = cells[counted.column].counted(counted)
            marks.update({(counted.column, together): None for together in values[counted]})
    shown = {f"q{i}": table.column(name) for i, name in enumerate(requirement.qid)}
    indicators = {f"s{i}": one_or_zero(_is_value(table, *pair, cells[pair[0]])) for i, pair in enumerate(marks)}
    expr = table.expr.select(**shown, **indicators)
    kept = table.engine.materialize(expr) if keep else expr
    try:
        yield _Marked(kept, table.engine, requirement.qid, tuple(marks), values)
    finally:
        if keep:
            table.engine.discard(kept)


def _cells(table: Table, name: str, tree: Taxonomy | None, read_text: Callable[[str], str]) -> Cells:
    """The distinct cells of a sensitive column."""
    found = table.distinct(name)
    keys = found.keys.to_pylist()
    return Cells(keys, [read_text(text_of(key)) for key in keys], bool(found.n_missing), tree)


def _is_value(table: Table, name: str, values: Values, cells: Cells) -> ir.BooleanValue:
    """Whether a cell holds one of some values, however its type spells it.

    Args:
        table: The records.
        name: The sensitive column.
        values: The values; None is the missing one.
        cells: The distinct cells of the column.
    """
    cell = table.column(name)
    is_named: ir.BooleanValue = cell.isin(cells.are(values))
    return cell.isnull() | is_named if None in values else is_named
