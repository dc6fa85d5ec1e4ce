"""Columns released as they are that look like identifiers somebody forgot to drop.

A column that differs in nearly every record may tell who is who. Texts and
codes do; so do dates and times, because nobody else was born, booked or seen
then; and whole numbers that count the records or are all of one great length.
Other numbers are taken for amounts: they differ as often, and say less.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from maskwise.errors import quote
from maskwise.values.message import Audience, Level, Message
from maskwise.values.number_spellings import LOCAL_NUMBER
from maskwise.values.parsing import CODE, patterns
from maskwise.values.scales import EXACT, Scale
from maskwise.values.yaml_spelling import spelled

if TYPE_CHECKING:
    from collections.abc import Sequence

    import ibis.expr.types as ir

    from maskwise.policy.policy import Policy
    from maskwise.table.random_part import CellCounts, RandomPart

_LEAST = 20
"""Of fewer cells nothing is said."""
_NEARLY_ALL = 0.9
"""From so many different cells for each cell on a column tells people apart."""
_LONG = 10**6
"""Numbers from here on, all of one length, are account, phone or insurance numbers rather than amounts."""

_WHOLE = r"^\s*[+-]?[0-9]+(\.0+)?\s*$"
"""How a whole number is spelled, also one that was a float for a while."""
_MOMENTS = (Scale.DATE, Scale.TIMESTAMP, Scale.TIME)
"""What differs in nearly every record only if it is somebody's own."""


def forgotten_identifiers(part: RandomPart, policy: Policy) -> tuple[Message, ...]:
    """Warn of columns that pass through and differ in nearly every record.

    Args:
        part: The records that are looked at: an identifier differs in any random part of a table.
        policy: What is masked, protected, predicted and dropped.
    """
    table = part.table
    passed_over = {attribute.name for attribute in policy.fixed}
    passed_over |= set() if policy.person is None else {policy.person.column}
    known = {*policy.masked, *policy.dropped(table.names), *policy.sensitive, *passed_over, policy.class_name}
    identifiers = identifiers_among(part, [name for name in table.names if name not in known])
    return () if not identifiers else (_warn(identifiers, is_kept=policy.keep is not None, is_whole=part.share == 1),)


def identifiers_among(part: RandomPart, names: Sequence[str]) -> list[str]:
    """The columns whose cells look as if they told who is who.

    Args:
        part: The records that are looked at.
        names: The columns.
    """
    table = part.table
    names = [name for name in names if not table.column(name).type().is_boolean()]
    identifiers: list[str] = []
    if not names:
        return identifiers
    # One query for all columns, and another for each that may identify: patterns take longer than counting.
    for name, counts in part.count_cells(names).items():
        if counts.n_cells < _LEAST or counts.n_values < _NEARLY_ALL * counts.n_cells:
            continue
        cells = table.expr.select(cell=table.column(name))
        looks = _looks(part, cells["cell"])
        found = table.engine.fetch(cells.aggregate(**looks)).to_pylist()[0] if looks else {}
        if _is_identifier(cells["cell"].type(), counts, found, part.share):
            identifiers.append(name)
    return identifiers


def _warn(names: list[str], *, is_kept: bool, is_whole: bool) -> Message:
    """Say that columns may tell who is who.

    Recipients see it too, since these columns are released as they are; but not
    what a random part of a table suggests, which another run may not say again.
    """
    is_one = len(names) == 1
    how = (
        "is released as it is, and its value differs" if is_one else "are released as they are, and their values differ"
    )
    who = "it may tell who is who" if is_one else "they may tell who is who"
    does = "it does" if is_one else "one does"
    differ = f"{quote(names)} {how} in nearly every record, so {who}"
    remedy = f"add drop: [{', '.join(map(spelled, names))}] to the policy"
    if is_kept:
        remedy = f"take {'it' if is_one else 'them'} out of keep"
    text = f"{differ}. If {does}, {remedy}."
    if not is_whole:
        return Message(Level.WARNING, Audience.OWNER, text)
    return Message(Level.WARNING, Audience.RECIPIENT, text, f"{differ}.")


def _looks(part: RandomPart, cell: ir.Value) -> dict[str, ir.Value]:
    """What is counted of a column to tell what its cells are, so that no cell needs to travel."""
    kind = cell.type()
    number, looks = cell, {}
    if kind.is_string():
        shapes = [*patterns().items(), ("code", CODE), ("whole", _WHOLE), ("foreign", LOCAL_NUMBER)]
        looks = {str(look): cell.re_search(pattern).ifelse(1, 0).sum() for look, pattern in shapes}
        number = part.table.engine.dialect.try_cast(cell, "float64")
    elif kind.is_floating():
        # pandas makes floats of whole numbers as soon as one is missing.
        # Engines make whole numbers of 64 bits when they round down, so larger ones are left out.
        in_range = (cell.abs() < EXACT).ifelse(cell, 0.5)
        looks = {"whole": (in_range == in_range.floor()).ifelse(1, 0).sum()}
    elif not kind.is_integer():
        return {}
    return looks | {"low": number.min(), "high": number.max()}


def _is_identifier(kind: Any, counts: CellCounts, looks: dict[str, Any], share: float) -> bool:
    """Whether cells that are nearly all different tell people apart: amounts differ too."""
    (n_cells, n_values), is_text = counts, kind.is_string()
    if not (is_text or kind.is_numeric()):
        return True
    if is_text:
        scales = [scale for scale in patterns() if looks[scale] == n_cells]
        if looks["code"] or (not scales and looks["foreign"] < n_cells):
            return True
        if scales and scales[0] in _MOMENTS:
            return True
    if looks.get("whole", n_cells) < n_cells or not all(_is_finite(looks[end]) for end in ("low", "high")):
        return False
    low, high = int(looks["low"]), int(looks["high"])
    # A random part of numbers that count the records has as wide a range as all of them.
    is_counted = n_values == n_cells and (high - low) * share < 2 * n_values
    is_long = low >= _LONG and len({len(str(end)) for end in (low, high)}) == 1
    return is_counted or is_long


def _is_finite(end: float | None) -> bool:
    return end is not None and math.isfinite(end)
