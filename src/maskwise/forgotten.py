"""Columns released as they are that look like identifiers somebody forgot to drop."""

from __future__ import annotations

from typing import TYPE_CHECKING

from maskwise.errors import InputError, quote
from maskwise.typed import Scale, looks_like_code, parse_keys

if TYPE_CHECKING:
    import pyarrow as pa

    from maskwise.policy import Policy
    from maskwise.read import Table

_LOOKED_AT = 2_000
"""So many records are looked at, whatever the size of the table: an identifier differs in any part of it."""
_LEAST = 20
"""Of fewer cells nothing is said."""
_NEARLY_ALL = 0.9
"""From so many different cells for each cell on a column tells people apart."""
_LONG = 10**6
"""Numbers from here on, all of one length, are account, phone or insurance numbers rather than amounts."""


def forgotten_identifiers(table: Table, policy: Policy) -> tuple[str, ...]:
    """Warn of columns that pass through and differ in nearly every record.

    The first records are looked at, and only where they are read in order
    without a query to somebody else's database.

    Args:
        table: The records.
        policy: What is masked, protected, predicted and dropped.
    """
    known = {*policy.masked, *policy.drop, *policy.sensitive, policy.class_name}
    names = [name for name in table.names if name not in known and _may_identify(table, name)]
    if not names or not table.engine.keeps_order:
        return ()
    try:
        first = table.engine.fetch(table.expr.select([table.key(name) for name in names]).limit(_LOOKED_AT))
    except InputError:
        return ()  # a damaged file is complained of where it is read to its end
    found = [name for i, name in enumerate(names) if _is_identifier(first.column(i).combine_chunks().drop_null())]
    if not found:
        return ()
    is_one = len(found) == 1
    how = (
        "is released as it is, and its value differs" if is_one else "are released as they are, and their values differ"
    )
    who = "it may tell who is who. If it does" if is_one else "they may tell who is who. If one does"
    return (f"{quote(found)} {how} in nearly every record, so {who}, add drop: [{', '.join(found)}] to the policy.",)


def _may_identify(table: Table, name: str) -> bool:
    kind = table.expr[table.key(name)].type()
    return bool(kind.is_string() or kind.is_integer())


def _is_identifier(cells: pa.Array) -> bool:
    """Whether cells are nearly all different, and texts or codes: amounts and dates differ too."""
    keys = cells.unique()
    if len(cells) < _LEAST or len(keys) < _NEARLY_ALL * len(cells):
        return False
    parsed = parse_keys(keys)
    if parsed is None or not parsed.known.all() or looks_like_code(keys):
        return True
    if parsed.scale is not Scale.INTEGER:
        return False
    low, high = int(parsed.numbers.min()), int(parsed.numbers.max())
    is_counted = len(keys) == len(cells) and high - low < 2 * len(keys)
    is_long = low >= _LONG and len({len(str(end)) for end in (low, high)}) == 1
    return is_counted or is_long
