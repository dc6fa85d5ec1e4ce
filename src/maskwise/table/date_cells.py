"""Cells with dates in the spelling of some country, as ISO dates."""

from __future__ import annotations

from typing import TYPE_CHECKING

import ibis

if TYPE_CHECKING:
    import ibis.expr.types as ir

    from maskwise.values.date_forms import DateForm


def as_iso(cell: ir.StringValue, form: DateForm) -> ir.StringValue:
    """The ISO spelling of cells that have a form; every other cell as it is. The twin of `DateForm.to_usual`."""

    def day_by(pattern: str) -> ir.StringValue:
        year, month, day = (cell.re_extract(pattern, form.group(part)) for part in ("YYYY", "MM", "DD"))
        return year + "-" + _two_digits(month) + "-" + _two_digits(day)

    day, moment = form.day_pattern, form.moment_pattern
    clock = _two_digits(cell.re_extract(moment, 4)) + cell.re_extract(moment, 5)
    with_clock = ibis.ifelse(cell.re_search(moment), day_by(moment) + "T" + clock, cell)
    return ibis.ifelse(cell.re_search(day), day_by(day), with_clock)


def _two_digits(part: ir.StringValue) -> ir.StringValue:
    return (ibis.literal("0") + part).right(2)
