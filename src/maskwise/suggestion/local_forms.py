"""Columns of dates or numbers in the spelling of some country: which form they have, decided by all cells."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from maskwise.suggestion.shapes import NEARLY_ALL
from maskwise.values import date_forms, number_spellings
from maskwise.values.date_forms import DateForm
from maskwise.values.number_spellings import USUAL_NUMBER, NumberForm, choose_forms

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    import ibis.expr.types as ir

    from maskwise.table.cell_forms import CellForm
    from maskwise.table.table import Table


class FormFinder(Protocol):
    """Finds the forms by which all cells of columns can be read."""

    def __call__(
        self, table: Table, names: Sequence[str], n_cells: Mapping[str, int]
    ) -> Mapping[str, tuple[CellForm, ...]]:
        """Find them; the arguments are those of `find_date_forms`."""


def find_date_forms(table: Table, names: Sequence[str], n_cells: Mapping[str, int]) -> dict[str, tuple[DateForm, ...]]:
    """The forms by which the dates of each column can be read; several if no cell tells day and month apart.

    A column has none if fewer than nearly all cells are dates, or if no form reads all of those that are: then it has
    dates of several forms.

    Args:
        table: The records.
        names: The columns, all of text.
        n_cells: The records of each that have a value.
    """
    forms = [DateForm(text) for text in date_forms.KNOWN]
    found = {}
    for name in names:
        *by_form, n_dates = _count_fitting(table, name, [form.pattern for form in forms])
        is_dated = n_dates > 0 and n_dates >= NEARLY_ALL * n_cells[name]
        found[name] = tuple(form for form, n in zip(forms, by_form, strict=True) if is_dated and n == n_dates)
    return {name: read_by for name, read_by in found.items() if read_by}


def find_number_forms(
    table: Table, names: Sequence[str], n_cells: Mapping[str, int]
) -> dict[str, tuple[NumberForm, ...]]:
    """The forms by which the numbers of each column can be read; two if no cell tells what a comma stands for.

    A column has none if all its numbers are written in the usual way, if fewer than nearly all cells are numbers, or if
    no form reads all of those that are.

    Args:
        table: The records.
        names: As in `find_date_forms`.
        n_cells: As in `find_date_forms`.
    """
    forms = [NumberForm(text) for text in number_spellings.KNOWN]
    found = {}
    for name in names:
        *by_form, n_usual, n_numbers = _count_fitting(table, name, [*(form.pattern for form in forms), USUAL_NUMBER])
        is_numeric = n_numbers > n_usual and n_numbers >= NEARLY_ALL * n_cells[name]
        fitting = [form for form, n in zip(forms, by_form, strict=True) if is_numeric and n == n_numbers]
        found[name] = choose_forms(fitting)
    return {name: read_by for name, read_by in found.items() if read_by}


def _count_fitting(table: Table, name: str, patterns: Sequence[str]) -> list[int]:
    """How many cells of a column each pattern reads, and last, how many any of them does."""
    cell = table.column(name)
    fits = [cell.re_search(pattern) for pattern in patterns]
    either = fits[0]
    for one in fits[1:]:
        either |= one
    asked: dict[str, ir.Value] = {f"n{i}": one.ifelse(1, 0).sum() for i, one in enumerate([*fits, either])}
    (row,) = table.engine.fetch(table.expr.aggregate(**asked)).to_pylist()
    return [int(row[f"n{i}"] or 0) for i in range(len(fits) + 1)]
