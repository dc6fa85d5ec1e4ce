"""The codes of cells that no engine reads by itself: those that a rule reads, times of day, and moments in a time zone.

The distinct cells come over, and each is read by itself: what becomes of one
must not depend on the others.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from typing import TYPE_CHECKING

import pyarrow as pa

from maskwise.errors import PolicyError
from maskwise.values.parsing import parse_keys, patterns
from maskwise.values.scales import DAY, Scale, bound

if TYPE_CHECKING:
    from collections.abc import Sequence

    import ibis.expr.types as ir

    from maskwise.private.domain import DeclaredDomain, DeclaredRange


def is_read_here(column: ir.Value, domain: DeclaredDomain) -> bool:
    """Whether the distinct cells of a column come over to be read.

    Args:
        column: The column as it stands in its table.
        domain: What is declared of it.
    """
    if domain.grid is None:
        return domain.rule is not None
    found = column.type()
    has_zone = found.is_timestamp() and found.timezone is not None
    return domain.grid.scale is Scale.TIME or (has_zone and domain.grid.scale in {Scale.DATE, Scale.TIMESTAMP})


def read_cells(keys: pa.Array, domain: DeclaredDomain) -> list[int | None]:
    """The leaf of each distinct cell; None of one that is outside the domain.

    Args:
        keys: The cells, none of them missing.
        domain: What is declared of their column.

    Claim: what a cell becomes depends on that cell and the domain alone.
    """
    if domain.grid is not None:
        return [_part(number, domain.grid) for number in _numbers(keys, domain.grid.scale)]
    assert domain.rule is not None  # noqa: S101 - else the engine reads it
    leaf = {label: i for i, label in enumerate(domain.leaves)}
    paths = (domain.rule.path(text) for text in keys.to_pylist())
    return [None if path is None else leaf.get(path[-1]) for path in paths]


def _part(number: float | None, grid: DeclaredRange) -> int | None:
    """The part of the range that a number is in; one beyond the range is in the part at that end."""
    return None if number is None else max(bisect_right(grid.starts, number) - 1, 0)


def _numbers(keys: pa.Array, scale: Scale) -> Sequence[float | None]:
    # Not for texts: of those it would look at all to see what most of them are.
    if pa.types.is_temporal(keys.type):
        found = parse_keys(keys)
        if found is None or (found.scale, scale) not in _READ_AS:
            return [None] * len(keys)
        return [int(number) // _READ_AS[found.scale, scale] for number in found.numbers.tolist()]
    fits = re.compile(patterns()[scale])
    return [_number(text.strip(), scale) if fits.match(text) else None for text in keys.to_pylist()]


_READ_AS = {
    (Scale.TIME, Scale.TIME): 1,
    (Scale.TIMESTAMP, Scale.TIMESTAMP): 1,
    (Scale.TIMESTAMP, Scale.DATE): DAY,
}
"""What the numbers behind cells of a type are divided by, to be those of a declared scale."""


def _number(text: str, scale: Scale) -> float | None:
    try:
        return bound(text, scale)
    except PolicyError:
        return None
