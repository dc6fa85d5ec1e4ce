"""Columns that look like the key of a person who has several records.

Every guarantee counts records. If a person has several, ten records may be two
people. Such a key is known by its name (`patient_id`), or by what it does:
records that share it share most of the masked attributes too, more often than
chance would have it.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from maskwise.errors import plural, quote
from maskwise.values.message import Audience, Level, Message
from maskwise.values.number_spellings import LOCAL_NUMBER
from maskwise.values.parsing import patterns
from maskwise.values.scales import EXACT, Scale
from maskwise.values.yaml_spelling import spelled

if TYPE_CHECKING:
    from collections.abc import Sequence

    import ibis.expr.types as ir

    from maskwise.policy.policy import Policy
    from maskwise.table.random_part import CellCounts, RandomPart
    from maskwise.table.table import Table

_LEAST_VALUES = 20
"""With fewer values a column is a category."""
_MOST_PER_VALUE = 20
"""With more records for each value, on average, a column is a category too, whatever its name is not."""
_REPEATED = 0.5
"""Of a column without a telling name so many values have two or more records."""
_REPEATED_OF_NAMED = 0.05
"""Of a column with a telling name so many records share their value with another."""
_AGREEING = 0.9
"""So many repeated values of a key have one value of an attribute that belongs to the person."""
_MOST_BY_CHANCE = 0.8
"""An attribute in which two records agree more often than this by chance shows nothing."""

_PEOPLE = frozenset({
    "applicant", "beneficiary", "borrower", "cardholder", "citizen", "client", "customer", "defendant", "donor",
    "employee", "individual", "insured", "member", "participant", "patient", "person", "policyholder", "pupil",
    "resident", "respondent", "student", "subject", "taxpayer", "user", "worker",
})  # fmt: skip
"""What a person is called in a table."""
_NUMBERS = frozenset({"code", "guid", "hash", "id", "key", "no", "nr", "num", "number", "pseudonym", "uid", "uuid"})
"""What a person's number is called, beside the word for the person."""
_PERSON_NUMBERS = frozenset({"mrn", "nino", "patientid", "personid", "pid", "ssn", "userid", "customerid"})
"""What it is called in one word."""


@dataclass(frozen=True, slots=True)
class KeyRepetition:
    """How the records are spread over the values of a column."""

    n_values: int
    """Its different values."""
    n_cells: int
    """The records that have one."""
    n_repeated: int
    """The values with two or more records."""
    n_sharing: int
    """Their records."""
    n_agreeing: tuple[int, ...]
    """For each attribute, how many of these values have one value of it."""


def repeated_person_keys(table: Table, policy: Policy, part: RandomPart) -> tuple[str, ...]:
    """The columns that look like the key of a person with several records.

    Args:
        table: The records.
        policy: What is masked, protected and predicted; a key may be released or dropped.
        part: A random part of them, to leave out columns that are clearly none.
    """
    if policy.person is not None:
        return ()
    known = {*(name for name in policy.masked if not is_named_as_key(name)), *policy.sensitive, policy.class_name}
    names = [name for name in part.table.names if name not in known and _may_be_key(part.table.column(name))]
    repeated = [
        name for name in _many_valued(part, names) if _is_repeated(name, count_repetition(table, name, (), part.share))
    ]
    showing = [] if all(map(is_named_as_key, repeated)) else _showing(part, policy.masked)
    return tuple(name for name in repeated if is_named_as_key(name) or _agrees(table, name, showing, part.share))


def warn_of_keys(keys: Sequence[str], fewest: int | None, k: int) -> tuple[Message, ...]:
    """Warn of columns that look like the key of a person with several records.

    Args:
        keys: The columns.
        fewest: How many values of the first of them a group of the release has at least; None where nobody counted.
        k: The size of group that is asked for.
    """
    if not keys:
        return ()
    several = f"{quote(keys)} {'looks' if len(keys) == 1 else 'look'} like the key of a person with several records. "
    may_be = "a group of k records may be fewer than k people"
    if fewest is not None and fewest < k:
        may_be = f"where k={k} is asked, a group of this release has only {plural(fewest, 'value')} of `{keys[0]}`"
    text = (
        f"{several}Every guarantee counts records, not people, so {may_be}. If "
        f"it is one, write person: {spelled(keys[0])} in the policy."
    )
    return (Message(Level.WARNING, Audience.OWNER, text),)


def is_named_as_key(name: str) -> bool:
    """Whether a column is called like the key of a person.

    >>> [is_named_as_key(name) for name in ("patient_id", "customerNo", "SSN", "zip", "width", "education-num")]
    [True, True, True, False, False, False]
    """
    words = set(re.findall(r"[a-z]+", re.sub(r"(?<=[a-z])(?=[A-Z])", " ", name).lower()))
    is_alone = len(words) == 1 and bool(words & (_PEOPLE | {"id"}))
    return is_alone or bool(words & _PERSON_NUMBERS) or bool(words & _PEOPLE and words & _NUMBERS)


def _may_be_key(cell: ir.Value) -> bool:
    kind = cell.type()
    return bool(kind.is_string() or kind.is_integer() or kind.is_floating() or kind.is_uuid())


def _many_valued(part: RandomPart, names: Sequence[str]) -> list[str]:
    """The columns with many values, that are neither amounts nor dates."""
    return [
        name
        for name, counts in part.count_cells(names).items()
        if (_may_be_many(counts, part) or is_named_as_key(name)) and not _is_amount(part, name)
    ]


def _may_be_many(counts: CellCounts, part: RandomPart) -> bool:
    """Whether a column has so many values, with so few records each, that it may be a key."""
    if counts.n_values < _LEAST_VALUES or counts.n_values * _MOST_PER_VALUE < counts.n_cells:
        return False
    # Of a whole table it is seen at once where too few values can have two records.
    return part.share < 1 or counts.n_cells >= (1 + _REPEATED) * counts.n_values


def _is_amount(part: RandomPart, name: str) -> bool:
    """Whether cells are numbers with decimals, or texts that are such numbers, dates or times."""
    cell = part.table.column(name)
    if cell.type().is_floating():
        # Engines make whole numbers of 64 bits when they round down, so larger ones count as odd.
        in_range = (cell.abs() < EXACT).ifelse(cell, 0.5)
        odd = part.table.expr.aggregate(n=(in_range != in_range.floor()).ifelse(1, 0).sum())
        return bool(part.table.engine.fetch(odd).column(0)[0].as_py())
    if not cell.type().is_string():
        return False
    looks = [pattern for scale, pattern in patterns().items() if scale is not Scale.INTEGER]
    integer = part.table.expr.aggregate(
        n=cell.count(),
        whole=cell.re_search(patterns()[Scale.INTEGER]).ifelse(1, 0).sum(),
        **{f"m{i}": cell.re_search(look).ifelse(1, 0).sum() for i, look in enumerate([*looks, LOCAL_NUMBER])},
    )
    (found,) = part.table.engine.fetch(integer).to_pylist()
    return found["whole"] < found["n"] and any(found[f"m{i}"] == found["n"] for i in range(len(looks) + 1))


def _is_repeated(name: str, found: KeyRepetition) -> bool:
    """Whether so many records share values of a column that it may be a key."""
    if found.n_values < _LEAST_VALUES:
        return False
    if is_named_as_key(name):
        return found.n_sharing >= _REPEATED_OF_NAMED * found.n_cells
    return found.n_repeated >= _REPEATED * found.n_values and found.n_cells <= _MOST_PER_VALUE * found.n_values


def _showing(part: RandomPart, masked: Sequence[str]) -> list[str]:
    """The attributes in which two records seldom agree by chance."""
    counts = part.table.count_each(masked, None)
    by_chance = counts.agreements()
    counts.drop()
    return [name for name, share in zip(masked, by_chance, strict=True) if share <= _MOST_BY_CHANCE]


def _agrees(table: Table, name: str, showing: Sequence[str], share: float) -> bool:
    """Whether records that share a value of a column share most of some attributes too."""
    found = count_repetition(table, name, showing, share)
    n_personal = sum(n >= _AGREEING * found.n_repeated for n in found.n_agreeing)
    return n_personal > 0 and 2 * n_personal >= len(showing)


def count_repetition(table: Table, name: str, attributes: Sequence[str], share: float) -> KeyRepetition:
    """Count how often values repeat, of all records of some of the values: a part of the records would split people."""
    key = table.hashed(name)
    one_of = max(round(1 / share), 1)
    records = table.expr.filter(table.column(name).notnull(), *([key.abs() % one_of == 0] if one_of > 1 else []))
    hashed = {f"m{i}": table.hashed(other) for i, other in enumerate(attributes)}
    cells = records.select(key=key, **hashed)
    same = {f"s{i}": cells[column].min() == cells[column].max() for i, column in enumerate(hashed)}
    values = cells.group_by("key").agg(n=cells.count(), **same)
    is_repeated = values["n"] > 1
    totals = {
        "values": values.count(),
        "cells": values["n"].sum(),
        "repeated": is_repeated.ifelse(1, 0).sum(),
        "sharing": is_repeated.ifelse(values["n"], 0).sum(),
        **{column: (is_repeated & values[column]).ifelse(1, 0).sum() for column in same},
    }
    (found,) = table.engine.fetch(values.aggregate(**totals)).to_pylist()
    n = {what: int(count or 0) for what, count in found.items()}
    return KeyRepetition(n["values"], n["cells"], n["repeated"], n["sharing"], tuple(n[column] for column in same))
