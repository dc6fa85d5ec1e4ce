"""Apply a solution: rewrite every masked cell as the value its cut shows.

The same code masks the table the cut was found on and rows that come later.
Masking moves no record and looks at no requirement; `verify` judges the result.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import TYPE_CHECKING, Any

import numpy as np

from maskwise.engines.base import Relabel
from maskwise.errors import InputError, plural, quote
from maskwise.policy.attributes import Kind, Missing
from maskwise.release.mask_regions import count_outside, label_by_region, lookup_keys, mask_regions
from maskwise.release.pseudonyms import pseudonymize
from maskwise.release.suppress import suppress
from maskwise.solution.cut import Cut, MissingShown
from maskwise.solution.region_codes import Codes
from maskwise.table.number_cells import refuse_mixed_numbers
from maskwise.values.arrow import from_numpy
from maskwise.values.parsing import Parsed, needs_python, parse_keys
from maskwise.values.scales import DAY, Scale, as_python
from maskwise.values.spelling import text_of

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    import pyarrow as pa

    from maskwise.profile.columns import Column
    from maskwise.solution.solution import Solution
    from maskwise.table.table import Table

_MOST_STEPS = 256
"""Above so many intervals it is faster to look each value up than to compare it with every end."""
_NUMBERS = {Scale.INTEGER, Scale.REAL}


class Outside(StrEnum):
    """What happens to later rows with a number outside every interval that is shown."""

    ROOT = "root"
    """The cell shows the whole range, and that the number may lie outside."""
    REFUSE = "refuse"
    """The rows are refused."""
    DROP = "drop"
    """The row is left out."""


@dataclass(frozen=True, slots=True)
class Unknown:
    """Cells that a solution was not made for, shown as the root."""

    n_values: int
    """How many different ones."""
    n_records: int
    """In how many records."""


def mask(table: Table, solution: Solution, columns: Sequence[Column]) -> Table:
    """Mask the table that a solution was found on; no column is left out yet.

    Args:
        table: The records.
        solution: What to show.
        columns: The distinct cells of each masked attribute, as `profile` found them.
    """
    if solution.regions is not None:
        return mask_regions(table, solution, columns)
    relabels = {}
    for cut, column in zip(solution.cuts, columns, strict=True):
        parsed = _ordered(column) if cut.kind is Kind.INTERVAL else None
        has_missing = bool(column.missing.any())
        if parsed is not None and column.is_ranged and not _is_stepped(cut, column.keys, parsed):
            relabels[cut.attribute] = _by_range(cut, column, has_missing=has_missing)
            continue
        relabel = _relabel(cut, column.keys, parsed, has_missing=has_missing, column=column)
        relabels[cut.attribute] = replace(relabel, has_others=column.n_rest > 0)
    return table.relabel(relabels)


def show_fixed(table: Table, solution: Solution) -> Table:
    """Show the columns that are released at one depth of their taxonomy."""
    return table.relabel({cut.attribute: fit(table, cut, Missing.KEEP).relabel for cut in solution.fixed})


def _ordered(column: Column) -> Parsed:
    """What `profile` found a column's distinct cells to be; whole numbers stay so under a range with decimals."""
    assert column.scale is not None  # noqa: S101 - every interval column has a scale
    numbers = column.numbers[column.value_of_key]
    is_whole = column.scale is Scale.REAL and numbers.dtype == np.int64
    return Parsed(Scale.INTEGER if is_whole else column.scale, numbers, np.ones(len(numbers), np.bool_))


def drop_columns(table: Table, names: Collection[str]) -> Table:
    """Leave columns out of a table."""
    dropped = [table.key(name) for name in table.names if name in names]
    if not dropped:
        return table
    kept = tuple(name for name in table.names if name not in names)
    expr = table.expr.drop(*dropped)
    renamed = expr.rename({f"c{i}": table.key(name) for i, name in enumerate(kept)})
    return replace(table, expr=renamed, names=kept)


@dataclass(frozen=True, slots=True)
class MaskedRows:
    """Rows that a solution was not found on, masked by it."""

    table: Table
    """The masked rows."""
    whole: Table
    """The same with columns that are left out, or shown at one depth, to recount requirements that speak of one."""
    unknown: dict[str, Unknown]
    """Cells the solution does not know, by attribute."""
    outside: dict[str, int]
    """Records with a number outside every interval, by attribute."""
    n_dropped: int
    """Records left out for a missing cell."""
    n_outside_dropped: int
    """Records left out for a number outside every interval."""
    left_out: tuple[str, ...]
    """Columns left out because the release did not have them."""
    n_suppressed: int = 0
    """Records with a combination of labels that the solution suppresses."""


def apply(
    table: Table, solution: Solution, *, strict: bool = False, outside: Outside | str = Outside.ROOT
) -> MaskedRows:
    """Mask rows that the solution was not found on, in the same way.

    A column that the release did not have was never judged by the owner, so it
    is left out, whatever the case of its letters.

    Args:
        table: The rows.
        solution: What to show.
        strict: Refuse values and columns that the solution does not know, and numbers outside every interval.
        outside: What happens to rows with such a number.
    """
    outside = Outside.REFUSE if strict else _as_outside(outside)
    names = [cut.attribute for cut in solution.cuts]
    table.require_all(names, "is in the solution", among=solution.columns)
    refuse_mixed_numbers(table, table.names)
    n_dropped = 0
    if solution.missing is Missing.DROP:
        n_before = table.n_rows()
        table = table.without_missing(names)
        n_dropped = n_before - table.n_rows()
    relabels, lookups, unknown, n_outside = {}, {}, {}, {}
    codes = [] if solution.regions is None else [Codes.of(cut) for cut in solution.cuts]
    code_of = {one.cut.attribute: one for one in codes}
    fixed = [cut for cut in solution.fixed if cut.attribute in table.names]
    for cut in (*solution.cuts, *fixed):
        fitted = fit(table, cut, Missing.KEEP if cut in fixed else solution.missing)
        if cut.attribute in code_of:
            lookups[cut.attribute] = lookup_keys(code_of[cut.attribute], fitted.keys, fitted.parsed)
        else:
            relabels[cut.attribute] = fitted.relabel
        if fitted.unknown.n_records:
            unknown[cut.attribute] = fitted.unknown
        if fitted.n_outside:
            n_outside[cut.attribute] = fitted.n_outside
    named = pseudonymize(table, solution.person)
    if solution.regions is None:
        whole = named.relabel({name: relabels[name] for name in names})
    else:
        whole = label_by_region(named, solution, codes, lookups)
        n_outside = count_outside(whole, codes, lookups)
    dropped = {name.casefold() for name in solution.drop}
    left_out = tuple(name for name in table.names if name not in solution.columns and name.casefold() not in dropped)
    _refuse_what_is_unknown(unknown, left_out, n_outside, outside, strict=strict)
    others = {name for name in table.names if name not in solution.columns}
    n_outside_dropped = 0
    if n_outside and outside is Outside.DROP:
        n_before = whole.n_rows()
        whole = _without_outside(whole, [cut for cut in solution.cuts if cut.attribute in n_outside])
        n_outside_dropped = n_before - whole.n_rows()
    suppressed = suppress(whole, solution)
    whole = whole if suppressed is None else suppressed.table
    n_suppressed = 0 if suppressed is None else suppressed.n_suppressed
    shown = whole.relabel({cut.attribute: relabels[cut.attribute] for cut in fixed})
    released = drop_columns(shown, others)
    return MaskedRows(released, whole, unknown, n_outside, n_dropped, n_outside_dropped, left_out, n_suppressed)


def _refuse_what_is_unknown(
    unknown: Mapping[str, Unknown],
    left_out: Sequence[str],
    n_outside: Mapping[str, int],
    outside: Outside,
    *,
    strict: bool,
) -> None:
    """Refuse what a solution does not know, and what lies outside every interval, where that is asked."""
    where_outside = "; ".join(_in_records(name, n) for name, n in n_outside.items())
    if strict and (unknown or left_out or n_outside):
        details = [_in_records(name, lost.n_records) for name, lost in unknown.items()]
        details += [f"outside every interval: {where_outside}"] if n_outside else []
        details += [f"the column `{name}` itself" for name in left_out]
        msg = (
            f"The rows hold what the solution does not know: {'; '.join(details)}. Without strict, unknown values are "
            "shown as the root, unknown columns are left out, and what lies outside is shown with outside root or left "
            "out with outside drop."
        )
        raise InputError(msg)
    if n_outside and outside is Outside.REFUSE:
        msg = (
            f"The rows hold numbers or dates outside every interval that the solution shows: {where_outside}. "
            "Show them as the whole range with outside root, or leave these rows out with outside drop."
        )
        raise InputError(msg)


def _as_outside(given: Outside | str) -> Outside:
    if given not in list(Outside):
        msg = f"`outside` is one of {quote(list(Outside))}; found `{given}`."
        raise InputError(msg)
    return Outside(given)


@dataclass(frozen=True, slots=True)
class Fitted:
    """What a column of later rows is to its cut."""

    cut: Cut
    """What is to be shown."""
    keys: pa.Array
    """The column's distinct cells, without the missing one."""
    parsed: Parsed | None
    """What they are, for an interval attribute."""
    has_missing: bool
    """Whether there are missing cells."""
    unknown: Unknown
    """The cells that the cut does not know."""
    n_outside: int = 0
    """The records with a number outside every interval."""
    shown: tuple[str, ...] | None = None
    """What each cell of another attribute is shown as; None where that differs from region to region."""

    @property
    def relabel(self) -> Relabel:
        """How it is rewritten."""
        if self.shown is not None:
            return Relabel(self.keys, self.shown, self.cut.root, self.cut.missing_text, self.has_missing)
        return _relabel(self.cut, self.keys, self.parsed, has_missing=self.has_missing)


def fit(table: Table, cut: Cut, missing: Missing) -> Fitted:
    """Look at a column of rows that a cut was not found on.

    Args:
        table: The rows.
        cut: What is to be shown.
        missing: Whether missing cells are refused.
    """
    distinct = table.distinct(cut.attribute)
    keys, n, n_missing = distinct.keys, distinct.counts, distinct.n_missing
    if missing is Missing.ERROR:
        refuse_missing_cells(cut.attribute, n_missing)
    unseen = n_missing if cut.missing is MissingShown.UNSEEN else 0
    if cut.kind is Kind.INTERVAL:
        parsed, unknown = _parse(table, cut, keys, n), Unknown(int(unseen > 0), unseen)
        if parsed is None:
            return Fitted(cut, keys, None, n_missing > 0, unknown)
        low, high = cut.covered
        n_outside = int(n[(parsed.numbers < low) | (parsed.numbers > high)].sum())
        return Fitted(cut, keys, parsed, n_missing > 0, unknown, n_outside)
    texts = map(text_of, keys.to_pylist())
    if cut.regional:
        known, shown = np.array([cut.knows(text) for text in texts], np.bool_), None
    else:
        found = [cut.find_label(text) for text in texts]
        known = np.array([label is not None for label in found], np.bool_)
        shown = tuple(cut.root if label is None else label for label in found)
    unknown = Unknown(int((~known).sum()) + int(unseen > 0), int(n[~known].sum()) + unseen)
    return Fitted(cut, keys, None, n_missing > 0, unknown, shown=shown)


def _without_outside(masked: Table, cuts: Sequence[Cut]) -> Table:
    """Leave out the masked rows that some cuts show as outside every interval."""
    cells = [(masked.column(cut.attribute), cut.outside_label) for cut in cuts]
    tests = [cell.isnull() | (cell != label) for cell, label in cells]
    return replace(masked, expr=masked.engine.filter(masked.expr, tests))


def _in_records(name: str, n_records: int) -> str:
    return f"`{name}` in {plural(n_records, 'record')}"


def refuse_missing_cells(name: str, n_missing: int) -> None:
    """Refuse missing cells, if there are some, in a column of which the policy allows none."""
    if n_missing:
        msg = f"Column `{name}` has {plural(n_missing, 'missing cell')}, and the policy refuses them. Fill them first."
        raise InputError(msg)


def _parse(table: Table, cut: Cut, keys: pa.Array, n: Any) -> Parsed | None:
    if not len(keys):
        return None
    assert cut.scale is not None  # noqa: S101 - an interval attribute has one
    expected, example = f"{cut.scale.noun}s", cut.scale.example
    parsed = parse_keys(keys)
    if parsed is not None and (parsed.scale, cut.scale) == (Scale.TIMESTAMP, Scale.DATE):
        # The day of a timestamp, which is a date that pandas holds, or a later moment of that day.
        parsed = replace(parsed, scale=Scale.DATE, numbers=parsed.numbers // DAY)
    same = parsed is not None and (parsed.scale == cut.scale or {parsed.scale, cut.scale} <= _NUMBERS)
    if parsed is None or not same:
        found = (
            f"{keys.type} cells" if parsed is None else f"{parsed.scale.noun}s" if parsed.known.any() else "other texts"
        )
        msg = f"Column `{cut.attribute}` holds {found}, but the solution expects {expected}, such as {example}."
        raise InputError(msg)
    if not parsed.known.all():
        row = table.first_row_with(cut.attribute, keys.filter(from_numpy(~parsed.known)))
        n_cells = int(n[~parsed.known].sum())
        msg = (
            f"Column `{cut.attribute}` holds {plural(n_cells, 'cell')} that should be {expected}, such as {example}, "
            f"first in record {row:,}. Clean the data."
        )
        raise InputError(msg)
    return parsed


def _relabel(
    cut: Cut, keys: pa.Array, parsed: Parsed | None, *, has_missing: bool, column: Column | None = None
) -> Relabel:
    """Say how a column with these distinct cells is rewritten; `column` is what `profile` found categories to be."""
    if parsed is None:
        labels = [] if column is None else column.labels_by(cut)
        shown = [] if column is None else [labels[value] for value in column.value_of_key.tolist()]
        return Relabel(keys, shown, cut.root, cut.missing_text, has_missing)
    if _is_stepped(cut, keys, parsed):
        return Relabel(keys, (), cut.root, cut.missing_text, has_missing, _steps(cut, parsed), parsed.scale)
    shown = [cut.show_number(number) for number in parsed.numbers.tolist()]
    return Relabel(keys, shown, cut.root, cut.missing_text, has_missing)


def _steps(cut: Cut, parsed: Parsed) -> tuple[tuple[Any, str], ...]:
    """The intervals by their exclusive upper ends; below and above them what is outside, where there is some."""
    low, high = cut.covered
    steps = list(zip(cut.breaks[1:], cut.labels, strict=True))
    steps[-1] = (math.inf, cut.labels[-1])
    if (parsed.numbers < low).any():
        steps.insert(0, (low, cut.outside_label))
    if (parsed.numbers > high).any():
        steps[-1] = (_next(high, parsed.numbers.dtype), cut.labels[-1])
        steps.append((math.inf, cut.outside_label))
    return tuple((None if end == math.inf else as_python(end, parsed.scale), text) for end, text in steps)


def _next(number: float, dtype: Any) -> float:
    """The smallest number above another one."""
    return math.nextafter(number, math.inf) if dtype == np.float64 else math.floor(number) + 1


def _is_stepped(cut: Cut, keys: pa.Array, parsed: Parsed) -> bool:
    """Whether cells are compared with the ends of intervals one by one."""
    is_read = parsed.scale.engine_type is not None and not needs_python(keys, parsed.scale)
    return is_read and "tz=" not in str(keys.type) and len(cut.labels) <= _MOST_STEPS


def _by_range(cut: Cut, column: Column, *, has_missing: bool) -> Relabel:
    """Find each cell's interval by where intervals begin: all but the first at the smallest number of a range."""
    first = np.searchsorted(column.numbers, np.array(cut.breaks[1:-1], column.numbers.dtype))
    lows = column.keys.take(from_numpy(np.concatenate([[0], first]).astype(np.int64)))
    return Relabel(lows, cut.labels, cut.root, cut.missing_text, has_missing, is_ranged=True)
