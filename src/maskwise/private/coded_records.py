"""From a table to coded rows, inside the engine: each cell becomes a leaf of its declared domain.

What becomes of a record depends on that record alone (or, with persons, on the
records of its person), so nothing here costs any of epsilon; and no cell leads
to an error, whatever it holds.
"""

from __future__ import annotations

import math
import sys
from typing import TYPE_CHECKING, Any

import ibis
import numpy as np
import pyarrow as pa

from maskwise.engines.base import PERSON, Feature, Lookup
from maskwise.errors import InputError
from maskwise.private.cell_codes import is_read_here, read_cells
from maskwise.private.cells import CODE, CodedRows
from maskwise.values.arrow import as_numpy
from maskwise.values.scales import Scale, as_python

if TYPE_CHECKING:
    from collections.abc import Sequence

    import ibis.expr.types as ir
    from numpy.typing import NDArray

    from maskwise.policy.policy import Policy
    from maskwise.private.domain import DeclaredDomain, DeclaredRange
    from maskwise.table.table import Table

_SMALL = 1 << 15
"""Codes below it are stored in 16 bits."""
NOWHERE = -1
"""The code of a cell for which the domain has no leaf; its record is left out."""
_TURN, _PLACE = "turn", "place"
"""Columns for a moment: the number of a record among those of its person, and what these are sorted by."""


def code_records(table: Table, policy: Policy, domains: Sequence[DeclaredDomain]) -> CodedRows:
    """Count the distinct rows of leaves and class.

    Args:
        table: The records.
        policy: What is asked.
        domains: What is declared of each attribute.

    Claim: adding or removing a person changes at most `per_person` records of
    the result. A record becomes a row by itself, and of each person so many
    records are taken, whoever else is in the table.
    """
    assert policy.class_name is not None  # noqa: S101 - every private policy has one
    table.require_all(_needed(policy), "is in the policy", among=_needed(policy))
    cells = {f"c{i}": _cell(table, domain) for i, domain in enumerate(domains)}
    lookups = {
        f"c{i}": _lookup(table, cells[f"c{i}"], domain) for i, domain in enumerate(domains) if not _is_computed(domain)
    }
    at = f"c{len(domains)}"
    cells[at] = _listed(_column(table, policy.class_name))
    lookups[at] = _values(policy.class_values, cells[at], NOWHERE)
    computed = [name for name in cells if name not in lookups]
    expr = _of_each_person(table, policy, cells) if policy.person is not None else table.expr.select(**cells)
    coded = table.engine.recode(expr, lookups, computed, materialize=False)
    with table.engine.count_rows(coded, list(cells), []) as batches:
        parts = [_inside([as_numpy(column) for column in batch.columns]) for batch in batches]
    *codes, counts = zip(*parts, strict=True) if parts else [()] * (len(cells) + 1)
    *leaves, classes = (np.concatenate([*one, np.zeros(0, CODE)]).astype(CODE, copy=False) for one in codes)
    return CodedRows(tuple(leaves), classes, np.concatenate([*counts, np.zeros(0, np.int64)]).astype(np.int64))


def _needed(policy: Policy) -> list[str]:
    """The columns that are looked at."""
    assert policy.private is not None  # noqa: S101 - called for private policies only
    about = [] if policy.person is None else [policy.person.column]
    return [*policy.private.attributes, str(policy.class_name), *about]


def _inside(columns: list[NDArray[Any]]) -> list[NDArray[Any]]:
    """Leave out the records that have no place in the domains."""
    *codes, counts = columns
    is_inside = np.logical_and.reduce([one != NOWHERE for one in codes])
    return [*(one[is_inside].astype(CODE) for one in codes), counts[is_inside]]


def _of_each_person(table: Table, policy: Policy, cells: dict[str, ir.Value]) -> ir.Table:
    """Some records of each person, in random order the first ones; records of nobody are taken for one person's."""
    assert policy.person is not None  # noqa: S101 - called where there are persons
    assert policy.private is not None  # noqa: S101 - called for private policies only
    # As it is: two long numbers that are one float would be one person, of whom one may leave and the other stay.
    who = table.expr[table.key(policy.person.column)]
    drawn = {PERSON: who, _PLACE: table.engine.dialect.random_order()}
    # Kept as a table: what is drawn must stay, however often it is looked at.
    kept = table.engine.materialize(table.expr.select(**cells, **drawn))
    turn = ibis.row_number().over(group_by=kept[PERSON], order_by=kept[_PLACE])
    numbered = kept.select(*cells, **{_TURN: turn})
    return numbered.filter(numbered[_TURN] < policy.private.per_person).drop(_TURN)


def _column(table: Table, name: str) -> ir.Value:
    """A column as everybody sees it; but no decimal, of any size, ends a run by being too large for a float."""
    raw = table.expr[table.key(name)]
    kind = raw.type()
    if not (kind.is_decimal() and kind.precision is None):
        return table.column(name)
    _refuse_stops(table, name)
    return _finite(table.engine.dialect.try_cast(raw.cast("string"), "float64"))


def _text(value: ir.Value) -> ir.Value:
    return value if value.type().is_string() else value.cast("string")


def _cell(table: Table, domain: DeclaredDomain) -> ir.Value:
    """A column as it is looked up: texts, or numbers, dates and times inside the declared range."""
    value = _column(table, domain.name)
    if domain.grid is None:
        return _listed(value) if domain.rule is None else _text(value)
    if is_read_here(value, domain):
        return _text(value) if domain.grid.scale is Scale.TIME and not value.type().is_time() else value
    kind = _kind(domain.grid)
    if _is_of(value, kind):
        value = value.cast(kind)
    else:
        _refuse_stops(table, domain.name)
        value = _finite(table.engine.dialect.try_cast(_text(value), kind))
    clipped = _clip(value, domain.grid)
    return _part(clipped, domain) if _is_computed(domain) else clipped


def _finite(value: ir.Value) -> ir.Value:
    """A number that was read from a text; one that is too large is missing in some databases and infinite in others."""
    if not value.type().is_floating():
        return value
    # What is no number is above all numbers.
    return ibis.ifelse(value.abs() <= sys.float_info.max, value, ibis.null(value.type()))


def _refuse_stops(table: Table, name: str) -> None:
    """Refuse a database that would fail at some texts and not at others: its error would tell what a column holds."""
    if not table.engine.can(Feature.UNREADABLE_TEXTS):
        msg = (
            f"`{name}` is text, and this version of {table.engine.dialect.name} fails at the first cell that is no "
            "number or date, which would tell that there is one. Give the column that type, or use a newer version."
        )
        raise InputError(msg)


def _kind(grid: DeclaredRange) -> str:
    """What the engine reads cells as."""
    return {Scale.DATE: "date", Scale.TIMESTAMP: "timestamp"}.get(grid.scale, "float64")


def _is_computed(domain: DeclaredDomain) -> bool:
    """Whether the engine computes the part of a number: of whole numbers that is exact, and faster than a lookup."""
    return domain.grid is not None and domain.grid.width is not None


def _part(number: ir.Value, domain: DeclaredDomain) -> ir.Value:
    """The part of the range that a number inside the range is in."""
    grid = domain.grid
    assert grid is not None  # noqa: S101 - called for grids only
    assert grid.width is not None  # noqa: S101 - of whole numbers
    multiple = (number / float(grid.width)).floor() - float(grid.low // grid.width)
    # A float just below a point of the grid may be rounded to it.
    part = ibis.least(multiple, float(domain.n_leaves - 1)).cast("int32")
    return ibis.ifelse(number.isnull(), _outside(domain), part).cast("int32")


def _outside(domain: DeclaredDomain) -> int:
    """The code of a cell outside the domain."""
    return domain.n_leaves if domain.has_outside else NOWHERE


def _is_of(value: ir.Value, kind: str) -> bool:
    """Whether a column can be read as numbers, dates or times cell by cell without failing."""
    found = value.type()
    if kind != "float64":
        return bool(found.is_date() or found.is_timestamp())
    return bool(found.is_numeric())


def _clip(value: ir.Value, grid: DeclaredRange) -> ir.Value:
    """Put what lies beyond the range to its nearer end; a missing cell stays missing."""
    low, high = (_literal(end, grid) for end in (grid.low, grid.high))
    return ibis.cases((value < low, low), (value > high, high), else_=value)


def _literal(number: float, grid: DeclaredRange) -> Any:
    kind = _kind(grid)
    return ibis.literal(float(number) if kind == "float64" else as_python(number, grid.scale), type=kind)


def _lookup(table: Table, cell: ir.Value, domain: DeclaredDomain) -> Lookup:
    """How a column is recoded to leaves.

    Args:
        table: The records.
        cell: The column as it is looked up.
        domain: What is declared of it.
    """
    outside, grid = _outside(domain), domain.grid
    if is_read_here(table.column(domain.name), domain):
        distinct = table.engine.fetch(table.expr.select(cell=cell).distinct())
        keys = distinct.column(0).combine_chunks().drop_null()
        codes = [outside if code is None else code for code in read_cells(keys, domain)]
        return Lookup(keys, pa.array(codes, pa.int32()), outside, outside)
    if grid is None:
        return _values(domain.leaves, cell, outside)
    kind = {"date": pa.date32(), "timestamp": pa.timestamp("us")}.get(_kind(grid), pa.float64())
    starts = [as_python(start, grid.scale) for start in grid.starts]
    return Lookup(pa.array(map(float, starts) if kind == pa.float64() else starts, kind), None, outside)  # type: ignore[arg-type]


def _listed(value: ir.Value) -> ir.Value:
    """A column as it is looked up in a list: as text; but floats as they are, which databases spell in several ways."""
    return value if value.type().is_floating() else _text(value)


def _values(texts: Sequence[str], cell: ir.Value, outside: int) -> Lookup:
    """How cells are recoded to the places of their values in a list.

    Args:
        texts: The values, each once.
        cell: The column as it is looked up.
        outside: The code of other cells.
    """
    if cell.type().is_floating():
        # Of two spellings of a number the first: a cell has one code.
        places = {number: at for at, text in reversed([*enumerate(texts)]) if (number := _number(text)) is not None}
        return Lookup(pa.array([*places], pa.float64()), pa.array(places.values(), pa.int32()), outside, outside)
    codes = pa.array(range(len(texts)), pa.int16() if len(texts) < _SMALL else pa.int32())
    return Lookup(pa.array(texts, pa.string()), codes, outside, outside)


def _number(text: str) -> float | None:
    """A listed value as a number, if it is one; adding zero makes one of 0 and -0."""
    try:
        number = float(text)
    except ValueError:
        return None
    return number + 0.0 if math.isfinite(number) else None
