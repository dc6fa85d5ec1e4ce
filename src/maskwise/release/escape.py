"""Quote cells and column names that a spreadsheet would run as a formula."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING

import ibis

if TYPE_CHECKING:
    from maskwise.table.table import Table


_FORMULA = r"^'*[=+\-@\t\r]"
"""How a cell begins that a spreadsheet would run; quotes before it count, so that `=x` and `'=x` stay two values."""


_NUMBER = r"^[+\-]?([0-9.]+([eE][+\-]?[0-9]+)?|[0-9.,' " + "\u00a0\u202f]+)$"
"""How a number is written; it may begin like a formula, and is never quoted."""


def spreadsheet_safe(table: Table) -> Table:
    """Put a quote before texts that a spreadsheet would run as a formula; numbers stay.

    Claim: different texts stay different. A text that would run once its
    leading quotes are gone gets one more; no other text is changed, and none
    looks like one that was.
    """
    safe, rewritten = {}, set(table.rewritten)
    for name in table.names:
        cell = table.expr[table.key(name)]
        if cell.type().is_string():
            runs = cell.re_search(_FORMULA) & ~cell.re_search(_NUMBER)
            rewritten.add(name)
            safe[table.key(name)] = ibis.ifelse(runs, ibis.literal("'") + cell, cell)
    expr = table.expr.mutate(**safe) if safe else table.expr
    return replace(table, expr=expr, rewritten=tuple(name for name in table.names if name in rewritten))


def safe_name(name: str) -> str:
    """A column name that a spreadsheet does not run.

    >>> safe_name("=cmd()"), safe_name("Age")
    ("'=cmd()", 'Age')
    """
    return f"'{name}" if re.match(_FORMULA, name) else name


def original_name(name: str) -> str:
    """A column name as it was before `safe_name` wrote it.

    >>> original_name("'=cmd()"), original_name("Age"), original_name("'s-Gravenhage")
    ('=cmd()', 'Age', "'s-Gravenhage")
    """
    bare = name.removeprefix("'")
    return bare if safe_name(bare) == name else name


def original_text(text: str) -> str:
    """A cell as it was before `spreadsheet_safe` wrote it.

    Claim: undoes what was written. A text that begins with a quote and would run
    without it was written from the text without that quote, any other from itself.

    >>> original_text("'=1+1"), original_text("''=1+1"), original_text("-5"), original_text("'s-Gravenhage")
    ('=1+1', "'=1+1", '-5', "'s-Gravenhage")
    """
    bare = text.removeprefix("'")
    return bare if bare != text and safe_text(bare) == text else text


def safe_text(text: str) -> str:
    """A cell as `spreadsheet_safe` writes it.

    >>> safe_text("=1+1"), safe_text("'=1+1"), safe_text("-5"), safe_text("'s-Gravenhage")
    ("'=1+1", "''=1+1", '-5', "'s-Gravenhage")
    """
    # An engine's end of a text is behind a line end, Python's `$` may be before it.
    return f"'{text}" if re.match(_FORMULA, text) and not re.fullmatch(_NUMBER, text) else text
