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
import pyarrow as pa

from maskwise.engines.base import PERSON, Feature
from maskwise.engines.distinct_rows import n_marked, n_records, records_of_row
from maskwise.engines.lookup_keys import look_up
from maskwise.policy.requirements.unit import Unit
from maskwise.policy.rules.rule_tree import RuleTree
from maskwise.table.marks import MOST_LISTED
from maskwise.table.table import one_or_zero
from maskwise.values.arrow import as_numpy
from maskwise.values.spelling import text_of
from maskwise.verify.coded_records import code_records
from maskwise.verify.counted_values import Cells
from maskwise.verify.measures.registry import measure_groups
from maskwise.verify.measures.spectrum import Spectrum
from maskwise.verify.verdict import Finding, Tightest, Verdict

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    import ibis.expr.types as ir

    from maskwise.engines.sql import Engine
    from maskwise.policy.person import Person
    from maskwise.policy.requirements.base import Counted, Part, Requirement
    from maskwise.policy.taxonomy import Taxonomy
    from maskwise.table.table import Table
    from maskwise.verify.counted_values import Values

MOST_SEPARATE = 16
"""So many QIDs of one requirement are counted one by one; more of them from the distinct rows of all its columns."""


def verify(
    table: Table,
    requirements: Sequence[Requirement],
    trees: Mapping[str, Taxonomy | RuleTree | None] | None = None,
    read_text: Callable[[str], str] = str,
    person: Person | None = None,
) -> Verdict:
    """Recount a table from nothing but its cells.

    Args:
        table: The table.
        requirements: What is asked of it.
        trees: The taxonomies of sensitive columns, if requirements name values in them.
        read_text: Reads a cell as it was before it was written, where writing changed cells.
        person: Whom the records are about; None counts records.

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
    findings = tuple(_recount(table, requirement, trees or {}, read_text, person) for requirement in requirements)
    return Verdict(findings[0].n_rows if findings else table.n_rows(), findings, n_persons=n_persons)


def _count_persons(table: Table, person: Person) -> int:
    """How many persons the records are about; each must be about one."""
    table.require(person.column, "names persons in the policy")
    cell = table.column(person.column)
    missing = n_marked(table.expr, one_or_zero(cell.isnull()))
    found = table.engine.fetch(table.expr.aggregate(n=cell.nunique(), missing=missing)).to_pylist()[0]
    person.refuse_missing(int(found["missing"] or 0))
    return int(found["n"])


def _recount(
    table: Table,
    requirement: Requirement,
    trees: Mapping[str, Taxonomy | RuleTree | None],
    read_text: Callable[[str], str],
    person: Person | None,
) -> Finding:
    unit = Unit.RECORD if person is None else Unit.PERSON
    of_qid: dict[tuple[str, ...], list[Part]] = {}
    for part in requirement.parts:
        of_qid.setdefault(part.qid, []).append(part)
    worst: dict[object, tuple[float, Tightest, tuple[int, ...]]] = {}
    sizes: Counter[int] = Counter()
    n_broken = n_records = n_rows = 0
    cells = {
        name: _cells(table, name, trees.get(name), read_text) for name in requirement.columns[len(requirement.qid) :]
    }
    # What is counted from rows that come over is read once; what others count, for every QID.
    keep = len(of_qid) > 1 and (len(of_qid) <= MOST_SEPARATE or not table.engine.can(Feature.LOCAL_RECORDS))
    with _marked(table, requirement, cells, person, keep=keep) as records:
        for qid, spectrum, n_rows in records.spectra(list(of_qid)):
            for size, n in zip(spectrum.n_records.tolist(), spectrum.n_groups.tolist(), strict=True):
                sizes[size] += n
            is_broken = np.zeros(len(spectrum.n_groups), np.bool_)
            for part in of_qid[qid] if n_rows else ():
                measured = measure_groups(part, spectrum, records.values_of(part))
                is_broken |= measured.is_broken
                at = measured.worst(spectrum.n_records)
                figure = measured.figures[at].item()
                bad = -figure if measured.is_low_bad else figure
                if part.subject not in worst or bad > worst[part.subject][0]:
                    tight = Tightest(part, figure, int(spectrum.n_records[at]), (), unit)
                    worst[part.subject] = bad, tight, records.counts_at(spectrum, at)
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
    marks: tuple[tuple[str, Values], ...]
    """Column and values of each mark."""
    values: Mapping[Counted, tuple[Values, ...]]
    """The values that are counted, in their order, those in one tuple that are counted together."""
    by_person: bool
    """Whether persons are counted."""

    def values_of(self, part: Part) -> tuple[Values, ...]:
        """The values a rule looks at, in its order."""
        return () if part.counted is None else self.values[part.counted]

    def groups(self, qid: Sequence[str]) -> ir.Table:
        """The counts of each group."""
        keys = [f"q{self.columns.index(name)}" for name in qid]
        each = self._each_person(keys) if self.by_person else self.expr
        sums = {f"s{i}": n_marked(each, each[f"s{i}"]) for i in range(len(self.marks))}
        sums |= {"records": each["records"].sum()} if self.by_person else {}
        return each.group_by(keys).agg(n=n_records(each), **sums)

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

    def spectra(self, qids: Sequence[tuple[str, ...]]) -> Iterator[tuple[tuple[str, ...], Spectrum, int]]:
        """For each QID, in their order, how many groups have the same counts, and how many records there are."""
        if self.by_person or len(qids) <= MOST_SEPARATE:
            for qid in qids:
                yield qid, *self.spectrum(self.groups(qid))
            return
        marks = [f"s{i}" for i in range(len(self.marks))]
        coded = code_records(self.engine, self.expr, [f"q{i}" for i in range(len(self.columns))], marks)
        n_rows, number = int(coded.counts[:, 0].sum()), {name: i for i, name in enumerate(self.columns)}
        for at, different, n_groups in coded.alike([tuple(number[name] for name in qid) for qid in qids]):
            n_values = {pair: different[:, 1 + i] for i, pair in enumerate(self.marks)}
            yield qids[at], Spectrum(n_groups, different[:, 0], n_values), n_rows

    def counts_at(self, spectrum: Spectrum, at: int) -> tuple[int, ...]:
        """The records of a kind of group, and those of them with each mark."""
        return int(spectrum.n_records[at]), *(int(spectrum.n_values[pair][at]) for pair in self.marks)

    def first(self, qid: Sequence[str], counts: Sequence[int]) -> tuple[str | None, ...]:
        """What the first of the groups with some counts shows."""
        groups, keys = self.groups(qid), [f"q{self.columns.index(name)}" for name in qid]
        names = ["n", *(f"s{i}" for i in range(len(self.marks)))]
        alike = groups.filter([groups[name] == n for name, n in zip(names, counts, strict=True)])
        ordered = alike.order_by([self.engine.dialect.byte_order(alike[key]) for key in keys])
        row = self.engine.fetch(ordered.select(keys).limit(1)).to_pylist()[0]
        return tuple(None if row[key] is None else text_of(row[key]) for key in keys)


@contextmanager
def _marked(
    table: Table, requirement: Requirement, cells: Mapping[str, Cells], person: Person | None, *, keep: bool
) -> Iterator[_Marked]:
    """Mark the records that have each sensitive value; `keep` them as a table where many QIDs will be counted."""
    values: dict[Counted, tuple[Values, ...]] = {}
    marks: dict[tuple[str, Values], None] = {}
    for part in requirement.parts:
        counted = part.counted
        if counted is not None and counted not in values:
            values[counted] = cells[counted.column].counted(counted)
            marks.update({(counted.column, together): None for together in values[counted]})
    table, indicators = _indicate(table, cells, list(marks))
    shown = {f"q{i}": table.cell(name) for i, name in enumerate(requirement.qid)}
    beside = records_of_row(table.expr)
    expr = table.expr.select(**shown, **indicators, **beside)
    if person is not None:
        whose = table.expr.select(**shown, **indicators, **beside, **{PERSON: table.column(person.column)})
        keep, expr = True, _by_person(whose, list(shown), list(indicators))
    kept = table.engine.materialize(expr) if keep else expr
    try:
        yield _Marked(kept, table.engine, requirement.qid, tuple(marks), values, person is not None)
    finally:
        if keep:
            table.engine.discard(kept)


def _cells(table: Table, name: str, tree: Taxonomy | RuleTree | None, read_text: Callable[[str], str]) -> Cells:
    """The distinct cells of a sensitive column."""
    found, form = table.distinct(name), table.set_form(name)
    keys = found.keys.to_pylist()
    spelled = [read_text(text_of(key)) for key in keys]
    cells = Cells(keys, spelled, bool(found.n_missing), None, None if form is None else form.separator)
    return replace(cells, tree=tree.tree_with(cells.texts) if isinstance(tree, RuleTree) else tree)


def _by_person(records: ir.Table, qid: Sequence[str], marks: Sequence[str]) -> ir.Table:
    """Each person once with each combination of the QID: the number of its records that have it, and their marks."""
    marked = {name: records[name].max() for name in marks}
    return records.group_by([*qid, PERSON]).agg(records=n_records(records), **marked)


def _indicate(
    table: Table, cells: Mapping[str, Cells], marks: Sequence[tuple[str, Values]]
) -> tuple[Table, dict[str, ir.Value]]:
    """For each mark a column that is 1 where a cell holds one of its values, however its type spells them, and else 0.

    Args:
        table: The records.
        cells: The distinct cells of each sensitive column.
        marks: Column and values of each mark.

    Returns:
        The records that the columns are of, and the columns.
    """
    held = [cells[name].are(values) for name, values in marks]
    numbered: dict[str, tuple[str, dict[tuple[int, ...], int]]] = {}
    for name in cells:
        own = [i for i, (column, _) in enumerate(marks) if column == name]
        if sum(len(held[i]) for i in own) > MOST_LISTED:
            marks_of: dict[object, tuple[int, ...]] = {}
            for i in own:
                marks_of.update({cell: (*marks_of.get(cell, ()), i) for cell in held[i]})
            number = {together: at for at, together in enumerate(sorted(set(marks_of.values())))}
            codes = [number[together] for together in marks_of.values()]
            key, keys = f"m{own[0]}", pa.array(list(marks_of))
            table = replace(table, expr=look_up(table.engine, table.expr, key, table.column(name), keys, codes))
            numbered[name] = key, number
    indicators = {}
    for i, (name, values) in enumerate(marks):
        cell = table.column(name)
        if name in numbered:
            key, number = numbered[name]
            is_held = table.expr[key].isin([at for together, at in number.items() if i in together])
        else:
            is_held = cell.isin(held[i])
        indicators[f"s{i}"] = one_or_zero(cell.isnull() | is_held if None in values else is_held)
    return table, indicators
