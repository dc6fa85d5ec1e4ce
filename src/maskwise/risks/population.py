"""The risk where it is not known who is in the table: groups are compared with those of the population.

f is the size of a group in the table, F its size in the population that the
table was drawn from, masked by the same cut. The journalist picks one record
and wants to find whose it is; the marketer tries them all.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from maskwise.errors import InputError, plural, quote
from maskwise.policy.requirements.qid import called
from maskwise.risks.hashed_table import hashed
from maskwise.risks.risk import PopulationRisk

if TYPE_CHECKING:
    from collections.abc import Sequence

    from maskwise.policy.person import Person
    from maskwise.policy.requirements.unit import Unit
    from maskwise.risks.hashed_table import HashedTable
    from maskwise.table.table import Table


def compare_with_population(
    sample: HashedTable,
    population: Table,
    qids: Sequence[tuple[str, ...]],
    person: Person | None,
    n_records: int,
    unit: Unit,
) -> tuple[PopulationRisk, ...]:
    """Say how likely records are found in a table of the population, for each QID that it has.

    Args:
        sample: The records.
        population: The population, in the same engine.
        qids: The QIDs.
        person: Whom records are about, where persons are counted. A population without that column has a record for
            each person.
        n_records: The records of the table, or its persons.
        unit: Which of them.

    Raises:
        InputError: The table is no part of the population: it has more records, in all or in a group.
    """
    within = [qid for qid in qids if set(qid) <= set(population.names)]
    if not within:
        missing = sorted({name for qid in qids for name in qid} - set(population.names))
        msg = (
            f"The population has no quasi-identifier of the policy in full: it lacks {quote(missing)}. "
            "Give a table with the columns of at least one."
        )
        raise InputError(msg)
    numbers = {name: sample.numbers[name] for qid in within for name in qid}
    has_person = person is not None and person.column in population.names
    with hashed(population, numbers, within, person if has_person else None) as other:
        n_population = other.sizes([frozenset()])[frozenset()].n_records
        if n_population < n_records:
            msg = (
                f"The population has {plural(n_population, unit)} and the table {n_records:,}. A table is a part of "
                "its population: give a larger one."
            )
            raise InputError(msg)
        return tuple(_risk(qid, sample.beside(other, qid), n_population, unit) for qid in within)


def _risk(
    qid: tuple[str, ...], groups: Sequence[tuple[int, int, int]], n_population: int, unit: Unit
) -> PopulationRisk:
    """The figures of one QID.

    Args:
        qid: The QID.
        groups: Size in the table, size in the population, and how many groups have both.
        n_population: The size of the population.
        unit: What is counted.
    """
    if n_wrong := sum(n for f, there, n in groups if there < f):
        msg = (
            f"{plural(n_wrong, 'group')} on {called(qid)} {'has' if n_wrong == 1 else 'have'} fewer {unit.plural} in "
            "the population than in the table, so the table is no part of it. Mask both by the same cut: give the raw "
            "population with --solution (`solution=`), or one that was masked alike."
        )
        raise InputError(msg)
    if not groups:
        return PopulationRisk(qid, n_population, 0.0, 0.0, 0.0)
    n_records = sum(f * n for f, _, n in groups)
    found = sum(f / there * n for f, there, n in groups) / n_records
    n_alike = sum(there * n for _, there, n in groups)
    average = max(sum(n for *_, n in groups) / n_alike, found)
    return PopulationRisk(qid, n_population, 1 / min(there for _, there, _ in groups), average, found)
