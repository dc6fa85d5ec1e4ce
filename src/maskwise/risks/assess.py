"""All figures of risk of one table, counted in a number of queries that does not depend on its records."""

from __future__ import annotations

from contextlib import ExitStack
from typing import TYPE_CHECKING

from maskwise.engines.base import Feature
from maskwise.engines.distinct_rows import n_marked
from maskwise.errors import InputError, plural
from maskwise.policy.requirements.unit import Unit
from maskwise.risks.coded_table import CodedTable
from maskwise.risks.disclosure import disclose
from maskwise.risks.group_sizes import GroupSizes
from maskwise.risks.hashed_table import HashedTable, hashed, number_columns
from maskwise.risks.one_more import know_one_more, wider_sets
from maskwise.risks.population import compare_with_population
from maskwise.risks.prosecutor import group_risk
from maskwise.risks.risk import ColumnSet, Risk
from maskwise.risks.thresholds import DEFAULT_THRESHOLDS, read_thresholds
from maskwise.risks.uniques import estimate_uniques
from maskwise.table.table import one_or_zero

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from maskwise.policy.person import Person
    from maskwise.policy.policy import Policy
    from maskwise.table.table import Table
    from maskwise.verify.verdict import Verdict

_MANY_SETS = 128
"""From so many sets of columns on they are counted in this process; fewer take the database less than loading code."""


def assess(
    table: Table,
    policy: Policy,
    *,
    released: Sequence[str] | None = None,
    thresholds: Iterable[str | float] = DEFAULT_THRESHOLDS,
    verdict: Verdict | None = None,
    population: Table | None = None,
    population_size: int | None = None,
) -> Risk:
    """Say how likely somebody is found in a table, or something about them.

    Where the policy names persons and the table has their column, persons are
    counted, else records. A missing cell is a value of its own.

    Args:
        table: The table, as released or raw.
        policy: What was asked: its QIDs, sensitive columns and class are looked at.
        released: The columns that recipients get; None is all but those that the policy leaves out.
        thresholds: Chances, by name or number.
        verdict: The recount of the same table, whose group sizes need not be counted again.
        population: The population that the table was drawn from, masked by the same cut, in the same engine.
        population_size: The size of the population, where there is no table of it.

    Example:
        >>> import pyarrow as pa
        >>> from maskwise import KAnonymity, Policy
        >>> from maskwise.table.read import read
        >>> table = read(pa.table({"Age": ["old", "old", "young", "young"], "Job": ["a", "a", "a", "b"]}))
        >>> risk = assess(table, Policy((KAnonymity(("Age",), 2),)))
        >>> risk.qids[0].highest, risk.everything.unique, risk.one_more[0].below_k
        (0.5, 0.5, 0.5)
    """
    limits = read_thresholds(thresholds)
    person = policy.person if policy.person is not None and policy.person.column in table.names else None
    unit = Unit.RECORD if person is None else Unit.PERSON
    about = set() if policy.person is None else {policy.person.column}
    if released is None:
        dropped = policy.dropped(table.names)
        released = [name for name in table.names if name not in dropped]
    # A pseudonym is drawn at random: nobody knows it of a person.
    shown = [name for name in released if name not in about]
    qids = _qids(policy)
    table.require_all(dict.fromkeys(name for qid in qids for name in qid), "is in a quasi-identifier")
    guessed = [name for name in (*policy.sensitive, policy.class_name) if name is not None and name in table.names]
    guessed = list(dict.fromkeys(guessed))
    sensitive = frozenset(name for name in policy.sensitive if name in table.names)
    _refuse_missing_persons(table, person)
    known = {} if verdict is None or verdict.unit is not unit else _known_sizes(verdict)
    sets = [frozenset(), frozenset(shown), *wider_sets(qids, shown), *([sensitive] if sensitive else [])]
    with ExitStack() as stack:
        records: HashedTable | CodedTable | None = None
        if len(sets) >= _MANY_SETS and person is None and population is None:
            records = _coded(table, list(qids), guessed)
        if records is None:
            records = stack.enter_context(hashed(table, number_columns(*qids, shown, guessed), qids, person))
        sizes = known | records.sizes([*sets, *(frozenset(qid) for qid in qids if frozenset(qid) not in known)])
        n_records = sizes[frozenset()].n_records
        _check_population_size(population_size, n_records, unit)
        of_qids = [group_risk(qid, sizes[frozenset(qid)], limits, k) for qid, k in qids.items()]
        if sensitive:
            names = [name for name in policy.sensitive if name in sensitive]
            of_qids.append(group_risk(names, sizes[sensitive], limits, columns_are=ColumnSet.SENSITIVE))
        least_k = min((k for k in qids.values() if k is not None), default=None)
        everything = group_risk(shown, sizes[frozenset(shown)], limits, least_k, ColumnSet.RELEASED)
        estimates = [] if population_size is None else list(qids)
        return Risk(
            unit,
            limits,
            tuple(of_qids),
            everything,
            know_one_more(qids, shown, sizes),
            disclose(records, list(qids), guessed, n_records),
            ()
            if population is None or not isinstance(records, HashedTable)
            else compare_with_population(records, population, list(qids), person, n_records, unit),
            tuple(estimate_uniques(sizes[frozenset(qid)], qid, population_size or 0) for qid in estimates),
        )


def _coded(table: Table, qids: Sequence[Sequence[str]], guessed: Sequence[str]) -> CodedTable | None:
    """The table as small numbers in this process; None where records stay elsewhere, or there are too many."""
    if not table.engine.can(Feature.LOCAL_RECORDS):
        return None
    coded = CodedTable(table, qids, guessed)
    return coded if coded.fits else None


def _qids(policy: Policy) -> dict[tuple[str, ...], int | None]:
    """The QIDs of a policy, each with the largest k that is asked on it or on more columns."""
    parts = [part for requirement in policy.requirements for part in requirement.parts]
    found: dict[tuple[str, ...], int | None] = {}
    seen: set[frozenset[str]] = set()
    for requirement in policy.requirements:
        names = frozenset(requirement.qid)
        if names not in seen:
            seen.add(names)
            asked = [part.min_group for part in parts if names <= set(part.qid) and part.min_group]
            found[requirement.qid] = max(asked, default=None)
    return found


def _known_sizes(verdict: Verdict) -> dict[frozenset[str], GroupSizes]:
    """The group sizes that a recount has counted; one on many QIDs has added them up."""
    return {
        frozenset(finding.requirement.qid): GroupSizes.of(finding.sizes)
        for finding in verdict.findings
        if len({part.qid for part in finding.requirement.parts}) == 1
    }


def _refuse_missing_persons(table: Table, person: Person | None) -> None:
    if person is not None:
        missing = n_marked(table.expr, one_or_zero(table.column(person.column).isnull()))
        found = table.engine.fetch(table.expr.aggregate(missing=missing)).column(0)[0].as_py()
        person.refuse_missing(int(found or 0))


def _check_population_size(size: int | None, n_records: int, unit: Unit) -> None:
    if size is not None and size < n_records:
        msg = (
            f"The population has {plural(size, unit)} and the table {n_records:,}. A table is a part of its "
            "population: --population-size is at least as large."
        )
        raise InputError(msg)
