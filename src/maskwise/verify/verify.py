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

from maskwise.engines.base import PERSON
from maskwise.policy.requirements.unit import Unit
from maskwise.table.table import one_or_zero
from maskwise.values.arrow import as_numpy
from maskwise.values.spelling import is_spelled, one_spelling, text_of, value_order
from maskwise.verify.measures.registry import measure_groups
from maskwise.verify.measures.spectrum import Spectrum
from maskwise.verify.verdict import Finding, Tightest, Verdict

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    import ibis.expr.types as ir

    from maskwise.engines.sql import Engine
    from maskwise.policy.person import Person
    from maskwise.policy.requirements.base import Counted, Part, Requirement
    from maskwise.table.table import Table


def verify(table: Table, requirements: Sequence[Requirement], person: Person | None = None) -> Verdict:
    """Recount a table from nothing but its cells.

    Args:
        table: The records.
        requirements: What they should meet.
        person: Whom they are about; None counts records.

    Claim: a requirement holds if and only if its finding has no violating
    group, because every record is in exactly one group of the recount. A person
    is in every group that one of its records is in.

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
    n_persons = None if person is None else _count_persons(table, person)
    findings = tuple(_recount(table, requirement, person) for requirement in requirements)
    return Verdict(findings[0].n_rows if findings else table.n_rows(), findings, n_persons=n_persons)


def _count_persons(table: Table, person: Person) -> int:
    """How many persons the records are about; each must be about one."""
    table.require(person.column, "names persons in the policy")
    cell = table.column(person.column)
    found = table.engine.fetch(table.expr.aggregate(n=cell.nunique(), missing=cell.isnull().sum())).to_pylist()[0]
    person.refuse_missing(int(found["missing"] or 0))
    return int(found["n"])


def _recount(table: Table, requirement: Requirement, person: Person | None) -> Finding:
    unit = Unit.RECORD if person is None else Unit.PERSON
    of_qid: dict[tuple[str, ...], list[Part]] = {}
    for part in requirement.parts:
        of_qid.setdefault(part.qid, []).append(part)
    worst: dict[object, tuple[float, Tightest, ir.Table]] = {}
    sizes: Counter[int] = Counter()
    n_broken = n_records = n_rows = 0
    with _marked(table, requirement, person, keep=len(of_qid) > 1) as records:
        for qid, parts in of_qid.items():
            groups = records.groups(qid)
            spectrum, n_rows = records.spectrum(groups)
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
                        Tightest(part, figure, int(spectrum.n_records[at]), (), unit),
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
    n_groups = sum(sizes.values())
    return Finding(requirement, figure, n_groups, n_broken, n_records, group_sizes, tightest, n_rows, unit)


def _may_show(tight: Tightest) -> bool:
    """Whether to say what a group shows: not if that tells a sensitive value of one person."""
    return tight.n_records > 1 or tight.part.counted is None


@dataclass(frozen=True, slots=True)
class _Marked:
    """The records with a mark for each sensitive value that is counted."""

    expr: ir.Table
    """The QID's columns as q0, q1, ... and the marks as s0, s1, ...; where persons are counted, each person once with
    each combination of the QID, and the number of its records that have it."""
    engine: Engine
    columns: tuple[str, ...]
    """The QID's columns."""
    marks: tuple[tuple[str, str | None], ...]
    """Column and value of each mark."""
    values: Mapping[Counted, tuple[str | None, ...]]
    """The values that are counted, in their order."""
    by_person: bool
    """Whether persons are counted."""

    def values_of(self, part: Part) -> tuple[str | None, ...]:
        """The values a rule looks at, in its order."""
        return () if part.counted is None else self.values[part.counted]

    def groups(self, qid: Sequence[str]) -> ir.Table:
        """The counts of each group."""
        keys = [f"q{self.columns.index(name)}" for name in qid]
        each = self._each_person(keys) if self.by_person else self.expr
        sums = {f"s{i}": each[f"s{i}"].sum() for i in range(len(self.marks))}
        sums |= {"records": each["records"].sum()} if self.by_person else {}
        return each.group_by(keys).agg(n=each.count(), **sums)

    def _each_person(self, keys: Sequence[str]) -> ir.Table:
        """Each person once in each group, with the number of its records there, and the marks of any of them."""
        marks = {f"s{i}": self.expr[f"s{i}"].max() for i in range(len(self.marks))}
        return self.expr.group_by([*keys, PERSON]).agg(records=self.expr["records"].sum(), **marks)

    def spectrum(self, groups: ir.Table) -> tuple[Spectrum, int]:
        """How many groups have the same counts, which is all that leaves the engine, and how many records there are."""
        marks = [f"s{i}" for i in range(len(self.marks))]
        records = groups["records" if self.by_person else "n"].sum()
        counted = self.engine.fetch(groups.group_by(["n", *marks]).agg(groups=groups.count(), records=records))
        column = {name: as_numpy(counted.column(name).cast("int64")) for name in ("n", "groups", "records", *marks)}
        order = np.lexsort([column[name] for name in (*reversed(marks), "n")])
        n_values = {pair: column[mark][order] for mark, pair in zip(marks, self.marks, strict=True)}
        n_whole = None
        if self.by_person and marks:
            # A person may be in several groups, so what the table has is no sum of theirs.
            each = self._each_person([])
            (whole,) = self.engine.fetch(each.aggregate(**{mark: each[mark].sum() for mark in marks})).to_pylist()
            n_whole = {pair: int(whole[mark] or 0) for mark, pair in zip(marks, self.marks, strict=True)}
        return Spectrum(column["groups"][order], column["n"][order], n_values, n_whole), int(column["records"].sum())

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
def _marked(table: Table, requirement: Requirement, person: Person | None, *, keep: bool) -> Iterator[_Marked]:
    """Mark the records that have each sensitive value; `keep` them as a table where many QIDs will be counted."""
    cells = {name: table.distinct(name).keys.to_pylist() for name in requirement.columns if name not in requirement.qid}
    values: dict[Counted, tuple[str | None, ...]] = {}
    marks: dict[tuple[str, str | None], None] = {}
    for part in requirement.parts:
        counted = part.counted
        if counted is not None and counted not in values:
            listed = counted.values
            if listed is None:
                listed = _values(table, counted.column, cells[counted.column], counted.order)
            values[counted] = listed
            marks.update({(counted.column, value): None for value in listed})
    shown = {f"q{i}": table.column(name) for i, name in enumerate(requirement.qid)}
    indicators = {f"s{i}": one_or_zero(_is_value(table, *pair, cells[pair[0]])) for i, pair in enumerate(marks)}
    expr = table.expr.select(**shown, **indicators)
    if person is not None:
        keep, expr = True, _by_person(table.expr.select(**shown, **indicators, **{PERSON: table.column(person.column)}))
    kept = table.engine.materialize(expr) if keep else expr
    try:
        yield _Marked(kept, table.engine, requirement.qid, tuple(marks), values, person is not None)
    finally:
        if keep:
            table.engine.discard(kept)


def _by_person(records: ir.Table) -> ir.Table:
    """Each person once with each combination of the QID: the number of its records that have it, and their marks."""
    keys = [name for name in records.columns if name.startswith("q") or name == PERSON]
    marks = {name: records[name].max() for name in records.columns if name not in keys}
    return records.group_by(keys).agg(records=records.count(), **marks)


def _values(table: Table, name: str, cells: Sequence[object], order: Sequence[str]) -> tuple[str | None, ...]:
    """Every value of a sensitive column once, however it is spelled; the missing one, if there is one, last."""
    texts = [text_of(cell) for cell in cells]
    spelled = {one_spelling(text): text for text in texts}
    place = {one_spelling(text): at for at, text in enumerate(order)}

    def given(text: str) -> tuple[int, str]:
        return place.get(one_spelling(text), len(place)), text

    values = sorted(spelled.values(), key=given if order else value_order(texts))
    return (*values, None) if table.distinct(name).n_missing else tuple(values)


def _is_value(table: Table, name: str, value: str | None, cells: Sequence[object]) -> ir.BooleanValue:
    """Whether a cell holds the protected value, however its type spells it.

    Args:
        table: The records.
        name: The sensitive column.
        value: The value; None is the missing one.
        cells: The distinct cells of the column.
    """
    cell = table.column(name)
    if value is None:
        return cell.isnull()
    return cell.isin([key for key in cells if is_spelled(key, value)])
