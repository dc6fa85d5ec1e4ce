"""Cells in the spelling of some country, in the usual one: of dates or of numbers."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

from maskwise.table.date_cells import as_iso
from maskwise.table.number_cells import as_usual
from maskwise.values.date_forms import DateForm
from maskwise.values.number_spellings import NumberForm

if TYPE_CHECKING:
    import ibis.expr.types as ir

CellForm: TypeAlias = DateForm | NumberForm
"""How the cells of a column are written."""


def as_usual_form(cell: ir.StringValue, form: CellForm) -> ir.StringValue:
    """The usual spelling of cells that have a form; every other cell as it is."""
    return as_iso(cell, form) if isinstance(form, DateForm) else as_usual(cell, form)
