"""A class that is a number: searches tell apart bins of it, each with about as many records."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from maskwise.errors import InputError, plural
from maskwise.values.arrow import as_numpy
from maskwise.values.file_words import file_words
from maskwise.values.parsing import patterns
from maskwise.values.scales import Scale

if TYPE_CHECKING:
    from maskwise.policy.policy import Policy
    from maskwise.table.table import Table

N_BINS = 10
"""A search for classes sees so many bins of a class that is a number; with fewer different numbers, each of them."""


def bin_class(table: Table, policy: Policy) -> Table:
    """The table with a class that is a number seen in bins; its cells stay as they are.

    No requirement counts the class then (a policy that protects it is refused), so no guarantee rests on the bins.

    Args:
        table: The records.
        policy: It says whether its class is a number.
    """
    name = policy.class_name
    if name is None or not policy.class_is_number:
        return table
    kind = table.expr[table.key(name)].type()
    is_text = kind.is_string()
    if not (is_text or kind.is_numeric()) or kind.is_boolean():
        raise InputError(policy.at(("class",)) + refuse_class_cells(name, table.n_rows()))
    counts = table.count_each([name], None)
    # An engine may read other texts as numbers too, such as nan.
    n_odd = counts.matching(0, [patterns()[Scale.REAL]])[0][1] if is_text else 0
    ranged = counts.ranged(0, N_BINS, Scale.REAL.engine_type if is_text else None)
    counts.drop()
    if n_odd or ranged.n_odd:
        raise InputError(policy.at(("class",)) + refuse_class_cells(name, n_odd or ranged.n_odd))
    lows = np.unique(as_numpy(ranged.groups.column("k").cast("float64")))
    return replace(table, binned=(name, tuple(lows[1:].tolist())))


def refuse_class_cells(name: str, n_cells: int) -> str:
    """What is said of a class that should be a number and has other cells."""
    return (
        f"The policy says that the class `{name}` is a number, but {plural(n_cells, 'cell')} of it "
        f"{'is' if n_cells == 1 else 'are'} none. Clean the data, or make it a class of "
        f"categories{file_words(f'class: {name}')}."
    )
