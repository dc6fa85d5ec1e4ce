"""What is counted of a table before anything is suggested: all inside the engine.

Cells are hashed once (`risks.hashed_table`), and the groups of every column and
set of columns are counted on the hashes. Of each column some distinct values
come over, a bounded number, to see what they look like.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

import ibis
import numpy as np

from maskwise.engines.cell_hashes import sample_values
from maskwise.errors import PolicyError
from maskwise.policy.rules.base import ROOT
from maskwise.suggestion.column_hashes import MOST_HASHED
from maskwise.suggestion.figures import count_groups, entropy, separation
from maskwise.suggestion.local_forms import find_date_forms, find_number_forms
from maskwise.suggestion.names import meaning_of
from maskwise.suggestion.shapes import Shape, find_shape
from maskwise.values.date_forms import DateForm
from maskwise.values.number_spellings import NumberForm
from maskwise.values.parsing import MOMENT, patterns
from maskwise.values.scales import DAY, EXACT, Scale, bound

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    import ibis.expr.types as ir

    from maskwise.risks.group_sizes import GroupSizes
    from maskwise.suggestion.column_hashes import ColumnHashes
    from maskwise.suggestion.local_forms import FormFinder
    from maskwise.suggestion.shapes import ShapeFound
    from maskwise.suggestion.vocabulary import Meaning
    from maskwise.table.cell_forms import CellForm
    from maskwise.table.table import Table

LOOKED_AT = 600
"""So many distinct values of a column are looked at, about: those whose hash comes first."""
_COLUMNS_AT_ONCE = 40
"""So many columns are asked about in one query."""


@dataclass(frozen=True, slots=True)
class ColumnEvidence:
    """What was counted and recognized of one column."""

    name: str
    """The column."""
    is_countable: bool
    """Whether its cells have a spelling."""
    is_boolean: bool
    """Whether its cells are truth values."""
    n_records: int
    """The records of the table."""
    n_missing: int
    """Those whose cell is missing."""
    n_distinct: int
    """The different values, without the missing one."""
    singled_out: float
    """The share of records that nobody else's value equals."""
    separation: float
    """The share of pairs of records that differ in it (Motwani and Xu)."""
    bits: float
    """The entropy of its values."""
    meaning: Meaning | None
    """What its name says."""
    shape: ShapeFound | None
    """What its values look like."""
    scale: Scale | None = None
    """The order of its values, if every one is a number, an ISO date or an ISO time."""
    ends: tuple[float, float] | None = field(default=None, repr=False)
    """The smallest and the largest of them, as numbers: cells, so they are not printed."""
    width: int = 0
    """How many characters most records have that have a value."""
    has_zeros: bool = False
    """Whether some are numbers with leading zeros, which are codes."""
    is_named_like_cell: bool = False
    """Whether its name is one of the values that were looked at, as where a table has no header."""
    forms: tuple[CellForm, ...] = ()
    """How its dates or numbers are written, if not in the usual way; several forms if no value decides."""
    has_star: bool = False
    """Whether a value is `*`, which stands for every value in a tree that is made of the table."""

    @property
    def date_forms(self) -> list[str]:
        """How its dates are written."""
        return [form.text for form in self.forms if isinstance(form, DateForm)]

    @property
    def number_forms(self) -> list[str]:
        """How its numbers are written."""
        return [form.text for form in self.forms if isinstance(form, NumberForm)]

    @property
    def n_cells(self) -> int:
        """The records that have a value."""
        return self.n_records - self.n_missing

    @property
    def distinction(self) -> float:
        """The different values for each record that has one (Motwani and Xu)."""
        return self.n_distinct / self.n_cells if self.n_cells else 0.0


@dataclass(frozen=True, slots=True)
class TableEvidence:
    """What was counted of all columns."""

    n_records: int
    """The records."""
    columns: tuple[ColumnEvidence, ...]
    """The columns, in the table's order."""
    sizes: Mapping[str, GroupSizes]
    """The groups on each column."""


def count_columns(table: Table, hashes: ColumnHashes, names: Sequence[str], n_records: int) -> TableEvidence:
    """Count every column by itself and look at some of its values.

    Args:
        table: The records.
        hashes: Its hashes.
        names: The columns that can be counted.
        n_records: The records of the table.
    """
    by_name = hashes.each(names)
    n_missing = _count_missing(table, names, n_records)
    n_distinct = {name: count_groups(by_name[name]) - bool(n_missing[name]) for name in names}
    values = _look(table, {name: n for name, n in n_distinct.items() if n})
    meanings = {name: meaning_of(name) for name in table.names}
    shapes = {name: find_shape(found, says=meanings[name]) for name, found in values.items()}
    n_cells = {name: n_records - n_missing[name] for name in names}
    looks = _Looks(table, values, meanings, shapes, n_cells)
    looks.find_forms(looks.shaped(Shape.LOCAL_DATE), find_date_forms)
    looks.find_forms(looks.shaped(Shape.LOCAL_NUMBER), find_number_forms)
    ranges = looks.ranges(names, n_distinct)
    # Of a long column some values were looked at, and a decimal comma may be rare.
    unread = [name for name in looks.shaped(Shape.INTEGER, Shape.REAL, Shape.SOME_NUMBERS) if name not in ranges]
    if unread := [name for name in unread if _one_of(n_distinct[name]) > 1]:
        ranges |= looks.ranges(looks.find_forms(unread, find_number_forms), n_distinct)
    table, scales, forms = looks.table, looks.scales, looks.forms
    columns = []
    for name in table.names:
        if name not in by_name:
            columns.append(
                ColumnEvidence(
                    name,
                    is_countable=False,
                    is_boolean=False,
                    n_records=n_records,
                    n_missing=0,
                    n_distinct=0,
                    singled_out=0.0,
                    separation=0.0,
                    bits=0.0,
                    meaning=meanings[name],
                    shape=None,
                )
            )
            continue
        groups, found = by_name[name], ranges.get(name)
        columns.append(
            ColumnEvidence(
                name,
                is_countable=True,
                is_boolean=bool(table.column(name).type().is_boolean()),
                n_records=n_records,
                n_missing=n_missing[name],
                n_distinct=n_distinct[name],
                singled_out=groups.unique,
                separation=separation(groups),
                bits=entropy(groups),
                meaning=meanings[name],
                shape=shapes.get(name),
                scale=None if found is None else scales[name],
                ends=found,
                width=_width(values.get(name, ())),
                is_named_like_cell=any(text.strip() == name.strip() for text, _ in values.get(name, ())),
                has_zeros=any(text[:1] == "0" and text[1:].isdecimal() for text, _ in values.get(name, ()) if text[1:]),
                forms=forms.get(name, ()),
                has_star=any(text == ROOT for text, _ in values.get(name, ())),
            )
        )
    return TableEvidence(n_records, tuple(columns), by_name)


@dataclass(slots=True)
class _Looks:
    """What the values of columns look like, once it is known how they are written."""

    table: Table
    values: dict[str, list[tuple[str, int]]]
    meanings: Mapping[str, Meaning | None]
    shapes: dict[str, ShapeFound | None]
    n_cells: Mapping[str, int]
    forms: dict[str, tuple[CellForm, ...]] = field(default_factory=dict)
    scales: dict[str, Scale | None] = field(default_factory=dict)

    def shaped(self, *shapes: Shape) -> list[str]:
        """The columns of text that have one of some shapes."""
        found = [name for name, shape in self.shapes.items() if shape is not None and shape.shape in shapes]
        return [name for name in found if self.table.column(name).type().is_string()]

    def find_forms(self, names: Sequence[str], find: FormFinder) -> list[str]:
        """Find out how columns are written, by all of their cells; return those of which it is decided."""
        found = find(self.table, names, self.n_cells)
        self.forms |= found
        decided = {name: forms[0] for name, forms in found.items() if len(forms) == 1}
        for name, form in decided.items():
            # From here on they are dates or numbers as any others.
            self.table = replace(self.table, forms=(*self.table.forms, (name, form)))
            self.values[name] = [(form.to_usual(text), n) for text, n in self.values[name]]
            self.shapes[name] = find_shape(self.values[name], says=self.meanings[name])
        return list(decided)

    def ranges(self, names: Sequence[str], n_distinct: Mapping[str, int]) -> dict[str, tuple[float, float]]:
        """The smallest and the largest value of columns whose values have an order."""
        self.scales |= {name: _scale_of(self.table, name, self.shapes.get(name)) for name in names}
        ordered = {name: scale for name in names if (scale := self.scales[name]) is not None}
        # Of a column with few values all are here.
        is_text = {name: bool(self.table.column(name).type().is_string()) for name in ordered}
        few = [name for name in ordered if _one_of(n_distinct[name]) == 1 and is_text[name]]
        found = {name: ends for name in few if (ends := _range_of(self.values[name], ordered[name])) is not None}
        many = {name: scale for name, scale in ordered.items() if name not in few}
        return found | _find_ranges(self.table, many, self.n_cells)


def _count_missing(table: Table, names: Sequence[str], n_records: int) -> dict[str, int]:
    found: dict[str, int] = {}
    for at in range(0, len(names), _COLUMNS_AT_ONCE):
        some = names[at : at + _COLUMNS_AT_ONCE]
        cells = {f"n{i}": table.column(name).count() for i, name in enumerate(some)}
        (row,) = table.engine.fetch(table.expr.aggregate(**cells)).to_pylist()
        found |= {name: n_records - int(row[f"n{i}"]) for i, name in enumerate(some)}
    return found


def _look(table: Table, n_distinct: Mapping[str, int]) -> dict[str, list[tuple[str, int]]]:
    """Some distinct values of each column with their records; the same ones whenever the same table is read."""
    found: dict[str, list[tuple[str, int]]] = {}
    names = list(n_distinct)
    is_wide = len(table.names) > MOST_HASHED
    for at in range(0, len(names), _COLUMNS_AT_ONCE):
        some = names[at : at + _COLUMNS_AT_ONCE]
        records = table.expr.select(**{table.key(name): table.column(name) for name in some})
        if is_wide:
            # Each column is a part of the query that names the table: at 500 columns that took four times as long.
            records = table.engine.materialize(records)
        one_of = [_one_of(n_distinct[name]) for name in some]
        cells = [records[table.key(name)] for name in some]
        found |= zip(some, sample_values(table.engine.dialect, records, cells, one_of), strict=True)
        if is_wide:
            table.engine.discard(records)
    return found


def _width(values: Sequence[tuple[str, int]]) -> int:
    """The most frequent number of characters of the values that were looked at; of several, the smallest."""
    n_with: Counter[int] = Counter()
    for text, n in values:
        n_with[len(text.strip())] += n
    return min(n_with, key=lambda width: (-n_with[width], width), default=0)


def _one_of(n_distinct: int) -> int:
    """One of how many values is looked at."""
    return max(n_distinct // LOOKED_AT, 1)


def _range_of(values: Sequence[tuple[str, int]], scale: Scale) -> tuple[float, float] | None:
    """The smallest and largest of all values of a column, if each can be read."""
    fits = re.compile(MOMENT if scale is Scale.TIMESTAMP else patterns()[scale])
    if not all(fits.match(text.strip()) for text, _ in values):
        return None
    try:
        numbers = [float(bound(text.strip(), scale)) for text, _ in values]
    except PolicyError:
        return None
    return (min(numbers), max(numbers)) if all(map(math.isfinite, numbers)) else None


def _scale_of(table: Table, name: str, shape: ShapeFound | None) -> Scale | None:
    """The order that a column's values may have: by its type, or of texts by their shape."""
    kind = table.column(name).type()
    for is_kind, scale in (
        (kind.is_integer(), Scale.INTEGER),
        (kind.is_floating(), Scale.REAL),
        (kind.is_date(), Scale.DATE),
        (kind.is_timestamp(), Scale.TIMESTAMP),
        (kind.is_time(), Scale.TIME),
    ):
        if is_kind:
            return scale
    if not kind.is_string() or shape is None:
        return None
    named = {scale.name: scale for scale in Scale}
    return {"CODE": Scale.INTEGER, "POSTCODE": None}.get(shape.shape.name, named.get(shape.shape.name))


def _find_ranges(
    table: Table, scales: Mapping[str, Scale], n_cells: Mapping[str, int]
) -> dict[str, tuple[float, float]]:
    """The smallest and largest value of each ordered column, where every cell can be read as such."""
    found: dict[str, tuple[float, float]] = {}
    names = list(scales)
    for at in range(0, len(names), _COLUMNS_AT_ONCE):
        some = names[at : at + _COLUMNS_AT_ONCE]
        asked: dict[str, ir.Value] = {}
        for i, name in enumerate(some):
            cell, scale = table.column(name), scales[name]
            if cell.type().is_string():
                looks = cell.re_search(patterns()[scale])
                if scale is Scale.TIMESTAMP:
                    # Of a moment with an offset the day is enough for a draft: it is that of UTC, or the one beside it.
                    is_moment = cell.strip().re_search(MOMENT) & cell.strip().re_search("^[0-9]{4}-") & ~looks
                    asked[f"o{i}"] = is_moment.ifelse(1, 0).sum()
                    cell = is_moment.ifelse(cell.strip().left(10), cell)
                    looks |= is_moment
                asked[f"n{i}"] = looks.ifelse(1, 0).sum()
                # Some databases refuse a text that they cannot read.
                cell = ibis.ifelse(looks, cell, ibis.null("string"))
                if scale.engine_type is not None:
                    read_as = "float64" if scale is Scale.INTEGER else scale.engine_type
                    cell = table.engine.dialect.try_cast(cell, read_as)
            else:
                asked[f"n{i}"] = cell.count()
            asked |= {f"l{i}": cell.min(), f"h{i}": cell.max()}
        (row,) = table.engine.fetch(table.expr.aggregate(**asked)).to_pylist()
        for i, name in enumerate(some):
            ends = (row[f"l{i}"], row[f"h{i}"])
            if int(row[f"n{i}"] or 0) < n_cells[name] or None in ends:
                continue
            low, high = (_as_number(end, scales[name]) for end in ends)
            if row.get(f"o{i}"):
                low, high = low - DAY, high + 2 * DAY
            if math.isfinite(low) and math.isfinite(high) and max(abs(low), abs(high)) < _most(scales[name]):
                found[name] = low, high
    return found


def _most(scale: Scale) -> float:
    """Beyond this, whole numbers are no longer exact as floats."""
    return float(EXACT) if scale is Scale.INTEGER else math.inf


def _as_number(end: object, scale: Scale) -> float:
    if isinstance(end, int | float | np.number):
        return float(end)
    return float(bound(str(end).strip() if scale is not Scale.TIMESTAMP else str(end), scale))
