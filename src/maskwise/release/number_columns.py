"""Intervals written as numbers that a learner can take: their middle, their mean, or both ends.

Labels are masked first; here numbers are put in their place, so that a group of
labels becomes a group of numbers, which the recount counts as it is written.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import ibis
import pyarrow as pa

from maskwise.engines.base import Relabel
from maskwise.errors import InputError, PolicyError, quote
from maskwise.policy.attributes import Kind
from maskwise.release.interval_labels import ends_on_scale
from maskwise.solution.cut import MissingShown
from maskwise.values.message import note
from maskwise.values.number_forms import Numbers
from maskwise.values.scales import ABOVE, Scale, label

if TYPE_CHECKING:
    from collections.abc import Mapping

    import ibis.expr.types as ir

    from maskwise.solution.cut import Cut
    from maskwise.solution.solution import Solution
    from maskwise.table.table import Table
    from maskwise.values.message import Message

SIDES = ("low", "high")
"""What the names of the columns of both ends end in."""
_DIGITS = 5
"""The digits of a mean. Engines add up in different orders, and a mean need not tell its records' last digits."""
_SAID = {
    Numbers.MIDPOINT: "numbers, the middle of each interval",
    Numbers.MEAN: "numbers, the mean of each interval's records, or its middle",
    Numbers.BOUNDS: "numbers, the ends of each interval in two columns",
}


def as_numbers(solution: Solution, numbers: Numbers, means: Mapping[str, Mapping[str, float]]) -> Solution:
    """A solution whose intervals are written as numbers, also those of later rows.

    Args:
        solution: What is shown.
        numbers: What stands for an interval.
        means: For each attribute the mean of each label, where `numbers` asks for them.
    """
    if numbers is Numbers.LABEL:
        return solution
    kept = tuple((name, tuple(of_label.items())) for name, of_label in means.items())
    return replace(solution, numbers=numbers, means=kept)


def number_messages(solution: Solution) -> tuple[Message, ...]:
    """Say how intervals are written, where that is not by their labels."""
    if solution.numbers is Numbers.LABEL:
        return ()
    written = [cut.attribute for cut in numbered_cuts(solution)]
    are = "is" if len(written) == 1 else "are"
    text = f"{quote(written)} {are} written as {_SAID[solution.numbers]}."
    return (note(text if written else "No column shows intervals of numbers or dates, so none is written as numbers."),)


def numbered_cuts(solution: Solution) -> tuple[Cut, ...]:
    """The cuts that are written as numbers: intervals of numbers, dates and moments, but not times of day."""
    return tuple(
        cut for cut in solution.cuts if cut.kind is Kind.INTERVAL and cut.scale is not None and cut.scale.engine_type
    )


@dataclass(frozen=True, slots=True)
class _Written:
    """What is written in the place of a column's labels, in one of the columns that replace it."""

    name: str
    """The column's name."""
    texts: Mapping[str, str]
    """For each label the number that stands for it, as text; none for a label without."""
    kind: str
    """What the numbers are, in Ibis's spelling."""


def write_numbers(table: Table, solution: Solution) -> Table:
    """Put numbers in the place of the labels of masked intervals.

    Args:
        table: The masked records.
        solution: What they show, and what is to stand for it.

    Raises:
        InputError: A name for the column of an end is taken.
    """
    if solution.numbers is Numbers.LABEL:
        return table
    cuts = [cut for cut in numbered_cuts(solution) if cut.attribute in table.names]
    columns = {cut.attribute: _columns(cut, solution) for cut in cuts}
    names = tuple(one.name for name in table.names for one in columns.get(name, [_Written(name, {}, "")]))
    twice = [name for name in dict.fromkeys(names) if names.count(name) > 1]
    if twice:
        msg = f"The table has {quote(twice)} already, so the ends of intervals cannot be called so. Rename that column."
        raise InputError(msg)
    sources = [name for name in table.names for _ in columns.get(name, [name])]
    beside = [column for column in table.expr.columns if not _is_key(column, len(table.names))]
    expr = table.expr.select(
        **{f"c{i}": table.expr[table.key(name)] for i, name in enumerate(sources)},
        **{column: table.expr[column] for column in beside},
    )
    rewritten = tuple(
        one.name if isinstance(one, _Written) else one for name in table.rewritten for one in columns.get(name, [name])
    )
    wide = replace(table, expr=expr, names=names, rewritten=rewritten)
    written = {one.name: one for parts in columns.values() for one in parts}
    return _cast(wide.relabel({name: _relabel(one) for name, one in written.items()}), written)


def _is_key(column: str, n: int) -> bool:
    return column[:1] == "c" and column[1:].isdecimal() and int(column[1:]) < n


def _relabel(one: _Written) -> Relabel:
    return Relabel(pa.array(list(one.texts), pa.string()), list(one.texts.values()), "", None, has_others=True)


def _cast(table: Table, written: Mapping[str, _Written]) -> Table:
    """The texts of numbers as numbers; what has none is missing."""
    cells: dict[str, ir.Value] = {}
    for name, one in written.items():
        text = table.expr[table.key(name)]
        cells[table.key(name)] = text.nullif("").cast(one.kind)
    return replace(table, expr=table.expr.mutate(**cells))


def _columns(cut: Cut, solution: Solution) -> list[_Written]:
    """What replaces the column of a cut."""
    labels = dict.fromkeys((*cut.labels, cut.root))
    ends = {text: _ends(text, cut) for text in labels}
    kind = str(cut.scale.engine_type) if cut.scale is not None else ""
    if solution.numbers is Numbers.BOUNDS:
        return [
            _Written(f"{cut.attribute}_{side}", {t: _text(ends[t][at], cut) for t in labels}, _wide(kind))
            for at, side in enumerate(SIDES)
        ]
    means = dict(dict(solution.means).get(cut.attribute, ()))
    return [_Written(cut.attribute, {t: _text(means.get(t, _middle(*ends[t], cut)), cut) for t in labels}, _wide(kind))]


def _wide(kind: str) -> str:
    return "float64" if kind == "int64" else kind


def _ends(text: str, cut: Cut) -> tuple[float | None, float | None]:
    """The ends of a label; None where it has none."""
    assert cut.scale is not None  # noqa: S101 - every interval cut has a scale
    bare = text.removeprefix(ABOVE).removeprefix("< ")
    scale = Scale.REAL if cut.scale is Scale.INTEGER else cut.scale
    try:
        low, high = ends_on_scale(bare, scale)
    except PolicyError:
        return None, None
    return (None if text.startswith("< ") else low), (None if text.startswith(ABOVE) else high)


def _middle(low: float | None, high: float | None, cut: Cut) -> float | None:
    if low is None or high is None:
        return high if low is None else low
    middle = low + (high - low) / 2
    return middle if cut.scale in {Scale.INTEGER, Scale.REAL} else float(math.floor(middle))


def _text(number: float | None, cut: Cut) -> str:
    if number is None:
        return ""
    is_number = cut.scale in {Scale.INTEGER, Scale.REAL}
    return repr(float(number)) if is_number else label(number, cut.scale)  # type: ignore[arg-type]


def merged_labels(solution: Solution) -> frozenset[str]:
    """The attributes of which two labels are written as the same numbers, so that groups may become larger."""
    merged = set()
    for cut in numbered_cuts(solution) if solution.numbers is not Numbers.LABEL else ():
        columns = _columns(cut, solution)
        # A missing cell is written as nothing, as is a label without numbers.
        written = [tuple(one.texts[text] for one in columns) for text in dict.fromkeys((*cut.labels, cut.root))]
        written += [("",) * len(columns)] if cut.missing is MissingShown.ITSELF else []
        if len(set(written)) < len(written):
            merged.add(cut.attribute)
    return frozenset(merged)


def as_labels(table: Table, solution: Solution) -> Table:
    """A table of written numbers under the names of the masked attributes, so that it can be recounted.

    Claim: groups are those of the written cells. Where both ends stand in two
    columns, one column holds both of them, and is the same for two records
    exactly where both are.

    Args:
        table: What was written.
        solution: What it shows.
    """
    if solution.numbers is not Numbers.BOUNDS:
        return table
    both = {name: tuple(f"{name}_{side}" for side in SIDES) for name in (c.attribute for c in numbered_cuts(solution))}
    second = {pair[1] for pair in both.values()}
    first = {pair[0]: name for name, pair in both.items()}
    cells: list[tuple[str, Any]] = []
    for name in table.names:
        cell = table.expr[table.key(name)]
        if name in second:
            continue
        if name in first:
            other = table.expr[table.key(both[first[name]][1])]
            texts = [one.cast("string").fill_null("") for one in (cell, other)]
            is_missing = cell.isnull() & other.isnull()
            cell = ibis.ifelse(is_missing, ibis.null("string"), texts[0] + " to " + texts[1])
            name = first[name]  # noqa: PLW2901 - the attribute that both columns are about
        cells.append((name, cell))
    beside = [column for column in table.expr.columns if not _is_key(column, len(table.names))]
    expr = table.expr.select(
        **{f"c{i}": cell for i, (_, cell) in enumerate(cells)}, **{column: table.expr[column] for column in beside}
    )
    return replace(table, expr=expr, names=tuple(name for name, _ in cells))


def find_means(masked: Table, solution: Solution, floors: Mapping[str, int]) -> dict[str, dict[str, float]]:
    """The mean of the numbers behind each label that enough records show.

    Claim: no mean is of fewer records than k. A label that fewer show, or that
    only templates and no k protect, has none, and its middle is written. Nor has
    a label without an end: its mean would tell of the rare numbers that `clamp` hides.

    Args:
        masked: The masked records, with the raw numbers beside their labels.
        solution: What is shown.
        floors: For each attribute the largest k that is asked on it.
    """
    found: dict[str, dict[str, float]] = {}
    for cut in numbered_cuts(solution):
        least = floors.get(cut.attribute, 0)
        if cut.scale not in {Scale.INTEGER, Scale.REAL} or least < 2:  # noqa: PLR2004 - the mean of one is that one
            continue
        key = masked.key(cut.attribute)
        raw = masked.expr[raw_name(cut.attribute, masked)]
        grouped = masked.expr.group_by(label=masked.expr[key]).aggregate(n=raw.count(), total=raw.sum())
        rows = masked.engine.fetch(grouped).to_pylist()
        found[cut.attribute] = {
            row["label"]: float(f"{row['total'] / row['n']:.{_DIGITS}g}")
            for row in sorted(rows, key=lambda row: str(row["label"]))
            if row["label"] is not None
            and row["total"] is not None
            and row["n"] >= least
            and None not in _ends(row["label"], cut)
        }
    return found


def raw_name(attribute: str, table: Table) -> str:
    """What the column is called that has the raw numbers of an attribute."""
    return f"raw_{table.names.index(attribute)}"


def with_raw_numbers(table: Table, solution: Solution) -> Table:
    """The records with the numbers of masked intervals beside their cells, which masking leaves as they are."""
    numbers = {}
    for cut in numbered_cuts(solution):
        cell = table.column(cut.attribute)
        number = table.engine.dialect.try_cast(cell, "float64") if cell.type().is_string() else cell.cast("float64")
        if cut.scale in {Scale.INTEGER, Scale.REAL}:
            numbers[raw_name(cut.attribute, table)] = number
    return replace(table, expr=table.expr.mutate(**numbers)) if numbers else table
