"""Mask by regions: each record shows what its region shows.

Every masked cell becomes a small number: which of the finest values that any
split asks for it falls under. The distinct rows of these numbers come over, the
splits say which region each is in, and the engine joins the regions' labels.
Later rows go the same way; what no part was made for stays where it is.
"""

from __future__ import annotations

from bisect import bisect_left
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from maskwise.compress.recode import lookup_of
from maskwise.compress.request import Coding
from maskwise.engines.base import Lookup
from maskwise.engines.row_labels import label_rows
from maskwise.policy.attributes import Kind
from maskwise.values.arrow import from_numpy
from maskwise.values.spelling import text_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    import pyarrow as pa
    from numpy.typing import NDArray

    from maskwise.profile.columns import Column
    from maskwise.solution.cut import Cut
    from maskwise.solution.regions import RegionPart, Regions
    from maskwise.solution.solution import Solution
    from maskwise.table.table import Table
    from maskwise.values.parsing import Parsed

    Ints = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Codes:
    """The finest values of one attribute that any region tells apart, as numbers.

    Of an interval attribute they are the stretches between breaks. Of the others 0 is what no part names, and the
    others are the values that parts name, in tree order, so that what is below a value follows it.
    """

    cut: Cut
    """What all regions show of the attribute."""
    names: tuple[str, ...]
    """The values that parts name, of an attribute without intervals."""
    stops: tuple[int, ...]
    """For each of them one past the last number below it."""
    of_text: Mapping[str, int]
    """The number of every text that is not 0."""

    @classmethod
    def of(cls, cut: Cut) -> Codes:
        """The numbers of an attribute."""
        if cut.kind is Kind.INTERVAL:
            return cls(cut, (), (), {})
        at = {name: i for i, name in enumerate(cut.shown, start=1)}
        if cut.taxonomy is None:
            return cls(cut, cut.shown, tuple(i + 1 for i in at.values()), at)
        labels, parents = cut.taxonomy.labels, cut.taxonomy.parents
        number: list[int] = []
        for label, parent in zip(labels, parents, strict=True):
            number.append(at.get(label, number[parent] if parent >= 0 else 0))
        stops = {i: i + 1 for i in at.values()}
        for i in range(len(labels) - 1, 0, -1):
            own, above = number[i], number[parents[i]]
            if own != above and above:
                stops[above] = max(stops[above], stops[own])
        of_text = {label: n for label, n in zip(labels, number, strict=True) if n}
        return cls(cut, cut.shown, tuple(stops[i] for i in at.values()), of_text)

    @property
    def n_codes(self) -> int:
        """How many numbers the values have; that of a missing cell comes next, then that of what lies outside."""
        return len(self.cut.breaks) - 1 if self.cut.kind is Kind.INTERVAL else 1 + len(self.names)

    @property
    def missing(self) -> int:
        """The number of a missing cell."""
        return self.n_codes

    @property
    def outside(self) -> int:
        """The number of a number outside every interval."""
        return self.n_codes + 1

    def of_texts(self, texts: Iterable[str]) -> Ints:
        """The numbers of some texts."""
        return np.array([self.of_text.get(text, 0) for text in texts], np.int64)

    def of_numbers(self, numbers: Any) -> Ints:
        """The numbers of some numbers."""
        breaks = np.array(self.cut.breaks[1:-1])
        codes = np.searchsorted(breaks, numbers, side="right") if len(breaks) else np.zeros(len(numbers), np.int64)
        low, high = self.cut.covered
        return np.where((numbers < low) | (numbers > high), self.outside, codes).astype(np.int64)

    def span(self, part: RegionPart) -> tuple[int, int]:
        """The first and one past the last number of what a part takes."""
        if part.shown is None:
            return self.missing, self.missing + 1
        if part.ends is not None:
            low, high = part.ends
            first = bisect_left(self.cut.breaks, low)
            return first, self.n_codes if part.is_last else bisect_left(self.cut.breaks, high)
        at = self.names.index(part.shown)
        return at + 1, self.stops[at]


def find_regions(regions: Regions, codes: Sequence[Codes], rows: Ints) -> Ints:
    """The region of each row.

    Args:
        regions: The splits.
        codes: The numbers of each attribute.
        rows: (n_rows, n_attributes) the numbers of each row.

    Claim: every row is in exactly one region. The parts of a split take different
    values, and what is in none of them stays.
    """
    at = {one.cut.attribute: a for a, one in enumerate(codes)}
    splits: dict[int, list[tuple[int, list[tuple[int, int, int]]]]] = {}
    n_regions = 1
    for split in regions.splits:
        a = at[split.attribute]
        spans = [(*codes[a].span(part), n_regions + p) for p, part in enumerate(split.parts)]
        splits.setdefault(split.region, []).append((a, spans))
        n_regions += len(split.parts)
    found = np.zeros(len(rows), np.int64)
    waiting = [(0, np.arange(len(rows)))]
    while waiting:
        region, here = waiting.pop()
        for a, spans in splits.get(region, ()):
            cells = rows[here, a]
            stays = np.ones(len(here), np.bool_)
            for first, stop, part in spans:
                is_inside = (first <= cells) & (cells < stop)
                if is_inside.any():
                    waiting.append((part, here[is_inside]))
                    stays &= ~is_inside
            here = here[stays]
        found[here] = region
    return found


def mask_regions(table: Table, solution: Solution, columns: Sequence[Column]) -> Table:
    """Mask the table that a solution with regions was found on.

    Args:
        table: The records.
        solution: What to show.
        columns: The distinct cells of each masked attribute, as `profile` found them.
    """
    codes = [Codes.of(cut) for cut in solution.cuts]
    lookups = {}
    for one, column in zip(codes, columns, strict=True):
        is_interval = one.cut.kind is Kind.INTERVAL
        of_value = one.of_numbers(column.numbers) if is_interval else one.of_texts(column.texts)
        coding = Coding(np.append(of_value, one.missing), one.outside + 1)
        lookups[column.name] = lookup_of(column, coding)
    return label_by_region(table, solution, codes, lookups)


def lookup_keys(codes: Codes, keys: pa.Array, parsed: Parsed | None) -> Lookup:
    """How a column of later rows is recoded.

    Args:
        codes: The numbers of the attribute.
        keys: The column's distinct cells.
        parsed: What they are, for an interval attribute.
    """
    of_key = codes.of_numbers(parsed.numbers) if parsed is not None else codes.of_texts(map(text_of, keys.to_pylist()))
    return Lookup(keys, from_numpy(of_key), codes.missing)


def label_by_region(table: Table, solution: Solution, codes: Sequence[Codes], lookups: Mapping[str, Lookup]) -> Table:
    """Rewrite the masked columns by the regions of the records.

    Args:
        table: The records.
        solution: What to show.
        codes: The numbers of each attribute.
        lookups: How each of their columns is recoded.
    """
    import pyarrow as pa  # noqa: PLC0415 - heavy

    assert solution.regions is not None  # noqa: S101 - asked only of such solutions
    regions = solution.regions
    shown = zip(*regions.labels(solution.cuts), strict=True)
    expr = label_rows(
        table.engine,
        table.normalized(lookups),
        {table.key(name): how for name, how in lookups.items()},
        lambda rows: find_regions(regions, codes, rows),
        {table.key(one.cut.attribute): pa.array(texts, pa.string()) for one, texts in zip(codes, shown, strict=True)},
        {
            table.key(one.cut.attribute): (one.outside, one.cut.outside_label)
            for one in codes
            if one.cut.kind is Kind.INTERVAL
        },
    )
    return replace(table, expr=expr, rewritten=tuple(dict.fromkeys([*table.rewritten, *lookups])))
