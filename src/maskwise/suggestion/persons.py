"""Ids that repeat while what belongs to a person stays the same: the key of a person, whatever it is called.

A panel's `id` is such a key. That its values repeat is not enough: hospitals and
households repeat too, but the sexes of their people differ.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from maskwise.profile.person_keys import count_repetition
from maskwise.suggestion.figures import count_groups
from maskwise.suggestion.names import is_bare_key
from maskwise.suggestion.roles import LEAST_PERSONS, Judgement, Role
from maskwise.suggestion.vocabulary import KEYS, Meaning

if TYPE_CHECKING:
    from collections.abc import Mapping

    from maskwise.suggestion.evidence import ColumnEvidence, TableEvidence
    from maskwise.table.table import Table

_PERSONAL = frozenset({Meaning.SEX, Meaning.BIRTH, Meaning.ORIGIN})
"""What stays the same as long as it is the same person."""
_REPEATED = 0.5
"""So many of the values of a key have two or more records."""
_AGREEING = 0.9
"""So many of these have one value of what belongs to a person."""
_MOST_BY_CHANCE = 0.8
"""A column in which two records agree more often than this by chance shows nothing."""


def find_person(table: Table, evidence: TableEvidence, judged: Mapping[str, Judgement]) -> dict[str, Judgement]:
    """The first column that is a person's key by what its records have in common, if none is one by its name.

    Args:
        table: The records.
        evidence: What was counted.
        judged: The roles so far.
    """
    if any(judgement.role is Role.PERSON for judgement in judged.values()):
        return {}
    for column in evidence.columns:
        if column.meaning in KEYS and judged[column.name].role is not Role.CLASS and _repeats(column, evidence):
            why = _belonging(table, column, evidence)
            if why is not None:
                said = f"{column.n_distinct:,} persons with {column.n_cells / column.n_distinct:.1f} records on average"
                return {column.name: Judgement(Role.PERSON, f"{why}; {said}")}
    return {}


def _repeats(column: ColumnEvidence, evidence: TableEvidence) -> bool:
    groups = evidence.sizes[column.name] if column.is_countable else None
    if groups is None or column.n_missing or column.n_distinct < LEAST_PERSONS:
        return False
    return (count_groups(groups) - groups.n_unique) >= _REPEATED * count_groups(groups)


def _belonging(table: Table, column: ColumnEvidence, evidence: TableEvidence) -> str | None:
    """What is the same in all records of a value, if that makes it a person's."""
    showing = [
        other
        for other in evidence.columns
        if other.is_countable and other.name != column.name and 1 - other.separation <= _MOST_BY_CHANCE
    ]
    found = count_repetition(table, column.name, [other.name for other in showing], 1)
    same = [
        other for other, n in zip(showing, found.n_agreeing, strict=True) if n >= _AGREEING * max(found.n_repeated, 1)
    ]
    personal = [other for other in showing if other.meaning in _PERSONAL]
    is_person = (
        all(other in same for other in personal)
        if personal
        else same and (is_bare_key(column.name) or 2 * len(same) >= len(showing))
    )
    if not is_person:
        return None
    listed = ", ".join(f"`{other.name}`" for other in (personal or same)[:3])
    return f"its name says a key, and all records of a value have the same {listed}"
