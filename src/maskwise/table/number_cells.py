"""Cells with numbers in the spelling of some country, in the usual one."""

from __future__ import annotations

from typing import TYPE_CHECKING

import ibis

from maskwise.engines.distinct_rows import n_marked
from maskwise.errors import InputError, plural
from maskwise.values.number_spellings import KNOWN, MINUS, USUAL_NUMBER, NumberForm

if TYPE_CHECKING:
    from collections.abc import Iterable

    import ibis.expr.types as ir

    from maskwise.table.table import Table


def as_usual(cell: ir.StringValue, form: NumberForm) -> ir.StringValue:
    """The usual spelling of numbers that have a form; every other cell as it is. The twin of `NumberForm.to_usual`."""
    bare = cell
    for mark in form.marks:
        bare = bare.replace(mark, "")
    # Each part stands here once, since databases compute what stands in several branches again; zeros are taken away as
    # blanks.
    whole = bare.re_extract(f"{form.before_digits}([0-9]*)", 1).replace("0", " ").lstrip().replace(" ", "0")
    decimals = bare.re_extract(f"{form.before_decimals}([0-9]*)", 1).replace("0", " ").rstrip().replace(" ", "0")
    units = ibis.ifelse(bare.re_search(f"{form.before_digits}0*[1-9]"), whole, "0")
    fraction = ibis.ifelse(bare.re_search(f"{form.before_decimals}[0-9]*[1-9]"), ibis.literal(".") + decimals, "")
    is_negative = (bare.contains("-") | bare.contains(MINUS)) & bare.re_search("[1-9]")
    return ibis.ifelse(cell.re_search(form.pattern), ibis.ifelse(is_negative, "-", "") + units + fraction, cell)


def mixed_numbers(table: Table, names: Iterable[str]) -> dict[str, str]:
    """What is wrong with columns some of whose numbers are written in another way than is said: `1.5` among `1,5`.

    Read as they are, they would be other numbers than whoever wrote them meant. Other texts are left to what the column
    is used for.

    Args:
        table: The records.
        names: The columns that will be masked or counted.
    """
    forms = {name: form for name, form in table.forms if isinstance(form, NumberForm)}
    asked = [name for name in names if name in forms]
    asked = [name for name in asked if table.expr[table.key(name)].type().is_string()]
    if not asked:
        return {}
    other: dict[str, ir.Value] = {}
    for i, name in enumerate(asked):
        cell = table.expr[table.key(name)]
        is_number = cell.re_search(USUAL_NUMBER)
        for text in KNOWN:
            is_number |= cell.re_search(NumberForm(text).pattern)
        is_other = is_number & ~cell.re_search(forms[name].pattern)
        other[f"n{i}"] = n_marked(table.expr, is_other.ifelse(1, 0).cast("int64"))
    (found,) = table.engine.fetch(table.expr.aggregate(**other)).to_pylist()
    mixed = {name: int(found[f"n{i}"] or 0) for i, name in enumerate(asked)}
    return {
        name: f"Column `{name}` is said to have numbers written {forms[name].text}, but {plural(n, 'cell')} "
        f"{'has a number' if n == 1 else 'have numbers'} in another spelling. Write all of them alike, or say how they "
        "are written."
        for name, n in mixed.items()
        if n
    }


def refuse_mixed_numbers(table: Table, names: Iterable[str]) -> None:
    """Refuse columns whose numbers are not all written as is said; the arguments are those of `mixed_numbers`."""
    if mistakes := mixed_numbers(table, names):
        raise InputError("\n".join(mistakes.values()))
