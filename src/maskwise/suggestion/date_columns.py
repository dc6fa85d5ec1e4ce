"""Columns of dates in the spelling of some country: which form their dates have, decided by all cells."""

from __future__ import annotations

from typing import TYPE_CHECKING

from maskwise.suggestion.shapes import NEARLY_ALL
from maskwise.values.date_forms import KNOWN, DateForm

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    import ibis.expr.types as ir

    from maskwise.table.table import Table


def find_forms(table: Table, names: Sequence[str], n_cells: Mapping[str, int]) -> dict[str, tuple[DateForm, ...]]:
    """The forms by which the dates of each column can be read; several if no cell tells day and month apart.

    A column has none if fewer than nearly all cells are dates, or if no form reads all of those that are: then it has
    dates of several forms.

    Args:
        table: The records.
        names: The columns, all of text.
        n_cells: The records of each that have a value.
    """
    forms = [DateForm(text) for text in KNOWN]
    found = {}
    for name in names:
        cell = table.column(name)
        fits = [cell.re_search(form.pattern) for form in forms]
        either = fits[0]
        for one in fits[1:]:
            either |= one
        asked: dict[str, ir.Value] = {f"n{i}": one.ifelse(1, 0).sum() for i, one in enumerate(fits)}
        (row,) = table.engine.fetch(table.expr.aggregate(**asked, any=either.ifelse(1, 0).sum())).to_pylist()
        n_dates = int(row["any"] or 0)
        is_dated = n_dates > 0 and n_dates >= NEARLY_ALL * n_cells[name]
        found[name] = tuple(form for i, form in enumerate(forms) if is_dated and int(row[f"n{i}"] or 0) == n_dates)
    return {name: read_by for name, read_by in found.items() if read_by}
