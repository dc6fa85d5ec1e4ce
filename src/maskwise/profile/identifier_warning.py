"""Columns released as they are that look like identifiers somebody forgot to drop."""

from __future__ import annotations

import json
import math
import re
from typing import TYPE_CHECKING, Any

from maskwise.engines.base import Feature
from maskwise.errors import InputError, quote
from maskwise.values.message import Audience, Level, Message
from maskwise.values.parsing import CODE, patterns

if TYPE_CHECKING:
    import ibis.expr.types as ir

    from maskwise.policy.policy import Policy
    from maskwise.table.table import Table

_LOOKED_AT = 2_000
"""So many records are looked at, whatever the size of the table: an identifier differs in any part of it."""
_LEAST = 20
"""Of fewer cells nothing is said."""
_NEARLY_ALL = 0.9
"""From so many different cells for each cell on a column tells people apart."""
_LONG = 10**6
"""Numbers from here on, all of one length, are account, phone or insurance numbers rather than amounts."""

_WHOLE = r"^\s*[+-]?[0-9]+(\.0+)?\s*$"
"""How a whole number is spelled, also one that was a float for a while."""
_WORDS = {"y", "n", "yes", "no", "on", "off", "true", "false", "null"}
"""What YAML may take for something else than a name."""


def forgotten_identifiers(table: Table, policy: Policy) -> tuple[Message, ...]:
    """Warn of columns that pass through and differ in nearly every record.

    The first records are looked at, and only where they are read in order
    without a query to somebody else's database.

    Args:
        table: The records.
        policy: What is masked, protected, predicted and dropped.
    """
    known = {*policy.masked, *policy.left_out, *policy.sensitive, policy.class_name}
    known |= set() if policy.person is None else {policy.person.column}
    names = [name for name in table.names if name not in known and _may_identify(table, name)]
    if not names or not table.engine.can(Feature.RECORD_ORDER):
        return ()
    first = table.expr.limit(_LOOKED_AT)
    aggregates = {
        f"a{i}_{what}": value for i, name in enumerate(names) for what, value in _count(first[table.key(name)]).items()
    }
    try:
        (counts,) = table.engine.fetch(first.aggregate(**aggregates)).to_pylist()
    except InputError:
        return ()  # a damaged file is complained of where it is read to its end
    identifiers = [
        name
        for i, name in enumerate(names)
        if _is_identifier({key.removeprefix(f"a{i}_"): n for key, n in counts.items() if key.startswith(f"a{i}_")})
    ]
    if not identifiers:
        return ()
    is_one = len(identifiers) == 1
    how = (
        "is released as it is, and its value differs" if is_one else "are released as they are, and their values differ"
    )
    who = "it may tell who is who. If it does" if is_one else "they may tell who is who. If one does"
    names_of = ", ".join(_spelled(name) for name in identifiers)
    text = f"{quote(identifiers)} {how} in nearly every record, so {who}, add drop: [{names_of}] to the policy."
    return (Message(Level.WARNING, Audience.OWNER, text),)


def _spelled(name: str) -> str:
    """A name as YAML takes it for that name."""
    is_plain = re.fullmatch(r"[A-Za-z_][\w-]*", name) and name.lower() not in _WORDS
    return name if is_plain else json.dumps(name, ensure_ascii=False)


def _may_identify(table: Table, name: str) -> bool:
    kind = table.expr[table.key(name)].type()
    return bool(kind.is_string() or kind.is_integer() or kind.is_floating() or kind.is_decimal())


def _count(cell: ir.Value) -> dict[str, ir.Value]:
    """What is counted of a column, so that no cell needs to travel."""
    counted = {"cells": cell.count(), "values": cell.nunique()}
    number = cell
    if cell.type().is_string():
        looks = [*patterns().items(), ("code", CODE), ("whole", _WHOLE)]
        counted |= {str(look): cell.re_search(pattern).ifelse(1, 0).sum() for look, pattern in looks}
        number = cell.try_cast("float64")
    elif not cell.type().is_integer():
        # pandas makes floats of whole numbers as soon as one is missing.
        number = cell.cast("float64")
        counted["whole"] = (number == number.floor()).ifelse(1, 0).sum()
    return counted | {"low": number.min(), "high": number.max()}


def _is_identifier(counts: dict[str, Any]) -> bool:
    """Whether cells are nearly all different, and texts or codes: amounts and dates differ too."""
    n_cells, n_values = counts["cells"], counts["values"]
    if n_cells < _LEAST or n_values < _NEARLY_ALL * n_cells:
        return False
    is_text = "code" in counts
    if is_text and (counts["code"] or not any(counts[scale] == n_cells for scale in patterns())):
        return True
    if counts.get("whole", n_cells) < n_cells or not math.isfinite(counts["low"]) or not math.isfinite(counts["high"]):
        return False
    low, high = int(counts["low"]), int(counts["high"])
    is_counted = n_values == n_cells and high - low < 2 * n_values
    is_long = low >= _LONG and len({len(str(end)) for end in (low, high)}) == 1
    return bool(is_counted or is_long)
