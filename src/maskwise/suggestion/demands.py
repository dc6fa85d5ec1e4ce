"""Which requirements a draft makes: one quasi-identifier of all columns, or where that is too wide, LKC-privacy.

A column that shows at least two values takes a bit of room, and a table of n
records has log2(n / k) bits for groups of k. Where the columns need more, hardly
any of them would show anything if an attacker knew them all.
"""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import dataclass
from fractions import Fraction
from math import comb
from typing import TYPE_CHECKING, Any

from maskwise.policy.attributes import Minimality
from maskwise.policy.requirements.spread import MAX_VALUES
from maskwise.suggestion.code_lists import HARMFUL_DIAGNOSES
from maskwise.suggestion.shapes import Shape
from maskwise.suggestion.value_groups import WANTED
from maskwise.suggestion.vocabulary import DEMOGRAPHIC, EVERYDAY
from maskwise.suggestion.wording import percent
from maskwise.values.set_cells import SetForm, find_separator

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from maskwise.suggestion.evidence import ColumnEvidence
    from maskwise.suggestion.value_groups import ValueGroups
    from maskwise.table.table import Table

MOST_ATTRIBUTES = 30
"""So many columns are masked: pairs of more would be too many quasi-identifiers to search."""
_MOST_SUBSETS = 500
"""So many subsets of columns an lkc requirement may stand for."""
_CLOSE = 0.2
"""How far shares may be from those of the whole table, where values are too uneven for diversity."""
_BOUNDS = (0.05, 0.1, 0.2, 0.3, 0.5)
"""The bounds on harmful diagnoses that are tried, the tightest first; twice their share in the table must fit."""


@dataclass(frozen=True, slots=True)
class SuggestedRequirement:
    """A requirement of a draft."""

    entry: dict[str, Any]
    """The requirement as plain data."""
    reason: str
    """Why."""


def k_of(risk: float) -> int:
    """The smallest group in which the chance of being found is not above a risk.

    >>> k_of(0.09), k_of(0.05), k_of(0.2)
    (12, 20, 5)
    """
    return math.ceil(1 / Fraction(str(risk)))


def choose_attributes(
    columns: Sequence[ColumnEvidence], told: Mapping[str, float]
) -> tuple[list[str], list[ColumnEvidence]]:
    """The columns that are masked, and those that are too many for a search.

    What others know stays; of what nobody could know, the columns that tell most of the class, or without a class those
    that tell most records apart.

    Args:
        columns: The quasi-identifiers.
        told: What each tells of the class by itself, in bits; of a column that is not there it is not known.
    """

    def rank(column: ColumnEvidence) -> tuple[bool, float, float]:
        return column.meaning not in DEMOGRAPHIC, -told.get(column.name, 0.0), -column.separation

    chosen = {column.name for column in sorted(columns, key=rank)[:MOST_ATTRIBUTES]}
    return [column.name for column in columns if column.name in chosen], [
        column for column in columns if column.name not in chosen
    ]


@dataclass(frozen=True, slots=True)
class Knowledge:
    """What one attacker is taken to know."""

    together: tuple[str, ...]
    """These columns, all together; none where any of all are known."""
    any_of: int | None
    """Any so many of all columns; None where all are known together."""

    @property
    def said(self) -> str:
        """The same in words."""
        return "all columns together" if self.any_of is None else f"any {self.any_of} columns"


def list_knowledge(masked: Sequence[ColumnEvidence], k: int, n_units: int, *, protects: bool) -> list[Knowledge]:
    """What an attacker may be taken to know, from all that there is room for to any two columns.

    Args:
        masked: The quasi-identifiers.
        k: The smallest group.
        n_units: The records, or persons, of the table.
        protects: Whether sensitive columns are protected, which needs columns that are known together.
    """
    names, room = tuple(column.name for column in masked), math.log2(n_units / k)
    need = sum(min(1.0, column.bits) for column in masked)
    whole = [Knowledge(names, None)] if need <= room or len(names) <= 2 else []  # noqa: PLR2004
    known = [column for column in masked if column.meaning in DEMOGRAPHIC]
    core = tuple(_core(masked, room) if protects else _core(known, room) if known else ())
    most = min(_known(len(names), room), len(names) - 1)
    return whole + [Knowledge(core if protects or len(core) > n else (), n) for n in range(most, 1, -1)]


def demand(
    table: Table,
    masked: Sequence[ColumnEvidence],
    sensitive: Mapping[ColumnEvidence, ValueGroups | None],
    knowledge: Knowledge,
    k: int,
    unit: str,
) -> list[SuggestedRequirement]:
    """Choose the requirements.

    Args:
        table: The records, to count groups of sensitive values.
        masked: The quasi-identifiers.
        sensitive: The sensitive columns, with the way their values are told apart.
        knowledge: What an attacker is taken to know.
        k: The smallest group.
        unit: What is counted.
    """
    names, together = [column.name for column in masked], list(knowledge.together)
    if knowledge.any_of is None:
        why = f"whoever knows all of them finds groups of at least {k} {unit}s"
        found = [SuggestedRequirement({"qid": names, "k": k}, why)]
    else:
        why = (
            f"all {len(names)} columns as one quasi-identifier are too wide, so an attacker is taken to know any "
            f"{knowledge.any_of} of them: each such few show groups of at least {k} {unit}s"
        )
        found = [SuggestedRequirement({"lkc": {"attributes": names, "L": knowledge.any_of}, "k": k}, why)]
        if len(together) > knowledge.any_of:
            why = "those that are known best, all together; add others that one attacker can know together"
            found.append(SuggestedRequirement({"qid": together, "k": k}, why))
    for column, groups in sensitive.items():
        of_sets = _protect_sets(table, column, together or names)
        found += of_sets or ([] if groups is None else _protect(table, column, groups, together or names))
    return found


def choose_guard(
    table: Table, requirements: Sequence[SuggestedRequirement], masked: Sequence[str], person: str | None, n_units: int
) -> tuple[str | None, str | None]:
    """What a draft says of attackers who know how the search works, and why; nothing where no share is bounded.

    Args:
        table: The records, to count the values of persons.
        requirements: What is asked.
        masked: The quasi-identifiers.
        person: The column of persons, if they are counted.
        n_units: The records, or persons, of the table.
    """
    if not any("confidence" in one.entry for one in requirements):
        return None, None
    if person is not None:
        values = {f"v{i}": table.column(name) for i, name in enumerate((person, *masked))}
        rows = table.expr.select(**values).distinct()
        (row,) = table.engine.fetch(rows.aggregate(n=rows.count())).to_pylist()
        if int(row["n"]) > n_units:
            return None, (
                "There is no `minimality: guard` here: some persons have records with different values in the masked "
                "columns, and for them it is not worked out what is learned by those who know that the search shows as "
                "much as it may. Ask for a lower confidence than you need instead, such as nine tenths of it"
            )
    return str(Minimality.GUARD), (
        "those who know that the search shows as much as it may learn from what it refused to show. So it goes by "
        "tighter bounds on shares, until its own attack fails; that shows less. `check` only tells what they learn"
    )


def _known(n: int, room: float) -> int:
    """How many columns an attacker is taken to know: four values of each must fit."""
    known = max(2, min(int(room / 2), n - 1))
    while known > 1 and comb(n, known) > _MOST_SUBSETS:
        known -= 1
    return known


def _core(masked: Sequence[ColumnEvidence], room: float) -> list[str]:
    """The columns that others know best, as many as fit: by their names, then by what they tell apart.

    Age, sex and home come first: whoever knows a person knows them, even where they tell less apart than a weight.
    """
    ordered = sorted(
        masked,
        key=lambda column: (column.meaning not in DEMOGRAPHIC, column.meaning not in EVERYDAY, -column.separation),
    )
    chosen: set[str] = set()
    need = 0.0
    for column in ordered:
        need += min(1.0, column.bits)
        if chosen and need > room:
            break
        chosen.add(column.name)
    return [column.name for column in masked if column.name in chosen]


def _protect(table: Table, column: ColumnEvidence, groups: ValueGroups, qid: list[str]) -> list[SuggestedRequirement]:
    """Requirements on a sensitive column; none names a value of the data."""
    found = []
    base = {"qid": qid, "sensitive": column.name}
    by = {} if groups.by is None else {"by": groups.by}
    if groups.effective >= 2:  # noqa: PLR2004
        least = min(WANTED, int(groups.effective))
        said = f"no group tells the value of `{column.name}`: at least {least} different ones in each"
        said += f", told apart by their {groups.said}" if groups.said else ""
        found.append(SuggestedRequirement({**base, "diversity": {"distinct": least}, **by}, said))
    else:
        said = (
            f"one value of `{column.name}` is so frequent that diversity would hide nearly everything: shares differ "
            f"from those of the whole table by at most {_CLOSE}"
        )
        found.append(SuggestedRequirement({**base, "closeness": _CLOSE, **by}, said))
    if column.shape is not None and column.shape.shape is Shape.ICD10:
        found += _protect_diagnoses(table, column, qid)
    return found


def _protect_sets(table: Table, column: ColumnEvidence, qid: list[str]) -> list[SuggestedRequirement]:
    """The requirement on a sensitive column whose cells hold several values; nothing where they hold single ones."""
    if not table.column(column.name).type().is_string():
        return []
    found = table.distinct(column.name)
    cells = found.keys.to_pylist()
    separator = find_separator(cells)
    if separator is None:
        return []
    n_with: Counter[str] = Counter()
    for cell, n in zip(cells, found.counts.tolist(), strict=True):
        n_with.update(dict.fromkeys(SetForm(separator).values(cell), n))
    # More could not be met by the whole table.
    least = min(WANTED, len(n_with), 1 + column.n_records - max(n_with.values()))
    if least <= 1:
        return []
    said = (
        f"cells of `{column.name}` hold several values with `{separator}` between them, and each counts by itself: at "
        "least so many are in each group, and none is in all of its cells"
    )
    by = {"by": "prefix 1"} if len(n_with) >= MAX_VALUES else {}
    entry = {"qid": qid, "sensitive": {column.name: {"set": separator}}, "diversity": {"distinct": least}, **by}
    return [SuggestedRequirement(entry, said)]


def _protect_diagnoses(table: Table, column: ColumnEvidence, qid: list[str]) -> list[SuggestedRequirement]:
    """Bound the share of harmful diagnoses together; the list is the same whatever the data has."""
    text = table.column(column.name).cast("string")
    starts = "|".join(element[:-1] for element in HARMFUL_DIAGNOSES)
    counted = table.expr.aggregate(n=text.re_search(f"^({starts})").ifelse(1, 0).sum())
    (row,) = table.engine.fetch(counted).to_pylist()
    share = int(row["n"] or 0) / column.n_records
    bound = next((bound for bound in _BOUNDS if bound >= 2 * share), None)
    if not share or bound is None:
        return []
    said = (
        f"diagnoses that harm most (sexual infections, HIV, addiction, psychosis, abortion) have {percent(share)} of "
        "the records; the list is general, change it to what matters to you"
    )
    entry = {"qid": qid, "sensitive": {column.name: {"any": list(HARMFUL_DIAGNOSES)}}, "confidence": bound}
    return [SuggestedRequirement(entry, said)]
